"""Renders and lints both templates with every pair of two values of each parameter."""

import json
import unittest

from allpairspy import AllPairs
from cfnlint.api import lint
from cfnlint.core import get_rules

from rendering import DATA, TEMPLATE, Evaluation, evaluate, read, render
from test_releases import OTHER_VALUES

OTHER_VALUES_OF_DATA = {
    "Prefix": "second",
    "MaxReadUnits": "3000",
    "KmsKeyArn": "arn:aws:kms:eu-central-1:111122223333:key/1",
    "GatewayLogging": "false",
    "PermissionsBoundaryArn": "arn:aws:iam::111122223333:policy/boundary",
}


class Combinations(unittest.TestCase):
    def test_every_pair_of_values_renders_to_a_valid_template(self):
        for path, others in [(TEMPLATE, OTHER_VALUES), (DATA, OTHER_VALUES_OF_DATA)]:
            defaults = {name: str(one["Default"]) for name, one in read(path)["Parameters"].items()}
            self.assertEqual(set(defaults), set(others))
            combinations = list(pairs(path, defaults, others))
            self.assertGreater(len(combinations), 5)
            for combination in combinations:
                # W3011 is about what SAM copies from the functions to their aliases and permissions.
                template = {"AWSTemplateFormatVersion": "2010-09-09", **evaluate(path, **combination)}
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


if __name__ == "__main__":
    unittest.main()
