"""Writes ties.json: which of many tied rows scikit-learn takes, seen in its predictions (made with 0.24.2, numpy 1.20.3)."""
import json
import numpy as np
from sklearn.neighbors import KNeighborsRegressor

rng = np.random.RandomState(3)


def onehot(codes, categories):
    return (codes[:, None] == np.arange(categories)).astype(float)


def case(name, X, widths):
    """90 training and 30 other rows; widths as in vectors.py."""
    y = rng.randn(90)
    c = dict(name=name, x=X.tolist(), widths=widths, train=90, y=y.tolist(), fits=[])

    def fit(p, algorithm, leaf_size, k, **more):
        m = KNeighborsRegressor(k, algorithm=algorithm, leaf_size=leaf_size, p=p, **more).fit(X[:90], y)
        c["fits"].append(dict(p=p, algorithm=algorithm, leaf_size=leaf_size, k=k, **more, out=m.predict(X[90:]).round(12).tolist()))

    for p in (1, 2):
        for algorithm in ("ball_tree", "kd_tree", "brute", "auto"):
            for leaf_size in (5, 30) if algorithm != "brute" else (30,):
                for k in (1, 2, 3, 4, 10, 40, 45, 89, 90):
                    fit(p, algorithm, leaf_size, k)
    for k in (2, 10, 45):
        fit(2, "auto", 30, k, weights="distance")
    return c


cases = [
    case("integers", rng.randint(0, 4, (120, 4)).astype(float), [0] * 4),
    case("categories", np.hstack([onehot(rng.randint(0, n, 120), n) for n in (4, 9, 5)]), [4, 9, 5]),
]
with open("ties.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
