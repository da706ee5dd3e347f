"""What exists after a deployment: resources with their physical ids, ARNs and attributes, exports, stored parameters.

A name that the template does not set is generated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from steelyard.bench.cdk_synth.shape import at, is_mapping, listing, mapping

ACCOUNT = "111122223333"
"""The account of a stack that names none."""
REGION = "eu-west-1"
"""The region of a stack that names none."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How resources of one type are named."""

    name: str | None
    """The property that sets the name."""
    arn: str
    """With `{region}`, `{account}` and `{name}`."""
    ref: Literal["name", "arn", "url"] = "name"
    """What `Ref` returns."""
    parts: tuple[str, ...] = ()
    """Properties whose values, joined by bars, `Ref` returns instead; one that is not set is the generated name."""


def _regional(service: str, path: str = "") -> str:
    """An ARN to fill in. The service may come from an answer, whose braces are not ours to fill."""
    service = service.replace("{", "{{").replace("}", "}}")
    return f"arn:aws:{service}:{{region}}:{{account}}:{path}{{name}}"


KINDS: Mapping[str, Kind] = {
    "AWS::S3::Bucket": Kind("BucketName", "arn:aws:s3:::{name}"),
    "AWS::DynamoDB::Table": Kind("TableName", _regional("dynamodb", "table/")),
    "AWS::DynamoDB::GlobalTable": Kind("TableName", _regional("dynamodb", "table/")),
    "AWS::SQS::Queue": Kind("QueueName", _regional("sqs"), "url"),
    "AWS::SNS::Topic": Kind("TopicName", _regional("sns"), "arn"),
    "AWS::Lambda::Function": Kind("FunctionName", _regional("lambda", "function:")),
    "AWS::IAM::Role": Kind("RoleName", "arn:aws:iam::{account}:role/{name}"),
    "AWS::IAM::User": Kind("UserName", "arn:aws:iam::{account}:user/{name}"),
    "AWS::IAM::ManagedPolicy": Kind("ManagedPolicyName", "arn:aws:iam::{account}:policy/{name}", "arn"),
    "AWS::IAM::OIDCProvider": Kind(None, "arn:aws:iam::{account}:oidc-provider/{name}", "arn"),
    "AWS::KMS::Key": Kind(None, _regional("kms", "key/")),
    "AWS::KMS::Alias": Kind("AliasName", _regional("kms")),
    # AWS appends six characters to the ARN of a secret, and `:*` to that of a log group.
    "AWS::SecretsManager::Secret": Kind("Name", _regional("secretsmanager", "secret:") + "-a1b2c3", "arn"),
    "AWS::Logs::LogGroup": Kind("LogGroupName", _regional("logs", "log-group:") + ":*"),
    "AWS::StepFunctions::StateMachine": Kind("StateMachineName", _regional("states", "stateMachine:"), "arn"),
    "AWS::Kinesis::Stream": Kind("Name", _regional("kinesis", "stream/")),
    "AWS::Events::EventBus": Kind("Name", _regional("events", "event-bus/")),
    "AWS::Events::Rule": Kind("Name", _regional("events", "rule/")),
    "AWS::ECR::Repository": Kind("RepositoryName", _regional("ecr", "repository/")),
    "AWS::ECS::Cluster": Kind("ClusterName", _regional("ecs", "cluster/")),
    "AWS::ECS::Service": Kind("ServiceName", _regional("ecs", "service/"), "arn"),
    "AWS::ECS::TaskDefinition": Kind("Family", _regional("ecs", "task-definition/") + ":1", "arn"),
    "AWS::SSM::Parameter": Kind("Name", _regional("ssm", "parameter")),
    "AWS::CloudWatch::Alarm": Kind("AlarmName", _regional("cloudwatch", "alarm:")),
    "AWS::Cognito::UserPool": Kind(None, _regional("cognito-idp", "userpool/")),
    "AWS::CloudFront::Distribution": Kind(None, "arn:aws:cloudfront::{account}:distribution/{name}"),
    "AWS::EFS::FileSystem": Kind(None, _regional("elasticfilesystem", "file-system/")),
    "AWS::RDS::DBInstance": Kind("DBInstanceIdentifier", _regional("rds", "db:")),
    "AWS::RDS::DBCluster": Kind("DBClusterIdentifier", _regional("rds", "cluster:")),
    "AWS::ApiGateway::RestApi": Kind(None, "arn:aws:apigateway:{region}::/restapis/{name}"),
    "AWS::ElasticLoadBalancingV2::LoadBalancer": Kind("Name", _regional("elasticloadbalancing", "lb/"), "arn"),
    "AWS::ElasticLoadBalancingV2::TargetGroup": Kind("Name", _regional("elasticloadbalancing", "tg/"), "arn"),
    "AWS::ElasticLoadBalancingV2::Listener": Kind(None, _regional("elasticloadbalancing", "listener/"), "arn"),
    "AWS::ElasticLoadBalancingV2::ListenerRule": Kind(None, _regional("elasticloadbalancing", "rule/"), "arn"),
    "AWS::Cassandra::Keyspace": Kind("KeyspaceName", _regional("cassandra", "/keyspace/")),
    "AWS::Cassandra::Table": Kind("TableName", _regional("cassandra", "/table/"), parts=("KeyspaceName", "TableName")),
    "AWS::ApplicationAutoScaling::ScalableTarget": Kind(
        None, _regional("application-autoscaling"), parts=("ResourceId", "ScalableDimension", "ServiceNamespace")
    ),
    "AWS::MSK::Cluster": Kind("ClusterName", _regional("kafka", "cluster/") + "/1-1", "arn"),
    "AWS::SageMaker::Model": Kind("ModelName", _regional("sagemaker", "model/"), "arn"),
    "AWS::SageMaker::EndpointConfig": Kind("EndpointConfigName", _regional("sagemaker", "endpoint-config/"), "arn"),
    "AWS::SageMaker::Endpoint": Kind("EndpointName", _regional("sagemaker", "endpoint/"), "arn"),
    "AWS::AppStream::Fleet": Kind("Name", _regional("appstream", "fleet/")),
    "AWS::S3Tables::TableBucket": Kind("TableBucketName", _regional("s3tables", "bucket/"), "arn"),
    "AWS::S3Tables::Namespace": Kind(None, _regional("s3tables", "namespace/"), parts=("TableBucketARN", "Namespace")),
    "AWS::S3Tables::Table": Kind("TableName", _regional("s3tables", "table/"), "arn"),
    "AWS::Transfer::Server": Kind(None, _regional("transfer", "server/"), "arn"),
    "AWS::Batch::ComputeEnvironment": Kind("ComputeEnvironmentName", _regional("batch", "compute-environment/"), "arn"),
    "AWS::Batch::SchedulingPolicy": Kind("Name", _regional("batch", "scheduling-policy/"), "arn"),
    "AWS::Athena::WorkGroup": Kind("Name", _regional("athena", "workgroup/")),
}
"""Type → how it is named; any other type has a generated id."""

OWN = frozenset({"ClusterResourceId", "DbClusterResourceId", "DbiResourceId"})
"""Attributes that end like an identifier and are not the one that `Ref` returns."""
QUALIFIED = {"AWS::Lambda::Alias": "Name", "AWS::Lambda::Version": "Version"}
"""Types whose ARN is that of a function with a qualifier, and the property that holds it."""
REPRESENTING = {"AWS::SecretsManager::SecretTargetAttachment": "SecretId"}
"""Types that answer with the identity of another resource, and the property that holds it."""
GLOBAL = frozenset({"AWS::S3::Bucket", "AWS::IAM::Role", "AWS::IAM::ManagedPolicy", "AWS::IAM::User"})
"""Types whose names are unique beyond a region."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where a stack is deployed."""

    stack: str
    account: str
    region: str
    seed: str
    """Salt of generated names."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a deployed resource answers to."""

    name: str
    ref: str
    """What `Ref` returns."""
    arn: str


def identity(site: Site, logical_id: str, kind: str, properties: Mapping[str, Any]) -> Identity:
    """The identity of a resource, whose naming properties are resolved already."""
    # No answer can spell out a name that depends on the whole assembly: the only way to it is a reference.
    digest = hashlib.sha256(f"{site.seed}/{site.stack}/{logical_id}".encode()).hexdigest()[:12]
    known = KINDS.get(kind, Kind(None, _regional(kind.split("::")[1].lower() if "::" in kind else "custom")))
    written = properties.get(known.name) if known.name else None
    name = written if isinstance(written, str) and written else f"{site.stack}-{logical_id}"[:40].lower() + f"-{digest}"
    if kind in QUALIFIED:
        function = str(properties.get("FunctionName", ""))
        if not function.startswith("arn:"):
            function = f"arn:aws:lambda:{site.region}:{site.account}:function:{function}"
        arn = f"{function}:{properties.get(QUALIFIED[kind], '1')}"
        return Identity(name, arn, arn)
    if kind in REPRESENTING:
        other = str(properties.get(REPRESENTING[kind]))
        return Identity(f"{site.stack}-{logical_id}", other, other)
    # A name that begins with a slash brings the one of the ARN along.
    if kind == "AWS::SSM::Parameter" and not name.startswith("/"):
        arn = _regional("ssm", "parameter/").format(region=site.region, account=site.account, name=name)
        return Identity(name, name, arn)
    path = properties.get("Path") if kind.startswith("AWS::IAM::") else None
    # The ARN of a role, user or policy has its path in front of the name.
    full = f"{path.strip('/')}/{name}" if isinstance(path, str) and path.strip("/") else name
    arn = known.arn.format(region=site.region, account=site.account, name=full)
    url = f"https://sqs.{site.region}.amazonaws.com/{site.account}/{name}"
    if known.parts:
        return Identity(name, "|".join(str(properties.get(part, name)) for part in known.parts), arn)
    return Identity(name, {"name": name, "arn": arn, "url": url}[known.ref], arn)


def attribute_value(of: Identity, name: str, properties: Mapping[str, Any]) -> Any:
    """What `Fn::GetAtt` returns."""
    if name in properties:
        return properties[name]
    # Before the rule for ARNs, which would give that of the table.
    if name.endswith("StreamArn"):
        return f"{of.arn}/stream/2026-01-01T00:00:00.000"
    if name.endswith(("Arn", "ARN")):
        return of.arn
    if name.endswith("Name") and name != "DNSName" and not name.endswith("DomainName"):
        return of.name
    if name == "Id" or name.endswith(("URL", "Url")):
        return of.ref
    if name.endswith("Id") and name not in OWN:
        # `Ref` may be an ARN, or several identifiers in one text; this is the identifier alone.
        return of.name
    return f"{of.name}.{name}"


def naming(kind: str) -> tuple[str, ...]:
    """The properties on which the identity of a resource of this type depends."""
    if kind in QUALIFIED:
        return ("FunctionName", QUALIFIED[kind])
    if kind in REPRESENTING:
        return (REPRESENTING[kind],)
    known = KINDS.get(kind)
    return (known.name or "", *known.parts, "Path") if known else ("Path",)


NOBODY = Identity("", "", "")
"""The identity of a resource that nothing can refer to."""


@dataclass(frozen=True, slots=True)
class Deployed:
    """One resource that exists."""

    stack: str
    logical_id: str
    type: str
    properties: Mapping[str, Any]
    """With every intrinsic resolved."""
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`DeletionPolicy`, `DependsOn`, …"""
    identity: Identity = NOBODY
    account: str = ""
    region: str = ""
    path: str = ""
    """Where it is in the tree of constructs, from the stack on; empty if the template does not say."""

    @property
    def name(self) -> str:
        """Physical name."""
        return self.identity.name

    @property
    def arn(self) -> str:
        """Its ARN."""
        return self.identity.arn

    @property
    def tags(self) -> dict[str, str]:
        """Its tags, from a list of pairs or from an object."""
        written = self.properties.get("Tags")
        if is_mapping(written):
            return {key: str(value) for key, value in mapping(written).items()}
        return {str(tag.get("Key")): str(tag.get("Value")) for tag in map(mapping, listing(written))}

    def value(self, path: str) -> Any:
        """`ref`, `arn`, `name`, `stack`, a property by its path, or an attribute; None if there is none."""
        known = {"ref": self.identity.ref, "arn": self.arn, "name": self.name, "stack": self.stack}
        if path in known:
            return known[path]
        value = at(self.properties, path)
        if value is None and "." not in path:
            return attribute_value(self.identity, path, self.properties)
        return value


class Export(NamedTuple):
    """An exported output."""

    stack: str
    value: Any


@dataclass(slots=True)
class Visible:
    """What stacks have created so far that others can read."""

    exports: dict[str, Export]
    """Name → export."""
    parameters: dict[str, Export]
    """Name of an SSM parameter → its stack and value."""

    def seen_from(self, stacks: frozenset[str]) -> Visible:
        """The part that these stacks have created."""
        return Visible(
            {name: item for name, item in self.exports.items() if item.stack in stacks},
            {name: item for name, item in self.parameters.items() if item.stack in stacks},
        )

    def add(self, stack: str, exports: Iterable[tuple[str, Any]], resources: Iterable[Deployed]) -> Iterator[str]:
        """Take over what a stack created; yields what another stack has created before."""
        for name, value in exports:
            if name in self.exports:
                yield f"{self.exports[name].stack} already exports {name}"
            else:
                self.exports[name] = Export(stack, value)
        for item in resources:
            if item.type == "AWS::SSM::Parameter":
                self.parameters[item.name] = Export(stack, item.properties.get("Value"))
