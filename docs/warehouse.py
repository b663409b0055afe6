#!/usr/bin/env python3
"""Loads the monthly figures of a project, by the values of a trait, into an SQLite database.

Each run replaces the last months and adds the new ones: see warehouse.md. The Read Key is read from
FEEDBACK_READ_KEY.
"""

import argparse
import json
import os
import sqlite3
import sys
from datetime import date, datetime, timezone
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

COLUMNS = ["responses", "displays", "dismissed", "promoters", "passives", "detractors", "nps"]
GROUPS = 100
MONTHS_PER_REQUEST = 99  # (GROUPS + 1) elements each, of at most 10,000

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS figures (
    start TEXT NOT NULL, "end" TEXT NOT NULL, value TEXT, {", ".join(COLUMNS)}, loaded TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS once ON figures (start, value IS NULL, coalesce(value, ''));
CREATE TABLE IF NOT EXISTS progress (question TEXT NOT NULL, cursor TEXT NOT NULL);
"""


def month(text):
    return datetime.strptime(text, "%Y-%m").date()


def plus(day, months):
    """Returns the first day of the month so many months later."""
    year, index = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, index + 1, 1)


def request(options, start, end):
    """Returns the elements of a period that begins and ends where months do."""
    query = {
        "project": options.project,
        "startDate": start,
        "endDate": end,
        "interval": "month",
        "timezone": options.timezone,
        "groupBy": options.group_by,
        "groupLimit": GROUPS,
    }
    url = f"{options.url}/api/v2/response-statistics?{urlencode(query)}"
    headers = {"AuthKey": os.environ["FEEDBACK_READ_KEY"]}
    try:
        with urlopen(Request(url, headers=headers), timeout=60) as response:
            elements = [element["attributes"] for element in json.load(response)["data"]]
    except HTTPError as error:
        sys.exit(f"the service refused the request: {error.read().decode()}")
    except URLError as error:
        sys.exit(f"cannot reach {options.url}: {error.reason}")
    if any(element["other"] for element in elements):
        # Which values these are depends on the period, so the rows of two loads would not go together.
        sys.exit(f"{options.group_by} has more than {GROUPS} values: choose another trait")
    return elements


def replace(database, rows, question, start, end):
    """Replaces the rows of a period, and sets the cursor to its end: all of it, or nothing."""
    with database:  # a transaction
        database.execute("DELETE FROM figures WHERE start >= ? AND start < ?", [str(start), str(end)])
        places = ", ".join("?" * (len(COLUMNS) + 4))
        database.executemany(f"INSERT INTO figures VALUES ({places})", rows)
        database.execute("DELETE FROM progress")
        database.execute("INSERT INTO progress VALUES (?, ?)", [question, str(end)])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    parser.add_argument("--url", default="http://127.0.0.1:3000")
    parser.add_argument("--project", required=True)
    parser.add_argument("--group-by", required=True, help="such as user.traits.string.plan")
    parser.add_argument("--timezone", default="UTC")
    parser.add_argument("--first", type=month, required=True, help="the first month to load: 2014-01")
    parser.add_argument("--until", type=month, help="the month after the last [default: the next month]")
    parser.add_argument("--overlap", type=int, default=3, help="how many months to load again [3]")
    parser.add_argument("--full", action="store_true", help="load all months again")
    options = parser.parse_args()

    question = json.dumps([options.project, options.group_by, options.timezone, str(options.first)])
    database = sqlite3.connect(options.database)
    database.executescript(SCHEMA)
    progress = database.execute("SELECT question, cursor FROM progress").fetchone()
    if progress and progress[0] != question:
        sys.exit("this database has the answer to another question: use another file")

    end = options.until or plus(date.today(), 1)
    start = options.first
    if progress:
        cursor = date.fromisoformat(progress[1])
        end = max(end, cursor)
        if not options.full:
            start = max(start, plus(cursor, -options.overlap))

    loaded = datetime.now(timezone.utc).isoformat(timespec="seconds")
    elements, after = [], start
    while after < end:
        before, after = after, min(plus(after, MONTHS_PER_REQUEST), end)
        elements += request(options, before, after)

    rows = [
        [element["start"], element["end"], element["group"], *(element[column] for column in COLUMNS), loaded]
        for element in elements
        if element["displays"] > 0  # whether others have an element depends on the period, too
    ]
    replace(database, rows, question, start, end)
    print(f"{start} until {end}: {len(rows)} rows")


main()
