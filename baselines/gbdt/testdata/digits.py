"""Why some of the paper's digits come out and others do not: the experiments behind ../PAPER.md.

    python digits.py procedure gradient-boosting 42 fold-0.csv ... fold-9.csv
    python digits.py min-child-samples fold-0.csv ... fold-9.csv

The first runs the paper's whole procedure for a regression table, grid and choice by validation MSE, with seed 42 + fold,
by whatever version of the library is installed. The second fits LightGBM with fewer rows required in a leaf. Folds come
from `score -export fold-N.csv -dataset yacht -fold N`; RMSEs are printed in units of the training targets' deviation.
"""

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
                        best = min(best, (mse(val, y_val), mse(test, y_test) ** 0.5, rate, depth, trees))
        tests.append(best[1])
        print("fold %d: validation MSE %.5f, test RMSE %.4f, rate %s, depth %d, %d trees" % ((fold,) + best), flush=True)
    print("test RMSE %.4f" % np.mean(tests))


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
    else:
        min_child_samples(sys.argv[2:])
