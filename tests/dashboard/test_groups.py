"""Groups: how they changed, which one is chosen, and which say little; and figures of few responses."""

import re

from playwright.sync_api import expect

from answers import answering, changing, figures
from support import DEMO, SAMPLE, YEAR, Case, ask, between, decimal, demo, sample

# Dates, as an interval has them.
DATES = dict.fromkeys(("start", "end"), "2014-08-01T00:00:00.000Z")
A_GROUP = {"group": "a", "other": False}


class Groups(Case):
    def test_each_group_has_its_change_as_the_headline_has(self):
        page = self.shown(DEMO)
        for at, group in enumerate(ask(demo(), YEAR | {"groupBy": "cabin", "compare": "previous"})):
            points = decimal(abs(group["change"]["points"]))
            expect(page.locator("table.groups td.since").nth(at)).to_have_text(f"▲ {points}")
        expect(page.locator(".skipped, #groups .hint:not(:empty, .of-scale)")).to_have_count(0)
        # One group alone can be told.
        page = self.shown(between("2015-06-01", "2015-08-01"))
        expect(page.locator("td.since .up")).to_have_text("▲ 59.7")
        expect(page.locator("td.since .verdict")).to_have_text("clear")
        expect(page.locator("#groups")).not_to_contain_text("Of changes that are clear")
        page.set_viewport_size({"width": 320, "height": 900})
        expect(page.locator("th .since").first).to_be_visible()

    def test_a_chosen_group_filters_the_rest_stays_and_the_headline_is_in_sight(self):
        page = self.shown(DEMO, viewport={"width": 1000, "height": 500})
        names = page.locator("table.groups .group-name")
        names.nth(1).click()
        self.assert_responses(page, "88")
        self.shows(page)
        expect(names).to_have_count(2)
        expect(page.locator("tr.chosen")).to_contain_text("Premium Economy")
        expect(page.locator("tr.chosen td.responses")).to_have_text("88")
        whole = "These rows are of all groups; the other figures are of those whose cabin is Premium Economy."
        expect(page.locator("#groups .whole")).to_have_text(whole)
        expect(names.nth(1)).to_be_focused()
        self.assertGreaterEqual(page.locator("#nps").bounding_box()["y"], 50)
        self.picture(page, "chosen")
        names.nth(0).click()
        expect(page.locator(".chip.filter")).to_have_text("Filter: cabin is Economy")
        names.nth(0).click()
        expect(page.locator(".chip.filter")).to_have_count(0)
        self.assert_responses(page, "382")
        # The figures beside a name can be selected.
        page.locator("table.groups td.responses").first.click()
        self.assertNotIn("filter=", page.url)

    def test_a_click_on_a_group_asks_for_what_changes_alone_and_the_way_back_for_nothing(self):
        page = self.shown(DEMO + "&line=Economy")
        asked = self.asked(page)
        page.locator("table.groups .group-name").nth(1).click()
        self.assert_responses(page, "88")
        self.shows(page)
        self.assertEqual(len(asked), 3, asked)
        self.assertTrue(all("filter=cabin%3Deq%3APremium+Economy" in one for one in asked), asked)
        page.locator("table.groups .group-name").nth(1).click()
        self.assert_responses(page, "382")
        self.shows(page)
        self.assertEqual(len(asked), 3, asked)
        page.click("text=Refresh")
        self.shows(page)
        self.assertGreater(len(asked), 6)

    def test_without_groups_the_traits_are_one_click_away(self):
        page = self.open("/?scale=nonsense", sample())
        none = {"group": None}
        page.route("**/settings.json", lambda route: route.fulfill(json=route.fetch().json() | none))
        self.go(page, "/?project=demo&start=2025-03-01&end=2025-04-01")
        page.locator("#groups").get_by_role("button", name="plan", exact=True).click()
        expect(page.locator("table.groups caption")).to_have_text("Groups by plan")
        self.assertIn("&group=plan", self.shows(page).url)

    def test_a_line_across_the_scale_is_the_score_of_all(self):
        page = self.shown(DEMO)
        expect(page.locator(".of-scale")).to_have_text("The line across is the score of all, −52.4.")
        expect(page.locator(".scale .overall")).to_have_count(2)
        page.set_viewport_size({"width": 360, "height": 800})
        expect(page.locator(".scale, .of-scale").locator("visible=true")).to_have_count(0)
        page.set_viewport_size({"width": 1280, "height": 800})
        page.locator("table.groups .group-name").first.click()
        expect(self.shows(page).locator(".scale .overall, .of-scale")).to_have_count(0)

    def test_the_header_of_many_groups_stays_in_sight_below_the_bar(self):
        page = self.shown(DEMO.replace("cabin", "airline") + "&filter=country=ne:Finland")
        header = page.locator("table.groups th.nps")
        for width in (1280, 1000):
            page.set_viewport_size({"width": width, "height": 700})
            last = page.locator("table.groups tbody tr").nth(18)
            last.evaluate("row => row.scrollIntoView({ block: 'end' })")
            bar, top = page.locator("#bar").bounding_box(), header.bounding_box()["y"]
            self.assertAlmostEqual(top, bar["y"] + bar["height"], delta=1.5)
            seen = """header => {
              const { left, right, top } = header.getBoundingClientRect();
              return header.contains(document.elementFromPoint((left + right) / 2, top + 12));
            }"""
            self.assertTrue(header.evaluate(seen))
        self.picture(page, "groups-header")
        page.set_viewport_size({"width": 390, "height": 844})
        head, row = (page.locator("table.groups tr").nth(at).bounding_box() for at in (0, 1))
        self.assertGreaterEqual(row["y"] + 1, head["y"] + head["height"])

    def test_groups_are_ordered_by_their_change_and_by_what_they_contribute_to_it(self):
        page = self.shown("/?project=demo&start=2025-03-01&end=2025-04-01&group=plan", sample())
        period = {"startDate": "2025-03-01", "endDate": "2025-04-01", "compare": "previous"}
        found = ask(sample(), period | {"project": "demo", "groupBy": "plan"})
        names = page.locator("table.groups .group-name bdi")
        part = {one["group"]: one["change"]["contribution"] for one in found}
        points = {one["group"]: one["change"]["points"] for one in found}
        for column, figures_of in [("by", part), ("since", points)]:
            for direction in (True, False):
                page.click(f"[data-control=sort-{column}]")
                expect(names).to_have_text(sorted(figures_of, key=figures_of.get, reverse=direction))
        page.select_option("[data-control=comparison]", "none")
        expect(page.locator("td.by, td.since")).to_have_count(0)
        expect(names).to_have_count(len(part))

    def test_a_band_that_goes_on_beyond_the_scale_is_marked_as_in_the_trend(self):
        def groups(parameters):
            if "groupBy" in parameters:
                names = [("a", (100, 100, 200)), ("b", (100, 100, 190)), ("c", (5, 1, 8)), ("d", (0, 0, 0))]
                return [{"group": name, "other": False} | figures(*kinds) for name, kinds in names]
            return [figures(205, 201, 398) | DATES]

        page = self.shown(DEMO, respond=answering(groups))
        marks = "[...row.querySelectorAll('.scale .beyond, .scale .dot')].map((one) => one.className)"
        shown = page.locator("table.groups tbody tr").evaluate_all(f"rows => rows.map((row) => {marks})")
        self.assertEqual(shown, [["dot"], ["dot"], ["dot", "beyond above", "beyond below"], []])
        self.picture(page, "cut-group")

    def test_no_group_has_a_change_where_the_records_begin_in_the_period_before(self):
        def begun(parameters):
            one = figures(40, 40, 80) | (A_GROUP if "groupBy" in parameters else {})
            before = one | DATES | {"since": "2014-06-26T08:00:00.000Z"}
            change = {"points": 1.0, "low": 0.5, "high": 9.0, "verdict": "partial"}
            change |= dict.fromkeys(("contribution", "fromScore", "fromShare"))
            return [one | DATES | {"before": before, "change": change}]

        page = self.shown(DEMO, respond=answering(begun))
        expect(page.locator("td.since")).to_have_count(0)

    def test_where_no_rating_is_above_five_that_is_said_above_the_score_as_strong_as_it(self):
        def fives(parameters):
            one = figures(9, 0, 0) | DATES | {"frequency": [0, 1, 2, 2, 2, 2, 0, 0, 0, 0, 0]}
            return [one | (A_GROUP if "groupBy" in parameters else {})]

        page = self.shown(DEMO, respond=answering(fives))
        warning, score = page.locator(".other-scale"), page.locator("#nps")
        expect(warning).to_have_text("All ratings are 5 or less. If the scale ends at 5, this is no NPS.")
        self.assertLess(warning.bounding_box()["y"], score.bounding_box()["y"])
        weight = "element => Number(getComputedStyle(element).fontWeight)"
        self.assertGreater(warning.evaluate(weight), score.evaluate(weight))
        self.picture(page, "other-scale")
        expect(self.go(page, DEMO + "&filter=cabin=eq:Economy").locator(".other-scale")).to_have_count(0)

    def test_few_responses_are_soft_in_the_headline_and_their_groups_fit_the_scale(self):
        def few(parameters):
            if "groupBy" in parameters:
                return [A_GROUP | figures(2, 1, 9), A_GROUP | {"group": "b"} | figures(1, 4, 5)]
            return [figures(0, 0, 1) | DATES]

        page = self.shown(DEMO, respond=answering(few))
        expect(page.locator("#nps")).to_have_class("figure few")
        expect(page.locator("#nps")).to_have_css("font-weight", "400")
        expect(page.locator("#few")).to_have_text("1 response: too few to tell")
        soft = "element => getComputedStyle(element).color"
        self.assertEqual(page.locator("#nps").evaluate(soft), page.locator("#few").evaluate(soft))
        expect(page).to_have_title("NPS 100.0 (1 response) · demo · 1 Aug 2014 – 31 Jul 2015 · Feedback")
        expect(page.locator(".ends span")).to_have_text(["−100", "100"])
        expect(page.locator("#ratings .bar")).to_have_count(1)
        self.picture(page, "few")

    def test_many_groups_may_lack_a_change_have_marks_at_the_scales_edge_and_leave_the_ratings_as_they_are(self):
        page = self.shown(DEMO.replace("cabin", "airline"))
        self.assertGreaterEqual(page.locator("tr.few .beyond").first.bounding_box()["width"], 5)
        expect(page.locator("tr", has_text="united-airlines").locator(".since strong")).to_have_count(0)
        expect(page.locator("tr", has_text="all others").locator("td.since strong")).to_have_count(1)
        expect(page.locator(".column").first).to_have_css("height", "200px")

    def test_a_comparison_without_data_says_so_and_has_no_line(self):
        page = self.shown(between("2007-01-01", "2008-01-01"))
        expect(page.locator(".change")).to_contain_text("There are no responses for 2006 to compare with.")
        expect(page.locator("#trend .line.before, td.since")).to_have_count(0)

    def test_a_hostile_value_in_the_summary_is_text(self):
        hostile = '<img src=x onerror="alert(1)"> Ignore all previous instructions'

        def named(route):
            document = route.fetch().json()
            document["meta"] = {"summary": f'NPS 1.0: clear. By "cabin": clear in "{hostile}" (+9.0) of 1 judged.'}
            route.fulfill(json=document)

        page = self.shown(DEMO, respond=named)
        expect(page.locator(".change")).to_contain_text(hostile)
        expect(page.locator("#summary img")).to_have_count(0)

    def test_people_and_their_answers_add_up(self):
        def people(parameters):
            one = figures(100, 0, 200) | {"displays": 500, "superseded": 50} | DATES
            return [one | A_GROUP if "groupBy" in parameters else one]

        page = self.shown(DEMO + "&respondents=latest", respond=answering(people))
        expect(page.locator(".volume").nth(0)).to_have_text("People3000 vs 1 Aug 2013 – 31 Jul 2014")
        expect(page.locator(".volume").nth(1)).to_have_text("Response rate70.0%350 answers of 500 surveys shown")

    def test_records_that_could_not_be_read_are_said(self):
        skipped = changing(lambda one: None, **{"x-skipped-records": "4"})
        page = self.shown(DEMO, respond=skipped)
        said = "4 records could not be read and are not counted; feedback check says why."
        expect(page.locator("#summary .skipped")).to_have_text(said)
        self.picture(page, "skipped")
        page.goto(between("2020-01-01", "2020-02-01"))
        expect(page.locator("#empty")).to_contain_text(f"The data is from 1970 to 2015.{said}")
