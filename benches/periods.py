#!/usr/bin/env python3
"""Measures requests of a long period over a store with DynamoDB's pages, latency and throttling, and prints a table.

    benches/periods.py [PROGRAM]    the deployed response-statistics by default: benches/run builds it and the stub
"""
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import first_request

ROOT = Path(__file__).resolve().parent.parent
RELEASE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
RECORDS = 1_000_000
TIME_MS = 27_500
# The latency of a page in ms, and whether the store throttles.
STORES = {"150 ms": (150, False), "20 ms": (20, False), "150 ms, throttled": (150, True), "20 ms, throttled": (20, True)}
SHAPES = {"uniform": "uniform", "half": "half in a tenth"}


def event(parameters):
    """Returns the event of a request of the whole period, with more parameters."""
    invocation = json.loads(first_request.event())
    invocation["queryStringParameters"].update(parameters)
    invocation["multiValueQueryStringParameters"].update({name: [value] for name, value in parameters.items()})
    return json.dumps(invocation).encode()


def request(program, store, parameters, indexed):
    """Returns the status of one request, its seconds, its read units and pages, and the program's peak memory in MB."""
    command = [RELEASE / "bench", "periods", *map(str, store)]
    stub = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    runtime = socket.create_server(("127.0.0.1", 0))
    environment = {
        **os.environ, "AWS_LAMBDA_RUNTIME_API": "127.0.0.1:%d" % runtime.getsockname()[1], "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_DYNAMODB": stub.stdout.readline().strip(), "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
        "NO_PROXY": "127.0.0.1", "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand", "AWS_LAMBDA_FUNCTION_NAME": "f",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024", "AWS_LAMBDA_FUNCTION_VERSION": "1", "RESPONSES_INDEX": "outcomes" if indexed else "",
    }
    process = subprocess.Popen([program], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        connection, _ = runtime.accept()
        first_request.read(connection)
        # An empty period before, so that connections are open and the credential is known.
        for body in (event({"startDate": "2030-01-01", "endDate": "2030-01-02"}), event(parameters)):
            deadline = int(time.time() * 1000) + TIME_MS + 500
            head = (f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLambda-Runtime-Aws-Request-Id: 1\r\n"
                    f"Lambda-Runtime-Deadline-Ms: {deadline}\r\nLambda-Runtime-Invoked-Function-Arn: arn\r\nContent-Length: {len(body)}\r\n\r\n")
            started = time.perf_counter()
            connection.sendall(head.encode() + body)
            first_request.read(connection)
            seconds = time.perf_counter() - started
            connection.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
            first_request.read(connection)
        lines = []
        while len(lines) < 2:
            line = process.stdout.readline()
            if '"CapacityUnits"' in line:
                lines.append(json.loads(line))
        memory = next(line for line in open(f"/proc/{process.pid}/status") if line.startswith("VmHWM:"))
        return {"status": int(lines[1]["Status"]), "seconds": seconds, "units": lines[1]["CapacityUnits"], "pages": lines[1]["Pages"],
                "MB": int(memory.split()[1]) / 1024}
    finally:
        for child in (process, stub):
            child.kill()
            child.wait()
        runtime.close()


def measure(program, rounds):
    """Returns the medians of requests by store, shape and whether the index is read; and of a question about traits."""
    def median(store, parameters, indexed):
        runs = [request(program, store, parameters, indexed) for _ in range(rounds)]
        assert len({run["status"] for run in runs}) == 1, runs
        return {name: statistics.median(run[name] for run in runs) for name in runs[0]}

    rows = {}
    for store, (latency, throttles) in STORES.items():
        for shape in SHAPES:
            for source in ("table", "index"):
                place = (RECORDS, shape, latency, int(throttles))
                rows[f"{source}, {SHAPES[shape]}, {store}"] = median(place, {}, source == "index")
    place = (RECORDS, "uniform", 20, 0)
    rows["table, uniform, 20 ms, a filter"] = median(place, {"filter": "plan=ne:free"}, False)
    rows["table, uniform, 20 ms, describe=traits"] = median(place, {"describe": "traits"}, False)
    rows["table, uniform, 20 ms, throttled, 5,000,000 records"] = median((5 * RECORDS, "uniform", 20, 1), {}, False)
    return rows


def section(rows):
    """Renders the section of benches/RESULTS.md."""
    return ["## Long periods", "",
            f"The deployed `response-statistics` over {RECORDS:,} records of 174 bytes (92 in the index), without filters, over a stub that reads ranges of keys in pages of",
            "1 MB, takes so long for each, and, throttled, serves 3,000 units a second of each key and 12,000 in all, with bursts of a second. Seconds by the clock;",
            f"the time of a request is {TIME_MS / 1000} s. [NOTES.md](NOTES.md#long-periods) compares it with one Query a shard.", "", *render(rows), ""]


def render(rows):
    """Returns the rows as a table."""
    lines = ["| | s | status | pages | read units | peak MB |", "|---|---|---|---|---|---|"]
    lines += [f"| {name} | {row['seconds']:.2f} | {row['status']:.0f} | {row['pages']:.0f} | {row['units']:,.0f} | {row['MB']:.1f} |"
              for name, row in rows.items()]
    return lines


if __name__ == "__main__":
    print("\n".join(render(measure(sys.argv[1] if len(sys.argv) > 1 else RELEASE / "response-statistics", 1))))
