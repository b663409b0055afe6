"""Measures how fast records are imported into the embedded store."""
import statistics
import subprocess
import tempfile
from pathlib import Path

import dataset
from program import Folder, Served

RECORDS = 40_000


def measure(feedback, bench, rounds):
    """Returns records per second: written flat out, imported without users, imported again, imported with users."""
    rates = {}
    with tempfile.TemporaryDirectory() as work:
        export = Path(work) / "export.ndjson"
        dataset.write(export, RECORDS)
        with Served(Folder(feedback, Path(work) / "data")) as served:
            def flat_out():
                command = [bench, "flat-out", served.dynamodb, str(RECORDS)]
                return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)

            def imported(project, *options):
                return RECORDS / served.import_responses(export, project, *options).seconds

            rates["flat-out"] = [flat_out() for _ in range(rounds)]
            rates["import"] = [imported(f"p{n}", "--no-users") for n in range(rounds)]
            rates["again"] = [imported("p0", "--no-users") for _ in range(rounds)]
            rates["users"] = [imported(f"u{n}") for n in range(rounds)]
    return {name: statistics.median(values) for name, values in rates.items()}
