"""Runs the examples against `feedback serve`: those that print months print the same, and fail with the API's reason."""

import http.server
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest
import urllib.request
from urllib.parse import parse_qs, urlsplit

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("monthly.*"))
PROGRAM = ROOT / "target/debug/feedback"
SERVE = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--dynamodb-listen", "127.0.0.1:0"]


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        serve = subprocess.Popen(SERVE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(lambda: (serve.terminate(), serve.communicate()))
        cls.api = serve.stdout.readline().split()[-1]

    def run_all(self, *period, key="demo-read-key-0000", url=None):
        settings = {"FEEDBACK_URL": url or f"{self.api}/", "FEEDBACK_PROJECT": "demo"}
        settings["FEEDBACK_READ_KEY"] = key
        options = {"env": os.environ | settings, "capture_output": True, "text": True}
        self.assertEqual([example.suffix for example in EXAMPLES], [".mjs", ".py", ".sh"])
        return [subprocess.run([example, *period], **options) for example in EXAMPLES]

    def test_they_print_the_months_of_a_period_with_and_without_responses(self):
        page = (ROOT / "docs/import.md").read_text()
        for result in self.run_all("2024-10-01", "2025-04-01"):
            self.assertEqual(result.stderr, "")
            self.assertEqual(result.stdout.splitlines()[:2], ["2024-10      -     0", "2024-11      -     0"])
            self.assertIn("\n".join(result.stdout.splitlines()[3:]), page)

    def test_they_end_with_the_running_month(self):
        printed = [result.stdout for result in self.run_all("2025-01-01")]
        self.assertGreater(len(printed[0].splitlines()), 12)
        self.assertEqual(len(set(printed)), 1)

    def test_they_fail_with_the_reason(self):
        for result in self.run_all("2025-01-01", key="wrong"):
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn('"code":"unauthenticated"', result.stderr)
        for wrong in [self.run_all(), self.run_all("2025-01-01", key="")]:
            for result in wrong:
                self.assertIn("usage: monthly", result.stderr)
                self.assertEqual((result.returncode, result.stdout), (1, ""))
        for result in self.run_all("2025-01-01", url="http://127.0.0.1:1"):
            said = result.stderr.strip().splitlines()
            self.assertEqual((result.returncode, len(said)), (1, 1), said)


KEY = "read-key-of-a-test-0000"
RECORDS = """id,created,rating,dismissed,traits.plan
a,2026-01-31T23:59:59Z,9,,pro
b,2026-02-01,3,,free
c,2026-02-28,,true,free
d,2026-04-01,10,,pro
"""


class Comparison(unittest.TestCase):
    """examples/compare.py asks two folders, each served by a process of its own."""

    def serve(self, records, project):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "records.csv").write_text(records)
        store = ["--project", project, "--data", folder / "data"]
        imported = [PROGRAM, "import", "responses", folder / "records.csv", *store]
        subprocess.run(imported, check=True, capture_output=True)
        created = [PROGRAM, "credentials", "create", "--may", "statistics", *store, "--secret-stdin"]
        subprocess.run(created, check=True, capture_output=True, input=KEY.encode())
        command = [*SERVE, "--data", folder / "data"]
        serve = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(lambda: (serve.terminate(), serve.communicate()))
        return serve.stdout.readline().split()[-1], project

    def compare(self, *arguments, **keys):
        environment = os.environ | {"OLD_KEY": KEY, "NEW_KEY": KEY} | keys
        command = [ROOT / "examples/compare.py", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def before(self, status, answer):
        """Starts a server that answers each request with this status and what `answer` makes of its path."""
        asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.path, self.headers["AuthKey"]))
                body = answer(self.path)
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", body.decode())
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(lambda: (server.shutdown(), server.server_close()))
        return f"http://127.0.0.1:{server.server_port}/", asked

    def test_the_same_records_have_no_differences_since_the_first_of_the_new_address(self):
        header, records = RECORDS.split("\n", 1)
        old = self.serve(f"{header}\nz,2025-12-31,5,,pro\n{records}", "a")
        new = self.serve(RECORDS, "b")
        for trait, values in [([], 0), (["plan"], 2)]:
            result = self.compare(*old, *new, *trait)
            counted = rf"^\d+ months, {values} values of a trait compared: 0 differences\n$"
            self.assertRegex(result.stdout, counted)
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_each_difference_is_printed(self):
        old = self.serve(RECORDS.replace("b,2026-02-01,3,,free", "b,2026-02-01,9,,free"), "a")
        new = self.serve(RECORDS.replace("d,2026-04-01,10,,pro\n", ""), "b")
        result = self.compare(*old, *new, "plan")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        *printed, counted = result.stdout.splitlines()
        self.assertRegex(counted, r"months, 2 values of a trait compared: 14 differences$")
        expected = []
        for condition in ["", " plan=free"]:
            changes = ["promoters 1 in the old, 0", "detractors 0 in the old, 1"]
            changes.append("NPS 100.0 in the old, -100.0")
            expected += [f"2026-02{condition}: {change} in the new" for change in changes]
            lost = "" if condition == "" else " plan=pro"
            counts = ["displays 1 in the old, 0", "responses 1 in the old, 0", "promoters 1 in the old, 0"]
            losses = [*counts, "NPS 100.0 in the old, 0.0"]
            expected += [f"2026-04{lost}: {loss} in the new" for loss in losses]
        self.assertEqual(sorted(printed), sorted(expected))

    def test_the_old_address_is_asked_only_with_what_satismeter_documents(self):
        new = self.serve(RECORDS, "a")

        def forward(path):
            request = urllib.request.Request(new[0] + path, headers={"AuthKey": KEY})
            with urllib.request.urlopen(request) as response:
                return response.read()

        url, asked = self.before(200, forward)
        result = self.compare(url, "a", *new, "plan", OLD_KEY="old-read-key-0000")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        form = "filters[user.traits.string.plan]"
        names = {tuple(parse_qs(urlsplit(path).query)) for path, _ in asked}
        filtered = ("project", "startDate", f"{form}[operator]", f"{form}[value]")
        self.assertEqual(names, {("project", "startDate"), filtered})
        self.assertEqual({key for _, key in asked}, {"old-read-key-0000"})

    def test_a_redirect_is_not_followed_and_what_cannot_be_asked_is_no_difference(self):
        new = self.serve(RECORDS, "a")
        elsewhere, reached = self.before(200, lambda _: b"{}")
        url, _ = self.before(302, lambda _: elsewhere.encode())
        for old, new_key, reason in [
            (url, KEY, "HTTP Error 302"),
            ("http://127.0.0.1:1", KEY, "Connection refused"),
            (elsewhere, KEY, "data"),
            (new[0], "wrong-read-key-0000", '"code":"unauthenticated"'),
            (new[0], "", "usage: compare.py"),
        ]:
            reached.clear()
            result = self.compare(old, "a", *new, NEW_KEY=new_key)
            self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
            self.assertIn(reason, result.stderr)
            self.assertNotIn(KEY, result.stderr)
            self.assertEqual(bool(reached), old == elsewhere)
