"""Converts between `Outcome` and Inspect's `Score`, as it is written to a log and read back.

A scored run is a `Score` with a number. An unscored one is `Score.unscored` (value NaN) with the fault in `reason`
and in the metadata, and the sentence in `explanation`. `C`, `P`, `I`, `N` and booleans read as 1, 0.5, 0, 0. Other
texts are read as Inspect's own metrics read them: `yes` and `true` as 1, `no` and `false` as 0, a number as itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from steelyard.outcome import FAULTS, Outcome, Scored, Unscored

if TYPE_CHECKING:
    from inspect_ai.scorer import Score

STOPPED = {"max_tokens": "truncated", "model_length": "truncated", "content_filter": "refusal"}
"""Stop reason of Inspect → why an answer holds nothing to score."""
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""In any case."""


def to_score(
    outcome: Outcome,
    *,
    answer: str | None = None,
    explanation: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Score:
    """The Inspect `Score` for an outcome."""
    from inspect_ai.scorer import Score

    carried = dict(metadata or {})
    if isinstance(outcome, Scored):
        return Score(value=outcome.value, answer=answer, explanation=explanation, metadata=carried)
    carried["fault"] = outcome.fault
    text = outcome.reason if explanation is None else f"{outcome.reason}\n{explanation}"
    return Score.unscored(reason=outcome.fault, answer=answer, explanation=text, metadata=carried)


def empty(stop: object, *, answer: str | None = None, metadata: Mapping[str, Any] | None = None) -> Score:
    """The `Score` of an empty answer: 0, and why it is empty by the model's stop reason."""
    reason = STOPPED.get(str(stop), "no_response")
    carried = {**(metadata or {}), "fault": "model", "reason": reason}
    return to_score(Scored(0.0), answer=answer, explanation=f"The answer is empty ({reason}).", metadata=carried)


def outcome_of(
    value: object, *, reason: str | None = None, explanation: str | None = None, fault: object = None
) -> Outcome:
    """The outcome of a score value in a log; a value that is not a number is unscored."""
    number = number_of(value)
    if number is not None:
        return Scored(number)
    # `model` never explains a run without a number: the fault of a model is scored 0.
    blamed = fault if fault in FAULTS and fault != "model" else reason
    known = blamed if blamed in FAULTS and blamed != "model" else "harness"
    # What a scorer explains about a text or a list is not why it cannot be read.
    explained = None if isinstance(value, (str, list)) else explanation
    text = (explained or "").strip() or (reason or "").strip() or f"the score {value!r} is not a number"
    return Unscored(known, text.splitlines()[0][:300])


def numbers_of(scorer: str, value: object) -> list[str]:
    """The names of the numbers in a score: the scorer, or `SCORER.KEY` for each value of one that gives several."""
    return [f"{scorer}.{key}" for key in cast(dict[str, Any], value)] if isinstance(value, dict) else [scorer]


def number_of(value: object) -> float | None:
    """A finite number for numbers, booleans and the texts that Inspect takes for numbers; None for everything else."""
    if isinstance(value, str):
        return _number_in(value)
    if isinstance(value, (bool, int, float)):
        try:
            number = float(value)
        except OverflowError:
            return None  # a whole number of JSON may have any length
        return number if math.isfinite(number) else None
    return None


def _number_in(text: str) -> float | None:
    known = _LETTERS.get(text, _WORDS.get(text.lower()))
    if known is not None:
        return known
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
