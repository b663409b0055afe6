"""Keys, where they are typed and where they are held, and traits that people and records wrote."""

import json
import tempfile
import unittest
from pathlib import Path

from playwright.sync_api import expect

from answers import answering, large
from support import SCREENSHOTS, Case, Served, demo, feedback
from test_states import API, failing

KEY = "planted-read-key-0123456789"
MARKUP = "<img src=x onerror=alert(1)>"
ARABIC = "مستخدم من الشرق الأوسط"
VALUES = [MARKUP, ARABIC, "x" * 1000, "=1+1", "", "Plain"]


def record(number):
    """Returns a response with one of the values as a trait."""
    traits = {"note": VALUES[number % len(VALUES)], MARKUP: ARABIC}
    return {
        "id": f"r{number}",
        "created": f"2025-{1 + number % 12:02}-15T12:00:00.000Z",
        "rating": number % 11,
        "user": {"userId": f"u{number}", "traits": traits},
    }


class ProjectCase(Case):
    """A project of its own, whose key has to be typed."""

    keys = (KEY,)

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        data = ["--project", "odd", "--data", str(Path(folder.name) / "data")]
        records = "\n".join(json.dumps(record(number)) for number in range(300))
        feedback("import", "responses", "-", *data, input=records)
        feedback("credentials", "create", "--may", "statistics", *data, "--secret-stdin", input=KEY)
        cls.served = Served("serve", "--dynamodb-listen", "127.0.0.1:0", *data[2:])
        cls.addClassCleanup(cls.served.stop)

    def typed(self, address="/", keep=False, **options):
        """Opens a page, and types the project and its key."""
        page = self.open(address, self.served, **options)
        expect(page.locator("h1")).to_have_text("Open a project")
        page.get_by_label("Project").fill("odd")
        page.get_by_label("Read Key").fill(KEY)
        page.get_by_label("Keep the key").set_checked(keep)
        page.click("button:text('Open')")
        return page


class TypedKey(ProjectCase):
    def test_the_page_asks_for_project_and_key_and_keeps_the_key_to_itself(self):
        page = self.open("/", self.served)
        self.picture(page, "project")
        page = self.typed("/?start=2025-01-01&end=2026-01-01&group=note")
        expect(page.locator(".volumes .figure").first).to_have_text("300")
        self.assertIn("project=odd", page.url)
        page.reload()
        expect(page.locator("h1")).to_have_text("Open a project")

    def test_traits_are_text_whatever_they_contain(self):
        for width in [1280, 360]:
            page = self.shows(
                self.typed(
                    "/?start=2025-01-01&end=2026-01-01&group=note", viewport={"width": width, "height": 900}
                )
            )
            names = page.locator("table.groups .group-name")
            expect(names).to_have_count(len(VALUES))
            shown = [name.replace("Filter by ", "") for name in names.all_text_contents()]
            self.assertEqual(set(shown), {value or "empty" for value in VALUES})
            self.assert_no_sideways_scrolling(page)
            self.picture(page, f"traits-{width}")
            page.locator(".group-name", has_text="onerror").click()
            expect(page.locator("[data-control=filter-0]" if width > 600 else ".on-paper")).to_contain_text(
                f"note is {MARKUP}"
            )
            self.assert_no_sideways_scrolling(page)

    def test_names_of_traits_are_text_too(self):
        page = self.shows(self.typed("/?start=2025-01-01&end=2026-01-01"))
        page.click("[data-control=group]")
        page.get_by_label("Search traits").fill(MARKUP)
        page.keyboard.press("Enter")
        expect(page.locator("#groups h2")).to_contain_text(MARKUP)
        expect(page.locator("table.groups tbody tr")).to_have_count(1)

    def test_a_value_of_ten_thousand_characters_is_refused_in_words_and_breaks_nothing(self):
        page = self.open(
            f"/?start=2025-01-01&end=2026-01-01&filter=note=eq:{'y' * 10_000}",
            self.served,
            viewport={"width": 360, "height": 800},
        )
        expect(page.locator(".state h1")).to_have_text("Part of this link is not understood")
        self.picture(page, "long-filter")
        self.assert_no_sideways_scrolling(page)

    def test_a_failure_of_the_only_request_is_explained(self):
        self.refused = (503,)
        page = self.shows(self.typed("/?start=2025-01-01&end=2026-01-01&before=none"))
        expect(page.locator(".volumes .figure").first).to_have_text("300")
        page.route(API, failing("unavailable", 503))
        page.click("text=Refresh")
        expect(page.locator(".stale-note")).to_contain_text("The service is busy")


class KeptKey(ProjectCase):
    keeps_key = True

    def test_a_key_is_kept_at_first_and_outlives_a_reload_and_not_the_tab_until_it_is_forgotten(self):
        page = self.open("/?start=2025-01-01&end=2026-01-01", self.served)
        page.get_by_label("Project").fill("odd")
        page.get_by_label("Read Key").fill(KEY)
        expect(page.get_by_label("Keep the key for this session")).to_be_checked()
        page.click("button:text('Open')")
        expect(page.locator(".volumes .figure").first).to_have_text("300")
        page.reload()
        expect(page.locator(".volumes .figure").first).to_have_text("300")
        other = self.open(page.url.split(self.served.url)[1], self.served)
        expect(other.locator("h1")).to_have_text("Open a project")
        page.click("[data-control=more]")
        page.click("text=Forget the key")
        expect(page.locator("h1")).to_have_text("Open a project")
        self.assertEqual(page.evaluate("sessionStorage.length"), 0)

    def test_groups_that_nobody_asked_for_are_shown_if_they_are_few(self):
        page = self.shows(self.typed("/?start=2025-01-01&end=2026-01-01", keep=True))
        expect(page.locator("table.groups caption")).to_have_text(f"Groups by {MARKUP}")
        self.assertIn("&group=%3Cimg", page.url)
        expect(page.locator("[data-control=line]")).to_be_visible()
        for traits, groups in [([("a", True), ("b", False)], 3), ([("a", False)], 0)]:
            asked = []

            def respond(route):
                if "describe=" in route.request.url:
                    return route.fulfill(
                        json={
                            "data": [
                                {
                                    "attributes": {
                                        "name": name,
                                        "type": "string",
                                        "displays": 1,
                                        "private": private,
                                    }
                                }
                                for name, private in traits
                            ]
                        }
                    )
                asked.append(route.request.url)
                if "groupBy=string.b&" in route.request.url:
                    return route.continue_(url=route.request.url.replace("string.b&", "string.note&"))
                if "groupBy=string.a&" not in route.request.url:
                    return route.continue_()
                document = route.fetch(url=route.request.url.replace("string.a&", "string.note&")).json()
                # More groups than the page shows unasked.
                return route.fulfill(json={"data": document["data"] * 5})

            page = self.open("/?nonsense", self.served)
            page.route(API, respond)
            page.evaluate(f"sessionStorage.setItem('feedback.read-key.odd', '{KEY}')")
            page.goto(self.served.url + "/?project=odd&start=2025-01-01&end=2026-01-01")
            self.shows(page)
            expect(page.locator("table.groups")).to_have_count(1 if groups else 0)
            self.assertEqual(len([address for address in asked if "groupBy" in address]), 1)
            self.assertEqual("&group=b" in page.url, groups > 0)
            if not groups:
                self.picture(page, "no-groups")
                self.choose(page, "interval", "quarter")
                self.shows(page)
                self.assertEqual(len([address for address in asked if "groupBy" in address]), 1)

    def test_no_groups_are_tried_where_surveys_were_shown_often(self):
        page = self.open("/?nonsense", self.served)
        asked = self.asked(page)
        page.route(API, answering(large))
        page.evaluate(f"sessionStorage.setItem('feedback.read-key.odd', '{KEY}')")
        page.goto(self.served.url + "/?project=odd&start=2025-01-01&end=2026-01-01")
        self.shows(page)
        expect(page.locator("#groups")).to_contain_text("Compare customers by a trait")
        self.assertFalse([address for address in asked if "describe=" in address or "groupBy=" in address])


class Forwarded(Case):
    def test_the_key_is_typed(self):
        self.keeps_key = True
        served = Served("serve", "--url", demo().url)
        self.addCleanup(served.stop)
        page = self.open("/?project=demo&start=2014-08-01&end=2015-08-01&timezone=Europe/Prague", served)
        page.fill("input[type=password]", "demo-read-key-0000")
        page.click("button:text('Open')")
        expect(page.locator("#nps")).to_have_text("−52.4")

    def test_an_api_that_cannot_be_reached_is_reported(self):
        self.refused = (502,)
        self.keys, self.keeps_key = (), True
        served = Served("serve", "--url", "http://127.0.0.1:9")
        self.addCleanup(served.stop)
        page = self.open("/?project=demo#key=demo-read-key-0000", served)
        expect(page.locator(".state h1")).to_have_text("The API cannot be reached")
        expect(page.locator(".state")).to_contain_text("cannot reach http://127.0.0.1:9/: Connection refused")


if __name__ == "__main__":
    unittest.main()
