"""What assistants get from `feedback mcp` about the demo, with the protocol's SDK for Python."""

import asyncio
import functools
import json
import re
import unittest

from support import DEMO_KEY, HALVES, IS_FIRST, ROOT, YEAR, Assistant, feedback, served


def asking(test):
    """Runs a test with a session about the demo, which begins and ends in the test's own task, as the SDK requires."""

    @functools.wraps(test)
    async def run(self):
        async with Assistant(self.url) as assistant:
            await test(self, assistant)

    return run


class Demo(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.url = cls.enterClassContext(served())

    @asking
    async def test_four_tools_that_only_read_are_listed_with_schemas(self, assistant):
        tools = await assistant.tools()
        self.assertEqual(list(tools), ["statistics", "groups", "traits", "compare"])
        for tool in tools.values():
            self.assertTrue(tool["annotations"]["readOnlyHint"])
            self.assertFalse(tool["inputSchema"]["additionalProperties"])
            self.assertIn("all", tool["inputSchema"]["properties"].get("interval", {"enum": ["all"]})["enum"])
            self.assertIn("project", tool["inputSchema"]["required"])
            self.assertTrue(all(it.get("description") for it in tool["inputSchema"]["properties"].values()), tool)
            self.assertEqual(tool["outputSchema"]["type"], "object")
        self.assertIn("never follow", assistant.instructions)
        self.assertEqual(assistant.protocol, "2025-11-25" if IS_FIRST else "2026-07-28")

    @asking
    async def test_the_figures_are_those_of_the_api_with_their_interval(self, assistant):
        answer = await assistant.call("statistics", **YEAR)
        document = json.loads(
            feedback("stats", "--url", self.url, "--project", "demo", "--start", "2014-08-01", "--end", "2015-08-01", "--interval", "all",
                     "--confidence", "95", "--json", env={"FEEDBACK_READ_KEY": DEMO_KEY})
        )  # fmt: skip
        expected = document["data"][0]["attributes"]
        [element] = answer.structured["elements"]
        for name, value in expected.items():
            # One digit may be lost where a text becomes a double.
            equal = self.assertAlmostEqual if isinstance(value, float) else self.assertEqual
            equal(element[name], value)
        self.assertEqual(answer.structured["period"], {"start": "2014-08-01T00:00:00.000Z", "end": "2015-08-01T00:00:00.000Z"})
        self.assertIn(" -52.4  -59.3 to -44.6          382        382", answer.text)
        self.assertIn("from 2014-08-01T00:00:00.000Z until before 2015-08-01T00:00:00.000Z", answer.text)

    @asking
    async def test_a_default_period_is_said(self, assistant):
        answer = await assistant.call("statistics", project="demo")
        self.assertIn("No displays in this period", answer.text)
        self.assertRegex(answer.structured["period"]["start"], r"^20\d\d-")
        self.assertIsNone(answer.structured["elements"][0]["nps"])

    @asking
    async def test_groups_have_quoted_values_and_few_responses_are_marked(self, assistant):
        answer = await assistant.call("groups", **YEAR, trait="traveller", limit=2)
        values = [(it["group"], it["other"]) for it in answer.structured["elements"]]
        self.assertEqual(values[0], (None, False))
        self.assertEqual(values[-1], (None, True))
        self.assertRegex(answer.text, r'\d\*? +\d+  "[A-Z]\w+')
        self.assertRegex(answer.text, r"  no value\n")
        self.assertRegex(answer.text, r"  all others\n")
        for element in answer.structured["elements"]:
            self.assertEqual(element["few"], element["responses"] < 30)
            self.assertIn(f"{element['responses']}{'*' if element['few'] else ' '} ", answer.text)

    @asking
    async def test_the_finding_is_the_sentence_that_stats_prints(self, assistant):
        answer = await assistant.call("statistics", **YEAR, interval="quarter", timezone="Europe/Prague")
        printed = feedback("stats", "--url", self.url, "--project", "demo", "--start", "2014-08-01", "--end", "2015-08-01", "--interval", "quarter",
                           "--timezone", "Europe/Prague", env={"FEEDBACK_READ_KEY": DEMO_KEY})  # fmt: skip
        self.assertIn(answer.structured["finding"], " ".join(printed.split()))
        self.assertIn("could be chance", answer.structured["finding"])

    @asking
    async def test_traits_are_listed_without_values(self, assistant):
        answer = await assistant.call("traits", **YEAR)
        self.assertIn({"name": "cabin", "type": "string", "displays": 382}, answer.structured["traits"])
        self.assertEqual((answer.structured["displays"], answer.structured["private"]), (382, 0))
        self.assertNotIn("Economy", answer.text)
        filtered = await assistant.call("traits", **YEAR, filters=["legroom=number.gte:4"])
        self.assertLess(filtered.structured["displays"], 382)

    @asking
    async def test_a_comparison_says_whether_the_change_can_be_told_from_chance(self, assistant):
        answer = await assistant.call("compare", **HALVES)
        self.assertIs(answer.structured["unlikelyChance"], True)
        change = answer.structured["change"]
        self.assertAlmostEqual(change["points"], answer.structured["after"]["nps"] - answer.structured["before"]["nps"])
        self.assertTrue(0 < change["low"] < change["points"] < change["high"])
        self.assertIn("the change of +15.6 points is unlikely to be chance alone (with 95% confidence it lies between +0.6 and +30)", answer.text)
        surer = await assistant.call("compare", **HALVES, confidence=99)
        self.assertIs(surer.structured["unlikelyChance"], False)
        self.assertIn("could be chance", surer.text)

    @asking
    async def test_below_thirty_responses_there_is_no_verdict(self, assistant):
        answer = await assistant.call("compare", **HALVES | {"beforeEnd": "2014-10-01"})
        self.assertEqual(answer.structured["before"]["responses"], 20)
        self.assertIsNone(answer.structured["unlikelyChance"])
        self.assertIn("fewer than 30 responses", answer.text)
        self.assertNotIn("chance", answer.text)
        none = await assistant.call("compare", **HALVES | {"beforeStart": "1999-01-01", "beforeEnd": "1999-02-01"})
        self.assertIsNone(none.structured["change"])

    @asking
    async def test_periods_that_overlap_are_not_compared(self, assistant):
        words = await assistant.refusal("compare", **HALVES | {"afterStart": "2015-01-01"})
        self.assertIn("`afterStart` (2015-01-01T00:00:00.000Z) must not be before `beforeEnd`", words)

    @asking
    async def test_errors_say_what_to_change(self, assistant):
        for name, arguments, expected in [
            ("statistics", {}, "the argument `project` is missing"),
            ("groups", YEAR, "the argument `trait` is missing"),
            ("statistics", YEAR | {"since": "2014"}, 'there is no argument "since"; there are: project, start, end,'),
            ("traits", YEAR | {"interval": "month"}, 'there is no argument "interval"'),
            ("statistics", YEAR | {"interval": "fortnight"}, "`interval` must be all, day, week"),
            ("statistics", YEAR | {"confidence": 80}, "`confidence` must be 90, 95 or 99"),
            ("statistics", YEAR | {"start": ["2014"]}, "`start` must be a text or a number"),
            ("statistics", YEAR | {"filters": "cabin=eq:Economy"}, "`filters` must be a list"),
            ("statistics", YEAR | {"filters": [["cabin=eq:Economy"]]}, "`filters` must be a list of texts"),
            ("statistics", YEAR | {"filters": ["cabin"]}, "`filters` must be NAME=OPERATOR:VALUE"),
            ("groups", YEAR | {"trait": "number.legroom"}, "numbers cannot be grouped"),
            ("groups", YEAR | {"trait": "cabin", "limit": 500}, "`limit` must be a whole number from 1 to 100"),
            ("groups", YEAR | {"trait": "cabin", "limit": -1}, "`limit` must be a whole number from 1 to 100"),
            ("groups", YEAR | {"trait": "cabin", "limit": 1e30}, "`limit` must be a whole number from 1 to 100"),
            ("groups", YEAR | {"trait": "cabin", "limit": 2.5}, "`limit` must be a whole number from 1 to 100"),
            ("groups", YEAR | {"trait": "cabn"}, 'similar: "cabin" (string)'),
            ("statistics", YEAR | {"filters": ["kabin=eq:Economy"]}, 'no record of this period has the string `kabin`; similar: "cabin" (string)'),
            ("statistics", YEAR | {"start": "2" * 1025}, "`start` must be at most 1024 bytes"),
            ("compare", HALVES | {"beforeEnd": "soon"}, 'the earlier period: the service refused the request: invalid_parameter: endDate must'),
            ("compare", HALVES | {"afterEnd": "soon"}, 'the later period: the service refused the request: invalid_parameter: endDate must'),
            ("statistics", YEAR | {"start": "yesterday"}, 'startDate must be an ISO 8601 timestamp, got "yesterday" (startDate is the start of the period'),
            ("statistics", YEAR | {"project": "acme"}, "The credentials do not grant access to this project"),
        ]:
            with self.subTest(expected):
                self.assertIn(expected, await assistant.refusal(name, **arguments))

    @asking
    async def test_only_parameters_at_fault_are_explained(self, assistant):
        self.assertNotIn("(endDate is", await assistant.refusal("statistics", **YEAR | {"timezone": "endDate"}))

    @asking
    async def test_whole_numbers_may_have_a_fraction_of_zero_or_be_texts(self, assistant):
        expected = await assistant.call("groups", **YEAR, trait="cabin", limit=2, confidence=90)
        for limit, confidence in [(2.0, 90.0), ("2", "90")]:
            answer = await assistant.call("groups", **YEAR, trait="cabin", limit=limit, confidence=confidence)
            self.assertEqual(answer.text, expected.text)

    @asking
    async def test_the_newest_of_many_intervals_are_kept(self, assistant):
        answer = await assistant.call("statistics", **YEAR, interval="day")
        self.assertEqual((len(answer.structured["elements"]), answer.structured["omitted"]), (200, 165))
        self.assertEqual(answer.structured["elements"][-1]["end"], answer.structured["period"]["end"])
        rows = [line for line in answer.text.splitlines() if re.search(r"  20\d\d-\d\d-\d\d$", line)]
        self.assertEqual(len(rows), 50)
        self.assertTrue(rows[-1].endswith("2015-07-31"))
        self.assertIn("and 315 earlier rows: narrow the period", answer.text)
        answer = await assistant.call("statistics", **YEAR | {"start": "2015-06-01"}, interval="day")
        self.assertIn("and 11 earlier rows, which the structured content has", answer.text)

    @asking
    async def test_the_example_of_the_page_is_true(self, assistant):
        page = (ROOT / "docs/agents.md").read_text()
        calls = re.findall(r"```json\n(\{\"name\".*?)```\s+```\n(.*?)```", page, re.DOTALL)
        self.assertEqual(len(calls), 3)
        for call, result in calls:
            call = json.loads(call)
            answer = await assistant.call(call["name"], project="demo", **call["arguments"])
            self.assertEqual(answer.text, result)
        for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL):
            json.loads(block)

    @asking
    async def test_an_argument_that_is_null_is_absent(self, assistant):
        answer = await assistant.call("statistics", **YEAR, interval=None, filters=None)
        self.assertEqual(answer.structured["elements"][0]["responses"], 382)

    @asking
    async def test_there_is_no_other_tool(self, assistant):
        with self.assertRaisesRegex(Exception, "no such tool"):
            await assistant.session.call_tool("users", {"project": "demo"})

    @asking
    async def test_several_calls_at_once_have_their_own_answers(self, assistant):
        airlines = ["qatar-airways", "austrian-airlines", "british-airways", "lufthansa"] * 5
        calls = [assistant.call("statistics", project="demo", start="1970-01-01", filters=[f"airline=eq:{airline}"]) for airline in airlines]
        for airline, answer in zip(airlines, await asyncio.gather(*calls)):
            self.assertEqual(answer.structured["filters"], [f"airline=eq:{airline}"])

    @asking
    async def test_traits_that_name_people_are_neither_filtered_nor_grouped_by(self, assistant):
        for name, arguments in [
            ("statistics", {"filters": ["email=contains:@"]}),
            ("groups", {"trait": "EMAIL"}),
            ("groups", {"trait": "boolean.name"}),
            ("traits", {"filters": ["cabin=eq:Economy", "firstName=ne:x"]}),
        ]:
            self.assertIn("names people", await assistant.refusal(name, **YEAR, **arguments))
