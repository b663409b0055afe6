"""Renders the template with every pair of parameter values, and lints what CloudFormation would create."""

import json
import unittest

from allpairspy import AllPairs
from cfnlint.api import lint
from cfnlint.core import get_rules

from rendering import Evaluation, evaluate, read, render
from test_releases import OTHER_VALUES


class Combinations(unittest.TestCase):
    def test_every_pair_of_values_renders_to_a_valid_template(self):
        defaults = {name: str(one["Default"]) for name, one in read()["Parameters"].items()}
        choices = [[(name, value) for value in (defaults[name], OTHER_VALUES[name])] for name in defaults]
        rules = Evaluation(render(), {})

        def is_allowed(row):
            rules.values = defaults | dict(row)
            return len(row) < len(defaults) or not rules.failed_rules()

        combinations = [dict(row) for row in AllPairs(choices, filter_func=is_allowed)]
        self.assertGreater(len(combinations), 5)
        for combination in combinations:
            # W3011 is about what SAM copies from the functions to their aliases and permissions.
            template = {"AWSTemplateFormatVersion": "2010-09-09", **evaluate(**combination)}
            problems = lint(json.dumps(template), get_rules([], ["W3011"], []), ["eu-central-1"])
            self.assertEqual([str(problem) for problem in problems], [], combination)


if __name__ == "__main__":
    unittest.main()
