"""Renders the templates as CloudFormation would receive them, and evaluates them for given parameters.

What a parameter without a default is remains a reference to it.
"""

import copy
import functools
import json
import logging
import os
import pathlib
import re

os.environ.setdefault("AWS_DEFAULT_REGION", "eu-central-1")

from cfnlint.decode.cfn_yaml import load  # noqa: E402
from samtranslator.translator.transform import transform  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
TEMPLATE = ROOT / "template.yaml"
MONITORING = ROOT / "monitoring.yaml"
DATA = ROOT / "data.yaml"
FUNCTIONS = ("UsersFunction", "ResponseStatisticsFunction")
ABSENT = object()
logging.getLogger("samtranslator").setLevel(logging.ERROR)  # it warns that nobody collects its own metrics


class NoManagedPolicies:
    """The template uses no managed policy that SAM would have to look up."""

    def load(self):
        return {}


@functools.cache
def text(path):
    return json.dumps(load(str(path)))


def read(path=TEMPLATE):
    return json.loads(text(path))


def render(path=TEMPLATE, code="s3://bucket/code.zip", **parameters):
    """Returns the template as SAM translates it for `parameters`, whose other uses remain."""
    return copy.deepcopy(translated(path, code, tuple(parameters.items())))


@functools.cache
def translated(path, code, parameters):
    template = read(path)
    if "Transform" not in template:
        return template
    # `sam deploy` uploads what lies on this machine.
    for one in template["Resources"].values():
        if one["Type"] == "AWS::Serverless::Function":
            one["Properties"]["CodeUri"] = code
        if one["Type"] == "AWS::Serverless::Application":
            one["Properties"]["Location"] = "https://bucket.s3.amazonaws.com/monitoring"
    return transform(template, dict(parameters), NoManagedPolicies())


def evaluate(path=TEMPLATE, **parameters):
    """Returns the resources and outputs that `parameters` create, without parameters and conditions."""
    template = render(path, **parameters)
    evaluation = Evaluation(template, parameters)
    failures = evaluation.failed_rules()
    if failures:
        raise ValueError(", ".join(failures))
    return {part: evaluation.existing(template.get(part, {})) for part in ("Resources", "Outputs")}


def of_type(kind, resources):
    """Returns the properties of the resources of a type, by their names."""
    return {name: one["Properties"] for name, one in resources.items() if one["Type"] == kind}


def listed(one):
    """Returns what a policy has alone or in a list as a list."""
    return one if isinstance(one, list) else [one]


def statements(role, resources):
    """Returns what a role allows, in its own policies and in those that are attached to it."""
    every_policy = of_type("AWS::IAM::RolePolicy", resources).values()
    attached = [one for one in every_policy if one["RoleName"] == {"Ref": role}]
    policies = resources[role]["Properties"].get("Policies", []) + attached
    return [statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]]


class Evaluation:
    """The part of CloudFormation's functions that the template uses."""

    def __init__(self, template, parameters):
        unknown = set(parameters) - set(template["Parameters"])
        if unknown:
            raise ValueError(f"no such parameters: {unknown}")
        self.conditions = template["Conditions"]
        self.rules = template.get("Rules", {})
        parts = template["Parameters"].items()
        defaults = {name: str(one["Default"]) for name, one in parts if "Default" in one}
        self.values = defaults | parameters

    def failed_rules(self):
        due = [rule for rule in self.rules.values() if self.truth(rule["RuleCondition"])]
        assertions = [assertion for rule in due for assertion in rule["Assertions"]]
        return [one["AssertDescription"] for one in assertions if not self.truth(one["Assert"])]

    def existing(self, entries):
        kept = lambda entry: "Condition" not in entry or self.truth(self.conditions[entry["Condition"]])
        body = lambda entry: {key: value for key, value in entry.items() if key != "Condition"}
        return {name: self.resolve(body(entry)) for name, entry in entries.items() if kept(entry)}

    def truth(self, condition):
        ((function, operands),) = condition.items()
        if function == "Fn::Equals":
            first, second = map(self.resolve, operands)
            return first == second
        if function == "Fn::Not":
            return not self.truth(operands[0])
        if function == "Fn::Or":
            return any(map(self.truth, operands))
        if function == "Condition":
            return self.truth(self.conditions[operands])
        raise ValueError(function)

    def resolve(self, node):
        if isinstance(node, list):
            return [item for item in map(self.resolve, node) if item is not ABSENT]
        if not isinstance(node, dict):
            return node
        if set(node) == {"Ref"}:
            return ABSENT if node["Ref"] == "AWS::NoValue" else self.values.get(node["Ref"], node)
        if set(node) == {"Fn::If"}:
            condition, then, otherwise = node["Fn::If"]
            return self.resolve(then if self.truth(self.conditions[condition]) else otherwise)
        if set(node) == {"Fn::Sub"}:
            return self.substitute(node["Fn::Sub"])
        resolved = {key: self.resolve(value) for key, value in node.items()}
        return {key: value for key, value in resolved.items() if value is not ABSENT}

    def substitute(self, operand):
        text, names = (operand, {}) if isinstance(operand, str) else operand
        names = self.resolve(names)
        literals = self.values | {name: value for name, value in names.items() if isinstance(value, str)}
        text = re.sub(r"\$\{(\w+)}", lambda match: literals.get(match[1], match[0]), text)
        names = {name: value for name, value in names.items() if f"${{{name}}}" in text}
        if "${" not in text:
            return text
        return {"Fn::Sub": [text, names] if names else text}
