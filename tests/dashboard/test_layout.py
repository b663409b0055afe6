"""The drawings at every width, in three fonts, of a few responses and of millions."""

import base64
from urllib.parse import quote

from answers import GROUPS, MILLIONS, TEXTS, answering, large
from support import DEMO, ROOT, Case

PACKAGES = ROOT / "target/node/node_modules"
STYLES = ROOT / "crates/cli/src/page/styles/base.css"
# The fonts, of which the first is among the widest of those that systems have, the second is as narrow as Arial, and
# the third the one that the page prefers.
FROM_WEB = "@fontsource/{0}/files/{0}-latin-{1}-normal.woff2"
FONTS = {
    "wide": {400: "dejavu-fonts-ttf/ttf/DejaVuSans.ttf", 700: "dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"},
    "narrow": {weight: FROM_WEB.format("arimo", weight) for weight in (400, 700)},
    "usual": {weight: FROM_WEB.format("inter", weight) for weight in (400, 700)},
}
WIDTHS = [320, 375, 768, 1024, 1280, 1920, 2560]

DRAWN = """new Promise((drawn) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn, 50)));
})"""

# Returns what does not fit: texts and marks outside their part of the page, texts that overlap, targets that
# are too small.
LOOK = """() => {
  const wrong = [];
  const check = (holds, problem) => {
    if (!holds) wrong.push(problem);
  };
  const isShown = (element) => (
    element.checkVisibility({ visibilityProperty: true }) && !element.closest(".unseen, .tip, .panel"));
  const name = ({ text, left, top, right, bottom }) => (
    `"${text}" (${[left, top, right, bottom].map(Math.round)})`);
  const isInside = (part, { left, top, right, bottom }) => (
    part.left <= left + 0.5 && right <= part.right + 0.5
    && part.top <= top + 0.5 && bottom <= part.bottom + 0.5);
  const overlap = (one, other) => (
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 0.5
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.5);
  const checkApart = (texts, gap) => texts.forEach((one, at) => texts.slice(at + 1).forEach((other) => {
    const wide = { ...one, left: one.left - gap, right: one.right + gap };
    if (overlap(wide, other)) wrong.push(`${name(one)} overlaps ${name(other)}`);
  }));
  const root = document.documentElement;
  check(root.scrollWidth <= root.clientWidth, "the page scrolls sideways");
  for (const part of document.querySelectorAll("#bar, main, .card, .groups td, .groups th")) {
    const edge = part.getBoundingClientRect();
    const leaves = `leaves ${part.id || part.className}`;
    const texts = [];
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (!data.trim() || !isShown(parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const cut = parentElement.closest(".foreign");
      const isCut = cut && getComputedStyle(cut).overflow === "hidden";
      for (const { left, top, right, bottom } of (isCut ? cut : range).getClientRects()) {
        texts.push({ text: data, left, right, top: top + 3, bottom: bottom - 3 });
      }
    }
    for (const text of texts) check(isInside(edge, text), `${name(text)} ${leaves}`);
    if (part.matches("#bar, main")) checkApart(texts, 0);
    for (const mark of part.querySelectorAll(".bar, .mix span, .scale span")) {
      check(!isShown(mark) || isInside(edge, mark.getBoundingClientRect()), `${mark.className} ${leaves}`);
    }
  }
  for (const scroller of document.querySelectorAll("#groups .scroller")) {
    check(scroller.scrollWidth <= scroller.clientWidth, "the groups scroll sideways");
  }
  for (const mix of document.querySelectorAll(".mix:not(.none)")) {
    const { width } = mix.getBoundingClientRect();
    const parts = [...mix.children].map((part) => part.getBoundingClientRect().width);
    const whole = parts.reduce((sum, part) => sum + part, parts.length - 1);
    check(!isShown(mix) || Math.abs(whole - width) <= 1, `a mix of ${width} has parts of ${parts}`);
  }
  const controls = [...document.querySelectorAll("#bar > *")];
  const rows = new Set(controls.map((control) => control.getBoundingClientRect().top));
  check(window.innerWidth < 1024 || rows.size === 1, `the bar has ${rows.size} rows`);
  const drawing = document.querySelector("#trend svg").getBoundingClientRect();
  const written = [...document.querySelectorAll(TEXTS)].map((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return { text: one.textContent, left, right, top: top + 3, bottom: bottom - 3 };
  });
  for (const text of written) check(isInside(drawing, text), `${name(text)} leaves the trend`);
  checkApart(written, 2);
  for (const target of document.querySelectorAll("button, a, select, input, summary")) {
    const { width, height } = target.getBoundingClientRect();
    const problem = `${target.outerHTML.slice(0, 80)} is a target of ${width} × ${height}`;
    check(!isShown(target) || (width >= 24 && height >= 24), problem);
  }
  return wrong;
}""".replace("TEXTS", f"'{TEXTS}'")


def face(weight, file):
    """Declares a file to be the font of the page."""
    url = f"data:font/ttf;base64,{base64.b64encode(file.read_bytes()).decode()}"
    return f"@font-face {{ font-family: Inter; font-weight: {weight}; src: url({url}); }}\n"


class Layout(Case):
    def laid_out(self, address, font, respond=None, **options):
        """Opens a page in a font, with answers of its own."""
        page = self.open("/?scale=nonsense", respond=respond, bypass_csp=True, **options)
        style = "".join(face(weight, PACKAGES / file) for weight, file in FONTS[font].items())
        styled = {"body": style + STYLES.read_text(), "content_type": "text/css"}
        page.route("**/styles/base.css", lambda route: route.fulfill(**styled))
        self.go(page, address)
        page.evaluate("Promise.all([400, 700].map((weight) => document.fonts.load(`${weight} 13px Inter`)))")
        return page

    def assert_fits(self, page, name):
        for width in WIDTHS:
            # The trend is drawn again at each width.
            page.set_viewport_size({"width": width - 1, "height": 900})
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(DRAWN)
            self.picture(page, f"{name}-{width}")
            with self.subTest(name, width=width):
                wrong = page.evaluate(LOOK)
                self.assertFalse(wrong, "\n".join(wrong))

    def assert_tooltip_fits(self, page, name):
        page.set_viewport_size({"width": 320, "height": 900})
        for key in ["Home", "End"]:
            self.press(page, key)
            left, right, width, needed = page.locator(".tip").evaluate(
                """tip => [tip.getBoundingClientRect().left, tip.getBoundingClientRect().right,
                  tip.clientWidth, tip.scrollWidth]"""
            )
            self.assertTrue(0 <= left and right <= 320 and needed <= width, (left, right, width, needed))
            self.assert_no_sideways_scrolling(page)
            self.picture(page, f"{name}-{key}")

    def test_millions_fit_at_every_width_in_all_fonts_and_schemes(self):
        address = MILLIONS + "".join(f"&line={quote(name)}" for name in GROUPS[:5])
        for font, scheme in [("wide", "dark"), ("narrow", "light"), ("usual", "dark")]:
            page = self.laid_out(address, font, answering(large), color_scheme=scheme)
            self.assert_fits(page, f"millions-{font}")
            self.assert_tooltip_fits(page, f"tooltip-{font}")

    def test_a_few_responses_fit_at_every_width_in_all_fonts_and_schemes(self):
        for font, scheme in [("wide", "light"), ("narrow", "dark"), ("usual", "light")]:
            page = self.laid_out(DEMO, font, color_scheme=scheme)
            self.assert_fits(page, f"few-{font}")
