"""IAM statements: what the policies of the templates say, and of whom.

A statement covers an action (wildcards count) and a target: `*`, a reference, or its name in an ARN; actions on objects
need more than the ARN of their bucket, those on buckets no more. The permissions of a function are its policy.

An Allow under a condition counts if the templates themselves meet it: the ARN of the resource that acts or a wildcard
that covers it, an account, TLS, or a value that the deployment supplies; so does one on the key of a single service.
What depends on the time, the caller's address or a literal that nothing in the templates has does not.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from steelyard.bench.cdk_synth.intent.template import PSEUDO, Address, Resource, Templates
from steelyard.bench.cdk_synth.shape import listing, mapping

MAX_STATEMENTS = 1_000
"""Statements considered per role."""
ON_OBJECTS = ("s3:getobject", "s3:putobject", "s3:deleteobject", "s3:restoreobject")
"""Actions that the ARN of a bucket alone does not cover."""
ON_BUCKETS = ("s3:getbucket", "s3:putbucket", "s3:deletebucket", "s3:listbucket")
"""Actions that the ARNs of objects do not cover."""
ROLE_POLICIES = ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy")
"""Policies that name the roles they apply to."""
TARGET_POLICIES = {
    "AWS::S3::BucketPolicy": "Bucket",
    "AWS::SQS::QueuePolicy": "Queues",
    "AWS::SQS::QueueInlinePolicy": "Queue",
    "AWS::SNS::TopicPolicy": "Topics",
    "AWS::SNS::TopicInlinePolicy": "TopicArn",
    "AWS::SecretsManager::ResourcePolicy": "SecretId",
}
"""Resource policies that are separate from their target, and the property that names it."""
OWN_POLICIES = (
    "KeyPolicy",
    "FileSystemPolicy",
    "RepositoryPolicyText",
    "ResourcePolicy",
    "Policy",
    "AssumeRolePolicyDocument",
)
"""Properties that hold a target's own policy."""
_PERMISSION, _BUS_POLICY = "AWS::Lambda::Permission", "AWS::Events::EventBusPolicy"
FULL_ACCESS = {
    "AdministratorAccess": "*",
    "PowerUserAccess": "*",
    "AmazonDynamoDBFullAccess": "dynamodb:*",
    "AmazonDynamoDBFullAccess_v2": "dynamodb:*",
    "AmazonS3FullAccess": "s3:*",
    "AmazonSQSFullAccess": "sqs:*",
    "AmazonSNSFullAccess": "sns:*",
    "AmazonKinesisFullAccess": "kinesis:*",
    "AmazonEventBridgeFullAccess": "events:*",
    "AWSStepFunctionsFullAccess": "states:*",
    "AWSLambda_FullAccess": "lambda:*",
    "AWSLambdaRole": "lambda:InvokeFunction",
    "SecretsManagerReadWrite": "secretsmanager:*",
}
"""AWS managed policies that allow a whole service, or one action on all its resources."""
_ALL = re.compile(r"\*|arn:[^:]*(:\*){1,5}|arn:[^:]*:s3:::\*(/\*)?|arn(:[^:]*){4}:((table|function|secret|key)[/:])?\*")
"""Resources that mean everything, or everything of a kind: `*`, `arn:aws:s3:::*`, `…:table/*`."""

_ACCOUNTS = ("aws:sourceaccount", "aws:resourceaccount", "aws:principalaccount")
_ANY_ACCOUNT = re.compile(r"\$\{AWS::AccountId\}|\d{12}|\*")
_OF_THE_DEPLOYMENT = re.compile(r"\$\{AWS::(?!StackName)\w+\}")
_ANY_OF_A_KIND = re.compile(
    r"((rule|userpool|distribution|budget|schedule|stateMachine)[/:]|/)?(\*|\$\{AWS::StackName\}.*\*).*"
    r"|schedule-group/.*"
)
"""The end of an ARN that covers all resources of a kind, of the stack, or of a group of schedules."""


@dataclass(frozen=True)
class Statement:
    """One statement of a policy, read leniently."""

    allow: bool
    """Allow, or Deny."""
    actions: tuple[str, ...]
    """Action patterns, lower case; with `inverted`, the excluded ones."""
    inverted: bool
    """Whether it is a `NotAction`."""
    targets: frozenset[Address]
    """Resources it mentions."""
    objects: frozenset[Address]
    """Those of them of which it covers the contents, not only the ARN of the resource itself."""
    itself: frozenset[Address]
    """Those of which it covers the resource itself, not only its contents."""
    everything: bool
    """Whether it covers `*`."""
    certain: bool = True
    """Whether it has no condition, or one that is met."""

    def covers(self, action: str) -> bool:
        """Whether the statement covers the action."""
        return any(glob(item, action.lower()) for item in self.actions) != self.inverted

    def about(self, target: Address | None, scoped: bool, action: str) -> bool:
        """Whether the statement applies to the target (None: any); with `scoped` it must name it, and for an action of
        S3 the bucket itself or its contents."""
        if self.everything:
            return not scoped
        name = action.lower()
        narrow = self.objects if name.startswith(ON_OBJECTS) else self.itself if name.startswith(ON_BUCKETS) else None
        return target is None or target in (self.targets if narrow is None else narrow)


def glob(written: str, text: str) -> bool:
    """IAM's wildcard match: `*` is any run, `?` any character."""
    return _matcher(written[:2048])(text) is not None


@lru_cache(maxsize=4096)
def _matcher(written: str) -> Callable[[str], re.Match[str] | None]:
    # What `fnmatch` makes of a row of stars does not backtrack. To it, a bracket begins a class.
    return re.compile(fnmatch.translate(written.replace("[", "[[]"))).match


def statements(role: Resource, target: Address | None, templates: Templates) -> list[Statement]:
    """Every statement that applies to the role."""
    own = templates.once(("role", role.address), lambda: list(islice(_own(role, templates), MAX_STATEMENTS)))
    return own if target is None else [*own, *_resource_policy(role, target, templates)]


def _own(role: Resource, templates: Templates) -> Iterator[Statement]:
    for document, stack in _documents(role, templates):
        yield from read(document, stack, templates)
    for arn in listing(role.properties.get("ManagedPolicyArns")):
        if action := FULL_ACCESS.get(templates.text(arn, role.address.stack).rsplit("/", 1)[-1]):
            yield Statement(True, (action,), False, frozenset(), frozenset(), frozenset(), True)


def _documents(role: Resource, templates: Templates) -> Iterator[tuple[Any, str]]:
    for policy in listing(role.properties.get("Policies")):
        yield mapping(policy).get("PolicyDocument"), role.address.stack
    own = templates.mentions(role.properties.get("ManagedPolicyArns"), role.address.stack)
    for item in templates.of(ROLE_POLICIES):
        if item.address in own or any(role.address in _named(item, key, templates) for key in ("Roles", "RoleName")):
            yield item.properties.get("PolicyDocument"), item.address.stack


def _named(item: Resource, key: str, templates: Templates) -> set[Address]:
    value, stack = item.properties.get(key), item.address.stack
    return templates.once(("named", item.address, key), lambda: templates.mentions(value, stack))


def _resource_policy(role: Resource, target: Address, templates: Templates) -> Iterator[Statement]:
    """Statements on the target whose principal is the role, and those that deny something to everyone."""
    entries = templates.once(
        ("beside", target), lambda: list(islice(_target_statements(target, templates), MAX_STATEMENTS))
    )
    return (
        statement
        for principals, everyone, statement in entries
        if role.address in principals or (everyone and not statement.allow)
    )


def _target_statements(target: Address, templates: Templates) -> Iterator[tuple[set[Address], bool, Statement]]:
    """Principals, whether they are everyone, and statement of every entry of the target's policies.

    The resource `*` is the target there.
    """
    for document, stack in target_documents(target, templates):
        for entry in listing(mapping(document).get("Statement")):
            principals = templates.mentions(mapping(entry).get("Principal"), stack)
            for item in read({"Statement": entry}, stack, templates):
                own = frozenset({target})
                if item.everything or "Resource" not in mapping(entry):
                    item = replace(item, targets=own, objects=own, itself=own, everything=False)
                yield principals, everyone(mapping(entry).get("Principal")), item


def everyone(principal: object) -> bool:
    """Whether a principal is everyone."""
    return principal == "*" or "*" in listing(mapping(principal).get("AWS"))


def target_documents(target: Address, templates: Templates) -> Iterator[tuple[Any, str]]:
    """The policies that belong to a resource, with the stacks that they are in."""
    for item in [owner] if (owner := templates.resources.get(target)) else []:
        yield from ((document, target.stack) for name, document in documents(item.type, item.properties) if not name)
    for item in templates.of((*TARGET_POLICIES, _PERMISSION, _BUS_POLICY)):
        for name, document in documents(item.type, item.properties):
            if target in _named(item, name, templates):
                yield document, item.address.stack


def documents(kind: str, properties: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The policies that a resource of a type holds, and for each the property that names whom it belongs to; empty for
    the resource itself."""
    if kind in TARGET_POLICIES:
        yield TARGET_POLICIES[kind], properties.get("PolicyDocument", properties.get("ResourcePolicy"))
    elif kind == _PERMISSION:
        yield "FunctionName", {"Statement": _permission(properties)}
    elif kind == _BUS_POLICY:
        yield "EventBusName", {"Statement": properties.get("Statement")}
    else:
        for key in OWN_POLICIES:
            if key in properties:
                document = mapping(properties[key])
                # The `ResourcePolicy` of a table wraps its document once more.
                yield "", document.get("PolicyDocument", document)


def _permission(written: Mapping[str, Any]) -> dict[str, Any]:
    """A permission of a function as a statement of its policy."""
    principal = written.get("Principal")
    service = isinstance(principal, str) and "amazonaws." in principal
    conditions = (
        ("ArnLike", "aws:SourceArn", "SourceArn"),
        ("StringEquals", "aws:SourceAccount", "SourceAccount"),
        ("StringEqualsIfExists", "aws:PrincipalOrgID", "PrincipalOrgID"),
    )
    return {
        "Effect": "Allow",
        "Action": written.get("Action"),
        "Principal": {"Service" if service else "AWS": principal},
        "Condition": {operator: {key: written[name]} for operator, key, name in conditions if name in written},
    }


def read(document: object, stack: str, templates: Templates) -> Iterator[Statement]:
    """The statements of a policy; a Deny under a condition is left out."""
    for entry in map(mapping, listing(mapping(document).get("Statement"))):
        allow = entry.get("Effect") == "Allow"
        if not allow and mapping(entry.get("Condition")):
            continue
        inverted = "NotAction" in entry
        written = entry.get("NotAction") if inverted else entry.get("Action")
        actions = tuple(item.lower() for item in listing(written) if isinstance(item, str))
        resources = listing(entry.get("Resource"))
        texts = [templates.text(item, stack) for item in resources]
        # The colons in `${AWS::Region}` would count as parts of the ARN.
        whole = any(_ALL.fullmatch(PSEUDO.sub("-", text[:2048])) for text in texts)
        everything = whole or "NotResource" in entry
        # `bucket/*` means the objects and `bucket` the bucket; the ARN of an access point has a slash of its own.
        inner = [item for item, text in zip(resources, texts, strict=True) if "/" in text or "*" in text]
        outer = [item for item, text in zip(resources, texts, strict=True) if "/" not in text or "accesspoint/" in text]
        targets, objects, itself = (frozenset(templates.mentions(part, stack)) for part in (resources, inner, outer))
        certain = not allow or met(entry.get("Condition"), None, stack, templates)
        yield Statement(allow, actions, inverted, targets, objects, itself, everything, certain)


def met(condition: object, source: Address | None, stack: str, templates: Templates) -> bool:
    """Whether every part of a condition is met when the source acts (None: a role, which has no source)."""
    return all(
        _part_met(operator.lower(), key.lower(), value, source, stack, templates)
        for operator, keys in mapping(condition).items()
        for key, value in mapping(keys).items()
    )


def _part_met(operator: str, key: str, value: object, source: Address | None, stack: str, templates: Templates) -> bool:
    texts = [templates.text(part, stack) for part in listing(value)]
    # Keys of a single service (`kms:ViaService`) say how the action is used, not who may use it.
    if not key.startswith("aws:"):
        return True
    if "not" in operator or not texts:
        return False
    if key == "aws:securetransport":
        return texts == ["true"]
    if key in _ACCOUNTS:
        return any(map(_ANY_ACCOUNT.fullmatch, texts))
    if key == "aws:sourcearn" and source is not None:
        named = templates.mentions(value, stack)
        ends = [(arn, _OF_THE_DEPLOYMENT.sub("-", arn).split(":", 5)[-1]) for arn in texts]
        return source in named or (not named and any(arn == "*" or _ANY_OF_A_KIND.fullmatch(end) for arn, end in ends))
    return any("${" in text for text in texts)
