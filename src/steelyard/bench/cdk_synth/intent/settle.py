"""What is known of a template before its deployment, with the defaults of its parameters.

A parameter that a parent stack sets, or that names a value stored elsewhere, stays a reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.bench.cdk_synth.intent.values import UNKNOWN, UNSET, Values
from steelyard.bench.cdk_synth.shape import attribute, intrinsic, mapping


class Settler(Values):
    """Settles the values of one template."""

    def __init__(self, template: Mapping[str, Any], bound: frozenset[str]) -> None:
        super().__init__(template)
        self._bound = bound
        """Names of the parameters that a parent stack sets: their values are not the defaults."""

    def settled(self, properties: dict[str, Any]) -> dict[str, Any]:
        """The properties of a resource."""
        return mapping(self.value(properties))

    def referred(self, name: str) -> Any:
        parameter = mapping(self.parameters.get(name)) if name not in self._bound else {}
        kind, default = str(parameter.get("Type", "")), parameter.get("Default")
        # Of a type such as `AWS::SSM::Parameter::Value<String>`, the default is the name of the value, not the value.
        if not isinstance(default, str | int | float) or "::" in kind:
            return UNKNOWN
        return [part.strip() for part in str(default).split(",")] if kind == "CommaDelimitedList" else default

    def attribute(self, owner: str, name: str) -> Any:
        """What a parameter in the parameter store is set to; no other attribute is known."""
        body = mapping(self.written.get(owner))
        properties = mapping(body.get("Properties"))
        if name != "Value" or body.get("Type") != "AWS::SSM::Parameter" or properties.get("Value") is None:
            return UNKNOWN
        return self.value(properties["Value"])

    def named(self, part: Any) -> Any:
        call = intrinsic(part)
        if call is None or call[0] not in ("Ref", "Fn::GetAtt"):
            return part
        owner, name = attribute(call[1])
        properties = mapping(mapping(self.written.get(owner)).get("Properties"))
        if call[0] == "Fn::GetAtt" and name == "CidrBlock" and name in properties:
            return self.value(properties[name])
        value = self.value(part)
        return "" if value is UNSET else value
