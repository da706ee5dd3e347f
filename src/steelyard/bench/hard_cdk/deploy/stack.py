"""Deploys one stack: decides its conditions, resolves its resources to plain values, finds what would be refused."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

from steelyard.bench.cdk_synth.assembly import METADATA_TYPE
from steelyard.bench.cdk_synth.intent.function import evaluated
from steelyard.bench.cdk_synth.shape import attribute, intrinsic, is_list, is_mapping, listing, mapping
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
MAX_STEPS = 200_000
"""Values visited in one stack."""
MAX_DEPTH = 80
MAX_TEXT = 400_000
"""Characters of the longest text."""
NOTHING: Final = object()
"""`AWS::NoValue`: the property is left out."""
_STORED = re.compile(r"\{\{resolve:ssm:([^:}]+)(?::\d+)?\}\}")


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
        for name, body in mapping(self._template.get("Parameters")).items():
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
        known = {key: value for key, value in properties.items() if value is not NOTHING}
        read = {key: _json(value) if key in JSON_TEXT else value for key, value in known.items()}
        site, path = self._site, str(mapping(body.get("Metadata")).get("aws:cdk:path", ""))
        return Deployed(site.stack, logical_id, kind, read, attributes, own, site.account, site.region, path)

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
        return _listed(value) if "List" in kind else value

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
        return attribute_value(self.identity_of(logical_id), name, known)

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
            try:
                named = {key: self._resolver.resolve(written[key]) for key in naming(kind) if key in written}
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


def _json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


class Unresolvable(Exception):
    """CloudFormation would refuse this value; the message says why."""


class Resolver:
    """Resolves the values of one stack."""

    def __init__(self, run: StackRun, site: Site) -> None:
        self._run, self._site, self._steps, self._depth = run, site, 0, 0
        self._functions: dict[str, Callable[[Any], Any]] = {
            "Ref": self._ref,
            "Fn::GetAtt": lambda argument: run.attribute_of(*attribute(argument)),
            "Fn::Join": lambda argument: self._text("Fn::Join", argument),
            "Fn::Sub": lambda argument: self._text("Fn::Sub", argument),
            "Fn::Select": lambda argument: self._known("Fn::Select", argument),
            "Fn::Split": lambda argument: self._known("Fn::Split", argument),
            "Fn::If": self._if,
            "Fn::FindInMap": self._find,
            "Fn::ImportValue": lambda argument: run.imports(_text(self.resolve(argument))),
            "Fn::GetAZs": lambda argument: [f"{site.region}{zone}" for zone in "abc"],
            "Fn::Base64": lambda argument: base64.b64encode(_text(self.resolve(argument)).encode()).decode(),
            "Fn::Length": lambda argument: len(listing(self.resolve(argument))),
            "Fn::ToJsonString": lambda argument: json.dumps(self.resolve(argument)),
            "Fn::Cidr": self._cidr,
            "Fn::Equals": lambda argument: len({_text(value) for value in self._both(argument)}) == 1,
            "Fn::And": lambda argument: all(self.resolve(part) is True for part in listing(argument)),
            "Fn::Or": lambda argument: any(self.resolve(part) is True for part in listing(argument)),
            "Fn::Not": lambda argument: self.resolve(next(iter(listing(argument)), None)) is not True,
            "Condition": run.condition,
        }

    def resolve(self, value: Any) -> Any:
        """The plain value; `NOTHING` where a property is to be left out."""
        # Over the whole stack: joins of joins double with every level.
        self._steps += 1
        self._depth += 1
        try:
            if self._steps > MAX_STEPS or self._depth > MAX_DEPTH:
                raise Unresolvable("the template is too large or too deep")
            return self._resolved(value)
        finally:
            self._depth -= 1

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, str):
            return _STORED.sub(lambda match: _text(self._run.stored(match[1])), value)
        if is_list(value):
            return [item for part in listing(value) if (item := self.resolve(part)) is not NOTHING]
        if not is_mapping(value):
            return value
        call = intrinsic(value)
        if call is not None:
            if call[0] not in self._functions:
                raise Unresolvable(f"{call[0]} is not supported")
            try:
                return self._functions[call[0]](call[1])
            except (TypeError, ValueError, LookupError) as error:
                raise Unresolvable(f"{call[0]} has arguments of the wrong kind") from error
        pairs = mapping(value)
        # A reference to a condition of the template; the `Condition` of a policy is an object.
        if list(pairs) == ["Condition"] and isinstance(pairs["Condition"], str):
            return self._run.condition(pairs["Condition"])
        resolved = {key: self.resolve(part) for key, part in pairs.items()}
        return {key: part for key, part in resolved.items() if part is not NOTHING}

    def _ref(self, name: Any) -> Any:
        site = self._site
        pseudo: dict[str, Any] = {
            "AWS::AccountId": site.account,
            "AWS::Region": site.region,
            "AWS::Partition": "aws",
            "AWS::URLSuffix": "amazonaws.com",
            "AWS::StackName": site.stack,
            "AWS::StackId": f"arn:aws:cloudformation:{site.region}:{site.account}:stack/{site.stack}/0",
            "AWS::NotificationARNs": [],
            "AWS::NoValue": NOTHING,
        }
        return pseudo[name] if name in pseudo else self._run.lookup(str(name))

    def _both(self, argument: Any) -> tuple[Any, Any]:
        parts = [self.resolve(part) for part in listing(argument)]
        if len(parts) != 2:
            raise Unresolvable("a function with two arguments has another number of them")
        return parts[0], parts[1]

    def _known(self, name: str, argument: Any) -> Any:
        """The value of a function of settled arguments; a text or a list, never a call."""
        parts = [self.resolve(part) for part in listing(argument)]
        value = evaluated(name, parts, {}, self.resolve)
        if value is None:
            raise Unresolvable(f"{name} does not fit its arguments")
        return value

    def _cidr(self, argument: Any) -> list[str]:
        blocks = self._known("Fn::Cidr", argument)
        # `evaluated` gives as many as there are; CloudFormation refuses to give fewer than asked for.
        if len(blocks) != int(self.resolve(listing(argument)[1])):
            raise Unresolvable("Fn::Cidr has no room for so many blocks")
        return blocks

    def _text(self, name: str, argument: Any) -> str:
        """What `Fn::Join` and `Fn::Sub` put together; the text of a substitution is no value to resolve."""
        first, *rest = listing(argument) or [""]
        if name == "Fn::Sub":
            text = evaluated(name, [first, *(self.resolve(part) for part in rest)], {}, self.resolve)
        else:
            text = self._known(name, argument)
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            raise Unresolvable(f"{name} gives no text, or one that is too long")
        return text

    def _find(self, argument: Any) -> Any:
        """Without a transform, the arguments are texts, references or values of mappings and nothing else."""
        parts = listing(argument)[:3]
        calls = {call[0] for part in parts if (call := intrinsic(part)) is not None}
        if calls - {"Ref", "Fn::FindInMap"}:
            raise Unresolvable(f"Fn::FindInMap does not take {', '.join(sorted(calls))}")
        return self._run.mapped(*(_text(self.resolve(part)) for part in parts))

    def _if(self, argument: Any) -> Any:
        parts = listing(argument)
        if len(parts) != 3:
            raise Unresolvable("Fn::If has three arguments")
        return self.resolve(parts[1] if self._run.condition(parts[0]) else parts[2])


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is NOTHING or isinstance(value, (dict, list)):
        raise Unresolvable("a text is expected where there is an object, a list or nothing")
    return str(value)
