"""Starts MiniStack, an emulator of AWS, with what it lacks for the templates. Each part says which gap it closes."""

import base64
import json
import os
import re

import ministack.app
import ministack.core.lambda_runtime as runtime
import ministack.services.apigateway_v1 as gateway
import ministack.services.cloudformation.changesets as changesets
import ministack.services.cloudformation.provisioners as provisioners
import ministack.services.cloudformation.stacks as stacks
import ministack.services.lambda_svc as functions

KINDS = provisioners._RESOURCE_HANDLERS
ADDRESS = os.environ["AWS_ENDPOINT_URL"]


def inline_policy(properties):
    return properties | {"Roles": [properties["RoleName"]]}


# A policy of one role is of a type that it does not know: it is put as one of the type that it knows.
KINDS["AWS::IAM::RolePolicy"] = {
    "create": lambda name, new, stack: provisioners._iam_policy_create(name, inline_policy(new), stack),
    "update": lambda name, old, new, stack: provisioners._iam_policy_update(
        name, inline_policy(old), inline_policy(new), stack
    ),
    "delete": lambda name, old: provisioners._iam_policy_delete(name, inline_policy(old)),
}

# It knows nothing of CodeDeploy, so no hook runs and an alias changes at once, and no alarms of metric math. Nothing
# but the name of such a resource is used.
for kind in ("CodeDeploy::Application", "CodeDeploy::DeploymentGroup", "CloudWatch::Alarm"):
    KINDS[f"AWS::{kind}"] = {
        "create": lambda name, new, stack: (f"{stack}-{name}", {}),
        "update": lambda name, old, new, stack: (name, {}),
        "delete": lambda name, old: None,
    }

# A change set has resources whose condition is false, which an import would miss among those that it is given.
resolved = changesets._resolve_props_for_diff


def existing(template, parameters, *rest):
    conditions = changesets._evaluate_conditions(template, parameters)
    found = resolved(template, parameters, *rest)
    resources = found.get("Resources", {}).items()
    return found | {
        "Resources": {name: one for name, one in resources if conditions.get(one.get("Condition"), True)}
    }


changesets._resolve_props_for_diff = existing


def addressed(value):
    """Replaces the address of an API, whose name only AWS resolves, by the one that it has here."""
    if isinstance(value, dict):
        return {name: addressed(one) for name, one in value.items()}
    if isinstance(value, list):
        return [addressed(one) for one in value]
    if isinstance(value, str):
        return re.sub(
            r"https://(\w+)\.execute-api\.[\w-]+\.amazonaws\.com", rf"{ADDRESS}/_aws/execute-api/\1", value
        )
    return value


resolve = stacks._resolve_refs
stacks._resolve_refs = lambda *arguments: addressed(resolve(*arguments))
event_of = gateway._build_lambda_event_v1


def event_with_address(api, stage, *arguments, **options):
    """Returns the event of a request, whose path begins as the address does: a page's link leads there."""
    event = event_of(api, stage, *arguments, **options)
    context = event["requestContext"]
    context["path"] = f"/_aws/execute-api/{api}{context['path']}"
    return event


gateway._build_lambda_event_v1 = event_with_address

# The program of a function would look for DynamoDB in the region.
environment_of = functions._provided_worker_env
functions._provided_worker_env = lambda *arguments: (
    environment_of(*arguments) | {"AWS_ENDPOINT_URL_DYNAMODB": ADDRESS}
)

# Of an API's definition, it reads neither the method that stands for all others nor the gateway's own responses.
gateway._OPENAPI_HTTP_METHODS.add("x-amazon-apigateway-any-method")
import_operation, import_api = gateway._import_operation, gateway._import_rest_api
gateway._import_operation = lambda api, resource, method, *rest: import_operation(
    api, resource, "ANY" if method.startswith("X-") else method, *rest
)


def import_api_with_responses(definition, *rest):
    api = import_api(definition, *rest)
    for name, response in definition.get("x-amazon-apigateway-gateway-responses", {}).items():
        gateway._put_gateway_response(api, name, response)
    return api


gateway._import_rest_api = import_api_with_responses

# A function that streams is invoked at another address.
function_of = gateway._extract_lambda_ref_from_integration_uri
gateway._extract_lambda_ref_from_integration_uri = lambda uri: function_of(
    uri.replace("/response-streaming-invocations", "/invocations")
)
runtime_of = runtime.ProvidedWorker._build_handler_class


def runtime_with_streams(*arguments):
    """Returns a Runtime API that also accepts a stream: a prelude, eight NULs, and a body that need not be text."""

    class RuntimeApi(runtime_of(*arguments)):
        def _read_body(self):
            whole = super()._read_body()
            prelude, end, body = whole.partition(bytes(8))
            encoded = {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}
            return json.dumps(json.loads(prelude) | encoded).encode() if end else whole

    return RuntimeApi


runtime.ProvidedWorker._build_handler_class = runtime_with_streams
gateway._media_type_matches = lambda *_: True  # Only such a body is encoded, so each is decoded.

ministack.app.main()
