"""How soon the demo shows its outline and its score on a slow line, and what another visit costs."""

from playwright.sync_api import expect

from support import Case, sample

LINE = {"offline": False, "latency": 300, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
TIMES = """() => ({
  paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
  figures: performance.getEntriesByName("figures")[0].startTime,
  files: performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
    .filter(({ name }) => !name.includes("/api/")).map(({ transferSize }) => transferSize),
})"""


class SlowLine(Case):
    def test_the_first_visit_at_400_kbit_a_second_shows_something_in_3_s_and_the_next_loads_nothing(self):
        page = self.open("/?scale=nonsense", sample())
        expect(page.locator("h1")).to_be_visible()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.clearBrowserCache")
        session.send("Network.emulateNetworkConditions", LINE)
        visits = []
        for _ in range(2):
            page.goto(sample().url)
            page.locator("#nps").wait_for()
            self.shows(page)
            page.wait_for_timeout(100)
            visits.append(page.evaluate(TIMES))
        for name, visit in zip(("first", "next"), visits):
            paint, figures, files = visit["paint"], visit["figures"], visit["files"]
            print(f"\n{name} visit: first paint after {paint:.0f} ms, the score after {figures:.0f} ms;")
            print(f"{len(files)} files, {sum(files)} bytes")
        self.assertLess(visits[0]["paint"], 3000)
        self.assertLess(sum(visits[0]["files"]), 100_000)
        self.assertLess(sum(visits[1]["files"]), 15_000)
