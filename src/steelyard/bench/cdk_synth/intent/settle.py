"""Replaces what is known before the deployment by its value, everywhere in a resource.

What is left unset (`AWS::NoValue`) disappears. A parameter that a parent stack sets, or that names a value stored
elsewhere, stays a reference.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from steelyard.bench.cdk_synth.intent import function
from steelyard.bench.cdk_synth.shape import attribute, intrinsic, is_list, is_mapping, listing, mapping

MAX_DEPTH = 60
"""How deep values are settled; anything deeper stays as it is."""
MAX_NODES = 300_000
"""Values of one template that are settled."""
MAX_CONDITIONS = 40
"""How deep conditions refer to each other; anything deeper is unknown."""
_UNSET = object()


class Conditions:
    """Which conditions of a template hold when the stack is deployed with the defaults of its parameters.

    None for one that depends on something unknown before the deployment: what depends on it counts as possible.
    """

    def __init__(self, template: Mapping[str, Any]) -> None:
        self._bodies = mapping(template.get("Conditions"))
        self._parameters = mapping(template.get("Parameters"))
        self._mappings = mapping(template.get("Mappings"))
        self._known: dict[str, bool | None] = {}

    def holds(self, name: object, depth: int = 0) -> bool | None:
        """Whether the condition of this name holds; an undeclared one is unknown."""
        if not isinstance(name, str) or name not in self._bodies:
            return None
        if name not in self._known:
            self._known[name] = None  # while it is being evaluated: a circle is unknown
            self._known[name] = self._truth(self._bodies[name], depth)
        return self._known[name]

    def _truth(self, body: object, depth: int) -> bool | None:
        if depth > MAX_CONDITIONS or len(call := mapping(body)) != 1:
            return None
        name, argument = next(iter(call.items()))
        parts = listing(argument)
        if name == "Condition":
            return self.holds(argument, depth + 1)
        if name == "Fn::Equals" and len(parts) == 2:
            if _same_expression(*parts):
                return True
            texts = [self.text(part, depth + 1) for part in parts]
            return None if None in texts else texts[0] == texts[1]
        values = [self._truth(part, depth + 1) for part in parts]
        if name == "Fn::Not" and len(values) == 1:
            return None if values[0] is None else not values[0]
        if name in ("Fn::And", "Fn::Or") and values:
            # One such part decides, whatever the unknown ones come to.
            decisive = name == "Fn::Or"
            return decisive if decisive in values else None if None in values else not decisive
        return None

    def text(self, value: object, depth: int = 0) -> str | None:
        """The text of a value that is known before the deployment, or None."""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str | int | float):
            return str(value)
        call = intrinsic(value)
        if call is None or depth > MAX_CONDITIONS:
            return None
        name, argument = call
        if name == "Ref":
            default = mapping(self._parameters.get(argument) if isinstance(argument, str) else None).get("Default")
            return None if default is None else self.text(default, depth + 1)
        parts = listing(argument)
        if name == "Fn::FindInMap" and len(parts) >= 3:
            keys = [self.text(part, depth + 1) for part in parts[:3]]
            value: object = self._mappings
            for key in keys:
                value = None if key is None else mapping(value).get(key)
            return self.text(value, depth + 1)
        if name == "Fn::Join" and len(parts) == 2 and isinstance(parts[0], str):
            pieces = [self.text(piece, depth + 1) for piece in listing(parts[1])]
            return None if None in pieces else parts[0].join(piece for piece in pieces if piece is not None)
        if name == "Fn::If" and len(parts) == 3 and (truth := self.holds(parts[0], depth + 1)) is not None:
            return self.text(parts[1 if truth else 2], depth + 1)
        return None


def _same_expression(left: object, right: object) -> bool:
    """Whether both sides are written alike: they are equal then, whatever they come to."""
    try:
        return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return False


class Settler:
    """Settles the values of one template."""

    def __init__(self, template: Mapping[str, Any], bound: frozenset[str]) -> None:
        self.conditions = Conditions(template)
        """The conditions of the template."""
        self._resources = mapping(template.get("Resources"))
        self._mappings = mapping(template.get("Mappings"))
        parameters = mapping(template.get("Parameters"))
        # The value that a parent stack sets is not the default.
        self._defaults = {name: body for name, body in parameters.items() if name not in bound}
        self._left = MAX_NODES

    def settled(self, properties: dict[str, Any]) -> dict[str, Any]:
        """The properties of a resource."""
        value = self._value(properties, 0)
        return value if is_mapping(value) else {}

    def _value(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            return value
        if is_list(value):
            parts = [self._value(part, depth + 1) for part in value]
            if all(new is old for new, old in zip(parts, value, strict=True)):
                return value
            return [part for part in parts if part is not _UNSET]
        if not is_mapping(value):
            return value
        if (call := intrinsic(value)) is not None:
            return self._called(value, call[0], call[1], depth)
        pairs = {key: self._value(part, depth + 1) for key, part in value.items()}
        if all(pairs[key] is value[key] for key in value):
            return value
        return {key: part for key, part in pairs.items() if part is not _UNSET}

    def _called(self, value: dict[str, Any], name: str, argument: Any, depth: int) -> Any:
        if name == "Ref":
            return self._referred(value, argument)
        if name == "Fn::If":
            parts = listing(argument)
            truth = self.conditions.holds(parts[0]) if len(parts) == 3 else None
            if truth is not None:
                return self._value(parts[1 if truth else 2], depth + 1)
        elif name == "Fn::GetAtt" and (stored := self._stored(argument)) is not None:
            return self._value(stored, depth + 1)
        settled = self._value(argument, depth + 1)
        if settled is _UNSET:
            return value
        known = function.evaluated(name, settled, self._mappings, lambda part: self._named(part, depth + 1))
        if known is not None:
            return known
        return value if settled is argument else {name: settled}

    def _stored(self, argument: object) -> Any:
        """What a parameter in the parameter store is set to."""
        owner, name = attribute(argument)
        body = mapping(self._resources.get(owner))
        stored = name == "Value" and body.get("Type") == "AWS::SSM::Parameter"
        return mapping(body.get("Properties")).get("Value") if stored else None

    def _named(self, part: object, depth: int) -> Any:
        """What a reference in the text of a function, or to the block of a network, stands for."""
        call = intrinsic(part)
        if call is None or depth > MAX_DEPTH:
            return part
        owner, name = attribute(call[1])
        properties = mapping(mapping(self._resources.get(owner)).get("Properties"))
        if call[0] == "Fn::GetAtt" and name == "CidrBlock" and name in properties:
            return self._value(properties[name], depth)
        value = self._called({call[0]: call[1]}, call[0], call[1], depth) if call[0] in ("Ref", "Fn::GetAtt") else part
        return "" if value is _UNSET else value

    def _referred(self, value: dict[str, Any], name: object) -> Any:
        if name == "AWS::NoValue":
            return _UNSET
        parameter = mapping(self._defaults.get(name)) if isinstance(name, str) else {}
        kind, default = str(parameter.get("Type", "")), parameter.get("Default")
        # Of a type such as `AWS::SSM::Parameter::Value<String>`, the default is the name of the value, not the value.
        if not isinstance(default, str | int | float) or "::" in kind:
            return value
        if kind == "CommaDelimitedList":
            return [part.strip() for part in str(default).split(",")]
        return default
