"""Tables of the documents, from records (files .jsonl or .jsonl.gz) and from the report of them (a folder). go run ./cmd/readme puts them there.

    python3 cmd/readme/tables.py COMMAND ...

A command is a function below that prints a table, with its arguments in their order.
"""

import collections
import csv
import gzip
import json
import math
import statistics
import sys

METHODS = {"random-forest": "Random Forest", "gradient-boosting": "Gradient Boosting", "xgboost": "XGBoost", "catboost": "CatBoost", "lightgbm": "LightGBM",
           "mlp": "MLP", "knn": "k-NN", "tabnet": "TabNet"}
TITLES = {"yacht": "Yacht", "boston-housing": "Boston Housing", "concrete": "Concrete", "breast-cancer": "Breast Cancer"}
DATASETS = {**TITLES, "protein": "Protein", "kick": "Kick", "income": "Income", "poker-hand": "Poker Hand", "forest-cover": "Forest Cover"}
FORMS = {"lookup": "Lookup", "lookup-random": "Random features", "lookup-add-one": "Add one", "lookup-random-add-one": "Random features, add one"}
SIZES = ("n_d", "n_a", "n_steps", "batch_size", "virtual_batch_size")  # of TabNet
UNMASKED = ", no features masked"
ALONE = ", rows attend to themselves alone"
NO_DROPOUT = ", no dropout"
GPU = ", on a GPU"
SEEDS = (42, 43, 44)
shares = collections.defaultdict(dict)  # test rows over training rows, of what was read: the folds of a data set differ by a row, under either protocol
METRICS = {"rmse": "RMSE", "accuracy": "accuracy", "nll": "NLL", "auroc": "AUROC"}
DIGITS = {"rmse": 2, "accuracy": 2, "nll": 3, "auroc": 3}


def finished(paths, measure=None):
    """Finished trainings, or what was measured on their models."""
    for path in paths:
        for line in gzip.open(path) if path.endswith(".gz") else open(path):
            r = json.loads(line)
            if r["status"] == "ok" and r.get("measure") == measure:
                shares[r["dataset"]][r["protocol"], r["fold"]] = r["rows"][2] / r["rows"][0]
                yield r


def records(paths, method="npt"):
    return (r for r in finished(paths) if r["method"] == method)


def rows(report, file, **where):
    for r in csv.DictReader(open("%s/%s.csv" % (report, file), newline="")):
        if all(r[column] == value for column, value in where.items()):
            yield r


def of_paper(report, dataset, **where):
    """Folds of the methods that the paper has."""
    methods = {r["method"] for r in rows(report, "cells", dataset=dataset) if r["paper"]}
    return [r for r in rows(report, "folds", dataset=dataset, **where) if r["method"] in methods]


def loss(r):
    return r["val"]["nll" if "nll" in r["val"] else "mse_standardised"]


def metric(dataset):
    """By which Table 1 ranks."""
    return {"breast-cancer": "auroc", "kick": "auroc", "income": "auroc", "poker-hand": "accuracy", "forest-cover": "accuracy"}.get(dataset, "rmse")


def table(head, *lines):
    for line in (head, ["---"] * len(head), *lines):
        print("| " + " | ".join(line) + " |")


def with_error(x, digits=2, sign=""):
    return "%%%s.%df ± %%.%df" % (sign, digits, digits) % (statistics.mean(x), statistics.stdev(x) / len(x) ** 0.5)


def of_differences(dataset, x, digits=2):
    """Means of differences over folds have Nadeau and Bengio's standard error, as in package report."""
    return "%+.*f ± %.*f" % (digits, statistics.mean(x), digits, corrected_error(dataset, x))


def corrected_error(dataset, x):
    return statistics.stdev(x) * (1 / len(x) + statistics.mean(shares[dataset].values())) ** 0.5


def with_deviation(x, digits):
    return "%.*f ± %.*f" % (digits, statistics.mean(x), digits, statistics.stdev(x))


def chosen(found):
    """By data set, seed and published fold the record with the lowest loss on validation rows."""
    best = {}
    for r in found:
        if r["protocol"] == "published":
            folds = best.setdefault(r["dataset"], {}).setdefault(r["seed"], {})
            if r["fold"] not in folds or loss(r) < loss(folds[r["fold"]]):
                folds[r["fold"]] = r
    return best


def validation(*paths):
    """Losses on validation rows by learning rate and dropout."""
    losses = {}
    for r in records(paths):
        losses.setdefault((r["config"]["lr"], r["config"]["dropout"]), {})[r["dataset"]] = loss(r)
    best = {d: min(x[d] for x in losses.values()) for d in TITLES}
    mean = {setting: statistics.geometric_mean(x.values()) for setting, x in losses.items()}
    mark = lambda x, least: ("**%.4f**" if x == least else "%.4f") % x
    table(["learning rate", "dropout", *TITLES.values(), "geometric mean"],
          *(["%g" % s[0], "%g" % s[1], *(mark(x[d], best[d]) for d in TITLES), mark(mean[s], min(mean.values()))] for s, x in sorted(losses.items())))


def seeds(report, *paths):
    """The small NPT by seed, and with one setting for all data sets."""
    small = [r for r in records(paths) if r["config"]["layers"] == 2]
    best = chosen(small)
    by = {d: {seed: [r["test"][metric(d)] for r in folds.values()] for seed, folds in best[d].items()} for d in TITLES}
    one = chosen(r for r in small if (r["config"]["lr"], r["config"]["dropout"], r["seed"]) == (0.05, 0, 42))
    digits = {d: DIGITS[metric(d)] for d in TITLES}
    paper = {d: next(rows(report, "cells", dataset=d, protocol="published", method="npt", metric=metric(d)))["paper_printed"] for d in TITLES}
    table(["", *("%s %s" % (title, METRICS[metric(d)]) for d, title in TITLES.items())],
          ["the paper's NPT", *paper.values()],
          *(["seed %d" % seed, *(with_error(by[d][seed], digits[d]) for d in TITLES)] for seed in sorted(by["yacht"])),
          ["mean of the seeds, standard deviation", *(with_deviation([statistics.mean(x) for x in by[d].values()], digits[d] + 1) for d in TITLES)],
          ["one setting, seed 42", *(with_error([r["test"][metric(d)] for r in one[d][42].values()], digits[d]) for d in TITLES)])


def size(r):
    """Of an NPT of published depth and steps, with the seed where it is not the sweeps'."""
    return "NPT, 8 layers, e = %d, %s steps%s%s%s%s%s" % (
        r["config"]["dim_hidden"], format(r["config"]["steps"], ","), "" if r["config"]["p_feature"] else UNMASKED, ALONE if r["config"].get("self_only") else "",
        "" if r["config"]["dropout"] else NO_DROPOUT,
        "" if r["seed"] == 42 else ", seed %d" % r["seed"], GPU if on_gpu(r) else "")


def on_gpu(r):
    return r["provenance"]["backend"].startswith("xla:cuda")


def products_of(r):
    return "bfloat16" if "bfloat16" in r["provenance"]["backend"] else "float32"


def deep(paths, under=(42,)):
    """NPTs of published depth and steps, the narrow ones first."""
    steps = lambda dataset: 10000 if dataset in ("yacht", "concrete") else 2000
    return sorted((r for r in records(paths) if (r["config"]["layers"], r["config"]["steps"]) == (8, steps(r["dataset"])) and r["seed"] in under),
                  key=lambda r: (r["config"]["dim_hidden"], r["config"].get("self_only", False), not r["config"]["p_feature"], r["seed"], r["fold"]))


def widths(paths, protocol, under=(42,)):
    """RMSE on Boston Housing of these by size and fold. The first fold is the same under both protocols."""
    of = collections.defaultdict(dict)
    for r in deep(paths, under):
        if r["dataset"] == "boston-housing" and (r["protocol"] == protocol or r["fold"] == 0):
            of[size(r)][r["fold"]] = r["test"]["rmse"]
    return of


def with_products(paths, of, protocol="published"):
    """The size, and on which folds of Boston Housing products are not of float32."""
    products = {r["fold"]: products_of(r) for r in deep(paths, SEEDS) if size(r) == of and r["dataset"] == "boston-housing" and (r["protocol"] == protocol or r["fold"] == 0)}
    if "bfloat16" not in products.values():
        return of
    return of + ", products of bfloat16" + "".join(", on fold %d of float32" % fold for fold, x in products.items() if x == "float32")


def depth(protocol, report, *paths):
    """RMSE by fold of NPTs on Boston Housing: the mean where all ten are there, differences over the folds that are, if more than two."""
    of = collections.defaultdict(dict)
    for r in rows(report, "folds", dataset="boston-housing", protocol=protocol, method="npt"):
        of[r["title"]][int(r["fold"])] = float(r["test_rmse"])
    wide = {name: x for name, x in widths(paths, protocol, SEEDS).items() if len(x) > 2 and ALONE not in name}
    narrow = next(iter(wide.values()))

    def difference(x):
        return of_differences("boston-housing", [x[f] - narrow[f] for f in x]) + (" (%d folds)" % len(x) if len(x) < 10 else "")

    table(["fold", *map(str, range(10)), "mean", "minus e = 16"],
          *([with_products(paths, name, protocol), *("%.2f" % x[f] if f in x else "–" for f in range(10)), with_error(x.values()) if len(x) == 10 else "–",
             "–" if x is narrow else difference(x)] for name, x in (of | wide).items()))


def fold(numbers, dataset, report, *paths):
    """Results on one fold, or means over several, or "all" ten, with standard errors and the widest NPT's difference from every other method."""
    folds = list(range(10)) if numbers == "all" else [int(n) for n in numbers.split(",")]
    names = [name for name in ("accuracy", "nll", "auroc", "rmse") if any(r["test_" + name] for r in of_paper(report, dataset))]
    tests, trainings = collections.defaultdict(dict), collections.defaultdict(list)
    for r in deep(paths):
        if (r["dataset"], r["protocol"]) == (dataset, "published") and r["fold"] in folds:
            tests[size(r)][r["fold"]] = r["test"]
            trainings[size(r)].append((r["details"]["best_step"], round(r["fit_seconds"] / 60), products_of(r)))
    published = list(tests)[-1]
    for r in of_paper(report, dataset, protocol="published"):
        if int(r["fold"]) in folds:
            tests[r["title"]][int(r["fold"])] = {name: float(r["test_" + name]) for name in names}

    def mean(of, name):
        x = [t[name] for t in of.values()]
        return with_error(x, DIGITS[name]) if len(x) > 1 else "%.*f" % (DIGITS[name], x[0])

    def of_training(name):
        if name not in trainings:
            return "–", "–", "–"
        steps, minutes, products = (sorted(set(x)) for x in zip(*trainings[name]))
        ends = lambda x: " to ".join(str(i) for i in sorted({x[0], x[-1]}))
        return ends(steps), ends(minutes), ", ".join(products)

    def difference(name, of):
        if name == published:
            return "–"
        x = [tests[published][f][names[-1]] - of[f][names[-1]] for f in folds]
        return "%s (%.2f)" % (of_differences(dataset, x, DIGITS[names[-1]]), statistics.mean(x) / corrected_error(dataset, x))

    head, of_paper_npt = "published fold %s" % numbers, []
    if len(folds) > 1:
        head = "ten published folds" if numbers == "all" else "published folds " + numbers.replace(",", ", ")
        printed = {r["metric"]: r["paper_printed"] for r in rows(report, "cells", dataset=dataset, protocol="published", method="npt")}
        of_paper_npt = [["the paper's NPT" + ("" if numbers == "all" else ", ten folds"), *(printed[name] for name in names), "–", "–", "–", "–"]]
    by = "nll" if "nll" in names else "rmse"
    complete = [(name, of) for name, of in tests.items() if len(of) == len(folds)]
    table([head, *map(METRICS.get, names), *(["the 8 layers minus this, %s (in standard errors)" % METRICS[names[-1]]] if len(folds) > 1 else []),
           "step that validation chose", "minutes of training", "products"],
          *of_paper_npt, *([name, *(mean(of, m) for m in names), *([difference(name, of)] if len(folds) > 1 else []), *of_training(name)]
            for name, of in sorted(complete, key=lambda item: statistics.mean(t[by] for t in item[1].values()))))


def times(protocol, *paths):
    """How long trainings took on each fold, and which step validation chose."""
    trainings = sorted((r for r in records(paths) if r["protocol"] == protocol), key=lambda r: r["fold"])
    minutes = lambda seconds: "%.0f" % (seconds / 60) if seconds else "–"
    table(["fold", *("%d" % r["fold"] for r in trainings)],
          ["step that validation chose", *("%d" % r["details"]["best_step"] for r in trainings)],
          ["minutes by the clock", *(minutes(r["fit_seconds"]) for r in trainings)],
          ["minutes of processor time", *(minutes(r.get("processor_seconds")) for r in trainings)])


def without(number, report, *paths):
    """Errors on Boston Housing with and without fold N, and by true cross-validation, beside the paper's."""
    paper, by, true = (collections.defaultdict(dict) for _ in range(3))
    for r in rows(report, "cells", dataset="boston-housing", protocol="published", metric="rmse"):
        paper[r["method"]] = r["paper_printed"]
    for r in csv.DictReader(open("results/paper/table05_ablation.csv", newline="")):
        if (r["dataset"], r["method"]) == ("boston-housing", "NPT without feature masking"):
            paper["npt" + UNMASKED] = "%s ± %s" % (r["mean"], r["stderr"])
    for r in of_paper(report, "boston-housing"):
        (by if r["protocol"] == "published" else true)[r["method"], r["title"]][int(r["fold"])] = float(r["test_rmse"])
    for folds, protocol in (by, "published"), (true, "corrected"):
        folds |= {("npt", name): x for name, x in widths(paths, protocol).items()}
    whole = [name for name, x in by.items() if len(x) == 10]
    npt = "npt", next(iter(widths(paths, "published")))
    rest = lambda x: {f: e for f, e in x.items() if f != int(number)}
    paired = lambda x, y: "–" if x is y else of_differences("boston-housing", [x[f] - y[f] for f in x])
    of_true = lambda name: (with_error(true[name].values()), paired(true[name], true[npt])) if len(true[name]) == 10 else ("–", "–")
    minus = "minus NPT's, e = 16"
    table(["RMSE", "paper", "ten folds", "fold %s" % number, "next largest", "without fold %s" % number, minus, "corrected folds", minus],
          *([with_products(paths, name[1]), paper[name[0] + (UNMASKED if name[1].endswith(UNMASKED) else "")], with_error(x.values()), "%.2f" % x[int(number)], "%.2f" % max(rest(x).values()),
             with_error(rest(x).values()), paired(rest(x), rest(by[npt])) if name != npt else "–", *of_true(name)] for name, x in ((name, by[name]) for name in whole)))


def bounds(*published):
    """The largest error that one of ten folds can have (Samuelson's inequality), whichever deviation is meant and however the numbers were rounded."""
    highest = lambda printed: float(printed) + 0.5 / 10 ** len(printed.partition(".")[2])
    lines = []
    for r in (r for path in published for r in csv.DictReader(open(path, newline=""))):
        if r["dataset"] != "boston-housing" or r["table"] == "12" and r["method"] != "NPT":
            continue
        if r["metric"] == "mse":
            lines.append((r["method"], "MSE %s, deviation %s" % (r["mean"], r["stddev"]), (highest(r["mean"]) + 3 * highest(r["stddev"])) ** 0.5))
        else:
            lines.append((r["method"], "RMSE %s ± %s" % (r["mean"], r["stderr"]), highest(r["mean"]) + 3 * 10 ** 0.5 * highest(r["stderr"])))
    table(["the paper's NPT on Boston Housing", "error", "no fold has an RMSE above"], *([name, error, "%.2f" % most] for name, error, most in sorted(lines, key=lambda x: x[2])))


def squares(report, printed, *paths):
    """Means and deviations over ten folds, as in the paper those of the sample for NPT and of the population for baselines."""
    of = collections.defaultdict(lambda: collections.defaultdict(list))
    for r in of_paper(report, "boston-housing"):
        of[r["method"], r["title"]][r["protocol"]].append(float(r["test_mse"]))
    for protocol in "published", "corrected":
        for name, x in ((n, x) for n, x in widths(paths, protocol, SEEDS).items() if ALONE not in n):
            of["npt", name][protocol] = [rmse ** 2 for rmse in x.values()]
    paper = {r["method"]: "%s, %s" % (r["mean"], r["stddev"]) for r in csv.DictReader(open(printed, newline="")) if r["dataset"] == "boston-housing"}
    lines = []
    for (method, name), folds in of.items():
        deviation = statistics.stdev if method == "npt" else statistics.pstdev
        if 10 in map(len, folds.values()):
            lines.append([name, "–" if name.endswith(UNMASKED) else paper["NPT" if method == "npt" else name],
                          *("%.1f, %.1f" % (statistics.mean(x), deviation(x)) if len(x) == 10 else "–" for x in (folds["published"], folds["corrected"]))])
    table(["MSE on Boston Housing, mean and deviation over ten folds", "the paper's", "published folds", "corrected folds"], *lines)


def below(limit, number, *paths):
    """Cells of each method below an error on fold N of Boston Housing."""
    errors = collections.defaultdict(dict)
    for r in finished(paths):
        if (r["dataset"], r["protocol"], r["fold"]) == ("boston-housing", "published", int(number)):
            c = r["config"]
            of = ", %d layers%s%s" % (c["layers"], "" if c["p_feature"] else UNMASKED, ", self only" if c.get("self_only") else "") if "layers" in c else ""
            errors[r["method"] + of][r["id"]] = r["test"]["rmse"]
    table(["published fold %s" % number, "cells", "with an RMSE below %s" % limit, "lowest"],
          *([method, "%d" % len(x), "%d" % sum(rmse < float(limit) for rmse in x.values()), "%.2f" % min(x.values())] for method, x in sorted(errors.items())))


def luck(limit, *paths):
    """What networks come to under several seeds, all targets masked."""
    by = {}
    for r in finished(paths):
        c = r["config"]
        if (r["dataset"], r["protocol"], r["fold"], c["p_target"]) == ("boston-housing", "published", 3, 1):
            name = "%d layers, e = %d, %s" % (c["layers"], c["dim_hidden"], "features masked" if c["p_feature"] else "no features masked")
            one = r["test"]["rmse"], loss(r)
            if by.setdefault(name, {}).setdefault(r["seed"], one) != one:
                raise ValueError("several networks of %s under seed %d" % (name, r["seed"]))
    lines = []
    for name, found in sorted(by.items()):
        errors, losses = zip(*found.values())
        lines.append([name, "%d" % len(errors), "%d" % sum(rmse < float(limit) for rmse in errors), *("%.2f" % f(errors) for f in (min, statistics.median, max)),
                      "%.3f" % statistics.median(losses)])
    table(["NPT on published fold 3", "seeds", "with an RMSE below %s" % limit, "lowest", "median", "highest", "validation loss, median"], *lines)


def worst(number, limit, *paths):
    """Predictions of the test rows with the largest errors over all methods."""
    by = {METHODS.get(r["method"], "NPT, e = 16, %s" % r.get("variant")): r["table"]["lines"] for r in finished(paths, "predictions") if r["seed"] == 42}
    squares = {name: [(target - prediction) ** 2 for _, target, prediction in lines] for name, lines in by.items()}
    total = [sum(row) for row in zip(*squares.values())]
    rows = sorted(range(len(total)), key=total.__getitem__)[-int(number):]
    lines = []
    for name, x in sorted(squares.items(), key=lambda item: sum(item[1])):
        rest = [e for i, e in enumerate(x) if i not in rows]
        off = ((len(x) * float(limit) ** 2 - sum(rest)) / len(rows)) ** 0.5  # of each
        lines.append([name, *("%.1f" % by[name][i][2] for i in rows), "%.0f %%" % (100 - 100 * sum(rest) / sum(x)), "%.2f" % statistics.mean(x) ** 0.5,
                      "%.2f" % statistics.mean(rest) ** 0.5, "%.1f" % (by[name][rows[0]][1] - off)])
    table(["", *("prediction of %.1f" % next(iter(by.values()))[i][1] for i in rows), "share of these rows in the squared error", "RMSE", "without them",
           "RMSE %s if both were" % limit], *lines)


def eight(number, *paths):
    """The paper's variants of NPT on one published fold, the best by validation first."""
    on_fold(number, paths, lambda c: not c.get("self_only") and (c["steps"] == 20000) == (c["p_target"] == 0.1))


def tenth(number, *paths):
    """The one that masks a tenth of the targets, and its controls: self-only networks, and other steps."""
    on_fold(number, paths, lambda c: c["p_target"] == 0.1 or c["steps"] == 20000 or c.get("self_only"), SEEDS)


def on_fold(number, paths, wanted, seeds=(42,)):
    corrupted = {(r["variant"], r["seed"]): r for r in finished(paths, "corruption")}
    lines = []
    for r in sorted(records(paths), key=loss):
        if (r["dataset"], r["fold"], r["protocol"]) == ("boston-housing", int(number), "published") and r["seed"] in seeds and wanted(r["config"]):
            name = r.get("variant", "base")
            change = corrupted.get((name, r["seed"]), {}).get("test")
            lines.append([name + ("" if r["seed"] == 42 else ", seed %d" % r["seed"]), "%d" % r["config"]["steps"], "%d" % r["details"]["best_step"], "%.4f" % loss(r), "%.2f ± %.2f" % (r["test"]["rmse"], r["test"]["rmse_se"]),
                          "%.2f (%+.0f ± %.0f %%)" % (change["corrupted_rmse"], -change["rmse_change"], change["rmse_change_se"]) if change else "–"])
    table(["NPT, e = 16", "steps", "weights of step", "validation loss", "RMSE", "when other rows are corrupted"], *lines)


def compare(first, second, by_what, pairs):
    by = {}
    for old, new in pairs:
        for name in METRICS:
            if name in new["test"]:
                by.setdefault((new["dataset"], name), []).append((old["test"][name], new["test"][name]))
    table(["", first, second, by_what],
          *(["%s %s" % (TITLES[d], METRICS[name]), with_error([x for x, _ in both], DIGITS[name]), with_error([x for _, x in both], DIGITS[name]),
             with_error([new - old for old, new in both], DIGITS[name], "+")] for (d, name), both in sorted(by.items())))


def precisions(*paths):
    """Bfloat16 beside float32."""
    by = {}
    for r in records(paths):
        by.setdefault((r["dataset"], r["seed"], r["fold"]), {})[r["config"]["precision"]] = r
    compare("float32", "bfloat16", "fold by fold", [(both["float32"], both["bfloat16"]) for both in by.values() if len(both) == 2])


def products(old, new):
    """The same cells in two files."""
    before = {r["id"]: r for r in records([old])}
    compare("float32, our records", "products of bfloat16", "fit by fit", [(before[r["id"]], r) for r in records([new]) if r["id"] in before])


def pilot(*paths):
    """Settings that were tried on the lookup task."""
    tried = [(r["details"]["validation_loss"], loss(r), r["config"]) for r in records(paths) if r["dataset"] == "lookup-random-add-one" and r["seed"] == 42]
    table(["e", "heads", "batch", "rate", "constant for", "steps", "lowest while it trains", "of the model"],
          *(["%d" % c["dim_hidden"], "%d" % c["heads"], "%d" % c["batch_size"], "%g" % c["lr"], "{:,.0f}".format(c["flat_share"] * c["steps"]),
             "{:,}".format(c["steps"]), "%.1e" % lowest, "%.1e" % after] for lowest, after, c in sorted(tried, key=lambda t: -t[0])))


def lookup(*paths):
    """NPT on the forms of the lookup task by seed."""
    paper = {r["dataset"]: float(r["mean"]) for r in csv.DictReader(open("results/paper/table03_lookup.csv", newline="")) if (r["method"], r["metric"]) == ("NPT", "rmse")}
    found = collections.defaultdict(dict)
    for r in records(paths):
        c = r["config"]
        found[c["dim_hidden"], c["steps"], r["dataset"]][r["seed"]] = r["test"]
    seeds = sorted({seed for of in found.values() for seed in of})
    table(["", "e", "steps", *("seed %d" % seed for seed in seeds), "mean RMSE in % of the paper's"],
          *([title, "%d" % e, "{:,}".format(steps), *("r = %.5f, RMSE %.3f" % (of[seed]["correlation"], of[seed]["rmse"]) if seed in of else "–" for seed in seeds),
             "%.0f" % (100 * statistics.mean(t["rmse"] for t in of.values()) / paper[form]) if len(of) == len(seeds) else "–"]
            for (e, steps, form), of, title in sorted(((key, of, FORMS[key[2]]) for key, of in found.items()), key=lambda x: (x[0][:2], list(FORMS).index(x[0][2])))))


def largest(number, *paths):
    """How much of NPT's error on the lookup task is that of N rows."""
    found = {(r["dataset"], r["seed"]): sorted((a - b) ** 2 for _, a, b in r["table"]["lines"]) for r in finished(paths, "predictions")}
    table(["", "seed", "test rows", "RMSE", "share of the %s largest squared errors" % number, "RMSE without them"],
          *([title, "%d" % seed, "{:,}".format(len(x)), "%.3f" % statistics.mean(x) ** 0.5, "%.0f %%" % (100 * sum(x[-int(number):]) / sum(x)),
             "%.3f" % statistics.mean(x[:-int(number)]) ** 0.5] for form, title in FORMS.items() for (of, seed), x in sorted(found.items()) if of == form))


def changes(report, *paths):
    """RMSE of the unchanged network, and of variants minus that on the same folds, by seed and of each fold's mean over seeds, with the error of
    these over folds, in which seeds are, too, since each fold has its own; the deviation over seeds of the changes and of the variants' own means;
    and what the paper's tables have."""
    paper = collections.defaultdict(list)
    for r in rows(report, "ablation", metric="rmse_change"):
        if r["paper"]:
            paper[r["dataset"], r["variant"]].append("%+.2f ± %.2f" % (float(r["paper"]), float(r["paper_stderr"])))
    of = collections.defaultdict(dict)
    for r in records(paths):
        if not r["variant"].startswith("Self only"):  # of which the table of others tells
            of[r["dataset"], r["variant"], r["seed"]][r["fold"]] = r["test"]["rmse"]
    seeds = sorted({seed for _, _, seed in of})
    lines = []
    for dataset, variant in sorted({(dataset, variant) for dataset, variant, _ in of}, key=lambda x: (x[0], x[1] != "Base", x[1])):
        own = [of[dataset, variant, seed] for seed in seeds]
        means = [statistics.mean(x.values()) for x in own]
        deviation = "%.2f" % statistics.stdev(means)
        if variant == "Base":
            lines.append([TITLES[dataset], "unchanged, its RMSE", *("%.2f" % x for x in means), "%.3f" % statistics.mean(means), deviation, "–"])
            continue
        changes = [[x[fold] - base[fold] for fold in sorted(x)] for x, base in zip(own, (of[dataset, "Base", seed] for seed in seeds))]
        mean = [statistics.mean(x) for x in changes]
        error = corrected_error(dataset, [statistics.mean(of) for of in zip(*changes)])
        lines.append([TITLES[dataset], variant, *("%+.2f" % x for x in mean), "%+.3f ± %.3f" % (statistics.mean(mean), error),
                      "%.2f, %s" % (statistics.stdev(mean), deviation), "; ".join(dict.fromkeys(paper[dataset, variant])) or "–"])
    table(["", "change of RMSE", *("seed %d" % seed for seed in seeds), "mean", "deviations over seeds", "the paper's"], *lines)


def ablated(report):
    """What each variant changes on Protein, beside the paper's change, which has no error."""
    table(["change of RMSE", "ours", "the paper's"], *(
        [r["variant"], "%+.2f ± %.2f" % (float(r["mean"]), float(r["stderr"])), "%+.2f" % float(r["paper"])]
        for r in rows(report, "ablation", dataset="protein", experiment="ablation/settings", metric="rmse_change")))


def parts(report):
    """Without masking of features and without layers between attributes, the paper's in parentheses: of its Table 5, and of Table 4 what that has not."""
    variants = {"Base": "unchanged", "No feature masking": "no feature masking", "No ABA": "no ABA"}
    of = collections.defaultdict(dict)
    for experiment in ("ablation/table4", "ablation/table5"):
        for r in rows(report, "ablation", experiment=experiment):
            if r["metric"] == metric(r["dataset"]) and r["variant"] in variants:
                digits = 1 if r["metric"] == "accuracy" else DIGITS[r["metric"]]
                of[r["dataset"]][r["variant"]] = "%.*f (%.*f)" % (digits, float(r["mean"]), digits, float(r["paper"]))
    table(["", *variants.values()], *(["%s, %s" % (DATASETS[d], METRICS[metric(d)]), *(of[d].get(v, "–") for v in variants)] for d in DATASETS if d in of))


def heads(*paths):
    """How much of its attention each head gives to the nearest rows, beside what uniform attention would."""
    lines = []
    for r in finished(paths, "attention"):
        name = DATASETS[r["dataset"]] + (", targets in sight" if r.get("variant") else ", all targets masked" if r["config"]["p_target"] == 1 else "")
        layers = collections.defaultdict(list)
        for layer, _, share, error, uniform in r["table"]["lines"]:
            layers[layer].append("%.2f (%+.1f)" % (share / uniform, (share - uniform) / error))
        lines += [[name, place, *layers[layer]] for place, layer in zip(("first", "second"), sorted(layers))]
    table(["", "layer between rows", "head 1", "head 2", "head 3", "head 4"], *sorted(lines))


def deleted(report):
    """Which rows are left when other rows are deleted for as long as a prediction stays near, of the experiment deletion."""
    found, nearer, by_number = collections.defaultdict(dict), collections.Counter(), collections.Counter()
    for r in rows(report, "deletion"):
        variant, _, measured = r["variant"].rpartition("deletion, ")
        found[variant.rstrip(", ") or "all targets masked", "second" if "remaining" in measured else "first"][r["metric"]] = float(r["mean"]), float(r["stderr"] or "nan")
    for r in rows(report, "deletion-rows"):
        of = r["variant"] or "all targets masked", "second" if "remaining" in r["measure"] else "first"
        nearer[of] += float(r["kept_distance"]) < float(r["random_distance"])
        by_number[of] += float(r["random_distance"]) < float(r["deleted_distance"])
    table(["", "version", "distance of rows kept", "random minus kept", "log10 p", "kept nearer than random for", "random nearer than deleted for"], *(
        [variant, version, *("%.1f ± %.1f" % of[name] for name in ("kept_distance", "kept_nearer")), "%.1f" % of["log10_p_random"][0],
         "%d" % nearer[variant, version], "%d" % by_number[variant, version]] for (variant, version), of in found.items()))


def costs(report):
    """What searches over settings on Protein cost, beside the paper's."""

    def time(seconds, roughly=False):
        minutes = round(float(seconds) / 60)
        return "≈ %d h" % round(minutes / 60) if roughly else "%d h %d min" % divmod(minutes, 60) if minutes >= 60 else "%d min" % minutes if minutes else "%d s" % round(float(seconds))

    of = collections.defaultdict(dict)
    for r in rows(report, "cost", dataset="protein"):
        of[r["title"]][r["metric"]] = r
    lines = []
    for title, x in of.items():
        core = x["core_seconds"]
        lines.append([title, time(core["mean"], core["verdict"] == "extrapolated"), time(core["paper"]),
                      "%.2f GB" % float(x["peak_memory_gb"]["mean"]), "%.2f GB" % float(x["peak_memory_gb"]["paper"])])
    table(["Protein", "core time", "the paper's", "memory", "the paper's"], *lines)


def protein(*paths):
    """Settings that were tried on Protein."""
    tried = sorted((r["val"]["rmse"], r["config"], r["details"]["best_step"]) for r in records(paths) if r["dataset"] == "protein")
    table(["targets masked", "dropout", "steps", "lowest loss after", "RMSE on validation rows"],
          *([{1: "all", 0.5: "half"}[c["p_target"]], "%g" % c["dropout"], "{:,}".format(c["steps"]), "{:,}".format(step), "%.2f" % rmse] for rmse, c, step in reversed(tried)))


def controls(*reports):
    """Errors on test rows, and how many standard errors NPT's mean loss with other rows corrupted, and that of a control, is above NPT's."""
    variants = {"": "NPT", "self only": "self-only", "without ABD": "without ABD"}
    lines = []
    for report in reports:
        shown, losses = {}, {}
        for r in rows(report, "corruption", method="npt"):
            name = r["metric"].removeprefix("clean_")
            if r["metric"] in ("clean_rmse", "clean_accuracy"):
                variant = r["variant"].rpartition("corruption")[0].rstrip(", ")
                shown.setdefault((r["dataset"], name), {})[variant] = "%.*f" % (DIGITS[name], float(r["mean"]))
        for r in rows(report, "corruption-rows", method="npt"):
            target, clean, corrupted = (float(r[of]) for of in ("target", "clean", "corrupted"))
            losses.setdefault((r["dataset"], r["variant"]), {})[r["test_row"]] = (target, clean)
            if r["variant"] == "":
                losses.setdefault((r["dataset"], "corrupted"), {})[r["test_row"]] = (target, corrupted)
        for (dataset, name), of in shown.items():
            if "self only" not in of:
                continue
            loss = (lambda target, clean: (target - clean) ** 2) if name == "rmse" else (lambda target, clean: -math.log(clean))
            above = []
            for control in ("corrupted", "self only", "without ABD"):
                base, other = losses[dataset, ""], losses[dataset, control]
                d = [loss(*other[row]) - loss(*base[row]) for row in base]
                above.append("%+.1f" % (statistics.mean(d) / (statistics.stdev(d) / len(d) ** 0.5)))
            lines.append(["%s, %s" % (DATASETS[dataset], METRICS[name]), *(of[v] for v in variants), *above])
    table(["", *variants.values(), "others corrupted, in errors", "self-only, in errors", "without ABD, in errors"], *lines)


def alone(*paths):
    """NPT and the network whose rows attend to themselves alone, with all targets masked and with those of training rows in sight, by seed.
    Errors are over test rows, that of a difference over the same rows; those of means over seeds, those of the mean change and the mean difference over both."""
    kinds = collections.defaultdict(dict)
    for r in finished(paths, "corruption"):
        c = r["config"]
        if r["dataset"] == "protein" and c.get("abd", True):
            kinds[c["p_target"] < 1, r["seed"]]["alone" if c.get("self_only") else "npt"] = r
    rmse = lambda r, which="clean": "%.2f ± %.2f" % (r["test"][which + "_rmse"], r["test"][which + "_rmse_se"])
    lines = []
    for sight in (False, True):
        seeds = {seed: of for (s, seed), of in sorted(kinds.items()) if s == sight}
        name = "targets in sight" if sight else "all targets masked"
        for seed, of in seeds.items():
            npt = of["npt"]
            lines.append(["%s, seed %d" % (name, seed), rmse(npt), rmse(npt, "corrupted"), "%+.1f ± %.1f" % (-npt["test"]["rmse_change"], npt["test"]["rmse_change_se"]),
                          rmse(of["alone"]), "%+.3f ± %.3f" % larger([(of["npt"], of["alone"])])])
        means = lambda value, digits, sign="": with_error([value(of) for of in seeds.values()], digits, sign)
        lines.append([name + ", mean of the seeds", means(lambda of: of["npt"]["test"]["clean_rmse"], 3), means(lambda of: of["npt"]["test"]["corrupted_rmse"], 2),
                      "%+.1f ± %.1f" % over_rows_and_seeds([(-of["npt"]["test"]["rmse_change"], of["npt"]["test"]["rmse_change_se"]) for of in seeds.values()]), means(lambda of: of["alone"]["test"]["clean_rmse"], 3), "%+.3f ± %.3f" % larger([(of["npt"], of["alone"]) for of in seeds.values()])])
    table(["", "NPT, RMSE", "other rows corrupted", "worse by, %", "self-only, RMSE", "worse by"], *lines)


def larger(pairs):
    """By how much the RMSE of the second of two networks is larger on the same test rows, as a mean over seeds, and its error over rows and
    seeds."""
    differences, over_rows = by_rows(pairs)
    return statistics.mean(differences), math.hypot(over_rows, over_seeds(differences))


def by_rows(pairs, relative=False):
    """By how much the RMSE of the second of two networks is larger on the same test rows, by seed, or relative by how many percent, and the
    error over rows of the mean: that of the increase of the squared errors, in this unit."""
    parts, differences = collections.defaultdict(list), []
    for pair in pairs:
        squares = [{row: (target - clean) ** 2 for row, target, clean, *_ in r["table"]["lines"]} for r in pair]
        roots = [statistics.mean(x.values()) ** 0.5 for x in squares]
        unit = 100 / roots[0] if relative else 1
        differences.append(unit * (roots[1] - roots[0]))
        for row in squares[0]:
            parts[row].append(unit * (squares[1][row] - squares[0][row]) / sum(roots))
    return differences, statistics.stdev(map(statistics.mean, parts.values())) / len(parts) ** 0.5


def over_rows_and_seeds(x):
    """The mean over seeds, and its error, of values with errors over the same test rows."""
    return statistics.mean(v for v, _ in x), math.hypot(statistics.mean(e for _, e in x), over_seeds([v for v, _ in x]))


def over_seeds(x):
    return statistics.stdev(x) / len(x) ** 0.5 if len(x) > 1 else 0


def narrow(*paths):
    """RMSE by true cross-validation of NPT of published depth and an eighth of the width, and with rows that attend to themselves alone, on the
    folds that both have, by seed, and of the means over seeds on each fold."""
    lines, by_fold = [], collections.defaultdict(list)
    for seed, note in *((seed, "") for seed in SEEDS), (42, NO_DROPOUT):
        npt, alone = (widths(paths, "corrected", (seed,)).get("NPT, 8 layers, e = 16, 2,000 steps%s%s%s" % (kind, note, "" if seed == 42 else ", seed %d" % seed), {}) for kind in ("", ALONE))
        both = sorted(npt.keys() & alone.keys())
        if len(both) > 2:
            differences = [alone[f] - npt[f] for f in both]
            for fold, d in zip(both, differences):
                if not note:
                    by_fold[fold].append((npt[fold], alone[fold], d))
            lines.append(["seed %d%s" % (seed, " without dropout" if note else ""), "%d" % len(both), with_error([npt[f] for f in both]), with_error([alone[f] for f in both]), of_differences("boston-housing", differences),
                          "%d" % sum(d > 0 for d in differences)])
    npt, alone, differences = zip(*([statistics.mean(x) for x in zip(*of)] for of in by_fold.values()))
    lines.append(["mean of the seeds", "%d" % len(npt), with_error(npt), with_error(alone), of_differences("boston-housing", differences), "%d" % sum(d > 0 for d in differences)])
    table(["corrected folds", "folds", "NPT, RMSE", "self-only, RMSE", "worse by", "NPT better on"], *lines)


def needed(sweep, *paths):
    """NPT of the paper's depth by true cross-validation, with rows that attend to themselves alone, and with all other rows corrupted."""
    of, width = collections.defaultdict(lambda: collections.defaultdict(dict)), {}
    for measure in (None, "corruption"):
        for r in finished(paths, measure):
            if (r["sweep"], r["seed"]) == (sweep, 42):
                width[r["dataset"]] = r["config"]["dim_hidden"]
                for name, x in r["test"].items():
                    of[r["dataset"], name][r.get("variant")][r["fold"]] = x
    lines = []
    for dataset, name, (variant, control, note) in ((d, m, pair) for d in TITLES for m in METRICS for pair in ((None, "self only", ""), ("no dropout", "self only, no dropout", NO_DROPOUT))):
        npt, alone, corrupted = of[dataset, name][variant], of[dataset, name][control], of[dataset, "corrupted_" + name][variant]
        if not npt.keys() & alone.keys():
            continue
        if name == "nll":
            corrupted = {fold: npt[fold] - x for fold, x in of[dataset, "nll_change"][variant].items()}
        folds, digits = sorted(npt.keys() & alone.keys()), DIGITS[name]
        means = lambda x: with_error([x[fold] for fold in folds], digits)
        differences = lambda x: [x[fold] - npt[fold] for fold in folds]

        def without_one(x):
            """From where to where the mean difference goes when any one fold is left out."""
            all = differences(x)
            return " to ".join("%+.*f" % (digits, of((sum(all) - d) / (len(all) - 1) for d in all)) for of in (min, max))

        def beside(x):
            """The mean, by how much it is above NPT's, and on how many folds NPT is better, of those where the two differ."""
            apart = [d for d in differences(x) if d]
            return means(x), of_differences(dataset, differences(x), digits), "%d of %d" % (sum((d > 0) == (name in ("rmse", "nll")) for d in apart), len(apart))

        lines.append(["%s, e = %d, %s%s" % (TITLES[dataset], width[dataset], METRICS[name], note), means(npt), *beside(alone), without_one(alone),
                      *(beside(corrupted) if corrupted else "–––")])
    table(["ten corrected folds", "NPT", "self-only", "minus NPT", "NPT better on", "minus NPT without one fold", "others corrupted", "minus NPT", "NPT better on"], *lines)


NO_FEATURES = "No feature masking, all targets masked"
TENTH = "Label Mask 0.10"

# Networks by data set: the files of their records, the variants of NPT there, and that of the control.
ASKED = (
    ("protein", ("corruption-cpu",), ("",), "self only"),
    ("protein", ("corruption-cpu",), ("targets in sight",), "targets in sight, self only"),
    ("protein", ("ablation-cpu",), ("Base",), "Self only"),
    ("boston-housing", ("gpu/corruption-full",), ("",), "self only"),
    ("boston-housing", ("npt-narrow", "boston-self-only"), ("", "Base"), "Self only"),
    ("boston-housing", ("boston-self-only",), ("No dropout",), "Self only, no dropout"),
    ("boston-housing", ("gpu/corruption-paper",), ("",), None),
    ("boston-housing", ("boston-fourth-fold",), (TENTH,), TENTH + ", self only"),
    ("boston-housing", ("boston-fourth-fold",), (TENTH + ", 2,000 steps",), TENTH + ", 2,000 steps, self only"),
    ("boston-housing", ("npt-narrow", "boston-unmasked", "boston-fourth-fold"), ("", "base"), "base, self only"),
    ("boston-housing", ("boston-fourth-fold",), ("base, 20,000 steps",), "base, 20,000 steps, self only"),
    ("boston-housing", ("corruption-quick",), ("",), "self only"),
    ("boston-housing", ("ablation-quick",), ("Base",), "Self only"),
    ("yacht", ("gpu/corruption-paper", "yacht-full"), ("",), "self only"),
    ("yacht", ("yacht-self-only",), ("",), "self only"),
    ("yacht", ("yacht-self-only",), ("no dropout",), "self only, no dropout"),
    ("yacht", ("yacht-self-only",), ("20,000 steps",), "self only, 20,000 steps"),
    ("yacht", ("corruption-quick",), ("",), "self only"),
    ("yacht", ("ablation-quick",), ("Base",), "Self only"),
    ("concrete", ("gpu/corruption-paper",), ("",), None),
    ("concrete", ("corruption-quick",), ("",), "self only"),
    ("concrete", ("ablation-cpu",), ("Base",), "Self only"),
    ("breast-cancer", ("gpu/corruption-full",), ("",), "self only"),
    ("breast-cancer", ("gpu/corruption-paper",), ("",), None),
    ("breast-cancer", ("corruption-quick",), ("",), "self only"),
    ("breast-cancer", ("ablation-cpu",), ("Base",), "Self only"),
    ("kick", ("ablation-cpu", "corruption-cpu"), ("", "Base"), "Self only"),
    ("income", ("ablation-cpu", "corruption-cpu"), ("", "Base"), "Self only"),
    ("poker-hand", ("ablation-cpu", "corruption-cpu"), ("", "Base"), "Self only"),
    ("poker-hand", ("ablation-cpu",), (NO_FEATURES,), "Self only, n" + NO_FEATURES[1:]),
    ("forest-cover", ("ablation-cpu", "corruption-cpu"), ("", "Base"), "Self only"),
    ("forest-cover", ("ablation-cpu",), (NO_FEATURES,), "Self only, n" + NO_FEATURES[1:]),
)


def otherrows():
    """How much worse NPT is when other rows are corrupted, and how much worse the network whose rows attend to themselves alone: in percent of
    NPT's RMSE, or in points of accuracy. Of several folds errors are those of differences over them, each fold a mean over seeds, of which each
    fold has its own; of one fold they are over test rows, and that of several seeds' means is added."""
    paper = {r["dataset"]: r["mean"].lstrip("-") for r in csv.DictReader(open("results/paper/table02_corruption.csv", newline=""))}
    lines = []
    for dataset, files, variants, control in ASKED:
        name = "rmse" if metric(dataset) == "rmse" else "accuracy"
        paths = ["results/published/%s.jsonl.gz" % file for file in files]

        def of(wanted, measure):
            """Results by fold and seed."""
            found = collections.defaultdict(dict)
            for r in finished(paths, measure):
                if (r["dataset"], r["method"]) == (dataset, "npt") and r.get("variant", "") in wanted:
                    found[r["protocol"], r["fold"]][r["seed"]] = r
            return found

        def worse(npt, others, before, after, error):
            """By how much, with the error of the mean over several folds, or of one as error gives it and over seeds."""
            seeds = sorted(set.intersection(*(npt[fold].keys() & others[fold].keys() for fold in npt if fold in others)) if npt.keys() & others.keys() else ())
            pairs = [[(npt[fold][seed], others[fold][seed]) for seed in seeds] for fold in npt if fold in others]
            assert not others.keys() - npt.keys() and not any(of.keys() - set(seeds) for of in others.values()), "%s: %s has folds or seeds that NPT lacks" % (dataset, control)
            if not any(pairs):
                return "–"
            unit = 100 / statistics.mean(a["test"][before] for of in pairs for a, _ in of) if name == "rmse" else -1
            differences = [[unit * (b["test"][after] - a["test"][before]) for a, b in of] for of in pairs]
            over_folds = list(map(statistics.mean, differences))
            mean = statistics.mean(over_folds)
            if len(pairs) == 1:
                stdErr = math.hypot(error(pairs[0], abs(unit)), over_seeds(differences[0]))
            elif name == "rmse":  # of a ratio, to first order
                stdErr = corrected_error(dataset, [x - mean * (unit / 100 * statistics.mean(a["test"][before] for a, _ in of) - 1) for x, of in zip(over_folds, pairs)])
            else:
                stdErr = corrected_error(dataset, over_folds)
            return ("%+.1f ± %.1f" if name == "rmse" else "%+.2f ± %.2f") % (mean, stdErr)

        trained, measured, alone = of(variants, None), of(variants, "corruption"), of((control,), None)
        on_rows = of((control,), "corruption")  # predictions of every test row
        predicted, alone_predicted = of(variants, "predictions"), of((control,), "predictions")
        seeds = {seed for of_fold in (alone or on_rows).values() for seed in of_fold}
        for results in (trained, measured, predicted) if seeds else ():  # of NPT the seeds that both networks have
            for fold, of_fold in results.items():
                results[fold] = {seed: r for seed, r in of_fold.items() if seed in seeds}
        if len(on_rows) == 1 and name == "rmse" and measured:
            above = worse(measured, on_rows, "clean_rmse", "clean_rmse", lambda pairs, _: by_rows(pairs, relative=True)[1])
        elif len(alone_predicted) == 1 and predicted:
            same = [(predicted[fold][seed], r) for fold, of_fold in alone_predicted.items() for seed, r in of_fold.items()]
            above = worse(trained, alone, name, name, lambda *_: by_rows(same, relative=True)[1])
        else:
            above = worse(trained, alone, name, name, lambda pairs, unit: unit * statistics.mean(math.hypot(*(r["test"][name + "_se"] for r in pair)) for pair in pairs))
        corrupted = worse(measured, measured, "clean_" + name, "corrupted_" + name, lambda pairs, _: statistics.mean(r["test"][name + "_change_se"] for r, _ in pairs))
        found = max(trained, measured, key=lambda of: sum(map(len, of.values())))  # of Protein one seed's training is in another file
        all = [r for fold in alone or found for r in found[fold].values()]
        c, folds = all[0]["config"], "%d" % len(alone or found)
        if list(alone or found) == [("published", 3)]:
            folds += ", published fold 3"
        elif folds == "10" and not any(protocol == "corrected" for protocol, _ in found):
            folds += ", published"
        own = statistics.mean(r["test"][name if found is trained else "clean_" + name] for r in all)
        lines.append(["%s, %d layers, e = %d%s" % (DATASETS[dataset], c["layers"], c["dim_hidden"], {"no dropout": NO_DROPOUT, "20,000 steps": ", 20,000 steps", "base, 20,000 steps": ", 20,000 steps", TENTH.lower(): ", 20,000 steps"}.get(variants[0].lower(), "")),
                      "%.2f" % own if name == "rmse" else "%.1f %%" % own, "yes" if c["p_target"] < 1 else "no", folds, "%d" % min(len(x) for x in (alone or found).values()),
                      corrupted, paper[dataset] if corrupted != "–" else "–", above])
    table(["", "NPT", "targets in sight", "folds", "seeds", "others corrupted", "the paper's", "self-only network"], *lines)


def gpu(*paths):
    """How long trainings took on a GPU, those that a process did first and all others."""
    of = collections.defaultdict(lambda: ([], []))
    for r in records(paths):
        c = r["config"]
        name = "%s, e = %d, %s steps" % (TITLES[r["dataset"]], c["dim_hidden"], "{:,}".format(c["steps"]))
        of[name + (", self-only" if c.get("self_only") else "")][r["details"]["compile_seconds"] < 1].append(r)
    span = lambda rs, of: " to ".join("%.0f" % x for x in sorted({min(map(of, rs)), max(map(of, rs))})) if rs else "–"
    seconds, compiling = lambda r: r["fit_seconds"], lambda r: r["details"]["compile_seconds"]
    table(["", "million weights", "seconds of the first training", "of these compiling the step", "seconds of other trainings", "steps in a second", "with the evaluations after them, without compiling"],
          *([name, "%.0f" % ((first + rest)[0]["details"]["parameters"] / 1e6), span(first, seconds), span(first, compiling), span(rest, seconds),
             span(first + rest, lambda r: r["details"]["steps_per_second"]), span(rest or first, lambda r: r["details"]["steps"] / (seconds(r) - compiling(r)))]
            for name, (first, rest) in of.items()))


def curves(*paths):
    """Losses of the same trainings on a processor and on a GPU."""
    of = collections.defaultdict(dict)
    for r in records(paths):
        of[r["dataset"], r["fold"], r["id"]]["GPU" if on_gpu(r) else "processor"] = r
    lines = []
    for (dataset, fold, _), both in sorted(of.items()):
        if len(both) == 2:
            losses = lambda value, digits: ["%.*f" % (digits, value(both[device])) for device in ("processor", "GPU")]
            part = lambda n: lambda r: statistics.geometric_mean(r["details"]["learning_curve"][40 * n:40 * n + 40])  # of 200 means over ten steps
            lines.append(["%s, fold %d" % (TITLES[dataset], fold), *losses(part(0), 3), *losses(part(2), 3), *losses(part(4), 3), *losses(lambda r: r["details"]["validation_loss"], 4)])
    table(["loss on targets: processor, GPU", "steps 1 to 400", "", "801 to 1,200", "", "1,601 to 2,000", "", "lowest on validation rows", ""], *lines)


def others(*paths):
    """By how much the network whose rows attend to themselves alone is worse than NPT on the same folds, by seed."""
    of = collections.defaultdict(dict)
    for r in records(paths):
        of[r["dataset"], r["variant"], r["seed"]][r["fold"]] = r["test"]
    unmasked = "No feature masking, all targets masked"
    controls = {"Base": ("Self only", ""), unmasked: ("Self only, n" + unmasked[1:], ", all targets masked, no features masked")}
    seeds = sorted({seed for _, _, seed in of})

    def with_any_error(x, rows, name, sign=""):
        """The error is over folds, or of a single split over its test rows."""
        digits = 4 if name == "nll" else DIGITS[name]  # which are so small that three do not tell whether they are two errors
        if len(x) > 1:
            return of_differences(dataset, x, digits) if sign else with_error(x, digits)
        return "%%%s.%df ± %%.%df" % (sign, digits, digits) % (x[0], math.hypot(*(t[name + "_se"] for t in rows)))

    lines = []
    for dataset, (variant, (control, note)) in ((d, pair) for d in DATASETS for pair in controls.items()):
        name, cells, nll = metric(dataset), [], []
        for seed in seeds:
            ours, alone = of[dataset, variant, seed], of[dataset, control, seed]
            both = [(ours[fold], alone[fold]) for fold in ours if fold in alone]
            if seed == seeds[0] and both:
                side = [a for a, _ in both]
                cells.append(with_any_error([t[name] for t in side], side[:1], name))
            worse = [(b[name] - a[name]) * (1 if name == "rmse" else -1) for a, b in both]
            cells.append(with_any_error(worse, both[0], name, "+") if both else "–")
            if both and name != "rmse":
                nll.append(with_any_error([b["nll"] - a["nll"] for a, b in both], both[0], "nll", "+"))
        if len(cells) > len(seeds):
            lines.append(["%s, %s%s" % (DATASETS[dataset], METRICS[name], note), *cells, ", ".join(nll) or "–"])
    table(["", "NPT, seed %d" % seeds[0], *("worse by, seed %d" % seed for seed in seeds), "NLL minus NPT's, by seed"], *lines)


def mixes(*paths):
    """Validation and test rows of single splits with classes, whose batches may have other shares of rows with known targets."""
    lines = []
    for r in records(paths):
        if r["dataset"] not in TITLES and "accuracy_se" in r["val"]:
            cells = []
            for name in ("nll", "accuracy"):
                val, test, error = r["val"][name], r["test"][name], [r[part][name + "_se"] for part in ("val", "test")]
                cells += ["%.*f ± %.*f" % (DIGITS[name], x, DIGITS[name], e) for x, e in zip((val, test), error)]
                cells.append("%+.1f" % ((test - val) / math.hypot(*error)))
            lines.append(["%s, %s" % (DATASETS[r["dataset"]], r["variant"]), "%d" % r["seed"], *cells])
    table(["", "seed", "NLL, validation", "NLL, test", "difference, standard errors", "accuracy, validation", "accuracy, test", "difference, standard errors"],
          *sorted(lines))


def anycolumn(*paths):
    """RMSE in standard deviations where any column can be a row's target, and without the test row whose error is largest."""
    titles = {"": "NPT", "rows attend to themselves alone": "self-only", "without attention between datapoints": "without ABD"}

    def rmse(squares):
        root = statistics.mean(squares) ** 0.5
        return "%.3f ± %.3f" % (root, statistics.stdev(squares) / len(squares) ** 0.5 / 2 / root)

    lines = []
    for r in sorted(finished(paths, "predictions"), key=lambda r: (list(titles).index(r.get("variant", "")), r["seed"])):
        squares = sorted((target - prediction) ** 2 for _, target, prediction in r["table"]["lines"])
        lines.append([titles[r.get("variant", "")], "%d" % r["seed"], "%.3f ± %.3f" % (r["val"]["rmse"], r["val"]["rmse_se"]), rmse(squares),
                      "%.0f %%" % (100 * squares[-1] / sum(squares)), rmse(squares[:-1])])
    table(["", "seed", "validation rows", "test rows", "share of the largest squared error", "without it"], *lines)


def columns(report):
    """The slope of predictions by targets of copies that are moved, on average over the test rows of each column, and the error on these."""
    moved = collections.defaultdict(list)
    for r in rows(report, "intervention-rows"):
        moved[int(r["column"]), r["test_row"]].append((float(r["follow"]), float(r["prediction"])))
    column = {row: c for c, row in moved}
    squares = collections.defaultdict(list)
    for r in rows(report, "predictions-rows"):
        if r["test_row"] in column:
            squares[column[r["test_row"]], r["variant"]].append((float(r["target"]) - float(r["prediction"])) ** 2)
    slopes = collections.defaultdict(list)
    for (c, _), points in moved.items():
        slopes[c].append(statistics.linear_regression(*zip(*points)).slope)
    table(["column", "test rows", "slope", "RMSE", "of the self-only network"], *(
        ["F%d" % c if c else "RMSD, Protein's target", "%d" % len(of), "%.2f ± %.2f" % (statistics.mean(of), statistics.stdev(of) / len(of) ** 0.5),
         *("%.3f" % statistics.mean(squares[c, variant]) ** 0.5 for variant in ("", "rows attend to themselves alone"))] for c, of in sorted(slopes.items())))


def defaults(report, *paths):
    """TabNet with the batches of the paper's grid and with the library's default ones, chosen by validation in every published fold, under
    three seeds. It is "not excluded by seeds" where the paper's number lies in the 95 % prediction interval for one more seed."""

    def of_grid(r):
        return r["config"]["drop_last"] and r["config"]["virtual_batch_size"] < 128 if r["dataset"] in TITLES else r["config"]["batch_size"] == 4096

    def of_library(r):
        return r["config"]["batch_size"] == 1024

    found = [r for r in records(paths, "tabnet") if r["dataset"] in TITLES or r["config"]["n_steps"] == 4] # the paper's one setting of Poker Hand
    kinds = [chosen(filter(kind, found)) for kind in (of_grid, of_library)]
    lines = []
    for r in rows(report, "cells", method="tabnet", protocol="published"):
        dataset, name = r["dataset"], r["metric"]
        if name not in METRICS or dataset not in kinds[1]:
            continue
        line = ["%s, %s" % (DATASETS[dataset], METRICS[name]), r["paper_printed"]]
        for kind in kinds:
            folds = [kind[dataset][seed] for seed in (42, 43, 44)]
            assert {len(f) for f in folds} == {10 if dataset in TITLES else 1}
            means = [statistics.mean(f["test"][name] for f in by_fold.values()) for by_fold in folds]
            reach = 4.303 * statistics.stdev(means) * (1 + 1 / 3) ** 0.5
            half = 0.5 * 10 ** -int(r["paper_decimals"])  # of a unit of the last digit
            same = abs(statistics.mean(means) - float(r["paper"])) <= reach + half
            line += [", ".join("%.*f" % (DIGITS[name], x) for x in means), "not excluded by seeds" if same else "differs"]
        assert line[3] == r["verdict"], (line, r["verdict"])
        lines.append(line)
    table(["", "paper", "the grid's batches", "verdict", "default batches", "verdict"], *lines)


def by_setting(paths):
    """By data set, protocol, seed and sizes the records of TabNet's folds."""
    folds = collections.defaultdict(list)
    for r in records(paths, "tabnet"):
        folds[r["dataset"], r["protocol"], r["seed"], tuple(r["config"][name] for name in SIZES)].append(r)
    return folds


def batches(*paths):
    """TabNet by size of batch and virtual batch."""
    mean = {}
    for (dataset, protocol, seed, sizes), found in by_setting(paths).items():
        found = [r for r in found if r["config"]["drop_last"]]
        if protocol == "published" and seed == 42 and sizes[:3] == (8, 8, 3) and len(found) == 10 and dataset in ("yacht", "concrete"):
            mean[sizes[4], dataset, sizes[3]] = "%.2f" % statistics.mean(r["test"]["rmse"] for r in found)
    columns = [(dataset, batch) for dataset in ("yacht", "concrete") for batch in (16, 32, 64, 128)]
    table(["virtual batch", *("%s, batch %d" % (TITLES[dataset], batch) for dataset, batch in columns)],
          *(["%d" % virtual, *(mean.get((virtual, *c), "–") for c in columns)] for virtual in (4, 8, 16, 128)))


def yacht(*paths):
    """TabNet on the published folds of Yacht, with the settings of table1-cpu and those of tabnet-yacht, chosen by validation in every fold."""
    kinds = collections.defaultdict(list)
    for r in records(paths, "tabnet"):
        if (r["dataset"], r["protocol"], r["seed"]) == ("yacht", "published", 42):
            whole, kept = r["config"]["virtual_batch_size"] == 128, not r["config"]["drop_last"]
            kinds["whole batches" if whole else "last rows of an epoch kept" if kept else "as in table1-cpu"].append(r)
    lines = []
    for kind, found in sorted(kinds.items()):
        best = chosen(found)["yacht"][42].values()
        lines.append([kind, "%d" % (len(found) // len(best)), with_error([r["test"]["rmse"] for r in best])])
    table(["", "settings", "RMSE"], *lines)


def settings(*paths):
    """Means over the folds that are there, from the lowest to the highest of the seeds."""
    seeds = collections.defaultdict(list)
    for (dataset, protocol, _, sizes), found in by_setting(paths).items():
        seeds[dataset, protocol, sizes].append(found)

    def span(values, form):
        ends = [form % f(values) for f in (min, max)]
        return " to ".join(sorted(set(ends), key=ends.index))

    lines = []
    for (dataset, protocol, sizes), of in sorted(seeds.items()):
        means = lambda value: [statistics.mean(value(r) for r in found) for found in of]
        test = ", ".join("%s %s" % (METRICS[m], span(means(lambda r: r["test"][m]), "%%.%df" % DIGITS[m])) for m in METRICS if m in of[0][0]["test"])
        lines.append([DATASETS[dataset] + ("" if protocol == "published" else ", " + protocol), ", ".join(map(str, sizes)), "%d" % len(of), span(means(loss), "%.3f"), test])
    table(["", ", ".join(SIZES), "seeds", "loss on validation rows", "test rows"], *lines)


def epochs(*paths):
    """TabNet's errors by when its training ended."""
    lines, spent = [], 0
    for r in sorted(records(paths, "tabnet"), key=lambda r: r["details"]["epochs"]):
        spent += r["processor_seconds"]  # since the record before
        lines.append(["%d" % r["details"]["epochs"], "%d" % r["details"]["best_epoch"], "%.0f" % (spent / 60), "%.3f" % loss(r), "%.2f" % r["test"]["accuracy"],
                      "%.3f" % r["test"]["nll"]])
    table(["epochs", "lowest loss after", "minutes of a core", "NLL on validation rows", "accuracy on test rows", "NLL"], *lines)


def trees(method, dataset, *paths):
    """Boosted trees by learning rate, depth and number, on the published fold."""
    of, numbers = collections.defaultdict(dict), set()
    for r in records(paths, method):
        if r["dataset"] == dataset:
            c = r["config"]
            of[r["seed"], c["learning_rate"], c["max_depth"]][c["n_estimators"]] = "%.4f, %.4f, %.2f" % (loss(r), r["test"]["nll"], r["test"]["accuracy"])
            numbers.add(c["n_estimators"])
    table(["seed", "rate", "depth", *("%d trees" % n for n in sorted(numbers))],
          *(["%d" % seed, "%g" % rate, "%d" % depth, *(found.get(n, "–") for n in sorted(numbers))] for (seed, rate, depth), found in sorted(of.items())))


def of_mlp(dataset, paths):
    """Its records on the published fold of a larger table, the lowest loss on validation rows first."""
    return sorted((r for r in records(paths, "mlp") if (r["dataset"], r["protocol"], r["seed"]) == (dataset, "published", 42)), key=loss)


def spread(method, report, *paths):
    """A method on small tables, chosen by validation in every published fold, over seeds."""
    best = chosen(r for r in records(paths, method) if r["dataset"] in TITLES)
    lines = []
    for c in rows(report, "cells", method=method, protocol="published"):
        if c["dataset"] in TITLES and c["metric"] in METRICS:
            means = [statistics.mean(folds[fold]["test"][c["metric"]] for fold in range(10)) for folds in best[c["dataset"]].values()]
            digits = DIGITS[c["metric"]] + 1
            lines.append(["%s, %s" % (TITLES[c["dataset"]], METRICS[c["metric"]]), c["paper_printed"].split()[0],
                          *("%.*f" % (digits, x) for x in (statistics.mean(means), statistics.stdev(means), min(means), max(means)))])
    table(["ten published folds", "paper", "mean of %d seeds" % len(means), "standard deviation", "smallest", "largest"], *lines)


def grids(report, *paths):
    """The MLP chosen among few settings and among all of its grid."""
    of = collections.defaultdict(list)
    for r in records(paths, "mlp"):
        if r["seed"] == 42:
            of[r["dataset"], r["protocol"]].append(r)
    for dataset in TITLES:  # the first fold is the same
        of[dataset, "corrected"] += [r for r in of[dataset, "published"] if r["fold"] == 0]
    lines = []
    for r in rows(report, "cells", method="mlp"):
        dataset, protocol, name = r["dataset"], r["protocol"], r["metric"]
        if name not in METRICS or protocol == "corrected" and dataset not in TITLES:
            continue
        cells = []
        for found in ([x for x in of[dataset, protocol] if few(dataset, x["config"])], of[dataset, protocol]):
            best = {}
            for x in sorted(found, key=lambda x: (loss(x), place(x["config"])), reverse=True):
                best[x["fold"]] = x["test"][name]
            cells.append("%.*f (%d)" % (DIGITS[name], statistics.mean(best.values()), len(found) / len(best)))
        if len(found) / len(best) in (90, 3780):
            lines.append(["%s, %s" % (DATASETS[dataset], METRICS[name]), *((protocol, r["paper_printed"]) if protocol == "published" else ("corrected", "–")), *cells])
    table(["", "folds", "paper", "chosen among few settings", "among all"], *lines)


def excluded(report):
    """Numbers of baselines for which our seeds exclude the paper's, or which no seed changes."""
    lines = []
    for r in rows(report, "cells", protocol="published", verdict="differs"):
        name = r["metric"]
        if name in METRICS:
            shown = lambda x, more=0: "%.*f" % (DIGITS[name] + more, float(x))
            over = ("%s ± %s (%s)" % (shown(r["seeds_mean"], 1), shown(r["seeds_stddev"], 1), r["seeds"])) if r["seeds"] else "–"
            lines.append(["%s, %s, %s" % (r["title"], DATASETS[r["dataset"]], METRICS[name]), shown(r["mean"]), r["paper_printed"].split()[0], over])
    table(["number", "ours", "the paper's", "mean and standard deviation of our seeds"], *lines)


def place(c):
    """Where settings of the MLP are in the order of its grid, of which the first counts where several have the lowest loss."""
    return len(c["hidden_layer_sizes"]), c["hidden_layer_sizes"], c["alpha"], c["batch_size"], c["learning_rate_init"]


def few(dataset, c):
    """Whether these are settings of the MLP that table1-quick has, or on the larger tables the first ones that were run."""
    if dataset in TITLES:
        return (c["hidden_layer_sizes"] in ([100], [500], [250, 250], [100, 100, 100]) and c["alpha"] in (0, 1e-2, 1e-1, 1)
                and c["batch_size"] in (32, 128) and c["learning_rate_init"] in (1e-3, 1e-2))
    return (c["hidden_layer_sizes"], c["alpha"]) == ([100, 100, 100], 1e-4) and c["learning_rate_init"] in (1e-3, 1e-2)


def kick(nll, auroc, *paths):
    """Settings of the MLP on Kick: those that validation likes best, and those with the paper's numbers."""
    found = of_mlp("kick", paths)
    nearest = lambda name, paper: min(found, key=lambda r: abs(r["test"][name] - float(paper)))
    shown = [("lowest loss on validation rows of %d" % len(found), found[0]), ("second", found[1]), ("third", found[2]),
             ("NLL nearest to the paper's, %s" % nll, nearest("nll", nll)), ("AUROC nearest to the paper's, %s" % auroc, nearest("auroc", auroc))]
    table(["published fold of Kick", "layers", "penalty", "batch", "rate", "NLL on validation rows", "NLL", "AUROC", "accuracy"],
          *([name, " × ".join(map(str, r["config"]["hidden_layer_sizes"])), *("%g" % r["config"][p] for p in ("alpha", "batch_size", "learning_rate_init")),
             "%.4f" % loss(r), "%.3f" % r["test"]["nll"], "%.3f" % r["test"]["auroc"], "%.2f" % r["test"]["accuracy"]] for name, r in shown))


globals()[sys.argv[1]](*sys.argv[2:])
