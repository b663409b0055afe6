"""The page, the terminal and an assistant show the same change of the sample data, and say the same of it."""

import json
import re
import subprocess

from playwright.sync_api import expect

from support import DEMO_KEY, FEEDBACK, Case, ask, feedback, sample

SENTENCE = (
    "21.1, down 16.4 from February (2.9 to 29.6): clear. It comes from how people scored (−17.2), "
    "not from who answered (+0.8); most from enterprise (−8.0)."
)
MARCH = ["--start", "2025-03-01", "--end", "2025-04-01"]


def drawn(*options):
    key = {"env": {"FEEDBACK_READ_KEY": DEMO_KEY}}
    return feedback("stats", "--project", "demo", "--url", sample().url, *options, **key)


def assistant(**arguments):
    """Returns what the tool `compare` says."""
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    calls = [("initialize", start), ("tools/call", {"name": "compare", "arguments": arguments})]
    command = [FEEDBACK, "mcp", "--project", "demo", "--url", sample().url]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, env={"FEEDBACK_READ_KEY": DEMO_KEY}) as process:
        for number, (method, parameters) in enumerate(calls):
            call = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            print(json.dumps(call), file=process.stdin, flush=True)
            answer = json.loads(process.stdout.readline())
        process.stdin.close()
    return answer["result"]["structuredContent"]


def page_of(case, month, more="&group=plan"):
    start, end = f"2025-{month:02}-01", f"2025-{month + 1:02}-01"
    address = f"/?project=demo&start={start}&end={end}&interval=week&timezone=UTC{more}"
    return case.shows(case.open(address, sample()))


class Sentence(Case):
    def test_a_clear_change_has_the_same_numbers_and_the_same_sentence_everywhere(self):
        period = {"project": "demo", "startDate": "2025-03-01", "endDate": "2025-04-01", "compare": "previous"}
        groups = ask(sample(), period | {"groupBy": "plan"})
        of = lambda group: [group["change"]["fromScore"], group["change"]["fromShare"]]
        parts = {group["group"]: of(group) for group in groups}
        shown_as = lambda number: f"{number:+.1f}".replace("-", "−")
        numbers = {name: " ".join(map(shown_as, both)) for name, both in parts.items()}
        page = page_of(self, 3)
        expect(page.locator(".change")).to_have_text(SENTENCE)
        for name, shown in numbers.items():
            row = page.locator("tr", has=page.locator("th.name", has_text=name))
            expect(row.locator(".by .by, .by span.by")).to_have_text(shown)
        text = drawn(*MARCH, "--group-by", "plan")
        self.assertIn(SENTENCE, " ".join(text.split()))
        for name, shown in numbers.items():
            [line] = [line for line in text.splitlines() if line.startswith(name)]
            self.assertTrue(re.sub(" +", " ", line).endswith(shown), line)
        found = assistant(beforePeriod="2025-02", afterPeriod="2025-03", groupBy="plan")
        self.assertEqual(found["sentence"], SENTENCE)
        self.assertEqual({group["group"]: of(group) for group in found["groups"]}, parts)

    def test_a_change_that_could_be_chance_has_no_sources(self):
        page = page_of(self, 5)
        [said] = page.locator(".change").all_text_contents()
        self.assertIn("could be chance: here only changes above about", said)
        expect(page.locator("#groups .by")).to_have_count(0)
        text = drawn("--start", "2025-05-01", "--end", "2025-06-01", "--group-by", "plan")
        self.assertIn(said, " ".join(text.split()))
        self.assertNotIn("SHARE", text)
        found = assistant(beforePeriod="2025-04", afterPeriod="2025-05", groupBy="plan")
        self.assertEqual(found["sentence"], said)
        self.assertTrue(all("fromScore" not in group["change"] for group in found["groups"]))
