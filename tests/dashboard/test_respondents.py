"""Each person once, instead of every rating."""

import csv
import io
import unittest

from playwright.sync_api import expect

from support import DEMO, YEAR, Case, between, ask, decimal, demo
from test_states import API, failing

LATEST = DEMO + "&respondents=latest"
PARAMETERS = YEAR | {"respondents": "latest", "confidence": 95}
SENTENCE = "Each person’s newest rating counts: 26 earlier ratings left out."


class Respondents(Case):
    refused = (400, 422)

    def test_each_person_is_counted_once_on_request_and_the_address_says_so(self):
        page = self.shows(self.open(DEMO))
        control = page.get_by_label("Which ratings count")
        self.assertEqual(control.locator("option").all_text_contents(), ["every rating", "each person once"])
        control.select_option("each person once")
        [figures] = ask(demo(), PARAMETERS)
        self.assertEqual(figures["superseded"], 26)
        expect(page.locator("#nps")).to_have_text(decimal(figures["nps"]))
        self.assertIn("&respondents=latest", page.url)
        expect(page.locator(".counts > p")).to_have_text(SENTENCE)
        expect(page.locator(".volumes .figure").nth(0)).to_have_text("356")
        expect(page.locator(".volumes .figure")).to_have_count(1)
        [before] = ask(demo(), PARAMETERS | {"startDate": "2013-08-01", "endDate": "2014-08-01"})
        points = decimal(abs(figures["nps"] - before["nps"]))
        expect(page.locator(".change")).to_contain_text(f" {points} from 1 Aug 2013 – 31 Jul 2014")
        self.picture(page, "respondents")
        page.reload()
        expect(page.locator(".counts > p")).to_have_text(SENTENCE)
        control.select_option("every rating")
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator(".counts > p")).to_have_count(0)
        self.assertNotIn("respondents", page.url)

    def test_an_interval_tells_its_earlier_ratings(self):
        page = self.shows(self.open(LATEST))
        chart = page.locator("#trend [role=slider]")
        [july] = [
            one
            for one in ask(demo(), PARAMETERS | {"interval": "month"})
            if one["start"].startswith("2015-07")
        ]
        self.assertGreater(july["superseded"], 0)
        answers = f"{july['responses']} responses (and {july['superseded']} earlier)"
        self.assertIn(f"{answers} to {july['displays']} surveys shown", chart.get_attribute("aria-valuetext"))

    def test_displays_and_values_are_looked_for_without_it(self):
        page = self.open(between("2020-01-01", "2020-02-01", "&respondents=latest"))
        addresses = self.asked(page)
        expect(page.get_by_text("Show 2015")).to_be_visible()
        addresses.clear()
        page.click("text=Show 2015 (283 surveys shown)")
        expect(page.locator(".counts > p")).to_be_visible()
        self.shows(page)
        years = [address for address in addresses if "interval=year" in address]
        self.assertEqual(years, [])
        for address in addresses:
            self.assertIn("respondents=latest", address)
        addresses.clear()
        page.click("[data-control=filter]")
        page.locator(".panel:visible .option", has_text="cabin").click()
        expect(page.locator(".panel:visible .option")).to_have_count(2)
        page.keyboard.press("Escape")
        page.click("[data-control=period]")
        page.locator(".option", has_text="All").click()
        expect(page.locator(".counts > p")).to_contain_text("100 earlier ratings")
        looked = [
            address
            for address in addresses
            if "groupLimit=100" in address
            or "startDate=1970-01-01" in address
            and "endDate=2016-01-01" not in address
        ]
        self.assertEqual(len(looked), 2, addresses)
        self.assertFalse([address for address in looked if "respondents" in address])

    def test_the_table_says_who_counts_and_what_was_left_out(self):
        page = self.shows(self.open(LATEST))
        rows = list(csv.DictReader(io.StringIO(self.save(page).path().read_text("utf-8-sig"))))
        self.assertEqual({row["respondents"] for row in rows}, {"latest"})
        for part, more in [
            ("period", {}),
            ("month", {"interval": "month"}),
            ("group", {"groupBy": "user.traits.string.cabin"}),
        ]:
            superseded = [element["superseded"] for element in ask(demo(), PARAMETERS | more)]
            self.assertEqual([int(row["superseded"]) for row in rows if row["part"] == part], superseded)

    def test_paper_says_so(self):
        page = self.shows(self.open(LATEST))
        page.emulate_media(media="print")
        expect(page.locator(".on-paper")).to_have_text(
            "demo · 1 Aug 2014 – 31 Jul 2015 · by month · Europe/Prague · each person once"
        )
        expect(page.locator(".counts > p")).to_be_visible()

    def test_too_many_people_can_be_counted_with_every_rating(self):
        page = self.shows(self.open(LATEST))
        for code, status, title, detail in [
            (
                "too_many_respondents",
                422,
                "Too many respondents",
                "More than 1,000,000 people.",
            ),
            ("unknown_parameter", 400, "The API does not know a part of this question", "An older API."),
        ]:
            with self.subTest(code):
                respond = failing(code, status, detail, source={"parameter": "respondents"})
                page.route(
                    API,
                    lambda route: respond(route) if "respondents" in route.request.url else route.continue_(),
                )
                page.click("text=Refresh")
                expect(page.locator("#beside-respondents")).to_contain_text(title)
                self.picture(page, code)
                page.get_by_role("button", name="Count every rating").click()
                expect(page.locator("#nps")).to_have_text("−52.4")
                page.unroute(API)
                page.select_option("[data-control=respondents]", "latest")
                expect(page.locator(".counts > p")).to_have_text(SENTENCE)

    def test_an_answer_that_counts_every_rating_is_not_shown_as_this(self):
        page = self.shows(self.open(LATEST))

        def every_rating(route):
            document = route.fetch().json()
            for element in document["data"]:
                element["attributes"].pop("superseded", None)
            route.fulfill(json=document)

        page.route(API, every_rating)
        page.click("text=Refresh")
        expect(page.locator(".stale-note")).to_contain_text(
            "data[0].attributes.superseded is missing."
        )


if __name__ == "__main__":
    unittest.main()
