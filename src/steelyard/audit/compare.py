"""Two results of one suite: did the agent get better?

    Δ = mean over documents of (mean after − mean before)
    Δ > 1.0 significant · 0.5 ≤ Δ ≤ 1.0 moderate · 0 ≤ Δ < 0.5 noise · Δ < 0 worse

Two intervals qualify the band. Would other runs of the same agents show the difference? An interval from the spread of
the runs: SE² = Σ (s²b/nb + s²a/na) / D², t with Welch's df. Would other problems show it? A paired t interval over the
problems, after averaging each problem over its runs. An interval that cannot be estimated is None, never zero wide.

    better      every interval that can be estimated lies above 0
    worse       every one lies below 0
    undecided   one of them includes 0, they disagree, or there is none
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from steelyard.audit.metadata import PASTED_BY_UNKNOWN
from steelyard.audit.model import POINTS, Problem, Result
from steelyard.audit.score import mean
from steelyard.audit.text import per_document
from steelyard.audit.weigh import total_estimate
from steelyard.errors import IncomparableError
from steelyard.outcome import exact
from steelyard.rows import Tabular
from steelyard.stats.interval import Interval, t_interval, t_quantile

Band: TypeAlias = Literal["significant", "moderate", "noise", "worse"]

Verdict: TypeAlias = Literal["better", "worse", "undecided"]
"""What the intervals show, whatever the size of the difference."""

CURE = "mark them with --judge NAME, by hand (`steelyard audit mark`) or with a chat (`steelyard audit mark --as chat`)"
"""How to get marks that decide."""

SIGNIFICANT, MODERATE = 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Change:
    """One problem before and after."""

    document: str
    problem: Problem
    before: float
    """Mean points over the runs."""
    after: float

    @property
    def delta(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Comparison(Tabular):
    """The difference between two results, with its uncertainty."""

    before: str
    after: str
    delta: float
    band: Band
    documents: tuple[tuple[str, float, float], ...]
    """(document, mean before, mean after)."""
    changes: tuple[Change, ...]
    """All problems, largest change first."""
    by_runs: Interval | None
    """95% interval of Δ from the spread of the runs."""
    by_problems: Interval | None
    """95% interval of the change in detection points per document, from the problems."""
    reading: str
    """One sentence on whether the difference exceeds the spread of the runs."""
    warnings: tuple[str, ...]
    undecided: str = ""
    """Why two estimates decide nothing; empty if their intervals part, or if the marks are no estimates."""

    def records(self) -> list[dict[str, Any]]:
        """One line per problem that changed."""
        return [
            {"document": change.document, "problem": change.problem.id, "title": change.problem.title}
            | {"severity": change.problem.severity, "before": change.before, "after": change.after}
            for change in self.changes
        ]

    @property
    def verdict(self) -> Verdict:
        """What both intervals show together; nothing if the marks are estimates that decide nothing."""
        if self.undecided:
            return "undecided"
        return shown([interval for interval in (self.by_runs, self.by_problems) if interval is not None])


def band(delta: float) -> Band:
    """The band that a difference falls into."""
    if exact(delta) > SIGNIFICANT:
        return "significant"
    if exact(delta) >= MODERATE:
        return "moderate"
    return "noise" if exact(delta) >= 0 else "worse"


def compare(before: Sequence[Result], after: Sequence[Result], *, common: bool = False) -> Comparison:
    """Compares two results of the same documents; raises `IncomparableError` naming what differs.

    With `common`, only the documents that both sides have are compared, and a warning names the others.
    """
    before, after, alone = _shared(before, after) if common else (before, after, ())
    pairs = _paired(before, after)
    delta = mean([new.mean - old.mean for old, new in pairs])
    changes = [change for old, new in pairs for change in _changes(old, new)]
    by_runs = runs_interval(pairs)
    return Comparison(
        before=_title(before),
        after=_title(after),
        delta=delta,
        band=band(delta),
        documents=tuple((old.document, old.mean, new.mean) for old, new in pairs),
        changes=tuple(sorted(changes, key=lambda change: (-abs(change.delta), change.document, change.problem.id))),
        by_runs=by_runs,
        # From points per problem to points per document.
        by_problems=_scaled(t_interval([change.delta for change in changes]), len(changes) / len(pairs)),
        reading=reading(delta, by_runs),
        warnings=(*alone, *_warnings(pairs)),
        undecided=undecided(pairs),
    )


def shown(intervals: Sequence[Interval]) -> Verdict:
    """The verdict that all of the intervals agree on."""
    if not intervals:
        return "undecided"
    if all(exact(interval.low) > 0 for interval in intervals):
        return "better"
    return "worse" if all(exact(interval.high) < 0 for interval in intervals) else "undecided"


def undecided(pairs: Sequence[tuple[Result, Result]]) -> str:
    """Why estimated points decide nothing (docs/scoring.md §2.1), or an empty string."""
    if not any(side.marker.kind == "lexical" and not side.control for pair in pairs for side in pair):
        return ""
    old, new = (total_estimate([pair[side] for pair in pairs]) for side in (0, 1))
    if old is None or new is None:
        return f"the marks are estimates without an interval: {CURE}"
    if exact(old.high) < exact(new.low) or exact(new.high) < exact(old.low):
        return ""
    count = len(pairs)
    intervals = " and ".join(f"{side.low / count:.2f} to {side.high / count:.2f}" for side in (old, new))
    return f"the marks are estimates, and their {old.level:.0%} intervals ({intervals} per document) overlap: {CURE}"


def runs_interval(pairs: Sequence[tuple[Result, Result]]) -> Interval | None:
    """The interval of Δ from the spread of the runs; None if a document has a single run or no run differs."""
    parts: list[tuple[float, int]] = []
    for result in (side for pair in pairs for side in pair):
        if result.sd is None:
            return None
        parts.append((result.sd**2 / len(result.runs), len(result.runs) - 1))
    variance = math.fsum(part for part, _ in parts)
    # Equal scores would give an interval without width, which claims to know everything.
    if exact(variance) <= 0:
        return None
    df = variance**2 / math.fsum(part**2 / freedom for part, freedom in parts)
    se = math.sqrt(variance) / len(pairs)
    delta = mean([new.mean - old.mean for old, new in pairs])
    half = t_quantile(df) * se
    return Interval(delta, delta - half, delta + half, se, "welch t", sum(freedom + 1 for _, freedom in parts))


def reading(delta: float, interval: Interval | None) -> str:
    """One sentence on whether a difference exceeds the spread of the runs."""
    if interval is None:
        return "the runs show no spread (one run, or equal scores), so this may or may not repeat"
    half = (interval.high - interval.low) / 2
    if exact(abs(delta)) <= exact(half):
        return f"run-to-run variation alone gives ±{half:.2f}: it may be chance"
    return f"run-to-run variation alone gives ±{half:.2f}: more than chance"


def _shared(
    before: Sequence[Result], after: Sequence[Result]
) -> tuple[Sequence[Result], Sequence[Result], tuple[str, ...]]:
    """Both sides cut to the documents they share, and a warning that names the others."""
    # Single documents may have different names; `_paired` goes by their keys.
    if len(before) == len(after) == 1:
        return before, after, ()
    old, new = {result.document for result in before}, {result.document for result in after}
    if not old & new:
        raise IncomparableError("the two sides have no document in common")
    alone = sorted(old ^ new)
    warning = (f"not compared, only one side has them: {', '.join(alone)}",) if alone else ()
    kept = [result for result in before if result.document in new]
    return kept, [result for result in after if result.document in old], warning


def _paired(before: Sequence[Result], after: Sequence[Result]) -> list[tuple[Result, Result]]:
    old, new = {result.document: result for result in before}, {result.document: result for result in after}
    if len(old) == len(new) == 1:
        # With one document each, the file names may differ: the key decides whether it is the same document.
        new = dict(zip(old, new.values(), strict=True))
    if set(old) != set(new):
        unpaired = sorted(set(old) ^ set(new))
        said = f"the two sides do not have the same documents: only one has {', '.join(unpaired)}"
        raise IncomparableError(said, cure="--common compares the documents that both have")
    pairs = [(old[name], new[name]) for name in sorted(old)]
    for pair in pairs:
        _check_comparable(*pair)
    return pairs


def _check_comparable(old: Result, new: Result) -> None:
    name = old.document or "the document"
    if old.key_hash != new.key_hash:
        raise IncomparableError(f"the answer key of {name} differs between the two sides")
    # Two judges are two graders. Two people are too, but that is only a warning (`_warnings`).
    if old.marker.kind != new.marker.kind or (old.marker.kind == "judge" and old.marker.who != new.marker.who):
        raise IncomparableError(f"{name} was marked by {old.marker} and by {new.marker}")


def _changes(old: Result, new: Result) -> list[Change]:
    return [Change(old.document, problem, points(old, problem.id), points(new, problem.id)) for problem in old.problems]


def points(result: Result, problem: str) -> float:
    """The mean points of a problem over the runs."""
    return mean([POINTS[cell.mark] for run in result.runs for cell in run.cells if cell.problem == problem])


def _scaled(interval: Interval | None, factor: float) -> Interval | None:
    if interval is None:
        return None
    numbers = (interval.estimate * factor, interval.low * factor, interval.high * factor, interval.se * factor)
    return Interval(*numbers, interval.method, interval.n)


def _title(results: Sequence[Result]) -> str:
    first = results[0]
    return f"{first.name} round {first.round}"


def _warnings(pairs: Sequence[tuple[Result, Result]]) -> tuple[str, ...]:
    remarks: list[tuple[str, str]] = []
    for old, new in pairs:
        if old.texts == new.texts:
            remarks.append((old.document, "both sides have the same runs: every finding is the same"))
        if old.marker.who != new.marker.who:
            remarks.append((old.document, f"marked by two people ({old.marker.who}, {new.marker.who})"))
        if old.marker.who == PASTED_BY_UNKNOWN:
            remarks.append((old.document, "nobody said which model gave the pasted replies; it may be two models"))
        if old.marker.kind == "lexical":
            remarks.append((old.document, old.marker.who))
    return tuple(per_document(remarks))
