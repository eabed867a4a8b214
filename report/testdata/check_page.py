"""Opens the HTML pages of reports in Chromium, and fails where one does not do what it should.

    python report/testdata/check_page.py SCREENSHOTS OUT/report/REPORT.html...

Needs the package playwright, and a chromium on the PATH. Pictures of every page, light, dark and on a phone, come into SCREENSHOTS, by OUT's name.
"""

import pathlib
import re
import shutil
import sys

from playwright.sync_api import sync_playwright

LOOKS = {
    "light": dict(viewport={"width": 1300, "height": 900}, color_scheme="light"),
    "dark": dict(viewport={"width": 1300, "height": 900}, color_scheme="dark"),
    "phone": dict(viewport={"width": 390, "height": 844}, color_scheme="light"),
    "without scripts": dict(viewport={"width": 1300, "height": 900}, java_script_enabled=False),
}


# Clicks on every heading of every table that is shown, twice, and returns what then stands in the column, by table, heading and click:
# lists of cells, of each group of rows one, each with its value, its text without the numbers of footnotes, and whether it has such.
SORT = """() => [...document.querySelectorAll("table")].filter(t => !t.closest("details")).map(t =>
  [...t.tHead.querySelectorAll("button")].map((button, i) => [1, 2].map(() => {
    button.click();
    return [...t.tBodies].map(body => [...body.rows].filter(r => r.cells.length > 1).map(r => {
      const cell = r.cells[i], plain = cell.cloneNode(true), notes = plain.querySelectorAll("sup");
      notes.forEach(n => n.remove());
      return [cell.dataset.value ?? null, plain.textContent.trim(), notes.length > 0];
    }));
  })))"""

SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def is_time(text):
    return re.match(r"(≈ )?[\d.,]+[dhms]( \d+[hms])*( × \d+)?$", text)


def shown(text):
    """The number that a cell shows, in seconds where it is a time, also on several cores."""
    if not is_time(text):
        return float(re.match(r"[-+]?\d[\d,]*(\.\d+)?(e[-+]\d+)?", text)[0].replace(",", ""))
    clock, _, cores = text.partition(" × ")
    return sum(float(n.replace(",", "")) * SECONDS[unit] for n, unit in re.findall(r"([\d.,]+)([dhms])", clock)) * int(cores or 1)


def check_sorting(page, require):
    """Checks that columns are sorted by what they show; returns how many columns of times, and of numbers with footnotes, there were."""
    times = noted = 0
    for clicks in (c for table in page.evaluate(SORT) for c in table):
        for ascending, bodies in zip((True, False), clicks):
            for cells in bodies:
                numbers = [(float(value), text) for value, text, _ in cells if value is not None]
                require([value is None for value, *_ in cells] == [False] * len(numbers) + [True] * (len(cells) - len(numbers)),
                        f"cells without a number are not the last: {cells}")
                for value, text in numbers:
                    digits = len(re.match(r"[^.\s]*\.?(\d*)", text)[1])
                    near = max((0.5 if text.startswith("≈") else 0.06) * abs(value), 0.51 / 10**digits)
                    require(abs(value - shown(text)) <= near, f"{text} is sorted as {value}")  # as far as printed digits go
                order = [value if ascending else -value for value, _ in numbers]
                require(order == sorted(order), f"sorting by a column does not sort: {cells}")
        cells = [cell for body in clicks[0] for cell in body if cell[0] is not None]
        times += len(cells) > 1 and any(is_time(text) for _, text, _ in cells)
        noted += len(cells) > 1 and any(notes for *_, notes in cells)
    return times, noted


def check(browser, path, folder):
    def require(ok, what):
        if not ok:
            sys.exit(f"{path}, {look}: {what}")

    tables = None
    for look, options in LOOKS.items():
        context = browser.new_context(**options)
        page = context.new_page()
        problems = []
        page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: problems.append(str(e)))
        page.on("request", lambda r: problems.append("asks for " + r.url) if r.url.split("#")[0] != url else None)
        url = path.resolve().as_uri()
        page.goto(url)
        page.screenshot(path=folder / f"{path.parents[1].name}-{look.replace(' ', '-')}.png", full_page=True, timeout=300_000)
        found = page.locator("table").count()
        tables = tables or found
        require(found == tables, f"{found} tables, {tables} before")
        if "java_script_enabled" in options:
            continue
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        require(wide <= 0, f"the page is {wide} pixels wider than the screen")
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        require((background == "rgb(255, 255, 255)") == (look != "dark"), f"background {background}")

        numbers = page.locator("td a[href^='#r-']")
        require(numbers.count() > 0, "no number leads to its records")
        numbers.first.click()
        records = page.locator(numbers.first.get_attribute("href"))
        records.wait_for(state="visible", timeout=5000)
        require(records.locator("tbody code").count() > 0, "no records behind a number")

        sorted_by = check_sorting(page, require)
        rows = page.locator("tbody tr:visible").count()
        page.fill("#filter", "no row has this text")
        require(page.locator("tbody tr:visible").count() < rows / 2, "the filter filters nothing")
        page.fill("#filter", "")
        require(page.locator("tbody tr:visible").count() == rows, "the filter does not let go")
        require(not problems, "; ".join(problems))
        context.close()
    print(f"{path}: {tables} tables, {sorted_by[0]} columns of times, {sorted_by[1]} of numbers with footnotes, {path.stat().st_size / 1e6:.1f} MB")
    return sorted_by


def main(folder, *paths):
    folder = pathlib.Path(folder)
    chromium = shutil.which("chromium") or sys.exit("check_page.py: no chromium on the PATH")
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        columns = [check(browser, pathlib.Path(path), folder) for path in paths]
        browser.close()
    for what, n in zip(("times", "numbers with footnotes"), map(sum, zip(*columns))):
        if n == 0:
            sys.exit(f"no page has a column of {what}: that such are sorted has not been checked")


main(*sys.argv[1:])
