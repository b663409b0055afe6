"""Each message in the table of docs/import.md is printed for a file that has the fault."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMPORT = [ROOT / "target/debug/feedback", "import", "responses", "-", "--project", "acme", "--dry-run"]
# The message, a file that causes it, and options.
CAUSES = [
    ("created must be an ISO 8601 timestamp", "created,rating\n2 février 2026,9\n".encode()),
    ("rating must be a whole number from 0 to 10", b"created,rating\n2026-03-01,8.5\n"),
    ("a page is missing", b'{"data":[{"created":"2026-03-01","rating":9}],"page":{"hasNextPage":true}}'),
    ("cannot read it to its end", b"\x1f\x8b\x08\x00"),
    ("it is not valid JSON", b'[{"created":"2026-03-01","rating":9}'),
]


class Messages(unittest.TestCase):
    def test_each_message_of_the_table_has_its_cause(self):
        section = (ROOT / "docs/import.md").read_text().split("\n## It does not work\n")[1].split("\n## ")[0]
        first_column = "".join(re.findall(r"^\|(.*?)\|", section, re.MULTILINE))
        messages = re.findall("`(.*?)`", first_column)
        self.assertEqual(messages, [message for message, *_ in CAUSES])
        for message, content, *options in CAUSES:
            result = subprocess.run([*IMPORT, *options], input=content, capture_output=True)
            self.assertIn(result.returncode, [1, 2])
            self.assertIn(message, result.stderr.decode())
