"""Measures how fast records are imported into the embedded store."""
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

RECORDS = 40_000


def measure(feedback, bench, rounds):
    """Returns records per second: written flat out, imported without users, imported again, imported with users."""
    rates = {}
    with tempfile.TemporaryDirectory() as folder:
        export = Path(folder) / "export.ndjson"
        write_export(export)
        command = [feedback, "serve", "--data", Path(folder) / "data", "--listen", "127.0.0.1:0", "--dynamodb-listen", "127.0.0.1:0"]
        served = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        address = next(line for line in served.stderr if line.startswith("DynamoDB")).split()[-1]
        served.stdout.readline()
        environment = {**os.environ, "AWS_ENDPOINT_URL_DYNAMODB": address}

        def run(*command):
            return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

        def imported(project, *options):
            started = time.monotonic()
            run(feedback, "import", "responses", export, "--project", project, *options)
            return RECORDS / (time.monotonic() - started)

        rates["flat-out"] = [float(run(bench, "flat-out", address, str(RECORDS))) for _ in range(rounds)]
        rates["import"] = [imported(f"p{n}", "--no-users") for n in range(rounds)]
        rates["again"] = [imported("p0", "--no-users") for _ in range(rounds)]
        rates["users"] = [imported(f"u{n}") for n in range(rounds)]
        served.kill()
    return {name: statistics.median(values) for name, values in rates.items()}


def write_export(path):
    with open(path, "w") as file:
        for n in range(RECORDS):
            created = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_704_067_200 + n * 37))
            traits = {"plan": "pro", "country": "Finland", "browser": "Firefox 128", "seats": n % 99, "admin": n % 5 == 0,
                      "company": f"Company {n % 1000}"}
            user = {"id": f"{n % 20_000:024x}", "userId": f"user-{n * 7919 % 20_000:06}", "traits": traits}
            json.dump({"id": f"{n:024x}", "created": created, "rating": n % 11, "dismissed": False, "user": user}, file)
            file.write("\n")
