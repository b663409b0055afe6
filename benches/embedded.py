#!/usr/bin/env python3
"""Measures the self-contained program over a data folder, beside a plain Python loop over SQLite.

    benches/embedded.py [--records N] [--rounds N] [--growth N,…] [--feedback PROGRAM] [--bench PROGRAM]

Writes its part of benches/RESULTS.md, or prints it if there are options: benches/run takes all measurements. The data and the
databases are in the folder of temporary files: about 20 GB for ten million records.
"""
import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dataset
import growth
import report
from program import Folder, Repeated, Served

ROOT = Path(__file__).resolve().parent.parent
RELEASE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
PEER = ROOT / "benches" / "peers" / "python" / "sqlite_store.py"
TRAIT = ("plan", "pro")
CONNECTIONS = 16
# The numbers of records with which it is measured how times and memory grow.
SIZES = [100_000, 1_000_000, 10_000_000]
# Small requests beside a large one: so many connections, each of which sends a request in each period.
SMALL_CONNECTIONS, SMALL_PERIOD_MS = 4, 50
STATISTICS = "/api/v2/response-statistics?project={}&startDate={}&endDate={}"
DEMO_KEY, DEMO_PASSWORD = "AuthKey: demo-read-key-0000", "Authorization: Bearer demo-password-0000"
ALL = STATISTICS.format(dataset.PROJECT, "2000-01-01", "2100-01-01")
FILTERED = ALL + "".join(f"&filters%5Buser.traits.string.{TRAIT[0]}%5D%5B{member}%5D={value}"
                         for member, value in (("operator", "eq"), ("value", TRAIT[1])))
USERS = f"/api/users?project={dataset.PROJECT}"
RATES = {
    "health": ("/health", "Accept: */*"),
    "390 records": (STATISTICS.format("demo", "2025-01-07", "2025-01-23"), DEMO_KEY),
    "no record": (STATISTICS.format("demo", "1990-01-01", "1991-01-01"), DEMO_KEY),
    "one user": ("/api/users?project=demo&userId=2025h1-0042", DEMO_PASSWORD),
}


def measure(feedback, bench, records, rounds):
    """Returns the medians of all measurements: seconds, requests a second, milliseconds and MB."""
    with tempfile.TemporaryDirectory() as work:
        export, database = Path(work) / "export.ndjson", Path(work) / "peer.sqlite"
        dataset.write(export, records)
        results = {"records": records, "bytes": export.stat().st_size / records, "sqlite": sqlite3.sqlite_version}
        folder = importing(feedback, Path(work), export, database, results, min(rounds, 3))
        results["start"] = median(lambda: start(folder), rounds)
        with Served(folder, "--demo") as served:
            reading(served, database, results, rounds)
            results["rates"] = rates(bench, served, rounds)
            results["latencies"] = latencies(bench, served, Path(work), records // 10, 10 if rounds > 1 else 3)
            results["serve MB"] = served.peak_memory()
        results["export"] = median(lambda: folder.run("export", "responses", "--project", dataset.PROJECT).seconds, min(rounds, 3))
        results["erase"], results["erase without rewriting"] = folder.erase(first_user(export))
    return results


def importing(feedback, work, export, database, results, rounds):
    """Imports the export into a new folder and a new database in each round, and again into the folder. Returns the last folder."""
    measured = {"import": [], "import again": [], "import MB": [], "peer import": []}
    for n in range(rounds):
        for file in work.glob(f"{database.name}*"):
            file.unlink()
        measured["peer import"].append(peer(database, "import", export)["seconds"])
        folder = Folder(feedback, work / f"data-{n}")
        for name in ("import", "import again"):
            used = folder.import_responses(export)
            measured[name].append(used.seconds)
            measured["import MB"].append(used.memory)
        if n + 1 < rounds:
            folder.remove()
    results |= {name: statistics.median(values) for name, values in measured.items()}
    results["import MB"] = max(measured["import MB"])
    return folder


def reading(served, database, results, rounds):
    """Reads everything through the program and the peer by turns, and compares what they return."""
    tasks = {
        "statistics": (ALL, served.key, ("statistics",)), "filtered": (FILTERED, served.key, ("statistics", *TRAIT)),
        "users": (USERS, served.password, ("users",)),
    }
    measured = {name: [] for task in tasks for name in (task, f"peer {task}")}
    for _ in range(rounds):
        for task, (target, header, arguments) in tasks.items():
            expected = peer(database, *arguments)
            measured[f"peer {task}"].append(expected.pop("seconds"))
            seconds, body = served.get(target, header)
            measured[task].append(seconds)
            figures = {"bytes": len(body)} if task == "users" else json.loads(body)["data"][0]["attributes"]
            assert figures | expected == figures, (task, expected, figures)
    results |= {name: statistics.median(values) for name, values in measured.items()}


def peer(database, *arguments):
    """Runs the peer; returns its result."""
    output = subprocess.run([sys.executable, PEER, database, *arguments], capture_output=True, text=True, check=True)
    return json.loads(output.stdout)


def start(folder):
    """Returns the seconds from the start of `serve` to the answer of a first request that reads the tables."""
    started = time.perf_counter()
    with Served(folder) as served:
        served.get(f"{USERS}&userId=nobody", served.password)
        return time.perf_counter() - started


def rates(bench, served, rounds):
    """Returns requests per second on 16 connections, by kind of request."""
    seconds = 3 if rounds > 1 else 1
    measured = {name: [] for name in RATES}
    for _ in range(min(rounds, 3)):
        for name, (target, header) in RATES.items():
            measured[name].append(load(bench, served, target, header, CONNECTIONS, seconds, 0)["rate"])
    return {name: statistics.median(values) for name, values in measured.items()}


def latencies(bench, served, work, records, seconds):
    """Returns the median and the 99th percentile of small requests in ms: alone, and beside larger work."""
    part = work / "part.ndjson"
    dataset.write(part, records)

    def import_elsewhere():
        served.import_responses(part, "elsewhere")

    beside = {"alone": lambda: time.sleep(seconds), "statistics": lambda: served.get(ALL, served.key),
              "users": lambda: served.get(USERS, served.password), "import": import_elsewhere}
    measured = {}
    for work_beside, action in beside.items():
        for name in ("390 records", "one user"):
            with Repeated(action):
                small = load(bench, served, *RATES[name], SMALL_CONNECTIONS, seconds, SMALL_PERIOD_MS)
            measured[f"{name}, {work_beside}"] = small
    return measured


def load(bench, served, target, header, connections, seconds, period):
    command = [bench, "load", served.api, target, header, str(connections), str(seconds), str(period)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def median(action, rounds):
    return statistics.median(action() for _ in range(rounds))


def first_user(export):
    with open(export) as file:
        return json.loads(file.readline())["user"]["userId"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--growth", type=lambda text: [int(size) for size in text.split(",")], default=SIZES)
    parser.add_argument("--feedback", default=RELEASE / "feedback")
    parser.add_argument("--bench", default=RELEASE / "bench")
    options = parser.parse_args()
    results = measure(options.feedback, options.bench, options.records, options.rounds)
    print(results, file=sys.stderr)
    lines = report.program(results, growth.measure(options.feedback, options.growth))
    if len(sys.argv) == 1:
        report.replace_section(ROOT / "benches" / "RESULTS.md", lines)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
