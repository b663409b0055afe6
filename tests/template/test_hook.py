"""Runs the hook that asks a version before it gets requests, with AWS played here."""

import io
import json
import os
import sys
import types
import unittest
from unittest import mock

from botocore.exceptions import ClientError, ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError
from rendering import ROOT, evaluate

sys.path.insert(0, str(ROOT / "checks"))

import hook  # noqa: E402
from test_check import SECRET  # noqa: E402

EVENT = {"DeploymentId": "d-1", "LifecycleEventHookExecutionId": "hook-1"}
ARN = "arn:aws:lambda:eu-central-1:111122223333:function:"
VARIABLES = {
    "USERS_GROUP": "group-of-users", "USERS_VERSION": ARN + "users:7",
    "STATISTICS_GROUP": "group-of-statistics", "STATISTICS_VERSION": ARN + "statistics:7",
}  # fmt: skip


def answers(status=401, body=""):
    return lambda: {"Payload": io.BytesIO(json.dumps({"statusCode": status, "body": body}).encode())}


def reads(**other):
    found = {"credentials": "ok", "users": "ok", "responses": "ok", "index": "ok"} | other
    return lambda: {"Payload": io.BytesIO(json.dumps(found).encode())}


def figures(displays):
    return answers(200, json.dumps({"data": [{"attributes": {"displays": displays}}]}))


def crash():
    return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b'{"errorType":"Runtime.ExitError"}')}


def refuse(code):
    def raises(*_, **__):
        raise ClientError({"Error": {"Code": code}}, "Invoke")

    return raises


def hang():
    raise ReadTimeoutError(endpoint_url="")


def unreachable(kind):
    def raises():
        raise kind(endpoint_url="")

    return raises


class Aws:
    """Plays AWS and the clock. What is answered is a list, whose last one repeats."""

    def __init__(
        self,
        check=(reads(),),
        unknown=(answers(),),
        day=(figures(3),),
        live=(figures(3),),
        refused_reports=0,
        **info,
    ):
        self.answers = {"check": check, "unknown": unknown, "day": day, "live": live}
        self.info = {"creator": "CloudFormation", "deploymentGroupName": "group-of-statistics"} | info
        self.refused_reports, self.asked, self.reported, self.time, self.limits = (
            refused_reports,
            [],
            [],
            0,
            {},
        )
        self.secret = SECRET

    def client(self, service, config):
        self.limits[service] = config.retries["total_max_attempts"] * (
            config.connect_timeout + config.read_timeout
        )
        return self

    def invoke(self, FunctionName, Payload):
        event = json.loads(Payload)
        question = (
            "check" if event == {"check": True} else "day" if event["queryStringParameters"] else "unknown"
        )
        question = "live" if FunctionName.endswith(":live") else question
        self.asked.append((FunctionName.removeprefix(ARN), question))
        times = sum(one == question for _, one in self.asked)
        return self.answers[question][min(times, len(self.answers[question])) - 1]()

    def get_secret_value(self, SecretId):
        return {"SecretString": json.dumps(self.secret)}

    def get_deployment(self, deploymentId):
        return {"deploymentInfo": self.info}

    def put_lifecycle_event_hook_execution_status(self, deploymentId, lifecycleEventHookExecutionId, status):
        assert (deploymentId, lifecycleEventHookExecutionId) == tuple(EVENT.values())
        if self.refused_reports:
            self.refused_reports -= 1
            refuse("ThrottlingException")()
        self.reported.append(status)

    def sleep(self, seconds):
        self.time += seconds

    def run(self, secret=False):
        """Runs the hook; returns what it reports, if anything. `output` has what it printed."""
        timeout = evaluate()["Resources"]["ReleaseHook"]["Properties"]["Timeout"]
        context = types.SimpleNamespace(get_remaining_time_in_millis=lambda: (timeout - self.time) * 1000)
        clock = types.SimpleNamespace(monotonic=lambda: self.time, sleep=self.sleep)
        variables = VARIABLES | ({"SECRET": "secret"} if secret else {})
        with (
            mock.patch("boto3.client", self.client),
            mock.patch.object(hook, "time", clock),
            mock.patch.dict(os.environ, variables),
            mock.patch("sys.stdout", io.StringIO()) as output,
        ):
            hook.handler(EVENT, context)
        self.output = output.getvalue()
        assert len(self.reported) <= 1, self.reported
        return self.reported[0] if self.reported else None

    def errors(self):
        """Returns how many of its requests can count as server errors of the functions."""
        return len([one for one in self.asked if one[1] != "check"])


class Hook(unittest.TestCase):
    def test_asks_each_version_before_requests_shift_all_at_once(self):
        resources = evaluate()["Resources"]
        variables = resources["ReleaseHook"]["Properties"]["Environment"]["Variables"]
        for name, function in [("USERS", "UsersFunction"), ("STATISTICS", "ResponseStatisticsFunction")]:
            update = resources[f"{function}Aliaslive"]["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
            self.assertEqual(update["BeforeAllowTrafficHook"], {"Ref": "ReleaseHook"})
            self.assertEqual(update["DeploymentGroupName"], variables[f"{name}_GROUP"])
            version = variables[f"{name}_VERSION"]["Ref"]
            self.assertEqual(resources[version]["Properties"]["FunctionName"], {"Ref": function})
            group = resources[variables[f"{name}_GROUP"]["Ref"]]["Properties"]
            self.assertEqual(group["DeploymentConfigName"], "CodeDeployDefault.LambdaAllAtOnce")
            self.assertNotIn("AlarmConfiguration", group)

    def test_a_version_that_answers_as_it_must_gets_requests(self):
        aws = Aws()
        self.assertEqual(aws.run(), "Succeeded")
        self.assertEqual(aws.asked, [("statistics:7", "check"), ("statistics:7", "unknown")])
        aws = Aws(deploymentGroupName="group-of-users")
        self.assertEqual(aws.run(secret=True), "Succeeded")
        self.assertEqual(aws.asked, [("users:7", "check"), ("users:7", "unknown")])
        aws = Aws()
        self.assertEqual(aws.run(secret=True), "Succeeded")
        self.assertEqual(aws.asked[-1], ("statistics:7", "day"))

    def test_a_streamed_refusal_is_understood(self):
        def payload(text):
            return lambda: {"Payload": io.BytesIO(text)}

        for status, verdict in [(401, "Succeeded"), (500, "Failed")]:
            body = b'{"errors":[{"status":"%d"}]}' % status
            for streamed in (
                b'{"statusCode":%d,"headers":{}}' % status + bytes(8) + body,
                body,
            ):  # with what Lambda puts first, or not
                aws = Aws(unknown=[payload(streamed)], deploymentGroupName="group-of-users")
                self.assertEqual(aws.run(), verdict, streamed)

    def test_a_version_that_is_wrong_gets_none_and_is_not_asked_again(self):
        for wrong in (
            {"check": [crash]},
            {"check": [hang]},
            {"unknown": [crash]},
            {"unknown": [answers(500)]},
            {"unknown": [answers(200)]},
            {"day": [answers(500)]},
            {"day": [answers(504)]},
            {"day": [figures(0)]},
        ):
            aws = Aws(**wrong)
            self.assertEqual((aws.run(secret=True), aws.time), ("Failed", 0), wrong)

    def test_permissions_and_throttling_have_a_minute_to_settle(self):
        for settling in (
            refuse("AccessDeniedException"),
            refuse("TooManyRequestsException"),
            unreachable(EndpointConnectionError),
            unreachable(ConnectTimeoutError),
            reads(credentials="AccessDeniedException"),
            reads(index="ThrottlingException"),
        ):
            aws = Aws(check=[*[settling] * 10, reads()])
            self.assertEqual((aws.run(), len(aws.asked)), ("Succeeded", 12))
            aws = Aws(check=[settling])
            self.assertEqual((aws.run(), aws.errors()), ("Failed", 0))
            self.assertTrue(60 <= aws.time <= 70, aws.time)

    def test_at_most_two_requests_end_with_an_error_which_is_too_few_for_the_alarm(self):
        for question in ("unknown", "day"):
            aws = Aws(**{question: [answers(503)]})
            self.assertEqual(aws.run(secret=True), "Failed")
            self.assertEqual(sum(one[1] == question for one in aws.asked), 2)
            self.assertEqual(aws.time, 60)  # the second one comes when throttling has had a minute to end
            aws = Aws(**{question: [answers(503), *{"unknown": [answers()], "day": [figures(3)]}[question]]})
            self.assertEqual(aws.run(secret=True), "Succeeded")
        aws = Aws(unknown=[answers(503), answers()], day=[answers(503)])
        self.assertEqual((aws.run(secret=True), sum(one[1] == "day" for one in aws.asked)), ("Failed", 1))

    def test_says_which_status_is_wrong_or_that_the_day_has_no_displays(self):
        for day, said in [
            (answers(504), "it answers 504 for 2026-01-31"),
            (figures(0), "2026-01-31 has no displays"),
        ]:
            aws = Aws(day=[day])
            aws.run(secret=True)
            self.assertIn(said, aws.output)

    def test_a_key_that_was_revoked_is_a_warning_and_a_version_that_refuses_a_good_key_is_wrong(self):
        for status in (401, 403):
            aws = Aws(day=[answers(status)], live=[answers(status)])
            self.assertEqual(aws.run(secret=True), "Succeeded")
            self.assertIn("warning: the version in use refuses the key", aws.output)
            self.assertEqual(aws.asked[-1], ("statistics:live", "live"))
            self.assertEqual(Aws(day=[answers(status)]).run(secret=True), "Failed")

    def test_a_secret_that_is_not_usable_is_a_warning_that_does_not_quote_it(self):
        aws = Aws()
        aws.secret = {"readKey": "hunter2"}
        self.assertEqual(aws.run(secret=True), "Succeeded")
        self.assertIn("warning: the secret is not usable", aws.output)
        self.assertNotIn("hunter2", aws.output)

    def test_a_way_back_always_passes(self):
        for creator in ("codeDeployRollback", "CloudFormationRollback"):
            aws = Aws(check=[crash], creator=creator)
            self.assertEqual((aws.run(), aws.asked), ("Succeeded", []))
            known, refusals = aws.get_deployment, iter([refuse("ThrottlingException")] * 10)
            aws.get_deployment = lambda deploymentId: next(refusals, known)(deploymentId=deploymentId)
            aws.reported = []
            self.assertEqual((aws.run(), aws.asked), ("Succeeded", []))

    def test_an_unknown_deployment_is_no_way_back_and_both_versions_are_asked(self):
        for check, status in [([reads()], "Succeeded"), ([reads(), crash], "Failed")]:
            aws = Aws(check=check)
            aws.get_deployment = refuse("ThrottlingException")
            self.assertEqual(aws.run(), status)
            self.assertTrue(60 <= aws.time <= 70, aws.time)
            self.assertEqual({name for name, _ in aws.asked}, {"users:7", "statistics:7"})

    def test_a_refused_report_is_repeated(self):
        for check, status in [([reads()], "Succeeded"), ([crash], "Failed")]:
            self.assertEqual(Aws(check=check, refused_reports=2).run(), status)

    def test_reports_within_its_timeout_even_if_every_call_takes_as_long_as_it_may(self):
        class Slow(Aws):
            attempts = 0

            def invoke(self, FunctionName, Payload):
                self.time += self.limits["lambda"]
                return super().invoke(FunctionName, Payload)

            def get_deployment(self, **_):
                self.time += self.limits["codedeploy"]
                refuse("ThrottlingException")()

            def put_lifecycle_event_hook_execution_status(self, **_):
                self.attempts += 1
                self.time += self.limits["codedeploy"]
                refuse("ThrottlingException")()

        aws = Slow(day=[answers(503), answers(401)], live=[answers(401)])
        aws.run(secret=True)
        self.assertGreaterEqual(aws.attempts, 3)
        self.assertLess(aws.time, evaluate()["Resources"]["ReleaseHook"]["Properties"]["Timeout"])


if __name__ == "__main__":
    unittest.main()
