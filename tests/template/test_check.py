"""Runs the check of each minute against a gateway of its own, with AWS played here."""

import contextlib
import http.server
import io
import json
import os
import sys
import threading
import traceback
import unittest
from unittest import mock

from rendering import MONITORING, ROOT, evaluate, statements

sys.path.insert(0, str(ROOT / "checks"))

import check  # noqa: E402
from botocore.exceptions import ClientError  # noqa: E402

SECRET = {"project": "acme", "readKey": "the-key-of-the-check", "day": "2026-01-31"}
TABLES = {"users": ["users", "credentials"], "statistics": ["responses", "index", "credentials"]}
PATHS = ("/api/users", "/api/v2/response-statistics")


def figures(displays):
    return 200, {"data": [{"attributes": {"displays": displays}}]}


def error(status, code):
    return status, {"errors": [{"code": code}]}


class Gateway(http.server.BaseHTTPRequestHandler):
    """Answers as the API does to an unknown key, and with `figures` to the one of the secret."""

    def do_GET(self):
        key = self.headers.get("Authorization") or self.headers.get("AuthKey")
        self.requests.append((self.path, key))
        known = self.figures if key == SECRET["readKey"] else error(401, "unauthenticated")
        status, document = self.answers.get(self.path.split("?")[0].removeprefix("/prod"), known)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def log_message(self, *_):
        pass


class Aws:
    """Plays Lambda, whose error is `refuses` and whose functions find `reads`, and Secrets Manager."""

    def __init__(self, secret=SECRET, crash=False, refuses=None, **reads):
        self.secret, self.crash, self.refuses, self.reads, self.invoked = secret, crash, refuses, reads, []

    def client(self, service, config):
        assert config.connect_timeout and config.read_timeout and config.retries
        return self

    def invoke(self, FunctionName, Payload):
        self.invoked.append((FunctionName, Payload))
        if self.refuses:
            raise ClientError({"Error": {"Code": self.refuses}}, "Invoke")
        read = {table: self.reads.get(table, "ok") for table in TABLES[FunctionName]}
        found = {table: code for table, code in read.items() if code}
        payload = {"Payload": io.BytesIO(json.dumps(found).encode())}
        return payload | ({"FunctionError": "Unhandled"} if self.crash else {})

    def get_secret_value(self, SecretId):
        assert SecretId == "secret"
        return {"SecretString": json.dumps(self.secret)}


class Check(unittest.TestCase):
    def check(self, aws=None, secret=False, url=None, answers=(), figures=figures(3)):
        """Runs the check; returns what the gateway was asked. `output` has what the check printed."""
        members = {"requests": [], "answers": dict(answers), "figures": figures}
        gateway = type("ThisGateway", (Gateway,), members)
        self.output = io.StringIO()
        with http.server.HTTPServer(("127.0.0.1", 0), gateway) as server:
            threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
            own = f"http://127.0.0.1:{server.server_port}/prod"
            variables = {"URL": url or own, "USERS": "users", "STATISTICS": "statistics"}
            variables |= {"SECRET": "secret"} if secret else {}
            client = mock.patch("boto3.client", (aws or Aws()).client)
            with client, mock.patch.dict(os.environ, variables), contextlib.redirect_stdout(self.output):
                try:
                    check.handler({}, None)
                finally:
                    server.shutdown()
        return gateway.requests

    def assert_fails(self, reason, *arguments, **options):
        with self.assertRaisesRegex(RuntimeError, reason) as raised:
            self.check(*arguments, **options)
        return raised.exception

    def test_asks_both_functions_for_their_tables_and_both_operations_with_an_unknown_key(self):
        aws = Aws()
        (users, users_key), (statistics, statistics_key) = self.check(aws)
        self.assertEqual((users, statistics), tuple(f"/prod{path}" for path in PATHS))
        # A shorter key could be refused before the table of credentials is read.
        self.assertGreaterEqual(len(statistics_key), 16)
        self.assertEqual(users_key, f"Bearer {statistics_key}")
        self.assertEqual(aws.invoked, [("users", b'{"check":true}'), ("statistics", b'{"check":true}')])

    def test_fails_when_the_api_answers_anything_else(self):
        wrong = [(500, "internal"), (503, "unavailable"), (403, "forbidden"), (401, "other"), (200, "")]
        for status, code in wrong:
            self.assert_fails(f"returned {status}", answers={"/api/users": error(status, code)})
        self.assert_fails("URLError", url="http://127.0.0.1:1/prod")

    def test_fails_when_a_function_ends_or_cannot_read_a_table_or_the_index(self):
        for table in ("users", "responses", "index", "credentials"):
            for found in ("AccessDeniedException", "timeout", None):
                self.assert_fails(f"reads_its_tables.*'{table}': '?{found}", Aws(**{table: found}))
        self.assert_fails("USERS reads_its_tables .*failed", Aws(crash=True))
        denied = Aws(refuses="AccessDeniedException")
        self.assert_fails("USERS reads_its_tables .*AccessDeniedException", denied)

    def test_a_table_that_strangers_never_reach_is_a_failure_when_it_throttles(self):
        for table in ("users", "responses", "index"):
            throttled = dict.fromkeys((table, "credentials"), "ThrottlingException")
            self.assert_fails(f"'{table}': 'ThrottlingException'", Aws(**throttled))

    def test_what_strangers_can_throttle_is_no_failure_because_another_alarm_counts_it(self):
        all_return = lambda status: dict.fromkeys(PATHS, error(status, "other"))
        throttled = {"credentials": "ThrottlingException"}
        refused = {"refuses": "TooManyRequestsException"}
        for aws in (throttled, {"credentials": "RequestLimitExceeded"}, refused):
            self.assertEqual(len(self.check(Aws(**aws), secret=True)), 3)
            self.assertIn("throttled", self.output.getvalue())
        for aws in (throttled, refused):
            self.check(Aws(**aws), secret=True, answers=all_return(503))
        for wrong in (403, 500, 502, 504):  # throttling does not explain them
            self.assert_fails(f"returned {wrong}", Aws(**throttled), answers=all_return(wrong))
        self.assert_fails("STATISTICS .* returned 503", answers=all_return(503))  # nothing is throttled
        denied = Aws(**throttled, index="AccessDeniedException")
        self.assert_fails("'index': 'AccessDeniedException'", denied)

    def test_too_many_requests_of_others_are_no_failure_because_the_gateway_works(self):
        both = dict.fromkeys(PATHS, error(429, "too_many_requests"))
        self.assertEqual(len(self.check(secret=True, answers=both)), 3)
        self.assertIn("/api/users returned 429", self.output.getvalue())
        missing = Aws(responses="ResourceNotFoundException")  # they hide no fault
        self.assert_fails("STATISTICS reads_its_tables", missing, answers=both)

    def test_with_a_secret_a_past_day_must_have_displays(self):
        requests = self.check(secret=True)
        query = "?project=acme&startDate=2026-01-31&endDate=2026-02-01"
        self.assertEqual(requests[2], (f"/prod/api/v2/response-statistics{query}", SECRET["readKey"]))
        for wrong in (figures(0), (401, {}), (500, {}), (504, {})):
            empty = wrong[0] == 200
            expected = "2026-01-31 has no displays" if empty else f"returned {wrong[0]} for 2026-01-31"
            raised = self.assert_fails(expected, secret=True, figures=wrong)
            self.assertNotIn(SECRET["readKey"], str(raised) + self.output.getvalue())

    def test_a_secret_may_end_in_a_newline_and_is_never_quoted(self):
        requests = self.check(Aws(secret={name: f"{text}\n" for name, text in SECRET.items()}), secret=True)
        self.assertEqual(requests[2][1], SECRET["readKey"])
        for wrong in (
            SECRET | {"readKey": "hunter2\nhunter2"},
            SECRET | {"readKey": "hunter2…"},
            SECRET | {"day": "hunter2"},
            SECRET | {"project": ["hunter2"]},
            "hunter2",
            {"readKey": "hunter2"},
        ):
            reason = r"the secret is not usable: [A-Za-z]+'\)$"
            raised = self.assert_fails(reason, Aws(secret=wrong), secret=True)
            said = "".join(traceback.format_exception(raised)) + self.output.getvalue()
            self.assertNotIn("hunter2", said)

    def test_runs_every_minute_once_within_its_time_and_invokes_the_aliases(self):
        found = evaluate(MONITORING)["Resources"]
        properties = found["CheckFunction"]["Properties"]
        self.assertEqual(found["CheckFunctionMinute"]["Properties"]["ScheduleExpression"], "rate(1 minute)")
        invocation = found["CheckFunctionEventInvokeConfig"]["Properties"]
        retries = (invocation["MaximumRetryAttempts"], invocation["MaximumEventAgeInSeconds"])
        self.assertEqual(retries, (0, 60))
        self.assertEqual((properties["Handler"], properties["Runtime"]), ("check.handler", "python3.13"))
        # Three requests to the gateway, and three to AWS. One that does not end in time fails, too.
        aws = check.CONFIG.connect_timeout + check.CONFIG.read_timeout
        self.assertGreater(properties["Timeout"], 3 * check.TIMEOUT + 3 * aws)
        expected = {"URL": {"Ref": "Url"}, "USERS": {"Ref": "Users"}, "STATISTICS": {"Ref": "Statistics"}}
        self.assertEqual(properties["Environment"]["Variables"], expected)
        passed = evaluate(AlarmTopicArn="arn")["Resources"]["Monitoring"]["Properties"]["Parameters"]
        self.assertEqual(passed["Users"], {"Ref": "UsersFunctionAliaslive"})
        self.assertEqual(passed["Statistics"], {"Ref": "ResponseStatisticsFunctionAliaslive"})

    def test_asks_an_address_that_exists_before_the_check_does(self):
        domain = {"DomainName": "feedback.example.com", "CertificateArn": "arn"}
        stage = {"Fn::Sub": "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/${ApiprodStage}"}
        record = {"Fn::Sub": "https://${DomainRecord}"}
        for parameters, url in [({}, stage), (domain, stage), (domain | {"HostedZoneId": "Z1"}, record)]:
            found = evaluate(AlarmTopicArn="arn", **parameters)
            self.assertEqual(found["Resources"]["Monitoring"]["Properties"]["Parameters"]["Url"], url)
            self.assertEqual(found["Outputs"]["BaseUrl"]["Value"], url)
            pasted, names = found["Outputs"]["Environment"]["Value"]["Fn::Sub"]
            self.assertTrue(pasted.startswith("export FEEDBACK_URL=${Url} "))
            self.assertEqual(names, {"Url": url})

    def test_may_invoke_the_aliases_read_its_secret_and_write_its_log_and_nothing_else(self):
        reads = [("secretsmanager:GetSecretValue", "arn")]
        for parameters, secret in [({}, []), ({"CheckSecretArn": "arn"}, reads)]:
            resources = evaluate(MONITORING, **parameters)["Resources"]
            self.assertNotIn("ManagedPolicyArns", resources["CheckRole"]["Properties"])
            log, invoke, *rest = statements("CheckRole", resources)
            self.assertEqual(log["Action"], ["logs:CreateLogStream", "logs:PutLogEvents"])
            self.assertEqual(log["Resource"], {"Fn::GetAtt": ["ChecksLog", "Arn"]})
            self.assertEqual(invoke["Action"], "lambda:InvokeFunction")
            self.assertEqual(invoke["Resource"], [{"Ref": "Users"}, {"Ref": "Statistics"}])
            self.assertEqual([(one["Action"], one["Resource"]) for one in rest], secret)
