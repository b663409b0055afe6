"""Evaluates the alarms of the rendered template over an hour of requests, as CloudWatch would: once a minute."""

import collections
import fnmatch
import functools
import json
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
    """Evaluates a filter pattern of CloudWatch Logs that compares members of a JSON line. One that is absent equals nothing."""

    def compare(comparison):
        member, operator, expected = comparison.groups()
        value = line
        for name in member.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if value is None:
            return "False"
        expected = json.loads(expected)
        equal = fnmatch.fnmatchcase(value, expected) if isinstance(value, str) else value == expected
        return str(equal == (operator == "="))

    expression = pattern.removeprefix("{").removesuffix("}").replace("||", " or ").replace("&&", " and ")
    return eval(re.sub(r'\$\.([\w.]+)\s*(!?=)\s*("[^"]*"|\d+)', compare, expression).strip())


def returned(alarm, values):
    """Evaluates the metric math of an alarm, whose expressions use those above them; `None` is missing data."""
    functions = {
        "FILL": lambda value, default: default if value is None else value,
        "IF": lambda condition, then, otherwise: then if condition else otherwise,
    }
    values = dict(values)
    for one in alarm["Metrics"]:
        if "Expression" in one:
            expression = one["Expression"].replace(" AND ", " and ").replace(" OR ", " or ")
            try:
                values[one["Id"]] = eval(expression, functions, values)
            except TypeError:  # a missing operand
                values[one["Id"]] = None
    (result,) = [one["Id"] for one in alarm["Metrics"] if one.get("ReturnData", True)]
    return values[result]


class Hour:
    """What happens in an hour, and the metrics that come of it. Minutes without data have none."""

    def __init__(self, resources):
        self.resources = resources
        self.series = collections.defaultdict(lambda: [[] for _ in range(MINUTES)])
        self.filters = [one["Properties"] for one in resources.values() if one["Type"] == "AWS::Logs::MetricFilter"]
        self.counted = functools.cache(self.count)

    def put(self, minute, name, value=1, known=None, **dimensions):
        """Adds a value of `minute`, which nobody knows before another one."""
        self.series[name, frozenset(dimensions.items())][minute].append((minute if known is None else known, value))

    def log(self, minute, group, **line):
        """Writes a line, which has the time at which it is written."""
        if minute < MINUTES:
            for name, value in self.counted(group, json.dumps(line)):
                self.put(minute, name, value)

    def count(self, group, line):
        """Returns what each metric filter of a log group emits for a line."""
        filters = [one for one in self.filters if one["LogGroupName"] == {"Ref": group}]
        found = [(matches(one["FilterPattern"], json.loads(line)), *one["MetricTransformations"]) for one in filters]
        return [(to["MetricName"], int(to["MetricValue"] if is_match else to["DefaultValue"])) for is_match, to in found]

    def invoke(self, minute, function, status="success", duration=200, lasts=0):
        """Lambda's metrics have the time of the invocation, its report that of the end."""
        known = minute + lasts
        self.put(minute, "Invocations", known=known, FunctionName=function)
        self.put(minute, "Errors", int(status != "success"), known, FunctionName=function)
        self.put(minute, "Duration", duration, known, FunctionName=function)
        if function == FUNCTIONS["users"]:
            self.log(known, "UsersLog", type="platform.report", record={"status": status})

    def request(self, minute, operation="response-statistics", outcome="ok", times=1, duration=200, lasts=0):
        for _ in range(times):
            self.request_once(minute, operation, outcome, duration, lasts)

    def request_once(self, minute, operation, outcome, duration, lasts):
        """Sends a request, of which all is known after `lasts` minutes. An ambiguous end of Lambda's is named: `broken_list:error`."""
        outcome, _, report = outcome.partition(":")
        end = minute + lasts
        status, integration, error = {
            "gateway_429": ("429", "-", "THROTTLED"),
            "waf": ("403", "-", "WAF_FILTERED"),
            "lambda_429": ("500", "429", "DEFAULT_5XX"),
            "crash": ("502", "200", "DEFAULT_5XX"),
            "refused": ("401", "200", "-"),
            "internal": ("500", "200", "-"),
            "throttled": ("503", "200", "-"),
            "too_large": ("504", "200", "-"),
        }.get(outcome, ("200", "200", "-"))
        resource = {"users": "/api/users"}.get(operation, "/api/v2/response-statistics")
        self.log(end, "AccessLog", status=status, integrationStatus=integration, error=error, resource=resource)
        if outcome in ("gateway_429", "waf", "lambda_429"):
            return
        self.invoke(minute, FUNCTIONS[operation], report or ("error" if outcome == "crash" else "success"), duration, lasts)
        if outcome == "crash" or report == "timeout":  # without a line of the function
            return
        figures = {
            "Duration": duration,
            "ServerErrors": int(outcome in ("internal", "throttled")),
            "Throttled": int(outcome == "throttled"),
            "TooLarge": int(outcome == "too_large"),
            "Incomplete": int(outcome == "broken_list"),
        }
        for name, value in figures.items():
            self.put(minute, name, value, end, Operation=operation)
        if operation == "users":
            self.log(end, "UsersLog", **figures)

    def check(self, minute, finds="ok"):
        """Runs the synthetic check, which finds that all is well, a limit, or a fault.

        At Lambda's limit it invokes the functions itself before the gateway's request is refused, and again thereafter."""
        for function in FUNCTIONS.values():
            self.invoke(minute, function, "error" if finds == "crash" else "success")
        for operation in FUNCTIONS:
            self.request(minute, operation, "refused" if finds == "ok" else finds)
        is_limited = finds in ("throttled", "gateway_429", "lambda_429", "waf")
        self.invoke(minute, "SyntheticCheckFunction", "success" if finds == "ok" or is_limited else "error")
        self.put(minute, "CheckPassed", int(finds == "ok"), Operation="check")

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
        points = [self.datapoint(alarm, minute - period * n, period, minute) for n in range(window)]
        return sum(map(lambda point: self.breaches(alarm, point), points)) >= alarm.get("DatapointsToAlarm", window)

    def breaches(self, alarm, point):
        if point is None:
            return alarm["TreatMissingData"] == "breaching"
        return COMPARISONS[alarm["ComparisonOperator"]](point, alarm["Threshold"])

    def datapoint(self, alarm, last, period, now):
        if "Metrics" not in alarm:
            return self.statistic(alarm, alarm["Statistic"], last, period, now)
        stats = {one["Id"]: one["MetricStat"] for one in alarm["Metrics"] if "MetricStat" in one}
        values = {name: self.statistic(one["Metric"], one["Stat"], last, period, now) for name, one in stats.items()}
        return returned(alarm, values)

    def statistic(self, metric, statistic, last, period, now):
        dimensions = {one["Name"]: one["Value"] for one in metric.get("Dimensions", [])}
        dimensions = {name: value["Ref"] if isinstance(value, dict) else value for name, value in dimensions.items()}
        minutes = self.series[metric["MetricName"], frozenset(dimensions.items())][last - period + 1 : last + 1]
        values = [value for minute in minutes for known, value in minute if known <= now]
        return STATISTICS[statistic](values) if values else None
