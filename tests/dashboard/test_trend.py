"""The trend: its scale, its intervals that are not whole, and what it says to a pointer, a finger and a
screen reader.
"""

import re

from playwright.sync_api import expect

from answers import MILLIONS, PERIOD, TEXTS, answering, changing, dated, figures, large, months
from support import DEMO, SAMPLE, YEAR, Case, ask, between, cells, demo, sample

FEW = [(3, 2, 4), (900, 900, 1000), (950, 900, 1000), (12, 1, 1)]


def noisy(parameters):
    """Returns the attributes of an answer whose first and last month have few responses."""
    if "interval" not in parameters:
        return large(parameters)
    [start], [end] = parameters["startDate"], parameters["endDate"]
    return [dated(*month, figures(*kinds)) for month, kinds in zip(months(start, end), FEW)]


class Trend(Case):
    def written(self, page):
        """Returns the texts of the chart."""
        return page.locator(TEXTS).all_text_contents()

    def test_the_scale_fits_and_a_control_shows_the_whole_one(self):
        page = self.shown(DEMO)
        labels = {text for text in self.written(page) if text in ("100", "20", "0", "−100")}
        self.assertEqual(labels, {"−100", "0", "20"})
        control = page.locator("[data-control=scale]")
        control.focus()
        page.keyboard.press("Enter")
        expect(control).to_have_text("Fit the scale")
        self.assertIn("&scale=full", page.url)
        self.assertIn("100", self.written(page))
        expect(control).to_be_focused()
        control.click()
        self.assertNotIn("scale", self.shows(page).url)

    def test_the_response_rate_of_each_interval_is_a_column_where_there_is_one(self):
        rates = lambda page: [row[5] for row in cells(page.locator("#trend tbody tr"))]
        period = {"project": "demo", "startDate": "2025-01-01", "endDate": "2026-01-01", "interval": "month"}
        months = ask(sample(), period)
        page = self.shown(SAMPLE, sample())
        self.assertEqual(rates(page), [f"{one['responses'] / one['displays']:.1%}" for one in months])
        # Only answers are recorded here.
        expect(self.shown(DEMO).locator("#trend thead")).not_to_contain_text("Response rate")
        answers_alone = lambda parameters: [
            one | ({"displays": one["responses"]} if one.get("start", "").startswith("2015-02") else {})
            for one in noisy(parameters)
        ]
        page = self.shown(between("2015-01-01", "2015-05-01"), respond=answering(answers_alone))
        self.assertEqual(rates(page), ["33.3%", "–", "33.3%", "33.3%"])

    def test_the_ends_stay_labeled_where_the_last_interval_is_empty(self):
        def quiet(parameters):
            *others, last = noisy(parameters)
            return [*others, last | figures(0, 0, 0)] if "interval" in parameters else [*others, last]

        page = self.shown(between("2015-01-01", "2015-05-01"), respond=answering(quiet))
        written = self.written(page)
        self.assertIn("Mar 1.8", written)
        self.assertIn("no surveys", written)

    def test_intervals_that_are_not_whole_are_hatched_and_named_and_the_line_to_them_is_dashed(self):
        page = self.shown(DEMO)
        dashed = page.locator("#trend .main .course.partial").first
        expect(dashed).to_have_count(0)

        self.set_clock(page, "Wed, 15 Jul 2015 12:00:00 GMT")
        self.go(page, between("2014-11-15", "2015-07-16"))
        part, running = "November 2014, partial (15 – 30 Nov 2014)", "July 2015, running (1 – 15 Jul 2015)"
        expect(page.locator("#trend .key.partial")).to_have_text(["November 2014, partial", "July 2015, running"])
        said = f"^{re.escape(running)}: NPS −11.1, −39\\.4\\sto\\s19\\.4, 27 responses to 27 surveys shown"
        chart = page.locator("#trend [type=range]")
        expect(chart).to_have_attribute("aria-valuetext", re.compile(said))
        rows = page.locator("#trend tbody th")
        expect(rows.first).to_have_text(part)
        expect(rows.nth(1)).to_have_text("December 2014")
        expect(rows.last).to_have_text(running)
        self.press(page, "Home")
        expect(page.locator(".tip strong")).to_have_text(part)
        expect(dashed).to_have_css("stroke-dasharray", "4px, 4px")
        expect(page.locator("#trend path.partial:not(.course)")).to_have_count(2)
        self.picture(page, "partial")
        # Yesterday was the last day: today lies in no interval.
        self.go(page, page.url.replace("end=2015-07-16", "end=2015-07-15"))
        expect(page.locator("#trend .key.partial").last).to_have_text("July 2015, partial")

    def test_lines_of_few_responses_are_light_at_every_width_and_longer_intervals_are_proposed(self):
        days = DEMO.replace("interval=month", "interval=day")
        for width in (390, 1280):
            page = self.shown(days, viewport={"width": width, "height": 900})
            light = page.locator("#trend .main .course.few")
            expect(light).to_have_css("stroke-opacity", "0.35")
            expect(page.locator("#trend .before .course.few")).to_have_css("stroke-opacity", "0.35")
            expect(page.locator("#trend .main .course:not(.few)")).to_have_count(0)
        self.picture(page, "days")
        said = page.locator("#trend .sentence").first
        expect(said).to_have_text(
            "Most of these days have fewer than 30 responses: too few to tell. Show weeks Let each count 30 days"
        )
        page.click("text=Let each count 30 days")
        expect(page.locator("#trend h2")).to_have_text("Score of 30 days, by day")
        self.go(self.shows(page), days).click("text=Show weeks")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by week")
        expect(self.shown(DEMO).locator("#trend .sentence")).to_have_count(0)

    def test_bars_whose_numbers_do_not_fit_have_two_ticks(self):
        self.assertNotIn("50", self.written(self.shown(DEMO)))
        written = self.written(self.shown(DEMO.replace("interval=month", "interval=day") + "&scale=full"))
        self.assertEqual(written.count("50"), 2)
        self.assertEqual(written.count("0"), 2)

    def test_the_dotted_line_pairs_intervals_by_their_place_in_the_calendar_and_marks_cut_ones(self):
        of = DEMO.replace("interval=month", "interval=week&weekStart=sunday")
        page = self.shown(of.replace(PERIOD, "start=2015-06-15&end=2015-07-29"))
        period = {"startDate": "2015-05-02", "endDate": "2015-06-15"}
        found = ask(demo(), YEAR | period | {"interval": "week", "weekStart": "sunday"})
        weeks = [str(week["responses"]) for week in found]
        # 2 May is a Saturday, so the first week has one day, and no week of the period has its place.
        shown = [row[-1] for row in cells(page.locator("#trend tbody tr"))]
        self.assertEqual(shown, weeks[1:])
        page = self.shown(of.replace(PERIOD, "start=2015-06-28&end=2015-07-17"))
        expect(page.locator("#trend .key.cut")).to_have_text(["week of 9 Jun 2015, partial"])
        expect(page.locator("#trend .before path.point")).to_have_count(1)
        self.press(page, "Home")
        expect(page.locator(".tip .line")).to_have_text(re.compile(r"^week of .* 2015\s.*responses?, partial\)$"))

    def test_an_interval_in_which_the_records_of_the_earlier_period_begin_is_marked(self):
        def begun(one):
            if "before" in one:
                one["before"]["since"] = "2013-09-04T06:00:00.000+02:00"

        page = self.shown(DEMO, respond=changing(begun))
        expect(page.locator("#trend .key.cut")).to_have_text("September 2013, records from 4 Sep 2013")
        self.press(page, "Home", "ArrowRight")
        expect(page.locator(".tip .line")).to_contain_text("September 2013")

    def test_windows_make_a_line_without_single_months(self):
        page = self.shown(DEMO + "&window=90")
        expect(page.locator("#trend h2")).to_have_text("Score of 90 days, by month")
        expect(page.locator("#trend .key.promoters")).to_have_count(0)
        [*_, last] = ask(demo(), YEAR | {"interval": "month", "window": "90d"})
        shown = page.locator("#trend tbody tr").last
        expect(shown).to_contain_text(f"{last['responses']:,}")
        page.click("[data-control=more]")
        control = page.locator("[data-control=window]")
        expect(control).to_have_value("90")
        control.select_option("each month")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by month")
        self.assertNotIn("window", page.url)

    def test_shortened_numbers_are_exact_under_a_pointer(self):
        page = self.shown(MILLIONS, respond=answering(large))
        for part, short, exact in [
            (".volumes", "11.4M", "11,377,560"),
            (".times", "1.34M", "1,340,700"),
            (".groups", "4.74M", "4,740,650"),
        ]:
            expect(page.locator(f"{part} [title='{exact}']").first).to_have_text(short)
        self.assertIn("1.23M", self.written(page))
