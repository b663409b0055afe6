#!/usr/bin/env python3
"""Measures how long the dashboard takes to show many records, all of them, by month and by a trait of twenty
values.

    benches/page.py [RECORDS]

Imports the records of the benchmarks (a million unless said otherwise) into a new folder, and loads the page
seven times, each in a browser without a cache. Prints the medians of the times from the navigation until the
score stands, and until everything does. Fails if a million take more than one second and two. Needs the
packages of tests/dashboard/requirements.txt, chromium, and FEEDBACK or target/release/feedback.
"""
import os
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("FEEDBACK", str(ROOT / "target/release/feedback"))
sys.path.append(str(ROOT / "tests/dashboard"))

import dataset
from support import Served, browser, feedback

KEY = "read-key-of-a-large-project"
GOALS = {"score": 1000, "everything": 2000}
WATCH = f"""
sessionStorage.setItem("feedback.read-key.{dataset.PROJECT}", "{KEY}");
window.shown = {{}};
const look = () => {{
  const content = document.querySelector("#content");
  if (document.querySelector("#nps:not(:empty)")) shown.score ??= performance.now();
  if (shown.score && content.getAttribute("aria-busy") === "false") shown.everything ??= performance.now();
  requestAnimationFrame(look);
}};
requestAnimationFrame(look);
"""


def load(served):
    """Loads the page in a new context; returns the milliseconds until it showed each part."""
    context = browser().new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    period = "start=2016-01-01&end=2024-01-01&interval=month&timezone=Europe/Prague"
    page.goto(f"{served.url}/?project={dataset.PROJECT}&{period}&group=browser")
    # The page forbids the evaluation in it with which Playwright would wait.
    while GOALS.keys() - (shown := page.evaluate("shown")).keys():
        page.wait_for_timeout(50)
    context.close()
    return shown


def main():
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as work:
        export, folder = Path(work) / "export.ndjson", Path(work) / "data"
        dataset.write(export, records)
        of_folder = ["--project", dataset.PROJECT, "--data", folder]
        feedback("import", "responses", export, *of_folder)
        feedback("credentials", "create", "--may", "statistics", *of_folder, "--secret-stdin", input=KEY)
        served = Served("serve", "--data", folder, "--dynamodb-listen", "127.0.0.1:0")
        loads = [load(served) for _ in range(8)][1:]
        served.stop()
    medians = {name: statistics.median(load[name] for load in loads) for name in GOALS}
    print(
        f"{records:,} records: " + ", ".join(f"{name} {median:,.0f} ms" for name, median in medians.items())
    )
    if records == 1_000_000 and any(medians[name] > goal for name, goal in GOALS.items()):
        sys.exit(f"the goals are {GOALS}")


main()
