"""Measures the program over a data folder, beside Python's SQLite over the same records."""
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import dataset
import growth
from growth import ALL, USERS
from program import Repeated, Served

SQLITE_STORE = Path(__file__).parent / "sqlite_store.py"
TRAIT = ("plan", "pro")
FILTERED = f"{ALL}&filter={TRAIT[0]}=eq:{TRAIT[1]}"
DEMO = "/api/v2/response-statistics?project=demo&startDate={}&endDate={}"
DEMO_KEY, DEMO_PASSWORD = "AuthKey: demo-read-key-0000", "Authorization: Bearer demo-password-0000"
SMALL = {
    "health": ("/health", "Accept: */*"),
    "390 records": (DEMO.format("2025-01-07", "2025-01-23"), DEMO_KEY),
    "one user": ("/api/users?project=demo&userId=2025h1-0042", DEMO_PASSWORD),
}
# Connections that send as fast as they can, and those that send a request in each period beside larger work.
CONNECTIONS, DUE_CONNECTIONS, DUE_MS = 16, 4, 50
SECONDS = 4


def measure(feedback, bench, python, records, rounds):
    """Returns the medians of all measurements: seconds, requests a second, milliseconds and MB."""
    with tempfile.TemporaryDirectory() as work:
        export = Path(work) / "export.ndjson"
        sqlite = [python, SQLITE_STORE, Path(work) / "records.sqlite"]
        dataset.write(export, records)
        beside = {"import": [], "again": []}

        def import_beside():
            for file in Path(work).glob("records.sqlite*"):
                file.unlink()
            for measured in beside.values():
                measured.append(output(*sqlite, "import", export)["seconds"])

        folder, row = growth.imported(feedback, export, records, rounds, import_beside)
        row |= growth.read(folder, export, records)
        row["users after ten"] = growth.list_after_ten(feedback, export, records)
        results = {"row": row, "bytes of a record": export.stat().st_size / records,
                   "sqlite": {name: statistics.median(seconds) for name, seconds in beside.items()}}
        results["start"] = statistics.median(start(folder) for _ in range(rounds))
        with Served(folder, "--demo") as served:
            reading(served, sqlite, results, rounds)
            rate = lambda name: load(bench, served, name, CONNECTIONS, 0)["rate"]
            results["rates"] = {name: statistics.median(rate(name) for _ in range(rounds)) for name in SMALL}
            results["latencies"] = latencies(bench, served, Path(work), records // 50)
        results["export"] = folder.run("export", "responses", "--project", dataset.PROJECT).seconds
        results["erase"], results["erasing"] = folder.erase(first_user(export))
    return results


def reading(served, sqlite, results, rounds):
    """Reads everything through the program and SQLite by turns, and compares what they return."""
    tasks = {
        "statistics": (ALL, served.key, ("statistics",)),
        "filtered": (FILTERED, served.key, ("statistics", *TRAIT)),
        "users": (USERS, served.password, ("users",)),
    }
    for name, (target, header, arguments) in tasks.items():
        ours, theirs = [], []
        for _ in range(rounds):
            expected = output(*sqlite, *arguments)
            theirs.append(expected.pop("seconds"))
            seconds, body = served.get(target, header)
            ours.append(seconds)
            figures = {"bytes": len(body)} if name == "users" else json.loads(body)["data"][0]["attributes"]
            assert figures | expected == figures, (name, expected, figures)
        results["row"][name], results["sqlite"][name] = statistics.median(ours), statistics.median(theirs)


def output(*command):
    """Returns the JSON that a command prints."""
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def start(folder):
    """Returns the seconds from the start of `serve` to its answer to a request that reads the tables."""
    started = time.perf_counter()
    with Served(folder) as served:
        served.get(f"{USERS}&userId=nobody", served.password)
        return time.perf_counter() - started


def latencies(bench, served, work, records):
    """Returns the median and the 99th percentile of small requests in ms: alone, and beside larger work."""
    part = work / "part.ndjson"
    dataset.write(part, records)
    beside = {
        "nothing": lambda: time.sleep(SECONDS), "figures": lambda: served.get(ALL, served.key),
        "list": lambda: served.get(USERS, served.password),
        "import": lambda: served.import_responses(part, "elsewhere"),
    }
    measured = {}
    for name, action in beside.items():
        with Repeated(action):
            measured[name] = load(bench, served, "390 records", DUE_CONNECTIONS, DUE_MS)
    return measured


def load(bench, served, name, connections, period):
    return output(bench, "load", served.api, *SMALL[name], str(connections), str(SECONDS), str(period))


def first_user(export):
    with open(export) as file:
        return json.loads(file.readline())["user"]["userId"]
