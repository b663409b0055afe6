#!/usr/bin/env python3
"""Measures `respondents=latest` where every record is of a person of their own, which takes the most memory.

    benches/respondents.py [--records N] [--rounds N] [--feedback PROGRAM]

Prints the part of benches/RESULTS.md about it: the seconds of a request with it and of one with a filter over the same records, by
turns, and the peak memory of `feedback serve --data`.
"""
import argparse
import random
import statistics
import tempfile
from pathlib import Path

import dataset
import report
from embedded import ALL, FILTERED, RELEASE
from program import Folder, Served

LATEST = ALL + "&respondents=latest"


def write(path, records):
    """Writes ratings, each of a person of their own."""
    rng = random.Random(0)
    with open(path, "w") as file:
        for n in range(records):
            created = dataset.timestamp(dataset.BEGIN_MS + n * (dataset.SPAN_MS // records))
            file.write(
                f'{{"id":"{rng.getrandbits(96):024x}","created":"{created}","rating":{rng.randrange(11)},'
                f'"user":{{"userId":"{dataset.scatter(n):016x}","traits":{{"plan":"{dataset.PLANS[n % 4]}"}}}}}}\n'
            )


def measure(feedback, records, rounds):
    """Returns the median seconds of both requests, and the peak memory in MB after each of them."""
    with tempfile.TemporaryDirectory() as work:
        export = Path(work) / "export.ndjson"
        write(export, records)
        folder = Folder(feedback, Path(work) / "data")
        folder.import_responses(export)
        seconds, peaks = {FILTERED: [], LATEST: []}, {}
        with Served(folder) as served:
            for _ in range(rounds):
                for target, measured in seconds.items():
                    measured.append(served.get(target, served.key)[0])
                    peaks.setdefault(target, served.peak_memory())
    filtered, latest = (statistics.median(measured) for measured in seconds.values())
    return {"records": records, "filtered": filtered, "latest": latest, "filtered MB": peaks[FILTERED], "latest MB": peaks[LATEST]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--feedback", default=RELEASE / "feedback")
    options = parser.parse_args()
    print("\n".join(report.respondents(measure(options.feedback, options.records, options.rounds))))


if __name__ == "__main__":
    main()
