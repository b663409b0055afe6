"""Computes the statistics in the usual way with boto3.

    handler.py ADDRESS REQUESTS FILTERS
"""
import json
import sys

import boto3
from boto3.dynamodb.conditions import Key

FILTERED = [("plan", "pro"), ("country", "Finland"), ("browser", "Firefox")]


def shard(table, number, filters):
    names = {"#rating": "rating", "#dismissed": "dismissed"}
    projection = ["#rating", "#dismissed"]
    for n, (name, _) in enumerate(filters):
        names |= {"#traits": "traits", f"#t{n}": name}
        projection.append(f"#traits.#t{n}")
    arguments = {
        "KeyConditionExpression": Key("shard").eq(f"acme#{number}") & Key("at").between("2024-01-01", "2025-01-01"),
        "ProjectionExpression": ", ".join(projection),
        "ExpressionAttributeNames": names,
    }
    while True:
        page = table.query(**arguments)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        arguments["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def statistics(table, filters):
    displays = dismissed = 0
    frequency = [0] * 11
    for number in range(4):
        for item in shard(table, number, filters):
            traits = item.get("traits", {})
            if not all(value in traits.get(name, "") for name, value in filters):
                continue
            displays += 1
            if "rating" in item:
                frequency[int(item["rating"])] += 1
            elif item.get("dismissed"):
                dismissed += 1
    responses, promoters, detractors = sum(frequency), sum(frequency[9:]), sum(frequency[:7])
    return {
        "responses": responses, "displays": displays, "dismissed": dismissed, "promoters": promoters,
        "passives": sum(frequency[7:9]), "detractors": detractors,
        "nps": 100 * (promoters - detractors) / responses if responses else 0.0, "frequency": frequency,
    }


def main():
    address, requests, filters = sys.argv[1], int(sys.argv[2]), FILTERED[: int(sys.argv[3])]
    table = boto3.resource(
        "dynamodb", endpoint_url=address, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b"
    ).Table("responses")
    for _ in range(requests):
        last = statistics(table, filters)
    print(json.dumps(last))


main()
