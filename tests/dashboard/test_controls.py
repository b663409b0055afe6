"""Every control of the page."""

import csv
import io
import re
import unittest

from playwright.sync_api import expect

from answers import COUNTS
from support import DEMO, SCREENSHOTS, YEAR, Case, ask, between, demo


class Controls(Case):
    def test_presets_and_own_dates_choose_the_period(self):
        page = self.shows(self.open(DEMO))
        lasts = ["Last 7 days", "Last 30 days", "Last 90 days", "Last 12 months"]
        for preset in lasts + [f"{which} {unit}" for unit in ("month", "quarter", "year") for which in ("This", "Last")]:
            page.click("[data-control=period]")
            option = page.locator(".option", has_text=preset)
            dates = option.locator(".soft").text_content()
            option.click()
            expect(page.locator("[data-control=period]")).to_contain_text(dates)
            expect(page.locator("#empty h1")).to_contain_text("No surveys shown")
        page.click("[data-control=period]")
        page.fill("text=First day", "2015-01-01")
        page.fill("text=Last day", "2015-06-30")
        page.click(".panel .primary")
        expect(page.locator("[data-control=period]")).to_contain_text("1 Jan – 30 Jun 2015")
        self.assertIn("start=2015-01-01&end=2015-07-01&", page.url)
        expect(page.locator("[data-control=comparison]")).to_have_value("")
        expect(page.locator(".change")).to_contain_text(" from 1 Jul – 31 Dec 2014")

    def test_a_last_day_before_the_first_is_refused(self):
        page = self.shows(self.open(DEMO))
        page.click("[data-control=period]")
        page.fill("text=Last day", "2014-07-31")
        page.click(".panel .primary")
        self.assertIn("end=2015-08-01", page.url)

    def test_a_running_quarter_is_compared_with_the_same_days_of_the_last(self):
        page = self.shows(self.open(between("2015-07-01", "2015-08-03", "&before=2015-04-01")))
        expect(page.locator(".change")).to_contain_text(" from 1 Apr – 3 May 2015")

    def test_the_period_is_compared_as_the_control_says(self):
        page = self.shows(self.open(between("2015-05-01", "2015-08-01")))
        control = page.get_by_label("What the period is compared with")
        self.assertEqual(
            control.locator("option").all_text_contents(),
            ["vs 3 months earlier", "vs a year earlier", "vs nothing"],
        )
        expect(page.locator(".change")).to_contain_text(" from 1 Feb – 30 Apr 2015")
        control.select_option("vs a year earlier")
        expect(page.locator(".change")).to_contain_text(" from 1 May – 31 Jul 2014")
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
        page.locator("#trend [role=slider]").focus()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        expect(page.locator("[data-control=period]")).to_contain_text("2015")
        self.assertIn("&before=none", page.url)
        page.goto(page.url.replace("before=none", "before=2015-01-10"))
        expect(control.locator("option:checked")).to_have_text(re.compile("^vs 10 Jan"))

    def test_what_a_period_is_compared_with_has_its_distance_and_a_whole_year_has_it_once(self):
        control = "What the period is compared with"
        for period, options in [
            ("start=2014-08-01&end=2015-08-01", ["vs a year earlier", "vs nothing"]),
            ("start=2014-08-01&end=2015-08-01&before=year", ["vs a year earlier", "vs nothing"]),
            ("start=2015-07-01&end=2015-08-01", ["vs a month earlier", "vs a year earlier", "vs nothing"]),
            ("start=2015-07-01&end=2015-07-08", ["vs 7 days earlier", "vs a year earlier", "vs nothing"]),
            ("start=2012-08-01&end=2015-08-01", ["vs 3 years earlier", "vs nothing"]),
        ]:
            with self.subTest(period):
                page = self.shows(self.open(DEMO.replace("start=2014-08-01&end=2015-08-01", period)))
                shown = page.get_by_label(control).locator("option")
                expect(shown).to_have_text(options)
                expect(page.get_by_label(control).locator("option:checked")).to_have_text(options[0])
        page = self.shows(self.open("/?project=demo&start=0001-01-01&end=0002-01-01&timezone=UTC"))
        expect(page.get_by_label(control)).to_have_count(0)

    def test_all_goes_from_the_first_year_to_the_last_and_has_no_period_before(self):
        page = self.shows(self.open(DEMO))
        page.click("[data-control=period]")
        page.locator(".option", has_text="All").click()
        expect(page.locator("[data-control=period]")).to_contain_text("1 Jan 1970 – 31 Dec 2015")
        expect(page.locator(".volumes .figure").first).to_have_text("1,257")
        expect(page.locator(".change")).to_have_text(
            re.compile("; there are no responses in 1 Jan 1924 – .* to compare with.$")
        )
        self.picture(page, "all")

    def test_the_interval_divides_the_trend_and_only_legible_ones_are_offered(self):
        page = self.shows(self.open(DEMO))
        page.click("[data-control=more]")
        options = page.locator("[data-control=interval] option")
        self.assertEqual(options.all_text_contents(), ["day", "week", "month", "quarter"])
        page.keyboard.press("Escape")
        for interval, rows in [("day", 365), ("week", 53), ("quarter", 5), ("month", 12)]:
            self.choose(page, "interval", interval)
            expect(page.locator("#trend tbody tr")).to_have_count(rows)

    def test_the_zone_moves_the_ends_of_the_days(self):
        page = self.shows(self.open(between("2015-07-01", "2015-08-01").replace("month", "day")))
        first = page.locator("#trend tbody").text_content()
        page.click("[data-control=more]")
        page.click("[data-control=zone]")
        page.get_by_label("Search time zones").fill("kiritim")
        self.picture(page, "zone")
        page.locator(".option", has_text="Pacific/Kiritimati").click()
        self.shows(page)
        self.assertIn("timezone=Pacific/Kiritimati", page.url)
        self.assertNotEqual(page.locator("#trend tbody").text_content(), first)
        expect(page.locator("#trend tbody th").first).to_have_text("1 Jul 2015")

    def test_filters_are_picked_changed_and_removed(self):
        page = self.shows(self.open(DEMO))
        self.pick(page, "cabin")
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
        expect(page.locator(".volumes .figure").first).to_have_text("294")
        page.click("[data-control=filter-0]")
        page.get_by_label("Condition").select_option("string.ne")
        expect(options.first).to_have_attribute("aria-pressed", "true")
        self.picture(page, "filter-changed")
        options.first.click()
        expect(page.locator(".volumes .figure").first).to_have_text("88")
        page.get_by_label("Remove the filter on cabin").click()
        expect(page.locator(".volumes .figure").first).to_have_text("382")
        expect(page.locator("[data-control=filter]")).to_be_focused()

    def test_an_empty_value_is_listed_by_its_frequency_as_others_are(self):
        page = self.shows(self.open(DEMO))

        def with_empty(route):
            document = route.fetch().json()
            for attributes in (element["attributes"] for element in document["data"]):
                if attributes.get("group") == "Premium Economy":
                    attributes["group"] = ""
            route.fulfill(json=document)

        page.route(re.compile("/response-statistics"), with_empty)
        page.click("text=Refresh")
        self.shows(page)
        self.pick(page, "cabin")
        expect(page.locator(".panel:visible .option")).to_have_text(["Economy294 shown", "empty88 shown"])

    def pick(self, page, trait):
        """Opens the menu that adds a filter, and picks a trait."""
        page.click("[data-control=filter]")
        page.locator(".panel:visible .option", has_text=trait).click()

    def test_a_filter_is_added_to_those_on_its_trait_and_a_group_replaces_another(self):
        page = self.shows(self.open(DEMO + "&filter=cabin=contains:Economy&filter=cabin=eq:Nowhere"))
        expect(page.locator("#empty")).to_be_visible()
        self.pick(page, "cabin")
        page.get_by_label("Condition").select_option("string.ne")
        page.get_by_label("Search values").fill("Nowhere")
        page.keyboard.press("Enter")
        expect(page.locator(".chip.filter")).to_have_text(
            ["Filter: cabin contains Economy", "Filter: cabin is Nowhere", "Filter: cabin is not Nowhere"]
        )
        page.get_by_label("Remove the filter on cabin").nth(1).click()
        self.shows(page)
        page.locator(".group-name", has_text="Premium").click()
        expect(page.locator(".chip.filter").last).to_have_text("Filter: cabin is Premium Economy")
        self.shows(page)
        expect(page.locator("table.groups tbody tr")).to_have_count(2)
        page.go_back()
        expect(page.locator("[aria-pressed=true].group-name")).to_have_count(0)
        # The groups stay while others load, so that a second one can be clicked.
        held = []
        page.route(
            "**/response-statistics?**",
            lambda route: held.append(route) if "eq%3APremium" in route.request.url else route.continue_(),
        )
        page.locator(".group-name", has_text="Premium").click()
        expect(page.locator(".chip.filter").last).to_have_text("Filter: cabin is Premium Economy")
        page.locator(".group-name").first.click()
        expect(page.locator(".chip.filter")).to_have_text(
            ["Filter: cabin contains Economy", "Filter: cabin is not Nowhere", "Filter: cabin is Economy"]
        )
        expect(page.locator("[aria-pressed=true].group-name")).to_contain_text("Economy")
        self.assertTrue(held)
        for route in held:
            route.abort()

    def test_numbers_and_yes_or_no_are_filtered_as_such(self):
        page = self.shows(self.open(DEMO))
        self.pick(page, "legroom")
        expect(page.get_by_label("Condition")).to_have_value("number.eq")
        page.get_by_label("Condition").select_option("number.gte")
        page.get_by_label("Value").fill("4x")
        page.keyboard.press("Enter")
        self.assertNotIn("filter=", page.url)
        page.get_by_label("Value").fill("4")
        page.keyboard.press("Enter")
        expect(page.locator(".filter", has_text="legroom is at least 4")).to_be_visible()
        self.pick(page, "recommended")
        page.locator(".panel:visible .option", has_text="yes").click()
        expect(page.locator(".filter", has_text="recommended is yes")).to_be_visible()
        self.assertIn("filter=legroom=number.gte:4&filter=recommended=boolean.eq:true", page.url)
        # A range is two filters, of which one is there, whichever bound is typed first.
        self.pick(page, "legroom")
        page.get_by_label("Condition").select_option("number.range")
        page.get_by_label("At least").fill("4.5")
        page.get_by_label("At most").fill("4.0")
        self.picture(page, "range")
        page.keyboard.press("Enter")
        expect(page.locator(".chip.filter")).to_have_text(
            ["Filter: legroom is at least 4", "Filter: recommended is yes", "Filter: legroom is at most 4.5"]
        )
        self.shows(page)
        [figures] = ask(demo(), YEAR | {"filter": ["legroom=number.gte:4", "recommended=boolean.eq:true", "legroom=number.lte:4.5"]})
        expect(page.locator(".volumes .figure").first).to_have_text(str(figures["responses"]))

    def test_groups_are_chosen_sorted_and_filtered_by(self):
        page = self.shows(self.open(DEMO))
        page.click("[data-control=group]")
        page.locator(".panel .option", has_text="airline").click()
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
        expect(page.locator("#groups .hint:not([role=status])").first).to_have_text("Gray: fewer than 30 responses, too few to tell.")
        name = names.first.locator("bdi").text_content()
        names.first.click()
        expect(page.locator("[data-control=filter-0]")).to_contain_text(f"airline is {name}")

    def assert_few_last(self, page, reverse):
        """Asserts that groups are sorted by their score, those of fewer than 30 responses after the
        others.
        """
        rows = page.locator("table.groups tbody tr").evaluate_all(
            """rows => rows.map((row) => (
              [row.classList.contains("few"), row.querySelector(".nps").textContent]))"""
        )
        scores = {
            few: [float(text.replace("−", "-")) for is_few, text in rows if is_few is few and text != "–"]
            for few in (False, True)
        }
        self.assertTrue(all(scores.values()), scores)
        for some in scores.values():
            self.assertEqual(some, sorted(some, reverse=reverse))
        self.assertEqual([few for few, _ in rows], sorted(few for few, _ in rows))

    def test_a_click_on_an_interval_narrows_the_period_to_it(self):
        page = self.shows(self.open(DEMO))
        over = page.locator(".over")
        width = over.bounding_box()["width"]
        over.hover(position={"x": width * 9.5 / 12, "y": 100})
        expect(page.locator(".tip")).to_contain_text(
            "May 2015NPS −71.2 (−83.9\u00a0to\u00a0−50.7)52 responses to 52 surveys shown"
        )
        self.picture(page, "pointer")
        over.click(position={"x": width * 9.5 / 12, "y": 100})
        expect(page.locator("[data-control=period]")).to_contain_text("1 – 31 May 2015")
        self.assertIn("start=2015-05-01&end=2015-06-01&within=2014-08-01/2015-08-01/month&interval=day", page.url)

    def test_dragging_over_the_chart_narrows_the_period_to_its_intervals(self):
        page = self.shows(self.open(DEMO))
        box = page.locator(".over").bounding_box()
        at = lambda month: (box["x"] + box["width"] * (month + 0.5) / 12, box["y"] + 100)
        page.mouse.move(*at(10))
        page.mouse.down()
        page.mouse.move(*at(9))
        page.mouse.move(*at(8))
        expect(page.locator(".selection")).to_be_visible()
        page.screenshot(path=SCREENSHOTS / "dragging.png")
        page.mouse.up()
        expect(page.locator("[data-control=period]")).to_contain_text("1 Apr – 30 Jun 2015")
        self.shows(page)
        # It may end elsewhere.
        for outside, period in [
            (lambda: (box["x"] + box["width"] + 30, 10), "1 Dec 2014 – 31 Jul 2015"),
            (lambda: (box["x"] - 40, box["y"] + 500), "1 Aug – 31 Dec 2014"),
        ]:
            page = self.shows(self.open(DEMO))
            box = page.locator(".over").bounding_box()
            page.mouse.move(*at(4))
            page.mouse.down()
            page.mouse.move(*at(5))
            page.mouse.move(*outside())
            page.mouse.up()
            expect(page.locator("[data-control=period]")).to_contain_text(period)

    def assert_controls(self, page, names):
        controls = page.locator("#bar [data-control]")
        self.assertEqual(controls.evaluate_all("all => all.map(({ dataset }) => dataset.control)"), names.split())

    def test_the_bar_has_one_row_and_on_a_phone_a_sheet_has_what_does_not_fit(self):
        page = self.shows(self.open(DEMO, viewport={"width": 1024, "height": 800}))
        self.assert_controls(page, "project previous period next comparison respondents filter more")
        edges = """selector => {
          const { left, right } = document.querySelector(selector).getBoundingClientRect();
          return [left, right];
        }"""
        page.set_viewport_size({"width": 1920, "height": 800})
        left, right = page.evaluate(edges, "#summary")
        self.assertAlmostEqual(page.evaluate(edges, "[data-control=project]")[0], left, delta=1)
        self.assertAlmostEqual(page.evaluate(edges, "[data-control=more]")[1], right, delta=1)
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(demo().url + DEMO + "&filter=cabin=eq:Economy&filter=country=ne:Finland")
        self.shows(page)
        expect(page.locator("[data-control=sheet]")).to_have_text("Options (2)")
        box = page.locator("#nps").bounding_box()
        self.assertLess(box["y"] + box["height"], 260)
        page.click("[data-control=sheet]")
        self.assert_controls(
            page,
            "project sheet comparison respondents filter-0 remove-0 filter-1 remove-1 filter interval window zone "
            "csv print copy previous period next",
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

    def test_the_table_has_the_whole_as_csv(self):
        page = self.shows(self.open(DEMO + "&filter=country=ne:Finland"))
        saved = self.save(page)
        self.assertEqual(saved.suggested_filename, "feedback-demo-2014-08-01-country-ne-Finland.csv")
        text = saved.path().read_text("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(
            [row["part"] for row in rows], ["period", "period before"] + ["month"] * 12 + ["group"] * 2
        )
        self.assertEqual(
            [row["summable"] for row in rows],
            ["no"] * 2 + ["with rows of month"] * 12 + ["with rows of group"] * 2,
        )
        for part in ["month", "group"]:
            self.assertEqual(
                sum(int(row["displays"]) for row in rows if row["summable"] == f"with rows of {part}"),
                int(rows[0]["displays"]),
            )
        parameters = YEAR | {"confidence": 95, "filter": "country=ne:Finland"}
        for part, more in [
            ("period", {}),
            ("month", {"interval": "month"}),
            ("group", {"groupBy": "user.traits.string.cabin"}),
        ]:
            elements = ask(demo(), parameters | more)
            for row, element in zip([row for row in rows if row["part"] == part], elements, strict=True):
                for name in [*COUNTS, "nps", "npsLow", "npsHigh"]:
                    self.assertEqual(float(row[name]) if row[name] else None, element[name])
                self.assertEqual([int(row[f"rating{rating}"]) for rating in range(11)], element["frequency"])

    def test_a_link_is_copied(self):
        page = self.shows(self.open(DEMO, permissions=["clipboard-read", "clipboard-write"]))
        page.click("[data-control=more]")
        self.picture(page, "more")
        page.click("text=Copy link")
        expect(page.locator("[data-control=copy]")).to_have_text("Copied")
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), page.url)

    def test_paper_is_light_and_has_no_controls(self):
        page = self.shows(self.open(DEMO, color_scheme="dark"))
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print", color_scheme="dark")
        expect(page.locator("#bar")).to_be_hidden()
        expect(page.locator(".on-paper")).to_have_text(
            "demo · 1 Aug 2014 – 31 Jul 2015 · by month · Europe/Prague"
        )
        style = page.evaluate(
            "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))"
        )
        self.assertEqual(style, ["rgb(20, 24, 29)", "rgb(255, 255, 255)"])
        self.picture(page, "paper")
        # A header that is repeated on each page has no buttons, and a card is not moved to the next page.
        expect(page.locator(".groups thead button:visible, .search:visible")).to_have_count(0)
        expect(page.locator(".printed:visible")).to_have_text(["group", "responses", "NPS", "change"])
        expect(page.locator("#groups")).to_have_css("break-inside", "auto")

    def test_the_drawings_fit_on_paper(self):
        page = self.shows(self.open(DEMO))
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 673, "height": 950})
        self.assert_no_sideways_scrolling(page)
        self.assertLessEqual(page.locator("#trend svg").bounding_box()["width"], 673)
        self.picture(page, "paper-trend")

    def test_the_figures_are_loaded_again_on_request(self):
        page = self.shows(self.open(DEMO))
        with page.expect_response("**/response-statistics?**interval=month**"):
            page.click("text=Refresh")


if __name__ == "__main__":
    unittest.main()
