"""Measures requests of a long period over a store with DynamoDB's pages, latency and throttling."""
import statistics
import subprocess

from function import WARM_UP, Function, event
from functions import BENCH
from program import peak_memory

RECORDS = 1_000_000
# Records, milliseconds of a page, whether the store throttles, and whether the index is read.
STORES = {
    "1,000,000 records": (RECORDS, 150, 0, False),
    "… from the index": (RECORDS, 150, 0, True),
    "5,000,000 records, throttled": (5 * RECORDS, 20, 1, False),
}


def request(program, store, indexed):
    """Returns the seconds of one request, and the program's peak memory in MB."""
    command = [BENCH, "periods", *map(str, store)]
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


def measure(program, rounds):
    """Returns the median seconds and the median peak memory of requests, by store."""
    rows = {}
    for name, (*store, indexed) in STORES.items():
        runs = [request(program, store, indexed) for _ in range(rounds)]
        rows[name] = [statistics.median(values) for values in zip(*runs)]
    return rows


def table(rows):
    """Renders the rows."""
    return ["| | s | peak MB |", "|---|---|---|",
            *(f"| {name} | {seconds:.2f} | {memory:.1f} |" for name, (seconds, memory) in rows.items())]
