"""Checks what actionlint does not: what the workflows run is pinned, and they agree about the compiler."""

import pathlib
import re
import tomllib
import unittest

ROOT = pathlib.Path(__file__).parents[2]
WORKFLOWS = {path.name: path.read_text() for path in (ROOT / ".github" / "workflows").glob("*.yml")}


class Workflows(unittest.TestCase):
    def test_every_action_is_pinned_to_a_commit_with_its_version_as_a_comment(self):
        pins = {}
        for name, text in WORKFLOWS.items():
            for use in re.findall(r"uses: (.*)", text):
                if use.startswith("./"):
                    continue
                pin = re.fullmatch(r"([\w.-]+/[\w.-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)", use)
                self.assertIsNotNone(pin, f"{name}: {use}")
                pins.setdefault(pin[1], set()).add(pin.groups())
        self.assertGreater(len(pins), 3)
        for action, versions in pins.items():
            self.assertEqual(len(versions), 1, action)

    def test_workflows_and_the_image_use_one_compiler_that_the_crates_accept(self):
        used = set()
        for text in [*WORKFLOWS.values(), (ROOT / "Dockerfile").read_text()]:
            used |= set(re.findall(r"(?:toolchain install|rustup default|FROM rust:)\s*(\d+\.\d+\.\d+)", text))
        (version,) = used
        required = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
        self.assertGreaterEqual(*([int(part) for part in one.split(".")] for one in (version, required)))

    def test_no_workflow_uses_a_stored_secret(self):
        for name, text in WORKFLOWS.items():
            self.assertNotIn("secrets.", text, name)

    def test_a_release_needs_the_checks_and_the_advisories(self):
        release = WORKFLOWS["release.yml"]
        for job in ("release", "images"):
            needs = re.search(rf"\n  {job}:\n    needs: \[(.*)\]", release)[1].split(", ")
            self.assertLessEqual({"checks", "advisories"}, set(needs), job)
        self.assertIn(".ci/deny advisories", WORKFLOWS["advisories.yml"])
        self.assertIn(".ci/deny bans licenses sources", (ROOT / ".ci" / "run").read_text())


if __name__ == "__main__":
    unittest.main()
