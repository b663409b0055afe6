"""The page without a pointer."""

import re

from playwright.sync_api import expect

from support import DEMO, Case, sample

AIRLINES = DEMO.replace("cabin", "airline")

# Gives the focus to each control of a part of the page, and asserts that its ring is in sight. Returns how many
# there are.
RINGS = """(part) => {
  const controls = [...document.querySelectorAll(`${part} :is(button, a, select, input, summary, [tabindex="0"])`)];
  const shown = controls.filter((one) => one.checkVisibility() && !one.disabled);
  for (const one of shown) {
    document.activeElement.blur();
    one.focus({ focusVisible: true });
    const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(one);
    const margin = parseFloat(outlineWidth) + parseFloat(outlineOffset) - 0.5;
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const clips = [{ left: 0, top: 0, right: innerWidth, bottom: innerHeight }];
    for (let box = one; !box.matches("body, .panel"); ) {
      box = box.parentElement;
      const { left, top } = box.getBoundingClientRect();
      const [x, y] = [left + box.clientLeft, top + box.clientTop];
      const isClip = getComputedStyle(box).overflowX !== "visible";
      if (isClip) clips.push({ left: x, top: y, right: x + box.clientWidth, bottom: y + box.clientHeight });
    }
    const isWhole = clips.every((clip) => clip.left <= left - margin && clip.top <= top - margin
      && clip.right >= right + margin && clip.bottom >= bottom + margin);
    if (outlineStyle === "none" || !isWhole) throw new Error(`the ring of ${one.outerHTML.slice(0, 120)}`);
  }
  return shown.length;
}"""


class Keyboard(Case):
    def reach(self, page, selector):
        """Moves the focus on with Tab until it is on an element."""
        for _ in range(60):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        self.fail(f"the focus never reaches {selector}")

    def test_from_the_start_to_a_filtered_group(self):
        page = self.shown("/", sample())
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
        page = self.shown(DEMO)
        self.reach(page, "#trend [type=range]")
        chart = page.locator("#trend [type=range]")
        says = lambda text: expect(chart).to_have_attribute("aria-valuetext", text)
        july = "July 2015: NPS −18.6, −38.4\u00a0to\u00a02.9, 59 responses to 59 surveys shown"
        before = lambda month: f"\u2068{month}\u2069"
        says(f"{july}; {before('July 2014')}: −77.6 (58 responses)")
        for _ in range(2):
            page.keyboard.press("ArrowLeft")
        expect(page.locator(".tip")).to_contain_text("May 2015")
        page.keyboard.press("Home")
        expect(chart).to_have_value("1")
        page.keyboard.press("ArrowRight")
        says(f"September 2014: no surveys shown; {before('September 2013')}: −60.0 (5 responses)")
        self.picture(page, "keyboard")
        page.keyboard.press("ArrowRight")
        for _ in range(2):
            page.keyboard.press("Shift+ArrowRight")
        expect(page.locator(".selection")).to_be_visible()
        expect(chart).to_have_attribute("aria-valuetext", re.compile("^1 Oct – 31 Dec 2014: .* surveys? shown$"))
        page.keyboard.press("Enter")
        self.assert_period(page, "1 Oct – 31 Dec 2014")
        expect(page.locator("#trend [type=range]")).to_be_focused()

    def test_the_figures_are_one_key_away_and_arrows_move_in_a_menu_from_what_is_chosen(self):
        page = self.shown("/?project=demo&period=90d", sample())
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#content")).to_be_focused()
        self.assertNotIn("#", page.url)
        page.locator("[data-control=period]").press("Enter")
        options = page.locator(".panel:visible .option")
        expect(options.nth(2)).to_be_focused()
        for key, at in [("ArrowDown", 3), ("ArrowUp", 2), ("ArrowUp", 1)]:
            page.keyboard.press(key)
            expect(options.nth(at)).to_be_focused()

    def test_what_has_the_focus_keeps_it_when_its_card_is_drawn_again(self):
        page = self.shown(AIRLINES)
        adder = page.locator("[data-control=line]:text('+ group')")
        for names in (1, 2):
            adder.focus()
            page.keyboard.press("Enter")
            expect(page.locator("#trend .option").first).to_be_focused()
            page.keyboard.press("Enter")
            expect(self.shows(page).locator("#trend .legend .line:not(.before)")).to_have_count(names)
            expect(adder).to_be_focused()
        for selector in ["#trend summary", "#trend .scroller", "#ratings summary"]:
            page.locator(selector).focus()
            if selector == "#trend summary":
                page.keyboard.press("Enter")
            page.evaluate("document.querySelector('footer .link').click()")
            expect(self.shows(page).locator(selector)).to_be_focused()
        # A control that has done its work goes to the first one of its card.
        page = self.shown(DEMO.replace("month", "day"))
        page.get_by_role("button", name="Show weeks").focus()
        for interval, focused in [("week", "text=Show months"), ("month", "[data-control=picture]")]:
            page.keyboard.press("Enter")
            expect(self.shows(page).locator("#trend h2")).to_contain_text(f"by {interval}")
            expect(page.locator("#trend").locator(focused)).to_be_focused()

    def test_what_gets_the_focus_is_not_behind_the_bar(self):
        filters = [f"&filter=author_country=ne:Country {at} of some length" for at in range(18)]
        for count, place in [(0, "sticky"), (4, "sticky"), (18, "static")]:
            page = self.shows(self.open(AIRLINES + "".join(filters[:count]), viewport={"width": 1280, "height": 720}))
            expect(page.locator("#bar")).to_have_css("position", place)
            page.evaluate("scrollTo(0, document.body.scrollHeight)")
            page.locator(".over input").focus()
            bar, over = (page.locator(one).bounding_box() for one in ["#bar", ".over"])
            self.assertGreater(over["y"], bar["y"] + bar["height"])
            page.set_viewport_size({"width": 1280, "height": 200})
            expect(page.locator("#bar")).to_have_css("position", "static" if count else "sticky")

    def test_every_control_shows_its_focus_with_a_whole_ring(self):
        for width in (1280, 700, 320):
            page = self.shown(AIRLINES + "&line=emirates", viewport={"width": width, "height": 900})
            page.locator("summary").evaluate_all("all => all.forEach((one) => one.click())")
            self.assertGreater(page.evaluate(RINGS, "main"), 30)
            for control in ["project", "period", "more" if width > 600 else "sheet", "group", "line", "picture"]:
                page.locator(f"[data-control={control}]").first.click()
                expect(page.locator(".panel:visible").get_by_text("Looking for")).to_have_count(0)
                self.assertGreater(page.evaluate(RINGS, ".panel:popover-open"), 0)
                page.keyboard.press("Escape")
