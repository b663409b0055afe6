"""Measures the maximum throughput of the stub store."""
import http.client
import json
import time

# The statistics' own request: a page of one shard with their projection.
QUERY = json.dumps({
    "TableName": "responses", "ProjectionExpression": "#rating, #dismissed",
    "ExpressionAttributeNames": {"#rating": "rating", "#dismissed": "dismissed"},
    "ExpressionAttributeValues": {":shard": {"S": "acme#0"}},
})


def stub_maximum(address, pages=2000):
    """Returns records per second over one connection to a client that only reads the bytes, and the bytes per record."""
    connection = http.client.HTTPConnection(address.removeprefix("http://"))

    def page():
        connection.request("POST", "/", QUERY, {"x-amz-target": "DynamoDB_20120810.Query"})
        return connection.getresponse().read()

    text = page()
    started = time.monotonic()
    for _ in range(pages):
        page()
    records = json.loads(text)["Count"]
    return pages * records / (time.monotonic() - started), len(text) / records
