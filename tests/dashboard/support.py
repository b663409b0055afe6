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
# A question of the sample data.
SAMPLE = "/?project=demo&start=2025-01-01&end=2026-01-01&interval=month&timezone=UTC"
API = "**/api/v2/response-statistics?**"
# Waits until nothing fades; a line that shows that something loads never ends.
AT_REST = """Promise.allSettled(document.getAnimations()
  .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
  .map((animation) => animation.finished))"""
CLIPBOARD = ["clipboard-read", "clipboard-write"]

expect.set_options(timeout=20_000)


class Served:
    """`feedback serve` on a free port."""

    def __init__(self, *arguments, suggestion=None, **variables):
        self.suggestion = suggestion
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FEEDBACK_")}
        self.log = tempfile.TemporaryFile("w+")
        command = [FEEDBACK, *arguments, "--listen", "127.0.0.1:0"]
        pipes = {"stdout": subprocess.PIPE, "stderr": self.log, "text": True}
        self.process = subprocess.Popen(command, env=environment | variables, **pipes)
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
    suggestion = {"project": "demo", "readKey": DEMO_KEY, "group": "cabin"}
    return project("demo", DEMO_KEY, REVIEWS.read_text(), *options, suggestion=suggestion)


def project(name, key, records, *options, suggestion=None):
    """Serves a project in a folder of its own, with these lines of responses and this Read Key."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    data = ["--data", f"{folder.name}/data"]
    if records:
        feedback("import", "responses", "-", "--project", name, *data, input=records)
    create = ["credentials", "create", "--may", "statistics", "--secret-stdin"]
    feedback(*create, "--project", name, *data, input=key)
    served = Served("serve", "--dynamodb-listen", "127.0.0.1:0", *data, *options, suggestion=suggestion)
    served.data = data[1]
    return served


def feedback(*arguments, **options):
    """Runs a command; returns its standard output."""
    usual = {"check": True, "capture_output": True, "text": True}
    return subprocess.run([FEEDBACK, *arguments], **usual | options).stdout


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


def answer(served, parameters, key=DEMO_KEY):
    """Requests the statistics; returns the body."""
    address = f"{served.url}/api/v2/response-statistics?{urlencode(parameters, doseq=True)}"
    return urlopen(Request(address, headers={"AuthKey": key})).read()


def ask(served, parameters, key=DEMO_KEY):
    """Requests the statistics; returns the attributes of the elements."""
    return [element["attributes"] for element in json.loads(answer(served, parameters, key))["data"]]


class Case(unittest.TestCase):
    """A test that opens pages, all of which have to behave: no error, no foreign request, no key where it
    does not belong."""

    # The keys that the test types, and whether it asks for one to be kept.
    keys = (DEMO_KEY,)
    keeps_key = False
    # The statuses with which requests of the test are refused; the browser reports each as an error.
    refused = ()

    def open(self, target="/", served=None, respond=None, **options):
        """Opens the page at an address; a function may answer its requests to the API."""
        served = served or demo()
        size = {"width": 1280, "height": 900}
        usual = {"locale": "en-GB", "timezone_id": "Europe/Prague", "viewport": size}
        context = browser().new_context(base_url=served.url, **usual | options)
        self.addCleanup(context.close)
        page = context.new_page()
        # A request may still be held back when the test ends.
        self.addCleanup(page.unroute_all, behavior="ignoreErrors")
        page.set_default_timeout(20_000)
        if served.suggestion:
            suggest = lambda route: route.fulfill(json=route.fetch().json() | served.suggestion)
            page.route("**/dashboard/settings.json", suggest)
        if respond:
            page.route(API, respond)
        complaints, requested, visited = [], [], []
        page.on("console", lambda message: self.expected(message.text) or complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        page.on("request", lambda request: requested.append(request.url))
        page.on("framenavigated", lambda frame: visited.append(frame.url))
        self.addCleanup(self.check, page, served, complaints, requested, visited)
        page.goto(served.url + target)
        return page

    def shown(self, target="/", served=None, respond=None, **options):
        """Opens the page at an address, and waits until it has drawn what it was asked for."""
        return self.shows(self.open(target, served, respond, **options))

    def go(self, page, target):
        """Goes on to another address, and waits until the page has drawn what it was asked for."""
        page.goto(target)
        return self.shows(page)

    def expected(self, message):
        return any(f"status of {status}" in message for status in self.refused)

    def check(self, page, served, complaints, requested, visited):
        self.assertEqual(complaints, [])
        own = (served.url, f"blob:{served.url}")
        self.assertEqual([address for address in requested if not address.startswith(own)], [])
        stored = "[Object.values(localStorage), Object.values(sessionStorage), document.cookie]"
        local, session, cookies = page.evaluate(stored)
        self.assertEqual([local, cookies], [[], ""])
        if not self.keeps_key:
            self.assertEqual(session, [])
        for key in self.keys:
            self.assertFalse([address for address in requested + visited if key in address])
            greeting, _, log = served.written().partition("\n\n")
            self.assertNotIn(key, log.partition("\n\n")[2])

    def asked(self, page, part="/api/"):
        """Returns a list that grows by the address of each request that has this part."""
        addresses = []
        page.on("request", lambda request: addresses.append(request.url) if part in request.url else None)
        return addresses

    def held(self, page, part=""):
        """Holds the requests for figures whose address has this part, and returns them as they come."""
        held = []
        page.route(API, lambda route: held.append(route) if part in route.request.url else route.fallback())
        return held

    def shows(self, page):
        """Waits until the page has drawn what it was asked for."""
        expect(page.locator("#content")).to_have_attribute("aria-busy", "false")
        return page

    def menu(self, page, control):
        """Opens the menu of a control; returns its panel."""
        page.locator(f"[data-control={control}]").first.click()
        return page.locator(".panel:visible")

    def pick(self, page, control, option):
        """Picks an option of the menu of a control."""
        self.menu(page, control).locator(".option", has_text=option).click()

    def choose(self, page, control, value):
        """Chooses a value of a control that is in the panel *More*."""
        page.click("[data-control=more]")
        page.select_option(f"[data-control={control}]", value)

    def enter(self, page, label, text):
        """Writes a text into a field, and presses Enter."""
        page.get_by_label(label).fill(text)
        page.keyboard.press("Enter")

    def press(self, page, *keys):
        """Presses keys in the chart; returns it."""
        chart = page.locator("#trend [type=range]")
        chart.focus()
        for key in keys:
            page.keyboard.press(key)
        return chart

    def refresh(self, page, respond):
        """Asks for the same again, which a function answers."""
        page.route(API, respond)
        page.click("text=Refresh")

    def set_clock(self, page, time):
        """Lets the clock of the server show another time."""

        # The API's own clock shows today: what a word would mean there is asked for by dates.
        dates = "startDate=2015-07-04&endDate=2015-08-03"

        def then(route):
            answer = route.fetch(url=re.sub(r"period=\w+", dates, route.request.url))
            suggestion = demo().suggestion if "settings" in route.request.url else {}
            route.fulfill(json=answer.json() | suggestion, headers=answer.headers | {"date": time})

        page.route("**/settings.json", then)
        page.route(API, then)

    def again(self, page, part="body"):
        """Asks for what failed again, which the API answers."""
        page.unroute(API)
        page.locator(part).get_by_role("button", name="Try again").click()

    def open_project(self, page, key):
        """Types the key of a project."""
        page.fill("input[type=password]", key)
        page.click("button:text('Open')")

    def assert_period(self, page, dates):
        # The spaces are of several widths.
        spaced = re.compile(r"\s".join(map(re.escape, dates.split(" "))))
        expect(page.locator("[data-control=period]")).to_have_attribute("title", spaced)

    def assert_responses(self, page, count):
        expect(page.locator(".volumes .figure").first).to_have_text(count)

    def on_paper(self, page):
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")

    def save(self, page, part="interval"):
        """Saves the table of the intervals, or of the groups; returns the download."""
        page.click("[data-control=more]")
        with page.expect_download() as download:
            page.click(f"[data-control=csv-{part}]")
        page.keyboard.press("Escape")
        return download.value

    def picture(self, page, name, context="document"):
        """Keeps a picture of a state, in which axe has to find nothing."""
        self.assert_accessible(page, name, context)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        # For a picture of a whole page the window changes its size, which closes panels.
        is_whole = page.locator(".panel:visible").count() == 0
        page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=is_whole)

    def assert_accessible(self, page, state, context="document"):
        if context == "document":
            # Figures that newer ones will replace are too pale for axe.
            expect(page.locator(".waiting")).to_have_count(0)
        page.evaluate(AT_REST)
        page.evaluate(AXE.read_text())
        options = "{ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }"
        violations = page.evaluate(f"axe.run({context}, {options}).then(({{ violations }}) => violations)")
        nodes = lambda one: [node["html"][:120] for node in one["nodes"]]
        self.assertEqual([(state, one["id"], nodes(one)) for one in violations], [])

    def assert_no_sideways_scrolling(self, page):
        widths = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        self.assertLessEqual(*widths)


def cells(rows):
    """Returns the texts of the cells of each row."""
    texts = "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    return rows.evaluate_all(texts)


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
