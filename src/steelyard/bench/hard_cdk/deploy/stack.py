"""Deploys one stack: decides its conditions, resolves its resources, and finds what CloudFormation would refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any

from steelyard.bench.cdk_synth.assembly import METADATA_TYPE
from steelyard.bench.cdk_synth.shape import listing, mapping
from steelyard.bench.hard_cdk.deploy.intrinsic import NOTHING, Resolver, Unresolvable
from steelyard.bench.hard_cdk.deploy.physical import Identity, Site, attribute, identity, naming
from steelyard.bench.hard_cdk.deploy.resource import Deployed, Visible

MAX_RESOURCES = 500
"""What CloudFormation allows in one stack."""
OUTSIDE = ("/cdk-bootstrap/", "/aws/")
"""Prefixes of SSM parameters that exist in every account."""
JSON_TEXT = frozenset({"DefinitionString", "DashboardBody"})
"""Properties whose text is JSON; they are read as what they say."""


class StackRun:
    """One stack while it is deployed."""

    def __init__(
        self, template: Mapping[str, Any], site: Site, visible: Visible, parameters: Mapping[str, str] | None = None
    ) -> None:
        self._template, self._site, self._visible = template, site, visible
        self._given = parameters or {}
        self._bodies = dict(list(mapping(template.get("Resources")).items())[:MAX_RESOURCES])
        self._identities: dict[str, Identity] = {}
        self._naming: set[str] = set()
        self._decided: dict[str, bool] = {}
        self._edges: dict[str, set[str]] = {}
        self._current: str | None = None
        self._resolver = Resolver(self, site)
        self.problems = [*self._refused()]
        """What CloudFormation would refuse; complete once `resources` was called."""
        self.imported: set[str] = set()
        """Names of the exports it imports."""

    def resources(self) -> tuple[Deployed, ...]:
        """Every resource whose condition holds."""
        return self._resources

    @cached_property
    def _resources(self) -> tuple[Deployed, ...]:
        items = tuple(item for logical_id in self._bodies if (item := self._deployed(logical_id)) is not None)
        try:
            TopologicalSorter(self._edges).prepare()
        except CycleError as error:
            self.problems.append(f"circular dependency: {' → '.join(map(str, error.args[1]))}")
        return items

    def _refused(self) -> Iterator[str]:
        """Given values that a parameter does not admit, whether or not anything refers to it."""
        for name, body in mapping(self._template.get("Parameters")).items():
            parameter = mapping(body)
            if name in self._given and not _admits(parameter, self._given[name]):
                yield f"parameter {name} does not admit {self._given[name]}"

    def exports(self) -> Iterator[tuple[str, Any]]:
        """Name and value of every export."""
        for key, output in mapping(self._template.get("Outputs")).items():
            body = mapping(output)
            name = mapping(body.get("Export")).get("Name")
            try:
                if self._holds(body):
                    value = self._resolver.resolve(body.get("Value"))
                    if name is not None:
                        yield str(self._resolver.resolve(name)), value
            except Unresolvable as error:
                self.problems.append(f"output {key}: {error}")

    def _deployed(self, logical_id: str) -> Deployed | None:
        body = mapping(self._bodies[logical_id])
        kind = body.get("Type")
        if not isinstance(kind, str) or kind == METADATA_TYPE:
            return None
        self._current = logical_id
        self._edges.setdefault(logical_id, set())
        try:
            if not self._holds(body):
                return None
            for other in map(str, listing(body.get("DependsOn"))):
                self._depend(other)
            properties = mapping(self._resolver.resolve(mapping(body.get("Properties"))))
            own = self.identity_of(logical_id)
        except Unresolvable as error:
            self.problems.append(f"{logical_id}: {error}")
            return None
        finally:
            self._current = None
        attributes = {key: value for key, value in body.items() if key not in ("Properties", "Metadata")}
        site, path = self._site, str(mapping(body.get("Metadata")).get("aws:cdk:path", ""))
        return Deployed(
            site.stack, logical_id, kind, _parsed(properties), attributes, own, site.account, site.region, path
        )

    def _holds(self, body: Mapping[str, Any]) -> bool:
        name = body.get("Condition")
        return name is None or self.condition(name)

    def condition(self, name: object) -> bool:
        """Whether a condition of the template holds."""
        conditions = mapping(self._template.get("Conditions"))
        if not isinstance(name, str) or name not in conditions:
            raise Unresolvable(f"unknown condition {name}")
        if name not in self._decided:
            self._decided[name] = self._resolver.resolve(conditions[name]) is True
        return self._decided[name]

    def lookup(self, name: str) -> Any:
        """What `Ref` to a parameter or resource returns."""
        if name in self._bodies:
            self._depend(name)
            return self.identity_of(name).ref
        parameters = mapping(self._template.get("Parameters"))
        if name not in parameters:
            raise Unresolvable(f"unknown reference {name}")
        parameter = mapping(parameters[name])
        value = self._given.get(name, parameter.get("Default"))
        if value is None:
            raise Unresolvable(f"parameter {name} has no value")
        kind = str(parameter.get("Type"))
        if kind.startswith("AWS::SSM::Parameter::Value"):
            return self.stored(str(value))
        return [part.strip() for part in str(value).split(",")] if "List" in kind else value

    def stored(self, name: str) -> Any:
        """The value of an SSM parameter."""
        if name in self._visible.parameters:
            return self._visible.parameters[name].value
        if name.startswith(OUTSIDE):
            return f"ssm:{name}"
        raise Unresolvable(f"the SSM parameter {name} does not exist before this stack")

    def imports(self, name: str) -> Any:
        """The value of another stack's export."""
        if name not in self._visible.exports:
            raise Unresolvable(f"no stack before this one exports {name}")
        self.imported.add(name)
        return self._visible.exports[name].value

    def attribute_of(self, logical_id: str, name: str) -> Any:
        """What `Fn::GetAtt` returns."""
        self._depend(logical_id)
        body = mapping(self._bodies.get(logical_id))
        written = mapping(body.get("Properties"))
        known = {name: self._resolver.resolve(written[name])} if name in written else {}
        return attribute(self.identity_of(logical_id), str(body.get("Type")), name, known)

    def mapped(self, *keys: str) -> Any:
        """A value of the template's mappings."""
        value: Any = self._template.get("Mappings")
        for key in keys:
            value = mapping(value).get(key)
        if value is None:
            raise Unresolvable(f"no mapping {'.'.join(keys)}")
        return value

    def identity_of(self, logical_id: str) -> Identity:
        """The identity of a resource of this stack."""
        if logical_id not in self._identities:
            body = mapping(self._bodies.get(logical_id))
            if logical_id in self._naming:
                raise Unresolvable(f"circular name of {logical_id}")
            if not body or not self._holds(body):
                raise Unresolvable(f"{logical_id} does not exist")
            self._naming.add(logical_id)
            kind, written = str(body.get("Type")), mapping(body.get("Properties"))
            named = {key: self._resolver.resolve(written[key]) for key in naming(kind) if key in written}
            self._identities[logical_id] = identity(self._site, logical_id, kind, named)
        return self._identities[logical_id]

    def _depend(self, other: str) -> None:
        if other not in self._bodies:
            raise Unresolvable(f"unknown resource {other}")
        if self._current is not None:
            self._edges.setdefault(self._current, set()).add(other)


def _admits(parameter: Mapping[str, Any], value: str) -> bool:
    parts = [part.strip() for part in value.split(",")] if "List" in str(parameter.get("Type")) else [value]
    allowed = {str(part) for part in listing(parameter.get("AllowedValues", []))}
    return not allowed or {*parts} <= allowed


def _parsed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _json(value) if key in JSON_TEXT else value for key, value in properties.items() if value is not NOTHING
    }


def _json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
