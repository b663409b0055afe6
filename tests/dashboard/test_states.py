"""What the page shows when there are no figures to show, or not yet."""

import json
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from playwright.sync_api import expect

from answers import TEXTS, answering, figures
from support import DEMO, FEEDBACK, Case, Served, between, demo, feedback

ERRORS = {
    "period_too_large": (504, "Period too large"),
    "response_too_large": (422, "Response too large"),
    "too_many_requests": (429, "Too many requests"),
    "unavailable": (503, "The service is busy"),
    "internal": (500, "Internal"),
    "invalid_parameter": (400, "The API does not accept this question"),
    "bad_gateway": (502, "The API cannot be reached"),
    "something_new": (418, "Something new"),
}
API = "**/api/v2/response-statistics?**"


def document(code, status, detail, **more):
    title = code.replace("_", " ").capitalize()
    error = {"id": "4f1c", "status": str(status), "code": code, "title": title, "detail": detail}
    return json.dumps({"errors": [error | more]})


def failing(code, status, detail="Words of the API.", **more):
    return lambda route: route.fulfill(
        status=status, content_type="application/json", body=document(code, status, detail, **more)
    )


class States(Case):
    refused = tuple({status for status, _ in ERRORS.values()} | {401, 403, 414, 431})

    def test_old_figures_stay_while_new_ones_load(self):
        page = self.shows(self.open(DEMO))
        held = []
        page.route(API, lambda route: held.append(route), times=1)
        self.choose(page, "interval", "quarter")
        expect(page.locator("#content")).to_have_attribute("aria-busy", "true")
        expect(page.locator(".progress")).to_have_css("opacity", "1")
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by month")
        # Pale figures are not to be read.
        self.picture(page, "loading", "{ exclude: '.waiting' }")
        for route in held:
            route.continue_()
        expect(page.locator("#trend h2")).to_have_text("Score and responses by quarter")
        expect(page.locator("#content")).to_have_attribute("aria-busy", "false")

    def held(self, page, part):
        """Holds the requests whose address has this part, and returns them as they come."""
        held = []
        page.route(API, lambda route: held.append(route) if part in route.request.url else route.fallback())
        return held

    def test_each_card_is_drawn_when_its_answer_comes(self):
        page = self.open("/?project=other")
        groups, before = self.held(page, "groupBy="), self.held(page, "startDate=2013-08-01&endDate=2014-08-01")
        page.goto(page.url.split("/?")[0] + DEMO)
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator("#trend svg")).to_be_visible()
        expect(page.locator("#ratings .bars")).to_be_visible()
        expect(page.locator("#groups.skeleton")).to_be_visible()
        expect(page.locator("#content")).to_have_attribute("aria-busy", "true")
        self.picture(page, "skeletons")
        heights = {name: page.locator(name).bounding_box()["height"] for name in ("#summary", "#groups")}
        page.unroute(API)
        for route in groups + before:
            route.continue_()
        expect(page.locator("table.groups")).to_be_visible()
        expect(page.locator("#trend .line.before")).to_be_visible()
        self.shows(page)
        for name, height in heights.items():
            self.assertAlmostEqual(page.locator(name).bounding_box()["height"], height, delta=60, msg=name)

    def test_a_question_takes_four_requests_and_the_score_comes_first(self):
        for more in ["", "&respondents=latest"]:
            with self.subTest(more):
                page = self.open("/?project=other")
                addresses = self.asked(page)
                page.goto(page.url.split("/?")[0] + DEMO + more)
                self.shows(page)
                expect(page.locator("table.groups")).to_be_visible()
                self.assertEqual(len(addresses), 4, addresses)
                first, *others = addresses
                self.assertIn("startDate=2014-08-01", first)
                self.assertTrue("compare=previous" in first and "groupBy" not in first, first)
                self.assertTrue(all("interval" in one or "groupBy" in one for one in others), others)

    def test_other_requests_do_not_wait_long_for_the_score(self):
        page = self.open("/?project=other")
        held = self.held(
            page, "startDate=2014-08-01&endDate=2015-08-01&timezone=Europe%2FPrague&confidence=95&compare"
        )
        page.goto(page.url.split("/?")[0] + DEMO)
        expect(page.locator("table.groups")).to_be_visible()
        expect(page.locator("#summary.skeleton")).to_be_visible()
        for route in held:
            route.continue_()
        expect(page.locator("#nps")).to_have_text("−52.4")

    def test_only_the_last_question_counts(self):
        page = self.shows(self.open(DEMO))
        held = []
        page.route(
            API,
            lambda route: held.append(route) if "interval=week" in route.request.url else route.continue_(),
        )
        self.choose(page, "interval", "week")
        expect(page.locator("#content")).to_have_attribute("aria-busy", "true")
        while not held:
            page.wait_for_timeout(20)
        self.choose(page, "interval", "quarter")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by quarter")
        self.assertTrue(held)
        for route in held:
            route.abort()
        page.wait_for_timeout(200)
        expect(page.locator("#trend h2")).to_have_text("Score and responses by quarter")

    def test_an_empty_period_shows_the_way_to_one_that_has_data(self):
        page = self.open(between("2020-01-01", "2020-02-01"))
        expect(page.locator("#empty h1")).to_have_text("No surveys shown 1 – 31 Jan 2020.")
        expect(page.locator("#empty")).to_contain_text("The data is from 1970 to 2015.")
        self.picture(page, "empty")
        page.click("text=Show 2015 (283 surveys shown)")
        expect(page.locator("[data-control=period]")).to_contain_text("1 Jan – 31 Dec 2015")
        expect(page.locator(".volumes .figure").first).to_have_text("283")
        self.shows(page)
        self.assertEqual(page.evaluate("scrollY"), 0)

    def test_filters_that_match_nothing_can_be_removed(self):
        page = self.open(DEMO + "&filter=cabin=eq:Nowhere")
        expect(page.locator("#empty h1")).to_have_text("Nothing matches these filters.")
        expect(page.locator(".beside")).to_have_count(0)
        page.evaluate("document.body.style.minHeight = '3000px'; scrollTo(0, 100)")
        page.locator("text=Remove the filters").dispatch_event("click")
        expect(page.locator("#nps")).to_have_text("−52.4")
        self.assert_top_is_visible(self.shows(page))

    def assert_top_is_visible(self, page):
        below_bar = """(() => {
          const box = (selector) => document.querySelector(selector).getBoundingClientRect();
          return box("h1").top - box("#bar").bottom;
        })()"""
        self.assertEqual(page.evaluate("scrollY"), 0)
        self.assertGreaterEqual(page.evaluate(below_bar), 0)

    def set_zone(self, page, zone):
        page.click("[data-control=more]")
        page.click("[data-control=zone]")
        page.get_by_label("Search time zones").fill(zone)
        page.keyboard.press("Enter")

    def refuse_zone(self, page):
        """Chooses a zone that an older API does not know."""
        refusal = failing("invalid_parameter", 400, source={"parameter": "timezone"})
        page.route(API, lambda route: refusal(route) if "Tokyo" in route.request.url else route.continue_())
        self.set_zone(page, "Asia/Tokyo")

    def test_a_control_that_is_refused_leaves_the_page_as_it_was(self):
        page = self.shows(self.open(DEMO))
        self.set_zone(page, "Europe/Pargue")
        expect(page.locator(".setting .option")).to_have_count(0)
        expect(page.locator(".setting .hint")).to_have_text("Nothing found")
        self.assertIn("timezone=Europe/Prague&", page.url)
        page.click("#nps")
        self.refuse_zone(page)
        expect(page.locator("#beside-zone")).to_have_text(
            "The API does not accept this question. Words of the API.Use Europe/PragueWhat is shown below has not changed."
        )
        expect(page.locator("#content")).to_have_attribute("aria-busy", "false")
        expect(page.locator(".loading")).to_have_count(0)
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator("table.groups")).to_be_visible()
        self.picture(page, "refused-zone")

    def test_the_cards_that_a_refused_question_left_change_the_question_that_they_answer(self):
        for narrows in (False, True):
            page = self.shows(self.open(DEMO))
            self.refuse_zone(page)
            expect(page.locator("#beside-zone")).to_contain_text("Words of the API.")
            if narrows:
                page.click("table.groups .group-name >> nth=0")
                expect(page.locator("[data-control=filter-0]")).to_contain_text("cabin is Economy")
            else:
                page.click("[data-control=group]")
                page.get_by_label("Search traits").fill("country")
                page.keyboard.press("Enter")
            self.shows(page)
            expect(page.locator(".beside")).to_have_count(0)
            self.assertIn("timezone=Europe/Prague&", page.url)

    def test_responses_can_be_absent_where_there_are_displays(self):
        page = self.open(DEMO)
        none = figures(0, 0, 0) | {"displays": 7, "dismissed": 2}
        dates = {"start": "2014-08-01T00:00:00.000+02:00", "end": "2014-09-01T00:00:00.000+02:00"}
        group = {"group": None, "other": False}
        page.route(API, answering(lambda parameters: [dates | group | none]))
        page.click("text=Refresh")
        expect(page.locator("#nps")).to_have_text("–")
        expect(page.locator(".score")).to_contain_text("There is no response in this period.")
        expect(page.locator("table.groups")).to_contain_text("no valueno responses0––")
        expect(page.locator("#ratings")).to_be_hidden()
        expect(page.locator("#trend .key, #trend .line, .ends")).to_have_count(0)
        self.assertNotIn("100", page.locator(TEXTS).all_text_contents())

    def test_every_error_of_the_api_is_explained_and_leaves_the_last_figures(self):
        for code, (status, title) in ERRORS.items():
            with self.subTest(code):
                page = self.shows(self.open(DEMO))
                page.route(API, failing(code, status))
                page.click("text=Refresh")
                place = page.locator("#beside-period" if code == "period_too_large" else ".stale-note")
                expect(place).to_contain_text(f"{title}. Words of the API.")
                self.picture(page, f"error-{code}")
                expect(page.locator("#nps")).to_have_text("−52.4")
                self.shows(page)
                expect(page.locator(".stale")).to_have_count(0 if code == "period_too_large" else 4)
                page.unroute(API)
                again = page.get_by_role("button", name="Try again")
                if again.count():
                    again.click()
                    expect(page.locator(".stale, .stale-note, .beside")).to_have_count(0)

    def test_every_error_is_explained_where_there_are_no_figures(self):
        page = self.open("/?nonsense")
        page.route(API, failing("unavailable", 503))
        page.goto(demo().url + DEMO)
        expect(page.locator(".state h1")).to_have_text("The service is busy")
        page.unroute(API)
        page.get_by_role("button", name="Try again").click()
        expect(page.locator("#nps")).to_have_text("−52.4")

    def test_a_question_that_is_too_long_is_explained(self):
        for status in (414, 431):
            with self.subTest(status):
                page = self.shows(self.open(DEMO))
                page.route(API, lambda route: route.fulfill(status=status))
                page.click("text=Refresh")
                expect(page.locator("#beside-filter")).to_contain_text(
                    "The question is too long. Remove some filters"
                )

    def test_half_of_a_period_that_is_too_large_is_offered(self):
        page = self.shows(self.open(DEMO))
        page.route(API, failing("period_too_large", 504))
        page.click("text=Refresh")
        expect(page.locator("#beside-period")).to_contain_text("Period too large")
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator("#beside-period")).to_contain_text("What is shown below has not changed.")
        expect(page.locator(".waiting")).to_have_count(0)
        self.picture(page, "too-large")
        self.assertEqual(self.save(page).suggested_filename, "feedback-demo-2014-08-01.csv")
        requests = []
        page.on("request", lambda request: requests.append(request.url))
        page.wait_for_timeout(1500)
        self.assertEqual(requests, [])
        page.unroute(API)
        page.click("text=Show the later half")
        expect(page.locator("[data-control=period]")).to_contain_text("30 Jan – 31 Jul 2015")

    def test_controls_work_after_a_failure(self):
        page = self.shows(self.open(DEMO))
        page.route(API, failing("period_too_large", 504))
        page.click("text=Refresh")
        expect(page.locator("#beside-period")).to_contain_text("Period too large")
        page.unroute(API)
        page.click("[data-control=period]")
        page.locator(".option", has_text="All").click()
        expect(page.locator("[data-control=period]")).to_contain_text("1 Jan 1970 – 31 Dec 2015")
        expect(page.locator(".volumes .figure").first).to_have_text("1,257")

    def test_a_part_that_fails_leaves_the_others(self):
        page = self.shows(self.open(DEMO))
        page.route(
            API,
            lambda route: (
                failing("response_too_large", 422, "Too many groups here.")(route)
                if "groupBy" in route.request.url
                else route.continue_()
            ),
        )
        page.click("text=Refresh")
        expect(page.locator("#groups .problem")).to_contain_text(
            "Response too large. Too many groups here."
        )
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator("#trend svg")).to_be_visible()
        asked = self.asked(page)
        page.unroute(API)
        page.locator("#groups").get_by_role("button", name="Try again").click()
        expect(page.locator("table.groups tbody tr")).to_have_count(2)
        self.shows(page)
        self.assertEqual(len(asked), 1, asked)
        fail = failing("unavailable", 503)
        page.route(API, lambda route: fail(route) if "startDate=2013" in route.request.url else route.continue_())
        page.click("text=Refresh")
        expect(page.locator("#trend .problem")).to_contain_text("could not be loaded")
        expect(page.locator(".change")).to_contain_text("up 8.8 from 1 Aug 2013 – 31 Jul 2014")
        page.unroute(API)
        page.locator("#trend").get_by_role("button", name="Try again").click()
        expect(page.locator("#trend .line.before")).to_be_visible()

    def test_an_answer_that_is_not_the_apis_is_reported_as_such(self):
        page = self.shows(self.open(DEMO))
        page.route(
            API,
            lambda route: route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>"),
        )
        page.click("text=Refresh")
        expect(page.locator(".stale-note")).to_contain_text(
            "It answered with status 502, and not as this API does."
        )

    def test_json_of_another_shape_is_reported_with_what_was_expected(self):
        page = self.shows(self.open(DEMO))
        for body, expected in [
            ({"data": []}, "data should have an element."),
            ({"data": [{"attributes": {}}]}, "data[0].attributes.responses is missing."),
            ([], "data should be an array."),
            (7, "data should be an array."),
            ({"errors": [None]}, "data should be an array."),
        ]:
            with self.subTest(body):
                page.route(
                    API, lambda route: route.fulfill(content_type="application/json", body=json.dumps(body))
                )
                page.click("text=Refresh")
                expect(page.locator(".stale-note")).to_contain_text("The server gave an unexpected answer")
                expect(page.locator(".stale-note")).to_contain_text(expected)
                expect(page.locator("#content")).to_have_attribute("aria-busy", "false")
                page.unroute(API)
                page.get_by_role("button", name="Try again").click()
                expect(page.locator(".stale")).to_have_count(0)

    def test_errors_of_another_shape_are_reported(self):
        page = self.shows(self.open(DEMO))
        page.route(
            API,
            lambda route: route.fulfill(
                status=400, content_type="application/json", body='{"errors":[null,{"code":4}]}'
            ),
        )
        page.click("text=Refresh")
        expect(page.locator(".stale-note")).to_contain_text(
            "It answered with status 400, and not as this API does."
        )

    def test_intervals_of_another_shape_leave_the_other_parts(self):
        page = self.shows(self.open(DEMO + "&respondents=latest"))

        def without_start(route):
            document = route.fetch().json()
            for element in document["data"]:
                element["attributes"].pop("start", None)
            route.fulfill(json=document)

        page.route(API, without_start)
        page.click("text=Refresh")
        expect(page.locator("#trend .problem")).to_contain_text(
            re.compile("data.0..attributes.start is missing. Try again$")
        )
        expect(page.locator("#nps")).to_have_text("−55.3")
        # A request that the test ends with would fail in the route.
        expect(page.locator("body")).not_to_have_class(re.compile("loading"))

    def test_a_lost_connection_leaves_the_last_figures_and_says_when_they_were(self):
        page = self.shows(self.open(DEMO))
        self.expected = lambda message: "ERR_INTERNET_DISCONNECTED" in message
        asked = []
        page.route(API, lambda route: (asked.append(route), route.abort("internetdisconnected")))
        page.get_by_label("What the period is compared with").select_option("vs nothing")
        expect(page.locator(".stale-note")).to_contain_text(
            re.compile(
                rf"^No connection\. Nothing answers at {re.escape(demo().url)}: is feedback serve running there\? *"
                r"Figures of \d{1,2}:\d\d( UTC)?: "
                r"demo · 1 Aug 2014 – 31 Jul 2015 · by month · [\w/]+\. *Try again$"
            )
        )
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator(".stale .change")).to_contain_text("up 8.8")
        self.picture(page, "offline")
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".stale-note")).to_be_visible()
        page.unroute(API)
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".stale, .stale-note, .change")).to_have_count(0)
        # The same question, a day later.
        self.shows(page).route(API, lambda route: route.abort("internetdisconnected"))
        page.clock.install(time=time.time() + 86_400)
        page.click("text=Refresh")
        expect(page.locator(".stale-note")).to_contain_text(
            re.compile(r"Figures of \d{1,2} \w+(,| at) \d{1,2}:\d\d( UTC)?\.Try again$")
        )

    def test_a_key_that_is_revoked_is_forgotten_and_asked_for_again(self):
        self.keeps_key = True
        page = self.shows(self.open(DEMO))
        page.route(API, failing("unauthenticated", 401))
        page.click("text=Refresh")
        expect(page.locator(".problem")).to_have_text(
            "This key is not accepted: it is mistyped, or has been revoked."
        )
        self.picture(page, "refused")
        page.unroute(API)
        page.fill("input[type=password]", "demo-read-key-0000")
        page.click("button:text('Open')")
        expect(page.locator("#nps")).to_have_text("−52.4")
        self.assert_top_is_visible(self.shows(page))


class OwnData(Case):
    keeps_key = True
    keys = ("a-key-of-nobody-0000", "a-key-of-fresh-0000")
    refused = (401, 403)

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        feedback(
            "credentials",
            "create",
            "--may",
            "statistics",
            "--project",
            "fresh",
            "--data",
            str(Path(cls.folder.name) / "data"),
            "--secret-stdin",
            input="a-key-of-fresh-0000",
        )
        cls.served = Served(
            "serve",
            "--dynamodb-listen",
            "127.0.0.1:0",
            "--data",
            str(Path(cls.folder.name) / "data"),
            "--demo",
        )
        cls.addClassCleanup(cls.served.stop)

    def test_a_new_project_names_the_next_commands(self):
        page = self.open("/?project=fresh", self.served)
        expect(page.locator(".field .hint")).to_contain_text(
            "feedback credentials create --project fresh --may statistics --data DIR"
        )
        expect(page.locator(".state")).to_contain_text("Feedback shows the Net Promoter Score of a project")
        expect(page.locator(".field .hint")).to_contain_text("A Read Key reads the figures of one project.")
        self.assertEqual(page.locator(".hint code").evaluate("code => getComputedStyle(code).display"), "inline")
        page.fill("input[type=password]", "a-key-of-fresh-0000")
        page.click("button:text('Open')")
        expect(page.locator("#empty h1")).to_have_text("No data yet")
        command = page.locator("#empty code").text_content()
        self.assertEqual(command, "feedback import responses FILE --project fresh --data DIR")
        record = '{"created":"2026-01-01T00:00:00Z","rating":9}'
        command = command.replace("feedback ", f"{FEEDBACK} ", 1).replace("FILE", "-")
        command = command.replace("DIR", f"{self.folder.name}/data")
        imported = subprocess.run(
            command, shell=True, check=True, capture_output=True, text=True, input=record
        ).stdout
        self.assertIn("responses: 1 written", imported)
        expect(page.locator("#empty button")).to_have_text(["Refresh"])
        self.picture(page, "new-project")

    def test_a_key_of_another_project_and_a_wrong_one_are_refused(self):
        page = self.open("/?project=acme", self.served)
        expect(page.locator("h1")).to_have_text("Open a project")
        for key, problem in [
            ("a-key-of-nobody-0000", "This key is not accepted"),
            ("demo-read-key-0000", "This key is not for the project acme."),
        ]:
            page.fill("input[type=password]", key)
            page.click("button:text('Open')")
            expect(page.locator(".problem")).to_contain_text(problem)


if __name__ == "__main__":
    unittest.main()
