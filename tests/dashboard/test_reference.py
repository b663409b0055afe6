"""The page of the API at /docs: what it is made of, and that everybody can read it."""

import copy

import yaml
from playwright.sync_api import expect

import reference
from support import SCREENSHOTS, Case, sample

MARKUP = "<script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">&amp;`<b>`"


class Reference(Case):
    @classmethod
    def setUpClass(cls):
        cls.document = yaml.safe_load(reference.DESCRIPTION.read_text())

    def parameters(self):
        described = reference.Description(self.document, None)
        for operation in (path["get"] for path in self.document["paths"].values()):
            for parameter in map(described.resolved, operation["parameters"]):
                yield f"{operation['operationId']}-{parameter['name']}", parameter

    def test_the_page_is_what_the_description_and_the_sample_data_make_of_it(self):
        older = "the page is an older one: run tests/dashboard/reference.py"
        self.assertEqual(reference.written(), reference.PAGE.read_text(), older)

    def test_each_parameter_has_a_command_that_sends_it_and_an_answer(self):
        page = self.open("/docs/", sample())
        parameters = list(self.parameters())
        self.assertGreaterEqual(len(parameters), 20)
        for identity, parameter in parameters:
            section = page.locator(f"#{identity}")
            commands = section.locator("pre > code")
            self.assertEqual(commands.count(), len(parameter.get("examples", "1")))
            for command in commands.all_text_contents():
                self.assertRegex(command, rf"^curl .*[?&]{parameter['name']}=")
            answers = section.locator("pre.answer")
            self.assertEqual(answers.count(), commands.count())
            for answer in answers.all_text_contents():
                self.assertRegex(answer, r'^\{\n  "(data|users)": \[')
            expect(page.locator(f"nav a[href='#{identity}']")).to_have_text(parameter["name"])

    def test_text_of_the_description_is_text_whatever_it_contains(self):
        document = copy.deepcopy(self.document)

        def spoil(part):
            for name, value in part.items() if isinstance(part, dict) else enumerate(part):
                if isinstance(value, (dict, list)):
                    spoil(value)
                elif name in ("title", "summary", "description", "operationId", "default") and value != "get":
                    part[name] = f"{value}{MARKUP}\n\n{MARKUP}" * 20

        spoil(document["info"])
        spoil(document["paths"])
        spoil(document["components"]["parameters"])
        spoil(document["components"]["schemas"])
        answer = '{"users": [{"userId": "<script>alert(1)</script>"}]}'
        text = reference.Description(document, lambda command: (answer, {"cursor": "<b>"})).page()
        for markup in ("<script", "<img", "<b>"):
            self.assertNotIn(markup, text)
        page = self.open("/docs/", sample(), viewport={"width": 390, "height": 844})
        document = {"body": text, "content_type": "text/html; charset=utf-8"}
        page.route("**/docs/", lambda route: route.fulfill(**document))
        page.reload()
        self.assertEqual(page.locator("script, img, b").count(), 0)
        expect(page.locator("main")).to_contain_text("<script>document.title = 'run'</script>")
        self.assertNotIn("run", page.title().split(MARKUP)[0])
        self.assert_no_sideways_scrolling(page)

    def test_everybody_can_read_it(self):
        for scheme, width in [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 320), ("light", 760)]:
            size = {"width": width, "height": 900}
            page = self.open("/docs/", sample(), color_scheme=scheme, viewport=size)
            name = f"docs-{scheme}-{width}"
            self.assert_no_sideways_scrolling(page)
            self.picture(page, name)
            page.screenshot(path=SCREENSHOTS / f"{name}-first.png")
        page.emulate_media(media="print")
        page.pdf(path=SCREENSHOTS / "docs.pdf", format="A4", print_background=True)
        expect(page.locator("nav")).to_be_hidden()

    def test_it_needs_no_script_leads_back_and_is_operated_by_the_keyboard(self):
        page = self.open("/docs/", sample(), java_script_enabled=False)
        expect(page.locator("#getResponseStatistics-filter pre").first).to_be_visible()
        page = self.open("/docs", sample())
        self.assertTrue(page.url.endswith("/docs/"))
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Dashboard")).to_be_focused()
        for _ in range(4):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        self.assertTrue(page.url.endswith("#listUsers-userId"), page.url)
        page.get_by_role("link", name="Dashboard").click()
        expect(page.locator("#bar")).to_be_visible()
        page.click("text=API documentation")
        expect(page.locator("h1")).to_have_text("Survey feedback read API")
