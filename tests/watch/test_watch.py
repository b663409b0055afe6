"""Checks that `cargo lambda watch` and `feedback serve` give the same answers over one store, which
tests/smoke accepts.

`cargo lambda watch` would compile the functions without the tests, and so all that they depend on once more.
It therefore leaves starting them to the test, which starts the programs that `cargo test` has built. The
variable CARGO_LAMBDA has the path of cargo-lambda.
"""

import gzip
import http.client
import json
import os
import re
import socket
import subprocess
import time
import unittest
from pathlib import Path
from urllib.parse import urljoin

from test_smoke import smoke

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "target/debug"
FUNCTIONS = ("users", "response-statistics")

USERS = "/api/users?project=demo"
STATISTICS = "/api/v2/response-statistics?project=demo&startDate=2025-03-01&endDate=2025-04-01"
FILTER = "&filters%5Buser.traits.string.plan%5D%5Boperator%5D=eq&filters%5Buser.traits.string.plan%5D%5Bvalue%5D=enterprise"
ACCOUNT = {"Authorization": "Basic ZGVtbzpkZW1vLXBhc3N3b3JkLTAwMDA="}
KEY = {"AuthKey": "demo-read-key-0000"}

# Headers of a connection or of one of the two servers; every other header is the operation's.
OF_SERVERS = {
    *("connection", "content-length", "date", "keep-alive", "transfer-encoding", "x-content-type-options"),
    "x-request-id",
}
OF_LAMBDA = "lambda-runtime-"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def accepts(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def answer(port, target, headers, method="GET"):
    """Returns status, headers and body of a response, without what identifies the request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, target, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    names = [(name.lower(), value) for name, value in response.getheaders()]
    of_server = lambda name: name in OF_SERVERS or name.startswith(OF_LAMBDA)
    lines = sorted((name, value) for name, value in names if not of_server(name))
    if response.headers["Content-Encoding"] == "gzip":
        body = gzip.decompress(body)
    request_id = response.headers.get("X-Request-Id", "no id")
    return response.status, lines, body.replace(request_id.encode(), b"ID")


class Watch(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        store, cls.watched = free_port(), free_port()
        serve = [PROGRAMS / "feedback", "serve", "--listen", "127.0.0.1:0"]
        serve += ["--dynamodb-listen", f"127.0.0.1:{store}"]
        serve = cls.start(serve, stdout=subprocess.PIPE)
        cls.served = int(serve.stdout.readline().rpartition(b":")[2])
        # It ends when its standard input ends.
        watch = [os.environ["CARGO_LAMBDA"], "lambda", "watch", "--only-lambda-apis", "--disable-cors"]
        watch += ["--invoke-address", "127.0.0.1", "--invoke-port", str(cls.watched)]
        watch = cls.start(watch, stdin=subprocess.PIPE)
        while not accepts(cls.watched):
            if watch.poll() is not None:
                raise SystemExit("cargo lambda watch has ended")
            time.sleep(0.05)
        settings = dict(re.findall("(.*?)=(.*)", (ROOT / "events/local.env").read_text()))
        settings["AWS_ENDPOINT_URL_DYNAMODB"] = f"http://127.0.0.1:{store}"
        for function in FUNCTIONS:
            lambdas = {
                "AWS_LAMBDA_RUNTIME_API": f"http://127.0.0.1:{cls.watched}/.rt/{function}",
                "AWS_LAMBDA_FUNCTION_NAME": function,
                "AWS_LAMBDA_FUNCTION_VERSION": "1",
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "4096",
            }
            cls.start([PROGRAMS / f"bootstrap-{function}"], env=settings | lambdas)

    @classmethod
    def start(cls, command, **options):
        """Starts a program, which is terminated after the tests."""
        options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": ROOT} | options
        process = subprocess.Popen(command, **options)
        cls.addClassCleanup(lambda: (process.terminate(), process.communicate()))
        return process

    def check(self, status, target, headers, method="GET"):
        """Checks that both give the same answer with this status; returns its headers and its body."""
        served = answer(self.served, target, headers, method)
        self.assertEqual(answer(self.watched, target, headers, method), served, target)
        self.assertEqual(served[0], status, target)
        return dict(served[1]), served[2]

    def test_statistics(self):
        divided = "&interval=month&timezone=Europe/Prague&groupBy=user.traits.string.plan&confidence=95"
        for parameters in ("", FILTER, divided):
            self.check(200, STATISTICS + parameters, KEY)

    def test_lists(self):
        _, whole = self.check(200, USERS, ACCOUNT)
        self.assertGreater(whole.count(b'"userId":'), 100)
        # The events of `cargo lambda watch` are those of an HTTP API, whose lists are buffered and plain.
        compressed = ACCOUNT | {"Accept-Encoding": "gzip"}
        plain = answer(self.watched, USERS, ACCOUNT)
        self.assertEqual(answer(self.watched, USERS, compressed), plain)
        status, lines, body = answer(self.served, USERS, compressed)
        lines.remove(("content-encoding", "gzip"))
        self.assertEqual((status, lines, body), plain)
        self.check(200, USERS + "&userId=nobody", ACCOUNT)

    def test_pages(self):
        headers, _ = self.check(200, USERS + "&limit=2", ACCOUNT)
        following = re.fullmatch("<(.*)>; rel=\"next\"", headers["link"])[1]
        headers, _ = self.check(200, urljoin(USERS, following), ACCOUNT)
        self.assertIn("link", headers)

    def test_errors(self):
        for target, credentials in ((USERS, ACCOUNT), (STATISTICS, KEY)):
            headers, _ = self.check(401, target, {})
            self.assertIn("www-authenticate", headers)
            self.check(400, target + "&planet=mars&project=demo", credentials)
            self.check(403, target.replace("=demo", "=other"), credentials)
            headers, _ = self.check(405, target, credentials, method="POST")
            self.assertEqual(headers["allow"], "GET")

    def test_checks(self):
        for function, table in zip(FUNCTIONS, ("users", "responses")):
            connection = http.client.HTTPConnection("127.0.0.1", self.watched, timeout=60)
            connection.request("POST", f"/2015-03-31/functions/{function}/invocations", b'{"check":true}')
            self.assertEqual(json.loads(connection.getresponse().read()), {"credentials": "ok", table: "ok"})
            connection.close()

    def test_the_smoke_test_accepts_the_functions(self):
        # `cargo lambda watch` never answers an unknown path, and sends the events of an HTTP API.
        left_out = ("an unknown path is not found", "the list is compressed for who accepts it")
        code, lines = smoke(self.watched, *left_out)
        self.assertEqual((code, len(lines)), (0, 1), lines)
