"""Rules between parameters, which a schema cannot say: cases that break them are discarded, not expected to fail."""

from datetime import datetime, timezone

import schemathesis


@schemathesis.hook
def filter_case(context, case):
    query = case.query or {}
    return not (excludes(query) or foreign_cursor(query) or turned_round(query) or too_many_bytes(query))


@schemathesis.hook
def before_add_examples(context, examples):
    """Cases made of the document's examples are not filtered by themselves."""
    examples[:] = [case for case in examples if filter_case(context, case)]


def excludes(query):
    """`userId` excludes `limit` and `cursor`."""
    return "userId" in query and ("limit" in query or "cursor" in query)


def foreign_cursor(query):
    """Only what a `Link` holds is a cursor, and a case has none from there."""
    return "cursor" in query


def turned_round(query):
    """`startDate` must not be after `endDate`, after conversion to UTC, nor either leave the years 1 to 9999."""
    instants = [instant(query[name]) for name in ("startDate", "endDate") if name in query]
    return None in instants or (len(instants) == 2 and instants[0] > instants[1])


def too_many_bytes(query):
    """Lengths are counted in bytes, in a schema in characters."""
    filters = query.get("filters")
    names = [name.removeprefix("user.traits.string.") for name in filters] if isinstance(filters, dict) else []
    values = [one.get("value") for one in filters.values() if isinstance(one, dict)] if names else []
    long = [text for text in [query.get("userId"), *values] if isinstance(text, str) and len(text.encode()) > 1024]
    return bool(long) or any(len(name.encode()) > 255 for name in names)


def instant(text):
    """An instant, now for what is no timestamp in any form, None for one outside the calendar."""
    if not isinstance(text, str):
        return datetime.now(timezone.utc)
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    except OverflowError:
        return None
    except ValueError:
        # Day 31 of a month that has 30 fits the pattern, and is no timestamp all the same.
        return None if text[:4].isdigit() and text[4:5] == "-" else datetime.now(timezone.utc)
