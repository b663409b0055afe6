"""Discards generated cases that break rules between parameters, which a schema cannot express."""

import re
from datetime import datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from zoneinfo import ZoneInfo

import schemathesis
from hypothesis import strategies

ZONES = ["UTC", "Europe/Prague", "America/St_Johns", "Asia/Calcutta", "Etc/GMT+12"]
schemathesis.openapi.format("iana-time-zone", strategies.sampled_from(ZONES))


@schemathesis.hook
def filter_case(context, case):
    query = case.query or {}
    rules = [empty, excluded, invalid_cursor, invalid_period, too_many_bytes, number_that_dynamodb_cannot_keep]
    rules += [repeated, contradicted, independent, invalid_word, invalid_comparison, too_many_elements]
    return not any(broken(query) for broken in rules)


@schemathesis.hook
def before_add_examples(context, examples):
    """Filters the cases made from the document's examples, to which `filter_case` is not applied."""
    examples[:] = [case for case in examples if filter_case(context, case)]


def empty(query):
    """A parameter without a value counts as absent, whatever its schema says."""
    return "" in query.values()


def excluded(query):
    """`userId` excludes `limit` and `cursor`."""
    return "userId" in query and ("limit" in query or "cursor" in query)


def invalid_cursor(query):
    """A valid cursor comes from a `Link`, so a generated one is never valid."""
    return "cursor" in query


def invalid_period(query):
    """After conversion to UTC, `startDate` must not be after `endDate`, and both must be within the years 1
    to 9999.
    """
    instants = [instant(query, name) for name in ("startDate", "endDate") if name in query]
    return None in instants or (len(instants) == 2 and instants[0] > instants[1])


def invalid_word(query):
    """`period` excludes `startDate` and `endDate`, and a word must be of the calendar and within its years."""
    words = [query[name] for name in ("period", "compare") if name in query]
    return "period" in query and {"startDate", "endDate"} & set(query) or None in map(days_of, words)


def days_of(word):
    """Returns how many days a word names at most; None if it is not of the calendar; 0 if it is no word."""
    word = str(word)
    if re.fullmatch(r"[0-9]{4}(-(Q[1-4]|0[1-9]|1[0-2]))?", word):
        return 366 if "0002" < word[:4] < "9999" else None
    if match := re.fullmatch(r"([0-9]{4})-W([0-9]{2})", word):
        try:
            datetime.fromisocalendar(int(match[1]), int(match[2]), 1)
        except ValueError:
            return None
        return 7 if "0002" < match[1] < "9999" else None
    if match := re.fullmatch(r"([1-9][0-9]{0,3})(d|w|mo|y)", word):
        days = int(match[1]) * {"d": 1, "w": 7, "mo": 31, "y": 366}[match[2]]
        return days if days < 366 * 900 else None
    return 366 if re.match("(this|last)-", word) else 0


def independent(query):
    """`weekStart` requires weeks, `groupLimit` requires `groupBy`, `window` requires short
    intervals, `compare` excludes `interval`, and `describe` excludes what divides figures.
    """
    divides = "interval weekStart groupBy groupLimit confidence respondents compare window"
    dividing = set(divides.split())
    is_short = query.get("interval") in ("day", "week", "month")
    is_latest = query.get("respondents") == "latest"
    broken = [
        "describe" in query and dividing & set(query),
        "compare" in query and "interval" in query,
        "window" in query and (is_latest or not is_short),
        "weekStart" in query and query.get("interval") != "week",
        "groupLimit" in query and "groupBy" not in query,
    ]
    return any(broken)


def too_many_elements(query):
    """At most 1,000 intervals, and 10,000 elements; discards some more."""
    days = {"day": 0.9, "week": 6.9, "month": 27.9, "quarter": 89.9, "year": 364.9}
    shortest = days.get(str(query.get("interval")))
    if shortest is None:
        return False
    end = instant(query, "endDate")
    start = instant(query, "startDate") if "startDate" in query else end
    span = timedelta(days=days_of(query["period"]) or 0) if "period" in query else end - start
    intervals = span / timedelta(days=shortest) + 40
    limit = query.get("groupLimit", 20) if "groupBy" in query else 0
    return intervals > 1000 or intervals * (int(limit) + 1 if str(limit).isdigit() else 1) > 10_000


def too_many_bytes(query):
    """The API counts lengths in bytes, a schema in characters."""
    values = [query.get("userId"), *(value for kind, *_, value in filters(query) if kind == "string")]
    names = [name for _, name, _, _ in filters(query)]
    names.append(str(query.get("groupBy", "")).split(".", 3)[-1])
    long = [text for text in values if isinstance(text, str) and len(text.encode()) > 1024]
    return bool(long) or any(len(name.encode()) > 255 for name in names)


def number_that_dynamodb_cannot_keep(query):
    """A pattern limits neither the number of significant digits nor the magnitude."""
    return not all(can_be_kept(value) for kind, *_, value in filters(query) if kind == "number")


def can_be_kept(text):
    """Returns whether DynamoDB keeps this number, or the text is no number."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        # An exponent beyond all limits matches the pattern but is no number.
        return re.search("[eE][+-]?[0-9]{10}", text) is None
    if not number.is_finite():
        return True
    # A zero is checked as if its last digit were a 1.
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    return len(digits) <= 38 and -130 <= number.adjusted() <= 125


def repeated(query):
    """Texts that differ may be the same filter: the type `string` may be omitted, and numbers have several
    forms.
    """
    found = [
        (kind, name, operator, Decimal(value) if kind == "number" and can_be_kept(value) else value)
        for kind, name, operator, value in filters(query)
    ]
    return len(found) > len(set(found))


def contradicted(query):
    """Two `eq` of one trait and type must not have different values."""
    found = [(kind, name) for kind, name, operator, _ in filters(query) if operator == "eq"]
    return len(found) > len(set(found))


def invalid_comparison(query):
    """The periods must be within the years 1 to 9999, not empty, and not overlap."""
    with_ = query.get("compare")
    if not isinstance(with_, str):
        return False
    if "period" in query or days_of(with_):
        return with_ != "previous"
    end = instant(query, "endDate")
    start = instant(query, "startDate") if "startDate" in query else end - timedelta(days=30)
    if start >= end or start.year < 3:
        return True
    if with_ == "year":
        return end - start > timedelta(days=360)
    if with_ == "previous":
        return end - start > start - datetime(2, 1, 1, tzinfo=timezone.utc)
    if "/" not in with_:
        return False
    ends = [instant({**query, "at": text}, "at") for text in with_.split("/", 1)]
    return None in ends or ends[0] >= ends[1] or (ends[0] < end and start < ends[1])


def filters(query):
    """Returns type, name, operator and value of each filter that has them."""
    texts = query.get("filter", [])
    form = re.compile(r"([^=]*)=(?:(string|number|boolean)\.)?([a-z]+):(.*)", re.DOTALL)
    texts = texts if isinstance(texts, list) else [texts]
    found = [form.fullmatch(text) for text in texts if isinstance(text, str)]
    return [(match[2] or "string", match[1], match[3], match[4]) for match in found if match]


def instant(query, name):
    """Returns the instant; now if there is no timestamp in any form; None if it is outside the calendar."""
    text = query.get(name)
    if not isinstance(text, str):
        return datetime.now(timezone.utc)
    zone = ZoneInfo(query["timezone"]) if query.get("timezone") in ZONES else timezone.utc
    try:
        if re.fullmatch("[0-9]{10}([0-9]{3})?", text):
            return datetime.fromtimestamp(int(text[:10]), timezone.utc)
        # Python reads the basic form, and the space for the T.
        found = datetime.fromisoformat(re.sub(" (?=[Z+-])", "", re.sub("UTC|GMT", "Z", text)))
        return (found if found.tzinfo else found.replace(tzinfo=zone)).astimezone(timezone.utc)
    except OverflowError:
        return None
    except ValueError:
        # Day 31 of a month with 30 days matches the pattern but is not a timestamp.
        return None if re.match("[0-9]{4}-|[0-9]{8}", text) else datetime.now(timezone.utc)
