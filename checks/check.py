"""Asks the deployed service every minute what clients ask, and fails unless each answer is right.

Environment: URL is the address before /api, and USERS and STATISTICS are the functions' aliases. SECRET, if
there is one, is the ARN of {"project": …, "readKey": …, "day": "2026-01-31"}; the day must have displays.
docs/aws-operate.md says what to do when it fails.
"""

import json
import os
from datetime import date, timedelta
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

UNKNOWN = "a-key-that-nobody-has"  # a shorter one could be refused before the table of credentials is read
USERS, STATISTICS = "/api/users", "/api/v2/response-statistics"
# Of each function: what it reads, the path of its operation, and a header that it refuses.
FUNCTIONS = {
    "USERS": (["credentials", "users"], USERS, {"Authorization": f"Bearer {UNKNOWN}"}),
    "STATISTICS": (["credentials", "responses", "index"], STATISTICS, {"AuthKey": UNKNOWN}),
}
# What strangers can throttle is no failure, because another alarm counts it. They never reach the other tables.
THROTTLING = {"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"}
TIMEOUT = 7  # seconds
CONFIG = Config(connect_timeout=3, read_timeout=TIMEOUT, retries={"total_max_attempts": 1})


def unread(name, answer):
    """Returns what a function could not read, with the store's error, from its answer to {"check":true}."""
    found = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        raise RuntimeError(f"the function failed: {found}")
    return {table: found.get(table) for table in FUNCTIONS[name][0] if found.get(table) != "ok"}


def question_of_day():
    """Returns the parameters of the secret's question, and its Read Key. No error quotes the secret."""
    secrets = boto3.client("secretsmanager", config=CONFIG)
    value = secrets.get_secret_value(SecretId=os.environ["SECRET"])["SecretString"]
    try:
        secret = {name: text.strip() for name, text in json.loads(value).items()}
        day = date.fromisoformat(secret["day"])
        if not (secret["readKey"].isascii() and secret["readKey"].isprintable()):
            raise ValueError
        period = {"startDate": f"{day}", "endDate": f"{day + timedelta(days=1)}"}
        return {"project": secret["project"], **period}, secret["readKey"]
    except Exception as error:
        raise ValueError(f"the secret is not usable: {type(error).__name__}") from None


def displays(body):
    return json.loads(body)["data"][0]["attributes"]["displays"]


def get(path, headers, is_throttled):
    """Returns the status and the body of a response; no body if the request was throttled.

    With too many requests, API Gateway returns a 429. Lambda's throttling is a 503, as that of a store is.
    """
    try:
        response = urlopen(Request(os.environ["URL"] + path, headers=headers), timeout=TIMEOUT)
    except HTTPError as error:
        response = error
    body = response.read()
    if response.status == 429 or (is_throttled and response.status == 503):
        print(f"{path.partition('?')[0]} returned {response.status}: throttled")
        return response.status, None
    return response.status, body


def reads_its_tables(name, throttled):
    """Asks a function, which joins `throttled` if it is throttled itself or by the table of credentials."""
    functions = boto3.client("lambda", config=CONFIG)
    try:
        answer = functions.invoke(FunctionName=os.environ[name], Payload=b'{"check":true}')
    except ClientError as error:
        if error.response["Error"]["Code"] != "TooManyRequestsException":
            raise
        print(f"{name} throttled by Lambda")
        throttled.add(name)
        return
    missing = unread(name, answer)
    if missing.get("credentials") in THROTTLING:
        del missing["credentials"]
        print(f"{name} throttled by credentials")
        throttled.add(name)
    if missing:
        raise RuntimeError(f"it cannot read {missing}")


def refuses_an_unknown_key(name, throttled):
    _, path, headers = FUNCTIONS[name]
    status, body = get(path, headers, name in throttled)
    if body is not None and (status != 401 or json.loads(body)["errors"][0]["code"] != "unauthenticated"):
        raise RuntimeError(f"{path} returned {status}: {body[:500]}")


def has_the_day(name, throttled):
    parameters, key = question_of_day()
    status, body = get(f"{STATISTICS}?{urlencode(parameters)}", {"AuthKey": key}, name in throttled)
    if body is not None and status != 200:
        raise RuntimeError(f"{STATISTICS} returned {status} for {parameters['startDate']}")
    if body is not None and not displays(body):
        raise RuntimeError(f"{parameters['startDate']} has no displays")


def handler(event, context):
    """Asks everything, because one failure says nothing of what follows; then fails if anything is wrong."""
    of_each = (reads_its_tables, refuses_an_unknown_key)
    questions = [(question, name) for name in FUNCTIONS for question in of_each]
    questions += [(has_the_day, "STATISTICS")] if "SECRET" in os.environ else []
    failures, throttled = [], set()
    for question, name in questions:
        try:
            question(name, throttled)
        except Exception as error:
            failures.append(f"{name} {question.__name__} {error!r}")
    if failures:
        raise RuntimeError("; ".join(failures))
