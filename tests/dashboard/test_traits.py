"""The traits that are offered, and those whose values name people."""

from playwright.sync_api import expect

from answers import failing, only, traits
from support import API, DEMO, YEAR, Case, ask, between, demo, reviews

TYPES = {"string": "text", "number": "number", "boolean": "yes or no"}


class Traits(Case):
    refused = (400, 403, 422, 503)

    def opened(self, page, control):
        """Opens a menu that offers traits; returns its panel once they have been looked for."""
        panel = self.menu(page, control)
        expect(panel.get_by_text("Looking for traits")).to_have_count(0)
        return panel

    def offered(self, panel):
        """Returns the name of each trait that a panel offers, and what its type is called."""
        parts = lambda option: tuple(option.locator(part).text_content() for part in ("bdi", ".soft"))
        return [parts(option) for option in panel.locator(".option").all()]

    def described(self, addresses):
        """Returns those of the addresses that ask for traits."""
        return [address for address in addresses if "describe=" in address]


class Described(Traits):
    def test_the_traits_of_the_records_are_asked_for_when_a_menu_needs_them_and_once(self):
        page = self.open(DEMO)
        addresses = self.asked(page)
        self.shows(page).click("[data-control=period]")
        self.assertFalse(self.described(addresses))
        known = [(one["name"], TYPES[one["type"]]) for one in ask(demo(), YEAR | {"describe": "traits"})]
        to_group = [(name, kind) for name, kind in known if kind != "number"]
        for control, expected in [("group", to_group), ("filter", known), ("group", to_group)]:
            self.assertEqual(self.offered(self.opened(page, control)), expected)
            self.picture(page, f"traits-to-{control}")
        self.assertEqual(len(self.described(addresses)), 1)
        page.locator(".panel:visible .option", has_text="airline").click()
        expect(page.locator("table.groups caption")).to_have_text("Groups by airline")

    def test_another_period_has_other_traits_and_other_filters_have_not(self):
        page = self.shown(DEMO + "&filter=cabin=eq:Economy")
        addresses = self.asked(page)
        page.route(API, traits(("all",)))
        page.route(API, only("startDate=2015", traits(("later",))))
        self.assertEqual(self.offered(self.opened(page, "group")), [("all", "text")])
        page.get_by_label("Remove the filter on cabin").click()
        self.shows(page)
        self.assertEqual(self.offered(self.opened(page, "group")), [("all", "text")])
        [address] = self.described(addresses)
        self.assertNotIn("filter=", address)
        self.go(page, page.url.replace("start=2014-08-01", "start=2015-01-01"))
        self.assertEqual(self.offered(self.opened(page, "group")), [("later", "text")])

    def test_typing_narrows_the_traits(self):
        page = self.shown(DEMO)
        panel = self.opened(page, "group")
        page.keyboard.type("CO")
        found = [("country", "text"), ("recommended", "yes or no"), ("CO", "text"), ("CO", "yes or no")]
        self.assertEqual(self.offered(panel), found)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator("table.groups caption")).to_have_text("Groups by recommended")

    def test_traits_of_a_kind_that_a_menu_cannot_use_are_not_offered(self):
        page = self.shown(DEMO)
        others = [("d", "boolean"), ("e", "string"), ("f=g", "string")]
        page.route(API, traits(("a", "other"), ("b", "number"), ("c", "string", True), *others))
        to_group = [("d", "yes or no"), ("e", "text"), ("f=g", "text")]
        self.assertEqual(self.offered(self.opened(page, "group")), to_group)
        to_filter = [("b", "number"), ("c", "text"), ("d", "yes or no"), ("e", "text")]
        self.assertEqual(self.offered(self.opened(page, "filter")), to_filter)

    def test_until_they_are_found_a_name_can_be_typed(self):
        page = self.shown(DEMO)
        held = self.held(page, "describe=")
        panel = self.menu(page, "group")
        expect(panel.get_by_text("Looking for traits")).to_be_visible()
        self.assertEqual(self.offered(panel), [])
        self.enter(page, "Search traits", "airline")
        expect(page.locator("table.groups caption")).to_have_text("Groups by airline")
        for route in held:
            route.abort()

    def test_an_api_that_did_not_list_them_is_asked_again(self):
        for code, status in [("unknown_parameter", 400), ("too_many_traits", 422), ("unavailable", 503)]:
            with self.subTest(code):
                page = self.shown(DEMO)
                addresses = self.asked(page)
                page.route(API, only("describe=", failing(code, status)))
                for control in ["group", "filter"]:
                    panel = self.opened(page, control)
                    expect(panel).to_contain_text("No trait is known here: type its name.")
                    self.assertEqual(self.offered(panel), [])
                self.assertEqual(len(addresses), 2)
                panel = self.opened(page, "group")
                panel.get_by_label("Search traits").fill("recommended")
                panel.locator(".option", has_text="yes or no").click()
                expect(page.locator("table.groups caption")).to_have_text("Groups by recommended")


class Private(Traits):
    @classmethod
    def setUpClass(cls):
        cls.served = reviews("--private-traits", "Cabin")

    def test_a_trait_that_names_people_is_explained_and_another_can_be_chosen(self):
        page = self.shown(DEMO, self.served)
        expect(page.locator("#groups h2")).to_have_text("By cabin")
        problem = page.locator("#groups .problem")
        expect(problem).to_contain_text('The trait "cabin" names people, and a Read Key must not list them.')
        expect(problem.get_by_role("button")).to_have_count(0)
        expect(page.locator("#nps")).to_have_text("−52.4")
        self.picture(page, "private-trait")
        panel = self.opened(page, "filter")
        self.assertIn(("cabin", "text"), self.offered(panel))
        panel.locator(".option", has_text="cabin").click()
        addresses = self.asked(page)
        self.enter(page, "Search values", "Economy")
        self.assert_responses(page, "294")
        self.assertFalse([address for address in addresses if "groupLimit=100" in address])
        # A part of the page that comes late replaces the menu.
        page.wait_for_load_state("networkidle")
        panel = self.opened(page, "group")
        self.assertNotIn("cabin", [name for name, _ in self.offered(panel)])
        panel.locator(".option", has_text="layout").click()
        expect(page.locator("table.groups caption")).to_have_text("Groups by layout")
