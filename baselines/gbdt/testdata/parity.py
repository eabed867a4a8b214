"""Writes parity.zip: models and predictions of the four libraries on awkward tables, for the tests of this package.

    PYTHON parity.py

with the environment of ../requirements.txt. One folder a case: case.json (method, task, table, counts, width, classes),
x (the rows to predict, float32), and the arrays of the trainer's answer under their names.
"""

import io
import json
import pathlib
import sys
import zipfile

import numpy as np

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import trainer  # noqa: E402


def signal(x, rng):
    return x @ np.linspace(1, 2, x.shape[1]) / np.sqrt(x.shape[1]) + np.sin(3 * x[:, 0]) + rng.normal(size=len(x)) / 4


def ties(rng):
    """Small integers; the rows to predict lie on the thresholds, just below and just above."""
    x = rng.integers(0, 5, (160, 4)).astype(np.float32)
    on = rng.integers(0, 10, (60, 4)).astype(np.float32) / 2
    check = np.concatenate([on, np.nextafter(on, np.float32(-9)), np.nextafter(on, np.float32(9))])
    return x, check, 4


def constant(rng):
    """Constant columns around one that is not."""
    x = np.full((100, 5), 0.25, np.float32)
    x[:, 3] = rng.normal(size=100)
    return x[:70], x[60:], 3


def missing(rng):
    """One-hot blocks in which missing entries are all zeros, and a number whose missing entries are zeros."""
    x = np.zeros((200, 9), np.float32)
    for block, size in ((0, 3), (3, 5)):
        category = rng.integers(0, size + 1, 200)
        rows = category < size
        x[rows, block + category[rows]] = 1
    x[:, 8] = np.where(rng.random(200) < 0.3, 0, rng.normal(size=200))
    return x[:150], x[150:], 5


def deep(rng):
    """Trees of depth 10 over continuous features, some rows twice."""
    x = rng.normal(size=(240, 6)).astype(np.float32)
    x[120:140] = x[:20]
    return x[:180], x[170:], 10


def huge(rng):
    """Features of very different scales, from denormal numbers to almost the largest."""
    x = (rng.normal(size=(150, 4)) * np.array([1e-41, 1e-20, 1e20, 1e37])).astype(np.float32)
    return x[:110], x[100:], 4


def single(rng):
    """One feature."""
    x = rng.normal(size=(120, 1)).astype(np.float32).round(1)
    return x[:90], x[80:], 3


def few(rng):
    """So few rows that LightGBM cannot split."""
    x = rng.normal(size=(60, 3)).astype(np.float32)
    return x[:18], x, 3


def gaps(rng):
    """Missing entries that are NaN, which all but scikit-learn take, in columns with and without them at fitting."""
    x = rng.normal(size=(170, 4)).astype(np.float32)
    x[rng.random(x.shape) < 0.2] = np.nan
    x[:120, 3] = rng.normal(size=120)
    return x[:120], x[110:], 4


TABLES = {f.__name__: f for f in (ties, constant, missing, deep, huge, single, few, gaps)}
TASKS = {"regression": 0, "binary": 2, "multiclass": 3, "ten classes": 10}


def cases():
    for method in trainer.LIBRARIES:
        for table, make in TABLES.items():
            for task, classes in TASKS.items():
                if classes == 10 and table not in ("ties", "deep"):
                    continue
                if method == "gradient-boosting" and table == "gaps":
                    continue
                rng = np.random.default_rng(7)
                x, check, depth = make(rng)
                known = np.nan_to_num(x)
                y = signal(known / np.abs(known).max(0).clip(1e-45), rng)
                if classes:
                    y = (np.argsort(np.argsort(y)) * classes // len(y)).astype(np.int32)
                counts = [1, 2, 3] if classes == 10 else [1, 3, 6]
                params = {"learning_rate": 0.3, "max_depth": depth, "n_estimators": counts[-1]}
                yield table, task, dict(method=method, classify=classes > 0, seed=42, threads=1, params=params,
                                        counts=counts, x=x, y=y, check=check, stride=1), classes


def main():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def write(name, data):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)  # without the time of day
        for table, task, request, classes in cases():
            folder = f"{request['method']}, {task}, {table}/"
            answer, arrays = {}, {}
            trainer.serve(request, lambda part, more: (answer.update(part), arrays.update(more)))
            about = {k: request[k] for k in ("method", "counts")}
            about |= {"task": task, "table": table, "classes": classes, "width": request["check"].shape[1], "version": answer["version"]}
            write(folder + "case.json", json.dumps(about))
            write(folder + "x", request["check"].tobytes())
            for name, a in arrays.items():
                write(folder + name, np.ascontiguousarray(a).tobytes())
    (here / "parity.zip").write_bytes(made.getvalue())


if __name__ == "__main__":
    main()
