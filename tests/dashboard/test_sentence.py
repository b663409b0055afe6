"""The page, the terminal and an assistant say what the API says of a change of the sample data."""

import json
import subprocess

from playwright.sync_api import expect

from support import DEMO_KEY, FEEDBACK, Case, feedback, sample


def drawn(*options):
    key = {"env": {"FEEDBACK_READ_KEY": DEMO_KEY}}
    return feedback("stats", "--project", "demo", "--url", sample().url, *options, **key)


def assistant(**arguments):
    """Returns what the tool `statistics` says."""
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    calls = [("initialize", start), ("tools/call", {"name": "statistics", "arguments": arguments})]
    command = [FEEDBACK, "mcp", "--project", "demo", "--url", sample().url]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, env={"FEEDBACK_READ_KEY": DEMO_KEY}) as process:
        for number, (method, parameters) in enumerate(calls):
            call = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            print(json.dumps(call), file=process.stdin, flush=True)
            answer = json.loads(process.stdout.readline())
        process.stdin.close()
    return answer["result"]["structuredContent"]


class Sentence(Case):
    def test_the_page_the_terminal_and_an_assistant_say_what_the_api_does(self):
        for month, by in (("2025-03", []), ("2025-03", ["plan"]), ("2025-05", ["plan"])):
            options = ["--period", month, "--compare", "previous", *(["--group-by", *by] if by else [])]
            said = json.loads(drawn(*options, "--json"))["meta"]["summary"]
            self.assertIn(said, " ".join(drawn(*options).split()))
            found = assistant(period=month, compare="previous", **({"groupBy": "plan"} if by else {}))
            self.assertEqual(found["summary"], said)
            page = self.page_of(month, "".join(f"&group={one}" for one in by))
            expect(page.locator(".change")).to_have_text(said)

    def page_of(self, month, more):
        start, end = f"{month}-01", f"2025-{int(month[-2:]) + 1:02}-01"
        page = self.open("/?scale=nonsense", sample())
        none = {"group": None}
        page.route("**/settings.json", lambda route: route.fulfill(json=route.fetch().json() | none))
        return self.go(page, f"/?project=demo&start={start}&end={end}&interval=week&timezone=UTC{more}")

    def test_a_clear_change_has_what_each_group_adds_and_another_has_nothing(self):
        of_march = ["--period", "2025-03", "--group-by", "plan"]
        elements = json.loads(drawn(*of_march, "--compare", "previous", "--json"))["data"]
        text = drawn(*of_march)
        page = self.page_of("2025-03", "&group=plan")
        for group in (element["attributes"] for element in elements):
            parts = [group["change"]["fromScore"], group["change"]["fromShare"]]
            shown = " ".join(f"{part:+.1f}".replace("-", "−") for part in parts)
            [line] = [line for line in text.splitlines() if line.startswith(group["group"])]
            self.assertTrue(" ".join(line.split()).endswith(shown), line)
            row = page.locator("tr", has=page.locator("th.name", has_text=group["group"]))
            expect(row.locator("span.by")).to_have_text(shown)
        expect(self.page_of("2025-05", "&group=plan").locator("#groups .by")).to_have_count(0)
        self.assertNotIn("SHARE", drawn("--period", "2025-05", "--group-by", "plan"))
