"""Checks what docs/aws.md and docs/aws-operate.md say of stacks and of the web ACL."""

import itertools
import json
import re
import unittest

from cfnlint.decode.cfn_yaml import load
from rendering import ROOT

AWS = "".join((ROOT / "docs" / name).read_text() for name in ("aws.md", "aws-operate.md"))


class Documents(unittest.TestCase):
    def test_no_stacks_name_begins_with_that_of_another_and_a_hyphen(self):
        texts = [AWS, (ROOT / "README.md").read_text(), (ROOT / "samconfig.toml").read_text()]
        names = set(re.findall(r'(?:--stack-name |stack_name = "|stack=)([a-z][a-z0-9-]*)', "\n".join(texts)))
        known = {"survey-feedback", "data-of-survey-feedback", "data-r1-of-survey-feedback", "acl-of-survey-feedback", "second"}
        self.assertGreaterEqual(names, known)
        for one, other in itertools.permutations(names, 2):
            self.assertFalse(one.startswith(f"{other}-"), f"{one} and {other}")

    def test_each_deployment_of_the_service_with_parameters_names_the_architecture(self):
        # The option replaces what samconfig.toml says, and an earlier or the default value would hold.
        workflow = (ROOT / ".github" / "workflows" / "deploy.yml").read_text().replace("$ARCHITECTURE", "arm64")
        for text, least in [(AWS, 5), (workflow, 1)]:
            # deploy-and-check passes its options on.
            commands = re.findall(
                r"(?:sam deploy|deploy-and-check) (?!--config-env data)(?:[^\n]|\\\n)*--parameter-overrides\s+(.*)", text
            )
            self.assertGreaterEqual(len(commands), least)
            for parameters in commands:
                self.assertTrue(parameters.strip('"').startswith("Architecture=arm64"), parameters)

    def test_the_recipe_of_the_web_acl_is_that_of_its_template(self):
        template = load(str(ROOT / "docs" / "web-acl.yaml"))
        defaults = {name: str(one["Default"]) for name, one in template["Parameters"].items()}
        (recipe,) = re.findall(r"--template-file docs/web-acl.yaml .* --parameter-overrides (.*)", AWS)
        self.assertEqual(dict(part.split("=") for part in recipe.split()), defaults)
        (lowest,) = {one["MinValue"] for one in template["Parameters"].values()}
        self.assertTrue(f"the lowest limit is {lowest}" in AWS)
        # The recipe prints the first output.
        (output,) = template["Outputs"].values()
        self.assertEqual(output["Value"], {"Fn::GetAtt": ["WebAcl", "Arn"]})
        rules = template["Resources"]["WebAcl"]["Properties"]["Rules"]
        keys = [rule["Statement"]["RateBasedStatement"].get("CustomKeys", []) for rule in rules]
        headers = [key["Header"]["Name"] for each in keys for key in each]
        self.assertEqual(headers, ["authkey", "authorization"])
        self.assertTrue(f"${5 + len(rules)} a month" in AWS)

    def test_the_web_acl_answers_rates_with_the_contracts_429(self):
        properties = load(str(ROOT / "docs" / "web-acl.yaml"))["Resources"]["WebAcl"]["Properties"]
        for rule in properties["Rules"]:
            response = rule["Action"]["Block"]["CustomResponse"]
            self.assertEqual(response["ResponseCode"], 429)
            headers = {one["Name"]: one["Value"] for one in response["ResponseHeaders"]}
            self.assertEqual(headers, {"Cache-Control": "no-store", "Retry-After": "60"})
            body = properties["CustomResponseBodies"][response["CustomResponseBodyKey"]]
            self.assertEqual(body["ContentType"], "APPLICATION_JSON")
            (error,) = json.loads(body["Content"])["errors"]
            # WAF knows no id of the request.
            self.assertEqual(list(error), ["status", "code", "title", "detail"])
            self.assertEqual((error["status"], error["code"]), ("429", "too_many_requests"))
