"""Deployment on paper: what exists afterwards, and what CloudFormation would refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.bench.cdk_synth.assembly import Stack
from steelyard.bench.hard_cdk.assertion import evaluate
from steelyard.bench.hard_cdk.assertion.clause import Assertion, Binding
from steelyard.bench.hard_cdk.assertion.event import matches
from steelyard.bench.hard_cdk.assertion.proviso import Undecided
from steelyard.bench.hard_cdk.behaviour import behaviour
from steelyard.bench.hard_cdk.dataset import load
from steelyard.bench.hard_cdk.deploy import Deployment, deploy


def stack(name: str, resources: dict[str, Any], *before: str, **parts: Any) -> Stack:
    template = {"Resources": resources, **parts}
    return Stack(name, template, True, (), name, "aws://unknown-account/unknown-region", frozenset(before))


def deployed(*stacks: Stack) -> Deployment:
    return deploy(stacks, [stack.name for stack in stacks], "seed")


QUEUE = {"Type": "AWS::SQS::Queue"}


def value(expression: Any, **parts: Any) -> Any:
    """What a property with this value becomes."""
    resources = {"Q": QUEUE, "B": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "named"}}}
    body = {"Type": "AWS::SNS::Topic", "Properties": {"X": expression}}
    result = deployed(stack("S", {**resources, "T": body}, **parts))
    assert result.failures == ()
    return next(item for item in result.resources if item.logical_id == "T").properties.get("X")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ({"Ref": "B"}, "named"),
        ({"Fn::GetAtt": ["B", "Arn"]}, "arn:aws:s3:::named"),
        ({"Fn::GetAtt": "B.Arn"}, "arn:aws:s3:::named"),
        ({"Fn::Join": ["-", ["a", {"Ref": "AWS::Region"}]]}, "a-eu-west-1"),
        ({"Fn::Sub": "${B}/${!x}/${AWS::AccountId}"}, "named/${x}/111122223333"),
        ({"Fn::Sub": ["${v}", {"v": {"Ref": "B"}}]}, "named"),
        ({"Fn::Select": [1, {"Fn::Split": [",", "a,b"]}]}, "b"),
        ({"Fn::Select": ["2", {"Fn::GetAZs": ""}]}, "eu-west-1c"),
        ({"Fn::If": ["Yes", "a", "b"]}, "a"),
        ({"Ref": "AWS::NoValue"}, None),
        ({"Fn::Cidr": ["10.0.0.0/24", 2, 6]}, ["10.0.0.0/26", "10.0.0.64/26"]),
        ({"Ref": "Size"}, 5),
        ([{"Ref": "AWS::NoValue"}, 1], [1]),
        ({"Condition": "Nope"}, {"Condition": "Nope"}),  # a property of that name, not a condition of the template
    ],
)
def test_intrinsics(expression: Any, expected: Any) -> None:
    conditions = {"Yes": {"Fn::And": [{"Fn::Equals": [1, 1]}, {"Fn::Not": [{"Fn::Equals": [1, 2]}]}]}}
    parameters = {"Size": {"Type": "Number", "Default": 5}}
    assert value(expression, Conditions=conditions, Parameters=parameters) == expected


def nested(levels: int, wrap: Callable[[Any], Any], value: Any) -> Any:
    for _ in range(levels):
        value = wrap(value)
    return value


def test_calls_in_calls() -> None:
    # CloudFormation can replace a part of a text only so, and an answer may have to replace many.
    replaced = nested(38, lambda text: {"Fn::Join": ["b", {"Fn::Split": ["a", text]}]}, {"Ref": "Text"})
    assert value(replaced, Parameters={"Text": {"Type": "String", "Default": "xax"}}) == "xbx"


def topic(value: Any, **more: Any) -> dict[str, Any]:
    return {"Type": "AWS::SNS::Topic", "Properties": {"X": value}, **more}


EXPORT = {"O": {"Value": {"Ref": "Q"}, "Export": {"Name": "the-queue"}}}
IMPORT = topic({"Fn::ImportValue": "the-queue"})
CHAIN = {f"C{place}": {"Fn::Not": [{"Condition": f"C{place + 1}"}]} for place in range(90)} | {
    "C90": {"Fn::Equals": [1, 1]}
}
ODD = {"Odd": {"Fn::Not": [{"Fn::And": [{"Fn::Equals": [1, 2]}, "never"]}]}}
NEVER = {"Never": {"Fn::Equals": [1, 2]}}


@pytest.mark.parametrize(
    ("stacks", "failure"),
    [
        ([stack("S", {"T": topic({"Ref": "Nothing"})})], "S: T: unknown reference Nothing"),
        ([stack("S", {"A": topic({"Ref": "B"}), "B": topic({"Ref": "A"})})], "circular dependency"),
        ([stack("S", {"A": topic(1, DependsOn="B"), "B": topic({"Ref": "A"})})], "circular dependency"),
        ([stack("S", {"T": topic({"Ref": "P"})}, Parameters={"P": {"Type": "String"}})], "parameter P has no value"),
        ([stack("S", {"Q": {**QUEUE, "Condition": "Never"}, "T": topic({"Ref": "Q"})}, Conditions=NEVER)], "not exist"),
        ([stack("A", {"Q": QUEUE}, Outputs=EXPORT), stack("B", {"T": IMPORT})], "no stack before this one exports"),
        ([stack("A", {"Q": QUEUE}, Outputs=EXPORT), stack("B", {"Q": QUEUE}, Outputs=EXPORT)], "already exports"),
        ([stack("S", {n: {**QUEUE, "Properties": {"QueueName": "q"}} for n in "AB"})], "have the same name"),
        ([stack("S", {"T": topic({"Fn::Transform": {}})})], "Fn::Transform is not supported"),
        ([stack("S", {"T": topic("{{resolve:ssm:/mine}}")})], "/mine does not exist before this stack"),
        ([stack("S", {"T": topic({"Fn::If": ["Nope", 1, 2]})})], "unknown condition Nope"),
        (
            [stack("S", {"T": topic({"Fn::Join": {"Fn::Split": ["|", "-|a"]}})})],
            "Fn::Join is not supported, or does not",
        ),
        ([stack("S", {"T": topic(nested(90, lambda part: {"Fn::Base64": part}, "a"))})], "too large or too deep"),
        ([stack("S", {"T": topic(1, Condition="Odd")}, Conditions=ODD)], "T: a condition says never"),
        ([stack("S", {"T": topic(1, Condition="C0")}, Conditions=CHAIN)], "too large or too deep"),
        (
            [stack("S", {"T": topic(nested(26, lambda part: {"Fn::ToJsonString": [part]}, '"'))})],
            "text that is too long",
        ),
        ([stack("S", {"T": topic(nested(40, lambda part: {"Fn::Base64": part}, "a" * 99))})], "text that is too long"),
        ([stack("S", {"Q": QUEUE}, Outputs={"O": {"Value": {"Ref": "Nope"}}})], "output O: unknown reference Nope"),
        ([stack("S", {"Q": QUEUE}, Outputs={"O": {"Value": {"Fn::ImportValue": "x"}}})], "this one exports x"),
    ],
)
def test_what_cloudformation_refuses(stacks: list[Stack], failure: str) -> None:
    assert failure in "; ".join(deployed(*stacks).failures)


def test_values_cross_stacks_in_order_only() -> None:
    result = deployed(stack("B", {"T": IMPORT}, "A"), stack("A", {"Q": QUEUE}, Outputs=EXPORT))
    queue, received = result.resources
    assert result.failures == () and received.properties["X"] == queue.identity.ref
    assert result.imports == {("B", "the-queue")} and result.before == {"A": frozenset(), "B": frozenset({"A"})}


def test_what_only_an_output_imports_is_imported() -> None:
    handed_on = {"O": {"Value": {"Fn::ImportValue": "the-queue"}}}
    result = deployed(stack("A", {"Q": QUEUE}, Outputs=EXPORT), stack("B", {"Q": QUEUE}, "A", Outputs=handed_on))
    assert result.failures == () and result.imports == {("B", "the-queue")}


def test_a_name_that_is_refused_is_no_circle_for_the_next_reference() -> None:
    nameless = {**QUEUE, "Properties": {"QueueName": {"Ref": "Nope"}}}
    result = deployed(stack("S", {"T": topic({"Ref": "A"}), "U": topic({"Ref": "A"}), "A": nameless}))
    assert result.failures == tuple(f"S: {name}: unknown reference Nope" for name in "TUA")


def test_generated_names_cannot_be_known_beforehand() -> None:
    one, other = (deploy([stack("S", {"Q": QUEUE})], ["S"], seed).resources[0].name for seed in ("1", "2"))
    assert one != other and one.startswith("s-q-")


def test_a_bomb_of_joins_ends() -> None:
    expression: Any = "x" * 1000
    for _ in range(40):
        expression = {"Fn::Join": ["", [expression, expression]]}
    [failure] = deployed(stack("S", {"T": topic(expression)})).failures
    assert "too" in failure


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["Ref", "S", "Q", "*", "Allow", "a,b", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "Ref",
                    "Fn::GetAtt",
                    "Fn::Join",
                    "Fn::Sub",
                    "Fn::If",
                    "Fn::Select",
                    "Properties",
                    "Type",
                    "Statement",
                    "x",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(JSON, st.sampled_from([item.id for item in load()]))
def test_no_template_makes_the_judgement_raise(damage: Any, item_id: str) -> None:
    item = next(item for item in load() if item.id == item_id)
    kinds = ("AWS::IAM::Role", "AWS::S3::Bucket", "AWS::KMS::Key", "AWS::Events::Rule", "AWS::Lambda::Permission")
    resources = {f"R{n}": {"Type": kind, "Properties": damage} for n, kind in enumerate(kinds)}
    stacks = [
        Stack(name, {"Resources": resources, "Outputs": damage, "Conditions": damage}, True, (), name)
        for name in item.metadata.stacks
    ]
    results = behaviour(item, "", stacks, stacks)
    assert not all(result.held for result in results)


@pytest.mark.parametrize(
    ("pattern", "event", "matched"),
    [
        ({"a": ["x"]}, {"a": "x"}, True),
        ({"a": ["x"]}, {"a": ["y", "x"]}, True),
        ({"a": [{"prefix": "x"}, {"suffix": "z"}]}, {"a": "az"}, True),
        ({"a": [{"anything-but": ["x"]}]}, {}, False),
        ({"a": [{"anything-but": {"prefix": "x"}}]}, {"a": "yx"}, True),
        ({"a": [{"exists": False}]}, {"b": 1}, True),
        ({"a": [{"numeric": [">", 0, "<=", 5]}]}, {"a": 5}, True),
        ({"a": [{"numeric": [">", 0]}]}, {"a": "5"}, False),
        ({"a": [{"wildcard": "in/*.csv"}]}, {"a": "in/x/y.csv"}, True),
        ({"a": [1]}, {"a": 1.0}, True),
        ({"a": [True]}, {"a": 1}, False),
        ({"$or": [{"a": ["x"]}, {"b": ["y"]}]}, {"b": "y"}, True),
        ({"a": {"b": [None]}}, {"a": {"b": None}}, True),
        ({}, {"a": 1}, False),
    ],
)
def test_event_patterns(pattern: dict[str, Any], event: dict[str, Any], matched: bool) -> None:
    assert matches(json.loads(json.dumps(pattern)), event) is matched


@pytest.mark.parametrize("words", [[], ["<"], ["<", "5"], ["=", True], ["!", 5], [["<"], 5], ["<", 5, ">"]])
def test_numbers_that_aws_refuses_in_a_pattern_are_undecided(words: list[Any]) -> None:
    for event in ({"a": 5}, {"a": "x"}):
        with pytest.raises(Undecided):
            matches({"a": [{"numeric": words}]}, event)


@pytest.mark.parametrize("service", ["X}", "{seed}", "{name:>20000000}", "{0}", "{{"])
def test_the_type_of_a_resource_is_no_format(service: str) -> None:
    [item] = deployed(stack("S", {"R": {"Type": f"AWS::{service}::Y"}})).resources
    assert f":{service.lower()}:" in item.identity.arn and len(item.identity.arn) < 200


def test_the_place_of_a_resource_comes_from_its_metadata() -> None:
    placed = {**QUEUE, "Metadata": {"aws:cdk:path": "S/Part/Queue/Resource"}}
    assert [item.path for item in deployed(stack("S", {"P": placed, "Q": QUEUE})).resources] == [
        "S/Part/Queue/Resource",
        "",
    ]


@pytest.mark.parametrize(("under", "held"), [("S/Part", True), ("S/Pa", False), ("S/Part/Queue/Resource", True)])
def test_a_place_is_a_construct_and_not_a_prefix_of_its_name(under: str, held: bool) -> None:
    placed = {**QUEUE, "Metadata": {"aws:cdk:path": "S/Part/Queue/Resource"}}
    place = {"each": "AWS::SQS::Queue", "under": under}
    assertion = Assertion.model_validate({"id": "tree", "message": "the queue is there", "paths": [place]})
    assert [result.held for result in evaluate([assertion], {}, deployed(stack("S", {"P": placed})), None)] == [
        True,
        held,
    ]


ZONES = {"Zones": {"Type": "CommaDelimitedList", "Default": "a", "AllowedValues": ["a", "b", "c"]}}
JOINED = {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": {"Fn::Join": ["-", {"Ref": "Zones"}]}}}


def test_parameters_have_the_values_that_are_given() -> None:
    stacks = [stack("S", {"T": JOINED}, Parameters=ZONES), stack("Other", {"Q": QUEUE})]
    given = deploy(stacks, ["S", "Other"], "seed", {"Zones": "b, c"})
    assert given.failures == () and given.resources[1].name == "b-c"
    assert deploy(stacks, ["S"], "seed", {"Zones": "z"}).failures == ("S: parameter Zones does not admit z",)
    assert deploy(stacks, ["S"], "seed", {"Zone": "a"}).failures == ("no stack has the parameter Zone",)


def test_a_refused_value_counts_even_if_nothing_refers_to_the_parameter() -> None:
    assert deploy([stack("S", {"Q": QUEUE}, Parameters=ZONES)], ["S"], "seed", {"Zones": "z"}).failures


@pytest.mark.parametrize(
    ("case", "held"),
    [
        ({"given": {"Zones": "a,b"}, "then": [{"resource": "AWS::SNS::Topic", "properties": {"TopicName": "a-b"}}]}, 1),
        ({"given": {"Zones": "a,b"}, "then": [{"resource": "AWS::SNS::Topic", "properties": {"TopicName": "a"}}]}, 0),
        ({"given": {"Zones": "b"}, "then": [{"imports": "S", "sources": ["${topic.name}"]}]}, 0),
        ({"given": {"Zones": "b"}, "then": [{"exports": "S", "values": ["x", "${topic.name}"]}]}, 1),
        ({"given": {"Zones": "b"}, "then": [{"exports": "S", "values": ["w", "x"]}]}, 1),
        ({"given": {"Zones": "b"}, "then": [{"exports": "S", "values": ["w"]}]}, 0),
        ({"given": {"Zones": "z"}, "refused": True}, 1),
        ({"given": {"Zones": "b"}, "refused": True}, 0),
        ({"given": {"Zones": "z"}}, 0),
    ],
)
def test_a_case_holds_on_the_deployment_with_its_parameters(case: dict[str, Any], held: int) -> None:
    exported = {"Out": {"Value": "x", "Export": {"Name": {"Fn::Join": ["-", {"Ref": "Zones"}]}}}}
    stacks = [stack("S", {"T": JOINED}, Parameters=ZONES, Outputs=exported)]
    assertion = Assertion.model_validate({"id": "case", "message": "something holds", "cases": [case]})
    bound = {"topic": Binding(type="AWS::SNS::Topic")}
    results = evaluate(
        [assertion], bound, deployed(*stacks), None, lambda values: deploy(stacks, ["S"], "seed", values)
    )
    assert [result.held for result in results] == [True, bool(held)]


@pytest.mark.parametrize("key", [{"Fn::Select": [0, ["a"]]}, {"Fn::If": ["C", "a", "b"]}])
def test_mappings_take_no_other_function_without_a_transform(key: Any) -> None:
    topic = {"Type": "AWS::SNS::Topic", "Properties": {"X": {"Fn::FindInMap": ["M", key, "v"]}}}
    [failure] = deployed(stack("S", {"T": topic}, Mappings={"M": {"a": {"v": "1"}}})).failures
    assert "Fn::FindInMap does not take" in failure


@pytest.mark.parametrize(
    ("kind", "properties", "expected"),
    [
        ("AWS::Cassandra::Table", {"KeyspaceName": "k", "TableName": "t"}, ("k|t", "t")),
        ("AWS::SageMaker::Model", {"ModelName": "m"}, ("arn:aws:sagemaker:eu-west-1:111122223333:model/m", "m")),
        ("AWS::MSK::Cluster", {"ClusterName": "c"}, ("arn:aws:kafka:eu-west-1:111122223333:cluster/c/1-1", "c")),
    ],
)
def test_rare_types_answer_with_what_cloudformation_returns(
    kind: str, properties: dict[str, str], expected: tuple[str, str]
) -> None:
    [item] = deployed(stack("S", {"X": {"Type": kind, "Properties": properties}})).resources
    assert (item.identity.ref, item.name) == expected


def test_an_identifier_is_not_the_arn_that_ref_returns() -> None:
    server = {"Type": "AWS::Transfer::Server", "Properties": {}}
    user = {"Type": "AWS::Transfer::User", "Properties": {"ServerId": {"Fn::GetAtt": ["S", "ServerId"]}}}
    one, other = deployed(stack("S", {"S": server, "U": user})).resources
    assert other.properties["ServerId"] == one.name != one.identity.ref


@pytest.mark.parametrize(
    "call",
    [
        {"Fn::Cidr": ["10.0.0.0/24", 3, 7]},  # two blocks of 128 addresses, not three
        {"Fn::Cidr": ["no block", 1, 8]},
        {"Fn::Select": [2, ["a", "b"]]},
        {"Fn::Split": [",", ["a"]]},
        {"Fn::Join": ["", [["a"], "b"]]},
        {"Fn::Sub": "${AWS::NotificationARNs}"},
    ],
)
def test_a_function_whose_arguments_do_not_fit_is_refused(call: dict[str, Any]) -> None:
    topic = {"Type": "AWS::SNS::Topic", "Properties": {"X": call}}
    [failure] = deployed(stack("S", {"T": topic})).failures
    assert next(iter(call)) in failure


def test_a_cluster_has_a_resource_id_of_its_own() -> None:
    cluster = {"Type": "AWS::Neptune::DBCluster", "Properties": {"DBClusterIdentifier": "graph"}}
    [item] = deployed(stack("S", {"C": cluster})).resources
    assert item.value("ClusterResourceId") not in (item.name, item.identity.ref)


def test_a_sum_beyond_all_numbers_cannot_be_decided() -> None:
    volumes = {name: {"Type": "AWS::EC2::Volume", "Properties": {"Size": 1e308}} for name in ("A", "B")}
    clause = {"sum": "Size", "over": "AWS::EC2::Volume", "total": 10}
    assertion = Assertion.model_validate({"id": "sizes", "message": "is small enough", **clause})
    [_, result] = evaluate([assertion], {}, deployed(stack("S", volumes)), None)
    assert not result.held and "cannot be decided" in result.detail
