"""Runs deploy-and-check with an `aws` and a `sam` of its own."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "packaging" / "deploy" / "deploy-and-check"
AWS = """#!/usr/bin/env bash
case "$*" in
*describe-stacks*Functions*) echo users statistics ;;
*describe-stacks*) echo https://api ;;
*get-alias*) [ -e deployed ] && echo 2 || echo 1 ;;
*get-function-configuration*"--qualifier 1"*) echo arm64 u c ;;
*get-function-configuration*"--qualifier 2"*) echo arm64 "$(<tables)" ;;
*invoke*fileb://*) cat answer >"${@: -1}" ;;
*update-alias*) echo "$4 $8" >>shifted ;;
esac
"""


class DeployAndCheck(unittest.TestCase):
    def deploy(self, answer, new_tables="u c", smoke=None):
        """Returns the exit code, what it says, and which functions were shifted to which version."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "answer").write_text(answer)
            (folder / "tables").write_text(new_tables)
            programs = {"aws": AWS, "sam": '#!/bin/sh\necho "$@" > deployed\n', "smoke": f"#!/bin/sh\nexit {1 if smoke is None else smoke}\n"}
            programs["deploy"] = SCRIPT.read_text().replace("SECONDS + 120", "SECONDS + 0")
            for name, text in programs.items():
                (folder / name).write_text(text)
                (folder / name).chmod(0o755)
            set_names = ("PROJECT", "READ_KEY") if smoke is None else ("PROJECT", "READ_KEY", "USERNAME", "PASSWORD")
            variables = {f"FEEDBACK_{name}": "any" for name in set_names} | {"PATH": f"{folder}:{os.environ['PATH']}"}
            done = subprocess.run(
                ["./deploy", "stack", "--option"], cwd=folder, env=variables, capture_output=True, text=True, check=False
            )
            self.assertEqual((folder / "deployed").read_text(), "deploy --stack-name stack --option\n", done.stderr)
            shifted = folder / "shifted"
            return done.returncode, done.stdout, shifted.read_text().splitlines() if shifted.exists() else []

    def test_versions_that_read_their_tables_stay(self):
        for smoke in (None, 0):
            code, said, shifted = self.deploy('{"credentials":"ok","users":"ok"}', smoke=smoke)
            self.assertEqual((code, shifted), (0, []), said)
            self.assertIn("users: version 2 reads its tables", said)
            self.assertEqual("smoke does not run" in said, smoke is None)

    def test_requests_shift_back_from_versions_that_fail(self):
        whole = '{"credentials":"ok","users":"ok"}'
        for answer, smoke in [
            ('{"credentials":"ok","users":"AccessDeniedException"}', None),
            ('{"errorType":"Runtime.ExitError"}', None),
            ("", None),
            (whole, 1),
        ]:
            code, said, shifted = self.deploy(answer, smoke=smoke)
            self.assertEqual((code, sorted(shifted)), (1, ["statistics 1", "users 1"]), said)

    def test_nothing_shifts_back_to_tables_that_the_role_no_longer_reads(self):
        code, said, shifted = self.deploy('{"users":"timeout"}', new_tables="other c")
        self.assertEqual((code, shifted), (1, []), said)
        self.assertIn("users: version 1 reads other tables", said)
