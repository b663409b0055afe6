#!/usr/bin/env python3
"""Prints the NPS and the responses of each month: examples/monthly.py START [END], such as 2025-01-01.
Needs FEEDBACK_PROJECT, FEEDBACK_READ_KEY, and FEEDBACK_URL unless `feedback serve` runs here."""

import json, os, sys
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

period = dict(zip(["startDate", "endDate"], sys.argv[1:])) or sys.exit("usage: monthly.py START [END]")
query = urlencode({"project": os.environ["FEEDBACK_PROJECT"], "interval": "month", **period})
url = os.environ.get("FEEDBACK_URL", "http://127.0.0.1:3000") + "/api/v2/response-statistics?" + query
try:
    response = urlopen(Request(url, headers={"AuthKey": os.environ["FEEDBACK_READ_KEY"]}), timeout=60)
except HTTPError as error:
    sys.exit(error.read().decode())
for month in (element["attributes"] for element in json.load(response)["data"]):
    nps = "-" if month["nps"] is None else f"{month['nps']:.1f}"  # a month without responses has no score
    print(f"{month['start'][:7]} {nps:>6} {month['responses']:>5}")
