"""Runs the program `feedback` over a data folder."""
import http.client
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import dataset


class Folder:
    """A data folder, and the commands that use it without `serve`."""

    def __init__(self, feedback, path):
        self.feedback, self.path = feedback, path
        self.read_key, self.password = None, None

    def import_responses(self, export):
        """Returns the seconds and the peak memory in MB."""
        return self.run("import", "responses", export, "--project", dataset.PROJECT)

    def run(self, *arguments):
        """Runs a command; returns its seconds and its peak memory in MB."""
        return watch([self.feedback, *arguments, "--data", self.path])

    def credentials(self):
        """Returns a header for statistics and one for lists of users, whose credentials it creates the first time."""
        if not self.read_key:
            create = lambda *arguments: subprocess.run(
                [self.feedback, "credentials", *arguments, "--project", dataset.PROJECT, "--data", self.path],
                capture_output=True, text=True, check=True).stdout.strip()
            self.read_key = create("create-read-key")
            self.password = create("create-account", "--username", "reports")
        return f"AuthKey: {self.read_key}", f"Authorization: Bearer {self.password}"

    def erase(self, user_id):
        """Erases a person; returns the seconds that it took, and those until it rewrote the files of the folder."""
        started = time.perf_counter()
        command = [self.feedback, "erase", "--project", dataset.PROJECT, "--user-id", user_id, "--yes", "--data", self.path]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        moments = {line.split()[0]: time.perf_counter() - started for line in process.stderr}
        assert process.wait() == 0, command
        return time.perf_counter() - started, moments["rewriting"]

    def remove(self):
        shutil.rmtree(self.path)


class Served:
    """`feedback serve` over a data folder, until the end of the block."""

    def __init__(self, folder, *options):
        self.feedback = folder.feedback
        self.key, self.password = folder.credentials()
        command = [folder.feedback, "serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--dynamodb-listen", "127.0.0.1:0"]
        # A pipe that nobody reads would block the service once its log has filled it.
        self.log = tempfile.NamedTemporaryFile("r")
        with open(self.log.name, "w") as log:
            self.process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=log, text=True)
        self.api = self.process.stdout.readline().strip().split("http://")[-1]
        self.dynamodb = next(line for line in self.log if line.startswith("DynamoDB")).split()[-1]

    def get(self, target, header):
        """Sends a request on a connection of its own; returns the seconds that it took, and the body."""
        started = time.perf_counter()
        connection = http.client.HTTPConnection(self.api)
        connection.request("GET", target, headers=dict([header.split(": ", 1)]))
        response = connection.getresponse()
        body = response.read()
        seconds = time.perf_counter() - started
        connection.close()
        assert response.status == 200, (target, body)
        return seconds, body

    def import_responses(self, export, project, *options):
        """Imports through the DynamoDB address; returns the seconds and the peak memory in MB."""
        environment = {**os.environ, "AWS_ENDPOINT_URL_DYNAMODB": self.dynamodb, "AWS_REGION": "local",
                       "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
        command = [self.feedback, "import", "responses", export, "--project", project, *options]
        return watch(command, env=environment)

    def peak_memory(self):
        return peak_memory(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()


def watch(command, **options):
    """Runs a command; returns its seconds and its peak memory in MB."""
    with tempfile.TemporaryFile("w+") as errors:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, **options)
        peak = 0
        # The value that `wait4` returns includes the memory of the fork before the program started.
        while process.poll() is None:
            peak = peak_memory(process.pid) or peak
            time.sleep(0.005)
        seconds = time.perf_counter() - started
        errors.seek(0)
        assert process.returncode == 0, (command, errors.read())
    return seconds, peak


def peak_memory(process):
    """Returns the peak memory of a running process in MB, or nothing if it has just ended."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), None)
