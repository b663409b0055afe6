#!/usr/bin/env python3
"""Compares the figures of two addresses: examples/compare.py OLD_URL OLD_PROJECT NEW_URL NEW_PROJECT [TRAIT].

Needs a Read Key of each in OLD_KEY and NEW_KEY. Compares each month (UTC) since the first record of the new address,
and the same for each value of a trait, such as plan. Exit code 1 if there are differences, which are printed, 2 if
an address cannot be asked. The old one is asked only with what SatisMeter documents: startDate, filters and AuthKey.
"""
import json, os, sys
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

COUNTS = ["displays", "responses", "dismissed", "promoters", "passives", "detractors"]

class NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_):
        """Returns nothing, so a redirect is an error: the key must not reach another address."""

def fail(reason):
    print(reason, file=sys.stderr)
    sys.exit(2)

def ask(url, project, key, **parameters):
    query = urlencode({"project": project, **parameters})
    request = Request(f"{url.rstrip('/')}/api/v2/response-statistics?{query}", headers={"AuthKey": key})
    try:
        with build_opener(NoRedirects).open(request, timeout=60) as response:
            return [element["attributes"] for element in json.load(response)["data"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        fail(f"{url}: {error} {error.read(500).decode(errors='replace') if isinstance(error, HTTPError) else ''}")

def months(side, starts, filters):
    """Returns the figures of each month: those since its start, less those since the next one's."""
    since = [[ask(*side, startDate=start, **filters)[0][name] for name in COUNTS] for start in starts]
    for counts, later in zip(since, since[1:] + [[0] * len(COUNTS)]):
        figures = {name: count - less for name, count, less in zip(COUNTS, counts, later)}
        score = 100 * (figures["promoters"] - figures["detractors"]) / (figures["responses"] or 1)
        yield figures | {"NPS": round(score, 1)}

if len(sys.argv) not in (5, 6) or not (os.environ.get("OLD_KEY") and os.environ.get("NEW_KEY")):
    fail("usage: compare.py OLD_URL OLD_PROJECT NEW_URL NEW_PROJECT [TRAIT], with OLD_KEY and NEW_KEY")
old, new = [*sys.argv[1:3], os.environ["OLD_KEY"]], [*sys.argv[3:5], os.environ["NEW_KEY"]]
trait = sys.argv[5] if len(sys.argv) == 6 else None
all_months = ask(*new, startDate="1970-01-01", interval="month")
starts = [month["start"] for month in all_months]
first = next((at for at, month in enumerate(all_months) if month["displays"]), len(starts))
starts = starts[first:] or fail(f"{new[0]}: there are no records of {new[1]}")
name = f"filters[user.traits.string.{trait}]"
groups = ask(*new, startDate=starts[0], groupBy=f"user.traits.string.{trait}", groupLimit=100) if trait else []
values = [group["group"] for group in groups if group["group"] is not None]
filters = [("", {})] + [(f" {trait}={value}", {f"{name}[operator]": "eq", f"{name}[value]": value}) for value in values]
differences = 0
for condition, parameters in filters:
    for start, was, found in zip(starts, months(old, starts, parameters), months(new, starts, parameters)):
        for figure in (figure for figure in was if was[figure] != found[figure]):
            print(f"{start[:7]}{condition}: {figure} {was[figure]} in the old, {found[figure]} in the new")
            differences += 1
print(f"{len(starts)} months, {len(values)} values of a trait compared: {differences} differences")
sys.exit(1 if differences else 0)
