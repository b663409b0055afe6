"""Runs examples/monthly.* against `feedback serve`: they print the same, and fail with the API's reason."""

import os
import pathlib
import subprocess
import unittest

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
        settings = {
            "FEEDBACK_URL": url or f"{self.api}/",
            "FEEDBACK_PROJECT": "demo",
            "FEEDBACK_READ_KEY": key,
        }
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
            self.assertEqual(
                (result.returncode, len(result.stderr.strip().splitlines())), (1, 1), result.stderr
            )


if __name__ == "__main__":
    unittest.main()
