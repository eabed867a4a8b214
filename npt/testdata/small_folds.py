"""The numbers of ../PAPER.md about networks, from records (files .jsonl or .jsonl.gz).

    python3 npt/testdata/small_folds.py validation RECORDS...   # loss of every setting on the validation rows, mean over folds
    python3 npt/testdata/small_folds.py chosen RECORDS...       # test metrics by seed with the settings that validation chooses
    python3 npt/testdata/small_folds.py differences OLD NEW     # test metrics of the cells that both have, new minus old, of networks of any size
    python3 npt/testdata/small_folds.py precisions RECORDS...   # test metrics in bfloat16 beside those in float32
    python3 npt/testdata/small_folds.py fold N RECORDS...       # every network of eight layers on published fold N
"""

import gzip
import json
import statistics
import sys

METRIC = {"breast-cancer": "auroc"}  # the others: rmse
SETTING = ("dim_hidden", "steps", "lr", "dropout")


def read(paths, small=True):
    for path in paths:
        for line in gzip.open(path) if path.endswith(".gz") else open(path):
            r = json.loads(line)
            if r["method"] == "npt" and r["status"] == "ok" and (r["config"]["layers"] == 2 or not small):
                yield r


def loss(r):
    return r["val"]["nll" if "nll" in r["val"] else "mse_standardised"]


def text(r):
    return ", ".join("%s %g" % (name, r["config"][name]) for name in SETTING)


def validation(*paths):
    losses = {}
    for r in read(paths):
        losses.setdefault(text(r), {}).setdefault(r["dataset"], []).append(loss(r))
    for setting, by_dataset in sorted(losses.items()):
        means = {dataset: statistics.mean(x) for dataset, x in sorted(by_dataset.items())}
        print(setting + ":", *("%s %.4f" % m for m in means.items()), "geometric mean %.4f" % statistics.geometric_mean(means.values()))


def chosen(*paths):
    best = {}
    for r in read(paths):
        for protocol in ("published", "corrected"):
            # The first fold is the same under both protocols, and its record stands under published.
            if protocol == r["protocol"] or r["fold"] == 0:
                folds = best.setdefault((r["dataset"], protocol), {}).setdefault(r["seed"], {})
                if r["fold"] not in folds or loss(r) < loss(folds[r["fold"]]):
                    folds[r["fold"]] = r
    for (dataset, protocol), by_seed in sorted(best.items()):
        metric = METRIC.get(dataset, "rmse")
        means = {seed: statistics.mean(r["test"][metric] for r in folds.values()) for seed, folds in sorted(by_seed.items()) if len(folds) == 10}
        if not means:
            continue
        rates = [r["config"]["lr"] for seed in means for r in by_seed[seed].values()]
        print(dataset, protocol, metric, *("seed %d: %.4f" % m for m in means.items()),
              "mean %.4f" % statistics.mean(means.values()),
              "deviation %.4f" % statistics.stdev(means.values()) if len(means) > 1 else "",
              *("lr %g in %d of %d" % (lr, rates.count(lr), len(rates)) for lr in sorted(set(rates))))


def compare(pairs):
    by_metric = {}
    for r, other in pairs:
        for metric in ("accuracy", "nll", "auroc") if "nll" in r["test"] else ("rmse",):
            by_metric.setdefault((r["dataset"], metric), []).append((r["test"][metric], other["test"][metric]))
    for (dataset, metric), x in sorted(by_metric.items()):
        d = [new - old for old, new in x]
        mean = lambda x: "%.4f ± %.4f" % (statistics.mean(x), statistics.stdev(x) / len(x) ** 0.5)
        print(dataset, metric, "was", mean([old for old, _ in x]), "is", mean([new for _, new in x]), "mean difference", mean(d),
              "largest %.4f" % max(d, key=abs), "folds %d" % len(d))


def differences(old, new):
    before = {r["id"]: r for r in read([old], small=False)}
    compare((before[r["id"]], r) for r in read([new], small=False) if r["id"] in before)


def precisions(*paths):
    by_fold = {}
    for r in read(paths):
        by_fold.setdefault((r["dataset"], r["fold"]), {})[r["config"]["precision"]] = r
    compare((both["float32"], both["bfloat16"]) for both in by_fold.values() if len(both) == 2)


def fold(number, *paths):
    found = [r for r in read(paths, small=False) if r["fold"] == int(number) and r["protocol"] == "published" and r["config"]["layers"] == 8]
    for r in sorted(found, key=lambda r: (r["dataset"], r["config"]["dim_hidden"])):
        test = r["test"]
        names = ("accuracy", "nll", "auroc") if "nll" in test else ("rmse",)
        print(r["dataset"], text(r) + ":", *("%s %.4f" % (name, test[name]) for name in names),
              "validation %.4f at step %d" % (loss(r), r["details"]["best_step"]), "in %.0f s of %d threads" % (r["fit_seconds"], r["provenance"]["threads"]))


{"validation": validation, "fold": fold, "chosen": chosen, "differences": differences, "precisions": precisions}[sys.argv[1]](*sys.argv[2:])
