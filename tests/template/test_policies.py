"""Checks the policies of docs/policies, which are for people and programs that operate what was deployed."""

import fnmatch
import json
import re
import unittest

from rendering import ROOT, listed

POLICIES = sorted(path.stem for path in (ROOT / "docs" / "policies").iterdir())


def policy(name):
    """Returns the statements of a policy."""
    return json.loads((ROOT / "docs" / "policies" / f"{name}.json").read_text())["Statement"]


def allowed(name):
    return [action for statement in policy(name) for action in listed(statement["Action"])]


def matches(action, patterns):
    return any(fnmatch.fnmatch(action, one) for one in patterns)


class Policies(unittest.TestCase):
    def test_nobody_deletes_a_table_or_creates_a_role(self):
        for name in POLICIES:
            for action in ("dynamodb:DeleteTable", "iam:CreateRole", "iam:PutRolePolicy", "sts:AssumeRole"):
                self.assertFalse(matches(action, allowed(name)), f"{name}: {action}")

    def test_operators_see_logs_and_neither_items_nor_code_nor_traces(self):
        actions = set(allowed("operate"))
        self.assertIn("logs:StartQuery", actions)
        services = {action.split(":")[0] for action in actions}
        self.assertEqual(services, {"cloudformation", "cloudwatch", "events", "lambda", "logs"})
        for action in ("InvokeFunction", "GetFunction", "UpdateFunctionCode", "UpdateFunctionConfiguration"):
            self.assertFalse(matches(f"lambda:{action}", actions), action)

    def test_changes_are_allowed_to_named_resources_unless_the_service_knows_no_names(self):
        for name in POLICIES:
            for statement in policy(name):
                if "*" not in listed(statement["Resource"]):
                    continue
                for action in listed(statement["Action"]):
                    reads = re.match(r"\w+:(Get|List|Describe|BatchGet)", action)
                    self.assertTrue(reads or action == "logs:StopQuery", f"{name}: {action}")

    def test_every_policy_is_linked_from_the_documentation(self):
        text = (ROOT / "docs" / "aws.md").read_text()
        for name in POLICIES:
            self.assertTrue(f"(policies/{name}.json)" in text, name)
