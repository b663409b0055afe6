"""Evaluates the alarms of the rendered template over an hour of requests, as CloudWatch would: once a minute."""

import collections
import fnmatch
import math
import re

MINUTES = 60
FUNCTIONS = {"users": "UsersFunction", "response-statistics": "ResponseStatisticsFunction"}
COMPARISONS = {
    "GreaterThanOrEqualToThreshold": lambda value, threshold: value >= threshold,
    "GreaterThanThreshold": lambda value, threshold: value > threshold,
    "LessThanThreshold": lambda value, threshold: value < threshold,
}
STATISTICS = {
    "Sum": sum,
    "Maximum": max,
    "SampleCount": len,
    "p99": lambda values: sorted(values)[math.ceil(0.99 * len(values)) - 1],
}


def matches(pattern, line):
    """Evaluates a filter pattern of CloudWatch Logs that compares members of a JSON line."""

    def compare(comparison):
        member, operator, value = comparison.groups()
        return str(fnmatch.fnmatchcase(line[member], value) == (operator == "="))

    expression = pattern.removeprefix("{").removesuffix("}").replace("||", " or ").replace("&&", " and ")
    return eval(re.sub(r'\$\.(\w+)\s*(!?=)\s*"([^"]*)"', compare, expression).strip())


def returned(alarm, values):
    """Evaluates the metric math of an alarm; `None` is missing data."""
    (expression,) = [one["Expression"] for one in alarm["Metrics"] if one.get("ReturnData", True)]
    functions = {
        "FILL": lambda value, default: default if value is None else value,
        "IF": lambda condition, then, otherwise: then if condition else otherwise,
    }
    try:
        return eval(expression.replace(" AND ", " and "), functions, values)
    except TypeError:  # a missing operand
        return None


class Hour:
    """What happens in an hour, and the metrics that come of it. Minutes without data have none."""

    def __init__(self, resources):
        self.resources = resources
        self.series = collections.defaultdict(lambda: [[] for _ in range(MINUTES)])
        filters = [one["Properties"] for one in resources.values() if one["Type"] == "AWS::Logs::MetricFilter"]
        self.filters = [(one["FilterPattern"], one["MetricTransformations"][0]) for one in filters]

    def put(self, minute, name, subject=None, value=1):
        self.series[name, subject][minute].append(value)

    def answer(self, minute, status, integration="200", error="-"):
        """Logs an access."""
        line = {"status": status, "integrationStatus": integration, "error": error}
        for pattern, transformation in self.filters:
            self.put(minute, transformation["MetricName"], value=int(matches(pattern, line)))

    def invoke(self, minute, function, failed=False):
        self.put(minute, "Invocations", function)
        self.put(minute, "Errors", function, int(failed))

    def request(self, minute, operation="response-statistics", outcome="ok", times=1, duration=200):
        for _ in range(times):
            if outcome in ("gateway_429", "waf"):
                self.answer(minute, *{"gateway_429": ("429", "-", "THROTTLED"), "waf": ("403", "-", "WAF_FILTERED")}[outcome])
                continue
            if outcome == "lambda_429":
                self.answer(minute, "500", "429", "DEFAULT_5XX")
                continue
            function = FUNCTIONS[operation]
            self.put(minute, "Duration", function, duration)
            self.invoke(minute, function, outcome in ("crash", "broken_list"))
            if outcome == "crash":
                self.answer(minute, "502", "200", "DEFAULT_5XX")
                continue
            status = {"internal": "500", "throttled": "503", "too_large": "504"}.get(outcome, "200")
            self.answer(minute, status)
            self.put(minute, "Duration", operation, duration)
            self.put(minute, "ServerErrors", operation, int(outcome in ("internal", "throttled")))
            self.put(minute, "Throttled", operation, int(outcome == "throttled"))
            self.put(minute, "TooLarge", operation, int(outcome == "too_large"))
            self.put(minute, "Incomplete", operation, int(outcome == "broken_list"))

    def check(self, minute, finds="ok"):
        """Runs the synthetic check, which finds that all is well, a limit, or a fault."""
        for function in FUNCTIONS.values():
            self.invoke(minute, function, finds == "crash")
        for operation in FUNCTIONS:
            self.request(minute, operation, finds)
        is_limited = finds in ("throttled", "gateway_429")
        self.invoke(minute, "SyntheticCheckFunction", not is_limited and finds != "ok")
        self.put(minute, "CheckLimited", "check", int(is_limited))

    def alarming(self):
        """Returns the minutes in which each alarm is on, once there is data of all its periods."""
        alarms = {name: one["Properties"] for name, one in self.resources.items() if one["Type"] == "AWS::CloudWatch::Alarm"}
        minutes = {name: [minute for minute in range(MINUTES) if self.is_on(alarm, minute)] for name, alarm in alarms.items()}
        rule = self.resources["PagingAlarm"]["Properties"]["AlarmRule"]["Fn::Join"][1]
        paging = [re.fullmatch(r'ALARM\("\$\{(\w+)}"\)', part["Fn::Sub"])[1] for part in rule]
        minutes["PagingAlarm"] = sorted({minute for name in paging for minute in minutes[name]})
        return {name: on for name, on in minutes.items() if on}

    def is_on(self, alarm, minute):
        stats = [one["MetricStat"] for one in alarm.get("Metrics", []) if "MetricStat" in one]
        (period,) = {one["Period"] // 60 for one in stats or [alarm]}
        window = alarm["EvaluationPeriods"]
        if minute + 1 < period * window:
            return False
        points = [self.datapoint(alarm, minute - period * n, period) for n in range(window)]
        return sum(map(lambda point: self.breaches(alarm, point), points)) >= alarm.get("DatapointsToAlarm", window)

    def breaches(self, alarm, point):
        if point is None:
            return alarm["TreatMissingData"] == "breaching"
        return COMPARISONS[alarm["ComparisonOperator"]](point, alarm["Threshold"])

    def datapoint(self, alarm, last, period):
        if "Metrics" not in alarm:
            return self.statistic(alarm, alarm["Statistic"], last, period)
        stats = {one["Id"]: one["MetricStat"] for one in alarm["Metrics"] if "MetricStat" in one}
        return returned(alarm, {name: self.statistic(one["Metric"], one["Stat"], last, period) for name, one in stats.items()})

    def statistic(self, metric, statistic, last, period):
        subjects = [one["Value"] for one in metric.get("Dimensions", [])] or [None]
        (subject,) = [one["Ref"] if isinstance(one, dict) else one for one in subjects]
        minutes = self.series[metric["MetricName"], subject][last - period + 1 : last + 1]
        values = [value for minute in minutes for value in minute]
        return STATISTICS[statistic](values) if values else None
