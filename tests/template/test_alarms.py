"""Checks the alarms in an hour of each kind, and whom they tell."""

import json
import re
import unittest

from rendering import ROOT, evaluate
from simulation import FUNCTIONS, Hour, matches

ALARMS = ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm")


def alarms(**parameters):
    resources = evaluate(**parameters)["Resources"]
    return {name: one["Properties"] for name, one in resources.items() if one["Type"] in ALARMS}


class Alarms(unittest.TestCase):
    def test_every_alarm_tells_the_topic_and_only_the_paging_alarm_pages(self):
        self.assertEqual([alarm for alarm in alarms().values() if "AlarmActions" in alarm], [])
        for name, alarm in alarms(AlarmTopicArn="alarms", PagingTopicArn="pages").items():
            topic = "pages" if name == "PagingAlarm" else "alarms"
            self.assertEqual(alarm["AlarmActions"], [topic], name)
        self.assertEqual(alarms(PagingTopicArn="pages")["PagingAlarm"]["OKActions"], ["pages"])

    def test_the_paging_alarm_combines_what_cannot_wait(self):
        def rule(**parameters):
            return [
                part["Fn::Sub"].removeprefix('ALARM("${').removesuffix('}")')
                for part in alarms(**parameters)["PagingAlarm"]["AlarmRule"]["Fn::Join"][1]
            ]

        errors = ["ServerErrorsAlarm", "UsersErrorsAlarm", "ResponseStatisticsErrorsAlarm"]
        self.assertEqual(rule(), [*errors, "SyntheticCheckAlarm", "SyntheticCheckMissingAlarm"])
        self.assertEqual(rule(SyntheticCheck="false"), errors)

    def test_the_access_log_tells_the_gateways_own_errors_from_those_of_functions_and_from_refusals(self):
        resources = evaluate()["Resources"]
        form = json.loads(resources["ApiprodStage"]["Properties"]["AccessLogSetting"]["Format"])
        self.assertEqual(
            [form[member] for member in ("status", "integrationStatus", "error")],
            ["$context.status", "$context.integration.integrationStatus", "$context.error.responseType"],
        )
        for line, found in [
            (("200", "200", "-"), []),
            (("404", "-", "MISSING_AUTHENTICATION_TOKEN"), []),
            (("403", "200", "-"), []),  # a key of another project
            (("403", "-", "WAF_FILTERED"), ["Refusals"]),
            (("429", "-", "THROTTLED"), ["Refusals"]),
            (("500", "429", "DEFAULT_5XX"), ["Refusals"]),  # Lambda throttles
            (("500", "200", "-"), []),
            (("503", "200", "-"), []),
            (("504", "200", "-"), []),
            (("502", "200", "DEFAULT_5XX"), ["GatewayErrors"]),
            (("503", "-", "INTEGRATION_FAILURE"), ["GatewayErrors"]),
            (("503", "504", "INTEGRATION_TIMEOUT"), ["GatewayErrors"]),
        ]:
            line = dict(zip(("status", "integrationStatus", "error"), line))
            names = ("GatewayErrors", "Refusals")
            counted = [name for name in names if matches(resources[name]["Properties"]["FilterPattern"], line)]
            self.assertEqual(counted, found, line)
        for name in ("GatewayErrors", "Refusals"):
            properties = resources[name]["Properties"]
            self.assertEqual(properties["LogGroupName"], {"Ref": "AccessLog"})
            (transformation,) = properties["MetricTransformations"]
            self.assertEqual(transformation["MetricName"], name)

    def test_alarms_measure_this_stack_and_their_own_function(self):
        own = {"Fn::Sub": "SurveyFeedback/${AWS::StackName}"}
        for name, alarm in alarms().items():
            for one in [one["MetricStat"]["Metric"] for one in alarm.get("Metrics", []) if "MetricStat" in one] or [alarm]:
                if name == "PagingAlarm":
                    continue
                self.assertIn(one["Namespace"], (own, "AWS/Lambda"), name)
                if one["Namespace"] == "AWS/Lambda":
                    self.assertIn(one["MetricName"], ("Errors", "Invocations", "Duration"))
                    (dimension,) = one["Dimensions"]
                    self.assertEqual(dimension["Name"], "FunctionName")
                    self.assertTrue(name.startswith(dimension["Value"]["Ref"].removesuffix("Function")), name)
                else:
                    self.assertNotIn(one["MetricName"], ("Errors", "Invocations"))

    def test_a_request_for_statistics_that_takes_nearly_its_timeout_is_reported(self):
        resources = evaluate()["Resources"]
        timeout = resources["ResponseStatisticsFunction"]["Properties"]["Timeout"]
        alarm = resources["ResponseStatisticsTimeoutAlarm"]["Properties"]
        self.assertEqual(alarm["Statistic"], "Maximum")
        self.assertTrue(0.8 < alarm["Threshold"] / 1000 / timeout < 0.95)

    def test_metrics_are_written_where_alarms_and_the_dashboard_read_them(self):
        resources = evaluate()["Resources"]
        namespace = {"Fn::Sub": "SurveyFeedback/${AWS::StackName}"}
        for function in ("UsersFunction", "ResponseStatisticsFunction"):
            variables = resources[function]["Properties"]["Environment"]["Variables"]
            self.assertEqual(variables["METRICS_NAMESPACE"], namespace)
        self.assertEqual(
            resources["SyntheticCheckFunction"]["Properties"]["Environment"]["Variables"]["METRICS_NAMESPACE"], namespace
        )
        for name in ("GatewayErrors", "Refusals"):
            (transformation,) = resources[name]["Properties"]["MetricTransformations"]
            self.assertEqual(transformation["MetricNamespace"], namespace)
        dashboard = resources["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
        self.assertEqual(dashboard.count('"SurveyFeedback'), dashboard.count(f'"{namespace["Fn::Sub"]}"'))

    def test_the_runbook_has_a_page_for_every_alarm_that_begins_with_a_query(self):
        pages = re.findall(r"^## (\w+Alarm)\n\n(.*)\n", (ROOT / "docs" / "alarms.md").read_text(), re.MULTILINE)
        self.assertEqual({name for name, _ in pages}, set(alarms()))
        for name, beginning in pages:
            self.assertTrue(beginning.startswith("```"), name)

    def test_queries_name_members_of_the_logs_and_groups_of_the_stack(self):
        resources = evaluate()["Resources"]
        groups = {name for name, one in resources.items() if one["Type"] == "AWS::Logs::LogGroup"}
        queries = re.findall(r"^```\n# ([^\n]*)\n(.*?)```", (ROOT / "docs" / "alarms.md").read_text(), re.MULTILINE | re.DOTALL)
        self.assertGreater(len(queries), 8)
        form = json.loads(resources["ApiprodStage"]["Properties"]["AccessLogSetting"]["Format"])
        source = (ROOT / "shared" / "src" / "http" / "log.rs").read_text()
        own = set(re.findall(r'writer\.value\(\s*"(\w+)"', source))
        for names, query in queries:
            self.assertLessEqual(set(names.split(", ")), groups)
            used = set(re.findall(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)*\b", re.sub(r'"[^"]*"|/[^/]*/', "", query)))
            self.assertLessEqual(used, own | {"CheckLimited"}, query)
            for member in re.findall(r"\b(status|integrationStatus|error|resource) (?:=|!=|like)", query):
                self.assertIn(member, form)


    def test_the_costs_count_what_cloudwatch_charges_for(self):
        resources = evaluate(SyntheticCheck="false")["Resources"]
        simple = [alarm for name, alarm in alarms(SyntheticCheck="false").items() if name != "PagingAlarm"]
        metrics = sum(sum("MetricStat" in one for one in alarm.get("Metrics", [])) or 1 for alarm in simple)
        log = (ROOT / "shared" / "src" / "http" / "log.rs").read_text()
        texts = {"Operation", "RequestId", "Project", "Credential", "Status"}
        own = len(set(re.findall(r'writer\.value\(\s*"(\w+)"', log)) - texts)
        of_log = sum(one["Type"] == "AWS::Logs::MetricFilter" for one in resources.values())
        costs = (ROOT / "docs" / "aws.md").read_text()
        numbers = {7: "seven", 11: "eleven", 2: "two"}
        self.assertIn(f"| {numbers[len(simple)]} alarms of {metrics} metrics, and the composite alarm | ${metrics * 0.1 + 0.5:.2f} |", costs)
        self.assertIn(
            f"| {numbers[own]} metrics of each function, and {numbers[of_log]} of the access log | ${(2 * own + of_log) * 0.3:.2f} |",
            costs,
        )


class Hours(unittest.TestCase):
    """Each alarm in an hour in which nobody comes, in which many do, in which limits hold, and in which it breaks."""

    def hour(self, checked="ok", **parameters):
        hour = Hour(evaluate(**parameters)["Resources"])
        if checked:
            for minute in range(60):
                hour.check(minute, checked)
        return hour

    def busy(self, checked="ok"):
        hour = self.hour(checked)
        for minute in range(60):
            for operation in FUNCTIONS:
                hour.request(minute, operation, times=100)
        return hour

    def test_an_idle_hour_sounds_no_alarm(self):
        self.assertEqual(self.hour().alarming(), {})
        self.assertEqual(self.hour(checked=None, SyntheticCheck="false").alarming(), {})

    def test_an_idle_hour_with_a_slow_request_and_one_error_sounds_no_alarm(self):
        hour = self.hour()
        for minute in range(0, 60, 5):
            hour.request(minute, duration=6_000)
        hour.request(30, outcome="crash")
        hour.request(40, outcome="internal")
        hour.request(50, outcome="too_large")
        self.assertEqual(hour.alarming(), {})

    def test_a_busy_hour_with_few_errors_sounds_no_alarm(self):
        hour = self.busy()
        for minute in range(60):
            hour.request(minute, outcome="internal")
            hour.request(minute, ["users", "response-statistics"][minute % 2], "crash")
            hour.request(minute, outcome="too_large")
            hour.request(minute, outcome="gateway_429", times=int(minute % 2 == 0))
        self.assertEqual(hour.alarming(), {})

    def test_an_hour_in_which_clients_exceed_each_limit_sounds_the_alarm_of_limits_alone(self):
        for outcome in ("throttled", "too_large", "gateway_429", "lambda_429", "waf"):
            hour = self.busy()
            for minute in range(20, 40):
                for operation in FUNCTIONS if outcome != "too_large" else ["response-statistics"]:
                    hour.request(minute, operation, outcome, times=50)
            self.assertEqual(set(hour.alarming()), {"LimitsAlarm"}, outcome)

    def test_limits_page_once_they_have_kept_the_check_from_its_end_for_ten_minutes(self):
        for outcome in ("throttled", "gateway_429"):
            for minutes, sounds in [(9, set()), (10, {"SyntheticCheckMissingAlarm", "PagingAlarm"})]:
                hour = self.busy(checked=None)
                for minute in range(60):
                    hour.check(minute, outcome if 20 <= minute < 20 + minutes else "ok")
                self.assertEqual(set(hour.alarming()) - {"LimitsAlarm"}, sounds, outcome)

    def test_server_errors_during_throttling_page_nevertheless(self):
        hour = self.busy()
        for minute in range(20, 40):
            hour.request(minute, outcome="throttled", times=50)
            hour.request(minute, outcome="internal", times=3)
        self.assertEqual(set(hour.alarming()), {"LimitsAlarm", "ServerErrorsAlarm", "PagingAlarm"})

    def test_an_hour_in_which_a_function_ends_in_each_request_pages_within_two_minutes(self):
        for operation, alarm in [("users", "UsersErrorsAlarm"), ("response-statistics", "ResponseStatisticsErrorsAlarm")]:
            hour = self.hour()
            for minute in range(20, 40):
                hour.request(minute, operation, "crash", times=3)
            on = hour.alarming()
            self.assertEqual(set(on), {alarm, "ServerErrorsAlarm", "PagingAlarm"})
            self.assertLess(on["PagingAlarm"][0], 22)

    def test_an_hour_in_which_each_answer_is_an_error_pages_within_two_minutes(self):
        for operation in FUNCTIONS:
            hour = self.hour()
            for minute in range(20, 40):
                hour.request(minute, operation, "internal", times=3)
            on = hour.alarming()
            self.assertEqual(set(on), {"ServerErrorsAlarm", "PagingAlarm"})
            self.assertLess(on["PagingAlarm"][0], 22)

    def test_a_fault_that_only_the_check_meets_pages_within_two_minutes(self):
        hour = self.hour(checked=None)
        for minute in range(60):
            hour.check(minute, "internal" if 20 <= minute < 40 else "ok")
        on = hour.alarming()
        self.assertEqual(set(on), {"SyntheticCheckAlarm", "PagingAlarm"})
        self.assertLess(on["PagingAlarm"][0], 22)

    def test_a_check_that_does_not_run_pages_after_ten_minutes(self):
        hour = self.hour(checked=None)
        for minute in range(60):
            if not 20 <= minute < 40:
                hour.check(minute)
        on = hour.alarming()
        self.assertEqual(set(on), {"SyntheticCheckMissingAlarm", "PagingAlarm"})
        self.assertEqual((on["PagingAlarm"][0], on["PagingAlarm"][-1]), (29, 39))

    def test_many_slow_requests_are_reported_and_so_is_one_that_nearly_times_out(self):
        hour = self.hour()
        for minute in range(60):
            hour.request(minute, times=5, duration=6_000)
        self.assertEqual(set(hour.alarming()), {"ResponseStatisticsLatencyAlarm"})
        hour = self.hour()
        hour.request(20, duration=25_000)
        self.assertEqual(set(hour.alarming()), {"ResponseStatisticsTimeoutAlarm"})

    def test_lists_that_break_off_are_reported_but_are_no_errors_that_page(self):
        for is_error in (True, False):  # to Lambda
            hour = self.hour()
            for minute in range(20, 40):
                hour.request(minute, "users", "broken_list", times=5)
            if not is_error:
                hour.series["Errors", "UsersFunction"] = [[0]] * 60
            self.assertEqual(set(hour.alarming()), {"BrokenListsAlarm"})

    def test_a_function_that_ends_pages_while_lists_break_off(self):
        hour = self.hour()
        for minute in range(20, 40):
            hour.request(minute, "users", "broken_list", times=5)
            hour.request(minute, "users", "crash")
        self.assertLessEqual({"UsersErrorsAlarm", "PagingAlarm"}, set(hour.alarming()))


if __name__ == "__main__":
    unittest.main()
