"""The CDK tasks as data: read, checked, and complete or refused.

Every item has exactly one reference, a whole `app.py`, and at least two near misses, each of which drops one of its
requirements. References are package data: nothing imports them.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple, TypeVar, cast

from pydantic import ValidationError

from steelyard.bench.cdk_synth.intent.requirement import Strict
from steelyard.bench.cdk_synth.model import CANARY, CdkItem, Edit
from steelyard.errors import InputError

__all__ = ["CANARY", "DATASET_VERSION", "NearMiss", "edited", "load", "near_misses", "parse", "reference"]

DATASET_VERSION = "1.0.0"
"""1.0.0: the first 40 tasks. A changed prompt, intent or reference raises it."""

ITEMS = "cdk_synth.jsonl"
NEAR_MISSES = "near_misses.jsonl"

R = TypeVar("R", bound=Strict)


class NearMiss(NamedTuple):
    """An app that synthesizes and fails exactly one requirement of its item."""

    item: str
    """Id of the item."""
    breaks: str
    """Id of the requirement it fails."""
    source: str
    """The whole `app.py`."""


@cache
def load() -> tuple[CdkItem, ...]:
    """All tasks in file order, each with its reference."""
    items = parse(ITEMS, _text(ITEMS), CdkItem)
    ids = [item.id for item in items]
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        raise InputError(f"{ITEMS}: twice: {', '.join(twice)}")
    for item in items:
        reference(item.id)
    return items


def reference(item_id: str) -> str:
    """The reference solution of one task: a whole `app.py`."""
    return _text(f"references/{item_id.replace('-', '_')}.py")


@cache
def near_misses() -> tuple[NearMiss, ...]:
    """Every near miss, its edits applied to the reference."""
    known = {item.id: {requirement.id for requirement in item.intent} for item in load()}
    edits = parse(NEAR_MISSES, _text(NEAR_MISSES), Edit)
    for edit in edits:
        if edit.breaks not in known.get(edit.item, ()):
            raise InputError(f"{NEAR_MISSES}: {edit.item} has no requirement {edit.breaks}")
    return tuple(NearMiss(edit.item, edit.breaks, edited(reference(edit.item), edit)) for edit in edits)


def edited(source: str, edit: Edit) -> str:
    """`source` after the edits; an old text that does not occur exactly once is an error."""
    for old, new in edit.replace:
        if (times := source.count(old)) != 1:
            raise InputError(f"{NEAR_MISSES}: {edit.item} {edit.breaks}: {old.strip()!r} occurs {times} times")
        source = source.replace(old, new)
    return source


def parse(file: str, content: str, row: type[R]) -> tuple[R, ...]:
    """The rows of one JSONL text; blank lines do not count."""
    lines = enumerate(content.split("\n"), start=1)
    return tuple(_row(f"{file}:{number}", line, row) for number, line in lines if line.strip())


def _row(where: str, line: str, row: type[R]) -> R:
    try:
        raw: object = json.loads(line)
    except ValueError as error:
        raise InputError(f"{where}: not JSON: {error}") from error
    identity = cast(dict[str, object], raw).get("id", "no id") if isinstance(raw, dict) else "not an object"
    try:
        return row.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "row"
        raise InputError(f"{where}: {identity}: {field}: {first['msg']}") from error


def _text(path: str) -> str:
    try:
        return files("steelyard.bench.cdk_synth").joinpath(path).read_text("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
