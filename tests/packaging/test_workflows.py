"""Checks what actionlint does not: what the workflows run is pinned, and they agree about the compiler."""

import pathlib
import re
import subprocess
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
        compiler = r"(?:toolchain install|rustup default|FROM rust:)\s*(\d+\.\d+\.\d+)"
        for text in [*WORKFLOWS.values(), (ROOT / "Dockerfile").read_text()]:
            used |= set(re.findall(compiler, text))
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
            self.assertLessEqual({"checks", "advisories", "tests"}, set(needs), job)
        self.assertIn(".ci/deny advisories", WORKFLOWS["advisories.yml"])
        self.assertIn(".ci/deny bans licenses sources", (ROOT / ".ci" / "run").read_text())

    def test_a_release_is_tested_on_every_platform_that_it_has_programs_for(self):
        release = WORKFLOWS["release.yml"]
        built = set(re.findall(r"\{triple: .*, runner: (.*)\}", release))
        tested = set(re.search(r"  tests:\n(?:.*\n)*?        runner: \[(.*)\]", release)[1].split(", "))
        (checked,) = set(re.findall(r"runs-on: (.*)", WORKFLOWS["ci.yml"]))
        self.assertEqual(tested | {checked}, built)

    def test_a_deployment_accepts_only_what_the_release_workflow_built_from_the_tag(self):
        deploy = WORKFLOWS["deploy.yml"]
        self.assertIn('--signer-workflow "$GH_REPO/.github/workflows/release.yml"', deploy)
        self.assertIn('--source-ref "refs/tags/v$VERSION"', deploy)
        installed = (ROOT / "packaging" / "deploy" / "requirements.txt").read_text()
        self.assertRegex(installed, r"\naws-sam-cli==[\d.]+\n$")

    def test_a_deployment_ends_within_its_credentials(self):
        deploy = WORKFLOWS["deploy.yml"]
        minutes = int(re.search(r"timeout-minutes: (\d+)", deploy)[1])
        self.assertLess(minutes * 60, int(re.search(r"role-duration-seconds: (\d+)", deploy)[1]))

    def test_everything_that_is_pinned_is_renewed(self):
        listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True)
        pinned = {
            "pip": "requirements.txt",
            "npm": "package-lock.json",
            "cargo": "Cargo.lock",
            "docker": "Dockerfile",
            "docker-compose": "compose.yaml",
        }
        renewed = (ROOT / ".github" / "dependabot.yml").read_text()
        self.assertIn("package-ecosystem: github-actions", renewed)
        for ecosystem, name in pinned.items():
            within = rf"package-ecosystem: {ecosystem}\b(.*?)(?=package-ecosystem|\Z)"
            block = re.search(within, renewed, re.DOTALL)[1]
            folders = set(re.findall(r"(?<=[ \[])/[\w./]*", block))
            paths = [pathlib.PurePosixPath("/" + path) for path in listed.splitlines()]
            self.assertEqual(folders, {str(path.parent) for path in paths if path.name == name}, ecosystem)
