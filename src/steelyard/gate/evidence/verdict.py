"""The verdict of a policy, and whether it is the one that was registered (docs/scoring.md §3.5). Pure.

`contract` keeps the verdict of §3.2 and only shows the evidence. Under `evidence` and `adaptive` hard facts (a missing
task, a value that is not finite, fewer checks) regress at once; a historical baseline gives no verdict; what cannot be
estimated is undecided; otherwise the rounds decide.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from steelyard.gate.evidence.policy import Policy, registered_sha
from steelyard.gate.evidence.result import Evidence, TaskEvidence
from steelyard.gate.model import Comparison, NoVerdict, Regression, TaskDelta, Thresholds, Verdict

HARD_FACTS = frozenset({"missing", "non_finite", "fewer_checks"})
"""Regressions that need no statistics."""

_VERDICTS: dict[str, Verdict] = {"improved": "improved", "neutral": "neutral", "regressed": "regressed"}


def apply_policy(comparison: Comparison, evidence: Evidence, policy: Policy) -> Comparison | NoVerdict:
    """The comparison as the policy decides it, with its evidence."""
    if policy.name == "contract":
        return dataclasses.replace(comparison, evidence=evidence, policy=policy)
    hard = any(regression.kind in HARD_FACTS for regression in comparison.regressions)
    if not hard and not evidence.design.interleaved:
        return NoVerdict(
            (f"the policy {policy.name} needs both sides run side by side, and nothing says that these were",),
            ("steelyard gate run", "--interleaved, if they were", "--policy contract"),
        )
    worse = {task.task: task for task in evidence.tasks if task.status == "confirmed"}
    tasks = tuple(_retold(delta, worse.get(delta.task)) for delta in comparison.tasks)
    return dataclasses.replace(
        comparison,
        verdict="regressed" if hard else _VERDICTS.get(evidence.decision, "undecided"),
        tasks=tasks,
        regressions=tuple(regression for delta in tasks for regression in delta.regressions),
        policy=policy,
        contract=comparison.verdict,
        evidence=evidence,
    )


def _retold(delta: TaskDelta, worse: TaskEvidence | None) -> TaskDelta:
    """The task with the regressions that count under this policy: hard facts, and what the rounds confirm."""
    regressions = [regression for regression in delta.regressions if regression.kind in HARD_FACTS]
    if worse is not None:
        what = f"check {worse.worst_check}" if worse.worst_check else f"mean delta {worse.delta:+.3f}"
        regressions.append(Regression(delta.task, "confirmed", f"confirmed worse: {what}"))
    return dataclasses.replace(delta, regressions=tuple(regressions))


def earned(comparison: Comparison) -> bool:
    """Whether evidence earns a promotion, recomputed from the numbers it rests on."""
    evidence, policy = comparison.evidence, comparison.policy
    if evidence is None or evidence.suspects or evidence.decision != "improved" or not evidence.design.interleaved:
        return False
    if policy.adaptive:
        enough = evidence.design.rounds >= policy.min_rounds
        return enough and evidence.e_improve is not None and evidence.e_improve >= 1 / policy.alpha
    return evidence.net_gain is not None and evidence.net_gain.low > 0


def departures(recorded: Mapping[str, Any] | None, policy: Policy, thresholds: Mapping[str, Any]) -> tuple[str, ...]:
    """How these settings differ from the registered ones; runs that registered nothing were made for `contract`."""
    if recorded is None:
        return () if policy.name == "contract" else (f"the runs were registered for contract, not {policy.name}",)
    if recorded.get("sha") != registered_sha(recorded):
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
