"""Getting around: from a period to another and back, with a mouse, a finger and the keyboard."""

import re
import unittest

from playwright.sync_api import expect

from support import DEMO, SCREENSHOTS, Case, Served, demo

PERIOD = "start=2014-08-01&end=2015-08-01"
SPRING = DEMO.replace(PERIOD, "start=2015-04-01&end=2015-07-01")


class Around(Case):
    def over(self, page, month):
        box = page.locator(".over").bounding_box()
        return box["x"] + box["width"] * (month + 0.5) / 12, box["y"] + 100

    def test_presets_drags_and_arrows_keep_the_kind_of_comparison(self):
        comparison = "[data-control=comparison]"
        for kind, month in [
            ("vs 3 months earlier", "vs a month earlier"),
            ("vs a year earlier", "vs a year earlier"),
            ("vs nothing", "vs nothing"),
        ]:
            with self.subTest(kind):
                page = self.shows(self.open(SPRING))
                page.select_option(comparison, label=kind)
                page.click("[data-control=previous]")
                expect(page.locator("[data-control=period]")).to_contain_text("1 Jan – 31 Mar 2015")
                expect(page.locator(f"{comparison} option:checked")).to_have_text(kind)
                self.shows(page).locator("#trend [role=slider]").focus()
                page.keyboard.press("Home")
                page.keyboard.press("Enter")
                expect(page.locator("[data-control=period]")).to_contain_text("1 – 31 Jan 2015")
                expect(page.locator(f"{comparison} option:checked")).to_have_text(month)
                page.click("[data-control=period]")
                page.locator(".option", has_text="This month").click()
                expect(page.locator(f"{comparison} option:checked")).to_have_text(month)

    def test_arrows_lead_to_the_neighbors_of_a_period_but_not_into_the_future(self):
        page = self.shows(self.open(SPRING))
        page.click("[data-control=next]")
        expect(page.locator("[data-control=period]")).to_contain_text("1 Jul – 30 Sept 2015")
        expect(page.locator("[data-control=next]")).to_be_focused()
        page.click("[data-control=period]")
        page.locator(".option", has_text="Last 7 days").click()
        expect(page.locator("[data-control=next]")).to_be_disabled()

    def test_the_period_that_was_narrowed_is_one_click_away_and_in_the_address(self):
        page = self.shows(self.open(DEMO.replace("month", "week")))
        page.locator("#trend [role=slider]").focus()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        expect(page.locator("[data-control=period]")).to_contain_text("27 – 31 Jul 2015")
        self.picture(self.shows(page), "narrowed")
        page.click("[data-control=previous]")
        page.reload()
        back = page.get_by_label("Back to 1 Aug 2014 – 31 Jul 2015")
        expect(back).to_have_text("×")
        back.click()
        expect(page.locator("[data-control=period]")).to_contain_text("1 Aug 2014 – 31 Jul 2015")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by week")
        expect(back).to_have_count(0)

    def test_a_drag_shows_the_figures_of_its_range_and_escape_ends_it(self):
        page = self.shows(self.open(DEMO))
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
        page = self.shows(self.open(address, has_touch=True, is_mobile=True, viewport=size))
        readout = page.locator(".readout")
        expect(readout).to_have_text("Touch an interval for its figures, and again to narrow the period to it.")
        height = page.locator("#trend").bounding_box()["height"]
        page.touchscreen.tap(*self.over(page, 9))
        expect(readout).to_contain_text("May 2015NPS −71.2")
        expect(page.locator(".tip")).to_be_hidden()
        self.assertAlmostEqual(page.locator("#trend").bounding_box()["height"], height, delta=2)
        self.assert_no_sideways_scrolling(page)
        chart = page.locator(".trend-chart").bounding_box()
        self.assertGreaterEqual(readout.bounding_box()["y"], chart["y"] + chart["height"])
        self.picture(page, "touched")
        self.assertIn(PERIOD, page.url)
        page.touchscreen.tap(*self.over(page, 9))
        expect(page.locator("[data-control=period]")).to_contain_text("1 – 31 May 2015")

    def test_on_a_phone_options_are_in_the_first_row_and_at_768_pixels_nothing_wraps_alone(self):
        page = self.shows(self.open(DEMO, viewport={"width": 390, "height": 800}))
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
        page = self.open("/?nonsense", demo().plain())
        seen = []
        page.on("request", lambda request: seen.append(page.url) if "/api/" in request.url else None)
        page.goto(demo().url + DEMO + "#key=demo-read-key-0000")
        expect(page.locator("#nps")).to_have_text("−52.4")
        self.assertTrue(seen)
        self.assertFalse([url for url in [*seen, page.url] if "#" in url])
        self.assertEqual(page.evaluate("sessionStorage['feedback.read-key.demo']"), "demo-read-key-0000")
        page.reload()
        expect(page.locator("#nps")).to_have_text("−52.4")

    def test_the_page_for_an_api_elsewhere_opens_its_project_with_the_key_of_its_address(self):
        self.keys, self.keeps_key = (), True
        options = ["--url", demo().url, "--project", "demo"]
        served = Served("serve", *options, FEEDBACK_READ_KEY="demo-read-key-0000")
        self.addCleanup(served.stop)
        self.assertIn("/?project=demo#key=demo-read-key-0000", served.written())
        period = "start=2014-08-01&end=2015-08-01&timezone=Europe/Prague"
        page = self.open(f"/?{period}&project=demo#key=demo-read-key-0000", served)
        expect(page.locator("#nps")).to_have_text("−52.4")
        self.assertIn("project=demo", page.url)

    def test_the_outline_is_drawn_before_any_script(self):
        page = self.open("/?nonsense")
        held = []
        page.route("**/*.js", lambda route: held.append(route))
        page.goto(demo().url + DEMO, wait_until="commit")
        expect(page.locator("#trend.skeleton")).to_be_visible()
        self.picture(page, "outline")
        for route in held:
            route.continue_()


if __name__ == "__main__":
    unittest.main()
