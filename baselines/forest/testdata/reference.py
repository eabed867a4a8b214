"""Scores of scikit-learn's forests on the paper's data sets, seed by seed: writes reference.json next to this file.

Usage: python reference.py FOLDER [DATASET ...], where FOLDER holds the data files, one folder per data set.
Made with scikit-learn 1.2.1, numpy 1.23.5, pandas 1.5.3.

Rows are those of fold 0, features one-hot and standardised. For every seed a small forest is fitted on the training rows.
"score" is, over the test rows, the RMSE of the standardised target or the log-loss (probabilities at least 1e-15);
"nodes" is the mean number of nodes of a tree. Rounding leaves some nodes of equal targets with an impurity and makes
scikit-learn split them under squared_error, which changes no prediction: what is below such nodes is not counted.

Up to version 1.7, scikit-learn's absolute_error is wrong for weighted rows (issue 32099), and its forests pass bootstrap
samples as weights. So for "mae" the samples are drawn here and rows are repeated.
"""
import json
import os
import sys

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeRegressor

# data set: (folds, classification, criteria, feature rules, trees, seeds)
PLAN = {
    "boston-housing": (10, False, ["mse", "mae"], ["auto", "sqrt"], 10, 100),
    "concrete": (10, False, ["mse", "mae"], ["auto", "sqrt"], 10, 100),
    "yacht": (10, False, ["mse", "mae"], ["auto", "sqrt"], 10, 100),
    "breast-cancer": (10, True, ["gini", "entropy"], ["sqrt", "log2"], 20, 100),
    "protein": (5, False, ["mse"], ["auto", "sqrt"], 4, 30),
    "kick": (5, True, ["gini", "entropy"], ["sqrt"], 2, 20),
    "poker-hand": (0, True, ["gini", "entropy"], ["sqrt", "log2"], 4, 30),
    "income": (0, True, ["gini"], ["sqrt"], 2, 12),
    "forest-cover": (5, True, ["gini"], ["sqrt"], 2, 12),
}


def load(folder, name):
    """Returns a frame with categorical columns as strings, the target, and the first row of a fixed test set."""
    def read(file, **options):
        return pd.read_csv(os.path.join(folder, name, file), header=None, **options)

    def as_text(frame, columns):
        return frame.astype({c: str for c in columns})

    if name == "boston-housing":
        d = read("housing.data", sep=r"\s+")
        return as_text(d.iloc[:, :13], [3, 8]), d[13], 0
    if name == "concrete":
        d = read("Concrete_Data.csv", skiprows=1)
        return d.iloc[:, :8], d[8], 0
    if name == "yacht":
        d = read("yacht_hydrodynamics.data", sep=r"\s+")
        return as_text(d.iloc[:, :6], range(6)), d[6], 0
    if name == "breast-cancer":
        d = read("wdbc.data.gz")
        return d.iloc[:, 2:], d[1], 0
    if name == "protein":
        d = read("CASP.csv.gz", skiprows=1)
        return d.iloc[:, 1:], d[0], 0
    if name == "forest-cover":
        d = read("covtype.data.gz")
        return as_text(d.iloc[:, :54], range(10, 54)), d[54], 0
    if name == "poker-hand":
        d = pd.concat([read("poker-hand-training-true.data.gz"), read("poker-hand-testing.first100000.data.gz")],
                      ignore_index=True)
        return as_text(d.iloc[:, :10], range(10)), d[10], 25010
    if name == "income":
        options = dict(skipinitialspace=True, dtype=str, keep_default_na=False)
        d = pd.concat([read("census-income.data.gz", **options), read("census-income.test.gz", **options)],
                      ignore_index=True)
        return d.iloc[:, :41].astype({c: float for c in range(41) if d[c].nunique() > 55}), d[41], 199523
    if name == "kick":
        d = pd.read_csv(os.path.join(folder, name, "training.csv.gz"), dtype=str, keep_default_na=False)
        y = d["IsBadBuy"]
        d = d.drop(columns=["RefId", "IsBadBuy"]).replace({"NULL": None, "": None})
        d["PurchDate"] = pd.to_datetime(d["PurchDate"]).astype("int64").astype(float)
        categorical = [1, *range(4, 12), *range(13, 16), *range(24, 29), 30]
        return d.astype({c: float for i, c in enumerate(d.columns) if i not in categorical}), y, 0
    raise ValueError(name)


def encode(frame):
    """One-hot and standardised; missing entries are zeros."""
    parts = []
    for c in frame.columns:
        if frame[c].dtype == object:
            parts.append(pd.get_dummies(frame[c]).to_numpy(np.float32))
        else:
            v = frame[c].to_numpy(float)
            v = (v - np.nanmean(v)) / (np.nanstd(v) or 1)
            parts.append(np.nan_to_num(v).astype(np.float32)[:, None])
    return np.concatenate(parts, 1)


def split(n, y, folds, fixed):
    """Rows for training and for testing in fold 0."""
    rest, test = np.arange(fixed), np.arange(fixed, n)
    share = 0.125
    if folds:
        kind = KFold if y is None else StratifiedKFold
        rest, test = next(kind(folds, shuffle=True, random_state=42).split(np.zeros(n), y))
        share = 0.2 / 0.9 if folds == 10 else 0.125
    rest_y = None if y is None else y[rest]
    return train_test_split(rest, test_size=share, random_state=42, stratify=rest_y)[0], test


def absolute_error(x, y, test, features, trees, seed):
    rng = np.random.RandomState(seed)
    p, nodes = 0, 0
    for _ in range(trees):
        rows = rng.randint(0, len(y), len(y))
        t = DecisionTreeRegressor(criterion="absolute_error", max_features=features, random_state=rng)
        t.fit(x[rows], y[rows])
        p, nodes = p + t.predict(test) / trees, nodes + node_count(t.tree_) / trees
    return p, nodes


def node_count(tree):
    if tree.value.shape[2] > 1:
        return tree.node_count
    value, size = tree.value[:, 0, 0], np.ones(tree.node_count)
    for i in range(tree.node_count - 1, -1, -1):  # children come after their parents
        left, right = tree.children_left[i], tree.children_right[i]
        if left >= 0 and not (size[left] == size[right] == 1 and abs(value[left] - value[right]) < 1e-12):
            size[i] += size[left] + size[right]
    return size[0]


def main(folder, names):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json")
    out = json.load(open(path)) if os.path.exists(path) else {}
    for name in names:
        folds, classification, criteria, rules, trees, seeds = PLAN[name]
        frame, target, fixed = load(folder, name)
        x = encode(frame)
        y = np.unique(target, return_inverse=True)[1] if classification else target.to_numpy(float)
        train, test = split(len(y), y if classification else None, folds, fixed)
        if not classification:
            y = (y - y[train].mean()) / y[train].std()
        for criterion in criteria:
            for rule in rules:
                features = {"auto": None}.get(rule, rule)
                scores, sizes = [], []
                for seed in range(seeds):
                    if criterion == "mae":
                        p, nodes = absolute_error(x[train], y[train], x[test], features, trees, seed)
                    else:
                        kind = RandomForestClassifier if classification else RandomForestRegressor
                        f = kind(trees, criterion={"mse": "squared_error"}.get(criterion, criterion),
                                 max_features=features, random_state=seed).fit(x[train], y[train])
                        p = f.predict_proba(x[test]) if classification else f.predict(x[test])
                        nodes = np.mean([node_count(t.tree_) for t in f.estimators_])
                    if classification:
                        p = p[np.arange(len(test)), np.searchsorted(f.classes_, y[test])]
                        scores.append(-np.log(np.maximum(p, 1e-15)).mean())
                    else:
                        scores.append(np.sqrt(((p - y[test]) ** 2).mean()))
                    sizes.append(nodes)
                out[f"{name} {criterion} {rule}"] = {
                    "trees": trees, "train": len(train), "test": len(test), "width": x.shape[1],
                    "score": [float(f"{s:.6g}") for s in scores], "nodes": [float(f"{s:.7g}") for s in sizes],
                }
                print(name, criterion, rule, np.mean(scores), np.std(scores), np.mean(sizes), flush=True)
                json.dump(out, open(path, "w"), separators=(",", ":"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] or list(PLAN))
