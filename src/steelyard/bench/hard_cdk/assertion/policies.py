"""Where policies are found in a deployment: those of a role, and those of the resources it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from steelyard.bench.cdk_synth.intent.statement import FULL_ACCESS, ROLE_POLICIES, documents
from steelyard.bench.cdk_synth.shape import listing, mapping
from steelyard.bench.hard_cdk.assertion.proviso import Undecided
from steelyard.bench.hard_cdk.deploy import Deployed

_LOGS = ("logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents")
_INTERFACES = ("ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface", "ec2:DescribeNetworkInterfaces")
_ADDRESSES = ("ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses")
_TRACES = ("xray:PutTraceSegments", "xray:PutTelemetryRecords", "xray:GetSampling*")
_QUEUES = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
AWS_MANAGED: Mapping[str, tuple[str, ...]] = {
    "AWSLambdaBasicExecutionRole": _LOGS,
    "AWSLambdaVPCAccessExecutionRole": (*_LOGS, *_INTERFACES, *_ADDRESSES),
    "AWSLambdaSQSQueueExecutionRole": (*_LOGS, *_QUEUES),
    "AWSXRayDaemonWriteAccess": _TRACES,
    "AmazonSSMManagedInstanceCore": ("ssm:*", "ssmmessages:*", "ec2messages:*"),
    "AmazonECSTaskExecutionRolePolicy": ("ecr:Get*", "ecr:Batch*", *_LOGS),
    "ReadOnlyAccess": ("*:Get*", "*:List*", "*:Describe*"),
    "AmazonS3ReadOnlyAccess": ("s3:Get*", "s3:List*", "s3:Describe*"),
    "AmazonDynamoDBReadOnlyAccess": ("dynamodb:Get*", "dynamodb:BatchGet*", "dynamodb:Query", "dynamodb:Scan"),
    **{name: (action,) for name, action in FULL_ACCESS.items()},
}
"""Name of a managed policy of AWS → the actions it allows on everything."""


def identity_documents(role: Deployed, resources: Sequence[Deployed]) -> Iterator[Any]:
    """The policies of a role: inline, attached, managed."""
    for policy in listing(role.properties.get("Policies")):
        yield mapping(policy).get("PolicyDocument")
    attached = {str(arn) for arn in listing(role.properties.get("ManagedPolicyArns"))}
    for item in resources:
        names = [*listing(item.properties.get("Roles")), item.properties.get("RoleName")]
        if item.type in ROLE_POLICIES and (role.name in names or item.arn in attached):
            yield item.properties.get("PolicyDocument")
    for arn in sorted(attached - {item.arn for item in resources}):
        yield managed(arn, resources)


def documents_of(owner: Deployed, resources: Sequence[Deployed]) -> Iterator[Any]:
    """The policies of a role, the document of a managed policy, or the policies that belong to another resource."""
    if owner.type == "AWS::IAM::Role":
        yield from identity_documents(owner, resources)
    elif owner.type == "AWS::IAM::ManagedPolicy":
        yield owner.properties.get("PolicyDocument")
    else:
        yield from (document for arn, document in resource_documents(resources) if arn == owner.arn)


class Size(NamedTuple):
    """How large policies are."""

    statements: int
    resources: int
    """Entries of `Resource` and `NotResource`."""
    conditions: int
    """Values in conditions."""
    effects: frozenset[str]


def size(documents: Sequence[Any]) -> Size:
    """The size of policy documents, all of them together."""
    statements = [mapping(part) for document in documents for part in listing(mapping(document).get("Statement"))]
    return Size(
        len(statements),
        sum(len(listing(part.get(key))) for part in statements for key in ("Resource", "NotResource")),
        sum(
            len(listing(values))
            for part in statements
            for operator in map(mapping, mapping(part.get("Condition")).values())
            for values in operator.values()
        ),
        frozenset(str(part.get("Effect")) for part in statements),
    )


def managed(arn: str, resources: Sequence[Deployed]) -> Any:
    """The document of a managed policy, of the app or of AWS."""
    own = next((item for item in resources if item.type == "AWS::IAM::ManagedPolicy" and item.arn == arn), None)
    if own is not None:
        return own.properties.get("PolicyDocument")
    name = arn.rsplit("/", 1)[-1]
    if not arn.startswith("arn:aws:iam::aws:policy/") or name not in AWS_MANAGED:
        raise Undecided(f"the managed policy {arn}")
    return {"Statement": [{"Effect": "Allow", "Action": list(AWS_MANAGED[name]), "Resource": "*"}]}


def resource_documents(resources: Sequence[Deployed]) -> Iterator[tuple[str, Any]]:
    """ARN of a resource and a policy that belongs to it."""
    # Policies name their target by what `Ref` gives (of a queue, its URL) or by its name.
    by_ref = {item.identity.ref: item.arn for item in resources} | {item.name: item.arn for item in resources}
    for item in resources:
        for key, document in documents(item.type, item.properties):
            for target in map(str, listing(item.properties.get(key, "default"))) if key else [item.arn]:
                yield by_ref.get(target, target), document
