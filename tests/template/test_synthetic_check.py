"""Runs the code of the synthetic check against a gateway of its own, with AWS played here."""

import contextlib
import http.server
import io
import json
import os
import sys
import threading
import traceback
import types
import unittest
from unittest import mock

from rendering import evaluate, statements

SECRET = {"project": "acme", "readKey": "the-key-of-the-check", "day": "2026-01-31"}


class TooManyRequests(Exception):
    pass


def figures(displays):
    return 200, {"data": [{"attributes": {"displays": displays}}]}


class Gateway(http.server.BaseHTTPRequestHandler):
    """Answers as the API does to an unknown key, and with `figures` to the one of the secret."""

    answers, figures, requests = {}, figures(3), []

    def do_GET(self):
        key = self.headers.get("Authorization") or self.headers.get("AuthKey")
        self.requests.append((self.path, key))
        refusal = 401, {"errors": [{"code": "unauthenticated"}]}
        known = self.figures if key == SECRET["readKey"] else refusal
        status, document = self.answers.get(self.path.split("?")[0].removeprefix("/prod"), known)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def log_message(self, *_):
        pass


class Aws:
    """Plays Lambda and Secrets Manager. `reads` has what each function finds, unless its invocation fails or, counted from one, is
    among those that are throttled."""

    exceptions = types.SimpleNamespace(TooManyRequestsException=TooManyRequests)
    secret = SECRET

    def __init__(self, reads=None, failure=None, throttled=()):
        self.reads, self.failure, self.throttled, self.invoked = reads or {}, failure, throttled, []

    def client(self, service, config):
        assert {"connect_timeout", "read_timeout", "retries"} <= set(config), config
        return self

    def invoke(self, FunctionName, Payload):
        self.invoked.append((FunctionName, Payload))
        if len(self.invoked) in self.throttled:
            raise TooManyRequests
        own = {"users": {"users": "ok"}, "statistics": {"responses": "ok", "index": "ok"}}[FunctionName]
        own |= {"credentials": "ok"}
        read = own | {table: found for table, found in self.reads.items() if table in own}
        read = {table: found for table, found in read.items() if found}
        answer = {"Payload": io.BytesIO(json.dumps(read).encode())}
        return answer | ({"FunctionError": "Unhandled"} if self.failure == "crash" else {})

    def get_secret_value(self, SecretId):
        assert SecretId == "secret"
        return {"SecretString": json.dumps(self.secret)}


class SyntheticCheck(unittest.TestCase):
    def check(self, aws=None, secret=False, url=None, **gateway):
        """Runs the check; returns whether it passed, and what the gateway was asked."""
        handler = type("ThisGateway", (Gateway,), gateway | {"requests": []})
        properties = evaluate()["Resources"]["SyntheticCheckFunction"]["Properties"]
        self.assertEqual(properties["Handler"], "index.handler")
        modules = {
            "boto3": types.SimpleNamespace(client=(aws or Aws()).client),
            "botocore": types.ModuleType("botocore"),
            "botocore.config": types.SimpleNamespace(Config=dict),
        }
        self.output = io.StringIO()
        with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = url or f"http://127.0.0.1:{server.server_port}/prod"
            variables = {"BASE_URL": address, "USERS": "users", "STATISTICS": "statistics", "METRICS_NAMESPACE": "one"}
            variables |= {"SECRET": "secret"} if secret else {}
            code = {}
            with mock.patch.dict(sys.modules, modules), mock.patch.dict(os.environ, variables):
                exec(properties["Code"]["ZipFile"], code)
                try:
                    with contextlib.redirect_stdout(self.output):
                        code["handler"]({}, None)
                finally:
                    server.shutdown()
        metrics = json.loads(self.output.getvalue().splitlines()[-1])
        (written,) = metrics["_aws"]["CloudWatchMetrics"]
        self.assertEqual(written, {"Namespace": "one", "Dimensions": [["Operation"]], "Metrics": [{"Name": "CheckPassed"}]})
        self.assertEqual(metrics["Operation"], "check")
        return metrics["CheckPassed"], handler.requests

    def test_runs_by_default_and_can_be_left_out(self):
        names = {f"SyntheticCheck{part}" for part in ("Function", "Role", "Log", "Schedule", "Permission", "Invocation")}
        names |= {"SyntheticCheckAlarm", "SyntheticCheckMissingAlarm"}
        self.assertEqual(set(evaluate()["Resources"]) - set(evaluate(SyntheticCheck="false")["Resources"]), names)

    def test_asks_both_operations_with_an_unknown_key_and_both_functions_for_their_tables(self):
        aws = Aws()
        passed, requests = self.check(aws)
        (users, users_key), (statistics, statistics_key) = requests
        self.assertEqual((passed, users, statistics), (1, "/prod/api/users", "/prod/api/v2/response-statistics"))
        # A shorter key could be refused before the table of credentials is read.
        self.assertGreaterEqual(len(statistics_key), 16)
        self.assertEqual(users_key, f"Bearer {statistics_key}")
        self.assertEqual(aws.invoked, [("users", b'{"check":true}'), ("statistics", b'{"check":true}')])
        variables = evaluate()["Resources"]["SyntheticCheckFunction"]["Properties"]["Environment"]["Variables"]
        self.assertEqual(variables["USERS"], {"Ref": "UsersFunctionAliaslive"})
        self.assertEqual(variables["STATISTICS"], {"Ref": "ResponseStatisticsFunctionAliaslive"})

    def test_fails_when_the_api_answers_anything_else(self):
        for status, code in [(500, "internal"), (401, "other"), (200, "")]:
            with self.assertRaisesRegex(RuntimeError, f"returned {status}"):
                self.check(answers={"/api/users": (status, {"errors": [{"code": code}]})})

    def test_fails_when_there_is_no_api(self):
        with self.assertRaises(OSError):
            self.check(url="http://127.0.0.1:1/prod")

    def test_fails_when_a_function_ends_or_cannot_read_a_table(self):
        for reads in [
            {"responses": "ResourceNotFoundException"},
            {"credentials": "AccessDeniedException", "responses": "ThrottlingException"},
            {"index": "AccessDeniedException"},
            {"users": None},  # a document without the table
        ]:
            with self.assertRaisesRegex(RuntimeError, "Exception|None"):
                self.check(Aws(reads))
            self.assertIn('"CheckPassed": 0', self.output.getvalue())
        with self.assertRaisesRegex(RuntimeError, "USERS failed"):
            self.check(Aws(failure="crash"))

    def test_an_index_that_is_missing_or_still_filled_is_no_fault(self):
        for code in ("ValidationException", "ResourceNotFoundException"):
            self.assertEqual(self.check(Aws({"index": code}))[0], 1)

    def test_the_hook_tolerates_what_the_check_does(self):
        resources = evaluate()["Resources"]
        codes = [resources[name]["Properties"]["Code"]["ZipFile"] for name in ("UsersVersionCheck", "SyntheticCheckFunction")]
        self.assertEqual(*[[line for line in code.splitlines() if line.startswith("TOLERATED")] for code in codes])

    def test_limits_are_no_failure_and_no_success(self):
        firewall = 403, {"errors": [{"code": "forbidden"}]}
        for answer in ((429, {}), (503, {}), firewall):
            self.assertEqual(self.check(answers={"/api/users": answer})[0], 0)
            self.assertIn("limited: /api/users", self.output.getvalue())
        self.assertEqual(self.check(Aws({"responses": "ThrottlingException"}))[0], 0)
        self.assertEqual(self.check(Aws(throttled=[1]))[0], 0)

    def test_a_403_that_is_no_firewalls_fails(self):
        with self.assertRaisesRegex(RuntimeError, "returned 403"):  # as without the mapping of a domain
            self.check(answers={"/api/users": (403, {"message": "Forbidden"})})

    def test_an_error_of_the_gateway_is_a_limit_if_lambda_throttles_just_then(self):
        internal = {"/api/users": (500, {"errors": [{"code": "internal"}]})}
        for nth in (2, 4):
            self.assertEqual(self.check(Aws(throttled=[nth]), answers=internal)[0], 0)
        with self.assertRaisesRegex(RuntimeError, "returned 500"):
            self.check(Aws(throttled=[20]), answers=internal)

    def test_a_limit_of_one_operation_hides_no_fault_of_another(self):
        with self.assertRaisesRegex(RuntimeError, "ResourceNotFoundException"):
            self.check(Aws({"responses": "ResourceNotFoundException"}, throttled=[1]))
        with self.assertRaisesRegex(RuntimeError, "has no displays"):
            self.check(secret=True, answers={"/api/users": (503, {})}, figures=figures(0))

    def test_with_a_secret_a_past_day_must_have_displays(self):
        passed, requests = self.check(secret=True)
        self.assertEqual(passed, 1)
        query = "?project=acme&startDate=2026-01-31&endDate=2026-02-01"
        self.assertEqual(requests[2], (f"/prod/api/v2/response-statistics{query}", SECRET["readKey"]))
        for wrong in (figures(0), (401, {}), (500, {})):
            with self.assertRaisesRegex(RuntimeError, "2026-01-31 has no displays") as raised:
                self.check(secret=True, figures=wrong)
            self.assertNotIn(SECRET["readKey"], str(raised.exception) + self.output.getvalue())
        self.assertEqual(self.check(secret=True, figures=(503, {}))[0], 0)

    def test_a_secret_may_end_in_a_newline_and_is_never_quoted(self):
        aws = Aws()
        aws.secret = {name: f"{text}\n" for name, text in SECRET.items()}
        passed, requests = self.check(aws, secret=True)
        self.assertEqual((passed, requests[2][1]), (1, SECRET["readKey"]))
        for wrong in (
            SECRET | {"readKey": "hunter2\nhunter2"},
            SECRET | {"readKey": "hunter2…"},
            SECRET | {"day": "hunter2"},
            SECRET | {"project": ["hunter2"]},
            "hunter2",
            {"readKey": "hunter2"},
        ):
            aws.secret = wrong
            with self.assertRaisesRegex(RuntimeError, "^the secret is not usable: [A-Za-z]+$") as raised:
                self.check(aws, secret=True)
            logged = "".join(traceback.format_exception(raised.exception)) + self.output.getvalue()
            self.assertNotIn("hunter2", logged)

    def test_runs_every_minute_once_and_for_its_schedule_alone(self):
        found = evaluate()["Resources"]
        schedule = found["SyntheticCheckSchedule"]["Properties"]
        self.assertEqual(schedule["ScheduleExpression"], "rate(1 minute)")
        (target,) = schedule["Targets"]
        self.assertEqual(target["Arn"], {"Fn::GetAtt": ["SyntheticCheckFunction", "Arn"]})
        invocation = found["SyntheticCheckInvocation"]["Properties"]
        self.assertEqual(invocation["FunctionName"], {"Ref": "SyntheticCheckFunction"})
        self.assertEqual((invocation["Qualifier"], invocation["MaximumRetryAttempts"]), ("$LATEST", 0))
        self.assertEqual(invocation["MaximumEventAgeInSeconds"], 60)
        permission = found["SyntheticCheckPermission"]["Properties"]
        self.assertEqual(permission["FunctionName"], {"Ref": "SyntheticCheckFunction"})
        self.assertEqual(permission["Action"], "lambda:InvokeFunction")
        self.assertEqual(permission["Principal"], "events.amazonaws.com")
        self.assertEqual(permission["SourceArn"], {"Fn::GetAtt": ["SyntheticCheckSchedule", "Arn"]})

    def test_may_invoke_the_aliases_read_its_secret_and_write_its_log_and_nothing_else(self):
        for parameters, secret in [({}, []), ({"CheckSecretArn": "arn"}, [("secretsmanager:GetSecretValue", "arn")])]:
            resources = evaluate(**parameters)["Resources"]
            self.assertNotIn("ManagedPolicyArns", resources["SyntheticCheckRole"]["Properties"])
            log, invoke, *rest = statements("SyntheticCheckRole", resources)
            self.assertEqual(log["Action"], ["logs:CreateLogStream", "logs:PutLogEvents"])
            self.assertEqual(log["Resource"], {"Fn::GetAtt": ["SyntheticCheckLog", "Arn"]})
            self.assertEqual(invoke["Action"], "lambda:InvokeFunction")
            aliases = [{"Ref": "UsersFunctionAliaslive"}, {"Ref": "ResponseStatisticsFunctionAliaslive"}]
            self.assertEqual(invoke["Resource"], aliases)
            self.assertEqual([(one["Action"], one["Resource"]) for one in rest], secret)

    def test_ends_within_its_time(self):
        # Three requests of 7 seconds to the gateway, and three of 3 + 7 to AWS. One that does not end in time fails, too.
        self.assertGreater(evaluate()["Resources"]["SyntheticCheckFunction"]["Properties"]["Timeout"], 3 * 7 + 3 * 10)

    def test_uses_the_address_that_clients_use(self):
        domain = {"DomainName": "feedback.example.com", "CertificateArn": "arn"}
        for parameters in ({}, domain):
            found = evaluate(**parameters)
            variables = found["Resources"]["SyntheticCheckFunction"]["Properties"]["Environment"]["Variables"]
            self.assertEqual(variables["BASE_URL"], found["Outputs"]["BaseUrl"]["Value"])


if __name__ == "__main__":
    unittest.main()
