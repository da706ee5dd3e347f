"""IAM grants: which actions the templates allow to whom.

A resource acts through the roles its properties mention; one that its service may not assume is of no use to it. A role
is allowed an action on a target when an Allow covers both, the role's permissions boundary allows it too, and no
unconditional Deny covers both. An Allow under a condition counts if the templates meet it (`met`); for what a role must
not be able to do, every Allow counts.

A service acts by the policies on its target: of queues, topics, buckets, functions.
"""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.bench.cdk_synth.intent.pattern import reached
from steelyard.bench.cdk_synth.intent.statement import (
    Statement,
    everyone,
    glob,
    met,
    read,
    statements,
    target_documents,
)
from steelyard.bench.cdk_synth.intent.template import Address, Resource, Templates
from steelyard.bench.cdk_synth.shape import listing, mapping

SERVICES = {
    "AWS::Lambda::Function": "lambda",
    "AWS::StepFunctions::StateMachine": "states",
    "AWS::KinesisFirehose::DeliveryStream": "firehose",
    "AWS::ECS::TaskDefinition": "ecs-tasks",
    "AWS::Events::Rule": "events",
    "AWS::Scheduler::Schedule": "scheduler",
    "AWS::Pipes::Pipe": "pipes",
    "AWS::AppSync::DataSource": "appsync",
    "AWS::CodeBuild::Project": "codebuild",
    "AWS::CodePipeline::Pipeline": "codepipeline",
}
"""Types of resources, and the service that assumes their roles; who assumes those of other types is not checked."""


def roles(item: Resource, path: str, templates: Templates) -> list[Resource]:
    """The roles a resource acts through; a role acts as itself."""
    if item.type == "AWS::IAM::Role":
        return [item]

    def mentioned() -> set[Address]:
        values = reached(item.properties, path, item.address.stack, templates)
        return {address for value in values for address in templates.mentions(value, item.address.stack)}

    named = [templates.resources[end] for end in sorted(templates.once(("acts", item.address, path), mentioned))]
    return [role for role in named if role.type == "AWS::IAM::Role" and _assumed(item, role, templates)]


def _assumed(item: Resource, role: Resource, templates: Templates) -> bool:
    """Whether the service of a resource may assume the role; one that says nothing about it is not known to refuse."""
    if item.type not in SERVICES or "AssumeRolePolicyDocument" not in role.properties:
        return True
    return admitted(SERVICES[item.type], item, "sts:AssumeRole", role.address, templates)


def _is_service(principal: object, service: str, stack: str, templates: Templates) -> bool:
    named = [templates.text(item, stack) for item in listing(mapping(principal).get("Service"))]
    return everyone(principal) or any(name.startswith(f"{service}.") for name in named)


def allowed(
    role: Resource, action: str, target: Address | None, scoped: bool, templates: Templates, loosely: bool = False
) -> bool:
    """Whether the role may do `action` to the target; `loosely`: or was meant to, by the ARN of the bucket alone."""
    covering = [item for item in statements(role, target, templates) if item.covers(action)]
    # A Deny that is left here has no condition: `read` leaves out those that have one.
    if any(not item.allow and item.about(target, False, action) for item in covering):
        return False
    if not loosely and not _within_boundary(role, action, target, templates):
        return False
    granted = [item for item in covering if item.allow and (item.certain or loosely)]
    # A grant on `*` makes the role as wide as if the narrow one beside it were not there.
    if scoped and any(item.everything for item in granted):
        return False
    return any(item.about(target, scoped, "" if loosely else action) for item in granted)


def _within_boundary(role: Resource, action: str, target: Address | None, templates: Templates) -> bool:
    """Whether the role's permissions boundary allows the action; one that is not in the templates is not known."""
    policies = _mentioned(role, "PermissionsBoundary", "AWS::IAM::ManagedPolicy", templates)
    bounds = [
        statement
        for item in policies
        for statement in read(item.properties.get("PolicyDocument"), item.address.stack, templates)
        if statement.covers(action) and statement.about(target, False, action)
    ]
    return not policies or (any(item.allow for item in bounds) and all(item.allow for item in bounds))


def _mentioned(item: Resource, key: str, kind: str, templates: Templates) -> list[Resource]:
    """The resources of a type that a property mentions."""
    found = templates.mentions(item.properties.get(key), item.address.stack)
    return [other for address in found if (other := templates.resources[address]).type == kind]


def only(item: Resource, path: str, actions: Iterable[str], target: Address | None, templates: Templates) -> bool:
    """Whether none of the resource's roles may do anything to the target but the actions, within their services."""
    wanted = {action.lower() for action in actions}
    services = {action.split(":")[0] for action in wanted}
    return not any(
        statement.allow and statement.about(target, False, "") and _exceeds(statement, wanted, services)
        for role in roles(item, path, templates)
        for statement in statements(role, target, templates)
    )


def _exceeds(statement: Statement, wanted: set[str], services: set[str]) -> bool:
    if statement.inverted:
        return True
    return any(
        action not in wanted and any(glob(action.split(":")[0], service) for service in services)
        for action in statement.actions
    )


def admitted(service: str, source: Resource, action: str, target: Address, templates: Templates) -> bool:
    """Whether the policies on the target, and of its key, let a service do `action` on behalf of the source."""
    allowing = False
    for document, stack in target_documents(target, templates):
        for entry in map(mapping, listing(mapping(document).get("Statement"))):
            if not _is_service(entry.get("Principal"), service, stack, templates):
                continue
            for item in read({"Statement": entry}, stack, templates):
                # Trust policies and permissions of functions name no resource: it is the one that they belong to.
                if not item.covers(action) or not ("Resource" not in entry or item.about(target, False, action)):
                    continue
                if not item.allow:
                    return False
                allowing |= met(entry.get("Condition"), source.address, stack, templates)
    return allowing and _encrypts(service, source, target, templates)


def _encrypts(service: str, source: Resource, target: Address, templates: Templates) -> bool:
    """Whether a service may use the key of a queue or topic; nobody can let one use a key that AWS manages."""
    item = templates.resources[target]
    # `admitted` comes back here for the key, and one that names itself as its key would go round in circles.
    if item.type not in ("AWS::SQS::Queue", "AWS::SNS::Topic"):
        return True
    if templates.text(item.properties.get("KmsMasterKeyId"), target.stack).startswith("alias/aws/"):
        return False
    keys = _mentioned(item, "KmsMasterKeyId", "AWS::KMS::Key", templates)
    return all(admitted(service, source, "kms:GenerateDataKey", key.address, templates) for key in keys)


def may(
    item: Resource,
    path: str,
    actions: Iterable[str],
    target: Address | None,
    scoped: bool,
    templates: Templates,
    loosely: bool = False,
) -> list[bool]:
    """Per action, whether the resource may do it to the target through one of its roles; `loosely` as in `allowed`."""
    acting = roles(item, path, templates)
    return [any(allowed(role, action, target, scoped, templates, loosely) for role in acting) for action in actions]
