#!/usr/bin/env python3
"""Prints the NPS and the responses of each month: examples/monthly.py START [END], such as 2025-01-01.
Needs FEEDBACK_PROJECT, FEEDBACK_READ_KEY, and FEEDBACK_URL unless `feedback serve` runs here."""
import json, os, sys
from urllib.parse import urlencode
from urllib.request import Request, urlopen

start, end, *_ = [*sys.argv[1:], "", ""]
project, key = os.environ.get("FEEDBACK_PROJECT"), os.environ.get("FEEDBACK_READ_KEY")
if not (start and project and key):
    sys.exit("usage: monthly.py START [END], with FEEDBACK_PROJECT and FEEDBACK_READ_KEY")
query = {"project": project, "interval": "month", "startDate": start} | ({"endDate": end} if end else {})
api = (os.environ.get("FEEDBACK_URL") or "http://127.0.0.1:3000").rstrip("/") + "/api/v2/response-statistics?"
try:
    response = urlopen(Request(api + urlencode(query), headers={"AuthKey": key}), timeout=60)
except (OSError, ValueError) as error:
    sys.exit(error.read().decode() if hasattr(error, "read") else str(error))
for month in (element["attributes"] for element in json.load(response)["data"]):
    nps = "-" if month["nps"] is None else f"{month['nps']:.1f}"  # a month without responses has no score
    print(f"{month['start'][:7]} {nps:>6} {month['responses']:>5}")
