"""Checks the alarms, whom they tell, and the synthetic check, whose code runs here against servers of its own."""

import http.server
import json
import os
import threading
import unittest
from unittest import mock

from rendering import ROOT, evaluate

ALARMS = ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm")


def alarms(**parameters):
    resources = evaluate(**parameters)["Resources"]
    return {name: one["Properties"] for name, one in resources.items() if one["Type"] in ALARMS}


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
        self.assertNotIn("504", metric["FilterPattern"])
        self.assertIn('$.integrationStatus != "429"', metric["FilterPattern"])
        form = json.loads(resources["ApiStage"]["Properties"]["AccessLogSetting"]["Format"])
        self.assertEqual(form["status"], "$context.status")
        self.assertEqual(form["integrationStatus"], "$context.integration.status")
        (transformation,) = metric["MetricTransformations"]
        alarm = resources["ServerErrorsAlarm"]["Properties"]
        self.assertEqual(
            (alarm["Namespace"], alarm["MetricName"]),
            (transformation["MetricNamespace"], transformation["MetricName"]),
        )
        self.assertIn("${AWS::StackName}", json.dumps(alarm["Namespace"]))

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

    def test_uses_the_address_that_clients_use(self):
        domain = {"DomainName": "feedback.example.com", "CertificateArn": "arn"}
        for parameters in ({}, domain):
            found = evaluate(SyntheticCheck="true", **parameters)
            variables = found["Resources"]["SyntheticCheckFunction"]["Properties"]["Environment"]["Variables"]
            self.assertEqual(variables["BASE_URL"], found["Outputs"]["BaseUrl"]["Value"])


if __name__ == "__main__":
    unittest.main()
