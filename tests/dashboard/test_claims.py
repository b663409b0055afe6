"""The page says of its figures only what holds."""

import re
import unittest

from playwright.sync_api import expect

from support import DEMO, Case, between, sample
from test_states import API

PLANS = "/?project=demo&start=2025-01-01&end=2026-01-01&interval=month&timezone=UTC&group=plan"


class Claims(Case):
    def test_a_change_is_clear_or_could_be_chance(self):
        for address, change in [
            (
                between("2015-06-01", "2015-08-01"),
                "−17.5, up 55.2 from 1 Apr – 31 May 2015 (29.9 to 73.8): clear. It comes from how people scored "
                "(+55.5), not from who answered (−0.4); most from Economy (+43.8).",
            ),
            (
                between("2014-01-01", "2015-01-01"),
                "−62.8, down 5.9 from 2013: could be chance: here only changes above about 13 points show.",
            ),
            (between("2014-11-01", "2015-07-01", "&before=none"), None),
            (
                DEMO,
                "−52.4, up 8.8 from 1 Aug 2013 – 31 Jul 2014: could be chance: here only changes above about 11 "
                "points show.",
            ),
        ]:
            with self.subTest(address):
                page = self.shows(self.open(address))
                shown = [text.replace("\u00a0", " ") for text in page.locator(".change").all_text_contents()]
                self.assertEqual(shown, [change] if change else [])

    def test_a_rate_and_dismissals_are_shown_where_there_are_any(self):
        page = self.shows(self.open(DEMO))
        expect(page.locator(".volume dt")).to_have_text(["Responses"])
        expect(page.locator(".volumes .soft")).to_have_text(["+140 vs 1 Aug 2013 – 31 Jul 2014"])
        page = self.shows(self.open("/", sample()))
        expect(page.locator(".volume dt")).to_have_text(["Responses", "Response rate", "Dismissed"])

    def test_the_trend_names_the_extremes_of_whole_months_with_enough_responses(self):
        sentence = "#trend .sentence"
        extremes = "Highest −16.4 (−37.2 to 6.2) in June 2015, lowest −71.2 (−83.9 to −50.7) in May 2015."
        expect(self.open(DEMO).locator(sentence)).to_have_text(extremes)
        page = self.open(between("2014-11-02", "2015-05-31"))
        expect(page.locator("#trend h2")).to_be_visible()
        expect(page.locator(sentence)).to_have_count(0)

    def test_the_trend_leaves_the_running_month_out(self):
        page = self.shows(self.open(DEMO))

        def in_july(route):
            answer = route.fetch()
            route.fulfill(response=answer, headers=answer.headers | {"date": "Wed, 15 Jul 2015 12:00:00 GMT"})

        page.route(API, in_july)
        for _ in range(2):
            page.click("text=Refresh")
            expect(page.locator("footer")).to_contain_text("15 Jul 2015")
            self.shows(page)
        expect(page.locator("#trend .sentence")).to_have_text(
            re.compile("^Highest −16.4 .* in June 2015, lowest −71.2 .* in May 2015.$")
        )
        expect(page.locator("#trend .key.partial")).to_have_text("July 2015, running")

    def test_extremes_that_may_be_chance_are_not_named(self):
        # The intervals of both groups overlap, and so do those of the two months.
        page = self.shows(self.open(DEMO))
        expect(page.locator("table.groups tbody tr")).to_have_count(2)
        expect(page.locator("#groups .sentence")).to_have_count(0)
        page = self.shows(self.open(between("2015-06-01", "2015-08-01")))
        expect(page.locator("#trend .sentence")).to_have_count(0)
        page = self.shows(self.open(PLANS, sample()))
        expect(page.locator("#groups .sentence")).to_have_text(
            re.compile(r"^Highest: \w+ \S+ \(\S+\sto\s\S+\)\. Lowest: \w+ \S+ \(\S+\sto\s\S+\)\.$")
        )


if __name__ == "__main__":
    unittest.main()
