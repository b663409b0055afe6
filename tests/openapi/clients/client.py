"""Requests the figures with the Python client that is generated as the package `python_client`."""
import json
import sys

from python_client.api.response_statistics import get_response_statistics
from python_client.client import Client

address, *filters = sys.argv[1:]
client = Client(base_url=address, headers={"AuthKey": "demo-read-key-0000"}, raise_on_unexpected_status=True)
reply = get_response_statistics.sync(
    client=client,
    project="demo",
    start_date="2025-03-01",
    end_date="2025-04-01",
    filter_=filters,
    compare="previous",
)
print(json.dumps(reply.to_dict()["data"][0]["attributes"]))
