"""Runs a function's program under a Lambda Runtime API, and measures its start and its invocations."""
import json
import os
import socket
import statistics
import subprocess
import time
from pathlib import Path

EVENT = json.loads((Path(__file__).parent.parent / "events" / "response-statistics-rest.json").read_text())
# SSL_CERT_FILE: one bundle of roots of trust, as in Lambda's image.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "SSL_CERT_DIR"} | {
    "AWS_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "a",
    "AWS_SECRET_ACCESS_KEY": "b",
    "NO_PROXY": "127.0.0.1",
    "AWS_LAMBDA_FUNCTION_NAME": "f",
    "AWS_LAMBDA_FUNCTION_VERSION": "1",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
    "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:1",
    "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
}
# With this, a program reads from its tables once before the first invocation.
WARM_UP = {"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}
DEADLINE_MS = 28_000


class Function:
    """A program until the end of the block. `start` is the ms from its start until it asked for an invocation."""

    def __init__(self, command, variables):
        self.runtime = socket.create_server(("127.0.0.1", 0))
        api = {"AWS_LAMBDA_RUNTIME_API": "127.0.0.1:%d" % self.runtime.getsockname()[1]}
        command = [str(part) for part in command]
        quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
        started = time.perf_counter()
        self.process = os.posix_spawn(command[0], command, ENVIRONMENT | variables | api, file_actions=quiet)
        self.connection, _ = self.runtime.accept()
        read(self.connection)
        self.start = (time.perf_counter() - started) * 1000

    def invoke(self, body):
        """Returns the milliseconds from an event to its response, and the response."""
        head = (f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLambda-Runtime-Aws-Request-Id: 1\r\n"
                f"Lambda-Runtime-Deadline-Ms: {int(time.time() * 1000) + DEADLINE_MS}\r\n"
                f"Lambda-Runtime-Invoked-Function-Arn: arn\r\nContent-Length: {len(body)}\r\n\r\n")
        started = time.perf_counter()
        self.connection.sendall(head.encode() + body)
        answer = read(self.connection)
        took = (time.perf_counter() - started) * 1000
        self.connection.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
        read(self.connection)
        return took, answer

    def figures(self, body):
        """Returns the milliseconds of an invocation that must succeed."""
        took, answer = self.invoke(body)
        assert b'"statusCode":200' in answer, answer
        return took

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.process, 9)
        os.waitpid(self.process, 0)
        self.connection.close()
        self.runtime.close()


def read(connection):
    """Reads one whole request."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    lengths = [line.split(b":")[1] for line in lines if line.startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(65536)
    return head + body


def event(**parameters):
    """Returns the event of a request for statistics of a year."""
    key = "bench-read-key-0000"
    query = {"project": "acme", "startDate": "2024-01-01", "endDate": "2025-01-01"} | parameters
    return json.dumps({
        **EVENT, "headers": {"AuthKey": key}, "multiValueHeaders": {"AuthKey": [key]},
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {name: [value] for name, value in query.items()},
    }).encode()


def certificate(folder):
    """Creates a self-signed certificate for 127.0.0.1; returns the paths of the certificate and its key."""
    paths = [str(Path(folder) / name) for name in ("certificate.pem", "key.pem")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "1", "-subj", "/CN=local", "-addext", "basicConstraints=critical,CA:FALSE",
         "-addext", "subjectAltName=IP:127.0.0.1", "-out", paths[0], "-keyout", paths[1]],
        check=True, capture_output=True)
    return paths


def starts(programs, rounds):
    """Returns the median milliseconds of the start of each program. Every program runs once in each round."""
    times = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            with Function([program], {}) as function:
                times[name].append(function.start)
    return {name: statistics.median(values) for name, values in times.items()}


def first_requests(variants, rounds):
    """Returns the median ms of starts, first and later invocations of each variant: a program, a name, and variables. Every
    variant runs once in each round."""
    times = {variant: {"start": [], "first": [], "later": []} for variant in variants}
    for _ in range(rounds):
        for (program, name), variables in variants.items():
            with Function([program], variables) as function:
                taken = times[program, name]
                taken["start"].append(function.start)
                taken["first"].append(function.figures(event()))
                taken["later"] += [function.figures(event()) for _ in range(10)]
    medians = lambda taken: {kind: statistics.median(values) for kind, values in taken.items()}
    return {variant: medians(taken) for variant, taken in times.items()}
