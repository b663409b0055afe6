"""The page without a pointer."""

import unittest

from playwright.sync_api import expect

from support import DEMO, Case, sample


class Keyboard(Case):
    def reach(self, page, selector):
        """Moves the focus on with Tab until it is on an element."""
        for _ in range(60):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        self.fail(f"the focus never reaches {selector}")

    def test_from_the_start_to_a_filtered_group(self):
        page = self.shows(self.open("/", sample()))
        self.reach(page, "[data-control=period]")
        page.keyboard.press("Enter")
        self.reach(page, "input[type=date]")
        page.keyboard.press("Escape")
        expect(page.locator("[data-control=period]")).to_be_focused()
        self.reach(page, "[data-control=group]")
        page.keyboard.press("Enter")
        self.reach(page, ".panel input")
        expect(page.locator(".panel:visible .option").nth(3)).to_be_visible()
        page.keyboard.type("country")
        page.keyboard.press("Enter")
        expect(page.locator("table.groups caption")).to_have_text("Groups by country")
        self.reach(page, "[data-control=sort-name]")
        page.keyboard.press("Enter")
        expect(page.locator("[data-control=sort-name]")).to_be_focused()
        name = page.locator(".group-name bdi").first.text_content()
        self.reach(page, ".group-name")
        page.keyboard.press("Enter")
        expect(page.locator("[data-control=filter-0]")).to_contain_text(f"country is {name}")

    def test_arrow_keys_show_intervals_and_enter_narrows_the_period(self):
        page = self.shows(self.open(DEMO))
        self.reach(page, "#trend [role=slider]")
        chart = page.locator("#trend [role=slider]")
        page.keyboard.press("ArrowLeft")
        expect(chart).to_have_attribute(
            "aria-valuetext",
            "July 2015: NPS −18.6, −38.4\u00a0to\u00a02.9, 59 responses to 59 surveys shown; "
            "\u20681 Aug 2013 – 31 Jul 2014\u2069: −77.6 (58 responses)",
        )
        for _ in range(2):
            page.keyboard.press("ArrowLeft")
        expect(page.locator(".tip")).to_contain_text("May 2015")
        page.keyboard.press("Home")
        expect(chart).to_have_attribute("aria-valuenow", "1")
        page.keyboard.press("ArrowRight")
        expect(chart).to_have_attribute(
            "aria-valuetext",
            "September 2014: no surveys shown; \u20681 Aug 2013 – 31 Jul 2014\u2069: −60.0 (5 responses)",
        )
        self.picture(page, "keyboard")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(page.locator("[data-control=period]")).to_contain_text("1 – 31 Oct 2014")
        expect(page.locator("#trend [role=slider]")).to_be_focused()

    def test_the_focus_is_visible_everywhere(self):
        page = self.shows(self.open(DEMO))
        seen = set()
        for _ in range(40):
            page.keyboard.press("Tab")
            name, outline = page.evaluate(
                """(({ activeElement: focused }) => (
                  [focused.outerHTML.slice(0, 80), getComputedStyle(focused).outlineStyle]))(document)"""
            )
            if name.startswith("<body"):
                break
            seen.add(name)
            self.assertNotEqual(outline, "none", name)
        self.assertGreater(len(seen), 12)


if __name__ == "__main__":
    unittest.main()
