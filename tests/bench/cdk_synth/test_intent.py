"""The language of intent: each operator and relation by table, and the laws on templates nobody would write."""

import subprocess
import sys
import tracemalloc
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from steelyard.bench.cdk_synth.dataset import load
from steelyard.bench.cdk_synth.intent import evaluate, requirements, share
from steelyard.bench.cdk_synth.intent.pattern import OPERATORS, pattern
from steelyard.bench.cdk_synth.intent.template import MAX_RESOURCES

Json = dict[str, Any]


def template(**resources: tuple[str, Json]) -> Json:
    return {"Resources": {name: {"Type": kind, "Properties": body} for name, (kind, body) in resources.items()}}


def held(clause: Json, *stacks: Json, **named: Json) -> bool:
    templates = {f"S{number}": stack for number, stack in enumerate(stacks)} | named
    (finding,) = evaluate([{"id": "it", "message": "it must hold", **clause}], templates)
    return finding.held


VALUES: list[tuple[Any, Any, bool]] = [
    ("Enabled", "Enabled", True),
    ("Enabled", "enabled", False),
    (True, True, True),
    (True, "true", True),
    (True, 1, False),
    (1, True, False),
    (5, 5.0, True),
    (5, "5", True),
    (5, "five", False),
    ("5", 5, False),
    ({"any": True}, {"Ref": "Elsewhere"}, True),
    ({"any": True}, {"Ref": "AWS::NoValue"}, False),
    ({"absent": True}, {"Ref": "AWS::NoValue"}, True),
    ({"absent": True}, 0, False),
    ({"matches": "^a.c$"}, "abc", True),
    ({"matches": "^a.c$"}, {"Fn::Join": ["", ["a", "b", "c"]]}, True),
    ({"matches": r"^a\$\{B\.Arn\}$"}, {"Fn::Join": ["", ["a", {"Fn::GetAtt": ["B", "Arn"]}]]}, True),
    ({"matches": '"k":\\[1,"x"\\]'}, {"k": [1, "x"]}, True),
    ({"matches": "a"}, 7, False),
    ({"one_of": ["a", {"at_least": 3}]}, 4, True),
    ({"one_of": ["a", {"at_least": 3}]}, 2, False),
    ({"all_of": [{"at_least": 3}, {"at_most": 4}]}, "4", True),
    ({"at_most": 4}, {"Ref": "Elsewhere"}, False),
    ({"at_least": 0}, True, False),
    ({"not": "a"}, "b", True),
    ({"not": "a"}, "a", False),
    ({"contains": "a"}, ["b", "a"], True),
    ({"contains": "a"}, "a", True),
    ({"contains": "a"}, ["b"], False),
    ({"contains": {"at_least": 2}}, [1, {"Ref": "P"}], True),
    ({"length": [1, 2]}, [1, 2], True),
    ({"length": [0, 0]}, [], True),
    ({"length": [0, 0]}, [1, 2], False),
    ({"length": [1, None]}, [], False),
    ({"length": [0, None]}, "text", False),
    ({"has": {"A.B": 1, "C": {"absent": True}}}, {"A": {"B": 1}}, True),
    ({"has": {"A": 1, "B": 2}}, [{"A": 1}, {"B": 2}], False),
    ({"has": {"A": 1, "B": 2}}, [{"A": 0}, {"A": 1, "B": 2}], True),
    ({"has": {"A": 1}}, "A", False),
    ({"keys": ["A", "B"]}, {"A": 1}, True),
    ({"keys": ["A", "B"]}, {"A": 1, "C": 2}, False),
    ({"keys": ["A"]}, "A", False),
    ({"refers": "T"}, {"Fn::Sub": "arn:${Other.Arn}"}, True),
    ({"refers": "U"}, {"Fn::Sub": "arn:${Other.Arn}"}, False),
    (3, {"Ref": "P"}, True),
    ("yes", {"Fn::If": ["C", "yes", {"Ref": "AWS::NoValue"}]}, True),
    ("ab", {"Fn::Join": ["", ["a", "b"]]}, True),
]


@pytest.mark.parametrize(("wanted", "value", "expected"), VALUES)
def test_patterns(wanted: Any, value: Any, expected: bool):
    stack = template(It=("I", {"Outer": [{"Inner": value}]}), Other=("T", {})) | {"Parameters": {"P": {"Default": 3}}}
    assert held({"resource": "I", "properties": {"Outer.Inner": wanted}}, stack) is expected


CONDITIONS: list[tuple[Any, bool | None]] = [
    ({"Fn::Equals": ["a", "a"]}, True),
    ({"Fn::Equals": ["a", "b"]}, False),
    ({"Fn::Equals": [{"Ref": "Stage"}, "prod"]}, False),
    ({"Fn::Equals": [{"Ref": "Open"}, "prod"]}, None),
    ({"Fn::Equals": [{"Ref": "AWS::Region"}, "eu-west-1"]}, None),
    ({"Fn::Equals": [{"Ref": "AWS::Region"}, {"Ref": "AWS::Region"}]}, True),
    ({"Fn::Equals": [{"Fn::FindInMap": ["M", "dev", "kind"]}, "small"]}, True),
    ({"Fn::Not": [{"Fn::Equals": ["a", "b"]}]}, True),
    ({"Fn::And": [{"Fn::Equals": ["a", "b"]}, {"Fn::Equals": [{"Ref": "Open"}, "x"]}]}, False),
    ({"Fn::And": [{"Fn::Equals": ["a", "a"]}, {"Fn::Equals": [{"Ref": "Open"}, "x"]}]}, None),
    ({"Fn::Or": [{"Fn::Equals": ["a", "a"]}, {"Fn::Equals": [{"Ref": "Open"}, "x"]}]}, True),
    ({"Condition": "Itself"}, None),
    ("nonsense", None),
    ({"Fn::Equals": ["a"]}, None),
]


@pytest.mark.parametrize(("body", "expected"), CONDITIONS)
def test_conditions_are_evaluated(body: Any, expected: bool | None):
    stack = {
        "Parameters": {"Stage": {"Type": "String", "Default": "dev"}, "Open": {"Type": "String"}},
        "Mappings": {"M": {"dev": {"kind": "small"}}},
        "Conditions": {"It": body, "Itself": {"Condition": "It"}},
        "Resources": {
            "A": {"Type": "A", "Condition": "It", "Properties": {}},
            "B": {"Type": "B", "Properties": {"N": {"Fn::If": ["It", 1, 2]}}},
        },
    }
    # What is unknown before the deployment is possible.
    assert held({"resource": "A"}, stack) is (expected is not False)
    assert held({"resource": "B", "properties": {"N": 1}}, stack) is (expected is not False)
    assert held({"resource": "B", "properties": {"N": 2}}, stack) is (expected is not True)


def test_a_parameter_that_a_parent_sets_does_not_decide_by_its_default():
    parent = template(Inner=("AWS::CloudFormation::Stack", {"Parameters": {"Stage": "prod"}}))
    child = {
        "Parameters": {"Stage": {"Type": "String", "Default": "dev"}},
        "Conditions": {"Live": {"Fn::Equals": [{"Ref": "Stage"}, "prod"]}},
        "Resources": {"A": {"Type": "A", "Condition": "Live"}},
    }
    assert held({"resource": "A"}, parent, child) and not held({"resource": "A"}, child)


def test_a_condition_may_use_any_function():
    stack = {
        "Conditions": {"It": {"Fn::Equals": [{"Fn::Select": [1, {"Fn::Split": ["-", "a-b"]}]}, {"Fn::Sub": "c"}]}},
        "Resources": {"A": {"Type": "A", "Condition": "It"}},
    }
    assert not held({"resource": "A"}, stack)


def test_clauses_with_one_name_are_about_one_resource():
    wanted = [
        {"id": name.lower(), "message": f"the bucket has {name}", "resource": "B", "properties": {name: 1}, "of": "it"}
        for name in ("Versions", "Locks", "Keys")
    ]
    apart = template(A=("B", {"Versions": 1}), B=("B", {"Locks": 1, "Keys": 1}), C=("B", {}))
    assert [result.held for result in evaluate(wanted, {"S": apart})] == [False, True, True]
    together = template(A=("B", {}), B=("B", {"Versions": 1, "Locks": 1, "Keys": 1}))
    assert all(result.held for result in evaluate(wanted, {"S": together}))
    alarmed = {"id": "alarm", "message": "its alarm", "relation": "references", "source": "A", "target": "B"}
    other = template(A=("B", {"Versions": 1, "Locks": 1}), B=("B", {}), X=("A", {"Of": {"Ref": "B"}}))
    results = evaluate([*wanted[:2], {**alarmed, "target_of": "it"}], {"S": other})
    assert [result.held for result in results] == [True, True, False]


def test_what_the_cdk_adds_counts_only_where_it_is_asked_for():
    role, bounded = "AWS::IAM::Role", {"PermissionsBoundary": {"Ref": "P"}}
    stack = template(P=("P", {}), Own=(role, bounded), BucketNotificationsHandlerRole=(role, {}))
    every = {"relation": "references", "source": "AWS::IAM::Role", "target": "P", "every": True}
    assert held(every, stack)
    assert not held({**every, "added": True}, stack)


ALARM = {"MetricName": "Errors", "Namespace": "AWS/Lambda", "Dimensions": [{"Name": "FunctionName", "Value": "f"}]}
DENIED = {"Effect": "Deny", "Action": "s3:*", "Resource": "*"}
OPENAPI = {"paths": {"/orders": {"post": {"x-amazon-apigateway-integration": {
    "type": "aws_proxy", "httpMethod": "POST", "uri": {"Fn::Sub": "arn:aws:apigateway:x:lambda:path/${F.Arn}"},
}}}}}  # fmt: skip
OTHER_FORMS: list[tuple[str, Json, Json, Json]] = [
    (
        "a metric in a list",
        template(A=("AWS::CloudWatch::Alarm", {"Metrics": [{"Id": "m", "MetricStat": {
            "Metric": ALARM, "Period": 60, "Stat": "Sum"}}]})),
        {"resource": "AWS::CloudWatch::Alarm", "properties": {"MetricName": "Errors", "Period": 60, "Statistic": "Sum"},
         "count": 1},
        {"resource": "AWS::CloudWatch::Alarm", "properties": {"MetricName": "Errors", "Statistic": "Average"}},
    ),
    (
        "a condition on keys that exist",
        template(P=("P", {"PolicyDocument": {"Statement": [
            {**DENIED, "Condition": {"BoolIfExists": {"AWS:securetransport": ["false"]}}}]}})),
        {"resource": "P", "properties": {"PolicyDocument.Statement.Condition.Bool.aws:SecureTransport": False}},
        {"resource": "P", "properties": {"PolicyDocument.Statement.Condition.Bool.aws:SecureTransport": True}},
    ),
    (
        "an API described in OpenAPI",
        template(Api=("AWS::ApiGateway::RestApi", {"Body": OPENAPI}), F=("AWS::Lambda::Function", {})),
        {"relation": "triggers", "source": "AWS::ApiGateway::Method", "source_where": {"HttpMethod": "POST"},
         "target": "AWS::Lambda::Function"},
        {"resource": "AWS::ApiGateway::Method", "properties": {"HttpMethod": "GET"}},
    ),
    (
        "a path below another, described in OpenAPI",
        template(Api=("AWS::ApiGateway::RestApi", {"Body": {"paths": {"/orders/{id}": {"get": {}}}}})),
        {"relation": "references", "source": "AWS::ApiGateway::Method", "path": "ResourceId",
         "target": "AWS::ApiGateway::Resource",
         "target_where": {"PathPart": "{id}", "ParentId": {"refers": "AWS::ApiGateway::Resource"}}},
        {"resource": "AWS::ApiGateway::Resource",
         "properties": {"PathPart": "orders", "ParentId": {"refers": "AWS::ApiGateway::Resource"}}},
    ),
    (
        "an HTTP API described in OpenAPI",
        template(Api=("AWS::ApiGatewayV2::Api", {"Body": OPENAPI}), F=("AWS::Lambda::Function", {})),
        {"relation": "triggers", "source": "AWS::ApiGatewayV2::Api", "target": "AWS::Lambda::Function"},
        {"resource": "AWS::ApiGatewayV2::Route", "properties": {"RouteKey": "GET /orders"}},
    ),
    (
        "address blocks of a network",
        template(V=("V", {"CidrBlock": "10.20.0.0/16"}), N=("N", {"CidrBlock": {"Fn::Select": [
            1, {"Fn::Cidr": [{"Fn::GetAtt": ["V", "CidrBlock"]}, 4, "8"]}]}})),
        {"resource": "N", "properties": {"CidrBlock": "10.20.1.0/24"}},
        {"resource": "N", "properties": {"CidrBlock": "10.20.0.0/24"}},
    ),
    (
        "names with the account in them",
        template(
            B=("B", {"BucketName": {"Fn::Join": ["", ["scans-", {"Ref": "AWS::AccountId"}]]}}),
            R=("R", {"Resource": {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":s3:::scans-",
                                                    {"Ref": "AWS::AccountId"}, "/*"]]}}),
            N=("N", {"Bucket": {"Fn::Sub": "scans-${AWS::AccountId}"}}),
            O=("O", {"Resource": {"Fn::Sub": "arn:aws:s3:::other-${AWS::AccountId}"}}),
        ),
        {"all_of": [{"relation": "references", "source": "R", "target": "B"},
                    {"relation": "references", "source": "N", "target": "B"}]},
        {"relation": "references", "source": "O", "target": "B"},
    ),
    (
        "literal names",
        template(T=("T", {"TableName": "orders"}), F=("F", {"Environment": {"Variables": {"TABLE": "orders"}}}),
                 Q=("Q", {"QueueName": "jobs"}), G=("G", {"Url": "https://sqs.eu-west-1.amazonaws.com/1/jobs"})),
        {"all_of": [{"relation": "references", "source": "F", "path": "Environment", "target": "T"},
                    {"relation": "references", "source": "G", "target": "Q"}]},
        {"relation": "references", "source": "F", "target": "Q"},
    ),
    (
        "a name in a substituted ARN",
        template(B=("B", {"BucketName": "reports"}),
                 P=("P", {"Resource": {"Fn::Sub": "arn:${AWS::Partition}:s3:::reports/*"}})),
        {"relation": "references", "source": "P", "target": "B"},
        {"relation": "references", "source": "B", "target": "P"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "stack", "met", "unmet"), OTHER_FORMS)
def test_other_forms_of_the_same(name: str, stack: Json, met: Json, unmet: Json):
    assert held(met, stack)
    assert not held(unmet, stack)


def test_an_excluded_word_is_not_a_filter_for_it():
    (item,) = (item for item in load() if item.id == "cdk-007")
    (wanted,) = (requirement for requirement in item.intent if requirement.id == "metric-filter")
    pattern = wanted.clause.all_of[0].properties["FilterPattern"]["matches"]  # type: ignore[union-attr]
    import re

    assert [bool(re.search(pattern, text)) for text in ("ERROR", '"ERROR"', "?ERROR", "-ERROR", "MY_ERROR")] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_a_role_must_trust_the_service_of_its_resource_where_that_is_known():
    trust = {"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ecs-tasks.x"}}]}
    policies = [{"PolicyDocument": {"Statement": [allow("s3:GetObject", "*")]}}]
    role = ("AWS::IAM::Role", {"AssumeRolePolicyDocument": trust, "Policies": policies})
    kinds = {"AWS::ECS::TaskDefinition": True, "AWS::Batch::JobDefinition": True, "AWS::Lambda::Function": False}
    for kind, expected in kinds.items():
        stack = template(It=(kind, {"Role": {"Ref": "Role"}}), Role=role)
        assert held({"relation": "may", "source": kind, "actions": ["s3:GetObject"]}, stack) is expected, kind


def test_a_key_that_is_its_own_key_ends_in_an_answer():
    anybody = {"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}]}
    stack = template(
        R=("AWS::Events::Rule", {}),
        Q=("AWS::SQS::Queue", {"KmsMasterKeyId": {"Ref": "K"}}),
        P=("AWS::SQS::QueuePolicy", {"Queues": [{"Ref": "Q"}], "PolicyDocument": anybody}),
        K=("AWS::KMS::Key", {"KeyPolicy": anybody, "KmsMasterKeyId": {"Ref": "K"}}),
    )
    asked = {"relation": "may", "service": "events", "source": "AWS::Events::Rule", "actions": ["sqs:SendMessage"]}
    assert held({**asked, "target": "AWS::SQS::Queue"}, stack)


def test_a_metric_whose_id_is_no_text_is_nameless():
    metrics = [{"Id": {"Ref": "P"}, "MetricStat": {"Metric": {"MetricName": "Errors"}}}, {"Id": [], "Expression": "m1"}]
    stack = template(A=("AWS::CloudWatch::Alarm", {"Metrics": metrics}))
    assert held({"resource": "AWS::CloudWatch::Alarm", "properties": {"Metrics.Expression": "m1"}}, stack)


def test_every_operator_has_a_row():
    used = {key for wanted, _, _ in VALUES if isinstance(wanted, dict) for key in wanted}
    assert used == OPERATORS


@pytest.mark.parametrize(
    "bad", [{}, {"any": True, "not": 1}, {"like": "x"}, ["a"], {"one_of": [{"like": 1}]}, {"matches": "("}]
)
def test_what_is_no_pattern_is_refused(bad: Any):
    with pytest.raises(ValueError, match=r"."):
        pattern(bad)


def test_counts_and_every():
    stack = template(A=("Q", {"N": 1}), B=("Q", {"N": 2}), C=("Q", {}))
    assert held({"resource": "Q", "count": 3}, stack)
    assert not held({"resource": "Q", "count": {"max": 2}}, stack)
    assert held({"resource": ["Q", "R"], "properties": {"N": {"any": True}}, "count": {"min": 2, "max": 2}}, stack)
    assert not held({"resource": "Q", "properties": {"N": {"any": True}}, "every": True}, stack)
    assert held(
        {"resource": "Q", "where": {"N": {"at_least": 1}}, "properties": {"N": {"any": True}}, "every": True}, stack
    )
    # Nothing meets "every" vacuously: at least one is asked for.
    assert not held({"resource": "Z", "every": True}, stack)


def test_attributes_of_a_resource_stand_behind_a_dollar():
    stack = {"Resources": {"A": {"Type": "B", "DeletionPolicy": "Retain"}}}
    assert held({"resource": "B", "properties": {"$DeletionPolicy": "Retain"}}, stack)
    assert not held({"resource": "B", "properties": {"DeletionPolicy": "Retain"}}, stack)


def test_absent_any_of_all_of_and_stacks():
    one, two = template(A=("Q", {"N": 1})), template(B=("R", {}))
    assert (
        held({"absent": "Z"}, one) and not held({"absent": "Q"}, one) and held({"absent": "Q", "where": {"N": 2}}, one)
    )
    assert held({"any_of": [{"resource": "Z"}, {"resource": "Q"}]}, one)
    assert not held({"all_of": [{"resource": "Z"}, {"resource": "Q"}]}, one)
    assert held({"stacks": 2}, one, two, {"Resources": {}})
    assert held({"stacks": 1, "holding": "R", "name": {"matches": "Prod"}}, one, **{"Prod-R": two})


def test_the_functions_of_the_cdk_itself_do_not_count():
    stack = template(
        BucketNotificationsHandler050a0587b7544547bf325f094a3db834=("AWS::Lambda::Function", {}),
        Mine=("AWS::Lambda::Function", {"MemorySize": 128}),
    )
    assert held({"resource": "AWS::Lambda::Function", "count": 1}, stack)


REFERENCES: list[tuple[str, Any, bool]] = [
    ("ref", {"Ref": "T"}, True),
    ("attribute", {"Fn::GetAtt": ["T", "Arn"]}, True),
    ("attribute in one word", {"Fn::GetAtt": "T.Arn"}, True),
    ("join", {"Fn::Join": ["", ["x", {"Ref": "T"}]]}, True),
    ("substitution", {"Fn::Sub": "x-${T}"}, True),
    ("substitution with names", {"Fn::Sub": ["${A}", {"A": {"Ref": "T"}}]}, True),
    ("condition", {"Fn::If": ["C", {"Ref": "T"}, "x"]}, True),
    ("deep inside", {"a": [{"b": {"Ref": "T"}}]}, True),
    ("alias of it", {"Ref": "Alias"}, True),
    ("its name", "the-target", True),
    ("its name in an arn", {"Fn::Join": [":", ["arn", "aws", "s3", "", "", "the-target"]]}, True),
    ("parameter of the parent", {"Ref": "Passed"}, False),
    ("other", {"Ref": "Other"}, False),
    ("nothing", {"Ref": "Missing"}, False),
    ("name inside other text", "not-the-target", False),
    ("logical id as text", "T", False),
]


@pytest.mark.parametrize(("name", "value", "expected"), REFERENCES)
def test_references(name: str, value: Any, expected: bool):
    stack = template(
        It=("I", {"To": value}),
        T=("Target", {"TableName": "the-target"}),
        Alias=("AWS::Lambda::Alias", {"FunctionName": {"Ref": "T"}}),
        Other=("O", {}),
    ) | {"Parameters": {"Passed": {"Type": "String"}}}
    assert held({"relation": "references", "source": "I", "path": "To", "target": "Target"}, stack) is expected


def test_references_across_stacks_by_export_parameter_and_output():
    owner = template(T=("Target", {})) | {
        "Outputs": {"Out": {"Value": {"Fn::GetAtt": ["T", "Arn"]}, "Export": {"Name": "Owner:Out"}}}
    }
    importer = template(It=("I", {"To": {"Fn::ImportValue": "Owner:Out"}}))
    clause = {"relation": "references", "source": "I", "path": "To", "target": "Target"}
    assert held(clause | {"across": True}, owner, importer)
    assert not held(clause, importer)
    weak = {"Fn::GetStackOutput": {"StackName": "Owner", "OutputName": "Out", "Region": {"Ref": "AWS::Region"}}}
    borrower = template(It=("I", {"To": weak}))
    assert held(clause | {"across": True}, borrower, Owner=owner)
    assert held(clause | {"across": True}, borrower, **{"Prod/Owner": owner})
    assert not held(clause, borrower)
    assert not held(clause | {"across": True}, template(T=("Target", {}), It=("I", {"To": {"Ref": "T"}})))

    root = template(
        T=("Target", {}),
        Child=("AWS::CloudFormation::Stack", {"Parameters": {"passed": {"Ref": "T"}}}),
        Sibling=("AWS::CloudFormation::Stack", {"Parameters": {"inner": {"Fn::GetAtt": ["Child", "Outputs.Made"]}}}),
    )
    child = template(It=("I", {"To": {"Ref": "passed"}}), Made=("M", {})) | {
        "Parameters": {"passed": {"Type": "String"}},
        "Outputs": {"Made": {"Value": {"Ref": "Made"}}},
    }
    sibling = template(J=("J", {"To": {"Ref": "inner"}})) | {"Parameters": {"inner": {"Type": "String"}}}
    assert held(clause | {"across": True}, root, child, sibling)
    assert held({"relation": "references", "source": "J", "target": "M", "across": True}, root, child, sibling)


FUNCTION = ("AWS::Lambda::Function", {"Role": {"Fn::GetAtt": ["Role", "Arn"]}})
TABLE = {"Fn::GetAtt": ["T", "Arn"]}


def allow(action: Any, resource: Any, **more: Any) -> Json:
    return {"Effect": "Allow", "Action": action, "Resource": resource} | more


GRANTS: list[tuple[str, list[Any], bool, bool]] = [
    # name, statements, may do dynamodb:PutItem on T, the same but scoped
    ("exact", [allow("dynamodb:PutItem", TABLE)], True, True),
    ("case", [allow("DynamoDB:putitem", [TABLE])], True, True),
    ("wildcard", [allow(["dynamodb:Get*", "dynamodb:Put*"], TABLE)], True, True),
    ("question mark", [allow("dynamodb:?utItem", TABLE)], True, True),
    ("inner wildcard", [allow("dynamodb:*Item", TABLE)], True, True),
    ("everything", [allow("*", "*")], True, False),
    ("any table", [allow("dynamodb:PutItem", "*")], True, False),
    ("index below it", [allow("dynamodb:PutItem", {"Fn::Join": ["", [TABLE, "/index/*"]]})], True, True),
    ("all but deletion", [allow(None, TABLE, NotAction="dynamodb:Delete*")], True, True),
    ("all but writing", [allow(None, TABLE, NotAction="dynamodb:Put*")], False, False),
    ("other action", [allow("dynamodb:GetItem", TABLE)], False, False),
    ("other table", [allow("dynamodb:PutItem", {"Ref": "U"})], False, False),
    ("denied", [allow("*", "*"), {"Effect": "Deny", "Action": "dynamodb:Put*", "Resource": "*"}], False, False),
    (
        "denied under a condition",
        [allow("*", TABLE), {"Effect": "Deny", "Action": "*", "Resource": "*", "Condition": {"Bool": {"x": "y"}}}],
        True,
        True,
    ),
    ("nonsense", [None, 3, "Allow", {"Effect": "Allow"}, {"Effect": "Allow", "Action": {"a": 1}}], False, False),
]


@pytest.mark.parametrize(("name", "statements", "expected", "scoped"), GRANTS)
@pytest.mark.parametrize("place", ["inline", "policy", "managed"])
def test_grants(name: str, statements: list[Any], expected: bool, scoped: bool, place: str):
    document = {"Statement": statements}
    role: Json = {"Policies": [{"PolicyDocument": document}]} if place == "inline" else {}
    resources: dict[str, tuple[str, Json]] = {
        "Fn": FUNCTION,
        "Role": ("AWS::IAM::Role", role),
        "T": ("T", {}),
        "U": ("U", {}),
    }
    if place == "policy":
        resources["P"] = ("AWS::IAM::Policy", {"PolicyDocument": document, "Roles": [{"Ref": "Role"}]})
    if place == "managed":
        resources["P"] = ("AWS::IAM::ManagedPolicy", {"PolicyDocument": document})
        role["ManagedPolicyArns"] = [{"Ref": "P"}]
    stack = template(**resources)
    ask = {"source": "AWS::Lambda::Function", "actions": ["dynamodb:PutItem"], "target": "T"}
    assert held({"relation": "may", **ask}, stack) is expected
    assert held({"relation": "may", "scoped": True, **ask}, stack) is scoped
    assert held({"relation": "may_not", **ask}, stack) is not expected


def test_grants_of_full_access_policies_and_of_the_targets_own_policy():
    arn = {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":iam::aws:policy/AmazonS3FullAccess"]]}
    ask = {
        "relation": "may",
        "source": "AWS::Lambda::Function",
        "actions": ["s3:GetObject"],
        "target": "AWS::S3::Bucket",
    }
    bucket = ("AWS::S3::Bucket", {})
    role = ("AWS::IAM::Role", {})
    assert held(ask, template(Fn=FUNCTION, Role=("AWS::IAM::Role", {"ManagedPolicyArns": [arn]}), B=bucket))
    statement = allow("s3:GetObject", {"Fn::Sub": "${B.Arn}/*"}, Principal={"AWS": {"Fn::GetAtt": ["Role", "Arn"]}})
    policy = ("AWS::S3::BucketPolicy", {"Bucket": {"Ref": "B"}, "PolicyDocument": {"Statement": [statement]}})
    assert held(ask, template(Fn=FUNCTION, Role=role, B=bucket, P=policy))
    assert not held(ask, template(Fn=FUNCTION, Role=role, B=bucket))


def test_the_path_picks_one_of_two_roles():
    task = ("AWS::ECS::TaskDefinition", {"TaskRoleArn": {"Ref": "A"}, "ExecutionRoleArn": {"Ref": "B"}})
    granted = ("AWS::IAM::Role", {"Policies": [{"PolicyDocument": {"Statement": allow("sqs:*", "*")}}]})
    stack = template(Task=task, A=granted, B=("AWS::IAM::Role", {}), Q=("AWS::SQS::Queue", {}))
    ask = {
        "relation": "may",
        "source": "AWS::ECS::TaskDefinition",
        "actions": ["sqs:SendMessage"],
        "target": "AWS::SQS::Queue",
    }
    assert held(ask | {"path": "TaskRoleArn"}, stack)
    assert not held(ask | {"path": "ExecutionRoleArn"}, stack)


CONNECTIONS: list[tuple[str, Json]] = [
    ("AWS::Lambda::EventSourceMapping", {"EventSourceArn": {"Ref": "S"}, "FunctionName": {"Ref": "F"}}),
    ("AWS::SNS::Subscription", {"TopicArn": {"Ref": "S"}, "Endpoint": {"Fn::GetAtt": ["F", "Arn"]}}),
    ("Custom::S3BucketNotifications", {"BucketName": {"Ref": "S"}, "NotificationConfiguration": {"x": {"Ref": "F"}}}),
    ("AWS::Events::Rule", {"EventBusName": {"Ref": "S"}, "Targets": [{"Arn": {"Ref": "F"}}]}),
    ("AWS::Pipes::Pipe", {"Source": {"Ref": "S"}, "Target": {"Ref": "F"}}),
    ("AWS::ApiGateway::Method", {"RestApiId": {"Ref": "S"}, "Integration": {"Uri": {"Fn::Sub": "x/${F.Arn}/y"}}}),
    ("AWS::ApiGatewayV2::Integration", {"ApiId": {"Ref": "S"}, "IntegrationUri": {"Ref": "F"}}),
    ("AWS::Logs::SubscriptionFilter", {"LogGroupName": {"Ref": "S"}, "DestinationArn": {"Ref": "F"}}),
]


@pytest.mark.parametrize(("kind", "body"), CONNECTIONS)
def test_triggers(kind: str, body: Json):
    stack = template(C=(kind, body | {"Size": 5}), S=("Source", {}), F=("Function", {}), G=("Idle", {}))
    ask = {"relation": "triggers", "source": "Source", "target": "Function"}
    assert held(ask, stack) and held(ask | {"source": kind}, stack)
    assert held(ask | {"via": {"Size": 5}}, stack) and not held(ask | {"via": {"Size": 6}}, stack)
    assert not held(ask | {"target": "Idle"}, stack)
    assert not held({"relation": "triggers", "source": "Function", "target": "Source"}, stack)


def test_a_dead_letter_queue_of_a_rule_is_not_its_target():
    rule = ("AWS::Events::Rule", {"Targets": [{"Arn": "x", "DeadLetterConfig": {"Arn": {"Ref": "Q"}}}]})
    stack = template(R=rule, Q=("AWS::SQS::Queue", {}))
    assert not held({"relation": "triggers", "source": "AWS::Events::Rule", "target": "AWS::SQS::Queue"}, stack)


INGRESS: list[tuple[Json, bool]] = [
    ({"IpProtocol": "tcp", "FromPort": 5432, "ToPort": 5432}, True),
    ({"IpProtocol": "tcp", "FromPort": "5000", "ToPort": "6000"}, True),
    ({"IpProtocol": "-1"}, True),
    ({"IpProtocol": "tcp", "FromPort": {"Fn::GetAtt": ["D", "Endpoint.Port"]}, "ToPort": 1}, True),
    ({"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80}, False),
    ({"IpProtocol": "tcp", "FromPort": [], "ToPort": None}, False),
]


@pytest.mark.parametrize(("rule", "expected"), INGRESS)
@pytest.mark.parametrize("inline", [True, False])
def test_reaches(rule: Json, expected: bool, inline: bool):
    rule = rule | {"SourceSecurityGroupId": {"Fn::GetAtt": ["Mine", "GroupId"]}}
    stack = template(
        F=("F", {"VpcConfig": {"SecurityGroupIds": [{"Ref": "Mine"}]}}),
        D=("D", {"Groups": [{"Ref": "Theirs"}]}),
        Mine=("AWS::EC2::SecurityGroup", {}),
        Theirs=("AWS::EC2::SecurityGroup", {"SecurityGroupIngress": [rule]} if inline else {}),
        **({} if inline else {"R": ("AWS::EC2::SecurityGroupIngress", rule | {"GroupId": {"Ref": "Theirs"}})}),
    )
    assert held({"relation": "reaches", "source": "F", "target": "D", "port": 5432}, stack) is expected
    assert not held({"relation": "reaches", "source": "D", "target": "F", "port": 5432}, stack)


def test_share_and_details():
    findings = evaluate(
        [
            {"id": "a", "message": "there is an A", "resource": "A"},
            {"id": "b", "message": "there is a B", "resource": "B"},
        ],
        {"S": template(It=("A", {}))},
    )
    assert [(finding.id, finding.held) for finding in findings] == [("a", True), ("b", False)]
    assert findings[0].detail == "1 of 1 A (It)" and share(findings) == 0.5 and share(()) == 1.0


def test_bad_intent_is_refused():
    for bad in (
        [{"id": "a", "message": "no clause at all"}],
        [{"id": "A B", "message": "bad id here", "resource": "X"}],
    ):
        with pytest.raises(ValidationError):
            requirements(bad)


# Templates nobody would write: keys, ids and values drawn from the words the evaluator looks for.
WORDS = st.sampled_from(
    [
        *(
            "Ref",
            "Fn::GetAtt",
            "Fn::Sub",
            "Fn::Join",
            "Fn::If",
            "Fn::ImportValue",
            "Resources",
            "Outputs",
            "Parameters",
        ),
        *("Export", "Name", "Value", "Default", "Type", "Properties", "Statement", "PolicyDocument", "Roles", "Effect"),
        *(
            "AWS::IAM::Role",
            "AWS::IAM::Policy",
            "AWS::S3::Bucket",
            "AWS::Lambda::Function",
            "AWS::CloudFormation::Stack",
        ),
        *("Allow", "Action", "Resource", "*", "arn:a:b", "A", "A.B", "Outputs.A", "${A}", "AWS::NoValue"),
    ]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.binary(max_size=3)
WILD = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.integers() | st.none(), inner, max_size=4),
    max_leaves=40,
)
BODY = st.fixed_dictionaries({"Type": WORDS, "Properties": WILD})
STACK = st.fixed_dictionaries(
    {
        "Resources": st.dictionaries(WORDS, BODY | WILD, max_size=5) | WILD,
        "Outputs": st.dictionaries(WORDS, WILD, max_size=3) | WILD,
        "Parameters": st.dictionaries(WORDS, WILD, max_size=3) | WILD,
    }
)
EVERYTHING = tuple(requirement for item in load() for requirement in item.intent)


@given(st.dictionaries(st.text(max_size=3), STACK | WILD, max_size=3) | WILD)
def test_no_template_makes_the_evaluation_raise(templates: Any):
    findings = evaluate(EVERYTHING, templates)
    assert len(findings) == len(EVERYTHING)
    assert 0.0 <= share(findings) <= 1.0


@given(WILD)
def test_a_resource_with_any_properties_is_counted_once(properties: Any):
    stack = {"Resources": {"It": {"Type": "Mine", "Properties": properties}}}
    assert held({"resource": "Mine", "count": 1}, stack)


def test_deep_and_circular_templates_end():
    deep: Any = "end"
    for _ in range(50_000):
        deep = {"Fn::Join": ["", [deep]]}
    # Two parameters that stand for each other, many times over: followed naively this never ends.
    each = {"Fn::Join": ["", [{"Ref": "q"}] * 8]}
    other = {"Fn::Join": ["", [{"Ref": "p"}] * 8]}
    left = template(C=("AWS::CloudFormation::Stack", {"Parameters": {"p": each}})) | {"Parameters": {"q": {}}}
    right = template(
        D=("AWS::CloudFormation::Stack", {"Parameters": {"q": other}}),
        It=("AWS::S3::Bucket", {"BucketName": {"Ref": "p"}, "Deep": deep}),
    ) | {"Parameters": {"p": {}}}
    clauses = [
        {"resource": "AWS::S3::Bucket", "properties": {"BucketName": {"matches": "x"}}},
        {"resource": "AWS::S3::Bucket", "properties": {"Deep": {"matches": "x"}}},
        {"relation": "references", "source": "AWS::S3::Bucket", "target": "AWS::SQS::Queue"},
    ]
    assert [held(clause, left, right) for clause in clauses] == [False, False, False]


def test_what_lies_beyond_the_limits_is_not_looked_at():
    stack = template(**{f"R{number}": ("Many", {}) for number in range(MAX_RESOURCES)}, Last=("Last", {}))
    assert held({"resource": "Many", "count": MAX_RESOURCES}, stack)
    assert not held({"resource": "Last"}, stack)


def test_a_text_of_many_long_texts_is_cut():
    long = {"Fn::FindInMap": ["Map", "a", "long"]}
    stack = {
        "Mappings": {"Map": {"a": {"long": "x" * 100_000}}},
        "Resources": {
            "A": {"Type": "A", "Properties": {"Name": {"Fn::Join": ["", [long] * 1_000]}, "All": [long] * 1_000}}
        },
    }
    tracemalloc.start()
    try:
        assert held({"resource": "A", "properties": {"Name": {"matches": "^x"}, "All": {"matches": "x"}}}, stack)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_list_is_entered_by_number():
    stack = template(It=("I", {"Stages": [{"Name": "a"}, {"Name": "b"}]}))
    assert held({"resource": "I", "properties": {"Stages.0.Name": "a", "Stages.1.Name": "b"}}, stack)
    assert not held({"resource": "I", "properties": {"Stages.1.Name": "a"}}, stack)
    assert not held({"resource": "I", "properties": {"Stages.2.Name": {"any": True}}}, stack)


@pytest.mark.parametrize("index", ["²", "9" * 5_000, "-1", True])
def test_what_is_no_index_selects_nothing(index: Any):
    stack = template(It=("I", {"Name": {"Fn::Select": [index, ["a", "b"]]}}))
    assert not held({"resource": "I", "properties": {"Name": {"one_of": ["a", "b"]}}}, stack)


def test_the_evaluator_is_pure():
    code = (
        "import sys; import steelyard.bench.cdk_synth.intent, steelyard.bench.cdk_synth.dataset;"
        "print([name for name in ('inspect_ai', 'click', 'aws_cdk') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_prompts_of_the_dataset_use_every_relation():
    seen: set[str] = set()
    queue = [requirement.clause for requirement in EVERYTHING]
    for clause in islice(queue, 10_000):
        seen.add(getattr(clause, "relation", type(clause).__name__))
        queue.extend([*getattr(clause, "any_of", ()), *getattr(clause, "all_of", ())])
    assert {"references", "triggers", "may", "may_not", "reaches", "AbsentClause", "StacksClause"} <= seen


def test_entangled_templates_end_in_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from steelyard.bench.cdk_synth.intent import template

    queues = {f"Q{n}": {"Type": "AWS::SQS::Queue", "Properties": {"Tags": [{"Ref": f"Q{n + 1}"}]}} for n in range(300)}
    requirement = {
        "id": "queue",
        "message": "a queue that refers to a queue",
        "clause": {"resource": "AWS::SQS::Queue", "properties": {"Tags": {"refers": "AWS::SQS::Queue"}}},
    }
    templates = {"S": {"Resources": queues}}
    assert evaluate([requirement], templates)[0].held
    monkeypatch.setattr(template, "MAX_WORK", 1_000)
    results = evaluate([requirement, {**requirement, "id": "again"}], templates)
    assert [result.held for result in results] == [False, False]
    assert {result.detail for result in results} == {"not evaluated: the templates are too large"}
