"""Every control of the page."""

import codecs
import re

from playwright.sync_api import expect

from answers import PERIOD, changing, failing
from support import API, DEMO, YEAR, Case, answer, ask, between, demo, feedback


class Controls(Case):
    refused = (503,)

    def test_presets_and_own_dates_choose_the_period(self):
        page = self.shown(DEMO)
        for preset in ("Last 7 days", "Last quarter"):
            option = self.menu(page, "period").locator(".option", has_text=preset)
            dates = option.locator(".soft").text_content()
            option.click()
            self.assert_period(page, dates)
            expect(page.locator("#empty h1")).to_contain_text("No surveys shown")
        page.click("[data-control=period]")
        page.fill("text=First day", "2015-01-01")
        page.fill("text=Last day", "2015-06-30")
        page.click(".panel .primary")
        self.assert_period(page, "1 Jan – 30 Jun 2015")
        self.assertIn("start=2015-01-01&end=2015-07-01&", page.url)
        expect(page.locator("[data-control=comparison]")).to_have_value("")
        expect(page.locator("[data-control=comparison] option:checked")).to_have_text("vs 1 Jul – 31 Dec 2014")
        page.click("[data-control=period]")
        page.fill("text=Last day", "2014-12-31")
        page.click(".panel .primary")
        self.assertIn("end=2015-07-01", page.url)

    def test_the_period_is_compared_as_the_control_says(self):
        page = self.shown(between("2015-05-01", "2015-08-01"))
        control = page.get_by_label("What the period is compared with")
        options = ["vs 1 Feb – 30 Apr 2015", "vs a year earlier", "vs nothing"]
        expect(control.locator("option")).to_have_text(options)
        control.select_option("vs a year earlier")
        expect(control.locator("option:checked")).to_have_text("vs 1 May – 31 Jul 2014")
        self.shows(page)
        self.assertIn("&before=year", page.url)
        addresses = self.asked(page)
        control.select_option("vs nothing")
        expect(page.locator(".change")).to_have_count(0)
        self.shows(page)
        self.assertIn("&before=none", page.url)
        self.assertEqual(len(addresses), 3, addresses)
        expect(page.locator(".since")).to_have_text(["", ""])
        self.picture(page, "no-comparison")
        self.press(page, "End", "Enter")
        self.assert_period(page, "2015")
        self.assertIn("&before=none", page.url)

    def test_all_goes_from_the_first_year_to_the_last_and_has_no_period_before(self):
        page = self.shown(DEMO)
        self.pick(page, "period", "All")
        self.assert_period(page, "1 Jan 1970 – 31 Dec 2015")
        self.assert_responses(page, "1,257")
        expect(page.locator(".change")).to_have_text(re.compile("There are no responses for .* to compare with.$"))
        self.picture(page, "all")

    def test_the_zone_moves_the_ends_of_the_days(self):
        page = self.shown(between("2015-07-01", "2015-08-01").replace("month", "day"))
        first = page.locator("#trend tbody").text_content()
        self.choose(page, "zone", "Pacific/Kiritimati")
        self.shows(page)
        self.assertIn("timezone=Pacific/Kiritimati", page.url)
        self.assertNotEqual(page.locator("#trend tbody").text_content(), first)
        expect(page.locator("#trend tbody th").first).to_have_text("1 Jul 2015")

    def test_filters_are_picked_changed_and_removed(self):
        page = self.shown(DEMO)
        self.pick(page, "filter", "cabin")
        options = page.locator(".panel:visible .option")
        expect(options).to_have_text(["Economy294 shown", "Premium Economy88 shown"])
        page.get_by_label("Search values").press_sequentially("prem")
        expect(options).to_have_text(["Premium Economy88 shown", "prem"])
        self.picture(page, "values")
        page.get_by_label("Search values").fill("Economy")
        page.keyboard.press("ArrowDown")
        expect(options.first).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("[data-control=filter-0]")).to_contain_text("cabin is Economy")
        self.assert_responses(page, "294")
        page.click("[data-control=filter-0]")
        page.get_by_label("Condition").select_option("string.ne")
        expect(options.first).to_have_attribute("aria-pressed", "true")
        self.picture(page, "filter-changed")
        options.first.click()
        self.assert_responses(page, "88")
        page.get_by_label("Remove the filter on cabin").click()
        self.assert_responses(page, "382")
        expect(page.locator("[data-control=filter]")).to_be_focused()

    def test_an_empty_value_is_listed_by_its_frequency_as_others_are(self):
        def empty(one):
            one["group"] = "" if one.get("group") == "Premium Economy" else one.get("group")

        page = self.shown(DEMO, respond=changing(empty))
        self.pick(page, "filter", "cabin")
        expect(page.locator(".panel:visible .option")).to_have_text(["Economy294 shown", "empty88 shown"])

    def test_the_groups_stay_while_others_load_so_that_a_second_one_can_be_clicked(self):
        page = self.shown(DEMO + "&filter=cabin=contains:Economy&filter=cabin=eq:Nowhere")
        expect(page.locator("#empty")).to_be_visible()
        page.get_by_label("Remove the filter on cabin").nth(1).click()
        filters, names = self.shows(page).locator(".chip.filter"), page.locator(".group-name")
        held = self.held(page, "eq%3APremium")
        names.filter(has_text="Premium").click()
        expect(filters.last).to_have_text("Filter: cabin is Premium Economy")
        expect(page.locator("table.groups tbody tr")).to_have_count(2)
        names.first.click()
        expect(filters).to_have_text(["Filter: cabin contains Economy", "Filter: cabin is Economy"])
        expect(page.locator("[aria-pressed=true].group-name")).to_contain_text("Economy")
        self.assertTrue(held)
        page.unroute(API)
        for route in held:
            route.abort()
        page.go_back()
        expect(self.shows(page).locator("[aria-pressed=true].group-name")).to_contain_text("Premium")

    def test_numbers_and_yes_or_no_are_filtered_as_such(self):
        page = self.shown(DEMO)
        filters = page.locator(".chip.filter")
        self.pick(page, "filter", "legroom")
        expect(page.get_by_label("Condition")).to_have_value("number.eq")
        page.get_by_label("Condition").select_option("number.gte")
        self.enter(page, "Value", "4x")
        self.assertNotIn("filter=", page.url)
        self.enter(page, "Value", "4")
        expect(filters).to_have_text(["Filter: legroom is at least 4"])
        self.pick(page, "filter", "recommended")
        page.locator(".panel:visible .option", has_text="yes").click()
        expect(filters.last).to_have_text("Filter: recommended is yes")
        self.assertIn("filter=legroom=number.gte:4&filter=recommended=boolean.eq:true", page.url)
        # A second filter on the trait makes a range.
        self.pick(page, "filter", "legroom")
        page.get_by_label("Condition").select_option("number.lte")
        self.picture(page, "number")
        self.enter(page, "Value", "4.5")
        words = ["legroom is at least 4", "recommended is yes", "legroom is at most 4.5"]
        expect(filters).to_have_text([f"Filter: {one}" for one in words])
        written = ["legroom=number.gte:4", "recommended=boolean.eq:true", "legroom=number.lte:4.5"]
        [figures] = ask(demo(), YEAR | {"filter": written})
        self.assert_responses(self.shows(page), str(figures["responses"]))

    def test_groups_are_chosen_sorted_and_filtered_by(self):
        page = self.shown(DEMO)
        self.pick(page, "group", "airline")
        names = page.locator("table.groups .group-name")
        expect(names).to_have_count(21)
        expect(names.last).to_have_text("all others")
        page.get_by_text("Show up to 100 groups").click()
        self.assertGreater(self.shows(page).locator("table.groups tbody tr").count(), 21)
        page.click("[data-control=sort-nps]")
        expect(page.locator("th[aria-sort=descending]")).to_contain_text("NPS")
        self.assert_few_last(page, reverse=True)
        page.click("[data-control=sort-nps]")
        expect(page.locator("th[aria-sort=ascending]")).to_contain_text("NPS")
        self.assert_few_last(page, reverse=False)
        hint = page.locator("#groups .hint:not([role=status], .of-scale)").first
        expect(hint).to_have_text("Gray: fewer than 30 responses, too few to tell.")
        name = names.first.locator("bdi").text_content()
        names.first.click()
        expect(page.locator("[data-control=filter-0]")).to_contain_text(f"airline is {name}")

    def assert_few_last(self, page, reverse):
        """Asserts that groups are sorted by their score, those of fewer than 30 responses after the
        others.
        """
        parts = "[row.classList.contains('few'), row.querySelector('.nps').textContent]"
        rows = page.locator("table.groups tbody tr").evaluate_all(f"rows => rows.map((row) => {parts})")
        told = [(is_few, float(text.replace("−", "-"))) for is_few, text in rows if text != "–"]
        scores = {few: [score for is_few, score in told if is_few is few] for few in (False, True)}
        self.assertTrue(all(scores.values()), scores)
        for some in scores.values():
            self.assertEqual(some, sorted(some, reverse=reverse))
        self.assertEqual([few for few, _ in rows], sorted(few for few, _ in rows))

    def assert_controls(self, page, names):
        controls = page.locator("#bar [data-control]")
        self.assertEqual(controls.evaluate_all("all => all.map(({ dataset }) => dataset.control)"), names.split())

    def test_the_bar_has_one_row_and_on_a_phone_a_sheet_has_what_does_not_fit(self):
        page = self.shown(DEMO, viewport={"width": 1024, "height": 800})
        self.assert_controls(page, "project previous period next comparison respondents filter more")
        page.set_viewport_size({"width": 1920, "height": 800})
        box = lambda selector: page.locator(selector).bounding_box()
        card, first, last = box("#summary"), box("[data-control=project]"), box("[data-control=more]")
        self.assertAlmostEqual(first["x"], card["x"], delta=1)
        self.assertAlmostEqual(last["x"] + last["width"], card["x"] + card["width"], delta=1)
        page.set_viewport_size({"width": 390, "height": 844})
        self.go(page, DEMO + "&filter=cabin=eq:Economy&filter=country=ne:Finland")
        expect(page.locator("[data-control=sheet]")).to_have_text("Options (2)")
        self.assertLess(box("#nps")["y"] + box("#nps")["height"], 260)
        page.click("[data-control=sheet]")
        self.assert_controls(
            page,
            "project sheet comparison respondents filter-0 remove-0 filter-1 remove-1 filter "
            "interval window target zone csv-interval csv-group print copy previous period next",
        )
        self.picture(page, "sheet")
        page.locator("#bar [data-control=filter]").click()
        page.locator("#bar .option", has_text="airline").click()
        # axe takes for a neighbor what the panel within the panel covers.
        self.picture(page, "sheet-values", "{ exclude: '.condition' }")
        page.keyboard.press("Escape")
        expect(page.locator("[data-control=filter]")).to_be_focused()
        page.get_by_label("Remove the filter on cabin").click()
        expect(page.locator("[data-control=sheet]")).to_have_text("Options (1)")

    def test_tables_are_those_of_the_api_and_the_terminal_but_for_the_mark(self):
        page = self.shown(DEMO + "&filter=country=ne:Finland")
        parameters = YEAR | {"confidence": 95, "filter": "country=ne:Finland", "format": "csv"}
        period = ["--start", "2014-08-01", "--end", "2015-08-01", "--timezone", "Europe/Prague"]
        command = ["stats", "--csv", "--project", "demo", "--data", demo().data, *period]
        command += ["--confidence", "95", "--filter", "country=ne:Finland"]
        of_groups = {"groupBy": "cabin", "compare": "previous"}
        for part, name, more, options in [
            ("interval", "month", {"interval": "month"}, ["--interval", "month"]),
            ("group", "cabin", of_groups, ["--group-by", "cabin", "--compare", "previous"]),
        ]:
            with self.subTest(part):
                saved = self.save(page, part)
                name = f"feedback-demo-2014-08-01-2015-07-31-by-{name}-country-ne-Finland.csv"
                self.assertEqual(saved.suggested_filename, name)
                table = answer(demo(), parameters | more)
                self.assertEqual(saved.path().read_bytes(), codecs.BOM_UTF8 + table)
                self.assertEqual(feedback(*command, *options, text=False), table)

    def test_a_table_that_cannot_be_had_says_why_and_without_a_trait_there_is_none_of_groups(self):
        older = lambda route: route.fulfill(json={"data": []})
        page = self.shown(DEMO)
        for respond, said in [
            (failing("unavailable", 503), "The service is busy."),
            (older, "The server gave an unexpected answer."),
        ]:
            page.route(API, respond)
            self.menu(page, "more").locator("[data-control=csv-group]").click()
            expect(page.locator("[data-control=csv-group]")).to_contain_text(said)
            page.keyboard.press("Escape")
            page.unroute(API)
        served = demo().plain()
        served.suggestion = demo().suggestion | {"group": None}
        page = self.shown(DEMO.replace("&group=cabin", ""), served)
        ways = self.menu(page, "more").locator(".option", has_text="CSV")
        expect(ways).to_have_text(["Save intervals as CSV"])

    def test_paper_is_light_has_no_controls_and_is_as_wide_as_the_drawings(self):
        page = self.shown(DEMO, color_scheme="dark")
        self.on_paper(page)
        expect(page.locator("#bar")).to_be_hidden()
        said = "demo · 1 Aug 2014 – 31 Jul 2015 · by month · Europe/Prague"
        expect(page.locator(".on-paper")).to_have_text(said)
        expect(page.locator("body")).to_have_css("color", "rgb(20, 24, 29)")
        expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
        self.picture(page, "paper")
        # A header that is repeated on each page has no buttons, and a card is not moved to the next page.
        expect(page.locator(".groups thead button:visible, .search:visible")).to_have_count(0)
        expect(page.locator(".printed:visible")).to_have_text(["Group", "Responses", "NPS", "Change"])
        expect(page.locator("#groups")).to_have_css("break-inside", "auto")
        page.set_viewport_size({"width": 673, "height": 950})
        self.assert_no_sideways_scrolling(page)
        self.assertLessEqual(page.locator("#trend svg").bounding_box()["width"], 673)
