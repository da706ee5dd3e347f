"""Whole templates in another spelling that deploys the same: how people write who do not write as the CDK does."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]
Place = tuple[str | int, ...]
Rewrite = Callable[[Any, Place, Json], Any]
"""A value, the keys that lead to it from the properties, and its template → the other spelling, or None."""
DOCUMENTS = ("PolicyDocument", "EventPattern", "RedrivePolicy", "FilterPolicy")


def spelled(templates: dict[str, Json], rewrite: Rewrite) -> dict[str, Json]:
    """The templates with every value in the properties of resources rewritten."""
    made = copy.deepcopy(templates)
    for template in made.values():
        for resource in list(template["Resources"].values()):
            if "Properties" in resource:
                resource["Properties"] = _walked(resource["Properties"], (), template, rewrite)
    return made


def _walked(value: Any, place: Place, template: Json, rewrite: Rewrite) -> Any:
    other = rewrite(value, place, template)
    if other is not None:
        return other
    if isinstance(value, dict):
        return {key: _walked(part, (*place, key), template, rewrite) for key, part in value.items()}
    if isinstance(value, list):
        return [_walked(part, (*place, number), template, rewrite) for number, part in enumerate(value)]
    return value


def _call(value: Any) -> tuple[str, Any]:
    name, argument = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else ("", None)
    return (name, argument) if name == "Ref" or name.startswith("Fn::") else ("", None)


def _substituted(value: Any, place: Place, template: Json) -> Any:
    name, argument = _call(value)
    if name == "Ref" and argument != "AWS::NoValue":
        return {"Fn::Sub": f"${{{argument}}}"}
    return {"Fn::Sub": f"${{{'.'.join(argument)}}}"} if name == "Fn::GetAtt" else None


def _texts(spell: Callable[[str, Json], Any]) -> Rewrite:
    """A spelling of every plain text, but for code and what already is a function."""

    def rewrite(value: Any, place: Place, template: Json) -> Any:
        if _call(value)[0] or "ZipFile" in place:
            return value
        return spell(value, template) if isinstance(value, str) and value and "${" not in value else None

    return rewrite


def _by_variable(text: str, template: Json) -> Json:
    return {"Fn::Sub": ["${Value}", {"Value": text}]}


def _by_parameter(text: str, template: Json) -> Json:
    parameters = template.setdefault("Parameters", {})
    name = f"Spelled{len(parameters)}"
    parameters[name] = {"Type": "String", "Default": text}
    return {"Fn::Sub": f"${{{name}}}"}


def _joined(text: str, template: Json) -> Json:
    return {"Fn::Join": ["", [text[: len(text) // 2], text[len(text) // 2 :]]]}


def _joins_as_substitutions(value: Any, place: Place, template: Json) -> Any:
    name, argument = _call(value)
    if name != "Fn::Join" or argument[0] != "":
        return None
    variables = {f"V{number}": piece for number, piece in enumerate(argument[1]) if not isinstance(piece, str)}
    pieces = [
        piece.replace("${", "${!") if isinstance(piece, str) else f"${{V{number}}}"
        for number, piece in enumerate(argument[1])
    ]
    return {"Fn::Sub": ["".join(pieces), variables]}


def _documents_as_text(value: Any, place: Place, template: Json) -> Any:
    return {"Fn::ToJsonString": value} if place and place[-1] in DOCUMENTS and isinstance(value, dict) else None


def _environment_from_store(value: Any, place: Place, template: Json) -> Any:
    name, argument = _call(value)
    owner = argument if name == "Ref" else argument[0] if name == "Fn::GetAtt" else None
    if "Environment" not in place or owner not in template["Resources"]:
        return None
    stored = f"Stored{len(template['Resources'])}"
    template["Resources"][stored] = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": value}}
    return {"Fn::GetAtt": [stored, "Value"]}


SPELLINGS: dict[str, Rewrite] = {
    "references as substitutions": _substituted,
    "texts by variables": _texts(_by_variable),
    "texts by parameters": _texts(_by_parameter),
    "texts in two halves": _texts(_joined),
    "joins as substitutions": _joins_as_substitutions,
    "documents as text": _documents_as_text,
    "environment from the parameter store": _environment_from_store,
}

ODD_VALUES: tuple[Any, ...] = (
    None, {}, [], {"a": {}}, [[]], -1, 1e308, "", True, {"Ref": {}}, {"Ref": "AWS::NoValue"}, {"Fn::Sub": [{}]},
    {"Fn::Join": [{}, [1, {}]]}, {"Fn::Sub": ["${A}", {"A": {"Ref": "AWS::NoValue"}}]}, {"Fn::GetAtt": []},
    {"Fn::ToJsonString": None}, {"Fn::Cidr": ["x", {}]}, {"Fn::If": ["c"]}, [{"Ref": "x"}, None],
)  # fmt: skip


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """The place of every value below another."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*place, key)
        yield from places(part, (*place, key))


def replaced(templates: dict[str, Json], place: Place, value: Any) -> dict[str, Json]:
    """The templates with another value in one place."""
    made = copy.deepcopy(templates)
    target: Any = made
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = copy.deepcopy(value)
    return made
