"""The traits that are offered, and those whose values name people."""

import unittest

from playwright.sync_api import expect

from support import DEMO, YEAR, Case, between, ask, demo, reviews
from test_states import API, failing

TYPES = {"string": "text", "number": "number", "boolean": "yes or no"}


def described(respond):
    """Returns what answers requests for traits with a function, and passes on all others."""
    return lambda route: respond(route) if "describe=" in route.request.url else route.continue_()


def trait(name, kind="string", private=False):
    return {"attributes": {"name": name, "type": kind, "displays": 1, "private": private}}


class Traits(Case):
    refused = (400, 403, 422, 503)

    def opened(self, page, control):
        """Opens a menu that offers traits; returns its panel once they have been looked for."""
        page.locator(f"[data-control={control}]").first.click()
        panel = page.locator(".panel:visible")
        expect(panel.get_by_text("Looking for traits")).to_have_count(0)
        return panel

    def offered(self, panel):
        """Returns the name of each trait that a panel offers, and what its type is called."""
        options = panel.locator(".option")
        return [
            tuple(option.locator(part).text_content() for part in ("bdi", ".soft"))
            for option in options.all()
        ]


class Described(Traits):
    def test_the_traits_of_the_records_are_asked_for_when_a_menu_needs_them_and_once(self):
        page = self.open(DEMO)
        addresses = self.asked(page)
        self.shows(page)
        page.click("[data-control=period]")
        self.assertFalse([address for address in addresses if "describe" in address])
        known = [(one["name"], one["type"]) for one in ask(demo(), YEAR | {"describe": "traits"})]
        to_group = [(name, TYPES[kind]) for name, kind in known if kind != "number"]
        self.assertEqual(self.offered(self.opened(page, "group")), to_group)
        self.picture(page, "traits-to-group")
        self.assertEqual(
            self.offered(self.opened(page, "filter")), [(name, TYPES[kind]) for name, kind in known]
        )
        self.picture(page, "traits-to-filter")
        self.assertEqual(self.offered(self.opened(page, "group")), to_group)
        self.assertEqual(len([address for address in addresses if "describe=traits" in address]), 1)
        page.locator(".panel:visible .option", has_text="airline").click()
        expect(page.locator("table.groups caption")).to_have_text("Groups by airline")

    def test_another_period_has_other_traits_and_other_filters_have_not(self):
        page = self.shows(self.open(DEMO + "&filter=cabin=eq:Economy"))
        addresses = self.asked(page)
        page.route(
            API,
            described(
                lambda route: route.fulfill(
                    json={"data": [trait("later" if "startDate=2015" in route.request.url else "all")]}
                )
            ),
        )
        self.assertEqual(self.offered(self.opened(page, "group")), [("all", "text")])
        page.get_by_label("Remove the filter on cabin").click()
        self.shows(page)
        self.assertEqual(self.offered(self.opened(page, "group")), [("all", "text")])
        described_once = [address for address in addresses if "describe=" in address]
        self.assertEqual(len(described_once), 1)
        self.assertNotIn("filter=", described_once[0])
        page.goto(page.url.replace("start=2014-08-01", "start=2015-01-01"))
        self.assertEqual(self.offered(self.opened(self.shows(page), "group")), [("later", "text")])

    def test_typing_narrows_the_traits(self):
        page = self.shows(self.open(DEMO))
        panel = self.opened(page, "group")
        page.keyboard.type("CO")
        self.assertEqual(
            self.offered(panel),
            [("country", "text"), ("recommended", "yes or no"), ("CO", "text"), ("CO", "yes or no")],
        )
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator("table.groups caption")).to_have_text("Groups by recommended")

    def test_a_trait_that_no_record_has_is_an_error_beside_its_control(self):
        page = self.open("/?project=other")
        addresses = self.asked(page)
        # The changes of the groups come last.
        page.route("**/*startDate=2013*groupBy*", lambda route: (page.wait_for_timeout(500), route.continue_()))
        page.goto(demo().url + DEMO.replace("group=cabin", "group=cabins"))
        missing = self.shows(page).locator("#groups .beside")
        expect(missing).to_have_text("No record of this period has cabins.")
        self.picture(page, "missing-group")
        self.assertEqual(len([address for address in addresses if "describe=" in address]), 1)
        page.goto(demo().url + DEMO.replace("group=cabin", "group=legroom"))
        expect(missing).to_have_text("No record of this period has legroom as text: it is a number.")
        page.goto(demo().url + DEMO + "&filter=nosuch=ne:x&filter=contry=eq:Finland")
        expect(page.locator("#beside-filter-1")).to_have_text("No record of this period has contry.")
        expect(page.locator(".removable").nth(1).locator("> *").last).to_have_css(
            "border-right-color", "rgb(177, 71, 15)"
        )
        expect(page.locator("#beside-filter-0")).to_have_count(0)
        self.picture(page, "missing-filter")
        self.assertFalse([address for address in addresses if "describe=" in address and "filter=" in address])

    def test_traits_are_not_asked_for_where_the_period_has_no_displays(self):
        page = self.open("/?project=other")
        addresses = self.asked(page)
        page.goto(demo().url + between("2020-01-01", "2020-02-01"))
        expect(page.locator("#empty")).to_be_visible()
        self.shows(page)
        self.assertFalse([address for address in addresses if "describe=" in address])

    def test_traits_of_a_kind_that_a_menu_cannot_use_are_not_offered(self):
        page = self.shows(self.open(DEMO))
        others = [("d", "boolean"), ("e", "string"), ("f=g", "string")]
        names = [("a", "other"), ("b", "number"), ("c", "string", True), *others]
        page.route(API, described(lambda route: route.fulfill(json={"data": [trait(*one) for one in names]})))
        self.assertEqual(
            self.offered(self.opened(page, "group")), [("d", "yes or no"), ("e", "text"), ("f=g", "text")]
        )
        self.assertEqual(
            self.offered(self.opened(page, "filter")),
            [("b", "number"), ("c", "text"), ("d", "yes or no"), ("e", "text")],
        )

    def test_until_they_are_found_those_in_use_are_offered_and_a_name_can_be_typed(self):
        page = self.shows(self.open(DEMO + "&filter=country=ne:Finland"))
        held = []
        page.route(API, described(lambda route: held.append(route)))
        page.locator("[data-control=group]").click()
        panel = page.locator(".panel:visible")
        expect(panel.get_by_text("Looking for traits")).to_be_visible()
        self.assertEqual(self.offered(panel), [("country", "text"), ("cabin", "text")])
        panel.get_by_label("Search traits").fill("airline")
        page.keyboard.press("Enter")
        expect(page.locator("table.groups caption")).to_have_text("Groups by airline")
        for route in held:
            route.abort()

    def test_an_api_that_did_not_list_them_is_asked_again(self):
        for code, status in [("unknown_parameter", 400), ("too_many_traits", 422), ("unavailable", 503)]:
            with self.subTest(code):
                page = self.shows(self.open(DEMO))
                addresses = self.asked(page)
                page.route(API, described(failing(code, status)))
                for control in ["group", "filter"]:
                    self.assertEqual(self.offered(self.opened(page, control)), [("cabin", "text")])
                self.assertEqual(len(addresses), 2)
                panel = self.opened(page, "group")
                panel.get_by_label("Search traits").fill("recommended")
                panel.locator(".option", has_text="yes or no").click()
                expect(page.locator("table.groups caption")).to_have_text("Groups by recommended")

    def test_an_answer_of_another_shape_is_left_out(self):
        page = self.shows(self.open(DEMO))
        page.route(API, described(lambda route: route.fulfill(json={"data": [{"attributes": {"name": "odd"}}]})))
        self.assertEqual(self.offered(self.opened(page, "group")), [("cabin", "text")])

    def test_where_no_trait_is_known_its_name_is_asked_for(self):
        page = self.shows(self.open(DEMO))
        page.route(API, described(lambda route: route.fulfill(json={"data": []})))
        panel = self.opened(page, "group")
        expect(panel).to_contain_text("No trait is known here: type its name.")
        self.assertEqual(self.offered(panel), [])


class Private(Traits):
    @classmethod
    def setUpClass(cls):
        cls.served = reviews("--private-traits", "Cabin")

    def explained(self, page):
        expect(page.locator("#groups h2")).to_have_text("By Trait: cabin")
        expect(page.locator("#groups .sentence")).to_have_text(
            "cabin identifies people, so it cannot be grouped. You can filter by it."
        )
        expect(page.locator("#nps")).to_have_text("−52.4")

    def test_a_trait_that_names_people_is_explained_and_another_can_be_chosen(self):
        page = self.shows(self.open(DEMO, self.served))
        self.explained(page)
        self.picture(page, "private-trait")
        panel = self.opened(page, "filter")
        self.assertIn(("cabin", "text"), self.offered(panel))
        panel.locator(".option", has_text="cabin").click()
        addresses = self.asked(page)
        panel.get_by_label("Search values").fill("Economy")
        page.keyboard.press("Enter")
        expect(page.locator(".volumes .figure").first).to_have_text("294")
        self.assertFalse([address for address in addresses if "groupLimit=100" in address])
        # A part of the page that comes late replaces the menu.
        page.wait_for_load_state("networkidle")
        panel = self.opened(page, "group")
        self.assertNotIn("cabin", [name for name, _ in self.offered(panel)])
        panel.locator(".option", has_text="layout").click()
        expect(page.locator("table.groups caption")).to_have_text("Groups by layout")


if __name__ == "__main__":
    unittest.main()
