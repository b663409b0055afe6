"""Checks how new versions of the functions take over, and that every change publishes one."""

import itertools
import math
import unittest

from rendering import ROOT, evaluate, read, render
from simulation import Hour, returned

FUNCTIONS = {"UsersFunction": "UsersErrorsAlarm", "ResponseStatisticsFunction": "ResponseStatisticsErrorsAlarm"}
# A value of each parameter that differs from its default and does not need another parameter.
OTHER_VALUES = {
    "Architecture": "x86_64",
    "ThrottleRate": "7",
    "LogRetentionDays": "7",
    "AlarmTopicArn": "arn:aws:sns:eu-central-1:111122223333:alarms",
    "PagingTopicArn": "arn:aws:sns:eu-central-1:111122223333:pages",
    "SyntheticCheck": "false",
    "CheckSecretArn": "arn:aws:secretsmanager:eu-central-1:111122223333:secret:check-AbCdEf",
    "DeploymentType": "AllAtOnce",
    "UsersTableName": "survey-feedback-UsersTable-1ABCDEFGHIJKL",
    "ResponsesTableName": "survey-feedback-ResponsesTable-1ABCDEFGHIJKL",
    "CredentialsTableName": "survey-feedback-CredentialsTable-1ABCDEFGHIJKL",
    "ResponsesIndex": "false",
    "PrivateTraits": "",
    "UsersReservedConcurrency": "20",
    "StatisticsReservedConcurrency": "30",
    "WebAclArn": "arn:aws:wafv2:eu-central-1:111122223333:regional/webacl/one/1",
    "PermissionsBoundaryArn": "arn:aws:iam::111122223333:policy/boundary",
    "KmsKeyArn": "arn:aws:kms:eu-central-1:111122223333:key/1",
    "DomainName": "feedback.example.com",
    "CertificateArn": "arn:aws:acm:eu-central-1:111122223333:certificate/1",
    "HostedZoneId": "Z1",
}


def version_of(function, resources):
    """Returns what decides whether CloudFormation publishes a version: its logical id and its properties."""
    ((name, version),) = [
        (name, one)
        for name, one in resources.items()
        if one["Type"] == "AWS::Lambda::Version" and one["Properties"]["FunctionName"] == {"Ref": function}
    ]
    return name, version["Properties"]


def published(function, resources):
    """Returns the properties of a function that a version keeps."""
    properties = dict(resources[function]["Properties"])
    properties.pop("ReservedConcurrentExecutions", None)
    return properties


def noticed_in_canary(alarm, counts, requests):
    """Returns the chance that an alarm goes off in a canary's five minutes, if each request to the new version counts.

    The requests of a minute are given; each has a chance of one in ten to reach the new version. `counts` is the metric in which
    they count.
    """
    (period,) = {one["MetricStat"]["Period"] for one in alarm["Metrics"] if "MetricStat" in one}
    window = alarm["EvaluationPeriods"]
    needed = alarm.get("DatapointsToAlarm", window)
    all_requests = requests * period // 60

    def breaches(failed):
        others = {one["Id"]: None for one in alarm["Metrics"]} | {"invocations": all_requests}
        return returned(alarm, others | {counts: failed, "served": all_requests - failed}) >= alarm["Threshold"]

    chances = (math.comb(all_requests, n) * 0.1**n * 0.9 ** (all_requests - n) for n in range(all_requests + 1))
    quiet = sum(chance for n, chance in enumerate(chances) if not breaches(n))
    chance = 0
    for periods in itertools.product([False, True], repeat=300 // period):
        if any(sum(periods[max(0, end - window) : end]) >= needed for end in range(1, len(periods) + 1)):
            chance += math.prod(1 - quiet if breaching else quiet for breaching in periods)
    return chance


class Releases(unittest.TestCase):
    def test_a_parameter_that_reaches_a_function_publishes_a_version_and_no_other_does(self):
        self.assertEqual(set(OTHER_VALUES), set(read()["Parameters"]))
        needed = {"DomainName": ["CertificateArn"], "CertificateArn": ["DomainName"]}
        needed["HostedZoneId"] = ["DomainName", "CertificateArn"]
        before = evaluate()["Resources"]
        for parameter in OTHER_VALUES:
            names = [parameter, *needed.get(parameter, [])]
            after = evaluate(**{name: OTHER_VALUES[name] for name in names})["Resources"]
            for function in FUNCTIONS:
                self.assertEqual(
                    version_of(function, before) != version_of(function, after),
                    published(function, before) != published(function, after),
                    f"{parameter}, {function}",
                )

    def test_the_test_above_sees_which_parameters_reach_which_function(self):
        reached = {
            (parameter, function)
            for parameter, value in OTHER_VALUES.items()
            if parameter not in ("DomainName", "CertificateArn", "HostedZoneId")
            for function in FUNCTIONS
            if published(function, evaluate()["Resources"])
            != published(function, evaluate(**{parameter: value})["Resources"])
        }
        both = {(name, f) for name in ("Architecture", "CredentialsTableName") for f in FUNCTIONS}
        own = {("UsersTableName", "UsersFunction")}
        own |= {(name, "ResponseStatisticsFunction") for name in ("ResponsesTableName", "ResponsesIndex", "PrivateTraits")}
        self.assertEqual(reached, both | own)

    def test_code_and_settings_in_the_template_publish_a_version(self):
        def versions(template):
            return {name for name, one in template["Resources"].items() if one["Type"] == "AWS::Lambda::Version"}

        self.assertFalse(versions(render()) & versions(render(code="s3://bucket/other.zip")))

    def test_a_versions_description_fits_its_limit_with_the_longest_parameters(self):
        architecture = {"Architecture": "x86_64", "ResponsesIndex": "false"}
        names = {f"{kind}TableName": "x" * 100 for kind in ("Users", "Responses", "Credentials")}
        # A list of one's own has as much room as the names of the tables leave: all, if they are the default ones.
        own = {"PrivateTraits": "x" * read()["Parameters"]["PrivateTraits"]["MaxLength"]}
        for parameters in (architecture | names, architecture | own):
            resources = evaluate(**parameters)["Resources"]
            for function in FUNCTIONS:
                _, properties = version_of(function, resources)
                self.assertLessEqual(len(properties["Description"]), 256)

    def test_replaced_versions_are_kept(self):
        for one in evaluate()["Resources"].values():
            if one["Type"] == "AWS::Lambda::Version":
                self.assertEqual((one["DeletionPolicy"], one["UpdateReplacePolicy"]), ("Retain", "Retain"))

    def test_aliases_shift_gradually_and_are_rolled_back_by_server_and_function_errors_only(self):
        resources = evaluate()["Resources"]
        for function, alarm in FUNCTIONS.items():
            alias = resources[f"{function}Aliaslive"]
            group_name = alias["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]["DeploymentGroupName"]["Ref"]
            group = resources[group_name]["Properties"]
            self.assertEqual(group["DeploymentConfigName"], "CodeDeployDefault.LambdaCanary10Percent5Minutes")
            self.assertIn("DEPLOYMENT_STOP_ON_ALARM", group["AutoRollbackConfiguration"]["Events"])
            self.assertEqual(
                group["AlarmConfiguration"],
                {"Enabled": True, "Alarms": [{"Name": {"Ref": "ServerErrorsAlarm"}}, {"Name": {"Ref": alarm}}]},
            )
            self.assertEqual(group["ServiceRoleArn"], {"Fn::GetAtt": ["DeploymentRole", "Arn"]})

    def test_alarms_that_roll_back_go_off_within_the_shortest_shift_but_not_after_one_error(self):
        resources = evaluate()["Resources"]
        for operation, function_alarm in zip(("users", "response-statistics"), FUNCTIONS.values()):
            for outcome, name, requests in [("internal", "ServerErrorsAlarm", 3), ("crash", function_alarm, 1)]:
                once, lasting = Hour(resources), Hour(resources)
                once.request(20, operation, outcome, times=requests)
                for minute in range(20, 25):
                    lasting.request(minute, operation, outcome, times=requests)
                self.assertNotIn(name, once.alarming())
                self.assertLess(lasting.alarming()[name][0], 25)

    def test_the_documentation_says_how_many_bad_versions_the_alarms_of_a_canary_notice(self):
        resources = evaluate()["Resources"]
        row = {
            "ends in requests": ("ResponseStatisticsErrorsAlarm", "ended"),
            "answers 500": ("ServerErrorsAlarm", "statistics"),
        }
        table = (ROOT / "docs" / "aws.md").read_text().split("| a version that |")[1].split("\n\n")[0]
        for fault, (name, counts) in row.items():
            noticed = [noticed_in_canary(resources[name]["Properties"], counts, rate) for rate in (1, 10, 100)]
            (line,) = [line for line in table.splitlines() if line.strip().startswith(f"| {fault}")]
            self.assertEqual(line.split(" | ")[-1], " ".join(f"{chance:.0%}" for chance in noticed).replace("%", " %") + " |")

    def test_the_previous_version_may_read_its_tables_until_requests_have_shifted_and_the_new_one_its_own(self):
        policies = {
            "UsersFunction": {"UsersTableName": "UsersTablePolicy", "CredentialsTableName": "UsersCredentialsPolicy"},
            "ResponseStatisticsFunction": {
                "ResponsesTableName": "ResponsesTablePolicy",
                "CredentialsTableName": "ResponseStatisticsCredentialsPolicy",
            },
        }
        for function, of_tables in policies.items():
            before = evaluate()["Resources"]
            self.assertEqual(set(before[function]["DependsOn"]), set(of_tables.values()))
            for parameter, policy in of_tables.items():
                names = []
                for table in ("one", "two", "three"):
                    found = evaluate(**{parameter: table})["Resources"]
                    # CloudFormation deletes a policy whose name changes only when everything else is done.
                    self.assertEqual(found[policy]["Type"], "AWS::IAM::RolePolicy")
                    self.assertNotIn(found[policy]["Properties"]["PolicyName"], names)
                    names.append(found[policy]["Properties"]["PolicyName"])
                    # What the role itself allows is replaced before requests shift.
                    role = found[function]["Properties"]["Role"]["Fn::GetAtt"][0]
                    self.assertEqual(found[role], before[role])

    def test_a_fix_can_shift_at_once_whatever_the_alarms_say(self):
        resources = evaluate(DeploymentType="AllAtOnce")["Resources"]
        for function in FUNCTIONS:
            group = resources[f"{function}DeploymentGroup"]["Properties"]
            self.assertEqual(group["DeploymentConfigName"], "CodeDeployDefault.LambdaAllAtOnce")
            self.assertEqual(group["AlarmConfiguration"], {})

    def test_every_deployment_type_is_one_of_codedeploys(self):
        for kind in read()["Parameters"]["DeploymentType"]["AllowedValues"]:
            group = evaluate(DeploymentType=kind)["Resources"]["UsersFunctionDeploymentGroup"]["Properties"]
            self.assertEqual(group["DeploymentConfigName"], f"CodeDeployDefault.Lambda{kind}")


if __name__ == "__main__":
    unittest.main()
