"""The trend: its scale, its intervals that are not whole, and what it says to a pointer, a finger and a
screen reader.
"""

import re
import unittest

from playwright.sync_api import expect

from answers import MILLIONS, PERIOD, TEXTS, answering, figures, large, months
from support import DEMO, Case, ask, demo, sample
from test_states import API

SAMPLE = "/?project=demo&start=2025-01-01&end=2026-01-01&interval=month&timezone=UTC"
FEW = [(3, 2, 4), (900, 900, 1000), (950, 900, 1000), (12, 1, 1)]


def noisy(parameters):
    """Returns the attributes of an answer whose first and last month have few responses."""
    if "interval" not in parameters:
        return large(parameters)
    [start], [end] = parameters["startDate"], parameters["endDate"]
    periods = months(start, end)
    return [
        {"start": f"{first}T00:00:00.000Z", "end": f"{last}T00:00:00.000Z", **figures(*kinds)}
        for (first, last), kinds in zip(periods, FEW)
    ]


class Trend(Case):
    def drawn(self, address, respond=None, **options):
        """Opens a page with answers of its own."""
        page = self.open("/?nonsense", **options)
        if respond:
            page.route(API, respond)
        page.goto(page.url.split("/?")[0] + address)
        return self.shows(page)

    def written(self, page):
        """Returns the texts of the chart."""
        return page.locator(TEXTS).all_text_contents()

    def test_the_scale_fits_and_a_control_shows_the_whole_one(self):
        page = self.drawn(DEMO)
        self.assertEqual(
            {text for text in self.written(page) if text in ("100", "20", "0", "−100")}, {"−100", "0", "20"}
        )
        control = page.locator("[data-control=scale]")
        control.focus()
        page.keyboard.press("Enter")
        expect(control).to_have_text("Fit the scale")
        self.assertIn("&scale=full", page.url)
        self.assertIn("100", self.written(page))
        expect(control).to_be_focused()
        control.click()
        self.assertNotIn("scale", self.shows(page).url)

    def test_the_response_rate_of_each_interval_is_one_step_away_where_there_is_one(self):
        page = self.shows(self.open(SAMPLE, sample()))
        period = {"project": "demo", "startDate": "2025-01-01", "endDate": "2026-01-01", "interval": "month"}
        months = ask(sample(), period)
        rate = [one["responses"] / one["displays"] for one in months]
        page.click(f"text=Show the response rate, {max(rate):.1%} at most")
        rows = page.locator("#trend tbody").last.locator("tr")
        shown = rows.evaluate_all("rows => rows.map((row) => [...row.cells].slice(1).map((cell) => cell.textContent))")
        self.assertEqual(
            shown, [[f"{part:.1%}", str(one["responses"]), str(one["displays"])] for part, one in zip(rate, months)]
        )
        heights = page.locator(".rates span").evaluate_all("bars => bars.map((bar) => parseFloat(bar.style.height))")
        for height, part in zip(heights, rate, strict=True):
            self.assertAlmostEqual(height, 100 * part / max(rate), places=3)
        # Each bar stands under its interval.
        middles = page.locator(".rates span").evaluate_all(
            "bars => bars.map((bar) => bar.getBoundingClientRect()).map(({ left, right }) => (left + right) / 2)"
        )
        over = page.locator(".over").bounding_box()
        for at, middle in enumerate(middles):
            self.assertAlmostEqual(middle, over["x"] + over["width"] * (at + 0.5) / 12, delta=0.5)
        self.picture(page, "rate", "'#trend'")
        # Only answers are recorded here.
        expect(self.drawn(DEMO).locator("#trend summary")).to_have_text(["Show as a table"])

    def test_an_interval_of_answers_alone_has_no_response_rate(self):
        answers_alone = lambda parameters: [
            one | ({"displays": one["responses"]} if one.get("start", "").startswith("2015-02") else {})
            for one in noisy(parameters)
        ]
        page = self.drawn(DEMO.replace(PERIOD, "start=2015-01-01&end=2015-05-01"), answering(answers_alone))
        page.click("text=Show the response rate, 33.3% at most")
        rates = page.locator("#trend tbody").last.locator("td:nth-of-type(1)")
        expect(rates).to_have_text(["33.3%", "–", "33.3%", "33.3%"])

    def test_bands_of_few_responses_are_cut_off_with_a_mark(self):
        page = self.drawn(DEMO.replace(PERIOD, "start=2015-01-01&end=2015-05-01"), answering(noisy))
        self.assertEqual(
            [text for text in self.written(page) if text in ("−10", "−5", "0", "5", "10", "15")],
            ["−10", "−5", "0", "5", "10", "15"],
        )
        self.picture(page, "cut-off")

    def test_the_ends_stay_labeled_where_the_last_interval_is_empty(self):
        def quiet(parameters):
            attributes = noisy(parameters)
            return (
                [*attributes[:-1], attributes[-1] | figures(0, 0, 0)]
                if "interval" in parameters
                else attributes
            )

        page = self.drawn(DEMO.replace(PERIOD, "start=2015-01-01&end=2015-05-01"), answering(quiet))
        written = self.written(page)
        self.assertIn("Mar 1.8", written)
        self.assertIn("no surveys", written)

    def test_intervals_that_are_not_whole_are_hatched_and_named_and_the_line_to_them_is_dashed(self):
        page = self.drawn(DEMO)
        dashed = page.locator("#trend .main .course.partial").first
        expect(dashed).to_have_count(0)

        def in_july(route):
            answer = route.fetch()
            suggestion = demo().suggestion if "settings" in route.request.url else {}
            route.fulfill(json=answer.json() | suggestion, headers={"date": "Wed, 15 Jul 2015 12:00:00 GMT"})

        page.route("**/*.json", in_july)
        page.route(API, in_july)
        page.goto(page.url.split("/?")[0] + DEMO.replace(PERIOD, "start=2014-11-15&end=2015-07-16"))
        self.shows(page)
        part, running = "November 2014, part (15 – 30 Nov 2014)", "July 2015, running (1 – 15 Jul 2015)"
        expect(page.locator("#trend .key.partial")).to_have_text(["November 2014, part", "July 2015, running"])
        expect(page.locator("#trend [role=slider]")).to_have_attribute(
            "aria-valuetext",
            re.compile(f"^{re.escape(running)}: NPS −11.1, −39\\.4\\sto\\s19\\.4, 27 responses to 27 surveys shown"),
        )
        rows = page.locator("#trend tbody th")
        expect(rows.first).to_have_text(part)
        expect(rows.nth(1)).to_have_text("December 2014")
        expect(rows.last).to_have_text(running)
        page.locator("#trend [role=slider]").focus()
        page.keyboard.press("Home")
        expect(page.locator(".tip strong")).to_have_text(part)
        expect(dashed).to_have_css("stroke-dasharray", "4px, 4px")
        expect(page.locator("#trend path.partial:not(.course)")).to_have_count(2)
        self.picture(page, "partial")
        # Yesterday was the last day: today lies in no interval.
        page.goto(page.url.replace("end=2015-07-16", "end=2015-07-15"))
        expect(self.shows(page).locator("#trend .key.partial").last).to_have_text("July 2015, part")

    def test_lines_of_few_responses_are_light_at_every_width_and_longer_intervals_are_proposed(self):
        days = DEMO.replace("interval=month", "interval=day")
        for width in (390, 1280):
            page = self.drawn(days, viewport={"width": width, "height": 900})
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
        self.shows(page)
        self.shows(page.goto(demo().url + days) and page).click("text=Show weeks")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by week")
        expect(self.drawn(DEMO).locator("#trend .sentence")).not_to_contain_text("Most of these")

    def test_bars_whose_numbers_do_not_fit_have_two_ticks(self):
        self.assertNotIn("50", self.written(self.drawn(DEMO)))
        written = self.written(self.drawn(DEMO.replace("interval=month", "interval=day") + "&scale=full"))
        self.assertEqual(written.count("50"), 2)
        self.assertEqual(written.count("0"), 2)

    def test_the_dotted_line_pairs_intervals_by_their_place_in_the_calendar_and_marks_cut_ones(self):
        of = DEMO.replace("interval=month", "interval=week&weekStart=sunday")
        page = self.drawn(of.replace(PERIOD, "start=2015-06-15&end=2015-07-29&before=2015-05-01"))
        period = {"project": "demo", "timezone": "Europe/Prague", "startDate": "2015-05-01", "endDate": "2015-06-14"}
        weeks = [week["responses"] for week in ask(demo(), period | {"interval": "week", "weekStart": "sunday"})]
        shown = page.locator("#trend tbody tr").evaluate_all("rows => rows.map((row) => +row.lastChild.textContent)")
        # 1 May is a Friday, so the first week has two days, and no week of the period has its place.
        self.assertEqual(shown, [*weeks[1:], 0])
        page = self.drawn(of.replace(PERIOD, "start=2015-06-28&end=2015-07-17&before=2015-05-17"))
        expect(page.locator("#trend .key.cut")).to_have_text(["week of 31 May 2015, part"])
        expect(page.locator("#trend .before path.point")).to_have_count(1)
        page.locator("#trend [role=slider]").focus()
        page.keyboard.press("End")
        expect(page.locator(".tip .line")).to_have_text(re.compile(r"responses?, part\)$"))

    def test_windows_make_a_line_without_single_months(self):
        page = self.shows(self.open(DEMO + "&window=90"))
        expect(page.locator("#trend h2")).to_have_text("Score of 90 days, by month")
        expect(page.locator("#trend .key.promoters")).to_have_count(0)
        period = {"project": "demo", "startDate": "2014-08-01", "endDate": "2015-08-01"}
        window = {"timezone": "Europe/Prague", "interval": "month", "window": "90d"}
        [*_, last] = ask(demo(), period | window)
        shown = page.locator("#trend tbody tr").last
        expect(shown).to_contain_text(f"{last['responses']:,}")
        page.click("[data-control=more]")
        control = page.get_by_label("What each interval counts")
        expect(control).to_have_value("90")
        control.select_option("its own month")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by month")
        self.assertNotIn("window", page.url)

    def test_shortened_numbers_are_exact_under_a_pointer_or_a_finger_and_for_screen_readers(self):
        shown = "element => getComputedStyle(element, '::after').content"
        for touch in (False, True):
            page = self.drawn(MILLIONS, answering(large), has_touch=touch, is_mobile=touch)
            for selector, short, exact in [
                (".volumes .short", "11.4M", "11,377,560"),
                (".times .short", "1.34M", "1,340,700"),
                (".groups .short", "4.74M", "4,740,650"),
            ]:
                with self.subTest(selector, touch=touch):
                    number = page.locator(selector).first
                    expect(number.locator("[aria-hidden]")).to_have_text(short)
                    expect(number.locator(".unseen")).to_have_text(exact)
                    self.assertEqual(number.evaluate(shown), "none")
                    number.tap() if touch else number.hover()
                    self.assertEqual(number.evaluate(shown), f'"{exact}"')
            self.assertNotIn("filter=", page.url)
        self.assertIn("1.23M", self.written(page))


if __name__ == "__main__":
    unittest.main()
