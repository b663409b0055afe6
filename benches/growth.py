"""Measures how the self-contained program's times and memory grow with the records."""
import itertools
import statistics
import sys
import tempfile
from pathlib import Path

import dataset
from program import Folder, Repeated, Served

STATISTICS = f"/api/v2/response-statistics?project={dataset.PROJECT}&startDate=2000-01-01&endDate="
ALL, NONE = f"{STATISTICS}2100-01-01", f"{STATISTICS}2000-01-02"
USERS = f"/api/users?project={dataset.PROJECT}"
NOBODY = f"{USERS}&userId=nobody"
# The records that are imported through the DynamoDB address while figures and lists are read.
BESIDE = 5_000


def measure(feedback, sizes):
    """Returns for each number of records: times in µs a record, without those of one record; those of one record in ms; the peak
    memory of both programs in MB; and the bytes that an import writes for each by which the database grows."""
    rows = []
    for size in sizes:
        rounds = 3 if size <= 1_000_000 else 1
        with tempfile.TemporaryDirectory() as work:
            rows.append(of_size(feedback, Path(work), size, rounds))
        print("growth", rows[-1], file=sys.stderr)
    return rows


def of_size(feedback, work, size, rounds):
    export, one = work / "export.ndjson", work / "one.ndjson"
    dataset.write(export, size)
    head(export, one, 1)
    row, imports = {"records": size}, {"import": [], "again": []}
    fixed = {"import": [], "again": []}
    for n in range(rounds):
        for file, measured in ((one, fixed), (export, imports)):
            folder = Folder(feedback, work / f"{file.stem}-{n}")
            measured["import"].append(folder.import_responses(file))
            stored = folder.size()
            measured["again"].append(folder.import_responses(file))
            if file is one or n + 1 < rounds:
                folder.remove()
    for name, measured in imports.items():
        for kind in ("seconds", "processor"):
            value, least = (statistics.median(getattr(used, kind) for used in them) for them in (measured, fixed[name]))
            row[f"{name} {kind}"], row[f"{name} {kind} of one"] = (value - least) / size * 1e6, least * 1e3
    row["import MB"] = max(used.memory for measured in imports.values() for used in measured)
    row["written"] = statistics.median(used.written for used in imports["import"]) / stored
    row["bytes"] = stored / size
    read(folder, export, size, row)
    folder.remove()
    row["users after ten"] = list_after_ten(feedback, work / "ten", export, size)
    return row


def read(folder, export, size, row):
    """Measures statistics and lists alone, and the memory of `serve` with both of them and an import at once."""
    with Served(folder) as served:
        for name, target, empty, header in (("statistics", ALL, NONE, served.key), ("users", USERS, NOBODY, served.password)):
            value, least = (median(lambda: served.receive(it, header)) for it in (target, empty))
            row[name], row[f"{name} of none"] = (value - least) / size * 1e6, least * 1e3
    with Served(folder) as served:
        beside = export.with_name("beside.ndjson")
        head(export, beside, min(size, BESIDE))
        with Repeated(lambda: served.receive(ALL, served.key)), Repeated(lambda: served.receive(USERS, served.password)):
            served.import_responses(beside, "elsewhere")
        row["serve MB"] = served.peak_memory()


def list_after_ten(feedback, path, export, size):
    """Returns the time of a list a record in µs when the records came in ten imports, one after the other in time."""
    folder, part = Folder(feedback, path), export.with_name("part.ndjson")
    with open(export) as file:
        for _ in range(10):
            copy(file, part, size // 10)
            folder.import_responses(part)
    with Served(folder) as served:
        value, least = (median(lambda: served.receive(it, served.password)) for it in (USERS, NOBODY))
    return (value - least) / size * 1e6


def head(path, beginning, records):
    with open(path) as file:
        copy(file, beginning, records)


def copy(lines, path, records):
    with open(path, "w") as file:
        file.writelines(itertools.islice(lines, records))


def median(action):
    return statistics.median(action() for _ in range(3))
