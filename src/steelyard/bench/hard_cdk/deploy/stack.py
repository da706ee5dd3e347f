"""Deploys one stack: decides its conditions, resolves its resources to plain values, finds what would be refused."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import Any, NoReturn

from steelyard.bench.cdk_synth.assembly import METADATA_TYPE
from steelyard.bench.cdk_synth.intent.function import MAX_TEXT
from steelyard.bench.cdk_synth.intent.values import UNSET, Values
from steelyard.bench.cdk_synth.shape import intrinsic, is_list, listing, mapping, unpacked
from steelyard.bench.hard_cdk.deploy.physical import (
    Deployed,
    Identity,
    Site,
    Visible,
    attribute_value,
    identity,
    naming,
)

MAX_RESOURCES = 500
"""What CloudFormation allows in one stack."""
OUTSIDE = ("/cdk-bootstrap/", "/aws/")
"""Prefixes of SSM parameters that exist in every account."""
JSON_TEXT = frozenset({"DefinitionString", "DashboardBody"})
"""Properties whose text is JSON; they are read as what they say."""
LISTED = frozenset({"Fn::Join", "Fn::Select", "Fn::Split", "Fn::Cidr", "Fn::FindInMap"})
"""Functions whose arguments are a list as it is written: CloudFormation takes no call that gives one."""
_STORED = re.compile(r"\{\{resolve:ssm:([^:}]+)(?::\d+)?\}\}")


class Unresolvable(Exception):
    """CloudFormation would refuse this value; the message says why."""


class StackRun(Values):
    """One stack while it is deployed; reading a value of it may raise `Unresolvable`."""

    def __init__(
        self, template: Mapping[str, Any], site: Site, visible: Visible, parameters: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(template)
        self._site, self._visible, self._given = site, visible, parameters or {}
        self._outputs = mapping(template.get("Outputs"))
        self._bodies = dict(islice(self.written.items(), MAX_RESOURCES))
        self._identities: dict[str, Identity] = {}
        self._naming: set[str] = set()
        self._edges: dict[str, set[str]] = {}
        self._current: str | None = None
        self.problems = [*self._refused()]
        """What CloudFormation would refuse; complete once `resources` and `exports` were read."""
        self.imported: set[str] = set()
        """Names of the exports it imports; likewise."""

    @cached_property
    def resources(self) -> tuple[Deployed, ...]:
        """Every resource whose condition holds."""
        items = tuple(item for logical_id in self._bodies if (item := self._deployed(logical_id)) is not None)
        try:
            TopologicalSorter(self._edges).prepare()
        except CycleError as error:
            self.problems.append(f"circular dependency: {' → '.join(map(str, error.args[1]))}")
        return items

    def _refused(self) -> Iterator[str]:
        """Given values that a parameter does not admit, whether or not anything refers to it."""
        for name, body in self.parameters.items():
            parameter = mapping(body)
            # Not `AllowedPattern`: it would run regular expressions from an untrusted answer.
            allowed = {str(part) for part in listing(parameter.get("AllowedValues", []))}
            given = self._given.get(name)
            if given is None or not allowed:
                continue
            if not {*(_listed(given) if "List" in str(parameter.get("Type")) else [given])} <= allowed:
                yield f"parameter {name} does not admit {given}"

    def exports(self) -> Iterator[tuple[str, Any]]:
        """Name and value of every export."""
        for key, output in self._outputs.items():
            body = mapping(output)
            name = mapping(body.get("Export")).get("Name")
            try:
                if self._exists(body):
                    value = self.value(body.get("Value"))
                    if name is not None:
                        yield str(self.value(name)), value
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
            if not self._exists(body):
                return None
            for other in map(str, listing(body.get("DependsOn"))):
                self._depend(other)
            properties = mapping(self.value(mapping(body.get("Properties"))))
            own = self.identity_of(logical_id)
        except Unresolvable as error:
            self.problems.append(f"{logical_id}: {error}")
            return None
        finally:
            self._current = None
        attributes = {key: value for key, value in body.items() if key not in ("Properties", "Metadata")}
        read = {key: unpacked(value) if key in JSON_TEXT else value for key, value in properties.items()}
        site, path = self._site, str(mapping(body.get("Metadata")).get("aws:cdk:path", ""))
        return Deployed(site.stack, logical_id, kind, read, attributes, own, site.account, site.region, path)

    def _exists(self, body: Mapping[str, Any]) -> bool:
        return "Condition" not in body or self.holds(body["Condition"])

    def holds(self, name: object) -> bool:
        if (truth := super().holds(name)) is None:
            raise Unresolvable(f"unknown condition {name}")
        return truth

    def truth(self, body: object) -> bool:
        # In every part, even where another part decides: CloudFormation refuses the whole condition.
        if (truth := super().truth(body)) is None:
            raise Unresolvable(f"a condition says {str(body)[:60]}")
        return truth

    def unknown(self, name: str, call: Any) -> NoReturn:
        raise Unresolvable(f"{name} is not supported, or does not fit its arguments")

    def exceeded(self, value: Any) -> NoReturn:
        raise Unresolvable("the template is too large or too deep")

    def text(self, written: str) -> str:
        return _STORED.sub(lambda match: _text(self.stored(match[1])), written)

    def referred(self, name: str) -> Any:
        site = self._site
        pseudo: dict[str, Any] = {
            "AWS::AccountId": site.account,
            "AWS::Region": site.region,
            "AWS::Partition": "aws",
            "AWS::URLSuffix": "amazonaws.com",
            "AWS::StackName": site.stack,
            "AWS::StackId": f"arn:aws:cloudformation:{site.region}:{site.account}:stack/{site.stack}/0",
            "AWS::NotificationARNs": [],
        }
        if name in pseudo:
            return pseudo[name]
        if name in self._bodies:
            self._depend(name)
            return self.identity_of(name).ref
        if name not in self.parameters:
            raise Unresolvable(f"unknown reference {name}")
        parameter = mapping(self.parameters[name])
        value = self._given.get(name, parameter.get("Default"))
        if value is None:
            raise Unresolvable(f"parameter {name} has no value")
        kind = str(parameter.get("Type"))
        if kind.startswith("AWS::SSM::Parameter::Value"):
            return self.stored(str(value))
        return _listed(value) if "List" in kind else value

    def attribute(self, owner: str, name: str) -> Any:
        self._depend(owner)
        written = mapping(mapping(self._bodies.get(owner)).get("Properties"))
        known = {name: self.value(written[name])} if name in written else {}
        return attribute_value(self.identity_of(owner), name, known)

    def called(self, call: dict[str, Any], name: str, argument: Any) -> Any:
        if name in LISTED and not is_list(argument):
            self.unknown(name, call)
        if name == "Fn::FindInMap":
            # Without a transform, the arguments are texts, references or values of mappings and nothing else.
            calls = {inner[0] for part in listing(argument)[:3] if (inner := intrinsic(part)) is not None}
            if calls - {"Ref", "Fn::FindInMap"}:
                raise Unresolvable(f"Fn::FindInMap does not take {', '.join(sorted(calls))}")
        try:
            return super().called(call, name, argument)
        except (TypeError, ValueError, LookupError) as error:
            raise Unresolvable(f"{name} has arguments of the wrong kind") from error

    def function(self, name: str, settled: Any) -> Any:
        match name:
            case "Fn::ImportValue":
                return self.imports(_text(settled))
            case "Fn::GetAZs":
                return [f"{self._site.region}{zone}" for zone in "abc"]
            case "Fn::Base64":
                return _short(name, [base64.b64encode(_text(settled).encode()).decode()])
            case "Fn::Length":
                return len(listing(settled))
            case "Fn::ToJsonString":
                # Piece by piece, because texts in texts grow with every level.
                return _short(name, json.JSONEncoder().iterencode(settled))
            case "Fn::Join" | "Fn::Sub":
                text = super().function(name, settled)
                return _short(name, [text]) if isinstance(text, str) else None
            case "Fn::Cidr":
                blocks = super().function(name, settled)
                # It gives as many as there are; CloudFormation refuses to give fewer than asked for.
                if blocks is not None and len(blocks) != int(settled[1]):
                    raise Unresolvable("Fn::Cidr has no room for so many blocks")
                return blocks
            case _:
                return super().function(name, settled)

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

    def identity_of(self, logical_id: str) -> Identity:
        """The identity of a resource of this stack."""
        if logical_id not in self._identities:
            body = mapping(self._bodies.get(logical_id))
            if logical_id in self._naming:
                raise Unresolvable(f"circular name of {logical_id}")
            if not body or not self._exists(body):
                raise Unresolvable(f"{logical_id} does not exist")
            self._naming.add(logical_id)
            kind, written = str(body.get("Type")), mapping(body.get("Properties"))
            try:
                named = {key: self.value(written[key]) for key in naming(kind) if key in written}
            finally:
                # A name that is refused is no circle for whoever asks next.
                self._naming.remove(logical_id)
            self._identities[logical_id] = identity(self._site, logical_id, kind, named)
        return self._identities[logical_id]

    def _depend(self, other: str) -> None:
        if other not in self._bodies:
            raise Unresolvable(f"unknown resource {other}")
        # An output depends on a resource too, and no resource depends on an output.
        if self._current is not None:
            self._edges.setdefault(self._current, set()).add(other)


def _listed(value: Any) -> list[str]:
    return [part.strip() for part in str(value).split(",")]


def _short(name: str, pieces: Iterable[str]) -> str:
    """The text of the pieces that a function gives, if it is not too long."""
    text = io.StringIO()
    for piece in pieces:
        if text.tell() + len(piece) > MAX_TEXT:
            raise Unresolvable(f"{name} gives a text that is too long")
        text.write(piece)
    return text.getvalue()


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is UNSET or isinstance(value, (dict, list)):
        raise Unresolvable("a text is expected where there is an object, a list or nothing")
    return str(value)
