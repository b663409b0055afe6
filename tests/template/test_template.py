"""Checks what template.yaml deploys with its default parameters."""

import json
import unittest

from rendering import (
    DATA, FUNCTIONS, MONITORING, ROOT, TEMPLATE, evaluate, listed, of_type, read, statements,
)


class Template(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.resources = evaluate()["Resources"]

    def of_type(self, kind):
        return of_type(kind, self.resources)

    def properties(self, name):
        return self.resources[name]["Properties"]

    def integration(self, path):
        """Returns what every method of a path reaches."""
        ((method, operation),) = self.properties("Api")["Body"]["paths"][path].items()
        self.assertEqual(method, "x-amazon-apigateway-any-method")
        return operation["x-amazon-apigateway-integration"]

    def test_every_method_of_both_paths_reaches_its_function(self):
        paths = ["/api/users", "/api/v2/response-statistics"]
        self.assertEqual(sorted(self.properties("Api")["Body"]["paths"]), paths)
        for path, function in zip(paths, FUNCTIONS):
            integration = self.integration(path)
            self.assertEqual(integration["type"], "aws_proxy")
            self.assertIn(f"${{{function}Aliaslive}}", json.dumps(integration["uri"]))

    def test_users_are_streamed_and_statistics_are_not(self):
        users = self.integration("/api/users")
        self.assertEqual(users["responseTransferMode"], "STREAM")
        self.assertIn("/response-streaming-invocations", json.dumps(users["uri"]))
        # The gateway's default of 29 seconds would cut off long lists.
        self.assertEqual(users["timeoutInMillis"], 300_000)
        self.assertEqual(self.properties("UsersFunction")["Timeout"], 300)
        statistics = self.integration("/api/v2/response-statistics")
        self.assertNotIn("responseTransferMode", statistics)
        self.assertTrue(json.dumps(statistics["uri"]).rstrip('"}').endswith("/invocations"))

    def test_each_function_may_read_its_own_tables_and_nothing_else(self):
        table = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/survey-feedback-"
        every_function = {
            ("dynamodb:GetItem", f"{table}credentials"),
            ("logs:CreateLogStream", "FunctionsLog"),
            ("logs:PutLogEvents", "FunctionsLog"),
            ("kms:Decrypt", "arn:${AWS::Partition}:kms:${AWS::Region}:*:key/*"),  # through DynamoDB
        }
        responses = [f"{table}responses", "${Table}/index/outcomes"]
        for role, queried in [("UsersRole", [f"{table}users"]), ("ResponseStatisticsRole", responses)]:
            self.assertNotIn("ManagedPolicyArns", self.properties(role))
            queries = {("dynamodb:Query", one) for one in queried}
            self.assertEqual(self.permissions(role), queries | every_function)

    def permissions(self, role):
        """Returns each action with each resource that the role's own policies allow."""
        found = set()
        for statement in statements(role, self.resources):
            self.assertEqual(statement["Effect"], "Allow")
            actions, named = listed(statement["Action"]), listed(statement["Resource"])
            found |= {(action, self.name_of(resource)) for action in actions for resource in named}
        return found

    def name_of(self, resource):
        if isinstance(resource, str):
            return resource
        (operand,) = resource.values()
        return operand if isinstance(operand, str) else operand[0]

    def test_only_lambda_assumes_the_roles_of_the_functions_and_only_the_gateway_invokes_them(self):
        for name in ("Users", "ResponseStatistics"):
            (statement,) = self.properties(f"{name}Role")["AssumeRolePolicyDocument"]["Statement"]
            lambdas = {"Service": "lambda.amazonaws.com"}
            expected = {"Effect": "Allow", "Principal": lambdas, "Action": "sts:AssumeRole"}
            self.assertEqual(statement, expected)
        for permission in self.of_type("AWS::Lambda::Permission").values():
            self.assertEqual(permission["Principal"], "apigateway.amazonaws.com")
            self.assertIn("Aliaslive", permission["FunctionName"]["Ref"])
            self.assertIn("${__ApiId__}", json.dumps(permission["SourceArn"]))

    def test_functions_use_these_roles_and_no_others_are_created(self):
        functions = self.of_type("AWS::Lambda::Function")
        roles = {name: one["Role"]["Fn::GetAtt"][0] for name, one in functions.items()}
        own = {"UsersFunction": "UsersRole", "ResponseStatisticsFunction": "ResponseStatisticsRole"}
        self.assertEqual(roles, own)
        self.assertEqual(set(self.of_type("AWS::IAM::Role")), {*roles.values()})

    def test_the_api_is_regional_and_its_limits_apply_to_every_operation(self):
        self.assertEqual(self.properties("Api")["EndpointConfiguration"], {"Types": ["REGIONAL"]})
        # The default accepts TLS 1.0, also for a domain whose own policy does not.
        self.assertEqual(self.properties("Api")["SecurityPolicy"], "TLS_1_2")
        (stage,) = self.of_type("AWS::ApiGateway::Stage").values()
        # SAM adds a second stage, named Stage, to other versions of OpenAPI.
        (deployment,) = self.of_type("AWS::ApiGateway::Deployment").values()
        self.assertNotIn("StageName", deployment)
        (settings,) = stage["MethodSettings"]
        self.assertEqual((settings["ResourcePath"], settings["HttpMethod"]), ("/*", "*"))
        self.assertEqual((settings["ThrottlingRateLimit"], settings["ThrottlingBurstLimit"]), ("50", "50"))

    def test_functions_log_json_to_groups_with_limited_retention(self):
        for name in FUNCTIONS:
            logging = self.properties(name)["LoggingConfig"]
            self.assertEqual(logging, {"LogFormat": "JSON", "LogGroup": {"Ref": "FunctionsLog"}})
        groups = self.of_type("AWS::Logs::LogGroup")
        self.assertEqual(set(groups), {"FunctionsLog", "AccessLog"})
        for group in groups.values():
            self.assertEqual(group["RetentionInDays"], "30")

    def test_functions_time_out_before_the_gateway_does(self):
        self.assertLess(self.properties("ResponseStatisticsFunction")["Timeout"], 28)  # the start takes part of the 29 seconds
        for name in FUNCTIONS:
            function = self.properties(name)
            self.assertEqual(function["Architectures"], ["arm64"])
            self.assertEqual(function["Runtime"], "provided.al2023")

    def test_the_access_log_contains_no_query_header_or_address(self):
        (stage,) = self.of_type("AWS::ApiGateway::Stage").values()
        self.assertEqual(stage["AccessLogSetting"]["DestinationArn"], {"Fn::GetAtt": ["AccessLog", "Arn"]})
        form = stage["AccessLogSetting"]["Format"]
        json.loads(form)
        for private in ["querystring", "header", "identity", "$context.path", "$context.requestOverride"]:
            self.assertNotIn(private, form)
        settings = stage["MethodSettings"][0]
        self.assertNotIn("LoggingLevel", settings)
        self.assertNotIn("DataTraceEnabled", settings)

    def test_nothing_is_traced_because_the_gateways_traces_hold_the_url(self):
        (stage,) = self.of_type("AWS::ApiGateway::Stage").values()
        self.assertNotIn("TracingEnabled", stage)
        for function in self.of_type("AWS::Lambda::Function").values():
            self.assertNotIn("TracingConfig", function)

    def test_the_gateways_own_responses_are_the_contracts_error_document(self):
        responses = self.properties("Api")["Body"]["x-amazon-apigateway-gateway-responses"]
        expected = {
            "MISSING_AUTHENTICATION_TOKEN": ("404", "not_found"),
            "INVALID_SIGNATURE": ("404", "not_found"),
            "RESOURCE_NOT_FOUND": ("404", "not_found"),
            "THROTTLED": ("429", "too_many_requests"),
            "WAF_FILTERED": ("403", "forbidden"),
            "DEFAULT_4XX": ("400", "invalid_parameter"),
            "DEFAULT_5XX": ("503", "unavailable"),
        }
        self.assertEqual(set(responses), set(expected))
        for name, (status, code) in expected.items():
            response = responses[name]
            self.assertEqual(str(response["statusCode"]), status, name)
            (error,) = json.loads(response["responseTemplates"]["application/json"])["errors"]
            self.assertEqual(list(error), ["id", "status", "code", "title", "detail"], name)
            named = [error[name] for name in ("id", "status", "code")]
            self.assertEqual(named, ["$context.requestId", status, code])
            parameters = response["responseParameters"]
            self.assertEqual(parameters["gatewayresponse.header.Cache-Control"], "'no-store'")
            self.assertEqual(parameters["gatewayresponse.header.X-Request-Id"], "context.requestId")
            retry = parameters.get("gatewayresponse.header.Retry-After")
            self.assertEqual(retry, "'1'" if status in ("429", "503") else None, name)

    def test_a_release_creates_no_table_and_reads_those_that_the_other_template_names(self):
        self.assertEqual(self.of_type("AWS::DynamoDB::Table"), {})
        tables = evaluate(DATA)["Resources"]
        for kind in ("Users", "Responses", "Credentials"):
            name = tables[f"{kind}Table"]["Properties"]["TableName"]
            self.assertEqual(read()["Parameters"][f"{kind}TableName"]["Default"], name)

    def test_local_tools_override_variables_that_a_function_declares_alone(self):
        declared = {}
        for function in FUNCTIONS:
            variables = self.properties(function)["Environment"]["Variables"]
            self.assertEqual(variables["AWS_ENDPOINT_URL_DYNAMODB"], "")
            declared |= variables
        overridden = json.loads((ROOT / "events" / "local-env.json").read_text())["Parameters"]
        self.assertLessEqual(set(overridden), set(declared))

    def test_the_templates_are_read_in_ten_minutes(self):
        for path, most in [(TEMPLATE, 375), (MONITORING, 215), (DATA, 160)]:
            lines = path.read_text().splitlines()
            self.assertLessEqual(len(lines), most)
            self.assertEqual([line for line in lines if len(line) > 120], [])
