"""What a deployed stack leaves behind: resources, exports and stored parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from steelyard.bench.cdk_synth.shape import is_list, is_mapping, listing, mapping
from steelyard.bench.hard_cdk.deploy.physical import Identity, attribute

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
        value: Any = self.properties
        for step in path.split("."):
            if is_list(value) and step.isdigit():
                value = next(iter(listing(value)[int(step) : int(step) + 1]), None)
            else:
                value = mapping(value).get(step)
        if value is None and "." not in path:
            return attribute(self.identity, self.type, path, self.properties)
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
