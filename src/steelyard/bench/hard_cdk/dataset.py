"""Loads and checks the hard CDK dataset; an incomplete dataset is an error.

Near misses synthesize and fail the assertion they are named after. The app in a prompt is read from the prompt.
"""

from __future__ import annotations

from functools import cache

from steelyard.bench.cdk_synth.dataset import NEAR_MISSES, NearMiss, applied
from steelyard.bench.cdk_synth.extract import extract
from steelyard.bench.hard_cdk.model import CANARY, HardEdit, HardItem
from steelyard.bench.jsonl import DatasetError, parse_rows, read_text, require_unique

__all__ = ["CANARY", "DATASET_VERSION", "load", "near_misses", "original", "reference"]

DATASET_VERSION = "1.7.1"
"""1.0.0: the first 40 tasks. 1.1.0: six of them replaced by harder ones. 1.2.0: half of the tasks come from generators.
1.3.0: ten of those that a first draft passed are replaced, by hand: workflows, a listener, the order of creation.
1.4.0: nine more of them: parameters that are known at deployment only, functions that become workflows, a release.
1.5.0: the eight of privilege: what actions, resources and conditions of little-used operations are called in IAM.
Seven others: spellings, units, defaults, `Ref` and replacement of rare resource types.
1.6.0: ten tasks ask for a plain app, which cannot search for its own patterns, and their lists are longer.
1.7.0: the five that were right at a glance are replaced: a division into stacks, budgets, an address plan, a timetable,
and an audit whose cures may replace what they mend. 1.7.1: three assertions say the same in a simpler form.
A changed prompt, assertion or reference raises it."""

ITEMS = "hard_cdk.jsonl"


@cache
def load() -> tuple[HardItem, ...]:
    """All tasks in file order, each with its reference and, where it has one, the app of its prompt."""
    items = parse_rows(ITEMS, _text(ITEMS), HardItem)
    require_unique(ITEMS, [item.id for item in items])
    # Read for their errors alone: a task must not load without its reference or its app.
    for item in items:
        reference(item.id)
        original(item)
    return items


def reference(item_id: str) -> str:
    """The reference solution of one task: a whole `app.py`."""
    return _text(f"references/{item_id.replace('-', '_')}.py")


def original(item: HardItem) -> str | None:
    """The app that the prompt asks to change; None if there is none."""
    if not item.given:
        return None
    code = extract(item.input)
    if code is None:
        raise DatasetError(f"{ITEMS}: {item.id}: the prompt contains no app")
    return code


@cache
def near_misses() -> tuple[NearMiss, ...]:
    """Every near miss, its edits applied to the reference."""
    known = {item.id: item.metadata.checks for item in load()}
    return applied(parse_rows(NEAR_MISSES, _text(NEAR_MISSES), HardEdit), known, reference)


def _text(path: str) -> str:
    return read_text("steelyard.bench.hard_cdk", path)
