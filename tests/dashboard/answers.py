"""Answers of the API that tests make up, and what the page draws of them."""

import json
from datetime import date
from urllib.parse import parse_qs, urlsplit

from support import DEMO

PERIOD = "start=2014-08-01&end=2015-08-01"
# Twelve whole months, and a part of one at each end.
MILLIONS = DEMO.replace(PERIOD, "start=2014-08-15&end=2015-09-11")
GROUPS = "Economy,Premium Economy,Business,First,Crew and other staff of the airline,Charter,".split(",")

# The texts of the chart of the trend, line by line.
TEXTS = "#trend svg :is(text:not(:has(tspan)), tspan)"

COUNTS = ["responses", "displays", "dismissed", "promoters", "passives", "detractors"]


def figures(detractors, passives, promoters):
    """Makes an element's figures, with the contract's interval of 95 %."""
    responses = detractors + passives + promoters
    p, d = (promoters + 0.75) / (responses + 3), (detractors + 0.75) / (responses + 3)
    half = 1.959963984540054 * ((p + d - (p - d) ** 2) / (responses + 3)) ** 0.5
    low, high = (100 * max(-1, p - d - half), 100 * min(1, p - d + half)) if responses else (None, None)
    shares = [passives // 2, passives - passives // 2, promoters // 3, promoters - promoters // 3]
    frequency = [detractors - 6 * (detractors // 7)] + [detractors // 7] * 6 + shares
    counts = [responses, 3 * responses, responses, promoters, passives, detractors]
    nps = 100 * (promoters - detractors) / responses if responses else None
    found = {"nps": nps, "frequency": frequency, "npsLow": low, "npsHigh": high}
    return dict(zip(COUNTS, counts)) | found


def months(start, end):
    """Returns the months of a period, the first and the last of them cut to it."""
    start, end = date.fromisoformat(start), date.fromisoformat(end)
    first = [date(year, month, 1) for year in range(start.year, end.year + 1) for month in range(1, 13)]
    edges = [start, *(day for day in first if start < day < end), end]
    return list(zip(edges, edges[1:]))


def some(at, size):
    return figures(*(int(size * part) for part in (31_234 - 1_000 * at, 22_345, 41_234 + 777 * at)))


def dated(start, end, one):
    """Returns the figures of an interval."""
    return {"start": f"{start}T00:00:00.000Z", "end": f"{end}T00:00:00.000Z"} | one


def large(parameters):
    """Returns the attributes of an answer about millions of responses."""
    [start], [end] = parameters["startDate"], parameters["endDate"]
    intervals = months(start, end)
    series = [dated(*month, some(at, 13 if at % 3 else 10)) for at, month in enumerate(intervals)]
    named = enumerate(GROUPS)
    groups = [{"group": name, "other": False, **some(2 * at, 50 / (at + 1))} for at, name in named]
    groups.append({"group": None, "other": True, **some(3, 0.0001)})
    if "interval" in parameters and "filter" in parameters:
        at = GROUPS.index(parameters["filter"][-1].partition("=eq:")[2])
        return [{"start": one["start"], "end": one["end"], **some(2 * at, 50 / (at + 1))} for one in series]
    return series if "interval" in parameters else groups if "groupBy" in parameters else [some(0, 120)]


def compared(one, parameters):
    """Adds what `compare` asks for, unless the attributes have it: the same figures a year earlier."""
    if "compare" not in parameters or "before" in one:
        return one
    names = [name for name in one if name not in ("start", "end", "group", "other")]
    period = {"start": "2013-08-01T00:00:00.000Z", "end": "2014-08-01T00:00:00.000Z", "since": None}
    part = 0.0 if "groupBy" in parameters else None
    verdict = "empty" if one["responses"] == 0 else "few" if one["responses"] < 30 else "chance"
    points, low, high = (None, None, None) if verdict == "empty" else (0.0, -5.0, 5.0)
    change = {"points": points, "low": low, "high": high, "verdict": verdict}
    return one | {
        "before": period | {name: one[name] for name in names},
        "change": change | {"contribution": part, "fromScore": part, "fromShare": part},
    }


def answering(attributes):
    """Returns what answers requests to the API with what a function makes of their parameters."""

    def respond(route):
        parameters = parse_qs(urlsplit(route.request.url).query)
        made = [compared(one, parameters) for one in attributes(parameters)]
        route.fulfill(json={"data": [{"attributes": one} for one in made]})

    return respond


def changing(change, **headers):
    """Returns what answers as the API does, but for headers and what a function changes in attributes."""

    def respond(route):
        answer = route.fetch()
        document = answer.json()
        for element in document["data"]:
            change(element["attributes"])
        route.fulfill(json=document, headers=answer.headers | headers)

    return respond


def failing(code, status, detail="Words of the API.", **more):
    """Returns what answers requests to the API with an error."""
    title = code.replace("_", " ").capitalize()
    error = {"id": "4f1c", "status": str(status), "code": code, "title": title, "detail": detail} | more
    body = json.dumps({"errors": [error]})
    return lambda route: route.fulfill(status=status, content_type="application/json", body=body)


def only(part, respond):
    """Returns what answers the requests whose address has this part, and lets all others pass."""
    return lambda route: respond(route) if part in route.request.url else route.fallback()


def traits(*found):
    """Returns what answers requests for traits with these names, types, and whether they are private."""
    names = ("name", "type", "private")
    one = {"type": "string", "displays": 1, "private": False}
    data = [{"attributes": one | dict(zip(names, trait))} for trait in found]
    return only("describe=", lambda route: route.fulfill(json={"data": data}))
