"""Checks that tests/smoke accepts `feedback serve`, and notices what is wrong with it without showing what it
holds.
"""

import contextlib
import gzip
import http.client
import http.server
import io
import json
import os
import re
import subprocess
import threading
import time
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).parents[2]
SETTINGS = {
    "FEEDBACK_PROJECT": "demo",
    "FEEDBACK_READ_KEY": "demo-read-key-0000",
    "FEEDBACK_USERNAME": "demo",
    "FEEDBACK_PASSWORD": "demo-password-0000",
}
FIGURES = ("responses", "displays", "dismissed", "promoters", "passives", "detractors", "nps", "frequency")


def smoke(port, *left_out, **settings):
    """Runs tests/smoke; returns its exit code and the lines that are no `ok`."""
    variables = SETTINGS | {f"FEEDBACK_{name}": value for name, value in settings.items()}
    command = [ROOT / "tests/smoke", f"http://127.0.0.1:{port}", *left_out]
    options = {"capture_output": True, "text": True, "timeout": 100, "check": False}
    done = subprocess.run(command, env=os.environ | variables, **options)
    is_told = lambda line: not re.match("ok  |  ", line) or ": repeated" in line
    lines = [line for line in done.stdout.splitlines() if is_told(line)]
    return done.returncode, lines + done.stderr.splitlines()


@contextlib.contextmanager
def forged(port, change):
    """Serves what a port serves. `change` gets the path, the headers and the plain body of each 200, and
    returns a body.
    """

    class Forger(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request(self.command, self.path, headers=dict(self.headers))
            response = connection.getresponse()
            headers, body = response.headers, response.read()
            connection.close()
            if response.status == 200:
                is_gzip = headers["Content-Encoding"] == "gzip"
                body = change(self.path, headers, gzip.decompress(body) if is_gzip else body)
                body = gzip.compress(body) if is_gzip else body
            self.send_response(response.status)
            for name, value in headers.items():
                if name.lower() not in ("content-length", "transfer-encoding", "connection", "date"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forger) as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        yield server.server_port
        server.shutdown()


def adds_one(figure):
    """Adds one to the last figure of a name in the statistics."""

    def change(path, headers, body):
        parts = re.split(rf'("{figure}":\[?)(-?[\d.]+)', body.decode())
        if "statistics" in path and len(parts) > 1:
            parts[-2] = str((float if "." in parts[-2] else int)(parts[-2]) + 1)
        return "".join(parts).encode()

    return change


def without_link(first=0):
    """Drops the Link of each page, or of each that follows another one."""

    def change(path, headers, body):
        if not first or "cursor=" in path:
            del headers["Link"]
        return body

    return change


def with_users(body, of):
    """Returns a list of some of its users."""
    users = {"users": of(json.loads(body)["users"])}
    return json.dumps(users, separators=(",", ":"), ensure_ascii=False).encode()


def first_users(count, of_gzip=False):
    """Cuts the list to its first users, plain or compressed."""

    def change(path, headers, body):
        is_list = "/api/users" in path and "limit" not in path and "userId" not in path
        if is_list and (headers["Content-Encoding"] == "gzip") >= of_gzip:
            return with_users(body, lambda users: users[:count])
        return body

    return change


def nothing_compressed(path, headers, body):
    return b"" if headers["Content-Encoding"] == "gzip" else body


def without_second_user(path, headers, body):
    return with_users(body, lambda users: users[:1] + users[2:]) if "limit=" in path else body


class Smoke(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ports = ["--listen", "127.0.0.1:0", "--dynamodb-listen", "127.0.0.1:0"]
        command = [ROOT / "target/debug/feedback", "serve", *ports]
        serve = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT)
        cls.addClassCleanup(lambda: (serve.terminate(), serve.communicate()))
        cls.served = int(serve.stdout.readline().rpartition(b":")[2].partition(b"/")[0])

    def fails(self, change, name):
        with forged(self.served, change) as port:
            code, lines = smoke(port)
        self.assertEqual(code, 1, name)
        self.assertTrue(any(line.startswith("FAIL") for line in lines), (name, lines))
        return "\n".join(lines)

    def test_accepts_the_service(self):
        code, lines = smoke(self.served)
        self.assertEqual((code, len(lines)), (0, 1), lines)

    def test_fails_where_a_figure_is_wrong_by_one(self):
        for figure in FIGURES:
            self.fails(adds_one(figure), figure)

    def test_fails_where_pages_or_lists_break_off(self):
        for name, change, case in [
            ("no Link", without_link(), "the link of each page"),
            ("no Link after the second page", without_link(first=1), "the link of each page"),
            ("list", first_users(100), "the list has the users"),
            ("compressed list", first_users(100, of_gzip=True), "the list is compressed"),
            ("nothing compressed", nothing_compressed, "the list is compressed"),
        ]:
            self.assertIn(f"FAIL  {case}", self.fails(change, name))

    def test_shows_neither_people_nor_secrets_and_no_long_lines(self):
        for change in (first_users(3), without_second_user, nothing_compressed):
            text = self.fails(change, change)
            self.assertNotIn("@", text)
            self.assertLess(max(map(len, text.splitlines())), 300)
        for name in ("READ_KEY", "PASSWORD"):
            for wrong in ("hunter2\r", "hunter2\nhunter2", "hunter2…"):
                code, lines = smoke(self.served, **{name: wrong})
                self.assertEqual((code, "hunter2" in str(lines)), (2, False))
                self.assertIn(f"FEEDBACK_{name}", lines[-1])

    def test_says_what_it_repeated(self):
        wrong = iter([adds_one("displays")])

        def once(path, headers, body):
            return next(wrong, lambda *_: body)(path, headers, body) if "interval=year" in path else body

        with forged(self.served, once) as port:
            code, lines = smoke(port)
        self.assertEqual((code, len(lines)), (0, 2), lines)
        self.assertRegex(lines[0], "^ok    years add up: repeated, at first .* displays")
        self.assertIn("1 repeated", lines[1])

    def test_a_list_that_it_could_not_read_to_its_end_is_not_asked_for(self):
        asked = []

        def heard(path, headers, body):
            asked.append(path)
            return body

        code, lines = self.smoke_with(heard, PAGES=2)
        self.assertEqual(code, 0, lines)
        self.assertEqual(sum("too long to be read to its end" in line for line in lines), 2, lines)
        self.assertEqual([path for path in asked if re.fullmatch(r"/api/users\?project=\w+", path)], [])

    def smoke_with(self, change, **constants):
        """Runs tests/smoke with other constants; returns its exit code and its lines."""
        loader = SourceFileLoader("smoke", str(ROOT / "tests/smoke"))
        program = module_from_spec(spec_from_loader("smoke", loader))
        loader.exec_module(program)
        with (
            forged(self.served, change) as port,
            mock.patch.dict(os.environ, SETTINGS),
            mock.patch.multiple(program, **constants),
            mock.patch("sys.argv", ["smoke", f"http://127.0.0.1:{port}"]),
            contextlib.redirect_stdout(io.StringIO()) as lines,
        ):
            code = program.main()
        return code, lines.getvalue().splitlines()

    def test_ends_at_the_first_timeout(self):
        def slow(path, headers, body):
            if "limit=3" in path:
                time.sleep(5)
            return body

        code, lines = self.smoke_with(slow, TIMEOUT=1)
        self.assertEqual(code, 1)
        (line, _) = lines[-2:]
        self.assertEqual(line, "FAIL  a page has users in order: no answer within 1 s")

    def test_refuses_cases_that_it_does_not_have(self):
        code, lines = smoke(self.served, "years add op")
        self.assertEqual((code, lines[-1]), (2, "No such case: years add op"))
