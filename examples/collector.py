#!/usr/bin/env python3
"""Writes events of surveys, one JSON object a line in the order in which they happened, into DynamoDB or a
running `feedback serve`: examples/collector.py PROJECT < EVENTS. Needs Python 3.11, and boto3. A display comes
first, then its rating or dismissal, which repeats `id` and `created`. Writing an event again changes nothing.
`user` is the person as known at `created`, with all traits (docs/item-format.md)."""
import hashlib, json, os, sys
from datetime import datetime, timezone
from decimal import Decimal
import boto3

project, store = sys.argv[1], boto3.resource("dynamodb")
responses = store.Table(os.environ.get("RESPONSES_TABLE", "responses"))
users = store.Table(os.environ.get("USERS_TABLE", "users"))

def instant(text):
    at = datetime.fromisoformat(text).astimezone(timezone.utc)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

def update(table, key, facts, **options):
    known = {name: value for name, value in facts.items() if value is not None}
    if known:
        value = lambda name: f"if_not_exists(#{name}, :{name})" if name == "created" else f":{name}"
        options["UpdateExpression"] = "SET " + ", ".join(f"#{name} = {value(name)}" for name in known)
        options["ExpressionAttributeNames"] = {f"#{name}": name for name in known}
        options["ExpressionAttributeValues"] = {f":{name}": value for name, value in known.items()}
    table.update_item(Key=key, **options)

for event in (json.loads(line, parse_float=Decimal) for line in sys.stdin):
    event_id, at, user = event["id"], instant(event["created"]), event.get("user") or {}
    key = {"shard": f"{project}#{hashlib.sha256(event_id.encode()).hexdigest()[0]}", "at": f"{at}#{event_id}"}
    outcome = {name: event.get(name) for name in ("rating", "dismissed")}
    update(responses, key, outcome | {name: user.get(name) for name in ("userId", "traits")})
    if user.get("userId"):
        known = {name: user.get(name) for name in ("id", "email", "name", "traits")}
        facts = known | {"lastSeen": at, "created": min(at, instant(user.get("createdAt") or at))}
        latest = {"ConditionExpression": "attribute_not_exists(lastSeen) OR lastSeen <= :lastSeen"}
        try:
            update(users, {"project": project, "userId": user["userId"]}, facts, **latest)
        except users.meta.client.exceptions.ConditionalCheckFailedException:
            pass  # The stored facts are of a later event.
