"""The chart as a part of the document, and as a picture that leaves it."""

from urllib.parse import quote
from xml.etree import ElementTree

from playwright.sync_api import expect

from support import API, CLIPBOARD, DEMO, Case

SVG = "{http://www.w3.org/2000/svg}"


class Picture(Case):
    def take(self, page, control="svg"):
        page.click("[data-control=picture]")
        if control != "svg":
            return page.click(f"[data-control={control}]")
        with page.expect_download() as download:
            page.click("[data-control=svg]")
        return download.value

    def test_the_chart_is_an_image_with_words_whose_text_has_the_readers_size_and_scheme(self):
        page = self.shown(DEMO)
        chart = page.get_by_role("img", name="Score and responses by month")
        expect(chart.locator("desc")).to_contain_text("12 by month. The last: July 2015: NPS −18.6")
        text = page.locator("#trend svg text").first
        light = text.evaluate("text => getComputedStyle(text).fill")
        expect(text).to_have_css("font-size", "13px")
        height = chart.bounding_box()["height"]
        page.emulate_media(color_scheme="dark")
        expect(text).not_to_have_css("fill", light)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        expect(chart).not_to_have_attribute("height", str(round(height)))
        expect(text).to_have_css("font-size", "26px")
        self.picture(page, "large-text")

    def test_a_saved_picture_has_the_score_its_change_the_trend_and_the_period_in_the_colors_of_paper(self):
        name = "a<&\"b' \x01x"
        filters = f"&filter=country=ne:{quote(name)}&line=Economy"
        page = self.shown(DEMO + filters, color_scheme="dark")
        saved = self.take(page)
        self.assertEqual(saved.suggested_filename, "feedback-demo-2014-08-01-2015-07-31-by-month-country-ne-a-b-x.svg")
        picture = ElementTree.parse(saved.path()).getroot()
        said = " ".join("".join(text.itertext()) for text in picture.iter(f"{SVG}text"))
        summary = " ".join(page.locator(".change").text_content().split())
        score = f"NPS {page.locator('#nps').text_content()} ("
        self.assertTrue(said.startswith(score), said)
        self.assertLess(said.index("Score and responses"), said.index("demo · "))
        for words in [
            summary,
            "Score and responses by month",
            "demo · 1 Aug 2014 – 31 Jul 2015 · by month · Europe/Prague · country is not " + "a<&\"b' \ufffdx",
            "■ promoters",
            "━ Economy",
            "Jul −18.6",
        ]:
            self.assertIn(words, said.replace("  ", " "))
        self.assertNotIn("×", said)
        self.assertEqual(picture.find(f"{SVG}rect").get("fill"), "rgb(255, 255, 255)")
        expect(page.locator("html")).not_to_have_class("printing")

    def test_a_picture_is_copied_or_the_page_says_that_it_is_not(self):
        page = self.shown(DEMO, permissions=CLIPBOARD)
        self.take(page, "copy-picture")
        expect(page.locator("[data-control=copy-picture]")).to_have_text("Copied")
        size = page.evaluate(
            """navigator.clipboard.read().then(async ([item]) => {
              const { width, height } = await createImageBitmap(await item.getType("image/png"));
              return [width, height];
            })"""
        )
        self.assertEqual(size[0], 2 * page.locator("#trend svg").bounding_box()["width"])
        page.evaluate("void (navigator.clipboard.write = () => Promise.reject(new Error('no')))")
        page.click("[data-control=copy-picture]")
        expect(page.locator("[data-control=copy-picture]")).to_have_text("The browser refused to copy")

    def test_old_figures_say_on_the_page_on_paper_and_in_a_picture_that_newer_ones_load(self):
        page = self.shown(DEMO)
        held = self.held(page)
        self.choose(page, "interval", "quarter")
        page.keyboard.press("Escape")
        expect(page.locator("#content")).to_have_attribute("aria-busy", "true")
        expect(page.locator(".progress")).to_have_css("opacity", "1")
        expect(page.locator("#nps")).to_have_text("−52.4")
        expect(page.locator("#trend h2")).to_have_text("Score and responses by month")
        # Pale figures are not to be read.
        self.picture(page, "loading", "{ exclude: '.waiting' }")
        note = page.locator(".loading-note")
        question = "demo · 1 Aug 2014 – 31 Jul 2015 · by quarter · Europe/Prague"
        expect(note).to_have_text(f"Loading {question}; pale figures are the previous ones.")
        expect(page.locator("#summary")).to_have_css("opacity", "0.33")
        expect(page.locator("#trend")).to_have_css("opacity", "0.33")
        saved = self.take(page).path().read_text()
        self.assertIn("These figures are not of the latest question.", saved)
        self.on_paper(page)
        expect(note).to_be_visible()
        expect(page.locator(".on-paper")).to_contain_text("by month")
        page.unroute(API)
        for route in held:
            route.continue_()
        expect(self.shows(page).locator("#trend h2")).to_have_text("Score and responses by quarter")
