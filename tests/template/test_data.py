"""Checks data.yaml, which creates the tables and lets API Gateway write logs."""

import re
import unittest

from rendering import DATA, evaluate, read


def of_type(kind, **parameters):
    resources = evaluate(DATA, **parameters)["Resources"]
    return {name: one for name, one in resources.items() if one["Type"] == kind}


class Data(unittest.TestCase):
    def test_tables_have_the_documented_keys_and_outlive_the_stack(self):
        keys = {
            "UsersTable": ["project", "userId"],
            "ResponsesTable": ["shard", "at"],
            "CredentialsTable": ["digest"],
        }
        tables = of_type("AWS::DynamoDB::Table")
        self.assertEqual(set(tables), set(keys))
        for name, table in tables.items():
            self.assertEqual((table["DeletionPolicy"], table["UpdateReplacePolicy"]), ("Retain", "Retain"))
            properties = table["Properties"]
            self.assertEqual([key["AttributeName"] for key in properties["KeySchema"]], keys[name])
            self.assertEqual(properties["BillingMode"], "PAY_PER_REQUEST")
            self.assertTrue(properties["DeletionProtectionEnabled"])
            self.assertTrue(properties["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"])
            self.assertEqual(properties["SSESpecification"], {"SSEEnabled": True, "SSEType": "KMS"})

    def test_tables_have_fixed_names_so_that_a_second_creation_collides(self):
        for parameters, prefix in [({}, "survey-feedback"), ({"Prefix": "second"}, "second")]:
            for name, table in of_type("AWS::DynamoDB::Table", **parameters).items():
                kind = name.removesuffix("Table").lower()
                self.assertEqual(table["Properties"]["TableName"], f"{prefix}-{kind}")

    def test_the_service_accepts_every_name_that_a_prefix_makes(self):
        prefix = read(DATA)["Parameters"]["Prefix"]["AllowedPattern"]
        longest = "x" * 80
        self.assertTrue(re.fullmatch(prefix, longest))
        for refused in ("", longest + "x", "a b", "${x}"):
            self.assertIsNone(re.fullmatch(prefix, refused))
        for kind in ("users", "responses", "credentials"):
            pattern = read()["Parameters"][f"{kind.title()}TableName"]["AllowedPattern"]
            self.assertTrue(re.fullmatch(pattern, f"{longest}-{kind}"))
            self.assertTrue(re.fullmatch(pattern, f"x-{kind}"))

    def test_the_index_holds_outcomes_and_no_traits_unless_it_is_left_out(self):
        table = of_type("AWS::DynamoDB::Table")["ResponsesTable"]["Properties"]
        (index,) = table["GlobalSecondaryIndexes"]
        self.assertEqual(index["KeySchema"], table["KeySchema"])
        self.assertEqual(
            index["Projection"], {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["rating", "dismissed"]}
        )
        without = of_type("AWS::DynamoDB::Table", ResponsesIndex="false")["ResponsesTable"]["Properties"]
        self.assertEqual(without, {name: value for name, value in table.items() if name != "GlobalSecondaryIndexes"})

    def test_the_gateway_may_write_logs_unless_something_else_lets_it(self):
        role = of_type("AWS::IAM::Role")["GatewayLogRole"]
        # Other APIs of the account come to depend on it, unless its creation failed.
        self.assertEqual((role["DeletionPolicy"], role["UpdateReplacePolicy"]), ("RetainExceptOnCreate", "Retain"))
        (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        self.assertEqual(statement["Principal"], {"Service": "apigateway.amazonaws.com"})
        self.assertEqual(statement["Action"], "sts:AssumeRole")
        arn = "arn:${AWS::Partition}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"
        self.assertEqual(role["Properties"]["ManagedPolicyArns"], [{"Fn::Sub": arn}])
        self.assertNotIn("Policies", role["Properties"])
        account = of_type("AWS::ApiGateway::Account")["GatewayAccount"]
        self.assertEqual(account["Properties"]["CloudWatchRoleArn"], {"Fn::GetAtt": ["GatewayLogRole", "Arn"]})
        # It is not taken back when a creation fails, so nothing else may fail after it.
        self.assertEqual(set(account["DependsOn"]), set(of_type("AWS::DynamoDB::Table")))
        tables = evaluate(DATA, GatewayLogging="false")["Resources"].values()
        self.assertEqual({one["Type"] for one in tables}, {"AWS::DynamoDB::Table"})

    def test_cloudformation_reads_it_as_it_is(self):
        template = read(DATA)
        self.assertNotIn("Transform", template)
        # It refuses aliases of YAML, which `sam` resolves.
        self.assertIsNone(re.search(r"(:|-) [*&]\w", DATA.read_text()))


if __name__ == "__main__":
    unittest.main()
