"""Asks a new version of a function before requests reach it. CodeDeploy runs this, and waits for its report.

Environment: of each function, GROUP is its deployment group and VERSION the ARN of its newest version; SECRET
is as in check.py. docs/aws.md says what is asked.
"""

import json
import os
import time

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectTimeoutError, EndpointConnectionError

from check import FUNCTIONS, STATISTICS, displays, question_of_day, unread

WAYS_BACK = ("codeDeployRollback", "CloudFormationRollback")
SETTLING = 60  # seconds in which new permissions take effect, and throttling may end
# A version that does not answer runs on, so it is asked once.
LAMBDA = Config(connect_timeout=5, read_timeout=30, retries={"total_max_attempts": 1})
CODEDEPLOY = Config(connect_timeout=5, read_timeout=10, retries={"total_max_attempts": 2})


class Unsettled(Exception):
    """The version may answer otherwise in a moment."""


class Unavailable(Unsettled):
    """A 503: the store throttles, or the version is at fault. It is asked once more, after the time to
    settle.
    """


def invoke(version, event):
    try:
        return boto3.client("lambda", config=LAMBDA).invoke(FunctionName=version, Payload=json.dumps(event))
    # Not permitted yet, or throttled.
    except (ClientError, ConnectTimeoutError, EndpointConnectionError) as error:
        raise Unsettled(error) from None


def get(version, path, headers, parameters):
    """Sends the event of a request; returns the status and the function's own document of the response."""
    event = {
        "resource": path, "path": path, "httpMethod": "GET", "body": None, "isBase64Encoded": False,
        "headers": headers, "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": parameters,
        "multiValueQueryStringParameters": {name: [value] for name, value in parameters.items()},
        "requestContext": {"path": path, "resourcePath": path, "httpMethod": "GET", "identity": {}},
    }  # fmt: skip
    answer = invoke(version, event)
    # A streamed response begins with such a document, too, before its body. An error's body has the status.
    document, _ = json.JSONDecoder().raw_decode(answer["Payload"].read().decode())
    if "FunctionError" in answer:
        raise RuntimeError(f"it failed: {document}")
    status = document.get("statusCode") or int(document["errors"][0]["status"])
    if status == 503:
        raise Unavailable(path)
    return status, document


def ask(name, version):
    """Raises what is wrong with the version's answers."""
    if missing := unread(name, invoke(version, {"check": True})):
        raise Unsettled(f"it cannot read {missing}")
    _, path, headers = FUNCTIONS[name]
    status, _ = get(version, path, headers, {})
    if status != 401:
        raise RuntimeError(f"it answers {status} to an unknown key")
    if name == "STATISTICS" and "SECRET" in os.environ:
        ask_for_the_day(version)


def ask_for_the_day(version):
    try:
        parameters, key = question_of_day()
    except Exception as error:
        print("warning:", error)
        return
    status, document = get(version, STATISTICS, {"AuthKey": key}, parameters)
    if status in (401, 403):
        alias = version.rpartition(":")[0] + ":live"
        if get(alias, STATISTICS, {"AuthKey": key}, parameters)[0] == status:
            print(f"warning: the version in use refuses the key of the secret too, with {status}")
            return
    if status != 200:
        raise RuntimeError(f"it answers {status} for {parameters['startDate']}")
    if not displays(document["body"]):
        raise RuntimeError(f"{parameters['startDate']} has no displays")


def is_sound(name):
    """Asks the newest version of a function until it answers as it must, for a minute at most.

    At most two of the requests can count as errors of the function, which wake nobody.
    """
    version, end, was_unavailable = os.environ[f"{name}_VERSION"], time.monotonic() + SETTLING, False
    while True:
        try:
            ask(name, version)
            print(version, "answers as it must")
            return True
        except Exception as error:
            print(version, repr(error))
            is_unavailable, left = isinstance(error, Unavailable), end - time.monotonic()
            if not isinstance(error, Unsettled) or (is_unavailable and was_unavailable) or left < 0:
                return False
            was_unavailable |= is_unavailable
        time.sleep(max(5, left) if is_unavailable else 5)


def info_of(deployments, deployment):
    """Returns what CodeDeploy says of a deployment; nothing if it does not say it for a minute."""
    end = time.monotonic() + SETTLING
    while time.monotonic() < end:
        try:
            return deployments.get_deployment(deploymentId=deployment)["deploymentInfo"]
        except Exception as error:
            print(repr(error))
        time.sleep(5)
    return {}


def handler(event, context):
    deployments = boto3.client("codedeploy", config=CODEDEPLOY)
    deployment = event["DeploymentId"]
    info = info_of(deployments, deployment)
    if info.get("creator") in WAYS_BACK:  # must not be held up by the version that it replaces
        verdict = "Succeeded"
    else:
        group = info.get("deploymentGroupName")
        names = [name for name in FUNCTIONS if os.environ[f"{name}_GROUP"] == group] or FUNCTIONS
        verdict = "Succeeded" if all(map(is_sound, names)) else "Failed"
    execution = event["LifecycleEventHookExecutionId"]
    ids = {"deploymentId": deployment, "lifecycleEventHookExecutionId": execution}
    while context.get_remaining_time_in_millis() > 40_000:  # without a report, CodeDeploy waits for an hour
        try:
            return deployments.put_lifecycle_event_hook_execution_status(**ids, status=verdict)
        except Exception as error:
            print(repr(error))
            time.sleep(5)
