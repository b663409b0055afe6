#!/usr/bin/env python3
"""Compares what two addresses answer: examples/compare.py OLD_URL OLD_PROJECT NEW_URL NEW_PROJECT [TRAIT].

Needs a Read Key of each in OLD_KEY and NEW_KEY. Each month (of UTC) since the first record of the new address is
compared, and again for each value of a trait, such as plan. Prints the differences; exit code 1 if there are any.
"""
import json, os, sys
from datetime import date
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

COUNTS = ["displays", "responses", "dismissed", "promoters", "passives", "detractors"]


class NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_):
        """Refuses: the key must not be sent to another address."""


OPENER = build_opener(NoRedirects)


def ask(side, **parameters):
    url, project, key = side
    query = urlencode({"format": "json", "project": project, **parameters})
    request = Request(f"{url.rstrip('/')}/api/v2/response-statistics?{query}", headers={"AuthKey": key})
    try:
        with OPENER.open(request, timeout=60) as response:
            return [element["attributes"] for element in json.load(response)["data"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        body = error.read(500).decode(errors="replace") if isinstance(error, HTTPError) else ""
        print(f"{url}: {error} {body}", file=sys.stderr)
        sys.exit(2)


def months(side, starts, filters):
    """Returns the counts of each month: what has happened since its start, less what has since the next."""
    since = [ask(side, startDate=start, **filters)[0] for start in starts]
    since = [[figures[name] for name in COUNTS] for figures in since] + [[0] * len(COUNTS)]
    return [[one - later for one, later in zip(*pair)] for pair in zip(since, since[1:])]


def words(counts):
    figures = dict(zip(COUNTS, counts))
    score = 100 * (figures["promoters"] - figures["detractors"]) / figures["responses"] if figures["responses"] else None
    return ", ".join(f"{count} {name}" for name, count in figures.items()) + (f", NPS {score:.1f}" if score is not None else "")


if len(sys.argv) not in (5, 6) or not (os.environ.get("OLD_KEY") and os.environ.get("NEW_KEY")):
    print("usage: compare.py OLD_URL OLD_PROJECT NEW_URL NEW_PROJECT [TRAIT], with OLD_KEY and NEW_KEY", file=sys.stderr)
    sys.exit(2)
old, new = (*sys.argv[1:3], os.environ["OLD_KEY"]), (*sys.argv[3:5], os.environ["NEW_KEY"])
# Only the new address is asked where the records begin, and for the values of the trait.
first = next((month for month in ask(new, startDate="1970-01-01", interval="month") if month["displays"]), None)
...
