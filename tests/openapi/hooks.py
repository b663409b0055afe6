"""Discards generated cases that break rules between parameters, which a schema cannot express."""

from datetime import datetime, timezone

import schemathesis


@schemathesis.hook
def filter_case(context, case):
    query = case.query or {}
    return not (excluded(query) or invalid_cursor(query) or invalid_period(query) or too_many_bytes(query))


@schemathesis.hook
def before_add_examples(context, examples):
    """Filters the cases made from the document's examples, to which `filter_case` is not applied."""
    examples[:] = [case for case in examples if filter_case(context, case)]


def excluded(query):
    """`userId` excludes `limit` and `cursor`."""
    return "userId" in query and ("limit" in query or "cursor" in query)


def invalid_cursor(query):
    """A valid cursor comes from a `Link`, so a generated one is never valid."""
    return "cursor" in query


def invalid_period(query):
    """After conversion to UTC, `startDate` must not be after `endDate`, and both must be within the years 1 to 9999."""
    instants = [instant(query[name]) for name in ("startDate", "endDate") if name in query]
    return None in instants or (len(instants) == 2 and instants[0] > instants[1])


def too_many_bytes(query):
    """The API counts lengths in bytes, a schema in characters."""
    filters = query.get("filters")
    names = [name.removeprefix("user.traits.string.") for name in filters] if isinstance(filters, dict) else []
    values = [one.get("value") for one in filters.values() if isinstance(one, dict)] if names else []
    long = [text for text in [query.get("userId"), *values] if isinstance(text, str) and len(text.encode()) > 1024]
    return bool(long) or any(len(name.encode()) > 255 for name in names)


def instant(text):
    """Returns the instant; now if the text is no timestamp in any form; None if it is outside the calendar."""
    if not isinstance(text, str):
        return datetime.now(timezone.utc)
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    except OverflowError:
        return None
    except ValueError:
        # Day 31 of a month with 30 days matches the pattern but is not a timestamp.
        return None if text[:4].isdigit() and text[4:5] == "-" else datetime.now(timezone.utc)
