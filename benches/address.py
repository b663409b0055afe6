#!/usr/bin/env python3
"""Measures commands that use the DynamoDB address of a running `serve`, and the requests beside them.

    benches/address.py [--users N] [--feedback PROGRAM]

Exports N users (a million), erases one of them, and imports N/10 responses through the address. Prints the seconds of each, the
peak memory of `serve` until then, and the slowest request of statistics beside them; fails if one of these fails. Memory must not
grow with the users: compare with --users 100000. The data are in the folder of temporary files: 2 GB for a million users.
"""
import argparse
import os
import tempfile
import threading
from pathlib import Path

import dataset
from program import Folder, Served, watch

ROOT = Path(__file__).resolve().parent.parent
RELEASE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
DAY = f"/api/v2/response-statistics?project={dataset.PROJECT}&startDate=2016-01-01&endDate=2016-01-02"


class Beside:
    """Requests statistics of a day without a pause, until the end of the block."""

    def __init__(self, served):
        self.served, self.slowest, self.requests, self.failure, self.ends = served, 0, 0, None, False
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ends and not self.failure:
            try:
                seconds, _ = self.served.get(DAY, self.served.key)
            except (AssertionError, OSError) as failure:
                self.failure = failure
                return
            self.slowest, self.requests = max(self.slowest, seconds), self.requests + 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.thread.join()
        assert self.failure is None, self.failure


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--feedback", default=RELEASE / "feedback")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        users, responses = work / "users.ndjson", work / "responses.ndjson"
        with open(users, "w") as file:
            for n in range(arguments.users):
                file.write(f'{{"userId":"{dataset.scatter(n):016x}","email":"{n}@example.org","name":"Person {n}",'
                           f'"lastSeen":"2023-05-01T00:00:00.000Z","traits":{{"plan":"{dataset.PLANS[n % 4]}","seats":{n % 500}}}}}\n')
        dataset.write(responses, arguments.users // 10)
        folder = Folder(str(arguments.feedback), work / "data")
        folder.run("import", "users", users, "--project", dataset.PROJECT)
        with Served(folder) as served:
            environment = {**os.environ, "AWS_ENDPOINT_URL_DYNAMODB": served.dynamodb, "AWS_REGION": "local",
                           "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
            commands = {
                "export": ["export", "users", "--output", work / "exported.ndjson"],
                "erase": ["erase", "--user-id", f"{dataset.scatter(7):016x}", "--yes"],
                "import": ["import", "responses", responses],
            }
            for name, command in commands.items():
                with Beside(served) as beside:
                    command = [folder.feedback, *command, "--project", dataset.PROJECT]
                    seconds, _, memory, _ = watch(command, env=environment)
                print(f"{name}: {seconds:.1f} s, {memory:.0f} MB; serve: {served.peak_memory():.0f} MB until then; "
                      f"{beside.requests} requests beside it, the slowest {beside.slowest * 1000:.0f} ms", flush=True)
        lines = sum(1 for _ in open(work / "exported.ndjson"))
        assert lines == arguments.users, lines


if __name__ == "__main__":
    main()
