"""Checks the policies of docs/policies against what CloudFormation says that it needs."""

import fnmatch
import json
import re
import tomllib
import unittest

from cfnlint.schema import PROVIDER_SCHEMA_MANAGER

from rendering import DATA, MONITORING, ROOT, evaluate, listed, of_type, read, statements
from test_combinations import OTHER_VALUES_OF_DATA
from test_releases import OTHER_VALUES

# Features of these resources that the templates do not use. Tables are retained.
UNUSED = (
    "dynamodb:DeleteTable dynamodb:*Replica dynamodb:*Item dynamodb:BatchWriteItem dynamodb:Query dynamodb:Scan dynamodb:ImportTable "
    "dynamodb:*Kinesis* dynamodb:PutResourcePolicy dynamodb:DeleteResourcePolicy "
    "lambda:PassCapacityProvider iam:CreateServiceLinkedRole iam:DeleteRolePermissionsBoundary logs:CreateLogStream logs:DescribeLogStreams "
    "logs:PutLogEvents logs:PutDataProtectionPolicy logs:PutIndexPolicy logs:PutBearerTokenAuthentication "
    "logs:PutLogGroupDeletionProtection s3:GetObjectMetadata s3:REST.PUT.OBJECT"
).split()


POLICIES = sorted(path.stem for path in (ROOT / "docs" / "policies").iterdir())


def policy(name):
    """Returns the statements of a policy."""
    return json.loads((ROOT / "docs" / "policies" / f"{name}.json").read_text())["Statement"]


def allowed(name):
    return [action for statement in policy(name) for action in listed(statement["Action"])]


def needed(kind, *handlers):
    """Returns the actions with which CloudFormation manages this type of resource, or does these things to it."""
    known = PROVIDER_SCHEMA_MANAGER.get_resource_schema("eu-central-1", kind).schema["handlers"]
    return {action for handler in handlers or known for action in known[handler]["permissions"]}


def matches(action, patterns):
    return any(fnmatch.fnmatch(action, one) for one in patterns)


def reaches(name, names, resource):
    """Returns whether a policy names this resource by a pattern other than `*`."""
    words = re.compile(r"\b(STACK|DATA_STACK|PREFIX)\b")
    for pattern in (pattern for statement in policy(name) for pattern in listed(statement["Resource"])):
        pattern = words.sub(lambda match: names.get(match[0], match[0]), pattern)
        if pattern != "*" and fnmatch.fnmatchcase(resource, pattern):
            return True
    return False


class Policies(unittest.TestCase):
    def test_whoever_deploys_may_manage_every_resource_of_the_template(self):
        self.check_manages(["deploy"], evaluate())
        self.check_manages(["deploy", "deploy-monitoring"], evaluate(**OTHER_VALUES))
        self.check_manages(["deploy", "deploy-monitoring"], evaluate(MONITORING))

    def test_whoever_deploys_may_create_the_bucket_of_sam(self):
        # SAM's own stack has these two types; of a bucket, it uses these features.
        used = "CreateBucket PutBucketPublicAccessBlock PutEncryptionConfiguration PutBucketVersioning PutBucketTagging"
        used = {f"s3:{action}" for action in used.split()}
        self.assertLessEqual(used, needed("AWS::S3::Bucket", "create"))
        policies = needed("AWS::S3::BucketPolicy", "create")
        self.assertIn("s3:GetBucketPolicy", policies)
        self.assertLessEqual(used | policies, {*allowed("deploy")})

    def test_whoever_creates_tables_may_manage_every_resource_of_the_data(self):
        self.check_manages(["tables"], evaluate(DATA, **OTHER_VALUES_OF_DATA | {"GatewayLogging": "true"}))

    def check_manages(self, names, template):
        kinds = {one["Type"] for one in template["Resources"].values()}
        patterns = [pattern.lower() for name in names for pattern in allowed(name)]
        # WAF, for example, also needs permissions of the load balancers that it protects.
        services = {pattern.split(":")[0] for pattern in patterns}
        managed = {"lambda", "dynamodb", "apigateway", "cloudformation", "cloudwatch", "events", "iam"}
        self.assertLessEqual(managed & {kind.split("::")[1].lower() for kind in kinds}, services)
        for kind in kinds:
            for action in needed(kind):
                if action.split(":")[0] in services and not matches(action, UNUSED):
                    self.assertTrue(matches(action.lower(), patterns), f"{kind}: {action}")

    def test_whoever_deploys_a_release_reaches_no_table_and_nobody_deletes_one(self):
        self.assertEqual([action for action in allowed("deploy") if action.startswith("dynamodb:")], [])
        for name in POLICIES:
            self.assertFalse(matches("dynamodb:DeleteTable", allowed(name)), name)

    def test_whoever_deploys_or_creates_tables_cannot_read_them(self):
        for name in ("deploy", "tables"):  # also not by a pattern that covers every service
            for item in ("GetItem", "Query", "Scan", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"):
                self.assertFalse(matches(f"dynamodb:{item}", allowed(name)), item)

    def test_operators_see_logs_but_no_traces(self):
        actions = set(allowed("operate"))
        self.assertIn("logs:StartQuery", actions)
        self.assertEqual([action for action in actions if action.startswith(("xray:", "*"))], [])

    def test_no_stack_of_samconfig_reaches_what_the_other_creates(self):
        config = tomllib.loads((ROOT / "samconfig.toml").read_text())
        names = {
            "STACK": config["default"]["deploy"]["parameters"]["stack_name"],
            "DATA_STACK": config["data"]["deploy"]["parameters"]["stack_name"],
            "PREFIX": read(DATA)["Parameters"]["Prefix"]["Default"],
        }
        role, table = "arn:aws:iam::ACCOUNT:role/", "arn:aws:dynamodb:REGION:ACCOUNT:table/"
        for resource, reaching in [
            (f"{role}{names['STACK']}-UsersRole-1", {"deploy"}),
            (f"{role}{names['STACK']}-Monitoring-1-CheckRole-1", {"deploy"}),
            (f"{role}{names['DATA_STACK']}-GatewayLogRole-1", {"tables"}),
            (f"arn:aws:cloudformation:REGION:ACCOUNT:stack/{names['DATA_STACK']}/1", {"tables"}),
            (f"{table}{names['PREFIX']}-users", {"tables"}),
            (f"{table}{names['PREFIX']}-staging-users", set()),
        ]:
            found = {name for name in ("deploy", "tables") if reaches(name, names, resource)}
            self.assertEqual(found, reaching, resource)

    def test_changes_are_allowed_to_named_resources_unless_the_service_knows_no_names(self):
        unnamed = {f"logs:{action}ResourcePolicy" for action in ("Put", "Delete")}
        unnamed |= {"logs:CreateLogDelivery", "logs:StopQuery"}
        for name in POLICIES:
            for statement in policy(name):
                if "*" not in listed(statement["Resource"]):
                    continue
                for action in listed(statement["Action"]):
                    reads = re.match(r"\w+:(Get|List|Describe|BatchGet|GET$)", action)
                    self.assertTrue(reads or action in unnamed, f"{name}: {action}")

    def test_roles_pass_to_the_services_that_assume_them(self):
        for name, template in [("deploy", evaluate()), ("deploy", evaluate(MONITORING)), ("tables", evaluate(DATA))]:
            (statement,) = [one for one in policy(name) if one["Action"] == "iam:PassRole"]
            services = {
                statement["Principal"]["Service"]
                for role in of_type("AWS::IAM::Role", template["Resources"]).values()
                for statement in role["AssumeRolePolicyDocument"]["Statement"]
            }
            passed = statement["Condition"]["StringEquals"]["iam:PassedToService"]
            self.assertEqual(set(listed(passed)), services)

    def test_roles_are_created_and_changed_within_a_boundary_that_nobody_here_changes(self):
        bounded = {f"iam:{one}" for one in ("AttachRolePolicy", "CreateRole", "PutRolePolicy")}
        bounded |= {"iam:PutRolePermissionsBoundary"}
        for name in ("deploy", "tables"):
            for statement in policy(name):
                actions = listed(statement["Action"])
                if any(matches(one, actions) for one in bounded):
                    condition = {"StringEquals": {"iam:PermissionsBoundary": "BOUNDARY"}}
                    self.assertEqual(statement["Condition"], condition)
                    self.assertEqual(set(actions), bounded)
        unbinding = "DeleteRolePermissionsBoundary CreatePolicyVersion SetDefaultPolicyVersion DeletePolicy"
        for name in POLICIES:
            for change in unbinding.split():
                self.assertFalse(matches(f"iam:{change}", allowed(name)), name)

    def test_the_boundary_allows_what_the_roles_do(self):
        for template in (evaluate(), evaluate(MONITORING, CheckSecretArn="arn"), evaluate(DATA)):
            resources = template["Resources"]
            for role in of_type("AWS::IAM::Role", resources):
                for statement in statements(role, resources):
                    self.assertLessEqual(set(listed(statement["Action"])), set(allowed("boundary")), role)

    def test_the_boundary_decrypts_for_tables_alone_and_reads_no_other_tables(self):
        (decrypts,) = [one for one in policy("boundary") if "kms:Decrypt" in one["Action"]]
        self.assertEqual(decrypts["Action"], "kms:Decrypt")
        service = {"kms:ViaService": "dynamodb.REGION.amazonaws.com"}
        self.assertEqual(decrypts["Condition"], {"StringEquals": service})
        table = "arn:aws:dynamodb:REGION:ACCOUNT:table/"
        for name, reached in [("acme-users", True), ("acme-responses/index/outcomes", True), ("others", False)]:
            self.assertEqual(reaches("boundary", {"PREFIX": "acme"}, table + name), reached)

    def test_each_policy_fits_with_the_longest_names_in_the_longest_region(self):
        # IAM counts no white space. 24 characters are what docs/aws.md allows a stack.
        partition, account = "ap-southeast-1", "1" * 12
        words = {
            "STACK": "x" * 24,
            "DATA_STACK": "x" * 24,
            "PREFIX": "x" * 51,
            "REGION": partition,
            "ACCOUNT": account,
            "HOSTED_ZONE_ID": "Z" * 32,
            "BOUNDARY": f"arn:aws:iam::{account}:policy/{'x' * 64}",
            "KMS_KEY_ARN": f"arn:aws:kms:{partition}:{account}:key/{'x' * 36}",
            "SMOKE_SECRET_ARN": f"arn:aws:secretsmanager:{partition}:{account}:secret:{'x' * 64}",
            "CHECK_SECRET_ARN": f"arn:aws:secretsmanager:{partition}:{account}:secret:{'x' * 64}",
        }
        for path in (ROOT / "docs" / "policies").iterdir():
            text = re.sub(r"\b[A-Z][A-Z_]+\b", lambda word: words.get(word[0], word[0]), path.read_text())
            self.assertLessEqual(len(re.sub(r"\s", "", text)), 6_144, path.name)

    def test_the_first_domain_name_of_an_account_may_create_the_role_of_the_gateway(self):
        (statement,) = [one for one in policy("deploy") if one["Action"] == "iam:CreateServiceLinkedRole"]
        service = {"iam:AWSServiceName": "ops.apigateway.amazonaws.com"}
        self.assertEqual(statement["Condition"], {"StringEquals": service})

    def test_every_policy_is_linked_from_the_documentation(self):
        text = (ROOT / "docs" / "aws.md").read_text()
        for name in POLICIES:
            self.assertTrue(f"(policies/{name}.json)" in text, name)
