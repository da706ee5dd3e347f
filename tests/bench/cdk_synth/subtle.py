"""Templates that look right, and others that look strange and are right: what each does to those of a reference.

A change gives every resource of a type (`where`: those with this property) another value at a path.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

Json = dict[str, Any]


class Change(NamedTuple):
    """What is done to the templates of a reference, and which requirements that breaks, by their ids, if any."""

    item: str
    breaks: str | None
    kind: str
    path: str
    """Dotted, from the properties of a resource; `-1` appends to a list, `$` begins the name of an attribute. `+` adds
    a resource of the type to the first template, with the value as its properties; `-` removes those there are."""
    value: Any
    where: tuple[str, Any] | None = None
    also: tuple[Change, ...] = ()
    """What else is changed."""


def changed(templates: dict[str, Json], change: Change) -> dict[str, Json]:
    """The templates with the change in them."""
    made = copy.deepcopy(templates)
    resources = [resource for template in made.values() for resource in template["Resources"].values()]
    for number, one in enumerate((change, *change.also)):
        chosen = [resource for resource in resources if resource["Type"] == one.kind]
        if one.path == "+":
            next(iter(made.values()))["Resources"][f"Added{number}"] = {"Type": one.kind, "Properties": one.value}
            continue
        if one.where is not None:
            name, value = one.where
            chosen = [resource for resource in chosen if resource.get("Properties", {}).get(name) == value]
        assert chosen, one
        if one.path == "-":
            _remove(made, chosen)
            continue
        for resource in chosen:
            root = resource if one.path.startswith("$") else resource.setdefault("Properties", {})
            _put(root, one.path.removeprefix("$").split("."), one.value)
    return made


def _remove(templates: dict[str, Json], chosen: list[Json]) -> None:
    for template in templates.values():
        template["Resources"] = {name: body for name, body in template["Resources"].items() if body not in chosen}


def _put(target: Any, path: list[str], value: Any) -> None:
    for step in path[:-1]:
        target = target[int(step)] if isinstance(target, list) else target.setdefault(step, {})
    if isinstance(target, list):
        target[int(path[-1]) if path[-1] != "-1" else slice(len(target), None)] = value if path[-1] != "-1" else [value]
    else:
        target[path[-1]] = value


ELSEWHERE = "arn:aws:s3:::of-somebody-else/*"
EVERYTHING = {"Effect": "Allow", "Action": "*", "Resource": "*"}
ALL_BUT_ONE = {"Effect": "Allow", "NotAction": "s3:DeleteBucket", "Resource": "*"}
OTHER_TABLE = {"Ref": "NetworkisolatedSubnet1RouteTable4B1EE298"}
FIRST_SUBNET = {"Ref": "NetworkedgeSubnet1Subnet4DC3E630"}
NO_TLS = {"Effect": "Deny", "Principal": "*", "Action": "s3:DeleteBucket", "Resource": "*",
          "Condition": {"Bool": {"aws:SecureTransport": "false"}}}  # fmt: skip
ONLY_ONE = {"AWS": "arn:aws:iam::123456789012:role/one"}
PYTEST = "version: 0.2\nphases:\n  build:\n    commands:\n      - {}\n"
STATEMENT = "PolicyDocument.Statement.0"
NOTIFIED = "NotificationConfiguration.LambdaFunctionConfigurations.0"

CHANGES = (
    Change("cdk-001", "tls-only", "AWS::S3::BucketPolicy", "PolicyDocument.Statement", [NO_TLS]),
    Change("cdk-001", "tls-only", "AWS::S3::BucketPolicy", f"{STATEMENT}.Principal", ONLY_ONE),
    Change("cdk-001", None, "AWS::S3::BucketPolicy", f"{STATEMENT}.Principal", "*"),
    Change("cdk-003", "alarm", "AWS::CloudWatch::Alarm", "Dimensions.0.Value", {"Ref": "InvoicesF0222E8D"}),
    Change("cdk-003", "alarm", "AWS::CloudWatch::Alarm", "Namespace", "AWS/SNS"),
    Change("cdk-006", "s3-endpoint", "AWS::EC2::VPCEndpoint", "RouteTableIds", []),
    Change("cdk-006", "internet-side", "AWS::EC2::VPCGatewayAttachment", "InternetGatewayId", "igw-0"),
    Change("cdk-006", "internet-side", "AWS::EC2::SubnetRouteTableAssociation", "RouteTableId", OTHER_TABLE),
    Change("cdk-009", "alias", "AWS::KMS::Alias", "TargetKeyId", "another"),
    Change("cdk-009", "rotating-key", "AWS::KMS::Key", "Enabled", False),
    Change("cdk-009", None, "AWS::KMS::Alias", "TargetKeyId", {"Ref": "SecretsKey317DCF94"}),
    Change("cdk-009", None, "AWS::KMS::Key", "Enabled", True),
    Change("cdk-011", "get-note", "AWS::ApiGateway::Method", "ResourceId", {"Ref": "NotesApinotes5F6484F8"},
           ("HttpMethod", "GET")),
    Change("cdk-011", "post-notes", "AWS::ApiGateway::Method", "ResourceId", {"Ref": "NotesApinotesidFFCD9C7D"},
           ("HttpMethod", "POST")),
    Change("cdk-014", "filtered", "Custom::S3BucketNotifications", f"{NOTIFIED}.Events", ["s3:ObjectRemoved:*"]),
    Change("cdk-014", None, "Custom::S3BucketNotifications", f"{NOTIFIED}.Events", ["s3:ObjectCreated:Put"]),
    Change("cdk-017", "cloudfront-reads", "AWS::S3::BucketPolicy", "PolicyDocument.Statement.1.Resource", ELSEWHERE),
    Change("cdk-020", "post-confirmation", "AWS::Lambda::Permission", "FunctionName", "another"),
    Change("cdk-020", "public-client", "AWS::Cognito::UserPoolClient", "UserPoolId", "another"),
    Change("cdk-023", "access-point", "AWS::EFS::AccessPoint", "FileSystemId", "another"),
    Change("cdk-023", "two-mount-targets", "AWS::EFS::MountTarget", "SubnetId",
           {"Ref": "NetworkprivateSubnet1Subnet31A2179A"}),
    Change("cdk-026", "session-manager", "AWS::IAM::InstanceProfile", "Roles", ["another"]),
    Change("cdk-026", "tracks-cpu", "AWS::AutoScaling::ScalingPolicy", "AutoScalingGroupName", "another"),
    Change("cdk-031", "tls-only", "AWS::SQS::QueuePolicy", f"{STATEMENT}.Action", "sqs:PurgeQueue"),
    Change("cdk-031", "tls-only", "AWS::SQS::QueuePolicy", f"{STATEMENT}.Principal", ONLY_ONE),
    Change("cdk-031", None, "AWS::SQS::QueuePolicy", f"{STATEMENT}.Action", ["SQS:*"]),
    Change("cdk-034", "tests", "AWS::CodeBuild::Project", "Source.BuildSpec", PYTEST.format("echo python -m pytest")),
    Change("cdk-034", "tests", "AWS::CodeBuild::Project", "Source.BuildSpec", PYTEST.format("python -m pytest||true")),
    Change("cdk-034", None, "AWS::CodeBuild::Project", "Source.BuildSpec", PYTEST.format("uv run python -m pytest -q")),
    Change("cdk-034", "no-administrator", "AWS::IAM::Role", "Policies",
           [{"PolicyName": "All", "PolicyDocument": {"Statement": [EVERYTHING]}}]),
    Change("cdk-034", "no-administrator", "AWS::IAM::Policy", "PolicyDocument.Statement.-1", ALL_BUT_ONE),
    Change("cdk-034", None, "AWS::IAM::Policy", "PolicyDocument.Statement.-1", {**EVERYTHING, "Resource": ELSEWHERE}),
    Change("cdk-037", "nat-per-zone", "AWS::EC2::NatGateway", "SubnetId", FIRST_SUBNET),
    Change("cdk-037", "gateway-endpoints", "AWS::EC2::VPCEndpoint", "RouteTableIds", []),
    Change("cdk-040", "boundary", "AWS::IAM::ManagedPolicy", "PolicyDocument.Statement",
           [{"Effect": "Deny", "Action": "iam:*", "Resource": "arn:aws:iam::123456789012:user/one"},
            {"Effect": "Allow", "Action": ["s3:*", "dynamodb:*", "kms:*", "logs:*"], "Resource": "*"}]),
)  # fmt: skip
