"""Fits boosted trees with the official libraries for the program that started it.

A request, on standard input, is a line of JSON, then the arrays x, y and check as raw bytes. Answers go to file descriptor
3, since libraries print to standard output when they like: a line of JSON, then the arrays that it lists. The first one
says that the process is ready. To a request the answer is the model, how the fit went and the library's own predictions;
before it, a fit that is asked to says now and then how far it is. The process serves one request after another, so that
libraries are imported once, and ends when its standard input does, even in the middle of a fit: nobody would read the
answer.
"""

import errno
import functools
import json
import os
import queue
import re
import signal
import sys
import threading
import time

import numpy as np

MANY = 1_000_000  # entries of a table: fewer are not worth a sparse matrix


# A library's fit calls grown, if there is one, after every iteration; CatBoost's does not. arrays are those of the model, raw
# predicts for several numbers of trees, final what the library's users get.


class ScikitLearn:
    def __init__(self, classify, seed, threads, params):
        import sklearn
        from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

        self.version = sklearn.__version__
        self.classify = classify
        self.model = (GradientBoostingClassifier if classify else GradientBoostingRegressor)(random_state=seed, **params)

    def fit(self, x, y, grown=None):
        """A table of zeros goes to the library as a sparse matrix, on Kick for an eighth of the time or less.

        It tries the same splits in the same order. Only the order of the rows in its sums is another, so that of splits
        that are equal but for rounding it can keep another, as it does when rows are shuffled.
        """
        if MANY <= x.size and np.count_nonzero(x) <= x.size / 20:
            from scipy.sparse import csc_matrix

            x = csc_matrix(x)
        self.model.fit(x, y, monitor=grown and (lambda i, *_: grown(i + 1)))

    def arrays(self):
        trees = [tree.tree_ for tree in self.model.estimators_.ravel()]
        def joined(name, dtype):
            return np.concatenate([getattr(tree, name) for tree in trees], axis=None).astype(dtype)
        return {
            "sizes": np.array([tree.node_count for tree in trees], np.int32),
            "left": joined("children_left", np.int32),
            "right": joined("children_right", np.int32),
            "feature": joined("feature", np.int32),
            "threshold": joined("threshold", np.float64),
            "value": joined("value", np.float64),
            "rate": np.array([self.model.learning_rate], np.float64),
            "init": self.model._raw_predict_init(np.zeros((1, self.model.n_features_in_), np.float32)).ravel(),
        }

    def raw(self, x, counts):
        # What the public staged methods do, without stopping after each of a thousand trees.
        from sklearn.ensemble._gradient_boosting import predict_stages

        scores, done, out = self.model._raw_predict_init(x), 0, {}
        for n in sorted(counts):
            predict_stages(self.model.estimators_[done:n], x, self.model.learning_rate, scores)
            out[n], done = scores.copy(), n
        return [out[n] for n in counts]

    def final(self, x):
        return self.model.predict_proba(x) if self.classify else self.model.predict(x)


XGBOOST_EXACT_ROWS = 4_194_304  # for fewer it tries all splits by itself, from there on those at quantiles


class XGBoost:
    def __init__(self, classify, seed, threads, params):
        import xgboost

        self.version = xgboost.__version__
        self.classify = classify
        options = dict(params, random_state=seed, n_jobs=threads, verbosity=0)
        self.model = xgboost.XGBClassifier(eval_metric="logloss", **options) if classify else xgboost.XGBRegressor(**options)

    def fit(self, x, y, grown=None):
        if grown:
            from xgboost.callback import TrainingCallback

            class Grown(TrainingCallback):
                def after_iteration(self, model, i, log):
                    grown(i + 1)
                    return False  # go on

            self.model.set_params(callbacks=[Grown()])
        self.ones = np.zeros(x.shape[1], bool)
        if MANY <= x.size and len(x) < XGBOOST_EXACT_ROWS:
            ones = ((x == 0) | (x == 1)).all(axis=0)
            if np.where(ones, np.count_nonzero(x, axis=0), len(x)).sum() <= x.size / 2:
                self.ones = ones
        self.model.fit(self.matrix(x), y)

    def matrix(self, x):
        """The table without the zeros of its one-hot columns, where they are most of it.

        XGBoost takes what is left out for missing. Such a column has one possible split, ones from the rest, and its
        sums are those of the ones either way: the trees are the same, on Kick in a hundredth to a thirtieth of the time.
        """
        if not self.ones.any():
            return x
        from scipy.sparse import csr_matrix

        kept = np.where(self.ones, x >= 0.5, True)
        rows = np.concatenate([[0], np.cumsum(np.count_nonzero(kept, axis=1))])
        return csr_matrix((x[kept], np.nonzero(kept)[1], rows), x.shape)

    def arrays(self):
        model = {"model": np.frombuffer(self.model.get_booster().save_raw("deprecated"), np.uint8)}
        return model | {"ones": self.ones.astype(np.uint8)} if self.ones.any() else model

    def raw(self, x, counts):
        booster, x = self.model.get_booster(), self.matrix(x)
        return [booster.inplace_predict(x, iteration_range=(0, n), predict_type="margin") for n in counts]

    def final(self, x):
        x = self.matrix(x)
        return self.model.predict_proba(x) if self.classify else self.model.predict(x)


class LightGBM:
    def __init__(self, classify, seed, threads, params):
        import lightgbm

        self.version = lightgbm.__version__
        self.booster = lightgbm.Booster
        self.classify, self.threads = classify, threads
        # Left alone, the library times two ways of building histograms and takes the faster one: the same fit could
        # give different last digits on another day.
        self.model = (lightgbm.LGBMClassifier if classify else lightgbm.LGBMRegressor)(
            random_state=seed, n_jobs=threads, verbose=-1, deterministic=True, force_col_wise=True, **params)

    def fit(self, x, y, grown=None):
        # At its end a fit writes the model as text and reads that back: to write it again would take a quarter of the fit.
        read = self.booster.model_from_string

        def keep_and_read(booster, text, *args, **options):
            self.text = text
            return read(booster, text, *args, **options)

        self.booster.model_from_string = keep_and_read
        try:
            self.model.fit(x, y, callbacks=grown and [lambda state: grown(state.iteration + 1)])
        finally:
            self.booster.model_from_string = read

    def arrays(self):
        return {"model": np.frombuffer(self.text.encode(), np.uint8)}

    def raw(self, x, counts):
        return [self.model.predict(x, raw_score=True, num_iteration=n, num_threads=self.threads) for n in counts]

    def final(self, x):
        predict = self.model.predict_proba if self.classify else self.model.predict
        return predict(x, num_threads=self.threads)


class CatBoost:
    def __init__(self, classify, seed, threads, params):
        import catboost

        self.version = catboost.__version__
        self.classify, self.threads = classify, threads
        self.model = (catboost.CatBoostClassifier if classify else catboost.CatBoostRegressor)(
            random_seed=seed, thread_count=threads, allow_writing_files=False, verbose=False, **params)

    def fit(self, x, y, _=None):
        self.model.fit(x, y)

    def arrays(self):
        scale, bias = self.model.get_scale_and_bias()
        return {
            "model": np.frombuffer(self.model._serialize_model(), np.uint8),
            "scale": np.array([scale], np.float64),
            "bias": np.array(bias, np.float64).ravel(),
        }

    def raw(self, x, counts):
        return [self.model.predict(x, "RawFormulaVal", ntree_end=n, thread_count=self.threads) for n in counts]

    def final(self, x):
        predict = self.model.predict_proba if self.classify else self.model.predict
        return predict(x, thread_count=self.threads)


LIBRARIES = {"gradient-boosting": ScikitLearn, "xgboost": XGBoost, "lightgbm": LightGBM, "catboost": CatBoost}


class Broken(Exception):
    """The Python environment lacks the library, or has parts of it."""


def serve(request, send):
    """Fits what the request asks for, and sends the model, how the fit went and the library's predictions."""
    try:
        library = LIBRARIES[request["method"]](request["classify"], request["seed"], request["threads"], request["params"])
    except Exception as e:
        raise Broken(f"{type(e).__name__}: {e}") from e
    told = time.monotonic()

    def grown(iterations):
        nonlocal told
        if time.monotonic() >= told + request["tell_seconds"]:
            told = time.monotonic()
            send({"iterations": iterations})

    forget_peak_memory()
    start = time.perf_counter()
    library.fit(request["x"], request["y"], grown if "tell_seconds" in request else None)
    answer = {"fit_seconds": time.perf_counter() - start, "python": sys.version.split()[0], "version": library.version}
    model = library.arrays()
    answer["peak_bytes"] = peak_memory()
    send(answer, model | predictions(library, request))


def predictions(library, request):
    """The library's own predictions, as arrays."""
    check, counts = request["check"], request["counts"]
    if not len(check):
        return {}
    few = np.ascontiguousarray(check[::request["stride"]])
    trees = request["params"]["n_estimators"]
    arrays = {"raw": library.raw(check, [trees]), "staged": library.raw(few, counts), "final": library.final(few)}
    return {name: np.asarray(a, np.float64).ravel() for name, a in arrays.items()}


def forget_peak_memory():
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
    except OSError:
        pass


def peak_memory():
    """Largest resident set in bytes since it was last forgotten; 0 where the system does not tell."""
    try:
        with open("/proc/self/status") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return 0


def read_array(source, shape, dtype):
    array = np.empty(shape, dtype)
    if source.readinto(array) != array.nbytes:
        raise EOFError("the request ends too early")
    return array


def read_requests(source, requests):
    while line := source.readline():
        request = json.loads(line)
        rows, width = request["rows"], request["width"]
        request["x"] = read_array(source, (rows, width), np.float32)
        request["y"] = read_array(source, rows, np.int32 if request["classify"] else np.float64)
        request["check"] = read_array(source, (request["check_rows"], width), np.float32)
        requests.put(request)
        del request  # the table is served's alone, and goes with it


def read_until_the_end(source, requests):
    try:
        read_requests(source, requests)
    except BaseException as e:
        print(f"cannot read a request: {describe(e)}", file=sys.stderr, flush=True)
    os._exit(0)


def describe(e):
    """The error in one line, without the time and the place in a library's source that some begin with."""
    lines = [line.strip() for line in str(e).splitlines() if line.strip()]
    if not lines:
        return type(e).__name__
    return f"{type(e).__name__}: " + re.sub(r"^(\[[\d:]+\] )?\S+/\S+\.(cc|cpp|h):\d+: ", "", lines[0])


def out_of_memory(e):
    signs = "MemoryError", "bad_alloc", "bad allocation", "Cannot allocate memory"  # the last is the system's, also of imports
    return isinstance(e, MemoryError) or getattr(e, "errno", None) == errno.ENOMEM or any(sign in str(e) for sign in signs)


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt from the terminal reaches both; the parent decides
    os.set_inheritable(3, False)
    send_answer = functools.partial(send, os.fdopen(3, "wb"))
    requests = queue.Queue()
    threading.Thread(target=read_until_the_end, args=(sys.stdin.buffer, requests), daemon=True).start()
    send_answer({})
    while True:
        request = requests.get()
        try:
            serve(request, send_answer)
        except Exception as e:
            broken = isinstance(e, (Broken, ImportError, OSError))  # libraries import parts of themselves late
            send_answer({"error": describe(e), "out_of_memory": out_of_memory(e), "broken": broken})
        del request  # an idle trainer keeps no table


def send(answers, answer, arrays={}):
    arrays = {name: np.ascontiguousarray(a) for name, a in arrays.items()}
    answer["arrays"] = [{"name": name, "bytes": a.nbytes} for name, a in arrays.items()]
    answers.write(json.dumps(answer).encode() + b"\n")
    for a in arrays.values():
        answers.write(a)
    answers.flush()


if __name__ == "__main__":
    main()
