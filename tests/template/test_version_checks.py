"""Checks what proves a version before it gets requests: runs the code of the hooks, with AWS played here."""

import io
import json
import os
import sys
import types
import unittest
from unittest import mock

from rendering import evaluate

HOOKS = {"UsersFunction": "UsersVersionCheck", "ResponseStatisticsFunction": "StatisticsVersionCheck"}
EVENT = {"DeploymentId": "d-1", "LifecycleEventHookExecutionId": "hook-1"}


def answer(**read):
    return {"StatusCode": 200, "Payload": io.BytesIO(json.dumps(read).encode())}


def crash(document=b'{"errorType":"Runtime.ExitError"}'):
    return {"FunctionError": "Unhandled", "Payload": io.BytesIO(document)}


def sound(**other):
    return lambda: answer(**{"credentials": "ok", "responses": "ok", "index": "ok"} | other)


class ReadTimeoutError(Exception):
    pass


class Aws:
    """Plays Lambda and CodeDeploy, and the clock. `answers` has what each invocation returns; the last one repeats."""

    def __init__(self, *answers, creator="CloudFormation", refused_reports=0):
        self.answers, self.creator, self.refused_reports = answers, creator, refused_reports
        self.invoked, self.reported, self.time, self.limits = [], [], 0, {}

    def client(self, service, config):
        self.limits[service] = config["retries"]["total_max_attempts"] * (config["connect_timeout"] + config["read_timeout"])
        return self

    def invoke(self, FunctionName, Payload):
        self.invoked.append((FunctionName, Payload))
        return self.answers[min(len(self.invoked), len(self.answers)) - 1]()

    def get_deployment(self, deploymentId):
        return {"deploymentInfo": {"creator": self.creator}}

    def put_lifecycle_event_hook_execution_status(self, deploymentId, lifecycleEventHookExecutionId, status):
        assert (deploymentId, lifecycleEventHookExecutionId) == tuple(EVENT.values())
        if self.refused_reports:
            self.refused_reports -= 1
            refuse()
        self.reported.append(status)

    def sleep(self, seconds):
        self.time += seconds

    def run(self, hook="StatisticsVersionCheck"):
        """Runs the hook; returns what it reports, if anything."""
        properties = evaluate()["Resources"][hook]["Properties"]
        modules = {
            "boto3": types.SimpleNamespace(client=self.client),
            "botocore": types.SimpleNamespace(
                config=types.SimpleNamespace(Config=dict),
                exceptions=types.SimpleNamespace(ReadTimeoutError=ReadTimeoutError),
            ),
            "time": types.SimpleNamespace(monotonic=lambda: self.time, sleep=self.sleep),
        }
        variables = {"VERSION": "version", "READS": properties["Environment"]["Variables"]["READS"]}
        self.timeout = properties["Timeout"]
        context = types.SimpleNamespace(get_remaining_time_in_millis=lambda: (self.timeout - self.time) * 1000)
        code = {}
        with mock.patch.dict(sys.modules, modules), mock.patch.dict(os.environ, variables), mock.patch("builtins.print"):
            exec(properties["Code"]["ZipFile"], code)
            code[properties["Handler"].removeprefix("index.")](EVENT, context)
        assert len(self.reported) <= 1, self.reported
        return self.reported[0] if self.reported else None


def raises(error):
    def answer(*_, **__):
        raise error

    return answer


refuse = raises(PermissionError("AccessDeniedException"))


class VersionChecks(unittest.TestCase):
    def test_each_function_is_checked_before_requests_shift_however_they_shift(self):
        for parameters in ({}, {"DeploymentType": "AllAtOnce"}):
            resources = evaluate(**parameters)["Resources"]
            for function, hook in HOOKS.items():
                update = resources[f"{function}Aliaslive"]["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
                self.assertEqual(update["BeforeAllowTrafficHook"], {"Ref": hook})
                version = resources[hook]["Properties"]["Environment"]["Variables"]["VERSION"]["Ref"]
                self.assertEqual(resources[version]["Properties"]["FunctionName"], {"Ref": function})

    def test_a_version_that_reads_its_tables_gets_requests(self):
        aws = Aws(sound())
        self.assertEqual(aws.run(), "Succeeded")
        self.assertEqual(aws.invoked, [("version", b'{"check":true}')])
        users = Aws(lambda: answer(credentials="ok", users="ok"))
        self.assertEqual(users.run("UsersVersionCheck"), "Succeeded")

    def test_a_version_that_crashes_gets_none_and_does_not_sound_the_functions_alarm(self):
        for wrong in (crash, lambda: crash(b"")):
            aws = Aws(wrong, sound())
            self.assertEqual((aws.run(), len(aws.invoked)), ("Failed", 1))

    def test_a_version_that_cannot_read_a_table_gets_none(self):
        for wrong in (
            sound(credentials="AccessDeniedException"),
            sound(responses="ResourceNotFoundException"),
            sound(responses="ValidationException"),
            sound(index="AccessDeniedException"),
            lambda: answer(credentials="ok", index="ok"),
            lambda: answer(),
            lambda: {"Payload": io.BytesIO(b"[]")},
            lambda: {"Payload": io.BytesIO(b"")},
            sound(responses=["ok"]),
            refuse,
        ):
            aws = Aws(wrong)
            self.assertEqual(aws.run(), "Failed")
            self.assertTrue(60 <= aws.time <= 70, aws.time)

    def test_an_index_that_is_missing_or_still_filled_holds_nothing_up(self):
        for code in ("ValidationException", "ResourceNotFoundException"):
            aws = Aws(sound(index=code))
            self.assertEqual((aws.run(), aws.time), ("Succeeded", 0))

    def test_permissions_have_a_minute_to_take_effect(self):
        for settling in (refuse, sound(credentials="AccessDeniedException")):
            aws = Aws(*[settling] * 10, sound())
            self.assertEqual(aws.run(), "Succeeded")
            self.assertEqual(len(aws.invoked), 11)

    def test_a_rollback_is_not_held_up_by_the_version_that_it_replaces(self):
        for creator in ("codeDeployRollback", "CloudFormationRollback"):
            aws = Aws(crash, creator=creator)
            self.assertEqual((aws.run(), aws.invoked), ("Succeeded", []))

    def test_a_version_that_hangs_gets_none_and_is_not_invoked_again(self):
        aws = Aws(raises(ReadTimeoutError()), sound())
        self.assertEqual((aws.run(), len(aws.invoked)), ("Failed", 1))

    def test_an_unknown_creator_is_not_a_rollback(self):
        for answers, status in [([sound()], "Succeeded"), ([crash], "Failed")]:
            aws = Aws(*answers)
            aws.get_deployment = refuse
            self.assertEqual((aws.run(), len(aws.invoked)), (status, 1))

    def test_a_refused_report_is_repeated(self):
        for answers, status in [([sound()], "Succeeded"), ([crash], "Failed")]:
            aws = Aws(*answers, refused_reports=2)
            self.assertEqual(aws.run(), status)

    def test_a_check_reports_within_its_timeout_even_if_every_call_takes_as_long_as_it_may(self):
        class Slow(Aws):
            attempts = 0

            def wait(self, service):
                self.time += self.limits[service]
                refuse()

            def invoke(self, **_):
                self.wait("lambda")

            def get_deployment(self, **_):
                self.wait("codedeploy")

            def put_lifecycle_event_hook_execution_status(self, **_):
                self.attempts += 1
                self.wait("codedeploy")

        for hook in HOOKS.values():
            aws = Slow()
            aws.run(hook)
            self.assertGreaterEqual(aws.attempts, 3)
            self.assertLess(aws.time, aws.timeout)


if __name__ == "__main__":
    unittest.main()
