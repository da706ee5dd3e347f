"""The policy evaluator, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.bench.hard_cdk.assertion.iam import Simulator
from steelyard.bench.hard_cdk.assertion.policies import documents_of, size
from steelyard.bench.hard_cdk.assertion.proviso import Undecided, met
from steelyard.bench.hard_cdk.deploy import Deployed, Deployment
from steelyard.bench.hard_cdk.deploy.physical import Site, identity

SITE = Site("S", "111122223333", "eu-west-1", "seed")
ROLE = "arn:aws:iam::111122223333:role/r"
KEY_ROOT = {"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::111122223333:root"}, "Action": "kms:*"}


def resource(logical_id: str, kind: str, **properties: Any) -> Deployed:
    own = identity(SITE, logical_id, kind, properties)
    return Deployed("S", logical_id, kind, properties, {}, own, SITE.account, SITE.region)


def role(*statements: dict[str, Any], **more: Any) -> Deployed:
    policies = [{"PolicyDocument": {"Statement": list(statements)}}]
    return resource("R", "AWS::IAM::Role", RoleName="r", Policies=policies, **more)


def allow(action: str | list[str], target: str | list[str] = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": target, **more}


def decide(resources: list[Deployed], action: str, target: str, who: str = ROLE, **context: str) -> bool:
    values = {key.replace("__", ":"): value for key, value in context.items()}
    return Simulator(Deployment(tuple(resources))).allows(who, action, target, values)


OBJECT = "arn:aws:s3:::b/k"


@pytest.mark.parametrize(
    ("statements", "allowed"),
    [
        ([allow("s3:GetObject", OBJECT)], True),
        ([allow("S3:getobject", OBJECT)], True),
        ([allow("s3:Get*", "arn:aws:s3:::b/*")], True),
        ([allow("s3:GetObject", "arn:aws:s3:::b")], False),
        ([allow("s3:GetObject", "arn:aws:s3:::B/k")], False),
        ([allow("*"), {"Effect": "Deny", "Action": "s3:*", "Resource": "*"}], False),
        ([allow("*"), {"Effect": "Deny", "Action": "s3:GetObjct", "Resource": "*"}], True),
        ([{"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}], True),
        ([{"Effect": "Allow", "Action": "*", "NotResource": "arn:aws:s3:::b/*"}], False),
        ([allow("*", Condition={"StringEquals": {"aws:PrincipalOrgID": "o-1"}})], False),
        ([], False),
    ],
)
def test_statements(statements: list[dict[str, Any]], allowed: bool) -> None:
    assert decide([role(*statements)], "s3:GetObject", OBJECT) is allowed


def test_a_key_needs_its_own_policy() -> None:
    mine = role(allow("kms:Decrypt"))
    delegating = resource("K", "AWS::KMS::Key", KeyPolicy={"Statement": [KEY_ROOT]})
    closed = resource("K", "AWS::KMS::Key", KeyPolicy={"Statement": []})
    direct = resource("K", "AWS::KMS::Key", KeyPolicy={"Statement": [{**KEY_ROOT, "Principal": {"AWS": ROLE}}]})
    assert decide([mine, delegating], "kms:Decrypt", delegating.arn)
    assert not decide([role(), delegating], "kms:Decrypt", delegating.arn)
    assert not decide([mine, closed], "kms:Decrypt", closed.arn)
    assert decide([role(), direct], "kms:Decrypt", direct.arn)


def test_a_boundary_limits_and_a_bucket_policy_adds() -> None:
    boundary = resource("B", "AWS::IAM::ManagedPolicy", PolicyDocument={"Statement": [allow("s3:*")]})
    bounded = role(allow("*"), PermissionsBoundary=boundary.arn)
    assert decide([bounded, boundary], "s3:GetObject", OBJECT)
    assert not decide([bounded, boundary], "sqs:SendMessage", "arn:aws:sqs:eu-west-1:111122223333:q")
    grant = {"Effect": "Allow", "Principal": {"AWS": ROLE}, "Action": "s3:GetObject", "Resource": "arn:aws:s3:::b/*"}
    bucket = resource("P", "AWS::S3::BucketPolicy", Bucket="b", PolicyDocument={"Statement": [grant]})
    owner = resource("X", "AWS::S3::Bucket", BucketName="b")
    assert decide([role(), owner, bucket], "s3:GetObject", OBJECT)
    assert not decide([role(), owner, bucket], "s3:GetObject", OBJECT, who="account:444455556666")


def test_services_need_a_policy_that_names_them() -> None:
    function = resource("F", "AWS::Lambda::Function", FunctionName="f")
    permission = resource(
        "P",
        "AWS::Lambda::Permission",
        FunctionName="f",
        Action="lambda:InvokeFunction",
        Principal="s3.amazonaws.com",
        SourceArn="arn:aws:s3:::b",
    )
    both = [function, permission]
    service = "service:s3.amazonaws.com"
    assert decide(both, "lambda:InvokeFunction", function.arn, service, aws__SourceArn="arn:aws:s3:::b")
    assert not decide(both, "lambda:InvokeFunction", function.arn, service, aws__SourceArn="arn:aws:s3:::c")
    assert not decide(both, "lambda:InvokeFunction", function.arn, service)
    assert not decide(both, "lambda:InvokeFunction", function.arn, "service:sns.amazonaws.com")


def test_what_is_not_known_is_not_decided() -> None:
    unknown = resource("R", "AWS::IAM::Role", RoleName="r", ManagedPolicyArns=["arn:aws:iam::aws:policy/Odd"])
    with pytest.raises(Undecided, match="Odd"):
        decide([unknown], "s3:GetObject", OBJECT)
    with pytest.raises(Undecided, match="dategreaterthan"):
        decide([role(allow("*", Condition={"DateGreaterThan": {"aws:CurrentTime": "2030"}}))], "s3:GetObject", OBJECT)
    with pytest.raises(Undecided, match="is not a role"):
        decide([], "s3:GetObject", OBJECT)


@pytest.mark.parametrize(
    ("conditions", "holds"),
    [
        ({"StringEquals": {"k": "a"}}, True),
        ({"StringEquals": {"K": ["x", "a"]}}, True),
        ({"StringEquals": {"missing": "a"}}, False),
        ({"StringEqualsIfExists": {"missing": "a"}}, True),
        ({"StringNotEquals": {"missing": "a"}}, True),
        ({"Null": {"missing": "true", "k": False}}, True),
        ({"ForAllValues:StringEquals": {"missing": "a"}}, True),
        ({"ForAnyValue:StringEquals": {"missing": "a"}}, False),
        ({"ForAllValues:StringEquals": {"many": ["a", "b"]}}, True),
        ({"ForAllValues:StringEquals": {"many": ["a"]}}, False),
        ({"ForAnyValue:StringEquals": {"many": ["a"]}}, True),
        ({"StringLike": {"k": "${other}*"}}, False),
        ({"StringEquals": {"k": "${k}"}}, True),
        ({"ArnLike": {"arn": "arn:aws:s3:*:*:b"}}, True),
        ({"ArnLike": {"arn": "arn:*:b"}}, False),
        ({"IpAddress": {"ip": "10.0.0.0/8"}}, True),
        ({"NumericLessThan": {"n": 10}, "Bool": {"k": "a"}}, True),
    ],
)
def test_conditions(conditions: dict[str, Any], holds: bool) -> None:
    context = {"k": ("a",), "many": ("a", "b"), "arn": ("arn:aws:s3:::b",), "ip": ("10.1.2.3",), "n": ("9",)}
    assert met(conditions, context) is holds


def test_the_size_of_policies_counts_all_documents() -> None:
    refusal = {"Effect": "Deny", "NotAction": ["s3:Get*", "s3:List*"], "NotResource": "arn:aws:s3:::b"}
    total = size([{"Statement": [allow("s3:*", ["a", "b"]), refusal]}, {"Statement": allow("sqs:*")}])
    assert (total.statements, total.resources) == (3, 4)
    assert total.effects == {"Allow", "Deny"} and total.conditions == 0
    condition = {"StringLike": {"s3:prefix": ["a", "b"], "aws:SourceArn": "c"}, "Bool": {"aws:SecureTransport": "true"}}
    assert size([{"Statement": {**refusal, "Condition": condition}}]).conditions == 4
    assert size([None, "text", {"Statement": ["text"]}]).resources == 0


def test_policies_are_counted_where_they_belong() -> None:
    reader = role(allow("s3:*"))
    queue = resource("Q", "AWS::SQS::Queue", QueueName="q")
    beside = resource("P", "AWS::SQS::QueuePolicy", Queues=[queue.identity.ref], PolicyDocument={"Statement": [1, 2]})
    limit = resource("M", "AWS::IAM::ManagedPolicy", ManagedPolicyName="m", PolicyDocument={"Statement": [3]})
    everything = [reader, queue, beside, limit]
    assert list(documents_of(reader, everything)) == [{"Statement": [allow("s3:*")]}]
    assert list(documents_of(queue, everything)) == [{"Statement": [1, 2]}]
    assert list(documents_of(limit, everything)) == [{"Statement": [3]}]
    assert list(documents_of(queue, [queue])) == []


def test_a_row_of_openings_takes_no_time() -> None:
    assert not decide([role(allow("s3:*", "${" * 20_000))], "s3:GetObject", OBJECT)  # minutes, once
    assert decide([role(allow("s3:*", "arn:aws:s3:::b/${s3:prefix}"))], "s3:GetObject", OBJECT, s3__prefix="k")
