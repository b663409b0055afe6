"""Checks what the alarms, the dashboard and the runbook read, and whom alarms tell."""

import json
import re
import unittest

from rendering import ROOT, evaluate
from simulation import matches

# What a line has beside its metrics.
TEXTS = {"Operation", "RequestId", "Project", "Credential", "Status"}
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
            (("200", "200", "-"), ["Served"]),
            (("404", "-", "MISSING_AUTHENTICATION_TOKEN"), []),
            (("403", "200", "-"), []),  # a key of another project
            (("403", "-", "WAF_FILTERED"), ["FirewallRefusals"]),
            (("429", "-", "THROTTLED"), ["GatewayRefusals"]),
            (("500", "429", "DEFAULT_5XX"), ["LambdaRefusals"]),
            (("500", "200", "-"), []),
            (("503", "200", "-"), []),
            (("504", "200", "-"), []),
            (("502", "200", "DEFAULT_5XX"), ["own"]),
            (("503", "-", "INTEGRATION_FAILURE"), ["own"]),
            (("503", "504", "INTEGRATION_TIMEOUT"), ["own"]),
        ]:
            line = dict(zip(("status", "integrationStatus", "error"), line))
            for path, own in [("/api/users", "UsersGatewayErrors"), ("/api/v2/response-statistics", "StatisticsGatewayErrors")]:
                counted = [name for name, one in self.filters(resources, "AccessLog") if matches(one, line | {"resource": path})]
                self.assertEqual(counted, [{"own": own}.get(name, name) for name in found], line)

    def test_lists_that_break_off_are_counted_by_their_line_or_by_lambdas_report(self):
        ((name, pattern),) = self.filters(evaluate()["Resources"], "UsersLog")
        self.assertEqual(name, "BrokenLists")
        for line, found in [
            ({"Operation": "users", "Incomplete": 0}, False),
            ({"Operation": "users", "Incomplete": 1}, True),
            ({"type": "platform.report", "record": {"status": "success"}}, False),
            ({"type": "platform.report", "record": {"status": "timeout"}}, True),
            ({"type": "platform.initReport", "record": {"status": "error"}}, False),
            ({"level": "ERROR"}, False),
        ]:
            self.assertEqual(matches(pattern, line), found, line)

    def filters(self, resources, group):
        """Returns the name of each metric that is counted in a log group, and its pattern."""
        filters = [one["Properties"] for one in resources.values() if one["Type"] == "AWS::Logs::MetricFilter"]
        for one in filters:
            # Without it, the metric would not exist before its first line, and alarms could not add it up.
            self.assertEqual([each["DefaultValue"] for each in one["MetricTransformations"]], [0])
        filters = [one for one in filters if one["LogGroupName"] == {"Ref": group}]
        return [(one["MetricTransformations"][0]["MetricName"], one["FilterPattern"]) for one in filters]

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
                    self.assertIn((one["MetricName"], self.dimension(one)), self.own_metrics())

    def dimension(self, metric):
        (named,) = metric.get("Dimensions", []) or [None]
        return named and (named["Name"], named["Value"])

    def own_metrics(self):
        """Returns what the log lines, the check and the metric filters emit, with their dimension."""
        log = (ROOT / "shared" / "src" / "http" / "log.rs").read_text()
        (dimension,) = re.findall(r'let dimensions = vec!\[vec!\["(\w+)"\.to_owned\(\)\]\];', log)
        numbers = set(re.findall(r'writer\.value\(\s*"(\w+)"', log)) - TEXTS
        operations = ("users", "response-statistics")
        found = {(name, (dimension, operation)) for name in numbers for operation in operations}
        filters = [one["Properties"] for one in evaluate()["Resources"].values() if one["Type"] == "AWS::Logs::MetricFilter"]
        found |= {(one["MetricTransformations"][0]["MetricName"], None) for one in filters}
        return found | {("CheckPassed", ("Operation", "check"))}  # test_synthetic_check.py checks that it does

    def test_the_dashboard_shows_metrics_that_exist(self):
        shown = json.loads(evaluate()["Resources"]["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"])
        own = set()
        for widget in shown["widgets"]:
            previous = []
            for metric in widget["properties"]["metrics"]:
                metric = [part for part in metric if not isinstance(part, dict)]
                if metric[0] == "...":
                    metric = previous[: len(previous) - len(metric) + 1] + metric[1:]
                metric = [previous[place] if part == "." else part for place, part in enumerate(metric)]
                previous = metric
                if metric[0].startswith("SurveyFeedback"):
                    own.add((metric[1], tuple(metric[2:]) or None))
        self.assertLessEqual(own, self.own_metrics())
        self.assertLessEqual({(f"{by}Refusals", None) for by in ("Gateway", "Lambda", "Firewall")}, own)

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
        for one in resources.values():
            if one["Type"] == "AWS::Logs::MetricFilter":
                (transformation,) = one["Properties"]["MetricTransformations"]
                self.assertEqual(transformation["MetricNamespace"], namespace)
        dashboard = resources["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
        self.assertEqual(dashboard.count('"SurveyFeedback'), dashboard.count(f'"{namespace["Fn::Sub"]}"'))

    def test_the_runbook_has_a_page_for_every_alarm_that_begins_with_a_query(self):
        pages = re.findall(r"^## (\w+Alarm(?: and \w+Alarm)?)\n\n(.*)\n", (ROOT / "docs" / "alarms.md").read_text(), re.MULTILINE)
        self.assertEqual({name for names, _ in pages for name in names.split(" and ")}, set(alarms()))
        for names, beginning in pages:
            self.assertTrue(beginning.startswith("```"), names)

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
            self.assertLessEqual(used, own | {"CheckPassed"}, query)
            for member in re.findall(r"\b(status|integrationStatus|error|resource) (?:=|!=|like)", query):
                self.assertIn(member, form)

    def test_the_costs_count_what_cloudwatch_charges_for(self):
        resources = evaluate(SyntheticCheck="false")["Resources"]
        simple = [alarm for name, alarm in alarms(SyntheticCheck="false").items() if name != "PagingAlarm"]
        metrics = sum(sum("MetricStat" in one for one in alarm.get("Metrics", [])) or 1 for alarm in simple)
        log = (ROOT / "shared" / "src" / "http" / "log.rs").read_text()
        own = len(set(re.findall(r'writer\.value\(\s*"(\w+)"', log)) - TEXTS)
        of_log = sum(one["Type"] == "AWS::Logs::MetricFilter" for one in resources.values())
        costs = (ROOT / "docs" / "aws.md").read_text()
        numbers = {7: "seven", 11: "eleven"}
        self.assertIn(f"| {numbers[len(simple)]} alarms of {metrics} metrics, and the composite alarm | ${metrics * 0.1 + 0.5:.2f} |", costs)
        self.assertIn(
            f"| {numbers[own]} metrics of each function, and {numbers[of_log]} of logs | ${(2 * own + of_log) * 0.3:.2f} |",
            costs,
        )


if __name__ == "__main__":
    unittest.main()
