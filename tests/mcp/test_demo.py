"""What assistants get from `feedback mcp` about the sample data, with the protocol's SDK for Python."""

import asyncio
import functools
import json
import re
import unittest

from support import DEMO_KEY, IS_FIRST, ROOT, YEAR, Assistant, feedback, served

MARCH = {"project": "demo", "period": "2025-03", "compare": "previous"}


def asking(test):
    """Runs a test with a session about the demo, which begins and ends in the test's own task, as the SDK
    requires.
    """

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
    async def test_two_tools_that_only_read_are_listed_with_schemas_that_all_understand(self, assistant):
        tools = await assistant.tools()
        self.assertEqual(set(tools), {"statistics", "traits"})
        for tool in tools.values():
            self.assertTrue(tool["annotations"]["readOnlyHint"])
            schema, properties = tool["inputSchema"], tool["inputSchema"]["properties"]
            self.assertFalse(schema["additionalProperties"])
            self.assertIn("project", schema["required"])
            for it in properties.values():
                self.assertTrue(it.get("description") and isinstance(it["type"], str), tool)
            self.assertEqual(tool["outputSchema"]["type"], "object")
            self.assertNotIn('"format"', json.dumps(tool))
        self.assertIn("all", tools["statistics"]["inputSchema"]["properties"]["interval"]["enum"])
        self.assertIn("never follow", assistant.instructions)
        self.assertEqual(assistant.protocol, "2025-11-25" if IS_FIRST else "2026-07-28")

    def figures(self, *options):
        period = ["--start", YEAR["start"], "--end", YEAR["end"]]
        arguments = ["--url", self.url, "--project", "demo", *period, "--confidence", "95", *options]
        document = json.loads(feedback("stats", *arguments, "--json", env={"FEEDBACK_READ_KEY": DEMO_KEY}))
        return [element["attributes"] for element in document["data"]]

    @asking
    async def test_figures_are_those_of_the_api_to_the_last_digit(self, assistant):
        for options, arguments in [
            (["--interval", "all"], {}),
            (["--interval", "week"], {"interval": "week"}),
            (["--interval", "month", "--group-by", "plan"], {"interval": "month", "groupBy": "plan"}),
            (["--interval", "all", "--group-by", "boolean.beta"], {"groupBy": "beta"}),
            (["--interval", "all", "--respondents", "latest"], {"respondents": "latest"}),
        ]:
            answer = await assistant.call("statistics", **YEAR, **arguments)
            for element, expected in zip(answer.structured["elements"], self.figures(*options), strict=True):
                # The cases of tests/intervals.json say how it is rounded.
                words = element.pop("npsInterval")
                if expected["nps"] is None:
                    self.assertIsNone(words)
                else:
                    self.assertRegex(words, r"^−?\d+\.\d to −?\d+\.\d$")
                self.assertEqual(element, expected | {"few": expected["responses"] < 30})
            period = {"start": "2025-01-01T00:00:00.000Z", "end": "2026-01-01T00:00:00.000Z"}
            self.assertEqual(answer.structured["period"], period)

    @asking
    async def test_the_text_of_a_result_is_its_structured_content(self, assistant):
        for name, arguments in [("statistics", YEAR), ("traits", YEAR), ("statistics", MARCH)]:
            answer = await assistant.call(name, **arguments)
            self.assertEqual(json.loads(answer.text), answer.structured)

    @asking
    async def test_a_period_may_be_named_in_the_time_zone(self, assistant):
        named = {"project": "demo", "period": "2025-W02", "timezone": "Europe/Prague"}
        period = (await assistant.call("statistics", **named)).structured["period"]
        self.assertEqual(
            period, {"start": "2025-01-06T00:00:00.000+01:00", "end": "2025-01-13T00:00:00.000+01:00"}
        )
        quarter = {"project": "demo", "period": "2025-Q2", "compare": "previous"}
        dates = {"project": "demo", "start": "2025-04-01", "end": "2025-07-01", "compare": "2025-01-01/2025-04-01"}
        one, other = [await assistant.call("statistics", **periods) for periods in (quarter, dates)]
        # The figures of a word say which period it means.
        for element in one.structured["elements"]:
            self.assertEqual({element.pop(end) for end in ("start", "end")}, set(one.structured["period"].values()))
        self.assertEqual(one.structured, other.structured)

    @asking
    async def test_traits_are_listed_without_values(self, assistant):
        answer = await assistant.call("traits", **YEAR)
        listed = {it["name"]: it["type"] for it in answer.structured["traits"]}
        self.assertEqual(listed | {"plan": "string", "seats": "number", "beta": "boolean"}, listed)
        self.assertNotIn("growth", answer.text)
        filtered = await assistant.call("traits", **YEAR, filters=["plan=eq:free"])
        self.assertLess(filtered.structured["displays"], answer.structured["displays"])

    @asking
    async def test_a_comparison_has_the_summary_of_the_api(self, assistant):
        answer = (await assistant.call("statistics", **MARCH)).structured
        self.assertEqual(answer["summary"], "NPS 21.1, down 16.4 from February 2025 (−29.6 to −2.9): clear.")
        self.assertEqual(answer["period"]["start"], "2025-03-01T00:00:00.000Z")
        [element] = answer["elements"]
        self.assertAlmostEqual(element["change"]["points"], element["nps"] - element["before"]["nps"])
        self.assertEqual(element["change"]["verdict"], "clear")
        self.assertEqual(element["before"]["end"], "2025-03-01T00:00:00.000Z")
        early = MARCH | {"compare": "1999-01-01/1999-02-01"}
        none = (await assistant.call("statistics", **early)).structured
        self.assertIn("There are no responses for January 1999", none["summary"])

    @asking
    async def test_errors_say_what_to_change(self, assistant):
        of_a_year = [
            ({"since": "2014"}, 'there is no argument "since"; there are: compare, end, filters,'),
            ({"interval": "fortnight"}, "`interval` must be all, day, week"),
            ({"start": ["2014"]}, "`start` must be a string"),
            ({"filters": "plan"}, "`filters`"),
            ({"filters": ["plan"]}, "`filters` must be NAME=OPERATOR:VALUE"),
            ({"filters": ["plan=eq:x"] * 21}, "`filters` must not be more than 20"),
            ({"groupBy": "seats"}, "`seats` is a number, and numbers cannot be grouped"),
            ({"groupBy": "plan", "groupLimit": 500}, "groupLimit must be a number from 1 to 100"),
            ({"filters": ["beta=eq:true"]}, "`beta` is a boolean; write beta=boolean.eq:true"),
            ({"filters": ["pln=eq:free"]}, "no record of this period has the string `pln`"),
            ({"project": "acme"}, "the Read Key in FEEDBACK_READ_KEY is not for this project"),
        ]
        demo = {"project": "demo"}
        for name, arguments, expected in [
            *(("statistics", YEAR | more, expected) for more, expected in of_a_year),
            ("statistics", MARCH | {"interval": "week"}, "compare cannot be combined with interval"),
            ("statistics", MARCH | {"compare": "before"}, "compare must be previous, year, a period such as 2026-Q3, or START/END"),
            ("statistics", {}, "missing field `project`"),
            ("statistics", demo | {"start": "soon"}, "invalid_parameter: start must be"),
            ("statistics", demo | {"period": "last week"}, "`period` must be a period such as"),
            ("traits", YEAR | {"interval": "month"}, 'there is no argument "interval"'),
            ("traits", YEAR | {"period": "2025"}, "`period` is given instead of `start` and `end`"),
        ]:
            with self.subTest(name, **arguments):
                self.assertIn(expected, await assistant.refusal(name, **arguments))

    @asking
    async def test_the_newest_of_many_intervals_are_kept(self, assistant):
        answer = (await assistant.call("statistics", **YEAR, interval="day")).structured
        self.assertEqual((len(answer["elements"]), answer["omitted"]), (101, 365 - 101))
        self.assertEqual(answer["elements"][-1]["end"], answer["period"]["end"])
        self.assertEqual(answer["period"]["start"], "2025-01-01T00:00:00.000Z")
        # An interval is kept with all of its groups, or not at all.
        groups = {"interval": "week", "groupBy": "plan", "groupLimit": 2}
        answer = (await assistant.call("statistics", **YEAR, **groups)).structured
        starts = [element["start"] for element in answer["elements"]]
        self.assertGreater(answer["omitted"], 0)
        self.assertEqual(starts.count(starts[0]), starts.count(starts[-1]))

    @asking
    async def test_the_answer_of_the_page_is_the_summary_of_the_call_that_it_shows(self, assistant):
        page = (ROOT / "docs/agents.md").read_text()
        quotes = re.findall(r"(?:^> .*\n)+", page, re.MULTILINE)
        _, said = [" ".join(re.findall("^> (.*)", quote, re.MULTILINE)) for quote in quotes]
        (call,) = re.findall(r"```json\n(\{\"name\".*?)```", page, re.DOTALL)
        call = json.loads(call)
        answer = await assistant.call(call["name"], project="demo", **call["arguments"])
        self.assertEqual(answer.structured["summary"], said)

    @asking
    async def test_an_argument_that_is_null_is_absent_and_there_is_no_other_tool(self, assistant):
        answer = await assistant.call("statistics", **YEAR, interval=None, filters=None)
        self.assertEqual(len(answer.structured["elements"]), 1)
        with self.assertRaisesRegex(Exception, "no such tool"):
            await assistant.session.call_tool("users", {"project": "demo"})

    @asking
    async def test_several_calls_at_once_have_their_own_answers(self, assistant):
        plans = ["free", "growth", "enterprise"] * 6
        calls = [assistant.call("statistics", **YEAR, filters=[f"plan=eq:{plan}"]) for plan in plans]
        for plan, answer in zip(plans, await asyncio.gather(*calls)):
            self.assertEqual(answer.structured["filters"], [f"plan=eq:{plan}"])

    @asking
    async def test_traits_that_name_people_are_neither_filtered_nor_grouped_by(self, assistant):
        for name, arguments in [
            ("statistics", {"filters": ["email=contains:@"]}),
            ("statistics", {"groupBy": "EMAIL"}),
            ("statistics", {"groupBy": "boolean.name"}),
            ("traits", {"filters": ["plan=eq:free", "firstName=ne:x"]}),
        ]:
            self.assertIn("names people", await assistant.refusal(name, **YEAR, **arguments))
