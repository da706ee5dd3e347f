"""Loads and checks the CDK dataset; an incomplete dataset is an error. References are package data, never imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from steelyard.bench.cdk_synth.model import CANARY, CdkItem, Edit
from steelyard.bench.jsonl import DatasetError, parse_rows, read_text, require_unique

__all__ = ["CANARY", "DATASET_VERSION", "NearMiss", "applied", "edited", "load", "near_misses", "reference"]

DATASET_VERSION = "1.4.0"
"""1.0.0: the first 40 tasks. 1.1.0: requirements name the resource they share. 1.2.0: more of them do.
1.3.0: the role of a schedule must be allowed what the schedule does; rows have the size of the reference.
1.4.0: whether a subnet is public or isolated follows from its routes; every role means those that the CDK adds too.

A changed prompt, intent or reference raises it."""

ITEMS = "cdk_synth.jsonl"
NEAR_MISSES = "near_misses.jsonl"


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
    items = parse_rows(ITEMS, _text(ITEMS), CdkItem)
    require_unique(ITEMS, [item.id for item in items])
    for item in items:
        # Read for its error alone: a task without its reference must not load.
        reference(item.id)
    return items


def reference(item_id: str) -> str:
    """The reference solution of one task: a whole `app.py`."""
    return _text(f"references/{item_id.replace('-', '_')}.py")


@cache
def near_misses() -> tuple[NearMiss, ...]:
    """Every near miss, its edits applied to the reference."""
    known = {item.id: [requirement.id for requirement in item.intent] for item in load()}
    return applied(parse_rows(NEAR_MISSES, _text(NEAR_MISSES), Edit), known, reference)


def applied(
    edits: Iterable[Edit], known: Mapping[str, Sequence[str]], reference: Callable[[str], str]
) -> tuple[NearMiss, ...]:
    """The apps that edits make of references; `known` are the ids of an item of which an edit breaks one."""
    made: list[NearMiss] = []
    for edit in edits:
        if edit.breaks not in known.get(edit.item, ()):
            raise DatasetError(f"{NEAR_MISSES}: {edit.item} has no requirement {edit.breaks}")
        made.append(NearMiss(edit.item, edit.breaks, edited(reference(edit.item), edit)))
    return tuple(made)


def edited(source: str, edit: Edit) -> str:
    """`source` after the edits; an old text that does not occur exactly once is an error."""
    for old, new in edit.replace:
        if (times := source.count(old)) != 1:
            raise DatasetError(f"{NEAR_MISSES}: {edit.item} {edit.breaks}: {old.strip()!r} occurs {times} times")
        source = source.replace(old, new)
    return source


def _text(path: str) -> str:
    return read_text("steelyard.bench.cdk_synth", path)
