"""Checks packaging/changes, which decides whether a tag may be released."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "packaging" / "changes"
CHANGELOG = """# Changelog

## [Unreleased]

- Later.

## [1.2.0] - 2026-01-31

### Added

- This.

## [1.1.0] - 2026-01-01

- That.
"""


def changes(version, built):
    loader = importlib.machinery.SourceFileLoader("changes", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("changes", loader))
    loader.exec_module(module)
    return module.changes(version, CHANGELOG, f'[workspace.package]\nversion = "{built}"\n')


class Changes(unittest.TestCase):
    def test_are_those_of_the_version(self):
        self.assertEqual(changes("1.2.0", "1.2.0"), "### Added\n\n- This.\n")
        self.assertEqual(changes("1.1.0", "1.1.0"), "- That.\n")

    def test_of_a_version_that_is_not_described_are_refused(self):
        for version in ("1.3.0", "Unreleased", "1.2"):
            with self.assertRaisesRegex(SystemExit, "CHANGELOG.md has no changes"):
                changes(version, version)

    def test_of_a_version_that_is_not_the_built_one_are_refused(self):
        with self.assertRaisesRegex(SystemExit, "Cargo.toml has version 1.1.0, not 1.2.0"):
            changes("1.2.0", "1.1.0")
