"""One subject in one category: the runs of its logs become a `CategoryResult` (docs/scoring.md §1.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import fmean
from typing import Any, cast

from steelyard.bench.model import CategoryResult, Spec, Usage
from steelyard.bench.score import category_score, item_means, strict_value, withheld
from steelyard.bench.subjects import Candidate
from steelyard.bench.weigh.facts import Items, breakdowns, latency
from steelyard.outcome import Scored, Unscored, exact
from steelyard.rows import RunRow
from steelyard.stats.interval import mean_interval


def category_result(candidates: Sequence[Candidate], spec: Spec, items_asked: Items) -> CategoryResult:
    """The result of one subject in one category; there are several logs only when they are pooled."""
    # Pooled logs are sorted; the newest is last.
    newest = candidates[-1]
    outcomes = [pair for candidate in candidates for pair in candidate.outcomes()]
    items = item_means((run.id, outcome.value) for run, outcome in outcomes if isinstance(outcome, Scored))
    unscored: Counter[str] = Counter(outcome.fault for _, outcome in outcomes if isinstance(outcome, Unscored))
    lost = sum(unscored.values()) + sum(_never_ran(candidate) for candidate in candidates)
    runs = [run for candidate in candidates for run in candidate.log.runs]
    facts = items_asked.facts(runs)
    failures = Counter(name for candidate in candidates for name in _failures(candidate))
    hidden = withheld(sum(_attempted(candidate) for candidate in candidates), lost, spec.min_coverage)
    fingerprint = newest.log.stamp.fingerprint if newest.log.stamp else None
    return CategoryResult(
        score=None if hidden else category_score(items),
        scored=sum(candidate.scored for candidate in candidates),
        expected=sum(candidate.expected for candidate in candidates),
        complete=all(candidate.complete for candidate in candidates),
        scorer=_scorer_name(newest),
        **(_about_verdicts(candidates) if fingerprint and fingerprint.judge else {}),
        items=items,
        interval=None if hidden else mean_interval(list(items.values())),
        epochs=sum(candidate.log.epochs for candidate in candidates),
        lost=lost,
        unscored=dict(unscored),
        failures=dict(failures),
        unreadable=_unreadable(candidates, failures),
        strict=None if hidden else _strict(candidates, items),
        intent=_intent(candidates),
        facts=facts,
        breakdowns={} if hidden else breakdowns(items, facts),
        latency=latency(runs),
        usage=_usage(candidates),
        logs=tuple(candidate.log.path for candidate in candidates),
        fingerprint=fingerprint,
        remarks=tuple(remark for candidate in candidates for remark in _remarks(candidate, lost, unscored)),
    )


def busy_seconds(spans: Sequence[tuple[datetime, datetime]]) -> float | None:
    """How long at least one of these was under way: overlaps count once, pauses do not count."""
    if not spans:
        return None
    total, until = 0.0, min(begin for begin, _ in spans)
    for begin, end in sorted(spans):
        # Only the part that no earlier span has covered.
        total += max(0.0, (end - max(begin, until)).total_seconds())
        until = max(until, end)
    return total


def _failure_class(run: RunRow, scorer: str) -> str | None:
    """The class that a scorer gave to a run that lost points, if it names one."""
    score = run.scores.get(scorer)
    # With full points there is no failure, whatever the scorer noted.
    if score is None or not isinstance(score.outcome, Scored) or exact(score.outcome.value) >= 1:
        return None
    name = score.metadata.get("class") or score.metadata.get("reason")
    return str(name) if name else None


def _attempted(candidate: Candidate) -> int:
    return max(len(candidate.log.sample_ids) * candidate.log.epochs, len(candidate.log.runs))


def _never_ran(candidate: Candidate) -> int:
    """Runs that an eval never reached because it ended in an error: our loss. Ctrl-C or a limit is no loss."""
    return max(0, _attempted(candidate) - len(candidate.log.runs)) if candidate.log.status == "error" else 0


def _remarks(candidate: Candidate, lost: int, unscored: Mapping[str, int]) -> list[str]:
    remarks: list[str] = []
    if candidate.log.limited:
        remarks.append("made with a sample limit")
    if candidate.log.status != "success":
        remarks.append(f"status {candidate.log.status}" + (f": {candidate.log.error}" if candidate.log.error else ""))
    if lost:
        owners = ", ".join(f"{fault} {count}" for fault, count in sorted(unscored.items()))
        remarks.append(f"{lost} of {_attempted(candidate)} runs unscored" + (f": {owners}" if owners else ""))
    return remarks


def _about_verdicts(candidates: Sequence[Candidate]) -> dict[str, Any]:
    """How far verdicts agree, and how many lack a usable reply."""
    from steelyard.judge.judgement import concord, unusable  # slow, and needed only if there was a judge

    kept = [
        run.scores[candidate.scorer].metadata
        for candidate in candidates
        for run, _ in candidate.outcomes()
        if candidate.scorer in run.scores
    ]
    return {"judge_agreement": concord(kept), "judge_unusable": unusable(kept)}


def _failures(candidate: Candidate) -> list[str]:
    return [name for run in candidate.log.runs if (name := _failure_class(run, candidate.scorer))]


def _unreadable(candidates: Sequence[Candidate], failures: Counter[str]) -> float | None:
    """The share of scored runs whose answer could not be read in the form that was asked for."""
    names, scored = candidates[0].category.unreadable, sum(candidate.scored for candidate in candidates)
    if not names or not scored:
        return None
    return sum(count for name, count in failures.items() if name in names) / scored


def _strict(candidates: Sequence[Candidate], items: Mapping[str, float]) -> float | None:
    """The strict score; None if a run earned points and its log does not say what they were for."""
    category = candidates[0].category
    if category.strict_by is None:
        return category_score(items)
    runs = [
        (run.id, strict_value(outcome.value, share, binary=category.scoring == "binary"))
        for run, outcome, share in _beside(candidates, category.strict_by)
    ]
    if any(value is None for _, value in runs):
        return None
    return category_score(item_means((item, value) for item, value in runs if value is not None))


def _intent(candidates: Sequence[Candidate]) -> float | None:
    """Mean share of the requirements that hold, over the scored runs whose score says so."""
    name = candidates[0].category.intent
    shares = [share for _, _, share in _beside(candidates, name) if share is not None] if name else []
    return fmean(shares) if shares else None


def _beside(candidates: Sequence[Candidate], name: str) -> list[tuple[RunRow, Scored, float | None]]:
    """Every scored run with the number that its score's metadata has under `name`."""
    return [
        (run, outcome, _number(run.scores[candidate.scorer].metadata.get(name)))
        for candidate in candidates
        for run, outcome in candidate.outcomes()
        if isinstance(outcome, Scored)
    ]


def _number(value: object) -> float | None:
    """A share; a log may hold anything under its name."""
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def _scorer_name(candidate: Candidate) -> str:
    stamped = candidate.log.stamp.fingerprint.scorer if candidate.log.stamp else ""
    return stamped if stamped.partition("@")[0] == candidate.scorer else candidate.scorer


def _usage(candidates: Sequence[Candidate]) -> Usage:
    """What the subject itself used; tokens of a judge are left out."""
    runs = [(candidate.log.model, run) for candidate in candidates for run in candidate.log.runs]
    usages = [run.usage[model] for model, run in runs if model in run.usage]
    costs = [usage.get("total_cost") for usage in usages]
    return Usage(
        input_tokens=_total([usage.get("input_tokens") for usage in usages]),
        output_tokens=_total([usage.get("output_tokens") for usage in usages]),
        # Unknown is not 0: without the cost of some runs, the sum would look cheap.
        cost_usd=float(sum(cast(list[float], costs))) if costs and None not in costs else None,
        seconds=busy_seconds([run.span for _, run in runs if run.span is not None]),
        cache_read_tokens=_total([usage.get("input_tokens_cache_read") for usage in usages]) or 0,
        cache_write_tokens=_total([usage.get("input_tokens_cache_write") for usage in usages]) or 0,
    )


def _total(values: Sequence[Any]) -> int | None:
    known = [int(value) for value in values if value is not None]
    return sum(known) if known else None
