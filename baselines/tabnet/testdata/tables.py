"""The tables of ../PAPER.md, from records (files .jsonl or .jsonl.gz) and from the report of them (a folder).

    python3 baselines/tabnet/testdata/tables.py paper REPORT        # results beside the paper's
    python3 baselines/tabnet/testdata/tables.py batches RECORDS...  # errors by size of batch and virtual batch
    python3 baselines/tabnet/testdata/tables.py settings RECORDS... # all settings, means over the folds that are there
"""

import collections
import csv
import gzip
import json
import statistics
import sys

SIZES = ("n_d", "n_a", "n_steps", "batch_size", "virtual_batch_size")
TITLES = {"yacht": "Yacht", "boston-housing": "Boston Housing", "concrete": "Concrete", "breast-cancer": "Breast Cancer"}
METRICS = {"rmse": "RMSE", "accuracy": "accuracy", "nll": "NLL", "auroc": "AUROC"}
DIGITS = {"rmse": 2, "accuracy": 2, "nll": 3, "auroc": 3}


def table(head, *lines):
    for line in (head, ["---"] * len(head), *lines):
        print("| " + " | ".join(line) + " |")


def records(paths):
    """By data set, protocol, seed and sizes the records of the folds."""
    folds = collections.defaultdict(list)
    for path in paths:
        for line in gzip.open(path) if path.endswith(".gz") else open(path):
            r = json.loads(line)
            if r["method"] == "tabnet" and r["status"] == "ok":
                folds[r["dataset"], r["protocol"], r["seed"], tuple(r["config"][name] for name in SIZES)].append(r)
    return folds


def paper(report):
    cells = {}
    for r in csv.DictReader(open(report + "/cells.csv", newline="")):
        if r["method"] == "tabnet" and r["metric"] in METRICS:
            cells[r["dataset"], r["metric"], r["protocol"]] = r
    lines = []
    for (dataset, metric, protocol), r in cells.items():
        if protocol == "published" and dataset in TITLES:
            ours = ["%.*f ± %.*f" % (DIGITS[metric], float(c["mean"]), DIGITS[metric], float(c["stderr"])) for c in (r, cells[dataset, metric, "corrected"])]
            lines.append(["%s, %s" % (TITLES[dataset], METRICS[metric]), r["paper_printed"], ours[0], r["verdict"], ours[1]])
    table(["", "paper", "published folds", "verdict, by three seeds", "true cross-validation"], *lines)


def batches(*paths):
    mean = {}
    for (dataset, protocol, seed, sizes), found in records(paths).items():
        if protocol == "published" and seed == 42 and sizes[:3] == (8, 8, 3) and len(found) == 10 and dataset in ("yacht", "concrete"):
            mean[sizes[4], dataset, sizes[3]] = "%.2f" % statistics.mean(r["test"]["rmse"] for r in found)
    columns = [(dataset, batch) for dataset in ("yacht", "concrete") for batch in (64, 128)]
    table(["virtual batch", *("%s, batch %d" % (TITLES[dataset], batch) for dataset, batch in columns)],
          *(["%d" % virtual, *(mean.get((virtual, *c), "–") for c in columns)] for virtual in (8, 16, 128)))


def settings(*paths):
    lines = []
    for (dataset, protocol, seed, sizes), found in sorted(records(paths).items()):
        mean = lambda value: statistics.mean(value(r) for r in found)
        test = ", ".join("%s %.*f" % (METRICS[m], DIGITS[m], mean(lambda r: r["test"][m])) for m in METRICS if m in found[0]["test"])
        loss = mean(lambda r: r["val"]["nll" if "nll" in r["val"] else "mse_standardised"])
        lines.append([dataset, protocol, "%d" % seed, ", ".join(map(str, sizes)), "%d" % len(found), "%.0f" % mean(lambda r: r["details"]["epochs"]),
                      "%.1f" % mean(lambda r: r["fit_seconds"] / r["fit_cells"]), "%.4g" % loss, test])
    table(["data set", "protocol", "seed", ", ".join(SIZES), "folds", "epochs", "seconds", "validation", "test"], *lines)


globals()[sys.argv[1]](*sys.argv[2:])
