"""Checks the templates of a release, which deploy the functions' zips without compiling them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from cfnlint.api import lint
from cfnlint.core import get_rules

from rendering import ROOT, evaluate, read

ARCHITECTURES = {"aarch64-unknown-linux-gnu": "arm64", "x86_64-unknown-linux-gnu": "x86_64"}


class ReleaseTemplate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def released(self, triple):
        path = self.folder / f"template-{triple}.yaml"
        script = ROOT / "packaging" / "release-template"
        with path.open("w") as output:
            subprocess.run([sys.executable, script, triple], stdout=output, check=True)
        return path

    def test_deploys_the_zips_beside_it_for_their_architecture_only(self):
        for triple, architecture in ARCHITECTURES.items():
            template = read(self.released(triple))
            self.assertEqual(template["Parameters"]["Architecture"]["AllowedValues"], [architecture])
            self.assertEqual(template["Parameters"]["Architecture"]["Default"], architecture)
            self.assertNotIn("CodeUri", template["Globals"]["Function"])
            for function, binary in [("UsersFunction", "users"), ("ResponseStatisticsFunction", "response-statistics")]:
                found = template["Resources"][function]
                self.assertEqual(found["Properties"]["CodeUri"], f"{binary}-{triple}.zip")
                # `sam build` would compile them.
                self.assertNotIn("BuildMethod", found["Metadata"])

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
            path = self.released(triple)
            for function in ("users", "response-statistics"):
                (self.folder / f"{function}-{triple}.zip").touch()
            problems = lint(path.read_text(), get_rules([], [], []), ["eu-central-1"])
            self.assertEqual([str(problem) for problem in problems], [])

    def test_is_not_made_from_a_template_of_another_shape(self):
        (self.folder / "packaging").mkdir()
        script = self.folder / "packaging" / "release-template"
        script.write_bytes((ROOT / "packaging" / "release-template").read_bytes())
        text = (ROOT / "template.yaml").read_text()
        (self.folder / "template.yaml").write_text(text.replace("    CodeUri: .\n", "    CodeUri: src\n"))
        done = subprocess.run(
            [sys.executable, script, "x86_64-unknown-linux-gnu"], capture_output=True, text=True, check=False
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.assertIn("template.yaml has 0 places, not 1", done.stderr)


if __name__ == "__main__":
    unittest.main()
