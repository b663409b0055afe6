"""The page says of its figures only what holds."""

import unittest

from playwright.sync_api import expect

from support import DEMO, Case
from test_states import API

PERIOD = "start=2014-08-01&end=2015-08-01"


def between(start, end, more=""):
    return DEMO.replace(PERIOD, f"start={start}&end={end}") + more


class Claims(Case):
    def test_a_change_is_called_unlikely_to_be_chance_alone_or_possible_chance(self):
        for address, verdict in [
            (between("2015-06-01", "2015-08-01"), "Unlikely to be chance alone: with 95% confidence the change lies between +29 and +74."),
            (between("2014-01-01", "2015-01-01"), "Could be chance: with 95% confidence the change lies between −20 and +7."),
        ]:
            with self.subTest(address):
                expect(self.open(address).locator(".verdict")).to_have_text(verdict)

    def test_a_period_before_whose_first_interval_has_no_displays_gives_no_verdict(self):
        page = self.open(DEMO)
        expect(page.locator(".change")).to_contain_text("+8.8 points on the 12 months before")
        expect(page.locator(".verdict")).to_have_text("No displays are recorded in the 12 months before until 31 Aug 2013. Data may be missing there, so the change is not judged.")
        expect(page.locator(".volumes .soft").first).to_have_text("in this period")

    def test_one_response_outside_its_interval_is_explained(self):
        page = self.open(between("2014-06-01", "2014-07-01"))
        expect(page.locator("#nps")).to_have_text("100.0")
        sentence = "The score of one response can lie outside its interval, which allows for customers who would rate differently."
        expect(page.locator(".score .outside")).to_have_text(sentence)
        expect(page.locator("#trend .sentence")).to_contain_text(sentence)
        expect(page.locator("#groups .hint")).to_contain_text(sentence)
        self.picture(page, "one-response")
        page = self.shows(self.open(DEMO))
        expect(page.locator(".score .outside")).to_have_count(0)

    def test_where_every_display_is_answered_there_is_no_rate(self):
        page = self.open(DEMO)
        expect(page.locator(".volume").nth(1)).to_have_text("Response rate–no unanswered displays (surveys shown) are recorded")

    def test_the_trend_compares_whole_months_with_enough_responses(self):
        page = self.open(DEMO)
        sentence = page.locator("#trend .sentence")
        expect(sentence).to_contain_text("From −64.0 in November 2014 to −18.6 in July 2015: the change of +45.4 points is unlikely to be chance alone (with 95% confidence it lies between +18 and +69).")
        page = self.open(between("2014-11-02", "2015-07-31"))
        expect(page.locator("#trend .sentence")).to_contain_text("From −50.0 in January 2015 to −16.4 in June 2015:")
        page = self.open(between("2010-01-01", "2011-01-01"))
        expect(page.locator("#trend .sentence")).to_contain_text("No two complete intervals have at least 30 responses, so none are compared.")

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
        expect(page.locator("#trend .sentence")).to_contain_text("to −16.4 in June 2015:")

    def test_groups_are_compared_only_where_chance_does_not_explain_it(self):
        groups = "#groups .sentence"
        page = self.open(DEMO)
        expect(page.locator(groups)).to_have_text("No difference between the groups with at least 30 responses can be told from chance.")
        self.picture(page, "claims")
        page = self.open(DEMO.replace("group=cabin", "group=airline"))
        expect(page.locator(groups)).to_have_text("Fewer than two groups have at least 30 responses, so none are compared.")
        page = self.open(between("2010-01-01", "2015-09-01").replace("group=cabin", "group=airline"))
        expect(page.locator(groups)).to_contain_text("unlikely to be chance alone")


if __name__ == "__main__":
    unittest.main()
