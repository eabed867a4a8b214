"""Fits and predicts with scikit-learn what main.go measures beside it; prints one line of JSON.

Usage: python scikit.py FOLDER, where FOLDER holds case.json, the rows x (float32, row-major, training rows first) and the
targets y (float64) of all of them, little-endian.
"""
import json
import os
import sys
import time
import warnings

case = json.load(open(os.path.join(sys.argv[1], "case.json")))
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(case["threads"])  # before numpy is imported

import numpy as np
import sklearn
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor

warnings.filterwarnings("ignore")  # of convergence


def knn(algorithm):
    kind = KNeighborsClassifier if case["classes"] else KNeighborsRegressor
    return kind(case["k"], weights="distance", algorithm=algorithm, n_jobs=case["threads"])


def forest(seed):
    kind = RandomForestClassifier if case["classes"] else RandomForestRegressor
    criterion = {"mse": "squared_error", "mae": "absolute_error"}.get(case["criterion"], case["criterion"])
    rule = {"auto": "sqrt" if case["classes"] else None}.get(case["rule"], case["rule"])
    return kind(case["trees"], criterion=criterion, max_features=rule, n_jobs=case["threads"], random_state=seed)


def mlp(setting):
    kind = MLPClassifier if case["classes"] else MLPRegressor
    return kind(early_stopping=True, random_state=42, **setting)


def models():
    if case["method"] == "knn":
        return [(a, knn(a)) for a in case["algorithms"]]
    if case["method"] == "random-forest":
        return [("", forest(seed)) for seed in range(case["seeds"])]
    return [("", mlp(s)) for s in case["settings"]]


def score(p, y):
    """The RMSE, or the log-loss."""
    if not case["classes"]:
        return float(np.sqrt(((p - y) ** 2).mean()))
    p = p[np.arange(len(y)), y.astype(int)]
    return float(-np.log(np.clip(p, 1e-15, 1 - 1e-15)).mean())


def main():
    n, test, width = case["train"], case["test"], case["width"]
    x = np.fromfile(os.path.join(sys.argv[1], "x"), np.float32).reshape(n + test, width)
    y = np.fromfile(os.path.join(sys.argv[1], "y"))
    out = []
    for name, model in models():
        start = time.process_time()
        try:
            model.fit(x[:n], y[:n])
            fitted = time.process_time()
            p = model.predict_proba(x[n:]) if case["classes"] else model.predict(x[n:])
        except ValueError as e:
            if case["method"] != "mlp":
                raise
            fitted, p = time.process_time(), None  # training diverged
        seconds = [fitted - start, time.process_time() - fitted]
        if case["classes"] and p is not None:
            every = np.zeros((test, case["classes"]))
            every[:, model.classes_.astype(int)] = p
            p = every
        out.append({"name": name, "fit": seconds[0], "predict": seconds[1], "score": None if p is None else score(p, y[n:])})
    print(json.dumps({"version": sklearn.__version__, "runs": out}))


main()
