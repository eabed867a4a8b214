"""A method from outside: scikit-learn's HistGradientBoosting on what "go run ./cmd/data -export-splits splits" wrote.

    python3 hist_gradient_boosting.py splits predictions.csv [metrics.csv]

writes predictions for the test rows of all data sets, protocols and folds, which cmd/import takes. With a third argument it
also writes what scikit-learn's own metrics say of them.
"""

import csv
import json
import os
import pathlib
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # tables are so small that more threads wait for each other

import numpy as np
from sklearn import metrics
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

splits, predictions, measured = pathlib.Path(sys.argv[1]), [], []
most = 0  # classes

for folder in sorted(path.parent for path in splits.glob("*/dataset.json")):
    about = json.loads((folder / "dataset.json").read_text())
    table = np.loadtxt(folder / "table.csv", delimiter=",", skiprows=1)
    x, y = table[:, 1:-1], table[:, -1]  # by row: the first column is its number
    rows = {}  # of (protocol, fold, part)
    with open(folder / "splits.csv") as f:
        for line in csv.DictReader(f):
            rows.setdefault((line["protocol"], int(line["fold"]), line["part"]), []).append(int(line["row"]))
    for protocol, fold in sorted({key[:2] for key in rows}):
        train, test = rows[protocol, fold, "train"], rows[protocol, fold, "test"]
        place = [about["name"], protocol, fold]
        if about["problem"] == "regression":
            model = HistGradientBoostingRegressor(max_iter=50, random_state=0).fit(x[train], y[train])
            predicted = model.predict(x[test])
            predictions += [[*place, row, about["data_digest"], repr(float(p))] for row, p in zip(test, predicted)]
            mse = metrics.mean_squared_error(y[test], predicted)
            scores = {"mse": mse, "rmse": np.sqrt(mse)}
        else:
            model = HistGradientBoostingClassifier(max_iter=50, random_state=0).fit(x[train], y[train])
            p = np.zeros((len(test), len(about["classes"])))
            p[:, model.classes_.astype(int)] = model.predict_proba(x[test])
            most = max(most, p.shape[1])
            predictions += [[*place, row, about["data_digest"], "", *map(repr, map(float, one))] for row, one in zip(test, p)]
            scores = {"accuracy": 100 * metrics.accuracy_score(y[test], p.argmax(1)),
                      "nll": metrics.log_loss(y[test], p, labels=range(p.shape[1]))}
            if p.shape[1] == 2:
                scores["auroc"] = metrics.roc_auc_score(y[test], p[:, 1])
        measured += [[*place, name, repr(float(value))] for name, value in scores.items()]

with open(sys.argv[2], "w", newline="") as f:
    out = csv.writer(f)
    out.writerow(["dataset", "protocol", "fold", "row", "data_digest", "prediction"] + [f"probability_{i}" for i in range(most)])
    out.writerows(line + [""] * (6 + most - len(line)) for line in predictions)
if len(sys.argv) > 3:
    with open(sys.argv[3], "w", newline="") as f:
        csv.writer(f).writerows([["dataset", "protocol", "fold", "metric", "value"], *measured])
