"""What scikit-learn makes of awkward tables: writes awkward.json next to this file. Made with scikit-learn 1.2.1.

A table is x, y, how many of its rows are for training, and the number of classes, 0 for regression. For every method there
are the scores on the other rows, one for each seed: the RMSE, or the log-loss of probabilities of at least 1e-15; null
where training diverged. "tied" says that neighbours tie for the last place, so that other choices are as right.
"""
import json
import os
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor

warnings.filterwarnings("ignore")
TRAIN, TEST, SEEDS = 60, 30, 12


def tables():
    rng = np.random.RandomState(0)
    n = TRAIN + TEST

    def target(x):
        return (x[:, 0] + 0.5 * rng.randn(len(x))).round(4)

    plain = rng.randn(n, 4).round(3)
    ties = rng.randint(0, 3, (n, 4)).astype(float)
    duplicates = np.tile(rng.randn(n // 3, 4).round(3), (3, 1))
    missing = np.where(rng.rand(n, 4) < 0.4, 0, rng.randn(n, 4)).round(3)
    yield "plain", plain, target(plain), TRAIN
    yield "constant columns", np.hstack([plain, np.ones((n, 1)), np.zeros((n, 1))]), target(plain), TRAIN
    yield "heavy ties", ties, target(ties), TRAIN
    yield "duplicates", duplicates, target(duplicates), TRAIN
    yield "missing values", missing, target(missing), TRAIN
    yield "one column", plain[:, :1], target(plain), TRAIN
    yield "equal rows", np.ones((n, 2)), target(plain), TRAIN
    yield "equal targets", plain, np.ones(n), TRAIN
    yield "huge values", np.hstack([plain[:, :1], 1e30 * plain[:, 1:2]]), target(plain), TRAIN
    yield "tiny values", 1e-30 * plain, target(plain), TRAIN
    yield "two rows", plain, target(plain), 2
    yield "three rows", plain, target(plain), 3


def cases():
    for name, x, y, train in tables():
        yield name, x, y, train, 0
        if name == "equal targets":
            yield "one class", x, np.zeros(len(y), int), train, 2
            continue
        yield name, x, np.digitize(y, [0]), train, 2
        yield name, x, np.digitize(y, [-0.5, 0.5]), train, 3
        if name == "plain":
            missing = np.digitize(y, [-0.5, 0.5])
            missing[:train][missing[:train] == 1] = 2
            yield "a class without training rows", x, missing, train, 3
            rare = np.digitize(y, [-0.5, 0.5])
            rare[:train] = np.where(rare[:train] == 1, 0, rare[:train])
            rare[0] = 1
            yield "a class with one row", x, rare, train, 3


def models(classes, k):
    if classes:
        yield "knn uniform", 1, lambda s: KNeighborsClassifier(k, algorithm="kd_tree")
        yield "knn distance", 1, lambda s: KNeighborsClassifier(k, algorithm="kd_tree", weights="distance")
        for c in "gini", "entropy":
            yield "random-forest " + c, SEEDS, lambda s: RandomForestClassifier(30, criterion=c, random_state=s)
        yield "mlp", SEEDS, lambda s: MLPClassifier((20,), batch_size=16, learning_rate_init=0.01, early_stopping=True, random_state=s)
    else:
        yield "knn uniform", 1, lambda s: KNeighborsRegressor(k, algorithm="kd_tree")
        yield "knn distance", 1, lambda s: KNeighborsRegressor(k, algorithm="kd_tree", weights="distance")
        yield "random-forest mse", SEEDS, lambda s: RandomForestRegressor(30, max_features=None, random_state=s)
        yield "mlp", SEEDS, lambda s: MLPRegressor((20,), batch_size=16, learning_rate_init=0.01, early_stopping=True, random_state=s)


def score(model, x, y, train, classes):
    try:
        model.fit(x[:train], y[:train])
        if not classes:
            s = float(np.sqrt(((model.predict(x[train:]) - y[train:]) ** 2).mean()))
        else:
            p = np.zeros((len(y) - train, classes))
            p[:, model.classes_] = model.predict_proba(x[train:])
            s = float(-np.log(np.maximum(p[np.arange(len(p)), y[train:]], 1e-15)).mean())
    except (ValueError, AttributeError):  # diverged, or too few rows to hold any out
        return None
    return float(f"{s:.6g}") if np.isfinite(s) else None


def tied(x, train, k):
    d = np.sqrt(((x[train:, None].astype(float) - x[None, :train]) ** 2).sum(2))
    d.sort(1)
    return bool(k < train and (d[:, k - 1] >= d[:, k] * (1 - 1e-12)).any())


out = []
for name, x, y, train, classes in cases():
    x = x.astype(np.float32)
    k = min(3, train)
    scores = {m: [score(make(s), x, y, train, classes) for s in range(seeds)] for m, seeds, make in models(classes, k)}
    out.append({"name": name, "classes": classes, "train": train, "k": k, "tied": tied(x, train, k),
                "x": [[float(f"{v:.8g}") for v in row] for row in x], "y": y.tolist(), "scores": scores})
    print(name, classes, {m: (s[0] if len(s) == 1 else [np.round(np.mean([v for v in s if v is not None] or [np.nan]), 4), s.count(None)]) for m, s in scores.items()}, out[-1]["tied"])
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "awkward.json"), "w") as f:
    f.write("[" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in out) + "]\n")
