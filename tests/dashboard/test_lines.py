"""Groups as lines of the trend."""

import re
from urllib.parse import parse_qsl, quote, quote_plus

from playwright.sync_api import expect

from answers import TEXTS, failing, only
from support import API, DEMO, YEAR, Case, ask, cells, decimal, demo

AIRLINES = DEMO.replace("group=cabin", "group=airline")
PARAMETERS = YEAR | {"confidence": 95}


def with_lines(*names, address=DEMO):
    return address + "".join(f"&line={quote(name)}" for name in names)


class Lines(Case):
    refused = (422, 503)

    def offered(self, page):
        """Opens the menu of groups; returns its options."""
        page.click("[data-control=line]:text('+ group')")
        return page.locator("#trend .option")

    def add(self, page):
        self.offered(page).first.click()
        self.shows(page)

    def lines(self, page):
        """Returns the lines of the legend but for that of the period before."""
        return page.locator("#trend .legend .line:not(.before)")

    def test_a_group_is_added_with_one_request_and_removed_with_none(self):
        page = self.shown(DEMO)
        asked, names = self.asked(page), self.lines(page).locator("bdi")
        self.add(page)
        expect(names).to_have_text("Economy")
        self.assertIn("&line=Economy", page.url)
        [parameters] = [parse_qsl(address.partition("timezone=Europe%2FPrague&")[2]) for address in asked]
        expected = [("filter", "cabin=eq:Economy"), ("confidence", "95"), ("interval", "month")]
        self.assertEqual(parameters, expected)
        self.picture(page, "line")
        self.add(page)
        expect(names).to_have_text(["Economy", "Premium Economy"])
        self.assertEqual(len(asked), 2)
        page.get_by_label("Remove the line of Economy").click()
        expect(names).to_have_text("Premium Economy")
        expect(page.get_by_label("Remove the line of Premium Economy")).to_be_focused()
        self.assertEqual(len(asked), 2)
        page.go_back()
        expect(names).to_have_text(["Economy", "Premium Economy"])

    def test_an_open_menu_and_an_open_table_stay_while_newer_figures_come(self):
        page = self.shown(DEMO)
        page.click("#trend details.as-table summary")
        held = self.held(page)
        self.choose(page, "interval", "week")
        page.keyboard.press("Escape")
        self.offered(page)
        page.unroute(API)
        for route in held:
            route.continue_()
        self.shows(page)
        expect(page.locator("#trend .panel:popover-open .option").first).to_be_visible()
        expect(page.locator("#trend h2")).to_contain_text("by month")
        page.keyboard.press("Escape")
        expect(page.locator("#trend h2")).to_contain_text("by week")
        expect(page.locator("#trend details.as-table")).to_have_attribute("open", "")

    def test_the_figures_of_lines_are_the_apis_in_the_table_and_the_tooltip(self):
        page = self.shown(with_lines("Premium Economy", "Economy"))
        elements = ask(demo(), PARAMETERS | {"interval": "month", "groupBy": "cabin"})
        names = ("Premium Economy", "Economy")
        months = {name: [one for one in elements if one["group"] == name] for name in names}
        score = lambda one: decimal(one["nps"]) if one["responses"] else "–"
        both = lambda row: [text for one in row for text in (score(one), str(one["responses"]))]
        shown = [row[-4:] for row in cells(page.locator("#trend tbody tr"))]
        self.assertEqual(shown, [both(row) for row in zip(*months.values())])
        expect(page.locator("#trend thead th").nth(-4)).to_have_text("Premium Economy NPS")
        last = months["Economy"][-1]
        said = f"{score(last)} ({last['responses']} responses)"
        chart = self.press(page, "End")
        expect(page.locator(".tip .line").last).to_have_text(f"Economy\u00a0{said}")
        self.assertIn(f"; \u2068Economy\u2069: {said}", chart.get_attribute("aria-valuetext"))

    def test_no_more_than_five_lines_and_another_trait_drops_them(self):
        page = self.shown(AIRLINES)
        for _ in range(5):
            self.add(page)
        expect(self.lines(page)).to_have_count(5)
        self.offered(page)
        expect(page.locator("#trend .panel:visible")).to_have_text("Five lines at most.")
        page.keyboard.press("Escape")
        self.picture(page, "five-lines")
        page.emulate_media(color_scheme="dark")
        self.picture(page, "five-lines-dark")
        self.pick(page, "group", "cabin")
        self.shows(page)
        self.assertNotIn("line=", page.url)
        expect(self.lines(page)).to_have_count(0)

    def test_a_line_that_fails_says_so_in_the_legend_and_leaves_the_others(self):
        page = self.shown(with_lines("Economy", "Nowhere"))
        expect(self.lines(page)).to_have_text(["Economy×", "Nowhereno surveys shown×"])
        throttled = failing("unavailable", 503, "The store throttles.")
        self.refresh(page, only("filter=cabin%3Deq%3AEconomy", throttled))
        problems = page.locator("#trend .legend .problem")
        expect(problems.first).to_have_text("The service is busy. The store throttles.")
        expect(page.locator("#trend svg")).to_be_visible()
        expect(page.locator("table.groups tbody tr")).to_have_count(2)
        self.again(page, "#trend .legend")
        expect(problems).to_have_text(["no surveys shown"])

    def test_a_line_that_can_never_be_drawn_is_not_tried_again(self):
        too_large = failing("response_too_large", 422, "Too large.")
        page = self.shown(with_lines("Economy"), respond=only("filter=", too_large))
        expect(page.locator("#trend .legend .problem")).to_have_text(["Response too large. Too large."])
        expect(page.get_by_role("button", name="Try again")).to_have_count(0)

    def test_every_group_that_is_offered_becomes_a_line_however_many_groups_and_intervals_there_are(self):
        address = AIRLINES.replace("interval=month", "interval=day") + "&groupLimit=100"
        page = self.shown(address)
        options = self.offered(page)
        # With the days, these groups would be more elements than the API returns.
        self.assertGreater(365 * options.count(), 10_000)
        name = options.last.text_content()
        options.last.click()
        self.shows(page)
        expect(self.lines(page).locator("bdi")).to_have_text([name])
        expect(page.locator("#trend .problem")).to_have_count(0)

    def test_the_last_score_is_labeled_with_its_interval_and_each_line_with_its_name(self):
        for address in (DEMO, with_lines("Economy")):
            page = self.shown(address)
            expect(page.locator("#trend .legend .line.before bdi")).to_have_text("1 Aug 2013 – 31 Jul 2014")
            expect(page.locator("#trend .legend .key")).to_have_text(["detractors", "passives", "promoters"])
            written = page.locator(TEXTS).all_text_contents()
            self.assertIn("Jul −18.6", written)
            self.assertEqual([text for text in written if "Economy" in text], ["Economy"] * ("line=" in address))
            more = "NPS|promoter|passive|detractor|−38"
            self.assertFalse([text for text in written if re.search(more, text)])
            expect(page.locator("#trend svg .last")).to_have_css("font-weight", "400")

    def test_a_score_stays_a_score_beside_a_name_from_right_to_left(self):
        name = "מחלקת תיירים ונוסעים"

        def renamed(route):
            document = route.fetch(url=route.request.url.replace(quote_plus(name), "Economy")).json()
            for element in document["data"]:
                if element["attributes"].get("group") == "Economy":
                    element["attributes"]["group"] = name
            route.fulfill(json=document)

        page = self.shown(with_lines(name), respond=renamed)
        said = page.locator("#trend [type=range]").get_attribute("aria-valuetext")
        self.assertIn(f"; \u2068{name}\u2069: −15.2", said)
        self.picture(page, "line-right-to-left")
