"""What an update does to the resources of the original app: kept, replaced or removed.

A resource is kept if the new app has it in the same stack, under the same logical id, with the same type, and with
the same values of the properties whose change makes CloudFormation replace it, which the schemas of the types name
(cfn-lint carries them). A DynamoDB table accepts at most one new or removed global index in one update, and an index
that stays keeps its keys and projection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from steelyard.bench.cdk_synth.shape import at, listing, mapping
from steelyard.bench.hard_cdk.deploy import Deployed, Deployment

BESIDE_SCHEMAS: Mapping[str, tuple[str, ...]] = {
    # Some changes of these replace the resource, and the schema does not say which: any of them counts.
    "AWS::DynamoDB::Table": ("KeySchema", "LocalSecondaryIndexes"),
    "AWS::EC2::VPC": ("InstanceTenancy",),
    "AWS::RDS::DBInstance": ("AvailabilityZone",),
    "AWS::RDS::DBCluster": ("MasterUsername",),
    # Their updates are refused, not turned into a replacement, so the schemas do not name them; the update fails.
    "AWS::KMS::Key": ("KeySpec", "KeyUsage", "MultiRegion"),
    "AWS::Logs::LogGroup": ("LogGroupClass",),
    "AWS::Cognito::UserPool": ("AliasAttributes", "UsernameAttributes", "UsernameConfiguration"),
    "AWS::EC2::Volume": ("AvailabilityZone", "Encrypted", "KmsKeyId", "SnapshotId"),
}
"""Type → properties that must not change either, and that its schema does not call create-only."""

_REGION = "us-east-1"
"""Whose schemas are read: it has every type."""


@cache
def replacing(type_name: str) -> tuple[str, ...]:
    """The properties whose change replaces a resource, by the schema that CloudFormation publishes for its type."""
    schemas, manager = (import_module(f"cfnlint.{name}") for name in ("schema", "schema.manager"))  # takes a second
    try:
        schema: dict[str, Any] = manager.PROVIDER_SCHEMA_MANAGER.get_resource_schema(_REGION, type_name).schema
    except schemas.ResourceNotFoundError:  # a custom resource
        return BESIDE_SCHEMAS.get(type_name, ())
    paths: list[str] = schema.get("createOnlyProperties", [])
    create_only = (path.removeprefix("/properties/").replace("/", ".") for path in paths)
    return (*create_only, *BESIDE_SCHEMAS.get(type_name, ()))


def losses(old: Deployed, new: Deployment, unchanged: tuple[str, ...]) -> Iterator[str]:
    """Why the original resource does not survive the update; nothing if it does."""
    same = (item for item in new.resources if (item.stack, item.logical_id) == (old.stack, old.logical_id))
    item = next(same, None)
    if item is None:
        yield f"{old.logical_id} is removed"
        return
    if item.type != old.type:
        yield f"{old.logical_id} becomes a {item.type}"
        return
    paths = (*replacing(old.type), *(sorted(old.properties) if "*" in unchanged else unchanged))
    for path in dict.fromkeys(paths):
        if at(old.properties, path) != at(item.properties, path):
            yield f"{old.logical_id}: {path} changes"
    if old.attributes.get("DeletionPolicy") == "Retain" and item.attributes.get("DeletionPolicy") != "Retain":
        yield f"{old.logical_id} is no longer retained"
    if old.type == "AWS::DynamoDB::Table":
        yield from _index_losses(old, item)
    if old.type == "AWS::Cognito::UserPool":
        yield from _schema_losses(old, item)


def _index_losses(old: Deployed, new: Deployed) -> Iterator[str]:
    before, after = (_by_name(item, "GlobalSecondaryIndexes", "IndexName") for item in (old, new))
    changed = before.keys() ^ after.keys()
    if len(changed) > 1:
        yield f"{old.logical_id}: {len(changed)} indexes are added or removed at once"
    for name in sorted(before.keys() & after.keys()):
        if any(before[name].get(key) != after[name].get(key) for key in ("KeySchema", "Projection")):
            yield f"{old.logical_id}: index {name} is replaced"
    one, other = (_by_name(item, "AttributeDefinitions", "AttributeName") for item in (old, new))
    if any(other.get(name, part).get("AttributeType") != part.get("AttributeType") for name, part in one.items()):
        yield f"{old.logical_id}: an attribute changes its type"


def _schema_losses(old: Deployed, new: Deployed) -> Iterator[str]:
    """Attributes of a user pool can be added, never changed, removed or required later."""
    before, after = (_by_name(item, "Schema", "Name") for item in (old, new))
    for name in sorted(before):
        if before[name] != after.get(name):
            yield f"{old.logical_id}: attribute {name} changes"
    for name in sorted(after.keys() - before.keys()):
        if after[name].get("Required") in (True, "true"):
            yield f"{old.logical_id}: attribute {name} cannot be added as required"


def _by_name(item: Deployed, key: str, name: str) -> dict[str, dict[str, Any]]:
    return {str(part.get(name)): part for part in map(mapping, listing(item.properties.get(key)))}
