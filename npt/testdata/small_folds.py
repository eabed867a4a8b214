"""The numbers of ../PAPER.md about the small networks, from records (files .jsonl or .jsonl.gz).

    python3 npt/testdata/small_folds.py validation RECORDS...   # loss of every setting on the validation rows, mean over folds
    python3 npt/testdata/small_folds.py chosen RECORDS...       # how often each setting is chosen
    python3 npt/testdata/small_folds.py differences OLD NEW     # test metrics of the cells that both have, new minus old
"""

import gzip
import json
import statistics
import sys

METRIC = {"breast-cancer": "auroc"}  # the others: rmse
SETTING = ("dim_hidden", "steps", "lr", "dropout")


def read(paths):
    for path in paths:
        for line in gzip.open(path) if path.endswith(".gz") else open(path):
            r = json.loads(line)
            if r["method"] == "npt" and r["config"]["layers"] == 2 and r["status"] == "ok":
                yield r


def loss(r):
    return r["val"]["nll" if "nll" in r["val"] else "mse_standardised"]


def text(r):
    return ", ".join("%s %g" % (name, r["config"][name]) for name in SETTING)


def validation(*paths):
    losses = {}
    for r in read(paths):
        losses.setdefault((r["dataset"], text(r)), []).append(loss(r))
    for key, x in sorted(losses.items()):
        print(*key, "validation loss %.4f" % statistics.mean(x), "folds %d" % len(x))


def chosen(*paths):
    best = {}
    for r in read(paths):
        key = r["dataset"], r["protocol"], r["seed"], r["fold"]
        if key not in best or loss(r) < loss(best[key]):
            best[key] = r
    count = {}
    for r in best.values():
        key = r["dataset"], text(r)
        count[key] = count.get(key, 0) + 1
    for key, n in sorted(count.items()):
        print(*key, "chosen in %d of %d" % (n, sum(m for k, m in count.items() if k[0] == key[0])))


def differences(old, new):
    before = {r["id"]: r for r in read([old])}
    by_dataset = {}
    for r in read([new]):
        metric = METRIC.get(r["dataset"], "rmse")
        if r["id"] in before:
            was = before[r["id"]]["test"][metric]
            by_dataset.setdefault((r["dataset"], metric), []).append((was, r["test"][metric] - was))
    for (dataset, metric), x in sorted(by_dataset.items()):
        d = [difference for _, difference in x]
        print(dataset, metric, "was %.4f" % statistics.mean(was for was, _ in x), "mean difference %.4f ± %.4f" % (
            statistics.mean(d), statistics.stdev(d) / len(d) ** 0.5), "largest %.4f" % max(d, key=abs), "folds %d" % len(d))


{"validation": validation, "chosen": chosen, "differences": differences}[sys.argv[1]](*sys.argv[2:])
