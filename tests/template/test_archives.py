"""Checks the archives of a release, each of which deploys the functions of one architecture."""

import pathlib
import subprocess
import tarfile
import tempfile
import tomllib
import unittest

from cfnlint.api import lint
from cfnlint.core import get_rules

from rendering import ROOT, evaluate, read

ARCHITECTURES = {"aarch64-unknown-linux-gnu": "arm64", "x86_64-unknown-linux-gnu": "x86_64"}


class Archives(unittest.TestCase):
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
            for function, binary in [("Users", "users"), ("ResponseStatistics", "response-statistics")]:
                found = template["Resources"][f"{function}Function"]
                self.assertEqual((folder / found["Properties"]["CodeUri"]).read_text(), binary)
            monitoring = folder / template["Resources"]["Monitoring"]["Properties"]["Location"]
            check = read(monitoring)["Resources"]["CheckFunction"]["Properties"]
            module, _ = check["Handler"].split(".")
            self.assertEqual([one.name for one in (folder / check["CodeUri"]).iterdir()], [f"{module}.py"])
            beside = "LICENSE data.yaml deploy-and-check web-acl.yaml smoke"
            for name in [*beside.split(), "policies/operate.json", "policies/data.json"]:
                self.assertTrue((folder / name).exists(), name)
            settings = tomllib.loads((folder / "samconfig.toml").read_text())
            default = settings["default"]["deploy"]["parameters"]
            self.assertEqual(default["parameter_overrides"], f"Architecture={architecture}")

    def test_creates_the_same_resources_as_the_template_of_the_source(self):
        for triple, architecture in ARCHITECTURES.items():
            self.assertEqual(evaluate(self.released(triple)), evaluate(Architecture=architecture))

    def test_is_valid(self):
        for triple in ARCHITECTURES:
            problems = lint(self.released(triple).read_text(), get_rules([], [], []), ["eu-central-1"])
            self.assertEqual([str(problem) for problem in problems], [])
