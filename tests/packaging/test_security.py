"""Checks that every file and every test that .github/SECURITY.md names exists."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / ".github" / "SECURITY.md"
TEXT = PAGE.read_text()


class Security(unittest.TestCase):
    def test_every_named_test_exists(self):
        named = re.findall(r"`([\w/.-]+)::(\w+)`", TEXT)
        self.assertGreater(len(named), 20)
        for path, name in named:
            keyword = {".rs": "fn", ".py": "def"}[pathlib.Path(path).suffix]
            self.assertRegex((ROOT / path).read_text(), rf"\b{keyword} {name}\(", path)

    def test_every_defense_names_a_test_or_a_workflow(self):
        table = TEXT.split("## What is defended, and how")[1].split("\n\n")[1]
        rows = table.splitlines()[2:]
        self.assertGreater(len(rows), 10)
        for row in rows:
            self.assertRegex(row.split(" | ")[-1], r"::|\.yml", row)

    def test_every_named_file_exists(self):
        named = [ROOT / path for path in re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.\w+)(?:::\w+)?`", TEXT)]
        linked = [PAGE.parent / path for path in re.findall(r"\]\(([^)#:]+)", TEXT)]
        for path in named + linked:
            self.assertTrue(path.exists(), path)
