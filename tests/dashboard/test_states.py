"""What the page shows when there are no figures to show, or not yet."""

import re
import subprocess
import time

from playwright.sync_api import expect

from answers import TEXTS, answering, failing, figures, only
from support import API, DEMO, DEMO_KEY, FEEDBACK, Case, between, demo, project

ERRORS = {
    "period_too_large": (504, "Period too large"),
    "response_too_large": (422, "Response too large"),
    "too_many_requests": (429, "Too many requests"),
    "unavailable": (503, "The service is busy"),
    "internal": (500, "The service failed"),
    "invalid_parameter": (400, "The API does not accept this question"),
    "bad_gateway": (502, "The API cannot be reached"),
    "something_new": (418, "Something new"),
}
TOO_LARGE = failing("period_too_large", 504)
UNAVAILABLE = failing("unavailable", 503)


class States(Case):
    refused = tuple({status for status, _ in ERRORS.values()} | {401, 403, 414, 431})

    def assert_top_is_visible(self, page):
        box = "document.querySelector('{}').getBoundingClientRect()"
        below_bar = f"{box.format('h1')}.top - {box.format('#bar')}.bottom"
        self.assertEqual(page.evaluate("scrollY"), 0)
        self.assertGreaterEqual(page.evaluate(below_bar), 0)

    def refuse_zone(self, page):
        """Chooses a zone that an older API does not know."""
        page.route(API, only("Tokyo", failing("invalid_parameter", 400, source={"parameter": "timezone"})))
        self.choose(page, "zone", "Asia/Tokyo")
        page.keyboard.press("Escape")

    def test_each_card_is_drawn_when_its_answer_comes(self):
        page = self.open("/?project=other")
        groups, before = self.held(page, "groupBy="), self.held(page, "startDate=2013-08-01&endDate=2014-08-01")
        page.goto(DEMO)
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
                expect(self.go(page, DEMO + more).locator("table.groups")).to_be_visible()
                self.assertEqual(len(addresses), 4, addresses)
                first, *others = addresses
                self.assertIn("startDate=2014-08-01", first)
                self.assertTrue("compare=previous" in first and "groupBy" not in first, first)
                self.assertTrue(all("interval" in one or "groupBy" in one for one in others), others)

    def test_other_requests_do_not_wait_long_for_the_score(self):
        page = self.open("/?project=other")
        whole = "startDate=2014-08-01&endDate=2015-08-01&timezone=Europe%2FPrague&confidence=95&compare"
        held = self.held(page, whole)
        page.goto(DEMO)
        expect(page.locator("table.groups")).to_be_visible()
        expect(page.locator("#summary.skeleton")).to_be_visible()
        for route in held:
            route.continue_()
        expect(page.locator("#nps")).to_have_text("−52.4")

    def test_only_the_last_question_counts(self):
        page = self.shown(DEMO)
        held = self.held(page, "interval=week")
        self.choose(page, "interval", "week")
        expect(page.locator("#content")).to_have_attribute("aria-busy", "true")
        while not held:
            page.wait_for_timeout(20)
        self.choose(page, "interval", "quarter")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by quarter")
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
        self.assert_period(page, "1 Jan – 31 Dec 2015")
        self.assert_responses(page, "283")
        self.assertEqual(self.shows(page).evaluate("scrollY"), 0)

    def test_filters_that_match_nothing_can_be_removed(self):
        page = self.open(DEMO + "&filter=cabin=eq:Nowhere")
        expect(page.locator("#empty h1")).to_have_text("Nothing matches these filters.")
        expect(page.locator(".beside")).to_have_count(0)
        page.evaluate("document.body.style.minHeight = '3000px'; scrollTo(0, 100)")
        page.locator("text=Remove the filters").dispatch_event("click")
        expect(page.locator("#nps")).to_have_text("−52.4")
        self.assert_top_is_visible(self.shows(page))

    def test_a_control_that_is_refused_leaves_the_page_as_it_was(self):
        page = self.shown(DEMO)
        self.refuse_zone(page)
        said = "The API does not accept this question. Words of the API."
        left = "What is shown below has not changed."
        expect(page.locator("#beside-zone")).to_have_text(f"{said}Use Europe/Prague{left}")
        self.shows(page)
        expect(page.locator(".loading")).to_have_count(0)
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator("table.groups")).to_be_visible()
        self.picture(page, "refused-zone")

    def test_the_cards_that_a_refused_question_left_change_the_question_that_they_answer(self):
        for narrows in (False, True):
            page = self.shown(DEMO)
            self.refuse_zone(page)
            expect(page.locator("#beside-zone")).to_contain_text("Words of the API.")
            if narrows:
                page.click("table.groups .group-name >> nth=0")
                expect(page.locator("[data-control=filter-0]")).to_contain_text("cabin is Economy")
            else:
                self.menu(page, "group")
                self.enter(page, "Search traits", "country")
            self.shows(page)
            expect(page.locator(".beside")).to_have_count(0)
            self.assertIn("timezone=Europe/Prague&", page.url)

    def test_responses_can_be_absent_where_there_are_displays(self):
        page = self.open(DEMO)
        dates = {"start": "2014-08-01T00:00:00.000+02:00", "end": "2014-09-01T00:00:00.000+02:00"}
        none = figures(0, 0, 0) | dates | {"displays": 7, "dismissed": 2, "group": None, "other": False}
        self.refresh(page, answering(lambda parameters: [none]))
        expect(page.locator("#nps")).to_have_text("–")
        expect(page.locator(".score")).to_contain_text("There is no response in this period.")
        expect(page.locator("table.groups")).to_contain_text("no valueno responses0––")
        expect(page.locator("#ratings")).to_be_hidden()
        expect(page.locator("#trend .key, #trend .line, .ends")).to_have_count(0)
        self.assertNotIn("100", page.locator(TEXTS).all_text_contents())

    def test_every_error_of_the_api_is_explained_and_leaves_the_last_figures(self):
        for code, (status, title) in ERRORS.items():
            with self.subTest(code):
                page = self.shown(DEMO)
                self.refresh(page, failing(code, status))
                place = page.locator("#beside-period" if code == "period_too_large" else ".stale-note")
                expect(place).to_contain_text(f"{title}. Words of the API.")
                self.picture(page, f"error-{code}")
                expect(page.locator("#nps")).to_have_text("−52.4")
                self.shows(page)
                expect(page.locator(".stale")).to_have_count(0 if code == "period_too_large" else 4)
                if page.get_by_role("button", name="Try again").count():
                    self.again(page)
                    expect(page.locator(".stale, .stale-note, .beside")).to_have_count(0)

    def test_every_error_is_explained_where_there_are_no_figures(self):
        page = self.open(DEMO, respond=UNAVAILABLE)
        expect(page.locator(".state h1")).to_have_text("The service is busy")
        self.again(page)
        expect(page.locator("#nps")).to_have_text("−52.4")

    def test_half_of_a_period_that_is_too_large_is_offered_and_other_controls_work(self):
        page = self.shown(DEMO)
        self.refresh(page, TOO_LARGE)
        expect(page.locator("#beside-period")).to_contain_text("Period too large")
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator("#beside-period")).to_contain_text("What is shown below has not changed.")
        expect(page.locator(".waiting")).to_have_count(0)
        self.picture(page, "too-large")
        requests = self.asked(page, "")
        page.wait_for_timeout(1500)
        self.assertEqual(requests, [])
        page.unroute(API)
        self.assertEqual(self.save(page).suggested_filename, "feedback-demo-2014-08-01-2015-07-31-by-month.csv")
        page.click("text=Show the later half")
        self.assert_period(page, "30 Jan – 31 Jul 2015")
        self.refresh(self.shows(page), TOO_LARGE)
        expect(page.locator("#beside-period")).to_contain_text("Period too large")
        page.unroute(API)
        self.pick(page, "period", "All")
        self.assert_period(page, "1 Jan 1970 – 31 Dec 2015")
        self.assert_responses(page, "1,257")

    def test_a_part_that_fails_leaves_the_others(self):
        page = self.shown(DEMO)
        self.refresh(page, only("groupBy", failing("unavailable", 503, "Too many groups here.")))
        said = "The service is busy. Too many groups here."
        expect(page.locator("#groups .problem")).to_contain_text(said)
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator("#trend svg")).to_be_visible()
        asked = self.asked(page)
        self.again(page, "#groups")
        expect(page.locator("table.groups tbody tr")).to_have_count(2)
        self.shows(page)
        self.assertEqual(len(asked), 1, asked)
        self.refresh(page, only("startDate=2013", UNAVAILABLE))
        expect(page.locator("#trend .problem")).to_contain_text("could not be loaded")
        expect(page.locator(".change")).to_contain_text("up 8.8 from ")
        self.again(page, "#trend")
        expect(page.locator("#trend .line.before")).to_be_visible()

    def test_an_answer_that_is_not_the_apis_is_reported(self):
        page = self.shown(DEMO)
        for status, body in [
            (502, "<h1>Bad gateway</h1>"),
            (400, '{"errors":[null,{"code":4}]}'),
            (200, '{"data":[{"attributes":{"nps":7}}]}'),
            (200, '{"data":[null],"meta":null}'),
            (200, '{"errors":[null]}'),
        ]:
            with self.subTest(body):
                kind = "text/html" if status == 502 else "application/json"
                self.refresh(page, lambda route: route.fulfill(status=status, content_type=kind, body=body))
                said = f"It answered with status {status}, and not as this API does."
                expect(page.locator(".stale-note")).to_contain_text(said)
                self.again(self.shows(page))
                expect(page.locator(".stale")).to_have_count(0)

    def test_a_lost_connection_leaves_the_last_figures_and_says_when_they_were(self):
        page = self.shown(DEMO)
        self.expected = lambda message: "ERR_INTERNET_DISCONNECTED" in message
        page.route(API, lambda route: route.abort("internetdisconnected"))
        page.get_by_label("What the period is compared with").select_option("vs nothing")
        nothing = f"No connection. Nothing answers at {demo().url}: is feedback serve running there?"
        question = r"demo · 1 Aug 2014 – 31 Jul 2015 · by month · [\w/]+\."
        since = rf" *Figures of \d{{1,2}}:\d\d( UTC)?: {question} *Try again$"
        note = page.locator(".stale-note")
        expect(note).to_contain_text(re.compile(f"^{re.escape(nothing)}{since}"))
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator(".stale .change")).to_contain_text("up 8.8")
        self.picture(page, "offline")
        with page.expect_request(API):
            page.get_by_role("button", name="Try again").click()
        expect(page.locator(".stale-note")).to_be_visible()
        self.again(page)
        expect(page.locator(".stale, .stale-note, .change")).to_have_count(0)
        # The same question, a day later.
        self.shows(page).clock.install(time=time.time() + 86_400)
        self.refresh(page, lambda route: route.abort("internetdisconnected"))
        since = re.compile(r"Figures of \d{1,2} \w+(,| at) \d{1,2}:\d\d( UTC)?\.Try again$")
        expect(note).to_contain_text(since)

    def test_a_key_that_is_revoked_is_forgotten_and_asked_for_again(self):
        self.keeps_key = True
        page = self.shown(DEMO)
        self.refresh(page, failing("unauthenticated", 401))
        said = "This key is not accepted: it is mistyped, or has been revoked."
        expect(page.locator(".problem")).to_have_text(said)
        self.picture(page, "refused")
        page.unroute(API)
        self.open_project(page, DEMO_KEY)
        expect(page.locator("#nps")).to_have_text("−52.4")
        self.assert_top_is_visible(self.shows(page))


class OwnData(Case):
    keeps_key = True
    keys = ("a-key-of-nobody-0000", "a-key-of-fresh-0000")
    refused = (401, 403)

    @classmethod
    def setUpClass(cls):
        cls.served = project("fresh", "a-key-of-fresh-0000", None, "--demo")
        cls.addClassCleanup(cls.served.stop)

    def test_a_new_project_names_the_next_commands(self):
        page = self.open("/?project=fresh", self.served)
        hint, creation = page.locator(".field .hint"), "feedback credentials create --project fresh"
        expect(hint).to_contain_text(f"{creation} --may statistics --data DIR")
        expect(page.locator(".state")).to_contain_text("Feedback shows the Net Promoter Score of a project")
        expect(hint).to_contain_text("A Read Key reads the figures of one project.")
        expect(page.locator(".hint code")).to_have_css("display", "inline")
        self.open_project(page, "a-key-of-fresh-0000")
        expect(page.locator("#empty h1")).to_have_text("No data yet")
        command = page.locator("#empty code").text_content()
        self.assertEqual(command, "feedback import responses FILE --project fresh --data DIR")
        command = command.replace("feedback ", f"{FEEDBACK} ", 1).replace("FILE", "-")
        command = command.replace("DIR", self.served.data).split()
        record = '{"created":"2026-01-01T00:00:00Z","rating":9}'
        imported = subprocess.run(command, check=True, capture_output=True, text=True, input=record)
        self.assertIn("responses: 1 written", imported.stdout)
        expect(page.locator("#empty button")).to_have_text(["Refresh"])
        self.picture(page, "new-project")

    def test_a_key_of_another_project_and_a_wrong_one_are_refused(self):
        page = self.open("/?project=acme", self.served)
        expect(page.locator("h1")).to_have_text("Open a project")
        for key, problem in [
            ("a-key-of-nobody-0000", "This key is not accepted"),
            (DEMO_KEY, "This key is not for the project acme."),
        ]:
            self.open_project(page, key)
            expect(page.locator(".problem")).to_contain_text(problem)
