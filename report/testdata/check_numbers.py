"""Fails where a number of a report's tables is another one in its PDF.

    pdftotext -layout REPORT.pdf - | python report/testdata/check_numbers.py REPORT.md

Cells that begin with a number, with their signs and spreads, are counted in the Markdown and looked for in the PDF's text.
"""

import collections
import re
import sys


def plain(text):
    return re.sub(r"\s+", " ", text.replace("−", "-").replace("±", " ± "))


printed = plain(sys.stdin.read())
count = collections.Counter()
for line in open(sys.argv[1], encoding="utf-8"):
    if line.startswith("| "):
        for cell in line.strip().strip("|").split(" | "):
            text = re.sub(r"<sup>.*?</sup>|</?ins>|\*\*|\\", "", cell).strip()
            if re.match(r"[-+]?\d[^a-z]*$", text):
                count[plain(text)] += 1
missing = [f"{text}: {printed.count(text)} of {n}" for text, n in count.items() if printed.count(text) < n]
if missing or not count:
    sys.exit(f"{len(missing)} of {len(count)} texts of cells are not in the PDF as often as in {sys.argv[1]}:\n" + "\n".join(missing[:20]))
