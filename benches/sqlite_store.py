"""Keeps the records in SQLite: a table of responses and one of users, each row with its JSON document.

    sqlite_store.py DATABASE import FILE              reads the export, and commits after every 4,000 records
    sqlite_store.py DATABASE statistics [TRAIT VALUE]
    sqlite_store.py DATABASE users                    writes the list to /dev/null

Prints the result as JSON, with the seconds that it took without the start of Python.
"""
import json
import os
import sys
import time

# Newer than the SQLite of `feedback`, unlike Python's own.
from pysqlite3 import dbapi2 as sqlite3

PROJECT = "acme"
TABLES = """
CREATE TABLE IF NOT EXISTS responses (project TEXT, at TEXT, document TEXT, PRIMARY KEY (project, at));
CREATE INDEX IF NOT EXISTS outcomes ON responses
    (project, at, json_extract(document, '$.rating'), json_extract(document, '$.dismissed'));
CREATE TABLE IF NOT EXISTS users (project TEXT, user_id TEXT, document TEXT, PRIMARY KEY (project, user_id));
"""
# The same as those of `feedback import`.
SETTINGS = "PRAGMA journal_mode = WAL; PRAGMA cache_size = -4096; PRAGMA wal_autocheckpoint = 16384;"
OUTCOMES = "json_extract(document, '$.rating') AS rating, json_extract(document, '$.dismissed') AS dismissed"
COUNTS = ", ".join(f"count(*) FILTER (WHERE rating = {n})" for n in range(11))


def import_file(database, path):
    database.executescript(TABLES)
    with open(path) as file:
        for number, line in enumerate(file, 1):
            record = json.loads(line)
            user, at = record["user"], f"{record['created']}#{record['id']}"
            response = {name: record[name] for name in ("rating", "dismissed") if name in record}
            response |= {"userId": user["userId"], "traits": user["traits"]}
            values = (PROJECT, at, json.dumps(response))
            database.execute("INSERT OR REPLACE INTO responses VALUES (?, ?, ?)", values)
            key = (PROJECT, user["userId"])
            row = database.execute(
                "SELECT document FROM users WHERE project = ? AND user_id = ?", key
            ).fetchone()
            known = merged(json.loads(row[0]) if row else {}, user, record["created"])
            database.execute("INSERT OR REPLACE INTO users VALUES (?, ?, ?)", (*key, json.dumps(known)))
            if number % 4000 == 0:
                database.commit()
    database.commit()
    return {"records": number}


def merged(known, user, created):
    """Returns what is known of a user after another record of theirs: the newest record wins."""
    facts = {"id": user["id"], "email": user["email"]}
    newer = created >= known.get("lastSeen", "")
    merge = (lambda old, new: {**old, **new}) if newer else (lambda old, new: {**new, **old})
    return merge(known, facts) | {
        "traits": merge(known.get("traits", {}), user["traits"]),
        "created": min(known.get("created", created), created),
        "lastSeen": max(known.get("lastSeen", created), created),
    }


def statistics(database, *trait):
    # SQLite takes the index, which holds all that is counted, if it is named, and its values if it cannot merge the
    # subquery with the query.
    index, condition, values = "outcomes", "", [PROJECT, "0001", "9999"]
    if trait:
        name, value = trait
        index = "sqlite_autoindex_responses_1"
        condition, values = f"AND json_extract(document, '$.traits.{name}') = ?", [*values, value]
    [(displays, dismissed, *frequency)] = database.execute(
        f"SELECT count(*), count(*) FILTER (WHERE rating IS NULL AND dismissed), {COUNTS} FROM (SELECT {OUTCOMES} "
        f"FROM responses INDEXED BY {index} WHERE project = ? AND at >= ? AND at < ? {condition} LIMIT -1)",
        values,
    )
    return {"displays": displays, "dismissed": dismissed, "frequency": frequency}


def users(database):
    members = ("created", "email", "unsubscribed", "traits")
    rows = database.execute(
        "SELECT user_id, document FROM users WHERE project = ? ORDER BY user_id", (PROJECT,)
    )
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    length = 0
    with open(os.devnull, "wb") as file:
        for number, (user_id, document) in enumerate(rows):
            known = json.loads(document)
            user = {"id": known["id"], "project": PROJECT, "userId": user_id, "lastSeen": known["lastSeen"]}
            known |= {"unsubscribed": False, "traits": dict(sorted(known["traits"].items()))}
            user |= {name: known[name] for name in members}
            separator = "," if number else '{"users":['
            length += file.write((separator + encode(user)).encode())
        length += file.write(b"]}")
    return {"bytes": length}


def main():
    path, operation, *arguments = sys.argv[1:]
    started = time.perf_counter()
    database = sqlite3.connect(path)
    database.executescript(SETTINGS)
    result = {"import": import_file, "statistics": statistics, "users": users}[operation](
        database, *arguments
    )
    print(json.dumps(result | {"seconds": time.perf_counter() - started}))


main()
