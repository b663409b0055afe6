"""Checks data.yaml, which creates the tables and lets API Gateway write logs."""

import re
import unittest

from rendering import DATA, ROOT, evaluate, read


def resources_of(kind, **parameters):
    resources = evaluate(DATA, **parameters)["Resources"]
    return {name: one for name, one in resources.items() if one["Type"] == kind}


class Data(unittest.TestCase):
    def test_tables_have_the_documented_keys_and_outlive_the_stack(self):
        keys = {"UsersTable": ["project", "userId"], "ResponsesTable": ["shard", "at"]}
        keys["CredentialsTable"] = ["digest"]
        tables = resources_of("AWS::DynamoDB::Table")
        self.assertEqual(set(tables), set(keys))
        for name, table in tables.items():
            self.assertEqual((table["DeletionPolicy"], table["UpdateReplacePolicy"]), ("Retain", "Retain"))
            properties = table["Properties"]
            self.assertEqual([key["AttributeName"] for key in properties["KeySchema"]], keys[name])
            self.assertEqual(properties["BillingMode"], "PAY_PER_REQUEST")
            self.assertTrue(properties["DeletionProtectionEnabled"])
            self.assertTrue(properties["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"])

    def test_tables_have_fixed_names_so_that_a_second_creation_collides(self):
        for parameters, prefix in [({}, "survey-feedback"), ({"Prefix": "second"}, "second")]:
            for name, table in resources_of("AWS::DynamoDB::Table", **parameters).items():
                kind = name.removesuffix("Table").lower()
                self.assertEqual(table["Properties"]["TableName"], f"{prefix}-{kind}")

    def test_the_service_accepts_every_name_that_a_prefix_makes(self):
        prefix = read(DATA)["Parameters"]["Prefix"]["AllowedPattern"]
        longest = "x" * 51
        self.assertTrue(re.fullmatch(prefix, longest))
        for refused in ("", longest + "x", "a b", "${x}"):
            self.assertIsNone(re.fullmatch(prefix, refused))
        for kind in ("users", "responses", "credentials"):
            pattern = read()["Parameters"][f"{kind.title()}TableName"]["AllowedPattern"]
            self.assertTrue(re.fullmatch(pattern, f"{longest}-{kind}"))
            self.assertTrue(re.fullmatch(pattern, f"x-{kind}"))

    def test_the_index_holds_outcomes_and_no_traits(self):
        table = resources_of("AWS::DynamoDB::Table")["ResponsesTable"]["Properties"]
        (index,) = table["GlobalSecondaryIndexes"]
        self.assertEqual(index["KeySchema"], table["KeySchema"])
        included = ["rating", "dismissed"]
        self.assertEqual(index["Projection"], {"ProjectionType": "INCLUDE", "NonKeyAttributes": included})

    def test_reading_users_responses_and_the_index_has_a_ceiling_and_reading_credentials_has_none(self):
        for parameters, units in [({}, "12000"), ({"MaxReadUnits": "3000"}, "3000")]:
            tables = resources_of("AWS::DynamoDB::Table", **parameters)
            read = {name: one["Properties"].get("OnDemandThroughput") for name, one in tables.items()}
            (index,) = tables["ResponsesTable"]["Properties"]["GlobalSecondaryIndexes"]
            ceiling = {"MaxReadRequestUnits": units}
            limits = {"UsersTable": ceiling, "ResponsesTable": ceiling, "CredentialsTable": None}
            self.assertEqual(read, limits)
            self.assertEqual(index["OnDemandThroughput"], ceiling)

    def test_the_gateway_may_write_logs_unless_something_else_lets_it(self):
        role = resources_of("AWS::IAM::Role")["GatewayLogRole"]
        # The setting, which nothing takes back, names it.
        self.assertEqual((role["DeletionPolicy"], role["UpdateReplacePolicy"]), ("Retain", "Retain"))
        (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        self.assertEqual(statement["Principal"], {"Service": "apigateway.amazonaws.com"})
        self.assertEqual(statement["Action"], "sts:AssumeRole")
        arn = "arn:${AWS::Partition}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"
        self.assertEqual(role["Properties"]["ManagedPolicyArns"], [{"Fn::Sub": arn}])
        self.assertNotIn("Policies", role["Properties"])
        account = resources_of("AWS::ApiGateway::Account")["GatewayAccount"]
        setting = account["Properties"]["CloudWatchRoleArn"]
        self.assertEqual(setting, {"Fn::GetAtt": ["GatewayLogRole", "Arn"]})
        tables = evaluate(DATA, GatewayLogging="false")["Resources"].values()
        self.assertEqual({one["Type"] for one in tables}, {"AWS::DynamoDB::Table"})

    def test_tables_come_last_so_that_nothing_that_fails_strands_them(self):
        account = resources_of("AWS::ApiGateway::Account")["GatewayAccount"]
        # API Gateway may refuse the setting in an account that has nothing of it.
        self.assertEqual(list(resources_of("AWS::ApiGateway::ApiKey")), [account["DependsOn"]])
        self.assertFalse(resources_of("AWS::ApiGateway::ApiKey")["GatewayResource"]["Properties"]["Enabled"])
        for table in resources_of("AWS::DynamoDB::Table").values():
            self.assertEqual(table["Metadata"], {"After": {"Ref": "GatewayAccount"}})

    def test_the_output_is_pasted_before_the_first_command(self):
        pasted = evaluate(DATA)["Outputs"]["Environment"]["Value"]["Fn::Sub"]
        kinds, region = ("Users", "Responses", "Credentials"), "export AWS_REGION=${AWS::Region}"
        tables = [f"{kind.upper()}_TABLE=${{{kind}Table}}" for kind in kinds]
        self.assertEqual(pasted.split(), [*region.split(), *tables])
        # The service's, which is pasted later, has the tables that it reads, such as a restored one.
        others = {f"{kind}TableName": f"other-{kind}" for kind in kinds}
        pasted = evaluate(**others)["Outputs"]["Environment"]["Value"]["Fn::Sub"][0]
        tables = [f"{kind.upper()}_TABLE=other-{kind}" for kind in kinds]
        self.assertEqual(pasted.split(), ["export", "FEEDBACK_URL=${Url}", region.split()[1], *tables])
        # An import of tables allows no outputs; the documentation cuts them off.
        self.assertEqual(list(read(DATA))[-1], "Outputs")

    def test_cloudformation_reads_it_as_it_is(self):
        for path in (DATA, ROOT / "docs" / "web-acl.yaml"):
            self.assertNotIn("Transform", read(path))
            # It refuses aliases of YAML, which `sam` resolves.
            self.assertIsNone(re.search(r"(:|-) [*&]\w", path.read_text()), path)
