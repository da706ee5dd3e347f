"""JSON diagrams: components and connections, checked against the shipped schema.

Law: strict JSON (no duplicate keys, no NaN, no comments) that fits `architecture.schema.json`; ids are unique; both
ends of every connection are listed. The first thing that is wrong is the message.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NoReturn

from steelyard.bench.architecture_design.diagram.drawing import Drawing, drawing

SCHEMA = "architecture"
"""Name of the shipped schema."""


class ArchitectureJSONError(ValueError):
    """Why a text is not an architecture in JSON."""


def read_json(text: str) -> Drawing:
    """What a JSON text connects; `ArchitectureJSONError` when it is not one of ours."""
    data = _parsed(text)
    problem = next(iter(_validator().iter_errors(data)), None)
    if problem is not None:
        where = "/".join(str(part) for part in problem.absolute_path) or "the object"
        raise ArchitectureJSONError(f"{where}: {str(problem.message)[:200]}")
    ids = [str(component["id"]) for component in data["components"]]
    if twice := next((each for each in ids if ids.count(each) > 1), None):
        raise ArchitectureJSONError(f"the id '{twice[:60]}' stands twice")
    edges = [(str(each["from"]), str(each["to"])) for each in data["connections"]]
    known = set(ids)
    if loose := next((end for edge in edges for end in edge if end not in known), None):
        raise ArchitectureJSONError(f"a connection names '{loose[:60]}', which is no component")
    return drawing({str(each["id"]): each["service"] for each in data["components"]}, edges)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise ArchitectureJSONError(f"not JSON: {error.msg}, line {error.lineno} column {error.colno}") from error
    except RecursionError as error:
        raise ArchitectureJSONError("not JSON of ours: nested too deeply") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ArchitectureJSONError("not JSON of ours: a key stands twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    raise ArchitectureJSONError(f"not JSON: {name} is no number")


@cache
def _validator() -> Any:
    import jsonschema

    text = files("steelyard").joinpath("schemas", f"{SCHEMA}.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))
