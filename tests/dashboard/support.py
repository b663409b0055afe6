"""The served program and the browser that the tests of the dashboard share."""

import atexit
import copy
import functools
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[2]
FEEDBACK = os.environ.get("FEEDBACK", str(ROOT / "target/debug/feedback"))
REVIEWS = ROOT / "tests/data/seat-reviews.ndjson"
SCREENSHOTS = ROOT / "target/dashboard"
AXE = ROOT / "target/node/node_modules/axe-core/axe.min.js"
DEMO_KEY = "demo-read-key-0000"
# The first question of the demo, as an address.
DEMO = "/?project=demo&start=2014-08-01&end=2015-08-01&interval=month&timezone=Europe/Prague&group=cabin"
# The API's parameters for its period.
YEAR = {"project": "demo", "startDate": "2014-08-01", "endDate": "2015-08-01", "timezone": "Europe/Prague"}

expect.set_options(timeout=20_000)


class Served:
    """`feedback serve` on a free port."""

    def __init__(self, *arguments, suggestion=None, **variables):
        self.suggestion = suggestion
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FEEDBACK_")}
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [FEEDBACK, *arguments, "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env=environment | variables,
        )
        atexit.register(self.stop)
        self.url = self.process.stdout.readline().split()[-1]

    def plain(self):
        """Returns the same program, whose page suggests nothing."""
        other = copy.copy(self)
        other.suggestion = None
        return other

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def written(self):
        """Returns what the program wrote to standard error."""
        self.log.seek(0)
        return self.log.read()


@functools.cache
def sample():
    """What `feedback serve` shows by itself: sample data, of which the newest is yesterday's."""
    return Served("serve", "--dynamodb-listen", "127.0.0.1:0")


@functools.cache
def demo():
    return reviews()


def reviews(*options):
    """Serves the reviews of seats, whose figures never change, as a project that everyone may see."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    of_folder = ["--project", "demo", "--data", str(Path(folder.name) / "data")]
    feedback("import", "responses", str(REVIEWS), *of_folder)
    feedback("credentials", "create", "--may", "statistics", *of_folder, "--secret-stdin", input=DEMO_KEY)
    return Served(
        "serve",
        "--dynamodb-listen",
        "127.0.0.1:0",
        *of_folder[2:],
        *options,
        suggestion={"project": "demo", "readKey": DEMO_KEY, "group": "cabin"},
    )


def feedback(*arguments, **options):
    """Runs a command; returns its standard output."""
    return subprocess.run(
        [FEEDBACK, *arguments], check=True, capture_output=True, text=True, **options
    ).stdout


@functools.cache
def browser():
    program = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if program is None:
        raise SystemExit("the tests of the dashboard need the browser chromium (apt-get install chromium)")
    playwright = sync_playwright().start()
    started = playwright.chromium.launch(executable_path=program)
    atexit.register(lambda: (started.close(), playwright.stop()))
    return started


def between(start, end, more=""):
    """Returns the address of the demo's first question about another period."""
    return DEMO.replace("start=2014-08-01&end=2015-08-01", f"start={start}&end={end}") + more


def ask(served, parameters, key=DEMO_KEY):
    """Requests the statistics; returns the attributes of the elements."""
    request = Request(
        f"{served.url}/api/v2/response-statistics?{urlencode(parameters, doseq=True)}",
        headers={"AuthKey": key},
    )
    return [element["attributes"] for element in json.load(urlopen(request))["data"]]


class Case(unittest.TestCase):
    """A test that opens pages, all of which have to behave: no error, no foreign request, no key where it
    does not belong."""

    # The keys that the test types, and whether it asks for one to be kept.
    keys = (DEMO_KEY,)
    keeps_key = False
    # The statuses with which requests of the test are refused; the browser reports each as an error.
    refused = ()

    def open(self, target="/", served=None, **options):
        served = served or demo()
        options = {
            "locale": "en-GB",
            "timezone_id": "Europe/Prague",
            "viewport": {"width": 1280, "height": 900},
        } | options
        context = browser().new_context(**options)
        self.addCleanup(context.close)
        page = context.new_page()
        # A request may still be held back when the test ends.
        self.addCleanup(page.unroute_all, behavior="ignoreErrors")
        page.set_default_timeout(20_000)
        if served.suggestion:
            page.route(
                "**/dashboard/settings.json",
                lambda route: route.fulfill(json=route.fetch().json() | served.suggestion),
            )
        complaints = []
        page.on(
            "console",
            lambda message: complaints.append(message.text) if not self.expected(message.text) else None,
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                complaints.append(f"a foreign request: {request.url}")
                if not request.url.startswith((served.url, "blob:" + served.url))
                else None
            ),
        )
        addresses = []
        page.on("request", lambda request: addresses.append(request.url))
        page.on("framenavigated", lambda frame: addresses.append(frame.url))
        self.addCleanup(self.check, page, served, complaints, addresses)
        page.goto(served.url + target)
        return page

    def expected(self, message):
        return any(f"status of {status}" in message for status in self.refused)

    def check(self, page, served, complaints, addresses):
        self.assertEqual(complaints, [])
        stored = page.evaluate(
            "[Object.values(localStorage), Object.values(sessionStorage), document.cookie]"
        )
        self.assertEqual([stored[0], stored[2]], [[], ""])
        if not self.keeps_key:
            self.assertEqual(stored[1], [])
        for key in self.keys:
            self.assertFalse([address for address in addresses if key in address])
            greeting, _, log = served.written().partition("\n\n")
            self.assertNotIn(key, log.partition("\n\n")[2])

    def asked(self, page, part="/api/"):
        """Returns a list that grows by the address of each request that has this part."""
        addresses = []
        page.on("request", lambda request: addresses.append(request.url) if part in request.url else None)
        return addresses

    def shows(self, page):
        """Waits until the page has drawn what it was asked for."""
        expect(page.locator("#content")).to_have_attribute("aria-busy", "false")
        return page

    def choose(self, page, control, value):
        """Chooses a value of a control that is in the panel *More*."""
        page.click("[data-control=more]")
        page.select_option(f"[data-control={control}]", value)

    def save(self, page):
        """Saves the table; returns the download."""
        page.click("[data-control=more]")
        with page.expect_download() as download:
            page.click("[data-control=csv]")
        return download.value

    def picture(self, page, name, context="document"):
        """Keeps a picture of a state, in which axe has to find nothing."""
        self.assert_accessible(page, name, context)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        # For a picture of a whole page the window changes its size, which closes panels.
        page.screenshot(
            path=SCREENSHOTS / f"{name}.png", full_page=page.locator(".panel:visible").count() == 0
        )

    def assert_accessible(self, page, state, context="document"):
        page.evaluate(AXE.read_text())
        options = "{ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }"
        violations = page.evaluate(f"axe.run({context}, {options}).then(({{ violations }}) => violations)")
        self.assertEqual(
            [(state, one["id"], [node["html"][:120] for node in one["nodes"]]) for one in violations], []
        )

    def assert_no_sideways_scrolling(self, page):
        widths = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        self.assertLessEqual(*widths)


def decimal(value):
    """Formats a score as the page does, with one decimal."""
    return rounded(value, ROUND_HALF_UP)


def interval(figures):
    """Formats the interval of a score as the page does, rounded outwards."""
    low, high = rounded(figures["npsLow"], ROUND_FLOOR), rounded(figures["npsHigh"], ROUND_CEILING)
    return f"{low}\u00a0to\u00a0{high}"


def rounded(value, how):
    number = Decimal(value).quantize(Decimal("0.1"), how)
    return str(abs(number) if number == 0 else number).replace("-", "\u2212")


def text_of(locator):
    return re.sub(r"\s+", " ", locator.inner_text()).strip()
