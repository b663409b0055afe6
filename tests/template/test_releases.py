"""Checks how new versions of the functions take over, and that every change publishes one."""

import unittest

from rendering import FUNCTIONS, evaluate, of_type, read, render

# A value of each parameter that differs from its default and does not need another parameter.
OTHER_VALUES = {
    "Architecture": "x86_64",
    "ThrottleRate": "7",
    "LogRetentionDays": "7",
    "AlarmTopicArn": "arn:aws:sns:eu-central-1:111122223333:alarms",
    "PagingTopicArn": "arn:aws:sns:eu-central-1:111122223333:pages",
    "ReadUnitsAlarm": "5000000",
    "CheckSecretArn": "arn:aws:secretsmanager:eu-central-1:111122223333:secret:check-AbCdEf",
    "UsersTableName": "survey-feedback-UsersTable-1ABCDEFGHIJKL",
    "ResponsesTableName": "survey-feedback-ResponsesTable-1ABCDEFGHIJKL",
    "CredentialsTableName": "survey-feedback-CredentialsTable-1ABCDEFGHIJKL",
    "PrivateTraits": "",
    "UsersReservedConcurrency": "20",
    "StatisticsReservedConcurrency": "30",
    "WebAclArn": "arn:aws:wafv2:eu-central-1:111122223333:regional/webacl/one/1",
    "DomainName": "feedback.example.com",
    "CertificateArn": "arn:aws:acm:eu-central-1:111122223333:certificate/1",
    "HostedZoneId": "Z1",
    "PermissionsBoundaryArn": "arn:aws:iam::111122223333:policy/boundary",
}


def version_of(function, resources):
    """Returns what decides whether CloudFormation publishes a version: its logical id and its properties."""
    versions = of_type("AWS::Lambda::Version", resources).items()
    (found,) = [(name, one) for name, one in versions if one["FunctionName"] == {"Ref": function}]
    return found


def published(function, resources):
    """Returns the properties of a function that a version keeps."""
    properties = dict(resources[function]["Properties"])
    properties.pop("ReservedConcurrentExecutions", None)
    return properties


class Releases(unittest.TestCase):
    def test_a_parameter_that_reaches_a_function_publishes_a_version_and_no_other_does(self):
        self.assertEqual(set(OTHER_VALUES), set(read()["Parameters"]))
        needed = {"DomainName": ["CertificateArn"], "CertificateArn": ["DomainName"]}
        needed |= {"HostedZoneId": ["DomainName", "CertificateArn"], "CheckSecretArn": ["AlarmTopicArn"]}
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
            if parameter not in ("DomainName", "CertificateArn", "HostedZoneId", "CheckSecretArn")
            for function in FUNCTIONS
            if published(function, evaluate()["Resources"])
            != published(function, evaluate(**{parameter: value})["Resources"])
        }
        both = {(name, f) for name in ("Architecture", "CredentialsTableName") for f in FUNCTIONS}
        own = {("UsersTableName", "UsersFunction")}
        own |= {(name, "ResponseStatisticsFunction") for name in ("ResponsesTableName", "PrivateTraits")}
        self.assertEqual(reached, both | own)

    def test_code_and_settings_in_the_template_publish_a_version(self):
        versions = lambda template: of_type("AWS::Lambda::Version", template["Resources"]).keys()
        self.assertFalse(versions(render()) & versions(render(code="s3://bucket/other.zip")))

    def test_the_longest_parameters_fit_into_a_versions_description_and_a_policys_name(self):
        longest = {f"{kind}TableName": "x" * 63 for kind in ("Users", "Responses", "Credentials")}
        longest["Architecture"] = "x86_64"
        longest["PrivateTraits"] = "x" * read()["Parameters"]["PrivateTraits"]["MaxLength"]
        resources = evaluate(**longest)["Resources"]
        for function in FUNCTIONS:
            _, properties = version_of(function, resources)
            self.assertLessEqual(len(properties["Description"]), 256)
        for policy in ("UsersTables", "ResponsesTables"):
            self.assertLessEqual(len(resources[policy]["Properties"]["PolicyName"]), 128)

    def test_replaced_versions_are_kept(self):
        for one in evaluate()["Resources"].values():
            if one["Type"] == "AWS::Lambda::Version":
                self.assertEqual((one["DeletionPolicy"], one["UpdateReplacePolicy"]), ("Retain", "Retain"))

    def test_the_previous_version_may_read_its_tables_until_requests_shift_and_the_new_one_its_own(self):
        for function, policy, parameters in [
            ("UsersFunction", "UsersTables", ("UsersTableName", "CredentialsTableName")),
            ("ResponseStatisticsFunction", "ResponsesTables", ("ResponsesTableName", "CredentialsTableName")),
        ]:
            before = evaluate()["Resources"]
            self.assertEqual(before[function]["DependsOn"], policy)
            self.assertEqual(before[policy]["Type"], "AWS::IAM::RolePolicy")
            names = [before[policy]["Properties"]["PolicyName"]]
            for parameter in parameters:
                found = evaluate(**{parameter: "another"})["Resources"]
                # CloudFormation deletes a policy whose name changes only when everything else is done.
                self.assertNotIn(found[policy]["Properties"]["PolicyName"], names)
                names.append(found[policy]["Properties"]["PolicyName"])
                # What the role itself allows is replaced before requests shift.
                role = found[function]["Properties"]["Role"]["Fn::GetAtt"][0]
                self.assertEqual(found[role], before[role])
