"""(two arms, spec) → a comparison, or why there is none: docs/scoring.md §3.2. Pure: the clock is an argument.

There is no verdict, but a reason and a cure, if no task is common, fingerprints differ (the field is named), a run on
either side is unscored, or a required judge is missing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from steelyard.gate.activation import confusion
from steelyard.gate.compare import compare
from steelyard.gate.config.used import parts_used
from steelyard.gate.evidence.contract import contract_shares, fooled
from steelyard.gate.evidence.corrected import JudgeCorrection, correction
from steelyard.gate.evidence.estimate import examine
from steelyard.gate.evidence.noise import Noise
from steelyard.gate.evidence.policy import AUTO, DRIFT, AcceptedLoss, Policy, QuarantineEntry, registered_policy
from steelyard.gate.evidence.result import Design
from steelyard.gate.evidence.rounds import observe
from steelyard.gate.evidence.variation import recorded_variations, variations, vary_within
from steelyard.gate.evidence.verdict import apply_policy, deciding, departures
from steelyard.gate.ledger.confirmation import attempts_of, until_confirmed
from steelyard.gate.model import Arm, Comparison, NoVerdict, Run, Thresholds, Weighed, each_side
from steelyard.gate.quarantine import only, set_aside
from steelyard.gate.quarantine.entries import (
    ACCEPTED,
    QUARANTINE,
    E,
    Entries,
    Kind,
    active_entries,
    checks_by_task,
    registered_entries,
)
from steelyard.gate.under_test import under_test
from steelyard.gate.weigh.caveats import caveats
from steelyard.gate.weigh.foreign import foreign_runs
from steelyard.gate.weigh.obstacle import judge_required, obstacle
from steelyard.judge.judgement import unusable_text
from steelyard.outcome import exact

_SHOWN = 5
"""Tasks named one by one."""
_CHANCE = "both sides ran the same configuration: any difference is chance, and nothing can be promoted"


@dataclass(frozen=True, slots=True)
class Spec:
    """How to compare two arms."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    scorer: str | None = None
    """Which score of foreign logs was chosen, if they have several."""
    require_judge: bool = False
    """Give no verdict unless the judge scored every task that has a rubric."""
    historical: bool = False
    """The baseline was run earlier, not interleaved with the candidate."""
    policy: Policy | None = None
    """What decides; None for the policy that the runs were registered for, or else `auto`."""
    vary: tuple[str, ...] = ()
    """Task arguments that are under test, where the logs do not show it."""
    interleaved: bool = False
    """The user states that both sides ran side by side, where the logs do not say."""
    drift: float = DRIFT
    """δ: the allowance for drift where the baseline was not run side by side, per task."""
    quarantine: tuple[QuarantineEntry, ...] = ()
    accepted: tuple[AcceptedLoss, ...] = ()
    """Losses that the baseline's settings accept; those that were registered with the runs win."""
    noise: Noise | None = None
    """What the same configuration on both sides is known to vary by, for this fingerprint."""
    notes: tuple[str, ...] = ()
    """Lines about the settings that belong into the report."""
    differing: tuple[str, ...] = ()
    """How the settings of a change differ from the base, in words."""
    irregular: tuple[str, ...] = ()
    """How the logs differ from what the ledger says of them, in words."""


def weigh(baseline: Arm, candidate: Arm, spec: Spec, *, now: datetime) -> Weighed:
    """Compare two arms; `now` dates the result."""
    utc = now.astimezone(UTC)
    quarantine, unregistered = _registered(QUARANTINE, baseline, spec.quarantine)
    waived, not_waived = _registered(ACCEPTED, baseline, spec.accepted)
    accepted, expired = active_entries(waived, checks_by_task(baseline), utc.date(), ACCEPTED)
    notes = (*spec.notes, *unregistered, *not_waived, *expired)
    counted = set_aside(baseline, candidate, quarantine, utc.date())
    active: tuple[QuarantineEntry, ...] = ()
    corrected = None
    if isinstance(counted, NoVerdict):
        outcome = counted
    else:
        sides, active, notes = (counted.baseline, counted.candidate), counted.active, (*notes, *counted.notes)
        # After setting aside: a quarantined task may be unscored or missing without being an obstacle.
        outcome = obstacle(*sides, spec.vary) or _compared(*sides, spec, accepted)
        if isinstance(outcome, Comparison):
            corrected = _judge_correction(*sides, outcome, spec, accepted)
            if active:
                outcome = _with_quarantine(outcome, baseline, candidate, active)
    attempts = attempts_of(candidate.attempt, outcome)
    if isinstance(outcome, Comparison):
        if spec.noise is not None:
            notes = (spec.noise.summary(_epochs(outcome)), *notes)
        outcome = until_confirmed(outcome, attempts)
    policy = spec.policy or registered_policy(candidate.registration)
    before, after = [*baseline.runs, *baseline.extra], [*candidate.runs, *candidate.extra]
    return Weighed(
        outcome,
        baseline=dataclasses.replace(baseline.side, historical=spec.historical),
        candidate=candidate.side,
        warnings=(*caveats(baseline, candidate, spec.historical, spec.interleaved, spec.scorer), *notes),
        generated_at=utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        differing=(*_unlike_defaults(spec, policy, active), *spec.differing),
        activations=confusion(after),
        parts=parts_used(before, after),
        attempts=attempts,
        judge_correction=corrected,
    )


def _judge_correction(
    baseline: Arm, candidate: Arm, outcome: Comparison, spec: Spec, accepted: Sequence[AcceptedLoss]
) -> JudgeCorrection | None:
    """The judge's corrected means, and the verdict under them; None where no labels are on record."""

    def again(baseline: Arm, candidate: Arm) -> str | None:
        found = _compared(baseline, candidate, spec, accepted)
        return found.verdict if isinstance(found, Comparison) else None

    return correction(baseline, candidate, outcome.verdict, again)


def _unlike_defaults(spec: Spec, policy: Policy, quarantined: Sequence[QuarantineEntry]) -> Iterator[str]:
    """What decides otherwise than by default, in words; a quarantine is none by default."""
    limits, usual = asdict(spec.thresholds), asdict(Thresholds())
    if policy.name != "contract":
        rules = {"policy": policy.name, **{name: value for name, value in asdict(policy).items() if name != "name"}}
        limits, usual = {**rules, **limits}, {"policy": AUTO.name, **asdict(AUTO), **usual}
    else:
        limits, usual = {"policy": policy.name, **limits}, {"policy": AUTO.name, **usual}
    for name, value in limits.items():
        if value != usual[name]:
            shown, default = (str(one).lower() if isinstance(one, bool) else one for one in (value, usual[name]))
            yield f"{name} is {shown} (default {default})"
    if quarantined:
        yield f"quarantined, so not counted: {', '.join(entry.name for entry in quarantined)}"


def _registered(kind: Kind[E], baseline: Arm, stated: tuple[E, ...]) -> Entries[E]:
    """The entries that count, and lines about the others: those registered with the runs win over today's settings."""
    registered = registered_entries(baseline.registration, kind)
    if registered is None:
        return Entries(stated, ())
    later = [entry.name for entry in stated if entry not in registered]
    lines = (f"{kind.noun} of {name} was not registered with these runs, so it does not hold" for name in later)
    return Entries(registered, tuple(lines))


def _with_quarantine(
    comparison: Comparison, baseline: Arm, candidate: Arm, active: tuple[QuarantineEntry, ...]
) -> Comparison:
    """The comparison with what was set aside, for the report."""
    # By the contract rule, whatever the policy: these tasks are only shown.
    shown = compare(only(baseline, active), only(candidate, active), comparison.thresholds)
    tasks = shown.tasks if isinstance(shown, Comparison) else ()
    return dataclasses.replace(comparison, quarantined=active, quarantined_tasks=tasks)


def _compared(baseline: Arm, candidate: Arm, spec: Spec, accepted: Sequence[AcceptedLoss]) -> Comparison | NoVerdict:
    arms = baseline.runs, candidate.runs
    if baseline.side.kind == "log":
        foreign = foreign_runs(*arms)
        if isinstance(foreign, NoVerdict):
            return foreign
        arms = foreign
    comparison = compare(*arms, spec.thresholds)
    if isinstance(comparison, NoVerdict):
        return comparison
    comparison = dataclasses.replace(
        comparison,
        ambiguities=(*comparison.ambiguities, *_doubts(baseline, candidate)),
        under_test=under_test(baseline, candidate, spec.vary).differences,
    )
    if spec.require_judge and (lacking := judge_required(comparison)):
        return lacking
    asked = spec.policy or registered_policy(candidate.registration)
    policy = deciding(asked, repeated=_epochs(comparison) > 1, fooled=_fooled_share(spec.noise))
    design = _design(comparison, baseline, candidate, spec)
    drift = None if design.interleaved else spec.drift
    extra, costed = (baseline.extra, candidate.extra), spec.thresholds.cost_counts
    rounds = observe(*arms, comparison.tasks, extra, drift, cost_counts=costed)
    if rounds is not None:
        seen = {"tasks": len(rounds.tasks), "rounds": rounds.count, "watched": rounds.watched}
        design = dataclasses.replace(design, **seen, recorded=rounds.recorded)
    evidence = examine(rounds, design, policy, comparison.verdict)
    if policy.name == "contract":
        evidence = dataclasses.replace(evidence, fooled=_fooled(comparison, arms, spec.noise))
        comparison = _above_floor(comparison, spec.noise)
    exploratory = tuple(_departures(baseline, candidate, asked, spec))
    comparison = dataclasses.replace(comparison, policy=asked, exploratory=exploratory)
    return apply_policy(comparison, evidence, policy, accepted)


def _doubts(baseline: Arm, candidate: Arm) -> Iterator[str]:
    """What forbids a promotion, whatever the runs say."""
    if baseline.side.config is not None and baseline.side.config == candidate.side.config:
        yield _CHANCE
    if unmeasured := sorted({run.task for arm in (baseline, candidate) for run in arm.runs if _asserts_nothing(run)}):
        # Its composite is 1.0 on both sides (docs/scoring.md §3.1), which shows nothing.
        yield f"{', '.join(unmeasured[:_SHOWN])}: neither a check nor a judge's score"
    for name, arm in each_side(baseline, candidate):
        yield from (f"{name}: {line}" for line in arm.repeated)
    for name, arm in each_side(baseline, candidate):
        if lost := arm.side.judge_unusable:
            yield f"{name}: {unusable_text(lost)}"


def _departures(baseline: Arm, candidate: Arm, asked: Policy, spec: Spec) -> Iterator[str]:
    """How the runs and their settings differ from what was registered and entered into the ledger."""
    # Other files registered nothing, so there is nothing that they could depart from.
    if candidate.side.kind != "gate":
        return
    yield from departures(candidate.registration, asked, asdict(spec.thresholds))
    for name, arm in each_side(baseline, candidate):
        yield from (f"{name}: {line}" for line in arm.breaks)
    yield from spec.irregular


def _above_floor(comparison: Comparison, noise: Noise | None) -> Comparison:
    """The comparison; a gain that the noise record takes for chance becomes an ambiguity, so it is not promoted."""
    if noise is None or comparison.verdict != "improved":
        return comparison
    floor = exact(noise.floor_at(_epochs(comparison)))
    if comparison.net_gain > floor:
        return comparison
    doubt = f"the net gain {comparison.net_gain:+.3f} does not exceed the noise floor of this suite, {floor:.3f}"
    return dataclasses.replace(comparison, ambiguities=(*comparison.ambiguities, doubt))


def _epochs(comparison: Comparison) -> int:
    """Runs of the task that has most of them on one side."""
    sides = ((delta.baseline, delta.candidate) for delta in comparison.tasks)
    return max(side.epochs for pair in sides for side in pair if side is not None)


def _fooled_share(noise: Noise | None) -> float | None:
    """How often the contract rule is wrong about no change, by the noise record."""
    if noise is None:
        return None
    verdicts = noise.false_verdicts.get("contract", {})
    return verdicts.get("improved", 0.0) + verdicts.get("regressed", 0.0)


def _fooled(comparison: Comparison, runs: tuple[Sequence[Run], Sequence[Run]], noise: Noise | None) -> str | None:
    """How often the contract rule is fooled on such a suite, if its runs or the noise record vary."""
    if len(runs[0]) > len(comparison.tasks) and (vary_within(runs[0]) or vary_within(runs[1])):
        suite = variations(*runs)
    elif noise is not None:
        suite = recorded_variations(noise.tasks)
    else:
        return None
    shares = contract_shares(suite, _epochs(comparison), comparison.thresholds)
    return fooled(shares) if shares.comparisons else None


def _design(comparison: Comparison, baseline: Arm, candidate: Arm, spec: Spec) -> Design:
    # Arms of different runs may each have been interleaved with another arm: the seed says which belong together.
    together = baseline.interleaved and candidate.interleaved and baseline.seed == candidate.seed
    interleaved = not spec.historical and (together or spec.interleaved)
    return Design(
        tasks=len(comparison.tasks),
        rounds=min(baseline.side.rounds, candidate.side.rounds),
        interleaved=interleaved,
        baseline="fresh" if interleaved else "historical",
        drift=0.0 if interleaved else spec.drift,
        seed=candidate.seed if together else None,
    )


def _asserts_nothing(run: Run) -> bool:
    return not run.total and run.judge is None and run.composite is None
