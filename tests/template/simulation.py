"""Evaluates the alarms of monitoring.yaml over an hour, once a minute, as CloudWatch would."""

import collections
import fnmatch
import functools
import json
import operator
import re

from rendering import of_type

MINUTES = 60
COMPARISONS = {"GreaterThanOrEqualToThreshold": operator.ge, "LessThanThreshold": operator.lt}


def equals(value, expected):
    """Compares as a filter pattern does, in which `*` in a text stands for any characters."""
    texts = isinstance(value, str) and isinstance(expected, str)
    return fnmatch.fnmatchcase(value, expected) if texts else value == expected


def matches(pattern, line):
    """Evaluates a filter pattern of CloudWatch Logs over a JSON line. What a line lacks equals nothing."""
    comparisons = {
        "=": equals,
        "!=": lambda value, expected: value is not None and not equals(value, expected),
        ">=": lambda value, expected: value is not None and value >= expected,
        ">": lambda value, expected: value is not None and value > expected,
        "IS": lambda value, expected: value is expected,
        "NOT EXISTS": lambda value, _: value is None,
    }

    def compare(comparison):
        value = line
        for member in comparison["member"].split("."):
            value = value.get(member) if isinstance(value, dict) else None
        expected = comparison["expected"] and json.loads(comparison["expected"].replace("FALSE", "false"))
        return str(comparisons[comparison["operator"]](value, expected))

    term = r'\$\.(?P<member>[\w.]+)\s*(?P<operator>NOT EXISTS|IS|[!>]?=|>)\s*(?P<expected>"[^"]*"|\d+|FALSE)?'
    expression = re.sub(term, compare, pattern.strip().removeprefix("{").removesuffix("}"))
    return eval(" ".join(expression.replace("||", " or ").replace("&&", " and ").split()))


def returned(alarm, values):
    """Evaluates the metric math of an alarm; `None` is missing data, which `SUM` and `MAX` leave out."""

    def over(function):
        return lambda series: (
            function(known) if (known := [one for one in series if one is not None]) else None
        )

    functions = {"SUM": over(sum), "MAX": over(max)}
    values = dict(values)
    for one in reversed(alarm["Metrics"]):  # each uses those below it
        if "Expression" in one:
            try:
                values[one["Id"]] = eval(one["Expression"], functions, values)
            except TypeError:  # a missing operand
                values[one["Id"]] = None
    (result,) = [one["Id"] for one in alarm["Metrics"] if one.get("ReturnData", True)]
    return values[result]


def stats(alarm):
    """Returns the metrics that an alarm reads, by their ids."""
    if "MetricName" in alarm:
        metric = {"Namespace": alarm["Namespace"], "MetricName": alarm["MetricName"]}
        return {None: {"Metric": metric, "Stat": alarm["Statistic"], "Period": alarm["Period"]}}
    return {one["Id"]: one["MetricStat"] for one in alarm["Metrics"] if "MetricStat" in one}


class Hour:
    """What happens in an hour, and the metrics that come of it. Minutes without data have none."""

    def __init__(self, resources):
        self.series = collections.defaultdict(lambda: [[] for _ in range(MINUTES)])
        self.filters = of_type("AWS::Logs::MetricFilter", resources).values()
        self.alarms = of_type("AWS::CloudWatch::Alarm", resources)

    def put(self, minute, name, value, **dimensions):
        self.series[name, frozenset(dimensions.items())][minute].append(value)

    @functools.cache
    def counted(self, group, line):
        line = json.loads(line)
        of_group = [one for one in self.filters if one["LogGroupName"] == {"Ref": group}]
        found = [(one["FilterPattern"], to) for one in of_group for to in one["MetricTransformations"]]
        value = lambda pattern, to: self.value(to, line) if matches(pattern, line) else to["DefaultValue"]
        return [(to["MetricName"], float(value(pattern, to))) for pattern, to in found]

    @staticmethod
    def value(to, line):
        text = to["MetricValue"]
        return line[text.removeprefix("$.")] if text.startswith("$.") else text

    def write(self, minute, group, **line):
        for name, value in self.counted(group, json.dumps(line)):
            self.put(minute, name, value)

    def request(self, minute, outcome="ok", times=1, units=1):
        """Writes the lines of requests as the gateway, the functions and Lambda do."""
        status, cause, complete = {
            "internal": (500, None, True),
            "throttled": (503, "throttled", True),
            "too_large": (504, "too_large", True),
            "broken_list": (200, None, False),
        }.get(outcome, (200, None, True))
        gateway, integration, error = {
            "gateway_429": ("429", "-", "THROTTLED"),
            "gateway_503": ("503", "-", "INTEGRATION_TIMEOUT"),
            "lambda_429": ("503", "429", "DEFAULT_5XX"),
            "blocked": ("403", "-", "WAF_FILTERED"),
            "crash": ("503", "200", "DEFAULT_5XX"),
        }.get(outcome, (str(status), "200", "-"))
        own = {"status": status, "complete": complete, "capacity_units": units} | ({"cause": cause} if cause else {})
        ended = "success" if outcome not in ("crash", "broken_list") else "error"
        for _ in range(times):
            self.write(minute, "AccessLog", status=gateway, integrationStatus=integration, error=error)
            if integration != "200":
                continue
            if outcome != "crash":
                self.write(minute, "FunctionsLog", **own)
            self.write(minute, "FunctionsLog", type="platform.report", record={"status": ended})

    def check(self, minute, finds="ok"):
        """Runs the check with a secret. It passes only if all is right, or strangers throttle something."""
        self.request(minute, "throttled" if finds == "throttled_credentials" else finds, times=3)
        self.put(minute, "Invocations", 1, FunctionName="CheckFunction")
        passes = finds in ("ok", "gateway_429", "lambda_429", "throttled_credentials")
        self.put(minute, "Errors", int(not passes), FunctionName="CheckFunction")

    def alarming(self):
        """Returns the minutes in which each alarm is on, once there is data of all its periods."""
        minutes = lambda alarm: [minute for minute in range(MINUTES) if self.is_on(alarm, minute)]
        return {name: on for name, alarm in self.alarms.items() if (on := minutes(alarm))}

    def is_on(self, alarm, minute):
        (period,) = {stat["Period"] // 60 for stat in stats(alarm).values()}
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
        for name, stat in stats(alarm).items():
            metric = stat["Metric"]
            dimensions = frozenset((one["Name"], one["Value"]["Ref"]) for one in metric.get("Dimensions", []))
            minutes = self.series[metric["MetricName"], dimensions][last - period + 1 : last + 1]
            found = [value for minute in minutes for value in minute]
            values[name] = sum(found) if found else None
        return returned(alarm, values) if "Metrics" in alarm else values[None]
