"""Checks packaging/image, with a program in the place of docker."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
DOCKER = """#!/bin/sh
printf '%s\\n' "$*" >> "$CALLS"
case "$*" in
    *inspect*rust*) echo sha256:1 ;;
    *inspect*distroless*) echo "${DISTROLESS?the registry does not answer}" ;;
esac
"""


class Image(unittest.TestCase):
    def build(self, **variables):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        (path / "docker").write_text(DOCKER)
        (path / "docker").chmod(0o755)
        variables |= {"PATH": f"{path}:{os.environ['PATH']}", "CALLS": str(path / "calls")}
        command = [ROOT / "packaging" / "image", "feedback:1", path / "record"]
        done = subprocess.run(command, env=variables, capture_output=True, check=False)
        return done.returncode, (path / "record").read_text(), (path / "calls").read_text().splitlines()

    def test_is_built_from_the_digests_that_are_recorded(self):
        bases = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        recorded = [f"{base}@sha256:{n}" for n, base in enumerate(bases, 1)]
        status, record, calls = self.build(DISTROLESS="sha256:2")
        self.assertEqual((status, record.splitlines()), (0, recorded))
        for base, digest in zip(bases, recorded):
            self.assertIn(f" --build-context {base}=docker-image://{digest} ", calls[-1])
        self.assertIn("--tag feedback:1 ", calls[-1])

    def test_is_not_built_from_what_has_no_digest(self):
        status, _, calls = self.build()
        self.assertNotEqual(status, 0)
        self.assertFalse(any("build --load" in call for call in calls))
