"""Getting around: from a period to another and back, with a mouse, a finger and the keyboard."""

import re
from datetime import datetime, timedelta, timezone

from playwright.sync_api import expect

from answers import PERIOD
from support import DEMO, DEMO_KEY, SCREENSHOTS, Case, Served, between, demo, project

SPRING = between("2015-04-01", "2015-07-01")


class Around(Case):
    def over(self, page, month):
        box = page.locator(".over").bounding_box()
        return box["x"] + box["width"] * (month + 0.5) / 12, box["y"] + 100

    def test_presets_arrows_and_the_keyboard_keep_the_kind_of_comparison(self):
        for kind in ["", "year", "none"]:
            page = self.shown(SPRING)
            control = page.locator("[data-control=comparison]")
            control.select_option(kind)
            page.click("[data-control=previous]")
            self.assert_period(page, "1 Jan – 31 Mar 2015")
            expect(control).to_have_value(kind)
            self.press(self.shows(page), "Home", "Enter")
            self.assert_period(page, "1 – 31 Jan 2015")
            expect(control).to_have_value(kind)
            self.pick(page, "period", "This month")
            expect(control).to_have_value(kind)
            self.assertIn("period=this-month", page.url)

    def test_a_target_is_drawn_and_said_and_survives_another_period(self):
        page = self.shown(DEMO)
        page.click("[data-control=more]")
        page.locator("[data-control=target]").fill("-40")
        page.keyboard.press("Enter")
        expect(page.locator("#target")).to_have_text("12.4 below the target of −40.")
        expect(page.locator("#trend path.target")).to_have_count(1)
        expect(page.locator("#trend .legend .target")).to_have_text("target −40")
        expect(page.locator("#trend svg .target")).to_have_text(["", "target −40"])
        self.assertIn("&target=-40", page.url)
        self.picture(page, "target")
        page.click("[data-control=previous]")
        expect(self.shows(page).locator("#target")).to_contain_text("the target of −40.")
        self.assertIn("target=-40", page.url)

    def test_arrows_lead_to_the_neighbors_of_a_period_but_not_into_the_future(self):
        page = self.shown(SPRING)
        page.click("[data-control=next]")
        self.assert_period(page, "1 Jul – 30 Sep 2015")
        expect(page.locator("[data-control=next]")).to_be_focused()
        self.pick(page, "period", "Last 7 days")
        expect(page.locator("[data-control=next]")).to_be_disabled()

    def test_the_period_that_was_narrowed_is_one_click_away_and_in_the_address(self):
        page = self.shown(DEMO.replace("month", "week"))
        self.press(page, "End", "Enter")
        self.assert_period(page, "27 – 31 Jul 2015")
        self.picture(self.shows(page), "narrowed")
        page.click("[data-control=previous]")
        page.reload()
        back = page.get_by_label("Back to 1 Aug 2014 – 31 Jul 2015")
        expect(back).to_have_text("×")
        back.click()
        self.assert_period(page, "1 Aug 2014 – 31 Jul 2015")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by week")
        expect(back).to_have_count(0)

    def test_records_after_today_are_said_reached_and_marked_as_such(self):
        now = datetime.now(timezone.utc)
        days = [*range(-40, 0), *range(400, 405)]
        created = [(now + timedelta(day)).isoformat(timespec="milliseconds") for day in days]
        records = "".join(f'{{"created": "{at}", "rating": 9}}\n' for at in created)
        suggestion = {"project": "ahead", "readKey": DEMO_KEY, "group": None}
        served = project("ahead", DEMO_KEY, records, suggestion=suggestion)
        page = self.shown("/?project=ahead&timezone=UTC", served)
        self.assert_responses(page, "40")
        page.get_by_role("button", name="5 responses are after today").click()
        self.assert_responses(self.shows(page), "45")
        expect(page.locator("#trend .key.partial").last).to_have_text("after today")
        self.picture(page, "ahead")
        self.go(page, "/?project=ahead&timezone=UTC&period=7d")
        self.pick(page, "period", "All")
        self.assert_responses(page, "45")

    def test_a_click_on_an_interval_narrows_the_period_to_it(self):
        page = self.shown(DEMO)
        page.mouse.move(*self.over(page, 9))
        said = "May 2015NPS −71.2 (−83.9\u00a0to\u00a0−50.7)52 responses to 52 surveys shown"
        expect(page.locator(".tip")).to_contain_text(said)
        self.picture(page, "pointer")
        page.mouse.click(*self.over(page, 9))
        self.assert_period(page, "1 – 31 May 2015")
        within = "within=2014-08-01/2015-08-01/month&interval=day"
        self.assertIn(f"start=2015-05-01&end=2015-06-01&{within}", page.url)

    def test_dragging_over_the_chart_narrows_the_period_to_its_intervals_wherever_it_ends(self):
        for first, last, period in [
            (10, lambda box: (box["x"] + box["width"] * 8.5 / 12, box["y"] + 100), "1 Apr – 30 Jun 2015"),
            (4, lambda box: (box["x"] + box["width"] + 30, 10), "1 Dec 2014 – 31 Jul 2015"),
            (4, lambda box: (box["x"] - 40, box["y"] + 500), "1 Aug – 31 Dec 2014"),
        ]:
            page = self.shown(DEMO)
            box = page.locator(".over").bounding_box()
            page.mouse.move(*self.over(page, first))
            page.mouse.down()
            page.mouse.move(*self.over(page, first - 1))
            page.mouse.move(*last(box))
            expect(page.locator(".selection")).to_be_visible()
            page.screenshot(path=SCREENSHOTS / "dragging.png")
            page.mouse.up()
            self.assert_period(page, period)

    def test_a_drag_shows_the_figures_of_its_range_and_escape_ends_it(self):
        page = self.shown(DEMO)
        tip = page.locator(".tip")
        page.mouse.move(*self.over(page, 5))
        expect(tip).to_contain_text("January 2015")
        self.assertGreater(tip.bounding_box()["x"], self.over(page, 5)[0])
        page.mouse.move(*self.over(page, 9))
        page.mouse.down()
        page.mouse.move(*self.over(page, 10))
        expect(tip).to_contain_text(re.compile("^1 May – 30 Jun 2015107 responses to 107 surveys shown"))
        page.keyboard.press("Escape")
        expect(page.locator(".selection")).to_be_hidden()
        expect(tip).to_contain_text("June 2015NPS −16.4")
        page.mouse.up()
        page.wait_for_timeout(100)
        self.assertIn(PERIOD, page.url)

    def test_a_touch_shows_its_figures_below_the_chart_and_a_second_one_narrows_the_period(self):
        address = DEMO.replace("cabin", "airline") + "&line=virgin-atlantic-airways"
        size = {"width": 320, "height": 1200}
        page = self.shown(address, has_touch=True, is_mobile=True, viewport=size)
        readout, trend = page.locator(".readout"), page.locator("#trend")
        expect(readout).to_have_text("Touch an interval for its figures, and again to narrow the period to it.")
        height = trend.bounding_box()["height"]
        page.touchscreen.tap(*self.over(page, 9))
        expect(readout).to_contain_text("May 2015NPS −71.2")
        expect(page.locator(".tip")).to_be_hidden()
        self.assertAlmostEqual(trend.bounding_box()["height"], height, delta=2)
        self.assert_no_sideways_scrolling(page)
        chart = page.locator(".trend-chart").bounding_box()
        self.assertGreaterEqual(readout.bounding_box()["y"], chart["y"] + chart["height"])
        self.picture(page, "touched")
        self.assertIn(PERIOD, page.url)
        page.touchscreen.tap(*self.over(page, 9))
        self.assert_period(page, "1 – 31 May 2015")

    def test_on_a_phone_options_are_in_the_first_row_and_at_768_pixels_nothing_wraps_alone(self):
        page = self.shown(DEMO, viewport={"width": 390, "height": 800})
        top = lambda name: page.locator(f"[data-control={name}]").bounding_box()["y"]
        self.assertEqual(top("sheet"), top("project"))
        self.assertAlmostEqual(top("line"), page.locator("#trend h2").bounding_box()["y"], delta=20)
        page.set_viewport_size({"width": 768, "height": 900})
        # The bar is drawn again soon after the size changes; until then, its controls are those of a phone.
        expect(page.locator("[data-control=more]")).to_be_visible()
        self.assertEqual({top(name) for name in ("period", "more")}, {top("project")})
        self.assertAlmostEqual(top("comparison"), top("filter"), delta=1)
        self.assertLess(page.locator("td.since").first.bounding_box()["height"], 75)

    def test_a_key_in_the_address_goes_into_the_session_before_the_first_request(self):
        # The address that is opened has the key.
        self.keys, self.keeps_key = (), True
        page = self.open("/?scale=nonsense", demo().plain())
        seen = []
        page.on("request", lambda request: seen.append(page.url) if "/api/" in request.url else None)
        page.goto(f"{DEMO}#key={DEMO_KEY}")
        expect(page.locator("#nps")).to_have_text("−52.4")
        self.assertTrue(seen)
        self.assertFalse([url for url in [*seen, page.url] if "#" in url])
        self.assertEqual(page.evaluate("sessionStorage['feedback.read-key.demo']"), DEMO_KEY)
        page.reload()
        expect(page.locator("#nps")).to_have_text("−52.4")

    def test_the_page_for_an_api_elsewhere_opens_its_project_with_the_key_of_its_address(self):
        self.keys, self.keeps_key = (), True
        served = Served("serve", "--url", demo().url, "--project", "demo", FEEDBACK_READ_KEY=DEMO_KEY)
        self.addCleanup(served.stop)
        page = self.open(f"/?{PERIOD}&timezone=Europe/Prague&project=demo#key={DEMO_KEY}", served)
        expect(page.locator("#nps")).to_have_text("−52.4")
        self.assertIn("project=demo", page.url)

    def test_the_outline_is_drawn_before_any_script(self):
        page = self.open("/?scale=nonsense")
        held = []
        page.route("**/*.js", lambda route: held.append(route))
        page.goto(DEMO, wait_until="commit")
        expect(page.locator("#trend.skeleton")).to_be_visible()
        self.picture(page, "outline")
        for route in held:
            route.continue_()
