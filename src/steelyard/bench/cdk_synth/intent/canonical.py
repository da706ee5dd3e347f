"""One form for what CloudFormation lets people write in several: the requirements know only that one.

- An alarm on a single metric in `Metrics` has its metric, period and statistic as properties. A metric math expression
  names metrics (`Errors / Invocations`), not the ids that the author made up for them.
- The names in the rule of a composite alarm are values of their own. A group of DNS records is that many records.
- The default behavior of a distribution has its `Origin`. A state machine has the list of its states (`workflow`).
- A Deny under a condition with `…IfExists` also denies where the key exists, so it counts as the plain operator.
- A policy, pattern or filter that is given as JSON text is that object. An API with an OpenAPI body has what the body
  describes; a deployment that names a stage has that stage.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from steelyard.bench.cdk_synth.intent.jsontext import parsed
from steelyard.bench.cdk_synth.intent.workflow import with_states
from steelyard.bench.cdk_synth.shape import is_list, is_mapping, listing, mapping

REST_API, HTTP_API = "AWS::ApiGateway::RestApi", "AWS::ApiGatewayV2::Api"
RECORDS = "AWS::Route53::RecordSetGroup"
MAX_DEPTH = 30
"""How deep properties are searched for policies."""
MAX_OPERATIONS = 300
"""Operations of an OpenAPI body that are read: the most that an API may have."""
_VERBS = {"get", "put", "post", "delete", "options", "head", "patch", "x-amazon-apigateway-any-method"}
_INTEGRATION = "x-amazon-apigateway-integration"
_JSON = {
    "PolicyDocument",
    "AssumeRolePolicyDocument",
    "RedrivePolicy",
    "RedriveAllowPolicy",
    "FilterPolicy",
    "EventPattern",
}
"""Properties that CloudFormation takes as an object or as JSON text."""
_GLOBAL_KEYS = {name.lower(): name for name in ("aws:SecureTransport", "aws:SourceArn", "aws:SourceAccount")}


def properties(kind: str, written: dict[str, Any]) -> dict[str, Any]:
    """The properties of a resource, in the form that requirements know."""
    form = _FORMS.get(kind)
    read = {key: (parsed(value) if key in _JSON else None) or value for key, value in written.items()}
    shown = form(read) if form else read
    return {key: _policies(value, 0) for key, value in shown.items()}


def _alarm(written: dict[str, Any]) -> dict[str, Any]:
    metrics = [mapping(entry) for entry in listing(written.get("Metrics"))]
    if len(metrics) > 1:
        return {**written, "Metrics": _with_named_metrics(metrics)}
    if "MetricName" in written or not metrics or not (stat := mapping(metrics[0].get("MetricStat"))):
        return written
    metric = mapping(stat.get("Metric"))
    named = {key: metric[key] for key in ("MetricName", "Namespace", "Dimensions") if key in metric}
    named |= {"Period": stat["Period"]} if "Period" in stat else {}
    statistic = stat.get("Stat")
    simple = statistic in ("Average", "Sum", "Minimum", "Maximum", "SampleCount")
    return {**written, **named, "Statistic" if simple else "ExtendedStatistic": statistic}


def _with_named_metrics(metrics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    stats = [(entry.get("Id"), mapping(mapping(entry.get("MetricStat")).get("Metric"))) for entry in metrics]
    pairs = [(str(name), metric.get("MetricName")) for name, metric in stats]
    names = {name: metric for name, metric in pairs if isinstance(metric, str)}

    def named(expression: str) -> str:
        return re.sub(r"\w+", lambda word: names.get(word[0], word[0]), expression)

    return [
        {**entry, "Expression": named(written)} if isinstance(written := entry.get("Expression"), str) else entry
        for entry in metrics
    ]


def _composite(written: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(rule := written.get("AlarmRule"), str):
        return written
    # In pieces, so that each name is a value by which its alarm is found.
    return {**written, "AlarmRule": {"Fn::Join": ["", re.split(r"([()\"']+)", rule)]}}


def _distribution(written: dict[str, Any]) -> dict[str, Any]:
    config = mapping(written.get("DistributionConfig"))
    behavior = mapping(config.get("DefaultCacheBehavior"))
    origins = [mapping(origin) for origin in listing(config.get("Origins"))]
    named = [origin for origin in origins if origin.get("Id") == behavior.get("TargetOriginId")]
    return {**written, "DistributionConfig": {**config, "DefaultCacheBehavior": {**behavior, "Origin": named}}}


def _http_api(written: dict[str, Any]) -> dict[str, Any]:
    if not (body := mapping(written.get("Body"))):
        return written
    cors = _capitalized(mapping(body.get("x-amazon-apigateway-cors")))
    return {"ProtocolType": "HTTP"} | ({"CorsConfiguration": cors} if cors else {}) | written


def _capitalized(written: dict[str, Any]) -> dict[str, Any]:
    """OpenAPI extensions begin their keys in lower case, CloudFormation in upper case."""
    return {key[:1].upper() + key[1:]: value for key, value in written.items()}


_FORMS = {
    "AWS::CloudWatch::Alarm": _alarm,
    "AWS::CloudWatch::CompositeAlarm": _composite,
    "AWS::StepFunctions::StateMachine": with_states,
    "AWS::CloudFront::Distribution": _distribution,
    HTTP_API: _http_api,
}


def _policies(value: Any, depth: int) -> Any:
    """`value` with the statements of every policy in it in one form; parts without a policy stay as they are."""
    if depth > MAX_DEPTH:
        return value
    if is_list(value):
        parts = [_policies(part, depth + 1) for part in value]
        return value if all(new is old for new, old in zip(parts, value, strict=True)) else parts
    if not is_mapping(value):
        return value
    # Not for Allow: with `…IfExists` it also holds where the key is missing.
    if value.get("Effect") == "Deny" and is_mapping(value.get("Condition")):
        return {**value, "Condition": _condition(value["Condition"])}
    pairs = {key: _policies(part, depth + 1) for key, part in value.items()}
    return value if all(pairs[key] is value[key] for key in value) else pairs


def _condition(written: dict[str, Any]) -> dict[str, Any]:
    operators: dict[str, Any] = {}
    for operator, keys in written.items():
        name = str(operator).removesuffix("IfExists")
        plain = {
            _GLOBAL_KEYS.get(str(key).lower(), key): value[0] if is_list(value) and len(value) == 1 else value
            for key, value in mapping(keys).items()
        }
        operators[name] = {**mapping(operators.get(name)), **plain} if is_mapping(keys) else keys
    return operators


def described(logical_id: str, kind: str, written: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What the OpenAPI body of an API, a deployment or a group of records creates: logical id, type and properties."""
    if kind == "AWS::ApiGateway::Deployment" and "StageName" in written:
        yield f"{logical_id}Stage", "AWS::ApiGateway::Stage", _deployed_stage(written)
    if kind == HTTP_API:
        yield from _authorizers(logical_id, mapping(written.get("Body")))
    for number, record in enumerate(listing(written.get("RecordSets")) if kind == RECORDS else ()):
        zone = {key: value for key, value in written.items() if key.startswith("HostedZone")}
        yield f"{logical_id}{number}", "AWS::Route53::RecordSet", {**zone, **mapping(record)}
    paths = mapping(mapping(written.get("Body")).get("paths")) if kind in (REST_API, HTTP_API) else {}
    count = 0
    # Many paths lie below one parent, which is created once.
    for path in dict.fromkeys(islice(_with_parents(paths), 10 * MAX_OPERATIONS)) if kind == REST_API else ():
        parent, _, part = path.rpartition("/")
        above = {"Ref": f"{logical_id}{parent}"} if parent else {"Fn::GetAtt": [logical_id, "RootResourceId"]}
        body = {"RestApiId": {"Ref": logical_id}, "ParentId": above, "PathPart": part}
        yield f"{logical_id}{path}", "AWS::ApiGateway::Resource", body
    for path, operations in paths.items():
        for verb, operation in mapping(operations).items():
            if verb.lower() in _VERBS and count < MAX_OPERATIONS:
                count += 1
                # In OpenAPI, an operation's own `security` replaces that of the whole API.
                secured = {"security": mapping(written.get("Body")).get("security")} | mapping(operation)
                make = _method if kind == REST_API else _route
                yield from make(logical_id, path, verb, secured)


def _deployed_stage(written: dict[str, Any]) -> dict[str, Any]:
    """The stage that a deployment creates; what it says of no method in particular holds for all."""
    stage = mapping(written.get("StageDescription"))
    settings = [{"HttpMethod": "*", "ResourcePath": "/*", **stage}, *listing(stage.get("MethodSettings"))]
    named = {"RestApiId": written.get("RestApiId"), "StageName": written["StageName"]}
    return {**stage, **named, "MethodSettings": settings}


def _authorizers(api: str, body: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    schemes = mapping(mapping(body.get("components")).get("securitySchemes"))
    for name, scheme in islice(schemes.items(), MAX_OPERATIONS):
        if written := mapping(mapping(scheme).get("x-amazon-apigateway-authorizer")):
            yield f"{api}{name}", "AWS::ApiGatewayV2::Authorizer", {
                "ApiId": {"Ref": api},
                "AuthorizerType": str(written.get("type", "")).upper(),
                "JwtConfiguration": _capitalized(mapping(written.get("jwtConfiguration"))),
            }  # fmt: skip


def _with_parents(paths: Iterable[str]) -> Iterator[str]:
    """Every path, after those above it: `/notes` before `/notes/{id}`."""
    for path in paths:
        yield from (path[: end.start()] for end in re.finditer(r"(?<=[^/])(?=/)|$", path))


def _method(api: str, path: str, verb: str, operation: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    integration = _capitalized(mapping(operation.get(_INTEGRATION)))
    integration |= {"Type": str(integration["Type"]).upper()} if "Type" in integration else {}
    if "HttpMethod" in integration:
        integration["IntegrationHttpMethod"] = integration["HttpMethod"]
    secured = _schemes(operation)
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
    route: dict[str, Any] = {"ApiId": {"Ref": api}, "RouteKey": key, "Target": target}
    if names := _schemes(operation):
        route |= {"AuthorizationType": "JWT", "AuthorizerId": {"Ref": f"{api}{names[0]}"}}
    yield f"{api}{path}{verb}", "AWS::ApiGatewayV2::Route", route
    yield integration, "AWS::ApiGatewayV2::Integration", {
        "ApiId": {"Ref": api},
        "IntegrationType": str(written.get("type", "")).upper(),
        "IntegrationUri": written.get("uri"),
        "PayloadFormatVersion": written.get("payloadFormatVersion"),
    }  # fmt: skip


def _schemes(operation: dict[str, Any]) -> list[str]:
    return [name for entry in listing(operation.get("security")) for name in mapping(entry)]


def _verb(name: str) -> str:
    return "ANY" if name.lower() == "x-amazon-apigateway-any-method" else name.upper()
