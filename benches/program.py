"""Runs the program `feedback` over a data folder."""
import http.client
import io
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import typing
from pathlib import Path

import dataset


class Folder:
    """A data folder, and the commands that use it without `serve`."""

    def __init__(self, feedback, path):
        self.feedback, self.path = feedback, path
        self.read_key, self.password = None, None

    def import_responses(self, export):
        return self.run("import", "responses", export, "--project", dataset.PROJECT)

    def run(self, *arguments):
        """Runs a command; returns what it used."""
        return watch([self.feedback, *arguments, "--data", self.path])

    def size(self):
        """Returns the bytes of its files."""
        return sum(file.stat().st_size for file in self.path.iterdir())

    def credentials(self):
        """Returns a header for statistics and one for lists of users, whose credentials it creates the first time."""
        if not self.read_key:
            create = lambda *arguments: subprocess.run(
                [self.feedback, "credentials", *arguments, "--project", dataset.PROJECT, "--data", self.path],
                capture_output=True, text=True, check=True).stdout.strip()
            self.read_key = create("create", "--may", "statistics")
            self.password = create("create", "--may", "users", "--username", "reports")
        return f"AuthKey: {self.read_key}", f"Authorization: Bearer {self.password}"

    def erase(self, user_id):
        """Erases a person; returns the seconds that it took, and those until it rewrote the files of the folder."""
        started = time.perf_counter()
        command = [
            self.feedback,
            "erase",
            "--project",
            dataset.PROJECT,
            "--user-id",
            user_id,
            "--yes",
            "--data",
            self.path,
        ]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        moments = {line.split()[0]: time.perf_counter() - started for line in process.stderr}
        assert process.wait() == 0, command
        return time.perf_counter() - started, moments["rewriting"]

    def remove(self):
        shutil.rmtree(self.path)


class Served:
    """`feedback serve` over a data folder, until the end of the block."""

    def __init__(self, folder, *options):
        self.feedback, self.path = folder.feedback, folder.path
        self.key, self.password = folder.credentials()
        command = [
            folder.feedback,
            "serve",
            "--data",
            folder.path,
            "--listen",
            "127.0.0.1:0",
            "--dynamodb-listen",
            "127.0.0.1:0",
        ]
        # A pipe that nobody reads would block the service once its log has filled it.
        self.log = tempfile.NamedTemporaryFile("r")
        with open(self.log.name, "w") as log:
            self.process = subprocess.Popen(
                [*command, *options], stdout=subprocess.PIPE, stderr=log, text=True
            )
        self.api = self.process.stdout.readline().strip().split("http://")[-1]

    def get(self, target, header):
        """Sends a request on a connection of its own; returns the seconds that it took, and the body."""
        with io.BytesIO() as body:
            seconds = self.receive(target, header, body.write)
            return seconds, body.getvalue()

    def receive(self, target, header, write=len):
        """Sends a request on a connection of its own, and writes the parts of the body; returns the seconds that it took."""
        started = time.perf_counter()
        connection = http.client.HTTPConnection(self.api)
        connection.request("GET", target, headers=dict([header.split(": ", 1)]))
        response = connection.getresponse()
        while part := response.read(1 << 20):
            write(part)
        seconds = time.perf_counter() - started
        connection.close()
        assert response.status == 200, (target, response.status)
        return seconds

    def import_responses(self, export, project):
        """Imports into the folder; returns what the command used."""
        return watch([self.feedback, "import", "responses", export, "--project", project, "--data", self.path])

    def peak_memory(self):
        return peak_memory(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()


class Repeated:
    """Repeats an action on a thread of its own, until the end of the block and of the action."""

    def __init__(self, action):
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(action,))

    def run(self, action):
        while not self.ended.is_set():
            action()

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class Used(typing.NamedTuple):
    """What a command used: seconds by the clock and of the processor, its peak memory in MB, and the bytes that it wrote to disk."""

    seconds: float
    processor: float
    memory: float
    written: int


def watch(command, **options):
    """Runs a command; returns what it used."""
    # An export refuses a null device that is open for reading, too, as `subprocess.DEVNULL` is.
    with tempfile.TemporaryFile("w+") as errors, open(os.devnull, "w") as nowhere:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=nowhere, stderr=errors, **options)
        peak = 0
        # The value that `wait4` returns includes the memory of the fork before the program started.
        while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            peak = peak_memory(process.pid) or peak
            time.sleep(0.005)
        seconds = time.perf_counter() - started
        written = Path(f"/proc/{process.pid}/io").read_text().split("\nwrite_bytes: ")[1].split()[0]
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        assert process.returncode == 0, (command, errors.read())
    return Used(seconds, usage.ru_utime + usage.ru_stime, peak, int(written))


def peak_memory(process):
    """Returns the peak memory of a running process in MB, or nothing if it has just ended."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), None)
