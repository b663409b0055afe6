"""Answers of the API that tests make up, and what the page draws of them."""

from datetime import date
from urllib.parse import parse_qs, urlsplit

from support import DEMO

PERIOD = "start=2014-08-01&end=2015-08-01"
# Twelve whole months, and a part of one at each end.
MILLIONS = DEMO.replace(PERIOD, "start=2014-08-15&end=2015-09-11")
GROUPS = [
    "Economy",
    "Premium Economy",
    "Business",
    "First",
    "Crew and other staff of the airline",
    "Charter",
    "",
]

# The texts of the chart of the trend, line by line.
TEXTS = "#trend svg :is(text:not(:has(tspan)), tspan)"


COUNTS = ["responses", "displays", "dismissed", "promoters", "passives", "detractors"]


def figures(detractors, passives, promoters):
    """Makes an element's figures, with the contract's interval of 95 %."""
    responses = detractors + passives + promoters
    p, d = (promoters + 0.75) / (responses + 3), (detractors + 0.75) / (responses + 3)
    half = 1.959963984540054 * ((p + d - (p - d) ** 2) / (responses + 3)) ** 0.5
    low, high = (100 * max(-1, p - d - half), 100 * min(1, p - d + half)) if responses else (None, None)
    frequency = (
        [detractors - 6 * (detractors // 7)]
        + [detractors // 7] * 6
        + [passives // 2, passives - passives // 2, promoters // 3, promoters - promoters // 3]
    )
    counts = [responses, 3 * responses, responses, promoters, passives, detractors]
    return dict(zip(COUNTS, counts)) | {
        "nps": 100 * (promoters - detractors) / responses if responses else None,
        "frequency": frequency,
        "npsLow": low,
        "npsHigh": high,
    }


def months(start, end):
    """Returns the months of a period, the first and the last of them cut to it."""
    start, end = date.fromisoformat(start), date.fromisoformat(end)
    first = [date(year, month, 1) for year in range(start.year, end.year + 1) for month in range(1, 13)]
    edges = [start, *(day for day in first if start < day < end), end]
    return list(zip(edges, edges[1:]))


def some(at, size):
    return figures(*(int(size * part) for part in (31_234 - 1_000 * at, 22_345, 41_234 + 777 * at)))


def large(parameters):
    """Returns the attributes of an answer about millions of responses."""
    [start], [end] = parameters["startDate"], parameters["endDate"]
    intervals = months(start, end)
    series = [
        {"start": f"{first}T00:00:00.000Z", "end": f"{last}T00:00:00.000Z", **some(at, 13 if at % 3 else 10)}
        for at, (first, last) in enumerate(intervals)
    ]
    groups = [
        {"group": name, "other": False, **some(2 * at, 50 / (at + 1))} for at, name in enumerate(GROUPS)
    ] + [{"group": None, "other": True, **some(3, 0.0001)}]
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
        "change": change | {"fromScore": part, "fromShare": part},
    }


def answering(attributes):
    """Returns what answers requests to the API with the attributes that a function makes of their
    parameters.
    """

    def respond(route):
        parameters = parse_qs(urlsplit(route.request.url).query)
        made = [compared(one, parameters) for one in attributes(parameters)]
        route.fulfill(json={"data": [{"attributes": one} for one in made]})

    return respond
