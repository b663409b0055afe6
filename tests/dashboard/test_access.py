"""Accessibility, in both color schemes, wide and narrow."""

from playwright.sync_api import expect

from support import DEMO, Case, between, demo, sample
from test_layout import DRAWN

EMPTY = between("2020-01-01", "2020-02-01", "&filter=cabin=eq:Economy")
LONG = "/?project=demo&start=1970-01-01&end=2016-01-01&interval=year&timezone=UTC&group=airline"
CLEAR = "/?project=demo&start=2025-03-01&end=2025-04-01&group=plan"


class Access(Case):
    def test_no_state_has_a_violation(self):
        for scheme, forced in [("light", "none"), ("dark", "none"), ("light", "active"), ("dark", "active")]:
            for width in [1440, 360]:
                size = {"width": width, "height": 900}
                look = {"color_scheme": scheme, "forced_colors": forced, "viewport": size}
                page = self.shown(DEMO, **look)
                self.assert_accessible(page, "figures")
                for control in ["project", "period", "more" if width > 600 else "sheet", "group", "line"]:
                    page.locator(f"[data-control={control}]").first.click()
                    self.assert_accessible(page, control)
                    page.keyboard.press("Escape")
                for table in page.locator(".as-table summary").all():
                    table.click()
                self.picture(page, f"{scheme}-{forced}-{width}")
                for address in [EMPTY, LONG, "/?project=other", DEMO + "&scale=nonsense"]:
                    page = self.open(address, **look)
                    expect(page.locator("h1")).to_be_visible()
                    self.shows(page)
                    self.assert_accessible(page, address)

    def test_nothing_scrolls_sideways_where_there_are_no_figures_nor_at_twice_the_size(self):
        for width in [1440, 768, 360]:
            for address in [EMPTY, "/?project=other"]:
                page = self.shown(address, viewport={"width": width, "height": 800})
                self.assert_no_sideways_scrolling(page)
        page = self.shown(DEMO, viewport={"width": 640, "height": 450}, device_scale_factor=2)
        self.assert_no_sideways_scrolling(page)
        self.picture(page, "zoomed")

    def test_the_groups_fit_at_every_width_whatever_the_size_of_the_text(self):
        for address, served in [(LONG, demo()), (CLEAR, sample())]:
            page = self.shown(address, served)
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

    def test_motion_is_reduced_for_those_who_want_that(self):
        page = self.shown(DEMO, reduced_motion="reduce")
        page.evaluate("document.body.classList.add('loading')")
        animation = "getComputedStyle(document.querySelector('.progress'), '::before').animationName"
        self.assertEqual(page.evaluate(animation), "none")
