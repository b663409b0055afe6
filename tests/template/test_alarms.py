"""Checks the alarms, what they and the dashboard read, and what the page says of them."""

import json
import re
import unittest

from rendering import ROOT, evaluate
from simulation import OPERATIONS, Hour, matches

LOG = (ROOT / "shared" / "service" / "src" / "log.rs").read_text()
PAGE = (ROOT / "docs" / "aws.md").read_text()
NAMESPACE = {"Fn::Sub": "SurveyFeedback/${AWS::StackName}"}


def alarms(**parameters):
    resources = evaluate(**parameters)["Resources"]
    return {
        name: one["Properties"] for name, one in resources.items() if one["Type"] == "AWS::CloudWatch::Alarm"
    }


def own_metrics():
    """Returns what the log lines and the metric filters emit, with their dimension."""
    (dimension,) = re.findall(r'dimensions: \[\["(\w+)"\]\]', LOG)
    numbers = set(re.findall(r'Metric::\w+\("(\w+)"', LOG))
    found = {(name, (dimension, operation)) for name in numbers for operation in OPERATIONS}
    filters = [
        one["Properties"]
        for one in evaluate()["Resources"].values()
        if one["Type"] == "AWS::Logs::MetricFilter"
    ]
    return found | {(one["MetricTransformations"][0]["MetricName"], None) for one in filters}


class Hours(unittest.TestCase):
    """Each alarm while nobody comes, while many do, while limits hold, and while it breaks."""

    def hour(self, checked="ok", busy=0):
        hour = Hour(evaluate()["Resources"])
        for minute in range(60):
            hour.check(minute, checked)
            for operation in OPERATIONS:
                hour.request(minute, operation, times=busy)
        return hour

    def test_an_idle_hour_and_a_busy_one_sound_no_alarm(self):
        self.assertEqual(self.hour().alarming(), {})
        self.assertEqual(self.hour(busy=100).alarming(), {})

    def test_few_errors_wake_nobody(self):
        hour = self.hour()
        for minute in range(60):
            hour.request(minute, outcome="internal", times=3)
        self.assertEqual(set(hour.alarming()), {"FaultsAlarm"})
        hour = self.hour(busy=100)
        for minute in range(60):
            hour.request(minute, outcome="internal", times=9)  # of 211
        hour.request(30, outcome="internal", times=100)  # in one minute of three
        self.assertEqual(set(hour.alarming()), {"FaultsAlarm"})

    def test_one_fault_informs_for_an_hour_and_wakes_nobody(self):
        for outcome in ("internal", "crash"):
            for operation in OPERATIONS:
                hour = self.hour(busy=10)
                hour.request(20, operation, outcome)
                self.assertEqual(hour.alarming(), {"FaultsAlarm": [*range(20, 60)]}, (outcome, operation))

    def test_server_errors_wake_after_two_minutes_at_any_load(self):
        for busy, times in [(0, 4), (100, 12)]:
            for operation in OPERATIONS:
                hour = self.hour(busy=busy)
                for minute in range(20, 40):
                    hour.request(minute, operation, "internal", times=times)
                on = hour.alarming()
                self.assertEqual(
                    (set(on), on["ServerErrorsAlarm"][0]), ({"ServerErrorsAlarm", "FaultsAlarm"}, 21)
                )

    def test_what_clients_cause_wakes_nobody_and_is_reported(self):
        for outcome, sounds in [
            ("throttled", {"LimitsAlarm"}),
            ("gateway_429", {"LimitsAlarm"}),
            ("too_large", set()),
        ]:
            hour = self.hour(busy=10)
            for minute in range(60):
                hour.request(minute, outcome=outcome, times=50)
            self.assertEqual(set(hour.alarming()), sounds, outcome)

    def test_errors_of_the_check_alone_wake_no_earlier_than_its_own_alarm(self):
        hour = Hour(evaluate()["Resources"])
        for minute in range(60):
            hour.check(minute, "internal" if 20 <= minute < 30 else "ok")
        on = hour.alarming()
        self.assertEqual((set(on), on["CheckAlarm"]), ({"CheckAlarm", "FaultsAlarm"}, [29]))

    def test_a_check_that_finds_only_what_strangers_throttle_wakes_nobody_and_is_reported(self):
        for finds in ("throttled_credentials", "lambda_429"):
            self.assertEqual(set(self.hour(checked=finds).alarming()), {"LimitsAlarm"}, finds)

    def test_a_table_that_throttles_for_ten_minutes_wakes(self):
        for minutes, sounds in [(9, {"LimitsAlarm"}), (10, {"LimitsAlarm", "CheckAlarm"})]:
            hour = Hour(evaluate()["Resources"])
            for minute in range(60):
                hour.check(minute, "throttled" if 20 <= minute < 20 + minutes else "ok")
            self.assertEqual(set(hour.alarming()), sounds)

    def test_strangers_who_keep_the_check_out_of_the_gateway_wake_nobody(self):
        hour = self.hour(checked="gateway_429")
        for minute in range(60):
            hour.request(minute, outcome="gateway_429", times=1_000)
        self.assertEqual(set(hour.alarming()), {"LimitsAlarm"})

    def test_ten_requests_in_five_minutes_are_limits_and_nine_are_not(self):
        for outcome in ("throttled", "gateway_429", "lambda_429"):
            for times, sounds in [(9, set()), (10, {"LimitsAlarm"})]:
                hour = self.hour()
                hour.request(30, outcome=outcome, times=times)
                self.assertEqual(set(hour.alarming()), sounds, outcome)

    def test_more_units_than_the_template_states_are_a_limit(self):
        for units, sounds in [(900_000, set()), (1_000_000, {"LimitsAlarm"})]:
            hour = self.hour()
            hour.request(30, units=units)
            self.assertEqual(set(hour.alarming()), sounds)

    def test_server_errors_during_throttling_wake_nevertheless(self):
        hour = self.hour(busy=10)
        for minute in range(20, 40):
            hour.request(minute, outcome="throttled", times=20)
            hour.request(minute, outcome="internal", times=5)
        self.assertEqual(set(hour.alarming()), {"LimitsAlarm", "ServerErrorsAlarm", "FaultsAlarm"})

    def test_a_check_that_fails_or_does_not_run_wakes_after_ten_minutes(self):
        for finds in ("crash", "internal", None):
            for minutes, sounds in [(9, set()), (10, {"CheckAlarm"})]:
                hour = Hour(evaluate()["Resources"])
                for minute in range(60):
                    if not 20 <= minute < 20 + minutes:
                        hour.check(minute)
                    elif finds:
                        hour.check(minute, finds)
                on = hour.alarming()
                faults = {"FaultsAlarm"} if finds else set()
                self.assertEqual(set(on), sounds | faults, finds)
                self.assertEqual(on.get("CheckAlarm", [29])[0], 29)


class Alarms(unittest.TestCase):
    def test_two_wake_and_two_inform(self):
        def told(**topics):
            return {name: alarm.get("AlarmActions") for name, alarm in alarms(**topics).items()}

        self.assertEqual(set(told().values()), {None})
        wake, inform = {"ServerErrorsAlarm", "CheckAlarm"}, {"LimitsAlarm", "FaultsAlarm"}
        both = told(AlarmTopicArn="alarms", PagingTopicArn="pages")
        self.assertEqual(both, dict.fromkeys(wake, ["pages"]) | dict.fromkeys(inform, ["alarms"]))
        self.assertEqual(told(AlarmTopicArn="alarms"), dict.fromkeys(wake | inform, ["alarms"]))
        self.assertEqual(told(PagingTopicArn="pages"), dict.fromkeys(wake, ["pages"]) | dict.fromkeys(inform))
        ends = {
            name: alarm.get("OKActions")
            for name, alarm in alarms(AlarmTopicArn="alarms", PagingTopicArn="pages").items()
        }
        self.assertEqual(ends, dict.fromkeys(wake, ["pages"]) | dict.fromkeys(inform))

    def test_a_refusal_is_a_429_of_the_gateway_or_of_lambda(self):
        resources = evaluate()["Resources"]
        form = json.loads(resources["ApiprodStage"]["Properties"]["AccessLogSetting"]["Format"])
        self.assertEqual(form["status"], "$context.status")
        self.assertEqual(form["integrationStatus"], "$context.integration.integrationStatus")
        refusals = resources["Refusals"]["Properties"]
        self.assertEqual(refusals["LogGroupName"], {"Ref": "AccessLog"})
        for status, integration, is_refusal in [
            ("200", "200", False),
            ("503", "200", False),
            ("429", "-", True),
            ("500", "429", True),
        ]:
            line = {"status": status, "integrationStatus": integration}
            self.assertEqual(matches(refusals["FilterPattern"], line), is_refusal)

    def test_alarms_and_the_dashboard_read_metrics_of_this_stack_that_exist(self):
        resources = evaluate()["Resources"]
        for name, alarm in alarms().items():
            for metric in [one["MetricStat"]["Metric"] for one in alarm["Metrics"] if "MetricStat" in one]:
                (named,) = metric.get("Dimensions", []) or [None]
                if metric["Namespace"] == NAMESPACE:
                    self.assertIn(
                        (metric["MetricName"], named and (named["Name"], named["Value"])), own_metrics()
                    )
                else:
                    functions = {"CheckAlarm": {"CheckFunction"}}.get(
                        name, {"UsersFunction", "ResponseStatisticsFunction"}
                    )
                    self.assertEqual(metric["Namespace"], "AWS/Lambda", name)
                    self.assertIn(named["Value"]["Ref"], functions, name)
        for function in ("UsersFunction", "ResponseStatisticsFunction"):
            variables = resources[function]["Properties"]["Environment"]["Variables"]
            self.assertEqual(variables["METRICS_NAMESPACE"], NAMESPACE)
        (transformation,) = resources["Refusals"]["Properties"]["MetricTransformations"]
        # Without a default value there would be no data before the first refusal.
        self.assertEqual((transformation["MetricNamespace"], transformation["DefaultValue"]), (NAMESPACE, 0))
        shown = json.loads(resources["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"])
        self.assertEqual(len(shown["widgets"]), 6)
        for function in ("CheckFunction", "UsersFunction", "ResponseStatisticsFunction"):
            self.assertIn(f"${{{function}}}", json.dumps(shown))
        own = set()
        for widget in shown["widgets"]:
            previous = []
            for metric in widget["properties"]["metrics"]:
                metric = [part for part in metric if not isinstance(part, dict)]
                if metric[0] == "...":
                    metric = previous[: len(previous) - len(metric) + 1] + metric[1:]
                previous = metric = [
                    previous[place] if part == "." else part for place, part in enumerate(metric)
                ]
                if metric[0] == NAMESPACE["Fn::Sub"]:
                    own.add((metric[1], tuple(metric[2:]) or None))
        self.assertLessEqual(own, own_metrics())
        self.assertGreater(len(own), 6)

    def test_the_page_has_a_heading_for_each_alarm_that_begins_with_a_query(self):
        headings = dict(re.findall(r"^### (\w+Alarm)\n\n(.*)\n", PAGE, re.MULTILINE))
        self.assertEqual(set(headings), set(alarms()))
        for name, beginning in headings.items():
            self.assertTrue(beginning.startswith("```"), name)

    def test_queries_name_members_of_the_logs_and_groups_of_the_stack(self):
        resources = evaluate()["Resources"]
        groups = {name for name, one in resources.items() if one["Type"] == "AWS::Logs::LogGroup"}
        queries = re.findall(r"^```\n# ([^\n]*)\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(queries), 3)
        form = json.loads(resources["ApiprodStage"]["Properties"]["AccessLogSetting"]["Format"])
        (line,) = re.findall(r"struct MetricsLine<'a> \{(.*?)\n\}", LOG, re.DOTALL)
        own = {name.title().replace("_", "") for name in re.findall(r"^    (?:pub\(super\) )?(\w+):", line, re.MULTILINE)}
        for names, query in queries:
            self.assertLessEqual(set(names.split(", ")), groups)
            used = set(re.findall(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)*\b", re.sub(r'"[^"]*"|/[^/]*/', "", query)))
            self.assertLessEqual(used, own, query)
            for member in re.findall(r"\b(status|integrationStatus|error|resource) (?:=|!=|like)", query):
                self.assertIn(member, form)

    def test_the_costs_count_what_cloudwatch_charges_for(self):
        charged = sum("MetricStat" in one for alarm in alarms().values() for one in alarm["Metrics"])
        self.assertTrue(f"{len(alarms())} alarms of {charged} metrics ${charged / 10:.2f}" in PAGE, charged)


if __name__ == "__main__":
    unittest.main()
