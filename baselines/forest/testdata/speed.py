"""Prints the processor seconds per tree that scikit-learn needs to fit a forest on one thread.

Usage: python speed.py FOLDER CRITERION RULE TREES, where FOLDER holds the training rows as x (float32, row-major) and
y (float64), little-endian.
"""
import os
import sys
import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

folder, criterion, rule, trees = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
y = np.fromfile(os.path.join(folder, "y"))
x = np.fromfile(os.path.join(folder, "x"), np.float32).reshape(len(y), -1)
kind = RandomForestClassifier if criterion in ("gini", "entropy") else RandomForestRegressor
criterion = {"mse": "squared_error", "mae": "absolute_error"}.get(criterion, criterion)
forest = kind(trees, criterion=criterion, max_features={"auto": None}.get(rule, rule), n_jobs=1, random_state=0)
start = time.process_time()
forest.fit(x, y)
print((time.process_time() - start) / trees)
