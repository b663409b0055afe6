"""Keys, where they are typed and where they are held, and traits that people and records wrote."""

import json

from playwright.sync_api import expect

from answers import failing, traits
from support import API, DEMO_KEY, Case, Served, demo, project

KEY = "planted-read-key-0123456789"
PERIOD_2025 = "start=2025-01-01&end=2026-01-01"
MARKUP = "<img src=x onerror=alert(1)>"
ARABIC = "مستخدم من الشرق الأوسط"
VALUES = [MARKUP, ARABIC, "x" * 1000, "=1+1", "", "Plain"]


def record(number):
    """Returns a response with one of the values as a trait."""
    traits = {"note": VALUES[number % len(VALUES)], MARKUP: ARABIC}
    created = f"2025-{1 + number % 12:02}-15T12:00:00.000Z"
    user = {"userId": f"u{number}", "traits": traits}
    return {"id": f"r{number}", "created": created, "rating": number % 11, "user": user}


class ProjectCase(Case):
    """A project of its own, whose key has to be typed."""

    keys, keeps_key = (KEY,), True

    @classmethod
    def setUpClass(cls):
        records = "\n".join(json.dumps(record(number)) for number in range(300))
        cls.served = project("odd", KEY, records)
        cls.addClassCleanup(cls.served.stop)

    def typed(self, address="/", **options):
        """Opens a page, and types the project and its key."""
        page = self.open(address, self.served, **options)
        expect(page.locator("h1")).to_have_text("Open a project")
        page.get_by_label("Project").fill("odd")
        page.get_by_label("Read Key").fill(KEY)
        page.click("button:text('Open')")
        return page


class TypedKey(ProjectCase):
    def test_the_page_asks_for_project_and_key_and_keeps_the_key_to_itself(self):
        page = self.open("/", self.served)
        self.picture(page, "project")
        page = self.typed(f"/?{PERIOD_2025}&group=note")
        self.assert_responses(page, "300")
        self.assertIn("project=odd", page.url)

    def test_traits_are_text_whatever_they_contain(self):
        for width in [1280, 360]:
            size = {"width": width, "height": 900}
            page = self.shows(self.typed(f"/?{PERIOD_2025}&group=note", viewport=size))
            names = page.locator("table.groups .group-name")
            expect(names).to_have_count(len(VALUES))
            shown = [name.replace("Filter by ", "") for name in names.all_text_contents()]
            self.assertEqual(set(shown), {value or "empty" for value in VALUES})
            self.assert_no_sideways_scrolling(page)
            self.picture(page, f"traits-{width}")
            page.locator(".group-name", has_text="onerror").click()
            place = page.locator("[data-control=filter-0]" if width > 600 else ".on-paper")
            expect(place).to_contain_text(f"note is {MARKUP}")
            self.assert_no_sideways_scrolling(page)

    def test_names_of_traits_are_text_too(self):
        page = self.shows(self.typed(f"/?{PERIOD_2025}"))
        self.menu(page, "group")
        self.enter(page, "Search traits", MARKUP)
        expect(page.locator("#groups h2")).to_contain_text(MARKUP)
        expect(page.locator("table.groups tbody tr")).to_have_count(1)

    def test_a_value_of_ten_thousand_characters_is_refused_in_words_and_breaks_nothing(self):
        filters = f"filter=note=eq:{'y' * 10_000}"
        page = self.open(f"/?{PERIOD_2025}&{filters}", self.served, viewport={"width": 360, "height": 800})
        expect(page.locator(".state h1")).to_have_text("Part of this link is not understood")
        self.picture(page, "long-filter")
        self.assert_no_sideways_scrolling(page)

    def test_a_failure_of_the_only_request_is_explained(self):
        self.refused = (503,)
        page = self.shows(self.typed(f"/?{PERIOD_2025}&before=none"))
        self.assert_responses(page, "300")
        self.refresh(page, failing("unavailable", 503))
        expect(page.locator(".stale-note")).to_contain_text("The service is busy")


class KeptKey(ProjectCase):
    def opened(self, *answers):
        """Opens the project with a key that is kept, and these answers; returns what is asked for, too."""
        page = self.open("/?scale=nonsense", self.served)
        asked = self.asked(page)
        for respond in answers:
            page.route(API, respond)
        page.evaluate(f"sessionStorage.setItem('feedback.read-key.odd', '{KEY}')")
        return self.go(page, f"/?project=odd&{PERIOD_2025}"), asked

    def test_a_key_outlives_a_reload_and_not_the_tab_until_it_is_forgotten(self):
        page = self.typed(f"/?{PERIOD_2025}")
        self.assert_responses(page, "300")
        page.reload()
        self.assert_responses(page, "300")
        other = self.open(page.url.split(self.served.url)[1], self.served)
        expect(other.locator("h1")).to_have_text("Open a project")
        page.click("[data-control=more]")
        page.click("text=Forget the key")
        expect(page.locator("h1")).to_have_text("Open a project")
        self.assertEqual(page.evaluate("sessionStorage.length"), 0)

    def test_traits_are_offered_where_there_are_no_groups_but_for_private_ones(self):
        page, asked = self.opened(traits(("a", "string", True), ("note",), ("size", "number"), (MARKUP,)))
        chips = page.locator("#groups .filters > .chip")
        expect(chips).to_have_text(["note", MARKUP])
        self.assertFalse([address for address in asked if "groupBy=" in address])
        self.picture(page, "no-groups")
        chips.first.click()
        expect(page.locator("table.groups caption")).to_have_text("Groups by note")
        self.assertIn("&group=note", page.url)


class Forwarded(Case):
    def test_the_key_is_typed(self):
        self.keeps_key = True
        served = Served("serve", "--url", demo().url)
        self.addCleanup(served.stop)
        page = self.open("/?project=demo&start=2014-08-01&end=2015-08-01&timezone=Europe/Prague", served)
        self.open_project(page, DEMO_KEY)
        expect(page.locator("#nps")).to_have_text("−52.4")

    def test_an_api_that_cannot_be_reached_is_reported(self):
        self.refused = (502,)
        self.keys, self.keeps_key = (), True
        served = Served("serve", "--url", "http://127.0.0.1:9")
        self.addCleanup(served.stop)
        page = self.open("/?project=demo#key=demo-read-key-0000", served)
        expect(page.locator(".state h1")).to_have_text("The API cannot be reached")
        expect(page.locator(".state")).to_contain_text("cannot reach http://127.0.0.1:9/: Connection refused")
