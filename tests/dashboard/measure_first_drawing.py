"""How soon the demo has drawn its figures, on a machine that does nothing else, and how large its page is."""

import unittest

from support import Case, sample


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
            times.append(
                page.evaluate(
                    "performance.getEntriesByName('figures')[0].startTime"
                    " - performance.getEntriesByType('navigation')[0].responseEnd"
                )
            )
            sizes.append(
                page.evaluate(
                    """["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
                      .filter(({ name }) => !name.includes("/api/"))
                      .reduce((sum, entry) => sum + entry.decodedBodySize, 0)"""
                )
            )
        span = f"{min(times):.0f} ms at best, {max(times):.0f} ms at worst"
        print(f"\nfirst drawing after {span}; {max(sizes)} bytes")
        self.assertLess(min(times), 1000)
        self.assertLessEqual(max(sizes), 240_000)


if __name__ == "__main__":
    unittest.main()
