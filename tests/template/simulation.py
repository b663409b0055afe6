"""Evaluates the alarms of the rendered template over an hour, once a minute, as CloudWatch would."""

import collections
import functools
import json
import re

MINUTES = 60
OPERATIONS = ("users", "response-statistics")
COMPARISONS = {
    "GreaterThanOrEqualToThreshold": lambda value, threshold: value >= threshold,
    "LessThanThreshold": lambda value, threshold: value < threshold,
}
STATISTICS = {"Sum": sum, "SampleCount": len}


def matches(pattern, line):
    """Evaluates a filter pattern of CloudWatch Logs that compares members of a JSON line with texts."""

    def compare(comparison):
        member, expected = comparison.groups()
        return str(line.get(member) == json.loads(expected))

    expression = pattern.removeprefix("{").removesuffix("}").replace("||", " or ")
    return eval(re.sub(r'\$\.(\w+)\s*=\s*("[^"]*")', compare, expression).strip())


def returned(alarm, values):
    """Evaluates the metric math of an alarm; `None` is missing data, which `SUM` and `MAX` leave out."""

    def over(function):
        return lambda series: (
            function(known) if (known := [one for one in series if one is not None]) else None
        )

    functions = {
        "SUM": over(sum),
        "MAX": over(max),
        "IF": lambda condition, then, otherwise: then if condition else otherwise,
    }
    values = dict(values)
    for one in reversed(alarm["Metrics"]):  # each uses those below it
        if "Expression" in one:
            try:
                values[one["Id"]] = eval(one["Expression"].replace(" AND ", " and "), functions, values)
            except TypeError:  # a missing operand
                values[one["Id"]] = None
    (result,) = [one["Id"] for one in alarm["Metrics"] if one.get("ReturnData", True)]
    return values[result]


class Hour:
    """What happens in an hour, and the metrics that come of it. Minutes without data have none."""

    def __init__(self, resources):
        self.series = collections.defaultdict(lambda: [[] for _ in range(MINUTES)])
        self.filters = [
            one["Properties"] for one in resources.values() if one["Type"] == "AWS::Logs::MetricFilter"
        ]
        self.alarms = {
            name: one["Properties"]
            for name, one in resources.items()
            if one["Type"] == "AWS::CloudWatch::Alarm"
        }

    def put(self, minute, name, value, **dimensions):
        self.series[name, frozenset(dimensions.items())][minute].append(value)

    @functools.cache
    def counted(self, line):
        found = [
            (matches(one["FilterPattern"], json.loads(line)), *one["MetricTransformations"])
            for one in self.filters
        ]
        return [
            (to["MetricName"], int(to["MetricValue"] if is_match else to["DefaultValue"]))
            for is_match, to in found
        ]

    def request(self, minute, operation="response-statistics", outcome="ok", times=1, units=1):
        for _ in range(times):
            status, integration = {
                "gateway_429": ("429", "-"),
                "lambda_429": ("500", "429"),
                "crash": ("502", "200"),
                "internal": ("500", "200"),
                "throttled": ("503", "200"),
                "too_large": ("504", "200"),
            }.get(outcome, ("200", "200"))
            for name, value in self.counted(json.dumps({"status": status, "integrationStatus": integration})):
                self.put(minute, name, value)
            if outcome == "crash":
                function = "UsersFunction" if operation == "users" else "ResponseStatisticsFunction"
                self.put(minute, "Errors", 1, FunctionName=function)
            if outcome in ("gateway_429", "lambda_429", "crash"):  # without a line of the function
                continue
            self.put(minute, "ServerErrors", int(outcome in ("internal", "throttled")), Operation=operation)
            self.put(minute, "Throttled", int(outcome == "throttled"), Operation=operation)
            self.put(minute, "CapacityUnits", units, Operation=operation)

    def check(self, minute, finds="ok"):
        """Runs the check with a secret. It passes only if all is right, or strangers throttle something."""
        for operation in (*OPERATIONS, "response-statistics"):
            self.request(minute, operation, "throttled" if finds == "throttled_credentials" else finds)
        self.put(minute, "Invocations", 1, FunctionName="CheckFunction")
        self.put(
            minute,
            "Errors",
            int(finds not in ("ok", "gateway_429", "lambda_429", "throttled_credentials")),
            FunctionName="CheckFunction",
        )

    def alarming(self):
        """Returns the minutes in which each alarm is on, once there is data of all its periods."""
        minutes = {
            name: [minute for minute in range(MINUTES) if self.is_on(alarm, minute)]
            for name, alarm in self.alarms.items()
        }
        return {name: on for name, on in minutes.items() if on}

    def is_on(self, alarm, minute):
        (period,) = {one["MetricStat"]["Period"] // 60 for one in alarm["Metrics"] if "MetricStat" in one}
        window = alarm["EvaluationPeriods"]
        if minute + 1 < period * window and alarm["TreatMissingData"] == "breaching":
            return False
        points = [self.datapoint(alarm, minute - period * n, period) for n in range(window)]
        return sum(self.breaches(alarm, point) for point in points) >= alarm.get("DatapointsToAlarm", window)

    def breaches(self, alarm, point):
        if point is None:
            return alarm["TreatMissingData"] == "breaching"
        return COMPARISONS[alarm["ComparisonOperator"]](point, alarm["Threshold"])

    def datapoint(self, alarm, last, period):
        if last < period - 1:
            return None
        values = {}
        for one in alarm["Metrics"]:
            if "MetricStat" in one:
                metric, statistic = one["MetricStat"]["Metric"], STATISTICS[one["MetricStat"]["Stat"]]
                dimensions = {each["Name"]: each["Value"] for each in metric.get("Dimensions", [])}
                dimensions = {
                    name: value["Ref"] if isinstance(value, dict) else value
                    for name, value in dimensions.items()
                }
                minutes = self.series[metric["MetricName"], frozenset(dimensions.items())][
                    last - period + 1 : last + 1
                ]
                found = [value for minute in minutes for value in minute]
                values[one["Id"]] = statistic(found) if found else None
        return returned(alarm, values)
