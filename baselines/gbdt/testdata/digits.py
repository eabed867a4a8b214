"""Why some of the paper's digits come out and others do not: the experiments behind ../PAPER.md.

    python digits.py procedure gradient-boosting 42 fold-0.csv ... fold-9.csv
    python digits.py seeds DATASET out/published/report/folds.csv fold-0.csv ... fold-9.csv
    python digits.py disturbed ../../../results/published/*.jsonl.gz
    python digits.py min-child-samples fold-0.csv ... fold-9.csv

The first runs the paper's whole procedure for a regression table, grid and choice by validation MSE, with seed 42 + fold,
by whatever version of the library is installed. The second fits scikit-learn's boosting ten times with the settings that a
report says were chosen, which `make report-published` leaves, and other seeds. The third chooses among the recorded settings of scikit-learn's boosting
by validation errors that are disturbed by 3 and 5 %. The fourth fits LightGBM with fewer rows required in a leaf. Folds come
from `score -export fold-N.csv -dataset yacht -fold N`; the RMSEs of the first and the fourth are in units of the training
targets' deviation.
"""

import csv
import gzip
import json
import sys

import numpy as np


def read(path):
    """The features and targets of a fold's training, validation and test rows."""
    with open(path) as f:
        f.readline()
        lines = [line.rstrip().split(",") for line in f]
    for part in ("train", "val", "test"):
        rows = np.array([line[1:] for line in lines if line[0] == part], np.float64)
        yield rows[:, :-1].astype(np.float32), rows[:, -1]


def regressor(method, **params):
    if method == "catboost":
        from catboost import CatBoostRegressor
        seed = params.pop("random_state")
        return CatBoostRegressor(random_seed=seed, thread_count=1, allow_writing_files=False, verbose=False, **params)
    from sklearn.ensemble import GradientBoostingRegressor
    return GradientBoostingRegressor(**params)


def mse(p, y):
    return np.mean((p - y) ** 2)


def procedure(method, seed, folds):
    tests = []
    for fold, path in enumerate(folds):
        (x, y), (x_val, y_val), (x_test, y_test) = read(path)
        best = (np.inf,)
        for rate in (0.001, 0.01, 0.1, 0.3):
            for depth in (3, 5, 10):
                model = regressor(method, random_state=seed + fold, learning_rate=rate, max_depth=depth, n_estimators=1000)
                model.fit(x, y)
                staged = zip(model.staged_predict(x_val), model.staged_predict(x_test))
                for trees, (val, test) in enumerate(staged, 1):
                    if trees in (50, 100, 500, 1000):
                        tried = (mse(val, y_val), mse(test, y_test) ** 0.5, rate, depth, trees)
                        best = min(best, tried, key=lambda t: t[0])  # the first of those that tie
        tests.append(best[1])
        print("fold %d: validation MSE %.5f, test RMSE %.4f, rate %s, depth %d, %d trees" % ((fold,) + best), flush=True)
    print("test RMSE %.4f" % np.mean(tests))


def seeds(dataset, report, folds):
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
    from sklearn.metrics import log_loss, roc_auc_score

    with open(report) as f:
        chosen = [r for r in csv.DictReader(f) if (r["dataset"], r["protocol"], r["method"]) == (dataset, "published", "gradient-boosting")]
    tables = [tuple(read(path)) for path in folds]

    def metrics(seed, r, table):
        (x, y), _, (x_test, y_test) = table
        options = dict(json.loads(r["config"]), random_state=seed + int(r["fold"]))
        if r["test_rmse"]:
            std = (float(r["test_mse"]) / float(r["test_mse_standardised"])) ** 0.5
            return {"RMSE": std * mse(GradientBoostingRegressor(**options).fit(x, y).predict(x_test), y_test) ** 0.5}
        p = GradientBoostingClassifier(**options).fit(x, y).predict_proba(x_test)
        return {"accuracy": 100 * np.mean(p.argmax(1) == y_test), "NLL": log_loss(y_test, p, eps=1e-15), "AUROC": roc_auc_score(y_test, p[:, 1])}

    means = []
    for seed in (42, *range(1000, 11000, 1000)):
        scores = [metrics(seed, r, table) for r, table in zip(chosen, tables)]
        means.append({name: np.mean([s[name] for s in scores]) for name in scores[0]})
        print("seed %d + fold:" % seed, ", ".join("%s %.4f" % m for m in means[-1].items()), flush=True)
    for name in means[0]:
        others = [m[name] for m in means[1:]]
        print("%s with other seeds: %.4f, deviation %.4f, from %.4f to %.4f" % (name, np.mean(others), np.std(others, ddof=1), min(others), max(others)))


def disturbed(paths):
    settings = {}  # of each data set: by setting, for each fold its validation and test metrics
    for path in paths:
        for line in gzip.open(path):
            r = json.loads(line)
            if (r["method"], r["protocol"], r["status"], r["seed"]) == ("gradient-boosting", "published", "ok", 42):
                settings.setdefault(r["dataset"], {}).setdefault(str(r["config"]), {})[r["fold"]] = r
    rng = np.random.default_rng(0)
    for dataset, of in sorted(settings.items()):
        folds = range(len(next(iter(of.values()))))
        if len(folds) < 10:
            continue
        by = "mse" if "mse" in of[next(iter(of))][0]["val"] else "nll"
        val = np.array([[s[f]["val"][by] for s in of.values()] for f in folds])
        for name in ("rmse",) if by == "mse" else ("accuracy", "nll", "auroc"):
            test = np.array([[s[f]["test"][name] for s in of.values()] for f in folds])
            print(dataset, name, "as recorded %.4f" % test[folds, val.argmin(1)].mean(), end="")
            for share in (0.03, 0.05):
                draws = [test[folds, (val * np.exp(share * rng.normal(size=val.shape))).argmin(1)].mean() for _ in range(4000)]
                print(", 95 %% at %.0f %%: %.4f to %.4f" % (100 * share, *np.percentile(draws, [2.5, 97.5])), end="")
            print()


def min_child_samples(folds):
    from lightgbm import LGBMRegressor
    for rows in (20, 15, 10, 5, 1):
        for rate, trees in ((0.001, 50), (0.1, 500)):
            scores = []
            for fold, path in enumerate(folds):
                (x, y), (x_val, y_val), (x_test, y_test) = read(path)
                model = LGBMRegressor(random_state=42 + fold, n_jobs=1, learning_rate=rate, max_depth=3, n_estimators=trees,
                                      min_child_samples=rows).fit(x, y)
                used = np.count_nonzero(model.feature_importances_)
                scores.append((mse(model.predict(x_val), y_val), mse(model.predict(x_test), y_test) ** 0.5, used))
            print("at least %2d rows in a leaf, rate %s, %3d trees: validation MSE %.3f, test RMSE %.3f, %.1f columns used"
                  % ((rows, rate, trees) + tuple(np.mean(scores, axis=0))), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "procedure":
        procedure(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
    elif sys.argv[1] == "seeds":
        seeds(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif sys.argv[1] == "disturbed":
        disturbed(sys.argv[2:])
    else:
        min_child_samples(sys.argv[2:])
