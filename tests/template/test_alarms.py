"""Checks the alarms, whom they tell, and the synthetic check, whose code runs here against servers of its own."""

import http.server
import json
import os
import re
import threading
import unittest
from unittest import mock

from rendering import ROOT, evaluate

ALARMS = ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm")


def alarms(**parameters):
    resources = evaluate(**parameters)["Resources"]
    return {name: one["Properties"] for name, one in resources.items() if one["Type"] in ALARMS}


def matches(pattern, line):
    """Evaluates a filter pattern of CloudWatch Logs that compares members of a JSON line."""
    expression = pattern.strip().removeprefix("{").removesuffix("}").replace("||", " or ").replace("&&", " and ")
    expression = re.sub(r"\$\.(\w+)", r'line["\1"]', expression)
    return eval(re.sub(r"(?<![!=])=(?!=)", "==", expression), {"line": line})


class Alarms(unittest.TestCase):
    def test_every_alarm_tells_the_topic_and_only_the_paging_alarm_pages(self):
        self.assertEqual([alarm for alarm in alarms(SyntheticCheck="true").values() if "AlarmActions" in alarm], [])
        for name, alarm in alarms(SyntheticCheck="true", AlarmTopicArn="alarms", PagingTopicArn="pages").items():
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
        self.assertEqual(rule(), errors)
        self.assertEqual(rule(SyntheticCheck="true"), [*errors, "SyntheticCheckAlarm"])

    def test_server_errors_are_counted_in_the_access_log_without_those_that_clients_cause(self):
        resources = evaluate()["Resources"]
        metric = resources["ServerErrors"]["Properties"]
        self.assertEqual(metric["LogGroupName"], {"Ref": "AccessLog"})
        for status, integration_status, counted in [
            ("200", "200", False),
            ("404", "-", False),
            ("429", "-", False),
            ("500", "200", True),
            ("502", "502", True),
            ("503", "200", True),
            ("504", "200", False),  # a period that is too large
            ("500", "429", False),  # Lambda throttles
        ]:
            line = {"status": status, "integrationStatus": integration_status}
            self.assertEqual(matches(metric["FilterPattern"], line), counted, line)
        form = json.loads(resources["ApiprodStage"]["Properties"]["AccessLogSetting"]["Format"])
        self.assertEqual(form["status"], "$context.status")
        self.assertEqual(form["integrationStatus"], "$context.integration.status")
        (transformation,) = metric["MetricTransformations"]
        alarm = resources["ServerErrorsAlarm"]["Properties"]
        self.assertEqual(
            (alarm["Namespace"], alarm["MetricName"]),
            (transformation["MetricNamespace"], transformation["MetricName"]),
        )
        self.assertIn("${AWS::StackName}", json.dumps(alarm["Namespace"]))

    def test_alarms_of_functions_measure_their_own_function(self):
        measured = {}
        for name, alarm in alarms(SyntheticCheck="true").items():
            # That of the users' errors subtracts another metric.
            metrics = [one["MetricStat"]["Metric"] for one in alarm.get("Metrics", []) if "MetricStat" in one]
            for metric in metrics or [alarm]:
                if metric.get("Namespace") == "AWS/Lambda":
                    (dimension,) = metric["Dimensions"]
                    self.assertEqual(dimension["Name"], "FunctionName")
                    measured[name] = (metric["MetricName"], dimension["Value"]["Ref"])
        self.assertEqual(
            measured,
            {
                "UsersErrorsAlarm": ("Errors", "UsersFunction"),
                "ResponseStatisticsErrorsAlarm": ("Errors", "ResponseStatisticsFunction"),
                "UsersThrottlesAlarm": ("Throttles", "UsersFunction"),
                "ResponseStatisticsThrottlesAlarm": ("Throttles", "ResponseStatisticsFunction"),
                "ResponseStatisticsLatencyAlarm": ("Duration", "ResponseStatisticsFunction"),
                "ResponseStatisticsTimeoutAlarm": ("Duration", "ResponseStatisticsFunction"),
                "SyntheticCheckAlarm": ("Errors", "SyntheticCheckFunction"),
            },
        )

    def test_alarms_go_off_when_a_metric_rises_and_not_because_there_are_no_requests(self):
        for name, alarm in alarms(SyntheticCheck="true").items():
            if name == "PagingAlarm":
                continue
            self.assertIn("GreaterThan", alarm["ComparisonOperator"], name)
            # The check runs every minute, so that no data means no check.
            missing = "missing" if name == "SyntheticCheckAlarm" else "notBreaching"
            self.assertEqual(alarm["TreatMissingData"], missing, name)

    def test_a_request_for_statistics_that_takes_nearly_its_timeout_is_reported(self):
        resources = evaluate()["Resources"]
        timeout = resources["ResponseStatisticsFunction"]["Properties"]["Timeout"]
        alarm = resources["ResponseStatisticsTimeoutAlarm"]["Properties"]
        self.assertEqual(alarm["Statistic"], "Maximum")
        self.assertTrue(0.8 < alarm["Threshold"] / 1000 / timeout < 0.95)

    def test_a_list_that_breaks_off_is_reported_but_is_no_error_that_rolls_a_release_back(self):
        resources = evaluate()["Resources"]
        broken = resources["BrokenListsAlarm"]["Properties"]
        self.assertEqual((broken["MetricName"], broken["Threshold"]), ("Incomplete", 1))
        alarm = resources["UsersErrorsAlarm"]["Properties"]
        metrics = {one["Id"]: one for one in alarm["Metrics"]}
        (returned,) = [one for one in metrics.values() if one.get("ReturnData", True)]
        stats = {name: one["MetricStat"] for name, one in metrics.items() if one is not returned}
        # Of the same minutes, or they could not be subtracted.
        self.assertEqual({(one["Stat"], one["Period"]) for one in stats.values()}, {("Sum", 60)})
        metric = stats["broken"]["Metric"]
        for key in ("Namespace", "MetricName", "Dimensions"):
            self.assertEqual(metric[key], broken[key])

        def failures(**sums):
            fill = lambda value, default: default if value is None else value  # noqa: E731
            return eval(returned["Expression"], {"FILL": fill}, sums)

        # Whether Lambda counts a list that breaks off as an error or not.
        self.assertLess(failures(errors=2, broken=2), alarm["Threshold"])
        self.assertLess(failures(errors=0, broken=2), alarm["Threshold"])
        self.assertGreaterEqual(failures(errors=3, broken=2), alarm["Threshold"])
        self.assertGreaterEqual(failures(errors=1, broken=None), alarm["Threshold"])

    def test_alarms_and_the_dashboard_read_the_metrics_where_the_functions_of_this_stack_write_them(self):
        resources = evaluate()["Resources"]
        namespace = {"Fn::Sub": "SurveyFeedback/${AWS::StackName}"}
        for function in ("UsersFunction", "ResponseStatisticsFunction"):
            variables = resources[function]["Properties"]["Environment"]["Variables"]
            self.assertEqual(variables["METRICS_NAMESPACE"], namespace)
        self.assertEqual(resources["BrokenListsAlarm"]["Properties"]["Namespace"], namespace)
        dashboard = resources["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
        self.assertEqual(dashboard.count('"SurveyFeedback'), dashboard.count(f'"{namespace["Fn::Sub"]}"'))

    def test_the_runbook_has_an_entry_for_every_alarm(self):
        runbook = (ROOT / "docs" / "aws.md").read_text().split("## What to do at an alarm")[1].split("\n## ")[0]
        entries = [line.split("|")[1] for line in runbook.splitlines() if line.startswith("| `")]
        named = {name.strip(" `") for entry in entries for name in entry.split(",")}
        self.assertEqual(named, set(alarms(SyntheticCheck="true")))


class Api(http.server.BaseHTTPRequestHandler):
    """Answers as the API does to an unknown key, unless `status` or `code` are others."""

    status, code = 401, "unauthenticated"
    requests = []

    def do_GET(self):
        type(self).requests.append((self.path, self.headers.get("Authorization") or self.headers.get("AuthKey")))
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(json.dumps({"errors": [{"code": self.code}]}).encode())

    def log_message(self, *_):
        pass


class SyntheticCheck(unittest.TestCase):
    def check(self, **answers):
        api = type("ThisApi", (Api,), answers | {"requests": []})
        with http.server.HTTPServer(("127.0.0.1", 0), api) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.run_code(f"http://127.0.0.1:{server.server_port}/prod")
            server.shutdown()
        return api.requests

    def run_code(self, url):
        properties = evaluate(SyntheticCheck="true")["Resources"]["SyntheticCheckFunction"]["Properties"]
        self.assertEqual(properties["Handler"], "index.handler")
        code = {}
        exec(properties["Code"]["ZipFile"], code)
        with mock.patch.dict(os.environ, BASE_URL=url):
            code["handler"]({}, None)

    def test_exists_only_on_request(self):
        def added():
            return set(evaluate(SyntheticCheck="true")["Resources"]) - set(evaluate()["Resources"])

        self.assertEqual(
            added(),
            {f"SyntheticCheck{part}" for part in ("Function", "Role", "Log", "Schedule", "Permission", "Alarm")},
        )

    def test_requests_both_operations_with_an_unknown_key(self):
        (users, users_key), (statistics, statistics_key) = self.check()
        self.assertEqual((users, statistics), ("/prod/api/users", "/prod/api/v2/response-statistics"))
        # A shorter key could be refused before the table of credentials is read.
        self.assertGreaterEqual(len(statistics_key), 16)
        self.assertEqual(users_key, f"Bearer {statistics_key}")

    def test_fails_when_the_api_answers_anything_else(self):
        for answer in [{"status": 500, "code": "internal"}, {"status": 401, "code": "other"}, {"status": 200}]:
            with self.assertRaisesRegex(RuntimeError, f"returned {answer.get('status')}"):
                self.check(**answer)

    def test_fails_when_there_is_no_api(self):
        with self.assertRaises(OSError):
            self.run_code("http://127.0.0.1:1/prod")

    def test_runs_every_minute_and_for_its_schedule_alone(self):
        found = evaluate(SyntheticCheck="true")["Resources"]
        schedule = found["SyntheticCheckSchedule"]["Properties"]
        self.assertEqual(schedule["ScheduleExpression"], "rate(1 minute)")
        (target,) = schedule["Targets"]
        self.assertEqual(target["Arn"], {"Fn::GetAtt": ["SyntheticCheckFunction", "Arn"]})
        self.assertEqual(target["RetryPolicy"], {"MaximumRetryAttempts": 0})
        permission = found["SyntheticCheckPermission"]["Properties"]
        self.assertEqual(permission["FunctionName"], {"Ref": "SyntheticCheckFunction"})
        self.assertEqual(permission["Action"], "lambda:InvokeFunction")
        self.assertEqual(permission["Principal"], "events.amazonaws.com")
        self.assertEqual(permission["SourceArn"], {"Fn::GetAtt": ["SyntheticCheckSchedule", "Arn"]})

    def test_may_write_its_log_and_nothing_else(self):
        role = evaluate(SyntheticCheck="true")["Resources"]["SyntheticCheckRole"]["Properties"]
        self.assertNotIn("ManagedPolicyArns", role)
        (policy,) = role["Policies"]
        (statement,) = policy["PolicyDocument"]["Statement"]
        self.assertEqual(statement["Action"], ["logs:CreateLogStream", "logs:PutLogEvents"])
        self.assertEqual(statement["Resource"], {"Fn::GetAtt": ["SyntheticCheckLog", "Arn"]})

    def test_uses_the_address_that_clients_use(self):
        domain = {"DomainName": "feedback.example.com", "CertificateArn": "arn"}
        for parameters in ({}, domain):
            found = evaluate(SyntheticCheck="true", **parameters)
            variables = found["Resources"]["SyntheticCheckFunction"]["Properties"]["Environment"]["Variables"]
            self.assertEqual(variables["BASE_URL"], found["Outputs"]["BaseUrl"]["Value"])


if __name__ == "__main__":
    unittest.main()
