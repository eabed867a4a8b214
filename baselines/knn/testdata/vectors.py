"""Writes vectors.json: predictions of scikit-learn's k-NN (made with 1.2.1, numpy 1.23.5, scipy 1.10.1).

Cases without ties across the k-th neighbour come from scikit-learn's brute force as it is. It leaves open which of several
training rows at the same distance are taken, so where there are ties, kneighbors is replaced by a stable sort of exact
distances (lowest row first), and the rest of scikit-learn's prediction code runs on that.
"""
import json
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

rng = np.random.RandomState(7)


class Stable:
    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        d = cdist(X, self._fit_X, "cityblock" if self.p == 1 else "euclidean")
        near = np.argsort(d, axis=1, kind="stable")[:, : self.n_neighbors]
        return (np.take_along_axis(d, near, axis=1), near) if return_distance else near


class StableClassifier(Stable, KNeighborsClassifier):
    pass


class StableRegressor(Stable, KNeighborsRegressor):
    pass


def onehot(codes, categories):
    """One-hot columns; code -1 is a missing entry."""
    return (codes[:, None] == np.arange(categories)).astype(float)


def case(name, X, widths, y, train, val, ks, classes=0, ties=False):
    """widths: the number of categories per feature, 0 for a continuous one."""
    X = np.asarray(X, np.float32).astype(float)
    c = dict(name=name, x=X.tolist(), widths=widths, train=train, val=val, test=len(X) - train - val, classes=classes,
             y=np.asarray(y)[: train + val].tolist(), fits=[])
    for p in (1, 2):
        for weights in ("uniform", "distance"):
            for k in ks:
                kind = (StableClassifier if ties else KNeighborsClassifier) if classes else \
                       (StableRegressor if ties else KNeighborsRegressor)
                m = kind(n_neighbors=k, weights=weights, p=p, algorithm="brute").fit(X[:train], np.asarray(y)[:train])
                if classes:  # scikit-learn has no column for a class that no training row has
                    out = np.zeros((len(X) - train, classes))
                    out[:, m.classes_] = m.predict_proba(X[train:])
                else:
                    out = m.predict(X[train:])
                c["fits"].append(dict(k=k, weights=weights, p=p, out=out.ravel().tolist()))
    return c


def integers(n, width):
    return rng.randint(-3, 4, (n, width))


cases = [
    case("continuous", rng.randn(130, 5), [0] * 5, rng.randn(130), 90, 20, [1, 2, 7, 40, 90]),
    case("continuous classes", rng.randn(120, 3), [0] * 3, rng.randint(0, 4, 120), 80, 20, [1, 5, 33, 80], classes=4),
    case("two rows", rng.randn(6, 2), [0, 0], [1.5, -2, 0, 0, 0, 0], 2, 2, [1, 2]),
    case("one feature", rng.randn(90, 1), [0], rng.randn(90), 70, 10, [1, 3, 70]),
]

scale = 10.0 ** rng.randint(-18, 19, (100, 1))
cases.append(case("huge and tiny values", rng.randn(100, 3) * scale, [0] * 3, rng.randn(100), 70, 15, [1, 4, 70]))

X = integers(140, 3)
X[:40] = X[40:80]  # duplicates, with other targets
X[120:] = X[:20]  # test rows at distance 0 from at least two training rows
cases.append(case("duplicates", X, [0] * 3, rng.randn(140), 100, 20, [1, 2, 5, 30, 100], ties=True))

labels = rng.choice([0, 2, 3], 140)  # no row of class 1
cases.append(case("duplicates classes", X, [0] * 3, labels, 100, 20, [1, 2, 5, 30, 100], classes=4, ties=True))

X = np.hstack([np.full((80, 1), 2.5), integers(80, 2), np.zeros((80, 1))])
cases.append(case("constant columns", X, [0] * 4, rng.randn(80), 60, 10, [1, 6, 60], ties=True))
cases.append(case("all rows equal", np.ones((50, 2)), [0] * 2, rng.randint(0, 2, 50), 40, 5, [1, 6, 40], classes=2, ties=True))

codes = [rng.randint(-1, n, 150) for n in (2, 5, 3)]  # with missing entries
X = np.hstack([onehot(codes[0], 2), integers(150, 1) / 2, onehot(codes[1], 5), integers(150, 1) / 4, onehot(codes[2], 3)])
cases.append(case("mixed with missing entries", X, [2, 0, 5, 0, 3], rng.randint(0, 3, 150), 110, 20, [1, 3, 10, 50, 110], classes=3, ties=True))

X = np.hstack([onehot(rng.randint(0, n, 150), n) for n in (4, 13, 4, 13)])
cases.append(case("categories only", X, [4, 13, 4, 13], rng.randn(150), 110, 20, [1, 3, 10, 50, 110], ties=True))

X = X.copy()
X[17, 4], X[140, 30] = 0.5, 1  # features 1 and 3 are not one-hot everywhere
X[140, 31] = 1
cases.append(case("not one-hot", X, [4, 13, 4, 13], rng.randn(150), 110, 20, [1, 10, 110], ties=True))

with open("vectors.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
