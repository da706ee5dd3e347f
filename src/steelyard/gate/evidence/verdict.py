"""The verdict of a policy, and whether it is the one that was registered (docs/scoring.md §3.5). Pure.

`contract` keeps the verdict of §3.2 and only shows the evidence. `auto` is `contract` where each task has one run a
side and no noise record contradicts it, else `evidence`. Under `evidence` and `adaptive` hard facts (a missing task, a
value that is not finite, fewer checks) regress at once; what cannot be estimated is undecided; otherwise the rounds
decide. A `mixed` whose every loss is accepted by the baseline's settings counts as `improved`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.gate.evidence.policy import AcceptedLoss, Policy
from steelyard.gate.evidence.result import Evidence, TaskEvidence
from steelyard.gate.model import Comparison, Regression, TaskDelta, Thresholds, Verdict
from steelyard.stamp import is_sealed

HARD_FACTS = frozenset({"missing", "non_finite", "fewer_checks"})
"""Regressions that need no statistics."""

_VERDICTS: dict[str, Verdict] = {verdict: verdict for verdict in ("improved", "mixed", "neutral", "regressed")}


def deciding(policy: Policy, *, repeated: bool, fooled: float | None) -> Policy:
    """What `auto` comes to; every other policy is itself.

    Args:
        policy: The policy that was asked for.
        repeated: Whether a task has several runs on one side.
        fooled: Share of comparisons without a change that the noise record says the contract rule calls improved or
            regressed; None without a record.
    """
    if policy.name != "auto":
        return policy
    contradicted = fooled is not None and fooled > policy.alpha
    return dataclasses.replace(policy, name="evidence" if repeated or contradicted else "contract")


def apply_policy(
    comparison: Comparison, evidence: Evidence, policy: Policy, accepted: Sequence[AcceptedLoss] = ()
) -> Comparison:
    """The comparison as the policy decides it, with its evidence.

    Args:
        comparison: The comparison by §3.2.
        evidence: What the rounds show.
        policy: What decides; never `auto`.
        accepted: Losses that the baseline's settings accept today.
    """
    if policy.name == "contract":
        return dataclasses.replace(comparison, evidence=evidence)
    hard = any(regression.kind in HARD_FACTS for regression in comparison.regressions)
    worse = {task.task: task for task in evidence.losses}
    held = _held(worse, accepted)
    # What cannot be estimated is no verdict of the rounds, hence undecided.
    verdict = "regressed" if hard else _VERDICTS.get(evidence.decision, "undecided")
    if verdict == "mixed" and {loss.task for loss in held} == worse.keys():
        verdict = "improved"
    tasks = tuple(_retold(delta, worse.get(delta.task), held) for delta in comparison.tasks)
    return dataclasses.replace(
        comparison,
        verdict=verdict,
        tasks=tasks,
        regressions=tuple(regression for delta in tasks for regression in delta.regressions),
        contract=comparison.verdict,
        evidence=evidence,
        accepted=held,
    )


def _held(worse: Mapping[str, TaskEvidence], accepted: Sequence[AcceptedLoss]) -> tuple[AcceptedLoss, ...]:
    """The entries that cover a loss in full: an entry for the whole task, or one for each check that fell."""
    held: list[AcceptedLoss] = []
    for name, task in worse.items():
        own = [loss for loss in accepted if loss.task == name]
        whole = [loss for loss in own if loss.check is None]
        by_check = [loss for loss in own if loss.check in task.fallen]
        if whole or (task.fallen and {loss.check for loss in by_check} == {*task.fallen}):
            held += whole[:1] or by_check
    return tuple(held)


def _retold(delta: TaskDelta, worse: TaskEvidence | None, held: Sequence[AcceptedLoss]) -> TaskDelta:
    """The task with the regressions that count under this policy: hard facts, and what the rounds confirm."""
    regressions = [regression for regression in delta.regressions if regression.kind in HARD_FACTS]
    if worse is not None and worse.task not in {loss.task for loss in held}:
        what = f"check {worse.worst_check}" if worse.worst_check else f"mean delta {worse.delta:+.3f}"
        regressions.append(Regression(delta.task, "confirmed", f"confirmed worse: {what}"))
    return dataclasses.replace(delta, regressions=tuple(regressions))


def earned(comparison: Comparison) -> bool:
    """Whether evidence earns a promotion, recomputed from the numbers it rests on."""
    evidence, policy = comparison.evidence, comparison.policy
    if evidence is None or not _nothing_suspect(comparison, evidence) or evidence.net_gain is None:
        return False
    if not policy.adaptive:
        return evidence.decision in ("improved", "mixed") and (evidence.net_gain.low > 0 or bool(evidence.gains))
    if evidence.design.rounds < policy.min_rounds or evidence.latest is None:
        return False
    # Against a record the e-values decide nothing: the line of `means` does, and `shown` says where it is.
    stored = evidence.design.baseline == "historical" and evidence.shown is not None and evidence.shown > 0
    gained = evidence.latest.e_improve >= 1 / policy.alpha
    return stored or gained or (evidence.decision == "mixed" and bool(evidence.gains))


def _nothing_suspect(comparison: Comparison, evidence: Evidence) -> bool:
    """Whether the rounds say `improved` without suspects, or `mixed` with losses that are all accepted."""
    accepted = {loss.task for loss in comparison.accepted}
    open_ = {task.task for task in evidence.suspects} - accepted
    return not open_ and evidence.decision == ("mixed" if accepted else "improved")


def departures(recorded: Mapping[str, Any] | None, policy: Policy, thresholds: Mapping[str, Any]) -> tuple[str, ...]:
    """How these settings differ from the registered ones; runs that registered nothing were made for `auto`."""
    if recorded is None:
        return () if policy.name == "auto" else (f"the runs were registered for auto, not {policy.name}",)
    if not is_sealed(recorded):
        return ("the registration in the logs was altered",)
    lines: list[str] = []
    usual = dataclasses.asdict(Thresholds())  # what a registration of an earlier version does not name
    for part, settings in (("policy", dataclasses.asdict(policy)), ("thresholds", {**usual, **thresholds})):
        before: Mapping[str, Any] = {**(usual if part == "thresholds" else {}), **(recorded.get(part) or {})}
        names = _relevant(settings, before) if part == "policy" else sorted({*settings, *before})
        for name in names:
            if settings.get(name) != before.get(name):
                label = "policy" if name == "name" else name
                lines.append(f"{label} is {settings.get(name)}, registered was {before.get(name)}")
    return tuple(lines)


def _relevant(settings: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """The settings of a policy that can change a verdict: `contract` has none beside its name."""
    if settings["name"] == before.get("name") == "contract":
        return []
    return ["name", *sorted({*settings, *before} - {"name"})]
