"""The official libraries on rows of a table that nptbench exports, for numbers in ../PAPER.md and ../gbdt/PAPER.md.

    go run ./cmd/score -export forest-cover.csv -dataset forest-cover
    go run ./cmd/score -export kick.csv -dataset kick -protocol published
    go run ./cmd/score -export poker-hand.csv -dataset poker-hand
    python exported.py forest forest-cover.csv     50 trees by gini and entropy, four seeds
    python exported.py mlp kick.csv                the four settings of sweeps/table1-cpu.yaml
    python exported.py lightgbm kick.csv           threads, seed, type of the features and order of the columns
    python exported.py catboost kick.csv           seeds
    python exported.py xgboost kick.csv            with and without the zeros of one-hot columns, as ../gbdt/trainer.py has it
    python exported.py scikit kick.csv             20 boosted trees from the dense and from the sparse matrix
    python exported.py scikit-seeds poker-hand.csv seeds

Lines have accuracy, NLL and, for two classes, AUROC of the test rows; those of xgboost and scikit seconds for a tree. Needs pandas beside the boosting libraries.
"""

import sys

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss, roc_auc_score

table = pd.read_csv(sys.argv[2])
part, y = table.pop("part").to_numpy(), table.pop(table.columns[-1]).to_numpy().astype(int)
x = table.to_numpy(np.float32)
train, test = part == "train", part == "test"


def show(name, model, x=x):
    p = model.fit(x[train], y[train]).predict_proba(x[test])
    accuracy = (model.classes_[p.argmax(1)] == y[test]).mean()
    auroc = f"{roc_auc_score(y[test], p[:, 1]):.4f}" if p.shape[1] == 2 else ""
    print(name, f"{accuracy * 100:.3f} {log_loss(y[test], p.astype(float), labels=model.classes_, eps=1e-15):.4f}", auroc, flush=True)


def forest():
    from sklearn.ensemble import RandomForestClassifier

    for seed in (42, 1, 2, 3):
        for criterion in ("gini", "entropy"):
            show(f"{criterion} seed {seed}", RandomForestClassifier(50, criterion=criterion, random_state=seed))


def mlp():
    from sklearn.neural_network import MLPClassifier

    for rate in (1e-3, 1e-2):
        for batch in (128, 256):
            show(f"rate {rate} batch {batch}", MLPClassifier(
                (100, 100, 100), alpha=1e-4, batch_size=batch, learning_rate_init=rate, early_stopping=True, random_state=42))


def lightgbm():
    from lightgbm import LGBMClassifier

    def model(**options):
        return LGBMClassifier(**{"random_state": 42, "n_jobs": 1, "learning_rate": 0.1, "max_depth": 10, "n_estimators": 100, **options})

    show("as recorded", model(deterministic=True, force_col_wise=True))
    show("2 threads", model(n_jobs=2))
    show("seed 0", model(random_state=0))
    show("float64", model(), x.astype(np.float64))
    show("columns shuffled", model(), x[:, np.random.RandomState(0).permutation(x.shape[1])])


def catboost():
    from catboost import CatBoostClassifier

    for seed in range(42, 52):
        show(f"seed {seed}", CatBoostClassifier(1000, 0.1, 5, random_seed=seed, thread_count=1, allow_writing_files=False, verbose=False))


def xgboost():
    import pathlib
    import time

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "gbdt"))
    import trainer

    rows, classes = np.ascontiguousarray(x[train]), y[train]
    for depth in (3, 10):
        scores = []
        for name, trainer.MANY in (("without zeros", 0), ("all", x.size)):
            seconds = []
            for trees in (2, 7):
                library = trainer.XGBoost(True, 42, 1, {"learning_rate": 0.1, "max_depth": depth, "n_estimators": trees})
                start = time.perf_counter()
                library.fit(rows, classes)
                seconds.append(time.perf_counter() - start)
            print(f"depth {depth}, {name}: {(seconds[1] - seconds[0]) / 5:.3f} s a tree", flush=True)
            scores.append(library.raw(x[test], [trees])[0])
        print("same predictions" if (scores[0] == scores[1]).all() else "the predictions differ", flush=True)


def scikit():
    import time

    from scipy.sparse import csc_matrix
    from sklearn.ensemble import GradientBoostingClassifier

    trees = 20
    for depth in (3, 10):
        for name, matrix in (("sparse", csc_matrix(x)), ("dense", x)):
            start = time.perf_counter()
            show(f"depth {depth}, {name}:", GradientBoostingClassifier(learning_rate=0.1, max_depth=depth, n_estimators=trees, random_state=42), matrix)
            print(f"{(time.perf_counter() - start) / trees:.2f} s a tree", flush=True)


def scikit_seeds():
    from scipy.sparse import csc_matrix
    from sklearn.ensemble import GradientBoostingClassifier

    for seed in (42, *range(1, 9)):
        show(f"seed {seed}", GradientBoostingClassifier(learning_rate=0.1, max_depth=5, n_estimators=500, random_state=seed), csc_matrix(x))


{"forest": forest, "mlp": mlp, "lightgbm": lightgbm, "catboost": catboost, "xgboost": xgboost, "scikit": scikit,
 "scikit-seeds": scikit_seeds}[sys.argv[1]]()
