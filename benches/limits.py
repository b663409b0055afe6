"""What the stub store gives at most."""
import http.client
import json
import time

# As the statistics ask: a page of one shard under their projection.
QUERY = json.dumps({
    "TableName": "responses", "ProjectionExpression": "#rating, #dismissed",
    "ExpressionAttributeNames": {"#rating": "rating", "#dismissed": "dismissed"},
    "ExpressionAttributeValues": {":shard": {"S": "acme#0"}},
})


def stub_maximum(address, pages=2000):
    """Records a second over one connection, to a client that only counts bytes; and the bytes of a record."""
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
