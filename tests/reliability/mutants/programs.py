"""Runs the tests that reach a mutant until one fails."""

import collections
import contextlib
import os
import re
import resource
import select
import signal
import subprocess
import sys

from variants import REACHED, SELECTED

# How many tests are run at a time, the quickest and most specific first.
AT_ONCE = 40
# Bytes that a mutant lets a program use, and seconds without the end of a test, beside ten times the slowest one's, until it hangs.
MEMORY, PATIENCE = 8 << 30, 60
HANG = "a hang"
EVENT = re.compile(rb'"type": "test", "name": "([^"]*)", "event": "(ok|failed)".*"exec_time": ([0-9.]+)')

Test = collections.namedtuple("Test", "program name seconds reached")


def measure(programs):
    """Runs each test by itself without a mutant, and returns them with how long they took and which mutants they reached."""
    tests = []
    SELECTED.unlink(missing_ok=True)
    for program in programs:
        listed = subprocess.run([program.path, "--list", "--format=terse"], cwd=program.folder, stdout=subprocess.PIPE, text=True, check=True)
        for name in re.findall("^(.*): test$", listed.stdout, re.MULTILINE):
            REACHED.unlink(missing_ok=True)
            times = {}
            if run(program, [name], 60, times) and (failure := run(program, [name], 60, times)):
                sys.exit(f"{name} fails without a mutant: {failure}")
            # One that is ignored takes no time.
            if name in times:
                reached = REACHED.read_text().split() if REACHED.exists() else []
                tests.append(Test(program, name, times[name], set(map(int, reached))))
    return tests


def first_failure(number, tests):
    """Selects a mutant, and returns the first of these tests that fails twice, or None."""
    SELECTED.write_text(str(number))
    tests = sorted(tests, key=lambda test: test.seconds * len(test.reached))
    for start in range(0, len(tests), AT_ONCE):
        names = collections.defaultdict(list)
        slowest = max(test.seconds for test in tests[start : start + AT_ONCE])
        for test in tests[start : start + AT_ONCE]:
            names[test.program].append(test.name)
        for program, left in names.items():
            if failure := fails_twice(program, left, slowest):
                return failure
    return None


def fails_twice(program, left, slowest):
    """Returns the first of these tests that hangs, or fails and fails again, or None."""
    while left:
        times = {}
        failed = run(program, left, slowest, times)
        again = [failed] if failed in left else [name for name in left if name not in times]
        if failed == HANG or failed and run(program, again, slowest, {}):
            return failed
        left = [name for name in left if name not in times and name not in again]
    return None


def run(program, names, slowest, times):
    """Runs tests until one fails, notes how long each took, and returns the one that failed, what else happened, or None."""
    command = [program.path, "--exact", "-Zunstable-options", "--report-time", "--format=json", *names]
    limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "bufsize": 0}
    environment = os.environ | {"RUSTC_BOOTSTRAP": "1"}
    process = subprocess.Popen(command, cwd=program.folder, env=environment, process_group=0, preexec_fn=limit, **streams)
    try:
        while select.select([process.stdout], [], [], PATIENCE + 10 * slowest)[0]:
            line = process.stdout.readline()
            if not line:
                return "the end of the program" if process.wait() else None
            event = EVENT.search(line)
            if event and event[2] == b"failed":
                return event[1].decode()
            if event:
                times[event[1].decode()] = float(event[3])
        return HANG
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
