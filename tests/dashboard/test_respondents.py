"""Each person once, instead of every rating."""

from playwright.sync_api import expect

from answers import failing, only
from support import API, DEMO, YEAR, Case, answer, ask, decimal, demo

LATEST = DEMO + "&respondents=latest"
PARAMETERS = YEAR | {"respondents": "latest", "confidence": 95}
SENTENCE = "Each person’s newest rating counts: 26 earlier ratings left out."


class Respondents(Case):
    refused = (400, 422)

    def test_each_person_is_counted_once_on_request_and_the_address_says_so(self):
        page = self.shown(DEMO)
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
        expect(page.locator(".change")).to_contain_text(f" {points} from ")
        self.picture(page, "respondents")
        page.reload()
        expect(page.locator(".counts > p")).to_have_text(SENTENCE)
        control.select_option("every rating")
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator(".counts > p")).to_have_count(0)
        self.assertNotIn("respondents", page.url)

    def test_an_interval_tells_its_earlier_ratings(self):
        page = self.shown(LATEST)
        chart = page.locator("#trend [type=range]")
        months = ask(demo(), PARAMETERS | {"interval": "month"})
        [july] = [one for one in months if one["start"].startswith("2015-07")]
        self.assertGreater(july["superseded"], 0)
        answers = f"{july['responses']} responses (and {july['superseded']} earlier)"
        self.assertIn(f"{answers} to {july['displays']} surveys shown", chart.get_attribute("aria-valuetext"))

    def test_displays_and_values_are_looked_for_without_it(self):
        page = self.shown(LATEST)
        addresses = self.asked(page)
        self.pick(page, "filter", "cabin")
        expect(page.locator(".panel:visible .option")).to_have_count(2)
        page.keyboard.press("Escape")
        self.pick(page, "period", "All")
        expect(page.locator(".counts > p")).to_contain_text("100 earlier ratings")
        of_years = lambda address: "startDate=1970-01-01" in address and "endDate=2016-01-01" not in address
        looked = [address for address in addresses if "groupLimit=100" in address or of_years(address)]
        self.assertEqual(len(looked), 2, addresses)
        self.assertFalse([address for address in looked if "respondents" in address])

    def test_paper_and_the_table_say_who_counts_and_what_was_left_out(self):
        page = self.shown(LATEST)
        said = "demo · 1 Aug 2014 – 31 Jul 2015 · by month · Europe/Prague · each person once"
        expect(page.locator(".on-paper")).to_have_text(said)
        months = answer(demo(), PARAMETERS | {"interval": "month", "format": "csv"})
        self.assertIn(b",superseded,", months)
        self.assertTrue(self.save(page).path().read_bytes().endswith(months))

    def test_too_many_people_can_be_counted_with_every_rating(self):
        page = self.shown(LATEST)
        unknown = "The API does not know a part of this question"
        for code, status, title in [
            ("too_many_respondents", 422, "Too many respondents"),
            ("unknown_parameter", 400, unknown),
        ]:
            with self.subTest(code):
                refusal = failing(code, status, source={"parameter": "respondents"})
                self.refresh(page, only("respondents", refusal))
                expect(page.locator("#beside-respondents")).to_contain_text(title)
                self.picture(page, code)
                page.get_by_role("button", name="Count every rating").click()
                expect(page.locator("#nps")).to_have_text("−52.4")
                page.unroute(API)
                page.select_option("[data-control=respondents]", "latest")
                expect(page.locator(".counts > p")).to_have_text(SENTENCE)
