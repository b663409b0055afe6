"""Measures the functions over a store that answers from memory, beside other ways to write them in Rust."""
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import function

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).resolve().parent.parent / "target"))
RELEASE = TARGET / "release"
BENCH = RELEASE / "bench"
# The same program, compiled entirely for speed: it holds the other implementations.
FAST = TARGET / "contender" / "bench"
MB = 1 << 20
SHARDS = 16
# The milliseconds of a handshake of TLS.
HANDSHAKE = 5
# The stored bytes of a project of 1,000 records.
SMALL = 174_000
# What statistics can be asked for: the name for `bench`, and the number of filters.
DIVISIONS = {"plain": ("statistics", 0), "one filter": ("statistics", 1), "days": ("statistics-days", 0),
             "groups": ("statistics-groups", 0), "days and groups": ("statistics-days-groups", 0)}


class Bench:
    """A server of `bench`: what it serves, and its arguments."""

    def __init__(self, *arguments):
        command = [str(part) for part in (BENCH, *arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        return self.address

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def stub(pages, page_size=MB, delay=0):
    """Returns a store: `pages` pages per shard, of `page_size` stored bytes each, after `delay` ms."""
    return Bench("stub", pages, page_size, delay)


def run(command):
    """Runs a process; returns its standard output, its processor time in seconds, and its standard error."""
    with tempfile.TemporaryFile("w+") as errors:
        command = [str(part) for part in command]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        errors.seek(0)
        stderr = errors.read()
    if status:
        sys.exit(f"{command} failed: {stderr}")
    return text.strip(), usage.ru_utime + usage.ru_stime, stderr


def per_request(command, requests):
    """Returns the output and the processor time of a request: that of many, less that of one with the start."""
    answer, one, _ = run([*command[:-1], "1", command[-1]])
    again, many, _ = run([*command[:-1], requests + 1, command[-1]])
    assert answer == again, (answer, again)
    return answer, (many - one) / requests


def by_turns(commands, rounds):
    """Returns median times and outputs. Every command runs once in each round, so that noise affects all."""
    times = {name: [] for name in commands}
    answers = {}
    for _ in range(rounds):
        for name, (command, requests) in commands.items():
            answers[name], seconds = per_request(command, requests)
            times[name].append(seconds)
    return {name: statistics.median(seconds) for name, seconds in times.items()}, answers


def figures(filters, rounds):
    """Returns the processor time of statistics over a page of each shard, in ns per record, and the number of records."""
    with stub(1) as address:
        commands = {
            "ours": ([BENCH, "statistics"], 60), "derived": ([FAST, "statistics-derived"], 60),
            "generic": ([FAST, "statistics-generic"], 15), "scan": ([FAST, "scan"], 2),
        }
        times, answers = by_turns({
            name: ([*command, address, filters], requests) for name, (command, requests) in commands.items()
        }, rounds)
        records = json.loads(run([BENCH, "statistics", address, "1", "0"])[0])["displays"]
    parsed = {name: json.loads(answer) for name, answer in answers.items() if name != "scan"}
    assert all(answer == parsed["ours"] for answer in parsed.values()), parsed
    # The scan reads one page a hundred times.
    times["scan"] *= SHARDS / 100
    return {name: seconds / records * 1e9 for name, seconds in times.items()}, records


def divided(records, rounds):
    """Returns the processor time of statistics over a page of each shard by day and by a trait, in ns per record."""
    with stub(1) as address:
        times, _ = by_turns(
            {name: ([BENCH, mode, address, filters], 30) for name, (mode, filters) in DIVISIONS.items()},
            rounds,
        )
    return {name: seconds / records * 1e9 for name, seconds in times.items()}


def listing(rounds):
    """Returns the processor time of a list, as the service writes it and with the SDK's own types."""
    with stub(20) as address:
        times, answers = by_turns({
            "ours": ([BENCH, "users", address, 0], 15),
            "generic": ([FAST, "users-generic", address, 0], 4)}, rounds)
    assert answers["ours"] == answers["generic"], answers
    return times


def memory():
    """Returns the peak memory in MB of statistics of 15.6 million records, and of a list of 555 MB."""
    peaks = {}
    for mode, pages in (("statistics", 162), ("users", 400)):
        with stub(pages) as address:
            peaks[mode] = int(run([BENCH, mode, address, "1", "0"])[2]) / 1024
    return peaks


def small(rounds):
    """Returns the processor time of a warm request for a small project, and that of its bare SDK calls."""
    with stub(1, SMALL // SHARDS) as address:
        times, _ = by_turns({
            "ours": ([BENCH, "statistics", address, 0], 2000),
            "calls": ([FAST, "calls", address, 0], 2000)}, rounds)
    return times


def starts(rounds):
    """Returns milliseconds from the start of each program to its first poll, and its stripped size in MB."""
    programs = {name: RELEASE / name for name in ("empty", "users", "response-statistics")}
    sizes = {name: path.stat().st_size / 1e6 for name, path in programs.items()}
    return {"ms": function.starts(programs, 30 * rounds), "MB": sizes}


def first_requests(programs, rounds, delay=0):
    """Returns the ms of starts, first and later invocations over TLS for a small project, with and without the warm-up
    reads, by program. Programs come with their numbers of shards, and a page takes `delay` ms."""
    with contextlib.ExitStack() as stack:
        paths = function.certificate(stack.enter_context(tempfile.TemporaryDirectory()))
        variants = {}
        for program, shards in programs.items():
            address = stack.enter_context(stub(1, SMALL // shards, delay))
            address = stack.enter_context(Bench("tls", address, *paths, HANDSHAKE))
            store = {"AWS_ENDPOINT_URL_DYNAMODB": address, "SSL_CERT_FILE": paths[0]}
            variants[program, "warm"] = store | function.WARM_UP
            variants[program, "cold"] = store
        times = function.first_requests(variants, 10 * rounds)
    return {program: {name: times[program, name] for name in ("warm", "cold")} for program in programs}
