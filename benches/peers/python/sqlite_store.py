"""Keeps the records in SQLite in the usual way: a table of responses and one of users, each row with its JSON document.

    sqlite_store.py DATABASE import FILE              reads the export, and commits after every 1,000 records
    sqlite_store.py DATABASE statistics [TRAIT VALUE]
    sqlite_store.py DATABASE users                    writes the list to /dev/null

Prints the result as JSON, with the seconds that it took without the start of Python.
"""
import json
import os
import sqlite3
import sys
import time

PROJECT = "acme"
TABLES = """
CREATE TABLE IF NOT EXISTS responses (project TEXT, at TEXT, document TEXT, PRIMARY KEY (project, at));
CREATE TABLE IF NOT EXISTS users (project TEXT, user_id TEXT, document TEXT, PRIMARY KEY (project, user_id));
"""


def import_file(database, path):
    database.executescript(TABLES)
    with open(path) as file:
        for number, line in enumerate(file, 1):
            record = json.loads(line)
            user, at = record["user"], f"{record['created']}#{record['id']}"
            response = {name: record[name] for name in ("rating", "dismissed") if name in record}
            response |= {"userId": user["userId"], "traits": user["traits"]}
            database.execute("INSERT OR REPLACE INTO responses VALUES (?, ?, ?)", (PROJECT, at, json.dumps(response)))
            key = (PROJECT, user["userId"])
            row = database.execute("SELECT document FROM users WHERE project = ? AND user_id = ?", key).fetchone()
            known = merged(json.loads(row[0]) if row else {}, user, record["created"], at)
            database.execute("INSERT OR REPLACE INTO users VALUES (?, ?, ?)", (*key, json.dumps(known)))
            if number % 1000 == 0:
                database.commit()
    database.commit()
    return {"records": number}


def merged(known, user, created, at):
    """Returns what is known of a user after another record of theirs: the newest record wins."""
    facts = {"id": user["id"], "email": user["email"]}
    newer = at > known.get("asOf", "")
    merge = (lambda old, new: {**old, **new}) if newer else (lambda old, new: {**new, **old})
    return merge(known, facts) | {
        "traits": merge(known.get("traits", {}), user["traits"]), "asOf": max(known.get("asOf", ""), at),
        "created": min(known.get("created", created), created), "lastSeen": max(known.get("lastSeen", created), created),
    }


def statistics(database, *trait):
    condition, values = "", [PROJECT, "0001", "9999"]
    if trait:
        name, value = trait
        condition, values = f"AND json_extract(document, '$.traits.{name}') = ?", [*values, value]
    rows = database.execute(
        "SELECT json_extract(document, '$.rating') AS rating, json_extract(document, '$.dismissed') AS dismissed, count(*) "
        f"FROM responses WHERE project = ? AND at >= ? AND at < ? {condition} GROUP BY rating, dismissed", values)
    displays = dismissed = 0
    frequency = [0] * 11
    for rating, was_dismissed, count in rows:
        displays += count
        if rating is not None:
            frequency[rating] += count
        elif was_dismissed:
            dismissed += count
    return {"displays": displays, "dismissed": dismissed, "frequency": frequency}


def users(database):
    members = ("created", "email", "unsubscribed", "traits")
    rows = database.execute("SELECT user_id, document FROM users WHERE project = ? ORDER BY user_id", (PROJECT,))
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
    database.execute("PRAGMA journal_mode = WAL")
    result = {"import": import_file, "statistics": statistics, "users": users}[operation](database, *arguments)
    print(json.dumps(result | {"seconds": time.perf_counter() - started}))


main()
