"""Checks what template.yaml deploys with its default parameters."""

import json
import unittest

from rendering import evaluate, statements


class Template(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.resources = evaluate()["Resources"]

    def of_type(self, kind):
        return {name: one for name, one in self.resources.items() if one["Type"] == kind}

    def properties(self, name):
        return self.resources[name]["Properties"]

    def paths(self):
        return self.properties("Api")["Body"]["paths"]

    def test_every_method_of_both_paths_reaches_its_function(self):
        self.assertEqual(set(self.paths()), {"/api/users", "/api/v2/response-statistics"})
        for path, function in [
            ("/api/users", "UsersFunction"),
            ("/api/v2/response-statistics", "ResponseStatisticsFunction"),
        ]:
            self.assertEqual(set(self.paths()[path]), {"x-amazon-apigateway-any-method"})
            integration = self.paths()[path]["x-amazon-apigateway-any-method"]["x-amazon-apigateway-integration"]
            self.assertEqual(integration["type"], "aws_proxy")
            self.assertIn(f"${{{function}Aliaslive}}", json.dumps(integration["uri"]))

    def test_users_are_streamed_and_statistics_are_not(self):
        def integration(path):
            return self.paths()[path]["x-amazon-apigateway-any-method"]["x-amazon-apigateway-integration"]

        users = integration("/api/users")
        self.assertEqual(users["responseTransferMode"], "STREAM")
        self.assertIn("/response-streaming-invocations", json.dumps(users["uri"]))
        # The gateway's default of 29 seconds would cut off long lists.
        self.assertEqual(users["timeoutInMillis"], 900_000)
        self.assertEqual(self.properties("UsersFunction")["Timeout"], 900)
        statistics = integration("/api/v2/response-statistics")
        self.assertNotIn("responseTransferMode", statistics)
        self.assertTrue(json.dumps(statistics["uri"]).rstrip('"}').endswith("/invocations"))

    def test_each_function_may_read_its_own_tables_and_nothing_else(self):
        expected = {
            "UsersRole": {
                ("dynamodb:GetItem", "CredentialsTable"),
                ("dynamodb:Query", "UsersTable"),
                ("logs:CreateLogStream", "UsersLog"),
                ("logs:PutLogEvents", "UsersLog"),
                ("xray:PutTraceSegments", "*"),
                ("xray:PutTelemetryRecords", "*"),
            },
            "ResponseStatisticsRole": {
                ("dynamodb:GetItem", "CredentialsTable"),
                ("dynamodb:Query", "ResponsesTable"),
                ("dynamodb:Query", "${ResponsesTable.Arn}/index/outcomes"),
                ("logs:CreateLogStream", "ResponseStatisticsLog"),
                ("logs:PutLogEvents", "ResponseStatisticsLog"),
                ("xray:PutTraceSegments", "*"),
                ("xray:PutTelemetryRecords", "*"),
            },
        }
        for role, permissions in expected.items():
            properties = self.properties(role)
            self.assertNotIn("ManagedPolicyArns", properties)
            found = set()
            for statement in statements(role, self.resources):
                self.assertEqual(statement["Effect"], "Allow")
                actions, resource = statement["Action"], statement["Resource"]
                actions = [actions] if isinstance(actions, str) else actions
                if "Fn::GetAtt" in resource:
                    resource = resource["Fn::GetAtt"][0]
                elif "Fn::Sub" in resource:
                    resource = resource["Fn::Sub"]
                found |= {(action, resource) for action in actions}
            self.assertEqual(found, permissions)

    def test_only_lambda_assumes_the_roles_of_the_functions_and_only_the_gateway_invokes_them(self):
        for name in ("Users", "ResponseStatistics"):
            (statement,) = self.properties(f"{name}Role")["AssumeRolePolicyDocument"]["Statement"]
            expected = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
            self.assertEqual(statement, expected)
        for permission in self.of_type("AWS::Lambda::Permission").values():
            properties = permission["Properties"]
            self.assertEqual(properties["Principal"], "apigateway.amazonaws.com")
            self.assertIn("Aliaslive", properties["FunctionName"]["Ref"])
            self.assertIn("${__ApiId__}", json.dumps(properties["SourceArn"]))

    def test_functions_use_these_roles_and_no_others_are_created(self):
        functions = self.of_type("AWS::Lambda::Function")
        roles = {name: one["Properties"]["Role"]["Fn::GetAtt"][0] for name, one in functions.items()}
        self.assertEqual(
            roles, {"UsersFunction": "UsersRole", "ResponseStatisticsFunction": "ResponseStatisticsRole"}
        )
        self.assertEqual(
            set(self.of_type("AWS::IAM::Role")),
            {"UsersRole", "ResponseStatisticsRole", "DeploymentRole", "GatewayLogRole"},
        )

    def test_the_roles_of_other_services_are_assumed_by_them_and_have_their_managed_policy(self):
        for name, service, policy in [
            ("DeploymentRole", "codedeploy", "AWSCodeDeployRoleForLambdaLimited"),
            ("GatewayLogRole", "apigateway", "AmazonAPIGatewayPushToCloudWatchLogs"),
        ]:
            role = self.properties(name)
            (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
            self.assertEqual(statement["Principal"], {"Service": f"{service}.amazonaws.com"})
            self.assertEqual(statement["Action"], "sts:AssumeRole")
            arn = f"arn:${{AWS::Partition}}:iam::aws:policy/service-role/{policy}"
            self.assertEqual(role["ManagedPolicyArns"], [{"Fn::Sub": arn}])
            self.assertNotIn("Policies", role)

    def test_the_gateways_log_role_outlives_the_stack_because_other_apis_may_use_it(self):
        role = self.resources["GatewayLogRole"]
        self.assertEqual((role["DeletionPolicy"], role["UpdateReplacePolicy"]), ("Retain", "Retain"))
        account = self.properties("GatewayAccount")
        self.assertEqual(account["CloudWatchRoleArn"], {"Fn::GetAtt": ["GatewayLogRole", "Arn"]})
        # Without this reference the stage could be created first, which API Gateway refuses.
        self.assertIn("${GatewayAccount}", json.dumps(self.properties("Api")["Description"]))

    def test_the_api_is_regional_and_its_limits_apply_to_every_operation(self):
        self.assertEqual(self.properties("Api")["EndpointConfiguration"], {"Types": ["REGIONAL"]})
        (stage,) = self.of_type("AWS::ApiGateway::Stage").values()
        # SAM adds a second stage, named Stage, to other versions of OpenAPI.
        (deployment,) = self.of_type("AWS::ApiGateway::Deployment").values()
        self.assertNotIn("StageName", deployment["Properties"])
        (settings,) = stage["Properties"]["MethodSettings"]
        self.assertEqual((settings["ResourcePath"], settings["HttpMethod"]), ("/*", "*"))
        self.assertEqual((settings["ThrottlingRateLimit"], settings["ThrottlingBurstLimit"]), ("50", "100"))
        self.assertTrue(settings["MetricsEnabled"])
        self.assertTrue(stage["Properties"]["TracingEnabled"])
        # The dashboard finds the gateway's metrics by the name.
        self.assertEqual(self.properties("Api")["Name"], {"Ref": "AWS::StackName"})

    def test_functions_log_json_to_groups_with_limited_retention(self):
        for name, group in [("UsersFunction", "UsersLog"), ("ResponseStatisticsFunction", "ResponseStatisticsLog")]:
            logging = self.properties(name)["LoggingConfig"]
            self.assertEqual(logging, {"LogFormat": "JSON", "LogGroup": {"Ref": group}})
        groups = self.of_type("AWS::Logs::LogGroup")
        self.assertEqual(len(groups), 3)
        for group in groups.values():
            self.assertEqual(group["Properties"]["RetentionInDays"], "30")

    def test_functions_time_out_before_the_gateway_does(self):
        self.assertLess(self.properties("ResponseStatisticsFunction")["Timeout"], 29)
        for function in self.of_type("AWS::Lambda::Function").values():
            self.assertEqual(function["Properties"]["Architectures"], ["arm64"])
            self.assertEqual(function["Properties"]["Runtime"], "provided.al2023")
            self.assertEqual(function["Properties"]["TracingConfig"], {"Mode": "Active"})

    def test_the_access_log_contains_no_query_header_or_address(self):
        stage = next(iter(self.of_type("AWS::ApiGateway::Stage").values()))["Properties"]
        self.assertEqual(stage["AccessLogSetting"]["DestinationArn"], {"Fn::GetAtt": ["AccessLog", "Arn"]})
        form = stage["AccessLogSetting"]["Format"]
        json.loads(form)
        for private in ["querystring", "header", "identity", "$context.path", "$context.requestOverride"]:
            self.assertNotIn(private, form)
        settings = stage["MethodSettings"][0]
        self.assertNotIn("LoggingLevel", settings)
        self.assertNotIn("DataTraceEnabled", settings)

    def test_the_gateways_own_responses_are_the_contracts_error_document(self):
        responses = self.properties("Api")["Body"]["x-amazon-apigateway-gateway-responses"]
        expected = {
            "MISSING_AUTHENTICATION_TOKEN": ("404", "not_found"),
            "RESOURCE_NOT_FOUND": ("404", "not_found"),
            "THROTTLED": ("429", "too_many_requests"),
            "QUOTA_EXCEEDED": ("429", "too_many_requests"),
            "WAF_FILTERED": ("403", "forbidden"),
            "DEFAULT_4XX": ("400", "invalid_parameter"),
            "INTEGRATION_FAILURE": ("503", "unavailable"),
            "INTEGRATION_TIMEOUT": ("504", "period_too_large"),
            "DEFAULT_5XX": ("500", "internal"),
        }
        self.assertEqual(set(responses), set(expected))
        for name, (status, code) in expected.items():
            response = responses[name]
            self.assertEqual(str(response["statusCode"]), status, name)
            (error,) = json.loads(response["responseTemplates"]["application/json"])["errors"]
            self.assertEqual(list(error), ["id", "status", "code", "title", "detail"], name)
            self.assertEqual((error["id"], error["status"], error["code"]), ("$context.requestId", status, code))
            parameters = response["responseParameters"]
            self.assertEqual(parameters["gatewayresponse.header.Cache-Control"], "'no-store'")
            self.assertEqual(parameters["gatewayresponse.header.X-Request-Id"], "context.requestId")
            retry = parameters.get("gatewayresponse.header.Retry-After")
            self.assertEqual(retry, "'1'" if status in ("429", "503") else None, name)

    def test_tables_have_the_documented_keys_and_outlive_the_stack(self):
        keys = {
            "UsersTable": ["project", "userId"],
            "ResponsesTable": ["shard", "at"],
            "CredentialsTable": ["digest"],
        }
        tables = self.of_type("AWS::DynamoDB::Table")
        self.assertEqual(set(tables), set(keys))
        for name, table in tables.items():
            self.assertEqual((table["DeletionPolicy"], table["UpdateReplacePolicy"]), ("Retain", "Retain"))
            properties = table["Properties"]
            self.assertEqual([key["AttributeName"] for key in properties["KeySchema"]], keys[name])
            self.assertEqual(properties["BillingMode"], "PAY_PER_REQUEST")
            self.assertTrue(properties["DeletionProtectionEnabled"])
            self.assertTrue(properties["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"])
            self.assertTrue(properties["SSESpecification"]["SSEEnabled"])

    def test_the_dashboard_is_valid_json(self):
        json.loads(self.properties("Dashboard")["DashboardBody"]["Fn::Sub"])


if __name__ == "__main__":
    unittest.main()
