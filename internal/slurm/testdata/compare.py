"""Compares the records and reports of two output folders, byte for byte but for times, memory and machines.

How many cells a fit served is left out, too: fewer, where a task was killed after it had recorded some of them.
"""
import glob
import json
import os
import re
import sys

TIMES = ["fit_seconds", "fit_cells", "predict_seconds", "processor_seconds", "peak_memory_bytes", "provenance", "sum"]


def records(folder):
    """One record for each cell, as text: the success that was finished last, as the report takes it."""
    best = {}
    for path in glob.glob(folder + "/records/*.jsonl"):
        for line in open(path):
            if line.endswith("\n"):
                r = json.loads(line)
                rank = (r["status"] == "ok", r["provenance"]["finished"])
                if r["id"] not in best or rank > best[r["id"]][0]:
                    best[r["id"]] = rank, r
    for _, r in best.values():
        for name in TIMES:
            r.pop(name, None)
        for name in ("steps_per_second", "compile_seconds"):  # of networks
            r.get("details", {}).pop(name, None)
    return {i: used(json.dumps(r)) for i, (_, r) in best.items()}


def used(text):
    """Failures for want of memory say how much was used when that was seen, which may be the same."""
    return re.sub(r"(the first of [0-9]+ messages: )?[0-9.]+ GiB used", "… GiB used", text)


def report(folder):
    """The files of the report, without lines about times and machines."""
    out = {}
    for path in glob.glob(folder + "/report/*"):
        name = os.path.basename(path)
        if name.endswith((".md", ".csv")) and name != "folds.csv":
            text = used(open(path).read())
            text = re.sub(r"\| +(\d+h )?(\d+m )?[0-9.]+s(<sup>[0-9,]+</sup>)? \|", "| … |", text)  # what fits took, in a table, some of which failed
            out[name] = re.sub(r"(?m)^- (Machine|Finished|Fits took|Most memory|Code).*\n", "", text)
    return out


ours, theirs = sys.argv[1:]
differ = 0
for what, read in ("records", records), ("files of the report", report):
    a, b = read(ours), read(theirs)
    different = [k for k in sorted(a.keys() | b.keys()) if a.get(k) != b.get(k)]
    differ += len(different)
    print(f"{len(a)} and {len(b)} {what}, {len(different)} differ")
    for k in different[:3]:
        print(" ", k, str(a.get(k))[:700], str(b.get(k))[:700], sep="\n  ")
sys.exit(differ > 0)
