"""Conditions of a template: which hold when the stack is deployed with the defaults of its parameters.

Three values: true, false, and None for a condition that depends on something unknown before the deployment (a
parameter without default, the region, an attribute). What depends on an unknown condition counts as possible.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from steelyard.bench.cdk_synth.intent.shape import intrinsic, listing, mapping

MAX_DEPTH = 40
"""How deep conditions refer to each other; anything deeper is unknown."""


class Conditions:
    """The conditions of one template."""

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
        if depth > MAX_DEPTH or len(call := mapping(body)) != 1:
            return None
        name, argument = next(iter(call.items()))
        parts = listing(argument)
        if name == "Condition":
            return self.holds(argument, depth + 1)
        if name == "Fn::Equals" and len(parts) == 2:
            return self._equal(parts[0], parts[1], depth)
        values = [self._truth(part, depth + 1) for part in parts]
        if name == "Fn::Not" and len(values) == 1:
            return None if values[0] is None else not values[0]
        if name in ("Fn::And", "Fn::Or") and values:
            decisive = name == "Fn::Or"
            return decisive if decisive in values else None if None in values else not decisive
        return None

    def _equal(self, left: object, right: object, depth: int) -> bool | None:
        if _same_expression(left, right):
            return True
        texts = self.text(left, depth + 1), self.text(right, depth + 1)
        return None if None in texts else texts[0] == texts[1]

    def text(self, value: object, depth: int = 0) -> str | None:
        """The text of a value that is known before the deployment, or None."""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str | int | float):
            return str(value)
        call = intrinsic(value)
        if call is None or depth > MAX_DEPTH:
            return None
        name, argument = call
        if name == "Ref":
            default = mapping(self._parameters.get(argument) if isinstance(argument, str) else None).get("Default")
            return None if default is None else self.text(default, depth + 1)
        parts = listing(argument)
        if name == "Fn::FindInMap" and len(parts) >= 3:
            keys = [self.text(part, depth + 1) for part in parts[:3]]
            return self.text(self._mapped([key for key in keys if key is not None]), depth + 1)
        if name == "Fn::Join" and len(parts) == 2 and isinstance(parts[0], str):
            pieces = [self.text(piece, depth + 1) for piece in listing(parts[1])]
            return None if None in pieces else parts[0].join(piece for piece in pieces if piece is not None)
        if name == "Fn::If" and len(parts) == 3 and (truth := self.holds(parts[0], depth + 1)) is not None:
            return self.text(parts[1 if truth else 2], depth + 1)
        return None

    def _mapped(self, keys: list[str]) -> object:
        value: object = self._mappings
        for key in keys:
            value = mapping(value).get(key)
        return value if len(keys) == 3 else None


def _same_expression(left: object, right: object) -> bool:
    """Whether both sides are written alike: they are equal then, whatever they come to."""
    try:
        return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return False
