"""Opens the HTML pages of reports in Chromium, and fails where one does not do what it should.

    python report/testdata/check_page.py SCREENSHOTS REPORT.html...

Needs the package playwright, and a chromium on the PATH. Pictures of every page, light, dark and on a phone, come into SCREENSHOTS.
"""

import pathlib
import shutil
import sys

from playwright.sync_api import sync_playwright

LOOKS = {
    "light": dict(viewport={"width": 1300, "height": 900}, color_scheme="light"),
    "dark": dict(viewport={"width": 1300, "height": 900}, color_scheme="dark"),
    "phone": dict(viewport={"width": 390, "height": 844}, color_scheme="light"),
    "without scripts": dict(viewport={"width": 1300, "height": 900}, java_script_enabled=False),
}


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
        page.screenshot(path=folder / f"{path.stem}-{look.replace(' ', '-')}.png", full_page=True)
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

        table = page.locator("table").filter(has=page.locator("td a")).first
        column = table.locator("thead th").count() - 1
        values = lambda: table.evaluate(  # of the rows of the first group
            "(t, i) => [...t.tBodies[0].rows].filter(r => r.cells[i]).map(r => parseFloat(r.cells[i].textContent)).filter(x => !isNaN(x))", column)
        for order in (sorted, lambda x: sorted(x, reverse=True)):
            table.locator("thead th button").nth(column).click()
            require(values() == order(values()), "sorting by a column does not sort")
        rows = page.locator("tbody tr:visible").count()
        page.fill("#filter", "no row has this text")
        require(page.locator("tbody tr:visible").count() < rows / 2, "the filter filters nothing")
        page.fill("#filter", "")
        require(page.locator("tbody tr:visible").count() == rows, "the filter does not let go")
        require(not problems, "; ".join(problems))
        context.close()
    print(f"{path}: {tables} tables, {path.stat().st_size / 1e6:.1f} MB")


def main(folder, *paths):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for path in paths:
            check(browser, pathlib.Path(path), folder)
        browser.close()


main(*sys.argv[1:])
