"""JSON diagrams: components and connections, checked against the shipped schema.

Law: strict JSON (no duplicate keys, no NaN, no comments) that matches `architecture.schema.json`; ids are unique; both
ends of every connection are listed components. The error names the first violation.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NoReturn

from steelyard.artifact import unique_keys
from steelyard.bench.architecture_design.diagram.drawing import Drawing, drawing
from steelyard.pythons import json_fault

SCHEMA = "architecture"
"""Name of the shipped schema."""


class ArchitectureJSONError(ValueError):
    """The text is not a valid JSON architecture."""


def read_json(text: str) -> Drawing:
    """Read the architecture from a JSON text; raises `ArchitectureJSONError` if it is not valid."""
    data = _parsed(text)
    try:
        problem = next(iter(_validator().iter_errors(data)), None)
    except ValueError as error:  # a lone surrogate, or nested too deeply
        raise ArchitectureJSONError(str(error)) from error
    if problem is not None:
        where = "/".join(str(part) for part in problem.instance_path) or "the object"
        raise ArchitectureJSONError(f"{where}: {str(problem.message)[:200]}")
    ids = [str(component["id"]) for component in data["components"]]
    if duplicate := next((name for name in ids if ids.count(name) > 1), None):
        raise ArchitectureJSONError(f"duplicate id '{duplicate[:60]}'")
    edges = [(str(connection["from"]), str(connection["to"])) for connection in data["connections"]]
    known = set(ids)
    if unknown := next((end for edge in edges for end in edge if end not in known), None):
        raise ArchitectureJSONError(f"a connection names '{unknown[:60]}', which is not a component")
    return drawing({str(component["id"]): component["service"] for component in data["components"]}, edges)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=unique_keys, parse_constant=_constant)
    except json.JSONDecodeError as error:
        fault = json_fault(error)
        raise ArchitectureJSONError(f"not JSON: {fault.msg}, line {fault.lineno} column {fault.colno}") from error
    except RecursionError as error:
        raise ArchitectureJSONError("nested too deeply") from error
    except ArchitectureJSONError:
        raise
    except ValueError as error:
        raise ArchitectureJSONError(str(error)) from error


def _constant(name: str) -> NoReturn:
    raise ArchitectureJSONError(f"not JSON: {name} is not a number")


@cache
def _validator() -> Any:
    import jsonschema_rs

    text = files("steelyard").joinpath("schemas", f"{SCHEMA}.schema.json").read_text(encoding="utf-8")
    return jsonschema_rs.Draft202012Validator(json.loads(text))
