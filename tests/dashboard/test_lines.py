"""Groups as lines of the trend."""

import csv
import io
import re
import unittest
from urllib.parse import parse_qsl, quote, quote_plus

from playwright.sync_api import expect

from answers import TEXTS
from support import DEMO, YEAR, Case, ask, decimal, demo
from test_states import API, failing

AIRLINES = DEMO.replace("group=cabin", "group=airline")
PARAMETERS = YEAR | {"confidence": 95}


def with_lines(*names, address=DEMO):
    return address + "".join(f"&line={quote(name)}" for name in names)


class Lines(Case):
    refused = (422, 503)

    def add(self, page, at=0):
        page.click("[data-control=line]:text('+ group')")
        page.locator("#trend .option").nth(at).click()
        self.shows(page)

    def test_a_group_is_added_with_one_request_and_removed_with_none(self):
        page = self.shows(self.open(DEMO))
        asked = self.asked(page)
        self.add(page)
        expect(page.locator("#trend .legend .line:not(.before) bdi")).to_have_text("Economy")
        self.assertIn("&line=Economy", page.url)
        self.assertEqual(
            [parse_qsl(address.partition("timezone=Europe%2FPrague&")[2]) for address in asked],
            [[("filter", "cabin=eq:Economy"), ("confidence", "95"), ("interval", "month")]],
        )
        self.picture(page, "line")
        self.add(page)
        expect(page.locator("#trend .legend .line:not(.before) bdi")).to_have_text(
            ["Economy", "Premium Economy"]
        )
        self.assertEqual(len(asked), 2)
        page.get_by_label("Remove the line of Economy").click()
        expect(page.locator("#trend .legend .line:not(.before) bdi")).to_have_text("Premium Economy")
        expect(page.get_by_label("Remove the line of Premium Economy")).to_be_focused()
        page.go_back()
        labels = page.locator("#trend .legend .line:not(.before) bdi")
        expect(labels).to_have_text(["Economy", "Premium Economy"])

    def test_an_open_menu_and_an_open_table_stay_while_newer_figures_come(self):
        page = self.shows(self.open(DEMO))
        page.click("#trend details.as-table summary")
        held = []
        page.route(API, lambda route: held.append(route))
        self.choose(page, "interval", "week")
        page.keyboard.press("Escape")
        page.click("[data-control=line]:text('+ group')")
        page.unroute(API)
        for route in held:
            route.continue_()
        self.shows(page)
        expect(page.locator("#trend .panel:popover-open .option").first).to_be_visible()
        expect(page.locator("#trend h2")).to_contain_text("by month")
        page.keyboard.press("Escape")
        expect(page.locator("#trend h2")).to_contain_text("by week")
        expect(page.locator("#trend details.as-table")).to_have_attribute("open", "")

    def test_the_figures_of_lines_are_the_apis_in_the_table_the_tooltip_and_the_csv(self):
        page = self.shows(self.open(with_lines("Premium Economy", "Economy")))
        elements = ask(demo(), PARAMETERS | {"interval": "month", "groupBy": "user.traits.string.cabin"})
        shown = page.locator("#trend tbody tr").evaluate_all(
            "rows => rows.map(row => [...row.cells].slice(-4).map(cell => cell.textContent))"
        )
        expected = {
            name: [one for one in elements if one["group"] == name] for name in ("Premium Economy", "Economy")
        }
        self.assertEqual(
            shown,
            [
                [
                    cell
                    for one in month
                    for cell in (decimal(one["nps"]) if one["responses"] else "–", str(one["responses"]))
                ]
                for month in zip(*expected.values())
            ],
        )
        expect(page.locator("#trend thead th").nth(-4)).to_have_text("Premium Economy NPS")
        page.locator("#trend [role=slider]").focus()
        page.keyboard.press("End")
        last = expected["Economy"][-1]
        expect(page.locator(".tip .line").last).to_have_text(
            f"Economy\u00a0{decimal(last['nps'])} ({last['responses']} responses)"
        )
        self.assertIn(
            f"; \u2068Economy\u2069: {decimal(last['nps'])} ({last['responses']} responses)",
            page.locator("#trend [role=slider]").get_attribute("aria-valuetext"),
        )
        saved = self.save(page)
        rows = [
            row
            for row in csv.DictReader(io.StringIO(saved.path().read_text("utf-8-sig")))
            if row["part"] == "month of group"
        ]
        self.assertEqual(
            [(row["group"], row["start"], int(row["responses"])) for row in rows],
            [
                (name, one["start"][:10], one["responses"])
                for name, months in expected.items()
                for one in months
            ],
        )

    def test_no_more_than_five_lines_and_another_trait_drops_them(self):
        page = self.shows(self.open(AIRLINES))
        for _ in range(5):
            self.add(page)
        expect(page.locator("#trend .legend .line:not(.before)")).to_have_count(5)
        page.click("[data-control=line]:text('+ group')")
        expect(page.locator("#trend .panel:visible")).to_have_text("Five lines at most.")
        page.keyboard.press("Escape")
        self.picture(page, "five-lines")
        page.emulate_media(color_scheme="dark")
        self.picture(page, "five-lines-dark")
        page.click("[data-control=group]")
        page.locator(".panel .option", has_text="cabin").click()
        self.shows(page)
        self.assertNotIn("line=", page.url)
        expect(page.locator("#trend .legend .line:not(.before)")).to_have_count(0)
        page = self.open(with_lines(*"abcdef"))
        expect(page.locator("h1")).to_have_text("Part of this link is not understood")
        expect(page.locator("code")).to_have_text("line=f")

    def test_a_line_that_fails_says_so_in_the_legend_and_leaves_the_others(self):
        page = self.shows(self.open(with_lines("Economy", "Nowhere")))
        expect(page.locator("#trend .legend .line:not(.before)")).to_have_text(
            ["Economy×", "Nowhereno surveys shown×"]
        )
        fail = failing("unavailable", 503, "The store throttles.")
        page.route(
            API,
            lambda route: (
                fail(route) if "filter=cabin%3Deq%3AEconomy" in route.request.url else route.continue_()
            ),
        )
        page.click("text=Refresh")
        expect(page.locator("#trend .legend .problem").first).to_have_text(
            "The service is busy. The store throttles."
        )
        expect(page.locator("#trend svg")).to_be_visible()
        expect(page.locator("table.groups tbody tr")).to_have_count(2)
        page.unroute(API)
        page.locator("#trend .legend").get_by_role("button", name="Try again").click()
        expect(page.locator("#trend .legend .problem")).to_have_text(["no surveys shown"])

    def test_a_line_that_can_never_be_drawn_is_not_tried_again(self):
        page = self.open("/?nonsense")
        fail = failing("response_too_large", 422, "Too large.")
        page.route(API, lambda route: fail(route) if "filter=" in route.request.url else route.continue_())
        page.goto(demo().url + with_lines("Economy"))
        self.shows(page)
        problem = "Response too large. Too large."
        expect(page.locator("#trend .legend .problem")).to_have_text([problem])
        expect(page.get_by_role("button", name="Try again")).to_have_count(0)

    def test_every_group_that_is_offered_becomes_a_line_however_many_groups_and_intervals_there_are(self):
        address = AIRLINES.replace("interval=month", "interval=day") + "&groupLimit=100"
        page = self.shows(self.open(address))
        page.click("[data-control=line]:text('+ group')")
        options = page.locator("#trend .option")
        # With the days, these groups would be more elements than the API returns.
        self.assertGreater(365 * options.count(), 10_000)
        name = options.last.text_content()
        options.last.click()
        self.shows(page)
        expect(page.locator("#trend .legend .line:not(.before) bdi")).to_have_text([name])
        expect(page.locator("#trend .problem")).to_have_count(0)

    def test_a_line_has_all_of_its_group_while_another_one_is_chosen(self):
        page = self.shows(self.open(with_lines("Economy") + "&filter=cabin=eq:Premium%20Economy"))
        elements = ask(demo(), PARAMETERS | {"interval": "month", "filter": "cabin=eq:Economy"})
        cells = page.locator("#trend tbody tr").evaluate_all(
            "rows => rows.map(row => [...row.cells].at(-1).textContent)"
        )
        self.assertEqual(cells, [str(one["responses"]) for one in elements])

    def test_the_last_score_is_labeled_with_its_interval_and_nothing_else_is(self):
        page = self.open("/?nonsense")
        for address in (DEMO, with_lines("Economy")):
            page.goto(demo().url + address)
            self.shows(page)
            expect(page.locator("#trend .legend .line.before bdi")).to_have_text("1 Aug 2013 – 31 Jul 2014")
            expect(page.locator("#trend .legend .key")).to_have_text(["promoters", "passives", "detractors"])
            written = page.locator(TEXTS).all_text_contents()
            self.assertIn("Jul −18.6", written)
            more = "NPS|promoter|passive|detractor|−38|Economy"
            self.assertFalse([text for text in written if re.search(more, text)])
            expect(page.locator("#trend svg .last")).to_have_css("font-weight", "400")

    def test_the_lines_are_saved_though_the_intervals_failed(self):
        page = self.shows(self.open(with_lines("Economy")))
        saved = self.save(page)
        whole = saved_lines(saved)
        page = self.open("/?nonsense")
        fail = failing("unavailable", 503)
        page.route(
            API,
            lambda route: (
                fail(route)
                if "interval=month" in route.request.url
                and "filter=" not in route.request.url
                and "respondents" in route.request.url
                else route.continue_()
            ),
        )
        page.goto(page.url.split("/?")[0] + with_lines("Economy") + "&respondents=latest")
        self.shows(page)
        expect(page.locator("#trend .problem")).to_contain_text("The service is busy")
        saved = self.save(page)
        dates = [[row[name] for name in ("start", "end", "partial", "group")] for row in saved_lines(saved)]
        self.assertEqual(
            dates, [[row[name] for name in ("start", "end", "partial", "group")] for row in whole]
        )
        self.assertEqual(len(dates), 12)

    def test_a_score_stays_a_score_beside_a_name_from_right_to_left(self):
        page = self.open("/?nonsense")
        name = "מחלקת תיירים ונוסעים"

        def renamed(route):
            document = route.fetch(url=route.request.url.replace(quote_plus(name), "Economy")).json()
            for element in document["data"]:
                if element["attributes"].get("group") == "Economy":
                    element["attributes"]["group"] = name
            route.fulfill(json=document)

        page.route(API, renamed)
        page.goto(page.url.split("/?")[0] + with_lines(name))
        self.shows(page)
        self.assertIn(
            f"; \u2068{name}\u2069: −15.2",
            page.locator("#trend [role=slider]").get_attribute("aria-valuetext"),
        )
        self.picture(page, "line-right-to-left")


def saved_lines(saved):
    """Returns the rows of lines of a table that was saved."""
    rows = csv.DictReader(io.StringIO(saved.path().read_text("utf-8-sig")))
    return [row for row in rows if row["part"] == "month of group"]


if __name__ == "__main__":
    unittest.main()
