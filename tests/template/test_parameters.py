"""Checks what each parameter of both templates changes."""

import json
import re
import unittest

from rendering import ABSENT, DATA, MONITORING, TEMPLATE, evaluate, of_type, read, statements

ACL = "arn:aws:wafv2:eu-central-1:111122223333:regional/webacl/one/1"
CERTIFICATE = "arn:aws:acm:eu-central-1:111122223333:certificate/1"
DOMAIN = {"DomainName": "feedback.example.com", "CertificateArn": CERTIFICATE}


def resources(**parameters):
    return evaluate(**parameters)["Resources"]


def properties(name, **parameters):
    """Returns the properties of a resource; none if it is not there."""
    return resources(**parameters).get(name, {}).get("Properties", {})


def variables(function, **parameters):
    return properties(function, **parameters)["Environment"]["Variables"]


def differing(**parameters):
    """Returns the properties that differ from those of the default parameters, by resource."""
    before, after = resources(), resources(**parameters)
    found = {}
    for name in before.keys() | after.keys():
        one, other = properties(name), properties(name, **parameters)
        keys = {key for key in one.keys() | other.keys() if one.get(key, ABSENT) != other.get(key, ABSENT)}
        if before.get(name) != after.get(name):
            found[name] = keys
    return found


class Parameters(unittest.TestCase):
    def test_a_domain_name_has_the_api_at_its_root(self):
        self.assertEqual(
            properties("Domain", **DOMAIN),
            {
                "DomainName": "feedback.example.com",
                "RegionalCertificateArn": CERTIFICATE,
                "EndpointConfiguration": {"Types": ["REGIONAL"]},
                "SecurityPolicy": "TLS_1_2",
            },
        )
        # Without a base path, the mapping is the root.
        self.assertEqual(
            properties("DomainMapping", **DOMAIN),
            {"DomainName": {"Ref": "Domain"}, "RestApiId": {"Ref": "Api"}, "Stage": {"Ref": "ApiprodStage"}},
        )
        self.assertEqual(set(differing(**DOMAIN)), {"Domain", "DomainMapping"})
        outputs = evaluate(**DOMAIN)["Outputs"]
        self.assertEqual(outputs["DomainTarget"]["Value"], {"Fn::GetAtt": ["Domain", "RegionalDomainName"]})
        self.assertNotIn("DomainTarget", evaluate()["Outputs"])

    def test_a_hosted_zone_gets_the_record_of_the_domain(self):
        record = resources(**DOMAIN, HostedZoneId="Z1")["DomainRecord"]
        self.assertEqual(record["DependsOn"], "DomainMapping")
        target = {
            "DNSName": {"Fn::GetAtt": ["Domain", "RegionalDomainName"]},
            "HostedZoneId": {"Fn::GetAtt": ["Domain", "RegionalHostedZoneId"]},
        }
        expected = {"HostedZoneId": "Z1", "Name": "feedback.example.com", "Type": "A", "AliasTarget": target}
        self.assertEqual(record["Properties"], expected)

    def test_what_a_parameter_adds_is_absent_without_it(self):
        for parameters, added in [
            (DOMAIN, {"Domain", "DomainMapping"}),
            (DOMAIN | {"HostedZoneId": "Z1"}, {"Domain", "DomainMapping", "DomainRecord"}),
            ({"AlarmTopicArn": "arn:aws:sns:eu-central-1:111122223333:alarms"}, {"Monitoring"}),
            ({"PagingTopicArn": "arn:aws:sns:eu-central-1:111122223333:pages"}, {"Monitoring"}),
            ({"WebAclArn": ACL}, {"WebAclAssociation"}),
        ]:
            self.assertEqual(set(resources(**parameters)) - set(resources()), added)

    def test_a_parameter_without_the_one_that_it_needs_is_refused(self):
        for incomplete, reason in [
            ({"DomainName": "feedback.example.com"}, "DomainName needs CertificateArn"),
            ({"CertificateArn": DOMAIN["CertificateArn"]}, "CertificateArn needs DomainName"),
            ({"HostedZoneId": "Z1"}, "HostedZoneId needs DomainName"),
            ({"CheckSecretArn": "arn"}, "CheckSecretArn needs AlarmTopicArn or PagingTopicArn"),
        ]:
            with self.assertRaisesRegex(ValueError, f"^{reason}$"):
                evaluate(**incomplete)

    def test_tables_are_read_by_the_names_that_are_given(self):
        for kind, function, variable in [
            ("Users", "UsersFunction", "USERS_TABLE"),
            ("Responses", "ResponseStatisticsFunction", "RESPONSES_TABLE"),
            ("Credentials", "UsersFunction", "CREDENTIALS_TABLE"),
            ("Credentials", "ResponseStatisticsFunction", "CREDENTIALS_TABLE"),
        ]:
            default = f"survey-feedback-{kind.lower()}"
            found = resources(**{f"{kind}TableName": "adopted"})
            self.assertEqual(variables(function, **{f"{kind}TableName": "adopted"})[variable], "adopted")
            allowed = json.dumps(statements(function.replace("Function", "Role"), found))
            self.assertIn(":${AWS::AccountId}:table/adopted", allowed)
            self.assertIn(default, json.dumps(resources()))
            self.assertNotIn(default, json.dumps(found))

    def test_a_table_without_a_name_is_refused(self):
        for kind in ("Users", "Responses", "Credentials"):
            pattern = read()["Parameters"][f"{kind}TableName"]["AllowedPattern"]
            self.assertTrue(re.fullmatch(pattern, "survey-feedback-ResponsesTable-1ABCDEFGHIJKL"))
            for refused in ("", "ab", "a" * 64, "a/b", "*"):
                self.assertIsNone(re.fullmatch(pattern, refused), refused)

    def test_the_traits_that_name_people_reach_the_statistics_alone(self):
        statistics = "ResponseStatisticsFunction"
        # The list in code, so that a stack that keeps its parameters gets a later one.
        self.assertEqual(variables(statistics)["PRIVATE_TRAITS"], "+")
        for names in ("", "email,address", "+company"):
            self.assertEqual(variables(statistics, PrivateTraits=names)["PRIVATE_TRAITS"], names)
        self.assertNotIn("PRIVATE_TRAITS", variables("UsersFunction"))

    def test_concurrency_is_reserved_for_each_function_by_itself(self):
        for parameter, function in [
            ("UsersReservedConcurrency", "UsersFunction"),
            ("StatisticsReservedConcurrency", "ResponseStatisticsFunction"),
        ]:
            self.assertNotIn("ReservedConcurrentExecutions", properties(function))
            found = properties(function, **{parameter: "20"})
            self.assertEqual(found["ReservedConcurrentExecutions"], "20")
            self.assertEqual(differing(**{parameter: "20"}), {function: {"ReservedConcurrentExecutions"}})

    def test_a_web_acl_is_associated_with_the_stage(self):
        self.assertEqual(set(differing(WebAclArn=ACL)), {"WebAclAssociation"})
        association = properties("WebAclAssociation", WebAclArn=ACL)
        self.assertEqual(association["WebACLArn"], ACL)
        arn, names = association["ResourceArn"]["Fn::Sub"]
        stage = "/restapis/${Api}/stages/${Stage}"
        self.assertEqual(arn, "arn:${AWS::Partition}:apigateway:${AWS::Region}::" + stage)
        self.assertEqual(names, {"Stage": {"Ref": "ApiprodStage"}})

    def test_a_key_encrypts_every_table_and_the_functions_may_decrypt_with_it(self):
        key = "arn:aws:kms:eu-central-1:111122223333:key/1"
        tables = of_type("AWS::DynamoDB::Table", evaluate(DATA, KmsKeyArn=key)["Resources"])
        self.assertEqual(len(tables), 3)
        for table in of_type("AWS::DynamoDB::Table", evaluate(DATA)["Resources"]).values():
            self.assertNotIn("SSESpecification", table)  # DynamoDB's own key is free, and that of KMS is not
        encrypted = {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": key}
        for table in tables.values():
            self.assertEqual(table["SSESpecification"], encrypted)
        # Only for tables: not for anything else that a key encrypts.
        service = {"kms:ViaService": {"Fn::Sub": "dynamodb.${AWS::Region}.${AWS::URLSuffix}"}}
        for role in ("UsersRole", "ResponseStatisticsRole"):
            (statement,) = [one for one in statements(role, resources()) if one["Action"] == "kms:Decrypt"]
            keys = {"Fn::Sub": "arn:${AWS::Partition}:kms:${AWS::Region}:*:key/*"}
            self.assertEqual(statement["Resource"], keys)
            self.assertEqual(statement["Condition"]["StringEquals"], service)

    def test_a_boundary_holds_for_every_role_of_both_templates(self):
        for path, least in [(TEMPLATE, 2), (MONITORING, 1), (DATA, 1)]:
            for parameters in ({}, {"PermissionsBoundaryArn": "arn"}):
                roles = of_type("AWS::IAM::Role", evaluate(path, **parameters)["Resources"]).values()
                self.assertGreaterEqual(len(roles), least)
                boundaries = {role.get("PermissionsBoundary") for role in roles}
                self.assertEqual(boundaries, {parameters and "arn" or None})

    def test_there_are_few(self):
        self.assertLessEqual(len(read()["Parameters"]), 18)

    def test_limits_and_retention_have_the_given_values(self):
        stage = properties("ApiprodStage", ThrottleRate="7")["MethodSettings"][0]
        self.assertEqual((stage["ThrottlingRateLimit"], stage["ThrottlingBurstLimit"]), ("7", "7"))
        groups = of_type("AWS::Logs::LogGroup", resources(LogRetentionDays="7"))
        self.assertEqual({group["RetentionInDays"] for group in groups.values()}, {"7"})
