"""Measures requests of a long period over a store with DynamoDB's pages, latency and throttling."""
import statistics
import subprocess

from function import WARM_UP, Function, event
from functions import BENCH
from program import peak_memory

# Records, the last part of the year that nine of ten are of, the milliseconds of a page, the units a second of all
# keys, and whether the index is read. A throttled key has 3,000 units.
EVEN, LATE = 0.9, 0.2
STORES = {
    "1,000,000 records": (1_000_000, EVEN, 150, "none", False),
    "1,000,000, most of them late": (1_000_000, LATE, 150, "none", False),
    "1,000,000, from the index": (1_000_000, EVEN, 150, "none", True),
    "4,000,000": (4_000_000, EVEN, 150, "none", False),
    "4,000,000, 5 ms a page": (4_000_000, EVEN, 5, "none", False),
    "3,000,000, 5 ms, each key throttled": (3_000_000, EVEN, 5, "inf", False),
    "5,000,000, 20 ms, a new table": (5_000_000, EVEN, 20, "12000", False),
}


def request(program, shards, store):
    """Returns the seconds of one request, and the program's peak memory in MB."""
    records, last, delay, units, indexed = store
    command = [BENCH, "periods", str(records), str(shards), str(last), str(delay), units]
    stub = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    variables = {"RESPONSES_INDEX": "outcomes" if indexed else "",
                 "AWS_ENDPOINT_URL_DYNAMODB": stub.stdout.readline().strip()}
    try:
        with Function([program], variables | WARM_UP) as function:
            # An empty period before, so that connections are open and the credential is known.
            function.figures(event(startDate="2030-01-01", endDate="2030-01-02"))
            return function.figures(event()) / 1000, peak_memory(function.process)
    finally:
        stub.kill()
        stub.wait()


def measure(programs, rounds):
    """Returns the median seconds and the median peak memory of requests, by store and then by program. Every program,
    whose number of shards is given, runs once in each round."""
    rows = {}
    for name, store in STORES.items():
        runs = {program: [] for program in programs}
        for _ in range(rounds):
            for program, shards in programs.items():
                runs[program].append(request(program, shards, store))
        rows[name] = {program: [statistics.median(values) for values in zip(*taken)] for program, taken in runs.items()}
    return rows
