"""Findings in documents as SARIF 2.1.0, which code hosts and editors show beside the lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from steelyard import __version__, artifact

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION = "2.1.0"

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding."""

    id: str
    name: str
    text: str
    level: Level


@dataclass(frozen=True, slots=True)
class Place:
    """One finding at one place."""

    rule: str
    level: Level
    message: str
    uri: str
    """Relative path of the file."""
    first: int
    """First line, from 1."""
    last: int
    where: str = ""
    """The place in words."""
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])


def render(tool: str, rules: Sequence[Rule], places: Sequence[Place]) -> str:
    """One SARIF log with one run."""
    rule_index = {rule.id: index for index, rule in enumerate(rules)}
    run = {
        "tool": {"driver": {"name": tool, "version": __version__, "rules": [_rule(rule) for rule in rules]}},
        "columnKind": "utf16CodeUnits",
        "results": [_result(place, rule_index[place.rule]) for place in places],
    }
    return artifact.json_text({"$schema": SCHEMA, "version": VERSION, "runs": [run]})


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.name},
        "fullDescription": {"text": rule.text or rule.name},
        "defaultConfiguration": {"level": rule.level},
    }


def _result(place: Place, index: int) -> dict[str, Any]:
    region = {"startLine": place.first, "endLine": place.last}
    physical = {"artifactLocation": {"uri": quote(place.uri)}, "region": region}
    location: dict[str, Any] = {"physicalLocation": physical}
    if place.where:
        location["logicalLocations"] = [{"fullyQualifiedName": place.where}]
    return {
        "ruleId": place.rule,
        "ruleIndex": index,
        "level": place.level,
        "message": {"text": place.message},
        "locations": [location],
        "properties": dict(place.properties),
    }
