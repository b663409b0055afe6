"""Checks the alarms, what they read, what the page says of them, and what a stack costs that nobody asks."""

import json
import re
import unittest

from rendering import MONITORING, ROOT, evaluate, of_type, read
from simulation import Hour, matches, stats

LOG = (ROOT / "shared" / "service" / "src" / "log.rs").read_text()
OPERATE = (ROOT / "docs" / "aws-operate.md").read_text()
NAMESPACE = {"Fn::Sub": "SurveyFeedback/${AWS::StackName}"}
UNITS = read()["Parameters"]["ReadUnitsAlarm"]["Default"]
RESOURCES = evaluate(MONITORING, ReadUnitsAlarm=str(UNITS))["Resources"]
ALARMS = of_type("AWS::CloudWatch::Alarm", RESOURCES)
FILTERS = of_type("AWS::Logs::MetricFilter", RESOURCES)


class Hours(unittest.TestCase):
    """Each alarm while nobody comes, while many do, while limits hold, and while it breaks."""

    def hour(self, checked="ok", busy=0, **meanwhile):
        """Returns an hour with checks, with requests that succeed, and with those of other outcomes."""
        hour = Hour(RESOURCES)
        for minute in range(60):
            hour.check(minute, checked)
            hour.request(minute, times=busy)
            for outcome, times in meanwhile.items():
                hour.request(minute, outcome, times=times)
        return hour

    def interrupted(self, minutes, finds):
        """Returns an hour whose checks find something else for some minutes, or do not run in them."""
        hour = Hour(RESOURCES)
        for minute in range(60):
            if not 20 <= minute < 20 + minutes:
                hour.check(minute)
            elif finds:
                hour.check(minute, finds)
        return hour

    def test_an_idle_hour_and_a_busy_one_sound_no_alarm(self):
        self.assertEqual(self.hour().alarming(), {})
        self.assertEqual(self.hour(busy=100).alarming(), {})

    def test_one_fault_informs_for_an_hour_and_wakes_nobody(self):
        for outcome in ("internal", "crash", "broken_list", "gateway_503"):
            hour = self.hour(busy=10)
            hour.request(20, outcome)
            self.assertEqual(hour.alarming(), {"FaultsAlarm": [*range(20, 60)]}, outcome)

    def test_faults_that_the_check_does_not_meet_inform_at_once_and_wake_nobody(self):
        for busy in (0, 100):
            hour = self.hour(busy=busy)
            for minute in range(20, 60):
                hour.request(minute, "internal", times=50)
            self.assertEqual(hour.alarming(), {"FaultsAlarm": [*range(20, 60)]})

    def test_what_clients_cause_wakes_nobody_and_is_reported(self):
        limits = {"LimitsAlarm"}
        for outcome, sounds in [
            ("throttled", limits), ("gateway_429", limits), ("lambda_429", limits), ("blocked", limits), ("too_large", set())
        ]:
            hour = self.hour(busy=10, **{outcome: 50})
            self.assertEqual(set(hour.alarming()), sounds, outcome)

    def test_a_check_that_finds_only_what_strangers_throttle_wakes_nobody_and_is_reported(self):
        for finds in ("throttled_credentials", "lambda_429"):
            self.assertEqual(set(self.hour(checked=finds).alarming()), {"LimitsAlarm"}, finds)

    def test_a_table_that_throttles_for_ten_minutes_wakes(self):
        for minutes, sounds in [(9, {"LimitsAlarm"}), (10, {"LimitsAlarm", "CheckAlarm"})]:
            hour = self.interrupted(minutes, "throttled")
            self.assertEqual(set(hour.alarming()), sounds)

    def test_strangers_who_keep_the_check_out_of_the_gateway_wake_nobody(self):
        hour = self.hour(checked="gateway_429", gateway_429=1_000)
        self.assertEqual(set(hour.alarming()), {"LimitsAlarm"})

    def test_ten_requests_in_five_minutes_are_limits_and_nine_are_not(self):
        for outcome in ("throttled", "gateway_429", "lambda_429", "blocked"):
            for times, sounds in [(9, set()), (10, {"LimitsAlarm"})]:
                hour = self.hour()
                hour.request(30, outcome, times=times)
                self.assertEqual(set(hour.alarming()), sounds, outcome)

    def test_more_units_than_the_template_states_are_a_limit(self):
        for units, sounds in [(0.9 * UNITS, set()), (UNITS, {"LimitsAlarm"})]:
            hour = self.hour()
            hour.request(30, units=units)
            self.assertEqual(set(hour.alarming()), sounds)

    def test_a_fault_is_seen_among_throttled_requests(self):
        hour = self.hour(busy=10)
        hour.request(20, "throttled", times=20)
        hour.request(20, "internal")
        self.assertEqual(set(hour.alarming()), {"LimitsAlarm", "FaultsAlarm"})

    def test_a_check_that_fails_or_does_not_run_wakes_after_ten_minutes(self):
        for finds in ("crash", "internal", None):
            for minutes, sounds in [(9, set()), (10, {"CheckAlarm"})]:
                on = self.interrupted(minutes, finds).alarming()
                faults = {"FaultsAlarm"} if finds else set()
                self.assertEqual(set(on), sounds | faults, finds)
                self.assertEqual(on.get("CheckAlarm", [29])[0], 29)


class Alarms(unittest.TestCase):
    def test_one_wakes_and_two_inform_and_either_topic_stands_for_the_other(self):
        told = {name: alarm["AlarmActions"] for name, alarm in ALARMS.items()}
        inform = [{"Ref": "AlarmTopicArn"}]
        wakes = [{"Ref": "PagingTopicArn"}]
        self.assertEqual(told, {"CheckAlarm": wakes, "FaultsAlarm": inform, "LimitsAlarm": inform})
        for topics, passed in [
            ({"AlarmTopicArn": "alarms"}, ("alarms", "alarms")),
            ({"PagingTopicArn": "pages"}, ("pages", "pages")),
            ({"AlarmTopicArn": "alarms", "PagingTopicArn": "pages"}, ("alarms", "pages")),
        ]:
            found = evaluate(**topics)
            parameters = found["Resources"]["Monitoring"]["Properties"]["Parameters"]
            self.assertEqual((parameters["AlarmTopicArn"], parameters["PagingTopicArn"]), passed)
            self.assertNotIn("Nobody", found["Outputs"]["Alarms"]["Value"])
        self.assertIn("Nobody", evaluate()["Outputs"]["Alarms"]["Value"])

    def test_the_service_passes_every_parameter_of_the_monitoring_and_its_own_groups(self):
        passed = evaluate(AlarmTopicArn="arn")["Resources"]["Monitoring"]["Properties"]["Parameters"]
        self.assertEqual(set(passed), set(read(MONITORING)["Parameters"]))
        for group in ("FunctionsLog", "AccessLog"):
            self.assertEqual(passed[group], {"Ref": group})

    def test_lines_of_the_gateway_are_faults_and_refusals_of_its_own(self):
        stage = evaluate()["Resources"]["ApiprodStage"]["Properties"]
        form = json.loads(stage["AccessLogSetting"]["Format"])
        self.assertEqual(form["status"], "$context.status")
        self.assertEqual(form["integrationStatus"], "$context.integration.integrationStatus")
        self.assertEqual(form["error"], "$context.error.responseType")
        for status, integration, error, counted in [
            ("200", "200", "-", set()),
            ("503", "200", "-", set()),  # the function's own, which its line counts
            ("404", "-", "MISSING_AUTHENTICATION_TOKEN", set()),
            ("503", "200", "DEFAULT_5XX", {"GatewayFaults"}),
            ("503", "-", "INTEGRATION_TIMEOUT", {"GatewayFaults"}),
            ("503", "429", "DEFAULT_5XX", {"Refusals"}),
            ("429", "-", "THROTTLED", {"Refusals"}),
            ("429", "-", "WAF_FILTERED", {"Refusals"}),
            ("403", "-", "WAF_FILTERED", {"Refusals"}),
        ]:
            line = {"status": status, "integrationStatus": integration, "error": error}
            of_gateway = {name: one for name, one in FILTERS.items() if one["LogGroupName"] == {"Ref": "AccessLog"}}
            found = {name for name, one in of_gateway.items() if matches(one["FilterPattern"], line)}
            self.assertEqual(found, counted, line)

    def test_filters_read_members_that_the_logs_have(self):
        own = members_of_the_log() | {"type", "record.status"}
        form = json.loads(evaluate()["Resources"]["ApiprodStage"]["Properties"]["AccessLogSetting"]["Format"])
        for name, one in FILTERS.items():
            (to,) = one["MetricTransformations"]
            used = set(re.findall(r"\$\.([\w.]+)", one["FilterPattern"] + to["MetricValue"]))
            self.assertLessEqual(used, set(form) if one["LogGroupName"] == {"Ref": "AccessLog"} else own, name)

    def test_alarms_read_metrics_that_exist_and_every_filter_is_read(self):
        # Without a default value there would be no data before the first line that matches.
        written = [to for one in FILTERS.values() for to in one["MetricTransformations"]]
        members = lambda to: (to["MetricNamespace"]["Fn::Sub"], to["MetricName"], to["DefaultValue"])
        made = {members(to) for to in written}
        used = set()
        for alarm in ALARMS.values():
            for stat in stats(alarm).values():
                metric = stat["Metric"]
                if metric["Namespace"] == "AWS/Lambda":
                    check = {"Name": "FunctionName", "Value": {"Ref": "CheckFunction"}}
                    self.assertEqual(metric["Dimensions"], [check])
                else:
                    used.add((metric["Namespace"]["Fn::Sub"], metric["MetricName"], 0))
        self.assertEqual(made, used)

    def test_an_alarm_names_its_logs_and_its_heading_of_the_page(self):
        headings = set(re.findall(r"^### (\w+Alarm)$", OPERATE, re.MULTILINE))
        self.assertEqual(headings, set(ALARMS))
        for name, alarm in ALARMS.items():
            text = alarm["AlarmDescription"]["Fn::Sub"]
            self.assertIn(f"docs/aws-operate.md#{name.lower()}", text)
            logs = {"${ChecksLog}"} if name == "CheckAlarm" else {"${FunctionsLog}", "${AccessLog}"}
            self.assertEqual(set(re.findall(r"\$\{\w+}", text)), logs)

    def test_queries_name_members_of_the_logs_that_they_read(self):
        saved = of_type("AWS::Logs::QueryDefinition", RESOURCES).values()
        queries = [({one["Ref"] for one in query["LogGroupNames"]}, query["QueryString"]) for query in saved]
        # A query of the page names its group first.
        queries += [({group}, query) for group, query in re.findall(r"^```\n# (\w+)\n(.*?)```", OPERATE, re.M | re.S)]
        self.assertEqual(len(queries), 4)
        stage = evaluate()["Resources"]["ApiprodStage"]["Properties"]
        # Those of Lambda, and what the lines of faults add.
        of_lambda = {"type", "record.status", "level", "message", "code", "errorMessage"}
        members = {
            "FunctionsLog": members_of_the_log() | of_lambda,
            "AccessLog": set(json.loads(stage["AccessLogSetting"]["Format"])),
            "ChecksLog": of_lambda,
        }
        language = set("filter fields stats sort limit by as and or not like desc ispresent coalesce count sum".split())
        for groups, query in queries:
            text = re.sub(r'"[^"]*"|/[^/]*/|@\w+', "", query)
            words = set(re.findall(r"[A-Za-z_]+(?:\.\w+)?", text)) - language - set(re.findall(r"\bas (\w+)", text))
            self.assertLessEqual(words, set().union(*(members[group] for group in groups)), query)
            self.assertGreaterEqual(len(words), 2)

    def test_the_saved_queries_of_the_page_exist(self):
        saved = of_type("AWS::Logs::QueryDefinition", RESOURCES).values()
        names = {query["Name"]["Fn::Sub"].removeprefix("${AWS::StackName}/") for query in saved}
        self.assertEqual(set(re.findall(r"query\s`…/(\w+)`", OPERATE)), names)


def members_of_the_log():
    """Returns the members of a request's line."""
    (written,) = re.findall(r"tracing::info!\((.*?)\);", LOG, re.DOTALL)
    return set(re.findall(r"^ +(\w+) =", written, re.MULTILINE))


class Costs(unittest.TestCase):
    """What a month without requests costs, in dollars of us-east-1."""

    MINUTES = 43_800

    def test_without_a_topic_nothing_is_billed_at_rest(self):
        free = ("AWS::ApiGateway::", "AWS::IAM::", "AWS::Lambda::", "AWS::Logs::LogGroup")
        for name, one in evaluate()["Resources"].items():
            self.assertTrue(one["Type"].startswith(free), name)
            self.assertNotIn("ProvisionedConcurrencyConfig", one["Properties"], name)

    def test_the_page_says_what_monitoring_costs_and_that_is_at_most_four_dollars(self):
        read = [stat["Metric"] for alarm in ALARMS.values() for stat in stats(alarm).values()]
        made = {to["MetricName"] for one in FILTERS.values() for to in one["MetricTransformations"]}
        self.assertEqual(set(of_type("AWS::Events::Rule", RESOURCES)), {"CheckFunctionMinute"})
        check = (ROOT / "checks" / "check.py").read_text()
        self.assertIn("of_each = (reads_its_tables, refuses_an_unknown_key)", check)
        through_the_gateway, direct = 2, 2  # one of each, of both functions
        invocations = self.MINUTES * (1 + direct + through_the_gateway)
        memory = int(of_type("AWS::Lambda::Function", RESOURCES)["CheckFunction"]["MemorySize"]) / 1024
        seconds_of_memory = self.MINUTES * (memory * 1.0 + (direct + through_the_gateway) * 0.05)
        costs = {
            "alarms": 0.10 * len(read),
            "metrics": 0.30 * len(made),
            "gateway": self.MINUTES * through_the_gateway * 3.50e-6,
            "lambda": invocations * 0.20e-6 + seconds_of_memory * 13.3334e-6,
            "reads": self.MINUTES * 7 * 0.125e-6,
            "logs": 0.50e-9 * (invocations * 1_200 + self.MINUTES * through_the_gateway * 350),
        }
        total = sum(costs.values())
        self.assertLessEqual(total, 4.0)
        stated = (
            f"| with `AlarmTopicArn` | ${total:.2f} a month | {len(ALARMS)} alarms of {len(read)} metrics "
            f"${costs['alarms']:.2f}, {len(made)} metrics of logs ${costs['metrics']:.2f}, the check "
            f"${total - costs['alarms'] - costs['metrics']:.2f} |"
        )
        self.assertIn(stated, OPERATE)
