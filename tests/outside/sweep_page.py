"""Opens a sweep's page in Chromium: time to load, sorting, filters, detail, comparison, keyboard, narrow screens.

usage: sweep_page.py INDEX.html [SCREENSHOT.png [AXE.js]]
"""

import json
import pathlib
import shutil
import sys
import time

from playwright.sync_api import sync_playwright


def numbers(page, column):
    """The metric of the cards in the order in which they are shown."""
    ids = page.eval_on_selector_all("#gallery > li", "cards => cards.map(card => card.dataset.id)")
    members = {member["id"]: member for member in sweep["members"]}
    return [members[id]["metrics"].get(column) for id in ids]


def check(holds, what):
    if not holds:
        sys.exit(f"sweep_page: {what}")
    print(f"ok: {what}")


index = pathlib.Path(sys.argv[1]).resolve()
sweep = json.loads((index.parent / "sweep.json").read_text())
count = len(sweep["members"])

with sync_playwright() as driver:
    browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    began = time.monotonic()
    page.goto(index.as_uri(), wait_until="load")
    seconds = time.monotonic() - began
    check(seconds < 2, f"{count} members load in {seconds:.2f} s, less than 2 s")
    check(page.locator("#gallery > li").count() == count, "every member has a card")
    loaded = page.eval_on_selector(".open img", "image => image.decode().then(() => image.naturalWidth)")
    check(loaded > 0, "pictures are there")
    if len(sys.argv) > 2:
        page.screenshot(path=sys.argv[2])

    page.select_option("#sort", "relief_m")
    up = [value for value in numbers(page, "relief_m") if value is not None]
    check(up == sorted(up) and len(set(up)) > 1, "cards sort by a metric")
    page.check("#descending")
    down = [value for value in numbers(page, "relief_m") if value is not None]
    check(down == sorted(up, reverse=True), "and the other way round")

    middle = sorted(up)[len(up) // 2]
    page.select_option("#metric", "relief_m")
    page.fill("#from", str(middle))
    expected = sum(value >= middle for value in up)
    check(page.locator("#gallery > li").count() == expected, f"a filter leaves {expected}")
    page.click("button[type=reset]")
    page.locator("#gallery > li").nth(count - 1).wait_for()

    bad = [member for member in sweep["members"] if member["reason"]]
    page.select_option("#status", "failed")
    for member in bad:
        if member["status"] == "failed":
            check(page.get_by_text(member["reason"]).count() > 0, "a failure tells its reason")
    page.select_option("#status", "done")

    page.locator(".open").first.focus()
    page.keyboard.press("Enter")
    check(page.locator("dialog[open] figure img").count() > 0, "Enter opens the detail with its pictures")
    check(page.get_by_text("thalweg run --from").count() == 1, "and the command that makes it again")
    check("null" not in page.locator("#detail").inner_text(), "and nothing that is missing")
    title = page.locator("#detail-title").inner_text()
    page.keyboard.press("ArrowRight")
    check(page.locator("#detail-title").inner_text() != title, "an arrow key shows the next")
    page.keyboard.press("Escape")
    check(page.locator("dialog[open]").count() == 0, "Escape closes it")

    for box in page.locator(".mark input").all()[:2]:
        box.check()
    page.click("#compare")
    check(page.locator("dialog[open] .columns").first.locator("img").count() == 2, "two stand side by side")
    if len(sys.argv) > 3:
        page.keyboard.press("Escape")
        for state in ["gallery", "detail"]:
            if state == "detail":
                page.locator(".open").first.click()
            page.evaluate(pathlib.Path(sys.argv[3]).read_text())
            found = page.evaluate("axe.run()")["violations"]
            serious = [rule for rule in found if rule["impact"] in ("serious", "critical")]
            check(not serious, f"axe finds nothing serious in the {state}: {[rule['id'] for rule in serious]}")
    page.set_viewport_size({"width": 360, "height": 740})
    wide = page.evaluate("document.documentElement.scrollWidth")
    check(wide <= 360, "nothing is wider than a narrow screen")
    check(not said, f"the console is silent: {said}")
    outside = [url for url in asked if not url.startswith(index.parent.as_uri())]
    check(not outside, f"nothing is asked of a network: {outside}")
    browser.close()
