"""The numbers of ../PAPER.md about Boston Housing.

    make report-published
    python3 npt/testdata/boston_folds.py out/published/report/folds.csv results/published/*.jsonl.gz

The first file has the settings that were chosen, the others all records.
"""

import csv
import gzip
import json
import statistics
import sys

chosen, narrow, tried = {}, {}, {}  # by protocol and method: by fold; by fold; by method: RMSE on fold 3
for r in csv.DictReader(open(sys.argv[1])):
    if r["dataset"] == "boston-housing" and r["test_rmse"]:
        chosen.setdefault((r["protocol"], r["method"]), {})[int(r["fold"])] = float(r["test_rmse"])
for path in sys.argv[2:]:
    for line in gzip.open(path):
        r = json.loads(line)
        if (r["dataset"], r["protocol"], r["status"]) != ("boston-housing", "published", "ok"):
            continue
        if r["sweep"] == "npt-narrow":
            narrow[r["fold"]] = r["test"]["rmse"]
        elif r["fold"] == 3 and r["seed"] == 42 and r["sweep"] != "npt-full":
            tried.setdefault(r["method"], []).append(r["test"]["rmse"])


def mean(x):
    return "%.2f ± %.2f" % (statistics.mean(x), statistics.stdev(x) / len(x) ** 0.5)


small = chosen["published", "npt"]
for layers, folds in ((2, small), (8, narrow)):
    rmse = [folds[f] for f in range(10)]
    print(layers, "layers:", *("%.2f" % x for x in rmse), "mean", mean(rmse))
print("fold by fold", mean([narrow[f] - small[f] for f in range(10)]))
for (protocol, method), folds in sorted(chosen.items()):
    mse = [x * x for x in folds.values()]
    print(protocol, method, "MSE %.1f (%.1f), worst RMSE %.2f" % (statistics.mean(mse), statistics.pstdev(mse), max(mse) ** 0.5))
print("corrected npt RMSE", mean(list(chosen["corrected", "npt"].values())))
for method, rmse in sorted(tried.items()):
    print("fold 3", method, "%d of %d settings at most 4.1" % (sum(x <= 4.1 for x in rmse), len(rmse)))
