"""The values of one template: references, functions and conditions replaced by what they come to.

One evaluator for two readers. What a reference stands for, and what becomes of a call whose value is not known, is for
the reader to say: intent keeps such a call as it is (`settle`), a deployment on paper refuses it (`hard_cdk.deploy`).
A condition that depends on something unknown is unknown too. What is left unset (`AWS::NoValue`) disappears.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final

from steelyard.bench.cdk_synth.intent.function import evaluated, plain_text
from steelyard.bench.cdk_synth.shape import attribute, intrinsic, is_list, is_mapping, listing, mapping

MAX_VALUES = 300_000
"""Values of one template that are visited."""
MAX_DEPTH = 80
"""How deep values, and the calls and conditions in them, are followed."""
UNSET: Final = object()
"""`AWS::NoValue`: the property is left out."""
UNKNOWN: Final = object()
"""What a reference stands for if nobody can say."""


class Values(ABC):
    """Evaluates the values of one template."""

    def __init__(self, template: Mapping[str, Any]) -> None:
        self.written = mapping(template.get("Resources"))
        self.parameters = mapping(template.get("Parameters"))
        self._conditions = mapping(template.get("Conditions"))
        self._mappings = mapping(template.get("Mappings"))
        self._decided: dict[str, bool | None] = {}
        self._left, self._depth = MAX_VALUES, 0

    @abstractmethod
    def referred(self, name: str) -> Any:
        """What `Ref` stands for."""

    @abstractmethod
    def attribute(self, owner: str, name: str) -> Any:
        """What `Fn::GetAtt` stands for."""

    def unknown(self, name: str, call: Any) -> Any:
        """What stands for a call, by its name, whose value is not known."""
        return call

    def exceeded(self, value: Any) -> Any:
        """What stands for a value that is too deep, or beyond the number that are visited."""
        return value

    def text(self, written: str) -> str:
        """What a text comes to."""
        return written

    def named(self, part: Any) -> Any:
        """What a reference in a text, or to the address block of a network, stands for."""
        return self.value(part)

    def function(self, name: str, settled: Any) -> Any:
        """The value of a function of arguments that are evaluated; None if it is not known."""
        return evaluated(name, settled, self._mappings, self.named)

    def value(self, written: Any) -> Any:
        """The value of what is written; `UNSET` where it is to be left out."""
        # Counted over the whole template: joins of joins double with every level.
        self._left -= 1
        self._depth += 1
        try:
            return self.exceeded(written) if self._left < 0 or self._depth > MAX_DEPTH else self._value(written)
        finally:
            self._depth -= 1

    def _value(self, written: Any) -> Any:
        """A value without anything to replace stays the same object."""
        if isinstance(written, str):
            return self.text(written)
        if is_list(written):
            return self._list(written)
        if not is_mapping(written):
            return written
        if (call := intrinsic(written)) is not None:
            return self.called(written, *call)
        pairs = {key: self.value(part) for key, part in written.items()}
        same = all(pairs[key] is written[key] for key in written)
        return written if same else {key: part for key, part in pairs.items() if part is not UNSET}

    def _list(self, written: list[Any]) -> list[Any]:
        parts = [self.value(part) for part in written]
        same = all(new is old for new, old in zip(parts, written, strict=True))
        return written if same else [part for part in parts if part is not UNSET]

    def called(self, call: dict[str, Any], name: str, argument: Any) -> Any:
        """The value of a call."""
        if name == "Ref" and argument == "AWS::NoValue":
            return UNSET
        known: Any = UNKNOWN
        if name == "Ref" and isinstance(argument, str):
            known = self.referred(argument)
        elif name == "Fn::GetAtt":
            known = self.attribute(*attribute(argument))
        elif name == "Fn::If" and len(parts := listing(argument)) == 3 and (truth := self.holds(parts[0])) is not None:
            known = self.value(parts[1 if truth else 2])
        if known is not UNKNOWN:
            return known
        settled = self._arguments(name, argument)
        result = None if settled is UNSET else self.function(name, settled)
        if result is not None:
            return result
        return self.unknown(name, call if settled is argument or settled is UNSET else {name: settled})

    def _arguments(self, name: str, argument: Any) -> Any:
        if name == "Ref":
            return argument
        # The text of a substitution is not yet one: its references are in it.
        if name == "Fn::Sub":
            return [argument[0], *map(self.value, argument[1:])] if is_list(argument) and argument else argument
        # A call and its list are one level of depth: a text is mended by calls in calls (`Fn::Join` of `Fn::Split`).
        return self._list(argument) if is_list(argument) else self.value(argument)

    def holds(self, name: object) -> bool | None:
        """Whether the condition of this name holds; None if nobody can say, or the template does not declare it."""
        if not isinstance(name, str) or name not in self._conditions:
            return None
        if name not in self._decided:
            self._decided[name] = None  # while it is being decided: a circle is unknown
            self._decided[name] = self.truth(self._conditions[name])
        return self._decided[name]

    def truth(self, body: object) -> bool | None:
        """Whether what a condition says is true; None if nobody can say."""
        self._depth += 1
        try:
            return self.exceeded(None) if self._depth > MAX_DEPTH else self._judged(body)
        finally:
            self._depth -= 1

    def _judged(self, body: object) -> bool | None:
        if len(call := mapping(body)) != 1:
            return None
        name, argument = next(iter(call.items()))
        parts = listing(argument)
        if name == "Condition":
            return self.holds(argument)
        if name == "Fn::Equals" and len(parts) == 2:
            texts = [plain_text(self.value(part)) for part in parts]
            # Written alike, they are equal, whatever they come to.
            return texts[0] == texts[1] if None not in texts else _alike(*parts) or None
        if name == "Fn::Not" and len(parts) == 1:
            truth = self.truth(parts[0])
            return None if truth is None else not truth
        if name in ("Fn::And", "Fn::Or") and parts:
            truths = [self.truth(part) for part in parts]
            # One such part decides, whatever the unknown ones come to.
            decisive = name == "Fn::Or"
            return decisive if decisive in truths else None if None in truths else not decisive
        return None


def _alike(left: object, right: object) -> bool:
    try:
        return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return False
