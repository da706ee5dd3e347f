"""The score of one answer as a document and as JSON data: the number, and the reasons as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from steelyard.bench.item_score import ItemScore
from steelyard.bench.model import HEURISTIC_SCORER
from steelyard.bench.practice_exam.dataset import LETTERS
from steelyard.errors import one_line
from steelyard.report import numbers
from steelyard.report.document import Block, Document, Paragraph, table

_LONGEST = 300
_QUIET = frozenset({"seconds", "judge_ratings", "judge_unusable", "cfn_lint"})
"""Records that explain nothing to a person; the JSON has them."""


def as_json(result: ItemScore) -> dict[str, Any]:
    """The score as JSON data."""
    return {
        "schema_version": 1,
        "suite": result.suite,
        "category": result.category,
        "item": result.item,
        "scorer": result.scorer,
        "heuristic": result.scorer == HEURISTIC_SCORER,
        "score": result.score,
        "fault": result.fault,
        "explanation": result.explanation,
        "details": dict(result.details),
        "answer": result.answer,
        "choices": list(result.choices),
    }


def document(result: ItemScore) -> Document:
    """The score as a document."""
    if result.score is None:
        verdict = Paragraph(f"Not scored ({result.fault}): {one_line(result.explanation, _LONGEST)}", "bad")
    else:
        heuristic = " (heuristic)" if result.scorer == HEURISTIC_SCORER else ""
        verdict = Paragraph(f"Score {numbers.score(result.score)} of 1, by {result.scorer}{heuristic}.")
    rows = [[name, one_line(value, _LONGEST)] for name, value in _reasons(result)]
    blocks: list[Block] = [verdict]
    if rows:
        blocks.append(table(["Reason", "Value"], rows))
    return Document(f"{result.item} ({result.suite}, {result.category})", tuple(blocks))


def _reasons(result: ItemScore) -> Iterator[tuple[str, str]]:
    if result.score is not None:
        for line in result.explanation.splitlines():
            if line.strip() and not result.choices:
                yield "why", line.strip()
    for name, value in result.details.items():
        if name not in _QUIET and value not in (None, "", [], {}):
            yield name.replace("_", " "), _text(value)
    if result.choices:
        yield "letters read", result.answer or "none"
    for letter, choice in zip(LETTERS, result.choices, strict=False):
        yield f"shown as {letter}", choice


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(part)}" for name, part in cast(Mapping[str, Any], value).items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(part) for part in cast(list[Any], value))
    return f"{value:g}" if isinstance(value, float) else str(value)
