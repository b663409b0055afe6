"""Checks the archives of a release, whose templates deploy the functions' zips without compiling them."""

import pathlib
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest
import zipfile

from cfnlint.api import lint
from cfnlint.core import get_rules

from rendering import ROOT, evaluate, read

ARCHITECTURES = {"aarch64-unknown-linux-gnu": "arm64", "x86_64-unknown-linux-gnu": "x86_64"}


class ReleaseTemplate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for function in ("users", "response-statistics"):
            (cls.folder / function).mkdir()
            (cls.folder / function / "bootstrap.zip").write_text(function)
        for triple in ARCHITECTURES:
            subprocess.run([ROOT / "packaging" / "aws", triple, cls.folder, cls.folder], check=True)
            with tarfile.open(cls.folder / f"aws-{triple}.tar.gz") as archive:
                archive.extractall(cls.folder, filter="data")

    def released(self, triple):
        return self.folder / f"aws-{triple}" / "template.yaml"

    def test_lies_beside_the_zips_of_its_architecture_and_all_that_a_deployment_needs(self):
        for triple, architecture in ARCHITECTURES.items():
            template = read(self.released(triple))
            self.assertEqual(template["Parameters"]["Architecture"]["AllowedValues"], [architecture])
            self.assertEqual(template["Parameters"]["Architecture"]["Default"], architecture)
            folder = self.released(triple).parent
            for function, binary in [
                ("UsersFunction", "users"),
                ("ResponseStatisticsFunction", "response-statistics"),
            ]:
                found = template["Resources"][function]
                self.assertEqual((folder / found["Properties"]["CodeUri"]).read_text(), binary)
                # `sam build` would compile them.
                self.assertNotIn("BuildMethod", found["Metadata"])
            for function in ("CheckFunction", "ReleaseHook"):
                found = template["Resources"][function]
                with zipfile.ZipFile(folder / found["Properties"]["CodeUri"]) as checks:
                    self.assertEqual(sorted(checks.namelist()), ["check.py", "hook.py"])
                self.assertIn(found["Properties"]["Handler"].partition(".")[0], ("check", "hook"))
            for name in (
                "LICENSE",
                "data.yaml",
                "web-acl.yaml",
                "smoke",
                "policies/deploy.json",
                "policies/tables.json",
            ):
                self.assertTrue((folder / name).exists(), name)
            default = tomllib.loads((folder / "samconfig.toml").read_text())["default"]["deploy"][
                "parameters"
            ]
            self.assertEqual(default["parameter_overrides"], f"Architecture={architecture}")

    def test_creates_the_same_resources_as_the_template_of_the_source(self):
        def without_metadata(resources):
            return {
                name: {key: value for key, value in one.items() if key != "Metadata"}
                for name, one in resources.items()
            }

        for triple, architecture in ARCHITECTURES.items():
            source = evaluate(Architecture=architecture)
            released = evaluate(self.released(triple))
            self.assertEqual(without_metadata(released["Resources"]), without_metadata(source["Resources"]))
            self.assertEqual(released["Outputs"], source["Outputs"])

    def test_is_valid(self):
        for triple in ARCHITECTURES:
            problems = lint(self.released(triple).read_text(), get_rules([], [], []), ["eu-central-1"])
            self.assertEqual([str(problem) for problem in problems], [])

    def test_is_not_made_from_a_template_of_another_shape(self):
        (self.folder / "packaging").mkdir()
        script = self.folder / "packaging" / "release-template"
        script.write_bytes((ROOT / "packaging" / "release-template").read_bytes())
        text = (ROOT / "template.yaml").read_text()
        (self.folder / "template.yaml").write_text(text.replace("      CodeUri: .\n", "      CodeUri: src\n"))
        done = subprocess.run(
            [sys.executable, script, "x86_64-unknown-linux-gnu"], capture_output=True, text=True, check=False
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.assertIn("template.yaml has 0 places, not 2", done.stderr)


if __name__ == "__main__":
    unittest.main()
