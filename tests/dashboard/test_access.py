"""Accessibility, in both color schemes, wide and narrow."""

import unittest

from playwright.sync_api import expect

from support import DEMO, Case, demo, sample
from test_layout import DRAWN

EMPTY = (
    DEMO.replace("start=2014-08-01&end=2015-08-01", "start=2020-01-01&end=2020-02-01")
    + "&filter=cabin=eq:Economy"
)
LONG = "/?project=demo&start=1970-01-01&end=2016-01-01&interval=year&timezone=UTC&group=airline"
CLEAR = "/?project=demo&start=2025-03-01&end=2025-04-01&group=plan"


class Access(Case):
    def test_no_state_has_a_violation(self):
        for scheme, forced in [("light", "none"), ("dark", "none"), ("light", "active"), ("dark", "active")]:
            for width in [1440, 360]:
                look = {
                    "color_scheme": scheme,
                    "forced_colors": forced,
                    "viewport": {"width": width, "height": 900},
                }
                page = self.shows(self.open(DEMO, **look))
                self.assert_accessible(page, "figures")
                for control in ["project", "period", "more" if width > 600 else "sheet", "group", "line"]:
                    page.locator(f"[data-control={control}]").first.click()
                    self.assert_accessible(page, control)
                    page.keyboard.press("Escape")
                for table in page.locator(".as-table summary").all():
                    table.click()
                self.picture(page, f"{scheme}-{forced}-{width}")
                for address in [EMPTY, LONG, "/?project=other", DEMO + "&nonsense"]:
                    page = self.open(address, **look)
                    expect(page.locator("h1")).to_be_visible()
                    self.shows(page)
                    self.assert_accessible(page, address)

    def test_nothing_scrolls_sideways_down_to_360_pixels_and_at_twice_the_size(self):
        for width in [1440, 1024, 768, 390, 360]:
            for address in [DEMO, EMPTY, LONG, "/?project=other"]:
                page = self.shows(self.open(address, viewport={"width": width, "height": 800}))
                self.assert_no_sideways_scrolling(page)
                if address == LONG:
                    self.picture(page, f"long-{width}")
        page = self.shows(self.open(DEMO, viewport={"width": 640, "height": 450}, device_scale_factor=2))
        self.assert_no_sideways_scrolling(page)
        self.picture(page, "zoomed")

    def test_the_groups_fit_at_every_width_whatever_the_size_of_the_text(self):
        for address, served in [(LONG, demo()), (CLEAR, sample())]:
            page = self.shows(self.open(address, served))
            for size in (100, 150, 200):
                page.evaluate(f"document.documentElement.style.fontSize = '{size}%'")
                for width in [320, 375, 540, 660, 700, 820, 960, 1024, 1280, 1600]:
                    page.set_viewport_size({"width": width, "height": 900})
                    page.evaluate(DRAWN)
                    beyond = "({ scrollWidth, clientWidth }) => scrollWidth - clientWidth"
                    for part in ("#groups .scroller", "html"):
                        self.assertEqual(page.locator(part).evaluate(beyond), 0, (address, size, width, part))
                    if (size, width) in [(200, 375), (200, 1280), (100, 960)]:
                        self.picture(page, f"text-{size}-{width}")

    def test_every_chart_has_a_table(self):
        page = self.shows(self.open(DEMO))
        for card, rows in [("trend", 12), ("ratings", 11), ("groups", 2)]:
            self.assertEqual(page.locator(f"#{card} tbody tr").count(), rows)

    def test_motion_is_reduced_for_those_who_want_that(self):
        page = self.shows(self.open(DEMO, reduced_motion="reduce"))
        page.evaluate("document.body.classList.add('loading')")
        self.assertEqual(
            page.evaluate("getComputedStyle(document.querySelector('.progress'), '::before').animationName"),
            "none",
        )


if __name__ == "__main__":
    unittest.main()
