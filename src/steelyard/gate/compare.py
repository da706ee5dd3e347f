"""The verdict on two arms: docs/scoring.md §3.2. Pure; all rules of the gate are in this module and `score`.

Paired by task id over the tasks of the baseline; d = round(candidate − baseline, 6), the sum is rounded again.
Hard regression, per task: the task is missing from the candidate; any value is not finite, on either side; fewer
checks in total; fewer checks passed or a lower pass rate (unless switched off); composite drop > 0.05.

    regressed   at least one hard regression
    improved    none, and Σ d > 0.01
    neutral     everything else, a net loss without a hard regression included

`should_promote`: improved, no hard regression, no ambiguity, recomputed from the parts of the comparison; under another
policy also no suspect (`evidence.verdict`), and never for settings other than the registered ones.
If one run of a task lacks the judge's score, the judge is dropped from both arms of that task: an ambiguity.
No common task: no verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from steelyard.gate.evidence.verdict import earned
from steelyard.gate.model import (
    UNKNOWN_COST,
    Comparison,
    Flip,
    JudgeUse,
    NoVerdict,
    Regression,
    RegressionKind,
    Run,
    Standing,
    TaskDelta,
    Thresholds,
    Verdict,
    Weighed,
    by_task,
)
from steelyard.gate.score import Adjustment, adjustment, composite, mean_claims, mean_cost, objective
from steelyard.outcome import exact


def compare(
    baseline: Iterable[Run], candidate: Iterable[Run], thresholds: Thresholds | None = None
) -> Comparison | NoVerdict:
    """Compare two arms whose runs are all scored."""
    limits = thresholds or Thresholds()
    base, cand = by_task(baseline), by_task(candidate)
    if not base or not cand or not base.keys() & cand.keys():
        return NoVerdict((_nothing_common(base, cand),))
    pairs = [_delta(task, base[task], cand.get(task, ()), limits) for task in sorted(base)]
    tasks = tuple(delta for delta, _ in pairs)
    # `fsum` is exact, so the order of the tasks makes no difference.
    net = exact(math.fsum(delta.delta for delta in tasks if delta.delta is not None))
    regressions = tuple(regression for delta in tasks for regression in delta.regressions)
    ambiguities = tuple(ambiguity for _, ambiguity in pairs if ambiguity is not None)
    extra = tuple(sorted(cand.keys() - base.keys()))
    return Comparison(verdict(regressions, net, limits), net, tasks, regressions, ambiguities, extra, limits)


def verdict(regressions: Sequence[Regression], net_gain: float, thresholds: Thresholds) -> Verdict:
    """The verdict that follows from the hard regressions and the net gain."""
    if regressions or not math.isfinite(net_gain):
        return "regressed"
    return "improved" if exact(net_gain) > exact(thresholds.min_composite_gain) else "neutral"


def promotable(weighed: Weighed) -> bool:
    """Whether a comparison may be promoted: it is earned, and both sides are gate runs (docs/scoring.md §3.4)."""
    return should_promote(weighed.outcome) and {weighed.baseline.kind, weighed.candidate.kind} == {"gate"}


def should_promote(comparison: Comparison | NoVerdict) -> bool:
    """Whether a promotion is earned, recomputed from the parts so that a forged comparison cannot claim it."""
    if not isinstance(comparison, Comparison) or not comparison.tasks:
        return False
    deltas = [task.delta for task in comparison.tasks]
    if any(delta is None or not math.isfinite(delta) for delta in deltas):
        return False
    net = exact(math.fsum(delta for delta in deltas if delta is not None))
    # Both lists are read: removing a regression from one of them must not hide it.
    regressions = [
        *comparison.regressions,
        *(regression for task in comparison.tasks for regression in task.regressions),
    ]
    if comparison.by_contract:
        stated = comparison.policy.name in ("auto", "contract")
        shown = stated and verdict(regressions, net, comparison.thresholds) == "improved"
    else:
        shown = comparison.policy.name != "contract" and not regressions and earned(comparison)
    return (
        comparison.verdict == "improved"
        and shown
        and net == comparison.net_gain
        and not comparison.ambiguities
        and not comparison.exploratory
        and all(task.judge != "dropped" for task in comparison.tasks)
    )


def _nothing_common(base: Mapping[str, object], cand: Mapping[str, object]) -> str:
    if not base or not cand:
        sides = " and ".join(name for name, arm in (("baseline", base), ("candidate", cand)) if not arm)
        return f"no runs on the {sides} side"
    return "the two sides have no task in common"


def _delta(task: str, base: Sequence[Run], cand: Sequence[Run], limits: Thresholds) -> tuple[TaskDelta, str | None]:
    """One task in both arms, and what is ambiguous about it."""
    use, ambiguity = _judge(task, base, cand)
    before = _standing(base, judged=use == "used")
    if not cand:
        gone = Regression(task, "missing", "the candidate has no run of this task")
        return TaskDelta(task, before, None, None, 0.0, (), use, (gone,)), None
    sound = all(run.sound() for run in base) and all(run.sound() for run in cand)
    counts = sound and limits.cost_counts and _adjustable(cand)
    adj = adjustment(before.cost, mean_cost(cand)) if counts else Adjustment(0.0, ())
    after = _standing(cand, judged=use == "used", adj=adj.value)
    delta = _difference(before.composite, after.composite) if sound else None
    found = () if _no_worse(before, after, delta) else _regressions(task, before, after, delta, limits)
    regressions = tuple(_by_cost(regression, delta, adj.value) for regression in found)
    flips = _flips(base, cand)
    return TaskDelta(task, before, after, delta, exact(adj.value), adj.metrics, use, regressions, flips), ambiguity


def _adjustable(runs: Sequence[Run]) -> bool:
    """Whether cost may adjust a composite; one computed elsewhere is used as it is."""
    return runs[0].composite is None or any(run.composite is None for run in runs)


def _judge(task: str, base: Sequence[Run], cand: Sequence[Run]) -> tuple[JudgeUse, str | None]:
    """The judge counts in a task if every run of both arms has its score; else it is dropped from both."""
    runs = [*base, *cand]
    for run in runs:
        if run.judge is not None or run.judge_missing:
            break
    else:
        return "none", None
    if all(run.judge is not None for run in runs):
        return "used", None
    lacking = [name for name, arm in (("baseline", base), ("candidate", cand)) if any(run.judge is None for run in arm)]
    why = next((run.judge_missing for run in runs if run.judge_missing), "no judge score")
    sides = " and ".join(lacking)
    return "dropped", f"{task}: no judge verdict on the {sides} side ({why}); judge dropped from both arms"


def _standing(runs: Sequence[Run], *, judged: bool, adj: float = 0.0) -> Standing:
    if len(runs) == 1 and runs[0].sound():  # the mean of one run is that run: the fast path for 100,000 tasks
        run = runs[0]
        rate = objective(run.passed, run.total)
        whole = composite(run, judged=judged, adj=adj)
        return Standing(1, run.passed, run.total, rate, run.judge, whole, run.cost, run.claims)
    judges = [run.judge for run in runs if run.judge is not None]
    cost = mean_cost(runs)
    return Standing(
        epochs=len(runs),
        passed=_mean([run.passed for run in runs]),
        total=_mean([run.total for run in runs]),
        pass_rate=_mean([objective(run.passed, run.total) for run in runs]),
        judge=_mean(judges) if len(judges) == len(runs) else None,
        composite=_mean([composite(run, judged=judged, adj=adj) for run in runs]),
        cost=cost if all(map(math.isfinite, cost.values())) else UNKNOWN_COST,
        claims=mean_claims(runs),
    )


def _mean(values: Sequence[float]) -> float | None:
    """The mean; None when it is not finite."""
    if not values or not all(map(math.isfinite, values)):
        return None
    if len(values) == 1:
        return values[0]
    try:
        return math.fsum(values) / len(values)
    except OverflowError:  # counts of 1e308 are finite, and their sum is not
        return math.fsum(value / len(values) for value in values)


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else exact(after - before)


def _no_worse(before: Standing, after: Standing, delta: float | None) -> bool:
    """Whether nothing can have regressed: the fast path for almost every task."""
    if delta is None or before.total is None or before.passed is None or before.pass_rate is None:
        return False
    if after.total is None or after.passed is None or after.pass_rate is None:
        return False
    kept = after.total >= before.total and after.passed >= before.passed and after.pass_rate >= before.pass_rate
    return kept and delta >= 0


def _regressions(
    task: str, before: Standing, after: Standing, delta: float | None, limits: Thresholds
) -> Iterable[Regression]:
    if delta is None:
        yield Regression(task, "non_finite", "a value is not a finite number, or a cost is negative")
        return
    for kind, word, one, other in _objective_pairs(before, after, limits):
        if one is not None and other is not None and exact(other) < exact(one):
            yield Regression(task, kind, f"{word} {_short(one)} → {_short(other)}")
    if delta < -exact(limits.regression_composite_drop):
        yield Regression(task, "composite", f"composite {_short(before.composite)} → {_short(after.composite)}")


def _by_cost(regression: Regression, delta: float | None, adj: float) -> Regression:
    """The regression; its detail says so if cost alone made the composite drop."""
    if regression.kind != "composite" or delta is None or adj >= 0 or exact(delta - adj) < 0:
        return regression
    return replace(regression, detail=f"{regression.detail}, by cost alone")


def _objective_pairs(
    before: Standing, after: Standing, limits: Thresholds
) -> Iterable[tuple[RegressionKind, str, float | None, float | None]]:
    yield "fewer_checks", "checks in total", before.total, after.total
    if limits.objective_drop_is_regression:
        yield "objective", "checks passed", before.passed, after.passed
        yield "objective", "pass rate", before.pass_rate, after.pass_rate


def _flips(base: Sequence[Run], cand: Sequence[Run]) -> tuple[Flip, ...]:
    """Checks whose share of passes changed; a check one side does not know is not a flip."""
    if not base[0].checks:
        return ()
    before, after = _shares(base), _shares(cand)
    return tuple(
        Flip(name, before[name], after[name]) for name in before if name in after and before[name] != after[name]
    )


def _shares(runs: Sequence[Run]) -> dict[str, float]:
    counts: dict[str, list[bool]] = {}
    for run in runs:
        for name, passed in run.checks.items():
            counts.setdefault(name, []).append(passed)
    return {name: sum(results) / len(results) for name, results in counts.items()}


def _short(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.6f}".rstrip("0").rstrip(".")
