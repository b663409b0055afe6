"""Starts MiniStack, an emulator of AWS, with what it lacks for the templates. Each part says which gap it closes."""

import base64
import json
import os
import re

import ministack.app
import ministack.core.lambda_runtime as runtime
import ministack.services.apigateway_v1 as gateway
import ministack.services.cloudformation.changesets as changesets
import ministack.services.cloudformation.engine as engine
import ministack.services.iam as iam
import ministack.services.lambda_svc as functions
from ministack.services.cloudformation.provisioners import _RESOURCE_HANDLERS as KINDS

ADDRESS = os.environ["AWS_ENDPOINT_URL"]


def replaces(owner, name):
    """Puts a function in the place of another one, which it gets before the arguments."""

    def put(function):
        former = getattr(owner, name)
        setattr(owner, name, lambda *arguments, **options: function(former, *arguments, **options))

    return put


# It enforces permissions (AUTH), but does not know the policy of one role. Another name is another policy, and the old one
# is deleted last, as AWS does it.
def put_policy(policy):
    iam._roles[policy["RoleName"]]["InlinePolicies"][policy["PolicyName"]] = json.dumps(policy["PolicyDocument"])
    return f"{policy['RoleName']}|{policy['PolicyName']}", {}


KINDS["AWS::IAM::RolePolicy"] = {
    "create": lambda name, new, stack: put_policy(new),
    "update": lambda name, old, new, stack: put_policy(new),
    "delete": lambda name, old: iam._roles[name.split("|")[0]]["InlinePolicies"].pop(name.split("|")[1], None),
}


# It knows no alarms of metric math, for which a name suffices.
KINDS["AWS::CloudWatch::Alarm"] = {
    "create": lambda name, new, stack: (f"{stack}-{name}", {}),
    "update": lambda name, old, new, stack: (name, {}),
    "delete": lambda name, old: None,
}


# It saves no queries.
KINDS["AWS::Logs::QueryDefinition"] = {
    "create": lambda name, new, stack: (f"{stack}-{name}", {}),
    "update": lambda name, old, new, stack: (name, {}),
    "delete": lambda name, old: None,
}


# It transforms the template of a stack, but not that of a nested one.
@replaces(engine, "_parse_template")
def parse_whole(parsed, body):
    return engine._apply_transforms(parsed(body))


# A change set has resources whose condition is false, which an import would miss among those that it is given.
@replaces(changesets, "_resolve_props_for_diff")
def existing(resolved, template, parameters, *rest):
    conditions = changesets._evaluate_conditions(template, parameters)
    resources = template.get("Resources", {}).items()
    present = {name: one for name, one in resources if conditions.get(one.get("Condition"), True)}
    return resolved(template | {"Resources": present}, parameters, *rest)


# Only AWS resolves the name of an API's address.
@replaces(engine, "_resolve_refs")
def addressed(resolved, *arguments):
    value = resolved(*arguments)
    if not isinstance(value, str):
        return value
    return re.sub(r"https://(\w+)\.execute-api\.[\w-]+\.amazonaws\.com", rf"{ADDRESS}/_aws/execute-api/\1", value)


# The program of a function would look for DynamoDB in the region.
@replaces(functions, "_provided_worker_env")
def environment_with_address(environment_of, *arguments):
    return environment_of(*arguments) | {"AWS_ENDPOINT_URL_DYNAMODB": ADDRESS}


# Of an API's definition, it reads neither the method that stands for all others, nor the other address at which a
# function that streams is invoked, nor the gateway's own responses.
@replaces(gateway, "_import_rest_api")
def import_whole(import_api, definition, *rest):
    text = json.dumps(definition).replace("x-amazon-apigateway-any-method", "any")
    api = import_api(json.loads(text.replace("/response-streaming-invocations", "/invocations")), *rest)
    for name, response in definition.get("x-amazon-apigateway-gateway-responses", {}).items():
        gateway._put_gateway_response(api, name, response)
    return api


gateway._OPENAPI_HTTP_METHODS.add("any")


# A stream is a prelude, eight NULs, and a body that need not be text.
@replaces(runtime.ProvidedWorker, "_build_handler_class")
def runtime_with_streams(class_of, *arguments):
    class RuntimeApi(class_of(*arguments)):
        def _read_body(self):
            whole = super()._read_body()
            prelude, end, body = whole.partition(bytes(8))
            encoded = {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}
            return json.dumps(json.loads(prelude) | encoded).encode() if end else whole

    return RuntimeApi


gateway._media_type_matches = lambda *_: True  # only such a body is encoded, so each is decoded

ministack.app.main()
