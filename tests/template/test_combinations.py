"""Renders and lints the templates with every pair of two values of each parameter."""

import json
import unittest

from allpairspy import AllPairs
from cfnlint.api import lint
from cfnlint.core import get_rules

from rendering import DATA, MONITORING, TEMPLATE, Evaluation, evaluate, read, render
from test_releases import OTHER_VALUES

OTHER_VALUES_OF_DATA = {
    "Prefix": "second",
    "MaxReadUnits": "3000",
    "KmsKeyArn": "arn:aws:kms:eu-central-1:111122223333:key/1",
    "GatewayLogging": "false",
    "PermissionsBoundaryArn": "arn:aws:iam::111122223333:policy/boundary",
}
OF_BOTH = ("CheckSecretArn", "PermissionsBoundaryArn")
OTHER_VALUES_OF_MONITORING = {name: OTHER_VALUES[name] for name in OF_BOTH}


class Combinations(unittest.TestCase):
    def test_every_pair_of_values_renders_to_a_valid_template(self):
        for path, others in [
            (TEMPLATE, OTHER_VALUES),
            (MONITORING, OTHER_VALUES_OF_MONITORING),
            (DATA, OTHER_VALUES_OF_DATA),
        ]:
            parameters = read(path)["Parameters"]
            defaults = {name: str(one["Default"]) for name, one in parameters.items() if "Default" in one}
            self.assertEqual(set(defaults), set(others))
            combinations = list(pairs(path, defaults, others))
            self.assertGreaterEqual(len(combinations), 4)
            for combination in combinations:
                # W3011 is about what SAM copies from the functions to their aliases and permissions.
                template = {"AWSTemplateFormatVersion": "2010-09-09", **evaluate(path, **combination)}
                # What has no default stays a reference.
                template["Parameters"] = {name: one for name, one in parameters.items() if "Default" not in one}
                problems = lint(json.dumps(template), get_rules([], ["W3011"], []), ["eu-central-1"])
                self.assertEqual([str(problem) for problem in problems], [], combination)


def pairs(path, defaults, others):
    """Yields parameters that have each pair of these values that the rules allow."""
    rules = Evaluation(render(path), {})

    def is_allowed(row):
        rules.values = defaults | dict(row)
        return len(row) < len(defaults) or not rules.failed_rules()

    choices = [[(name, value) for value in (defaults[name], others[name])] for name in defaults]
    return map(dict, AllPairs(choices, filter_func=is_allowed))
