"""Computes the statistics with boto3: by its resource, which decodes items, or by its client, which does not.

    handler.py resource|client ADDRESS REQUESTS FILTERS
"""
import json
import sys

import boto3

FILTERED = [("plan", "pro"), ("country", "Finland"), ("browser", "Firefox")]
OPTIONS = {"region_name": "us-east-1", "aws_access_key_id": "a", "aws_secret_access_key": "b"}


class Resource:
    """Items are Python's own values."""

    def __init__(self, address):
        self.query = boto3.resource("dynamodb", endpoint_url=address, **OPTIONS).Table("responses").query

    key = staticmethod(str)

    @staticmethod
    def rating(item):
        return int(item["rating"]) if "rating" in item else None

    @staticmethod
    def is_dismissed(item):
        return item.get("dismissed")

    @staticmethod
    def passes(item, filters):
        traits = item.get("traits", {})
        return all(value in traits.get(name, "") for name, value in filters)


class Client:
    """Items are DynamoDB's JSON, such as {"rating": {"N": "9"}}."""

    def __init__(self, address):
        self.query = boto3.client("dynamodb", endpoint_url=address, **OPTIONS).query

    @staticmethod
    def key(text):
        return {"S": text}

    @staticmethod
    def rating(item):
        return int(item["rating"]["N"]) if "rating" in item else None

    @staticmethod
    def is_dismissed(item):
        return "dismissed" in item and item["dismissed"]["BOOL"]

    @staticmethod
    def passes(item, filters):
        traits = item["traits"]["M"] if "traits" in item else {}
        return all(name in traits and value in traits[name].get("S", "") for name, value in filters)


def shard(store, number, filters):
    names = {"#shard": "shard", "#at": "at", "#rating": "rating", "#dismissed": "dismissed"}
    projection = ["#rating", "#dismissed"]
    for n, (name, _) in enumerate(filters):
        names |= {"#traits": "traits", f"#t{n}": name}
        projection.append(f"#traits.#t{n}")
    values = {":shard": f"acme#{number:x}", ":start": "2024-01-01", ":end": "2025-01-01"}
    arguments = {
        "TableName": "responses", "KeyConditionExpression": "#shard = :shard AND #at BETWEEN :start AND :end",
        "ExpressionAttributeValues": {name: store.key(value) for name, value in values.items()},
        "ProjectionExpression": ", ".join(projection), "ExpressionAttributeNames": names,
    }
    while True:
        page = store.query(**arguments)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        arguments["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def statistics(store, filters):
    displays = dismissed = 0
    frequency = [0] * 11
    for number in range(16):
        for item in shard(store, number, filters):
            if not store.passes(item, filters):
                continue
            displays += 1
            rating = store.rating(item)
            if rating is not None:
                frequency[rating] += 1
            elif store.is_dismissed(item):
                dismissed += 1
    responses, promoters, detractors = sum(frequency), sum(frequency[9:]), sum(frequency[:7])
    return {
        "responses": responses, "displays": displays, "dismissed": dismissed, "promoters": promoters,
        "passives": sum(frequency[7:9]), "detractors": detractors,
        "nps": 100 * (promoters - detractors) / responses if responses else 0.0, "frequency": frequency,
    }


def main():
    kind, address, requests, filters = sys.argv[1:]
    store = {"resource": Resource, "client": Client}[kind](address)
    for _ in range(int(requests)):
        last = statistics(store, FILTERED[: int(filters)])
    print(json.dumps(last))


main()
