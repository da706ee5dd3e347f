"""One form for what CloudFormation lets people write in several: the requirements know only that one.

- An alarm on a single metric in `Metrics` (`MetricStat`) gets its metric, period and statistic as properties.
- A Deny under a condition with `…IfExists` also denies where the key exists, so it counts as the plain operator; the
  names of global condition keys have one spelling, and a list of one value is that value.
- A REST or HTTP API with an OpenAPI body has the resources, methods, routes and integrations that the body describes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from steelyard.bench.cdk_synth.intent.shape import is_list, is_mapping, listing, mapping

ALARM, REST_API, HTTP_API = "AWS::CloudWatch::Alarm", "AWS::ApiGateway::RestApi", "AWS::ApiGatewayV2::Api"
MAX_DEPTH = 30
"""How deep properties are searched for policies."""
MAX_OPERATIONS = 300
"""Operations of an OpenAPI body that are read: the most that an API may have."""
_VERBS = {"get", "put", "post", "delete", "options", "head", "patch", "x-amazon-apigateway-any-method"}
_INTEGRATION = "x-amazon-apigateway-integration"
_GLOBAL_KEYS = {name.lower(): name for name in ("aws:SecureTransport", "aws:SourceArn", "aws:SourceAccount")}


def properties(kind: str, written: dict[str, Any]) -> dict[str, Any]:
    """The properties of a resource, in the form that requirements know."""
    shown = _alarm(written) if kind == ALARM else written
    return {key: _policies(value, 0) for key, value in shown.items()}


def _alarm(written: dict[str, Any]) -> dict[str, Any]:
    metrics = [mapping(entry) for entry in listing(written.get("Metrics"))]
    if "MetricName" in written or len(metrics) != 1 or not (stat := mapping(metrics[0].get("MetricStat"))):
        return written
    metric = mapping(stat.get("Metric"))
    named = {key: metric[key] for key in ("MetricName", "Namespace", "Dimensions") if key in metric}
    named |= {"Period": stat["Period"]} if "Period" in stat else {}
    statistic = stat.get("Stat")
    simple = statistic in ("Average", "Sum", "Minimum", "Maximum", "SampleCount")
    return {**written, **named, "Statistic" if simple else "ExtendedStatistic": statistic}


def _policies(value: Any, depth: int) -> Any:
    """`value` with the statements of every policy in it in one form; parts without a policy stay as they are."""
    if depth > MAX_DEPTH:
        return value
    if is_list(value):
        parts = [_policies(part, depth + 1) for part in value]
        return value if all(new is old for new, old in zip(parts, value, strict=True)) else parts
    if not is_mapping(value):
        return value
    if value.get("Effect") == "Deny" and is_mapping(value.get("Condition")):
        return {**value, "Condition": _condition(value["Condition"])}
    pairs = {key: _policies(part, depth + 1) for key, part in value.items()}
    return value if all(pairs[key] is value[key] for key in value) else pairs


def _condition(written: dict[str, Any]) -> dict[str, Any]:
    operators: dict[str, Any] = {}
    for operator, keys in written.items():
        name = str(operator).removesuffix("IfExists")
        plain = {_GLOBAL_KEYS.get(str(key).lower(), key): _single(value) for key, value in mapping(keys).items()}
        operators[name] = {**mapping(operators.get(name)), **plain} if is_mapping(keys) else keys
    return operators


def _single(value: Any) -> Any:
    return value[0] if is_list(value) and len(value) == 1 else value


def described(logical_id: str, kind: str, written: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What the OpenAPI body of an API creates: logical id, type and properties of each resource."""
    paths = mapping(mapping(written.get("Body")).get("paths")) if kind in (REST_API, HTTP_API) else {}
    count = 0
    for path, operations in paths.items():
        if kind == REST_API:
            yield f"{logical_id}{path}", "AWS::ApiGateway::Resource", _rest_resource(logical_id, path)
        for verb, operation in mapping(operations).items():
            if verb.lower() in _VERBS and count < MAX_OPERATIONS:
                count += 1
                make = _method if kind == REST_API else _route
                yield from make(logical_id, path, verb, mapping(operation))


def _rest_resource(api: str, path: str) -> dict[str, Any]:
    return {"RestApiId": {"Ref": api}, "PathPart": path.rsplit("/", 1)[-1]}


def _method(api: str, path: str, verb: str, operation: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    integration = {key[:1].upper() + key[1:]: value for key, value in mapping(operation.get(_INTEGRATION)).items()}
    integration |= {"Type": str(integration["Type"]).upper()} if "Type" in integration else {}
    if "HttpMethod" in integration:
        integration["IntegrationHttpMethod"] = integration["HttpMethod"]
    secured = [name for entry in listing(operation.get("security")) for name in mapping(entry)]
    yield f"{api}{path}{verb}", "AWS::ApiGateway::Method", {
        "RestApiId": {"Ref": api},
        "ResourceId": {"Ref": f"{api}{path}"},
        "HttpMethod": _verb(verb),
        "Integration": integration,
        "ApiKeyRequired": "api_key" in secured,
        "AuthorizationType": "AWS_IAM" if "sigv4" in secured else "NONE",
    }  # fmt: skip


def _route(api: str, path: str, verb: str, operation: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    written = mapping(operation.get(_INTEGRATION))
    integration = f"{api}{path}{verb}Integration"
    key = "$default" if path == "/$default" else f"{_verb(verb)} {path}"
    target = {"Fn::Join": ["", ["integrations/", {"Ref": integration}]]}
    yield f"{api}{path}{verb}", "AWS::ApiGatewayV2::Route", {"ApiId": {"Ref": api}, "RouteKey": key, "Target": target}
    yield integration, "AWS::ApiGatewayV2::Integration", {
        "ApiId": {"Ref": api},
        "IntegrationType": str(written.get("type", "")).upper(),
        "IntegrationUri": written.get("uri"),
        "PayloadFormatVersion": written.get("payloadFormatVersion"),
    }  # fmt: skip


def _verb(name: str) -> str:
    return "ANY" if name.lower() == "x-amazon-apigateway-any-method" else name.upper()
