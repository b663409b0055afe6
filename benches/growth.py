"""Measures imports, figures and lists of a data folder by its number of records."""
import itertools
import statistics
import sys
import tempfile
from pathlib import Path

import dataset
from program import Folder, Repeated, Served

ALL = f"/api/v2/response-statistics?project={dataset.PROJECT}&startDate=2000-01-01&endDate=2100-01-01"
USERS = f"/api/users?project={dataset.PROJECT}"
# The records that are imported through the DynamoDB address while figures and lists are read.
BESIDE = 5_000


def measure(feedback, sizes):
    """Returns a row for each number of records, of one round."""
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as work:
            export = Path(work) / "export.ndjson"
            dataset.write(export, size)
            folder, row = imported(feedback, export, size, 1)
            rows.append(row | read(folder, export, size))
        print("growth", rows[-1], file=sys.stderr, flush=True)
    return rows


def imported(feedback, export, size, rounds, beside=lambda: None):
    """Imports an export into a new folder, and again, in each round, after what is measured beside it. Returns
    the last folder and the medians: seconds, µs of the processor a record, bytes written and stored, peak MB."""
    runs = {"import": [], "again": []}
    for n in range(rounds):
        beside()
        folder = Folder(feedback, export.with_name(f"data-{n}"))
        runs["import"].append(folder.import_responses(export))
        stored = folder.size()
        runs["again"].append(folder.import_responses(export))
        if n + 1 < rounds:
            folder.remove()
    row = {"records": size, "import MB": max(used.memory for used in [*runs["import"], *runs["again"]]),
           "written": statistics.median(used.written for used in runs["import"]) / stored}
    for name, used in runs.items():
        row[name] = statistics.median(run.seconds for run in used)
        row[f"{name} µs"] = statistics.median(run.processor for run in used) / size * 1e6
    return folder, row


def read(folder, export, size):
    """Returns the seconds of figures and of a list, and the memory of `serve` with both and an import at once."""
    row = {}
    with Served(folder) as served:
        for name, target, header in (("statistics", ALL, served.key), ("users", USERS, served.password)):
            row[name] = statistics.median(served.receive(target, header) for _ in range(3))
    with Served(folder) as served:
        beside = export.with_name("beside.ndjson")
        with open(export) as file:
            copy(file, beside, min(size, BESIDE))
        figures, users = ((ALL, served.key), (USERS, served.password))
        with Repeated(lambda: served.receive(*figures)), Repeated(lambda: served.receive(*users)):
            served.import_responses(beside, "elsewhere")
        row["serve MB"] = served.peak_memory()
    return row


def list_after_ten(feedback, export, size):
    """Returns the seconds of a list when the records came in ten imports, one after the other in time."""
    folder, part = Folder(feedback, export.with_name("ten")), export.with_name("part.ndjson")
    with open(export) as file:
        for _ in range(10):
            copy(file, part, size // 10)
            folder.import_responses(part)
    with Served(folder) as served:
        return statistics.median(served.receive(USERS, served.password) for _ in range(3))


def copy(lines, path, records):
    with open(path, "w") as file:
        file.writelines(itertools.islice(lines, records))
