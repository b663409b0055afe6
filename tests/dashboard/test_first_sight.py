"""The demo as it appears when nothing has been typed."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from playwright.sync_api import expect

from support import DEMO, Case, ask, between, decimal, interval, sample


class FirstSight(Case):
    def test_the_sample_shows_its_figures_without_anything_being_typed(self):
        page = self.shown("/", sample())
        self.assertIn("/?project=demo&period=12mo&interval=month&", page.url)
        end = datetime.now(ZoneInfo("Europe/Prague")).date() + timedelta(1)
        first = (end - timedelta(1)).replace(day=1)
        start = first.replace(year=first.year - (first.month < 12), month=first.month % 12 + 1)
        period = {"project": "demo", "timezone": "Europe/Prague", "startDate": start, "endDate": end}
        [figures] = ask(sample(), period | {"confidence": 95})
        expect(page.locator("#nps")).to_have_text(decimal(figures["nps"]))
        expect(page.locator(".score .soft").first).to_contain_text(f"95% interval {interval(figures)}")
        expect(page.locator(".kinds")).to_contain_text(f"detractors{figures['detractors']:,} ")
        expect(page.locator("#trend svg")).to_be_visible()
        expect(page.locator("[data-control=project]")).to_contain_text("Sample data")
        expect(page).to_have_title(re.compile("^NPS .* · demo · .* · Feedback$"))
        self.picture(page, "light")

    def test_everything_is_in_english_whatever_the_browsers_locale(self):
        texts = []
        for locale in ["en-GB", "de-DE", "ar-EG"]:
            page = self.shown(DEMO, locale=locale)
            self.assert_period(page, "1 Aug 2014 – 31 Jul 2015")
            expect(page.locator("#trend tbody th").first).to_have_text("August 2014")
            page.click("[data-control=period]")
            # The time at which the figures were loaded is another one each time.
            texts.append(re.sub(r"Figures of .*? Refresh", "", page.locator("body").inner_text()))
        self.assertEqual(len(set(texts)), 1)
        self.picture(page, "locale")

    def test_one_is_singular_and_percentages_have_one_form(self):
        page = self.shown(between("2014-06-01", "2014-07-01"))
        text = page.locator("body").text_content()
        self.assertIn("1 promoter", text)
        self.assertNotRegex(text, r"(?<![\d.,])1 (promoters|passives|detractors|responses|surveys)\b")
        self.assertIn("95%", text)
        self.assertNotRegex(text, r"\d\s%")

    def test_a_rate_and_dismissals_are_shown_where_there_are_any(self):
        page = self.shown(DEMO)
        expect(page.locator(".volume dt")).to_have_text(["Responses"])
        expect(page.locator(".volumes .soft")).to_have_text(["+140 vs 1 Aug 2013 – 31 Jul 2014"])
        page = self.shown("/", sample())
        expect(page.locator(".volume dt")).to_have_text(["Responses", "Response rate", "Dismissed"])

    def test_the_settings_are_requested_once_and_before_the_page_runs(self):
        page = self.shown("/", sample())
        settings = """performance.getEntriesByType("resource")
          .filter(({ name }) => name.endsWith("settings.json")).map(({ initiatorType }) => initiatorType)"""
        self.assertEqual(page.evaluate(settings), ["link"])
