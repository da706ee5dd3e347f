"""Small changes to synthesized templates: near misses, which break one requirement, and variants, which break none.

Each requirement has a change of its own in `rewrites.json`: the place in the reference's templates that it depends on,
and what is done there. The same place is then written in another way that deploys the same thing, and behind a
condition that never holds, which deploys what the near miss deploys.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]
Place = tuple[str | int, ...]
ALWAYS, NEVER = "SteelyardAlways", "SteelyardNever"
CONDITIONS = {ALWAYS: {"Fn::Equals": ["a", "a"]}, NEVER: {"Fn::Equals": ["a", "b"]}}
NOTHING = {"Ref": "AWS::NoValue"}
RECORD = Path(__file__).with_name("rewrites.json")


class Rewrite(NamedTuple):
    """What is done to a template, and where."""

    change: str
    """What the near miss does at the place: `removed`, `changed`, `widened` (an action becomes all of its service),
    `word N` (word N of a text is changed), `everywhere OLD => NEW`, `given VALUE` (where nothing was), `twice` (a copy
    of the resource), or `added` (a resource of another type)."""
    variant: str
    """A key of `VARIANTS`."""
    stack: str
    path: Place


def _changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | float) else f"{value}-other"


WORD = re.compile(r'\d+|(?<=")[A-Za-z][\w.:]*(?=")')
"""A number or a quoted name in a text."""


def _reworded(text: str, number: int) -> str:
    match = list(WORD.finditer(text))[number]
    word = str(int(match[0]) + 1) if match[0].isdigit() else f"{match[0]}X"
    return text[: match.start()] + word + text[match.end() :]


def _parameter(template: Json, value: Any) -> Any:
    kind = "Number" if isinstance(value, int | float) and not isinstance(value, bool) else "String"
    default = str(value).lower() if isinstance(value, bool) else value
    template.setdefault("Parameters", {})["SteelyardValue"] = {"Type": kind, "Default": default}
    return {"Ref": "SteelyardValue"}


def _mapping(template: Json, value: Any) -> Any:
    template.setdefault("Mappings", {})["SteelyardValues"] = {"all": {"value": value}}
    return {"Fn::FindInMap": ["SteelyardValues", "all", "value"]}


def _conditional(template: Json, value: Any) -> Any:
    return {"Fn::If": [ALWAYS, value, NOTHING]}


def _inverted(template: Json, value: Any) -> Any:
    return {"Fn::If": [NEVER, NOTHING, value]}


def _as_text(template: Json, value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _substituted(template: Json, value: Any) -> Any:
    name, argument = next(iter(value.items()))
    return {"Fn::Sub": "${" + (argument if name == "Ref" else ".".join(argument)) + "}"}


VARIANTS: dict[str, Callable[[Json, Any], Any]] = {
    "parameter": _parameter,
    "mapping": _mapping,
    "text": _as_text,
    "substitution": _substituted,
    "always": _conditional,
    "never otherwise": _inverted,
}
"""Ways to write a value that deploy the same."""


def variants_of(value: Any) -> list[str]:
    """The ways that apply to a value."""
    general = ["always", "never otherwise"]
    if isinstance(value, bool | int | float):
        return ["text", "parameter", "mapping", *general]
    if isinstance(value, str):
        return ["parameter", "mapping", *general]
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in ("Ref", "Fn::GetAtt"):
        named = value.get("Ref", "") if "Ref" in value else value["Fn::GetAtt"]
        return general if isinstance(named, str) and named.startswith("AWS::") else ["substitution", *general]
    return general


def near_miss(templates: Json, rewrite: Rewrite) -> Json:
    """The templates with the change, which breaks a requirement."""
    changed, parent, key = _at(templates, rewrite)
    if rewrite.change == "added":
        changed[rewrite.stack]["Resources"]["SteelyardAdded"] = _added(rewrite)
    elif rewrite.change == "twice":
        changed[rewrite.stack]["Resources"]["SteelyardAdded"] = copy.deepcopy(parent[key])
    elif rewrite.change == "changed":
        parent[key] = _changed(parent[key])
    elif rewrite.change == "widened":
        parent[key] = parent[key].split(":")[0] + ":*"
    elif rewrite.change.startswith("word "):
        parent[key] = _reworded(parent[key], int(rewrite.change.split()[1]))
    elif rewrite.change.startswith("given "):
        parent[key] = json.loads(rewrite.change.removeprefix("given "))
    elif rewrite.change.startswith("everywhere "):
        old, new = rewrite.change.removeprefix("everywhere ").split(" => ")
        parent[key] = json.loads(json.dumps(parent[key]).replace(old, new))
    else:
        del parent[key]
    return changed


def variant(templates: Json, rewrite: Rewrite) -> Json:
    """The templates with the same place written in another way."""
    changed, parent, key = _at(templates, rewrite)
    template = changed[rewrite.stack]
    if rewrite.change in ("added", "twice"):
        body = _added(rewrite) if rewrite.change == "added" else copy.deepcopy(parent[key])
        template["Resources"]["SteelyardAdded"] = {**body, "Condition": NEVER}
    elif rewrite.change.startswith("given "):
        parent[key] = {"Fn::If": [NEVER, json.loads(rewrite.change.removeprefix("given ")), NOTHING]}
    elif rewrite.path[:1] == ("Resources",) and len(rewrite.path) == 2:
        parent[key] = {**parent[key], "Condition": ALWAYS}
    else:
        parent[key] = VARIANTS[rewrite.variant](template, parent[key])
    return changed


def never(templates: Json, rewrite: Rewrite) -> Json | None:
    """The templates with the place behind a condition that never holds; None if the change is not a removal."""
    changed, parent, key = _at(templates, rewrite)
    if rewrite.change != "removed":
        return None
    if len(rewrite.path) == 2:
        parent[key] = {**parent[key], "Condition": NEVER}
    else:
        parent[key] = {"Fn::If": [NEVER, parent[key], NOTHING]}
    return changed


def split(templates: Json, stack: str, logical_id: str, rewrites: list[Rewrite]) -> Json:
    """The templates with one resource replaced by several, each without one of the properties that are removed."""
    own = [rewrite for rewrite in rewrites if rewrite.change == "removed" and rewrite.path[1:2] == (logical_id,)]
    own = [rewrite for rewrite in own if rewrite.stack == stack and len(rewrite.path) > 2]
    copies = [near_miss(templates, rewrite)[stack]["Resources"][logical_id] for rewrite in own]
    changed = copy.deepcopy(templates)
    changed[stack]["Resources"][logical_id] = copies[0]
    for number, body in enumerate(copies[1:]):
        changed[stack]["Resources"][f"{logical_id}{number}"] = body
    return changed


def _added(rewrite: Rewrite) -> Json:
    return {"Type": rewrite.path[0], "Properties": json.loads(str(rewrite.path[1]))}


def _at(templates: Json, rewrite: Rewrite) -> tuple[Json, Any, Any]:
    """A copy of the templates, the object that holds the place, and its key there."""
    changed = {**templates, rewrite.stack: copy.deepcopy(templates[rewrite.stack])}
    changed[rewrite.stack]["Conditions"] = {**changed[rewrite.stack].get("Conditions", {}), **CONDITIONS}
    if rewrite.change == "added":
        return changed, None, None
    parent: Any = changed[rewrite.stack]
    for step in rewrite.path[:-1]:
        parent = parent[step]
    return changed, parent, rewrite.path[-1]


def places(template: Json) -> Iterator[tuple[Place, Any]]:
    """Every place of a template that may be changed, with its value: resources, and whatever is in them."""
    for name, resource in template.get("Resources", {}).items():
        if resource.get("Type") == "AWS::CDK::Metadata":
            continue
        yield ("Resources", name), resource
        for part in ("Properties", "DeletionPolicy"):
            if part in resource:
                yield from _inside(resource[part], ("Resources", name, part), part != "Properties")


def _inside(
    value: Any, path: tuple[str | int, ...], itself: bool = True
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if itself:
        yield path, value
    if isinstance(value, dict) and not (len(value) == 1 and next(iter(value)).startswith(("Ref", "Fn::GetAtt"))):
        for key, part in value.items():
            yield from _inside(part, (*path, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _inside(part, (*path, number))


def recorded() -> dict[str, dict[str, Rewrite]]:
    """Item → requirement → its rewrite."""
    data: dict[str, dict[str, list[Any]]] = json.loads(RECORD.read_text())
    return {
        item: {name: Rewrite(row[0], row[1], row[2], tuple(row[3])) for name, row in rows.items()}
        for item, rows in data.items()
    }
