"""The address: a link shows the same, and the browser's history works."""

from playwright.sync_api import expect

from support import CLIPBOARD, DEMO, Case, demo

EVERYTHING = (
    "/?project=demo&start=2013-01-01&end=2015-08-01&interval=week&weekStart=sunday"
    "&timezone=America/New_York&group=recommended&groupType=boolean"
    "&filter=cabin=ne:First%20Class&filter=legroom=number.gte:2&filter=recommended=boolean.ne:true"
)


class Address(Case):
    def test_an_address_restores_everything(self):
        page = self.shown(EVERYTHING)
        control = lambda name: page.locator(f"[data-control='{name}']")
        expect(control("project")).to_contain_text("demo")
        expect(control("period")).to_contain_text("1 Jan 2013 – 31 Jul 2015")
        control("more").click()
        expect(control("interval")).to_have_value("week")
        expect(control("zone")).to_have_value("America/New_York")
        expect(control("filter-0")).to_contain_text("cabin is not First Class")
        expect(control("filter-1")).to_contain_text("legroom is at least 2")
        expect(control("filter-2")).to_contain_text("recommended is not yes")
        expect(control("group").first).to_contain_text("recommended")
        expect(page).to_have_url(page.url.split("/?")[0] + EVERYTHING)

    def test_the_same_address_shows_a_colleague_elsewhere_the_same(self):
        here = self.shown(DEMO)
        there = self.shown(DEMO, timezone_id="Asia/Tokyo", locale="en-GB")
        for place in ["#nps", "#trend tbody", "table.groups"]:
            self.assertEqual(here.locator(place).text_content(), there.locator(place).text_content())

    def test_an_address_without_a_zone_takes_the_browsers(self):
        page = self.shown("/", timezone_id="Pacific/Auckland")
        self.assertIn("timezone=Pacific/Auckland", page.url)

    def test_weeks_begin_as_the_readers_locale_says_and_links_carry_it(self):
        for locale, start in [("en-US", "sunday"), ("en-GB", "monday")]:
            page = self.shown(DEMO.replace("month", "week"), locale=locale)
            self.assertIn(f"&weekStart={start}&", page.url)

    def test_back_and_forward_show_what_was_shown(self):
        page = self.shown(DEMO)
        self.choose(page, "interval", "quarter")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by quarter")
        page.go_back()
        expect(page.locator("#trend h2")).to_have_text("Score and responses by month")
        page.go_forward()
        expect(page.locator("#trend h2")).to_have_text("Score and responses by quarter")

    def test_what_the_page_cannot_show_is_reported_and_stays_in_the_address_until_one_goes_on_without(self):
        for parts in [
            ["scale=cabin", "filter=cabin"],
            ["before=later"],
            ["filter=legroom=number.gte:abc"],
        ]:
            with self.subTest(parts):
                address = "&".join([DEMO, *parts])
                page = self.shown(address)
                expect(page.locator(".state h1")).to_have_text("Part of this link is not understood")
                expect(page.locator(".state code")).to_have_text(parts)
                self.assertTrue(page.url.endswith(address))
                page.click("text=Open it without that")
                expect(page.locator("#nps")).to_be_visible()
                self.assertFalse([part for part in parts if part in page.url])

    def test_a_link_that_rolls_shows_the_days_until_today_in_its_zone_and_leads_to_one_of_dates(self):
        page = self.open("/?scale=nonsense", permissions=CLIPBOARD)
        self.set_clock(page, "Fri, 31 Jul 2015 22:30:00 GMT")
        for zone, dates in [("UTC", "1 Aug 2014 – 31 Jul 2015"), ("Europe/Prague", "1 Sep 2014 – 1 Aug 2015")]:
            link = f"/?project=demo&period=12mo&interval=month&timezone={zone}&group=cabin"
            self.assert_period(self.go(page, link), dates)
            self.assertEqual(page.url, demo().url + link)
        expect(page.locator("[data-control=period]")).to_have_text("Period: Last 12 months")
        panel = self.menu(page, "period")
        expect(panel.locator("[aria-pressed=true]")).to_contain_text("Last 12 months")
        panel.locator(".option", has_text="Last 30 days").click()
        self.assert_period(page, "3 Jul – 1 Aug 2015")
        self.assertIn("?project=demo&period=30d&interval=day&timezone=Europe/Prague&", self.shows(page).url)
        copied = "navigator.clipboard.readText()"
        page.click("[data-control=more]")
        self.picture(page, "rolling")
        for label, period in [
            ("Copy link to the last 30 days", "period=30d"),
            ("Copy link to these dates", "start=2015-07-03&end=2015-08-02"),
        ]:
            page.click(f"text={label}")
            expect(page.get_by_role("button", name="Copied").last).to_be_visible()
            self.assertEqual(page.evaluate(copied), page.url.replace("period=30d", period))
        self.set_clock(page, "Sat, 01 Aug 2015 22:30:00 GMT")
        page.get_by_role("button", name="Refresh").click()
        self.assert_period(page, "4 Jul – 2 Aug 2015")
        self.assertIn("period=30d", self.shows(page).url)
        # A day of it leads back to a period that rolls.
        page.locator(".over").click(position={"x": 5, "y": 100})
        self.assert_period(page, "4 Jul 2015")
        self.assertIn("&within=30d/day&", self.shows(page).url)
        page.click("[aria-label='Back to 4 Jul – 2 Aug 2015']")
        self.assertIn("?project=demo&period=30d&interval=day&", self.shows(page).url)
        page.click("[data-control=previous]")
        self.assert_period(page, "4 Jun – 3 Jul 2015")
        self.assertIn("?project=demo&start=2015-06-04&end=2015-07-04&", page.url)
        page.goto("/?project=demo&period=12m")
        expect(page.locator(".state code")).to_have_text("period=12m")
        expect(page.locator(".state")).to_contain_text("A period is 30d, 12w, 12mo, 1y, 2026, 2026-Q3,")

    def test_the_link_of_a_period_of_the_calendar_does_not_say_that_it_rolls(self):
        address = "/?project=demo&period=2015-Q2&interval=month&timezone=UTC&group=cabin"
        page = self.shown(address)
        page.click("[data-control=more]")
        expect(page.locator("[data-control=copy]")).to_have_text("Copy link")
        expect(page.locator("[data-control=copy-dates]")).to_have_count(0)

    def test_a_zone_that_the_api_does_not_know_is_refused_beside_its_control(self):
        self.refused = (400,)
        page = self.open(DEMO.replace("Europe/Prague", "Mars/Olympus"))
        expect(page.locator("#beside-zone")).to_contain_text('got "Mars/Olympus"Use Europe/Prague')
        expect(page.locator("[data-control=more]")).to_have_attribute("aria-describedby", "beside-zone")
        expect(page.locator(".state")).to_contain_text("The message above says what to change.")
        self.picture(page, "unknown-zone")
        page.click("text=Use Europe/Prague")
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator(".beside")).to_have_count(0)
