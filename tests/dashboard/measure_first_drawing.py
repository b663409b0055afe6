"""How soon the demo has drawn its figures, on a machine that does nothing else, how soon a large trend is drawn, and
how large the page is.
"""

from datetime import date, timedelta

from answers import answering, dated, figures
from support import DEMO, Case, sample

# Waits until the figures have been drawn.
DRAWN = """new Promise((drawn) => {
  const look = () => (performance.getEntriesByName("figures").length ? drawn() : setTimeout(look, 5));
  look();
})"""


class FirstDrawing(Case):
    def test_the_first_drawing_is_quick_and_the_page_is_small(self):
        times, sizes = [], []
        for _ in range(5):
            page = self.open("/", sample())
            page.evaluate(DRAWN)
            begun = "performance.getEntriesByType('navigation')[0].responseEnd"
            drawn = "performance.getEntriesByName('figures')[0].startTime"
            times.append(page.evaluate(f"{drawn} - {begun}"))
            sizes.append(
                page.evaluate(
                    """["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
                      .filter(({ name }) => !name.includes("/api/"))
                      .reduce((sum, entry) => sum + entry.decodedBodySize, 0)"""
                )
            )
        span = f"{min(times):.0f} ms at best, {max(times):.0f} ms at worst"
        print(f"\nfirst drawing after {span}; {max(sizes)} bytes")
        # 0.4 s on a quiet machine; a shared one took 1.0 s.
        self.assertLess(min(times), 3000)
        self.assertLessEqual(max(sizes), 205_000)

    def test_400_days_with_five_lines_are_drawn_in_100_ms(self):
        names = [f"group {at}" for at in range(5)]

        def many(parameters):
            [start], [end] = (map(date.fromisoformat, parameters[name]) for name in ("startDate", "endDate"))
            days = [start + timedelta(at) for at in range((end - start).days)] if "interval" in parameters else [start]
            groups = [{"group": name, "other": False} for name in names] if "groupBy" in parameters else [{}]
            found = lambda day, at: figures(day.day * 3, at + 20, day.month * 9)
            one = lambda day, at, group: dated(day, day + timedelta(1), group | found(day, at))
            return [one(day, at, group) for at, group in enumerate(groups) for day in days]

        lines = "".join(f"&line={name}" for name in names)
        year = DEMO.replace("end=2015-08-01&interval=month&timezone=Europe/Prague", "end=2015-09-05&interval=day&timezone=UTC")
        page = self.shown(year + lines, respond=answering(many))
        times = page.evaluate(
            """[1, 2, 3, 4, 5, 6, 7].map(() => {
              const chart = document.querySelector(".trend-chart");
              const begun = performance.now();
              chart.dispatchEvent(new Event("printing"));
              chart.querySelector("svg").getBoundingClientRect();
              return performance.now() - begun;
            })"""
        )
        self.assertEqual(page.locator("#trend tbody").first.locator("tr").count(), 400)
        print(f"\n400 days with five lines are drawn in {min(times):.0f} ms at best, {max(times):.0f} ms at worst")
        self.assertLess(min(times), 100)
