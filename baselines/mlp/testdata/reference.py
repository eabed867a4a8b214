"""Reference values from scikit-learn 1.2.1 (numpy 1.23.5): writes steps.json and seeds.json next to this file.

steps.json: weights before and after three steps of training on given batches, in float64.
seeds.json: three small tasks and, for 200 seeds each, the number of epochs, the best held-out score, and the test metric.
"""
import json
import os
import warnings

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.neural_network import MLPClassifier, MLPRegressor

warnings.filterwarnings("ignore")
here = os.path.dirname(os.path.abspath(__file__))


def rounded(a, digits=9):
    return np.asarray(a, dtype=float).round(digits).tolist()


def model(kind, **parameters):
    return (MLPRegressor if kind == "regression" else MLPClassifier)(**parameters)


def steps():
    cases = []
    for kind, classes, hidden in [("regression", 0, [5, 4]), ("binary", 2, [6]), ("multiclass", 3, [9, 4, 3])]:
        rng = np.random.RandomState(len(cases))
        x = rng.normal(size=(11, 3)).round(3)
        y = rng.normal(size=11).round(3) if classes == 0 else np.arange(11) % classes
        m = model(kind, hidden_layer_sizes=hidden, alpha=0.5, batch_size=11, learning_rate_init=0.01, shuffle=False)
        fit = (lambda a, b: m.partial_fit(a, b)) if classes == 0 else (
            lambda a, b: m.partial_fit(a, b, classes=np.arange(classes)))
        fit(x, y)  # makes the arrays; the weights and the optimiser's state are set anew below
        for w in m.coefs_ + m.intercepts_:
            w[...] = rng.uniform(-0.7, 0.7, size=w.shape).round(3)
        before = [[rounded(w) for w in m.coefs_], [rounded(b) for b in m.intercepts_]]
        for a in m._optimizer.ms + m._optimizer.vs:
            a[...] = 0
        m._optimizer.t = 0
        batches = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [3, 1, 4], [10, 8]]
        for b in batches:
            fit(x[b], y[b])
        cases.append(dict(kind=kind, classes=classes, hidden=hidden, alpha=0.5, learning_rate_init=0.01, x=x.tolist(),
                          y=y.tolist(), batches=batches, coefs=before[0], intercepts=before[1],
                          coefs_after=[rounded(w) for w in m.coefs_],
                          intercepts_after=[rounded(b) for b in m.intercepts_]))
    return cases


def seeds():
    cases = []
    for kind, classes, parameters in [
        ("regression", 0, dict(hidden_layer_sizes=[25, 25], alpha=0.1, batch_size=32, learning_rate_init=0.005)),
        ("binary", 2, dict(hidden_layer_sizes=[20], alpha=0.01, batch_size=16, learning_rate_init=0.005)),
        ("multiclass", 4, dict(hidden_layer_sizes=[12, 12, 12], alpha=0, batch_size=64, learning_rate_init=0.01)),
    ]:
        rng = np.random.RandomState(10 + len(cases))
        n_train, n_test = 155, 100
        x = rng.normal(size=(n_train + n_test, 5)).round(2).astype(np.float32)
        f = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.5 * x[:, 3] + 0.5 * rng.normal(size=len(x))
        if classes == 0:
            y = (f / f.std()).round(3)
        else:
            y = np.searchsorted(np.quantile(f, np.cumsum([0.3, 0.2, 0.3][: classes - 1])), f)
        epochs, best, metric = [], [], []
        for seed in range(200):
            m = model(kind, early_stopping=True, random_state=seed, **parameters).fit(x[:n_train], y[:n_train])
            epochs.append(m.n_iter_)
            best.append(m.best_validation_score_)
            if classes == 0:
                metric.append(mean_squared_error(y[n_train:], m.predict(x[n_train:])) ** 0.5)
            else:
                p = m.predict_proba(x[n_train:]).astype(float)
                metric.append(log_loss(y[n_train:], p / p.sum(axis=1, keepdims=True), labels=range(classes)))
        cases.append(dict(kind=kind, classes=classes, parameters=parameters, n_train=n_train, x=rounded(x, 2),
                          y=y.tolist(), epochs=epochs, best=rounded(best, 6), metric=rounded(metric, 6)))
        print(kind, np.mean(epochs), np.mean(best), np.mean(metric), np.std(metric))
    return cases


for name, cases in [("steps", steps()), ("seeds", seeds())]:
    with open(os.path.join(here, name + ".json"), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
