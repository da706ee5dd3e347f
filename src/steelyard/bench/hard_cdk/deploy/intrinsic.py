"""Evaluates CloudFormation's intrinsic functions to plain values, in a bounded number of steps."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from steelyard.bench.cdk_synth.intent.function import evaluated
from steelyard.bench.cdk_synth.shape import attribute, intrinsic, is_list, is_mapping, listing, mapping
from steelyard.bench.hard_cdk.deploy.physical import Site

if TYPE_CHECKING:
    from steelyard.bench.hard_cdk.deploy.stack import StackRun

MAX_STEPS = 200_000
"""Values visited in one stack."""
MAX_DEPTH = 80
MAX_TEXT = 400_000
"""Characters of the longest text."""
NOTHING: Final = object()
"""`AWS::NoValue`: the property is left out."""
_STORED = re.compile(r"\{\{resolve:ssm:([^:}]+)(?::\d+)?\}\}")


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
            return (
                _STORED.sub(lambda match: _text(self._run.stored(match[1])), value) if "{{resolve" in value else value
            )
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
