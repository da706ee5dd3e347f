"""promptfoo (`promptfoo eval -o results.json`): a task per test, a check per assertion; `--repeat` makes epochs."""

from __future__ import annotations

import json
from typing import Any

from steelyard.errors import InputError
from steelyard.gate.model import Cost, Gap, Run
from steelyard.gate.read.harness.values import Table, added, name, number, run_of, table, tables

_ERROR = 2
"""`failureReason` of a call that failed; 1 is an assertion that does not hold."""


def runs(data: Any, source: str) -> list[Run | Gap]:
    """The runs in a results file of one prompt and one provider."""
    inner = table(data).get("results")
    listed = tables(table(inner).get("results") if isinstance(inner, dict) else inner)
    sides = {f"{_label(row.get('provider'))} with {_label(row.get('prompt'))!r}" for row in listed}
    if len(sides) > 1:
        raise InputError(
            f"{source} holds {len(sides)} combinations of provider and prompt: {'; '.join(sorted(sides))[:300]}",
            cure="write one file per side: promptfoo eval --filter-providers NAME --filter-prompts NAME -o FILE",
        )
    return [_run(row, source) for row in listed]


def _run(row: Table, source: str) -> Run | Gap:
    test = table(row.get("testCase"))
    task = name(test.get("description") or json.dumps(row.get("vars") or {}, sort_keys=True), source)
    if row.get("failureReason") == _ERROR or (row.get("error") and not row.get("gradingResult")):
        return Gap(task, 1, "provider", str(row.get("error") or "the call failed")[:300], source)
    graded = table(row.get("gradingResult"))
    checks = [(_assertion(part), part.get("pass") is True) for part in tables(graded.get("componentResults"))]
    tokens = table(row.get("tokenUsage"))
    cost = Cost(
        tokens=number(tokens.get("total")) or added(tokens.get("prompt"), tokens.get("completion")),
        # A cached response says nothing about how long the subject takes.
        wall_clock_ms=None if table(row.get("response")).get("cached") else number(row.get("latencyMs")),
        cost_usd=number(row.get("cost")),
    )
    return run_of(task, checks, row.get("success") is True, cost)


def _assertion(part: Table) -> str:
    made = table(part.get("assertion"))
    value = made.get("value")
    return f"{made.get('type') or 'assertion'} {value if isinstance(value, str) else ''}".strip()[:100]


def _label(value: Any) -> str:
    known = table(value)
    return str(known.get("label") or known.get("id") or value)[:80]
