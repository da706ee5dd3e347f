"""The comparison as JSON (`gate.schema.json`)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard import artifact
from steelyard.gate.compare import promotable
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.model import Comparison, Cost, Side, Standing, TaskDelta, Weighed
from steelyard.gate.report.changes import changes_json
from steelyard.gate.report.document import headline
from steelyard.gate.report.evidence import evidence_json
from steelyard.gate.steps import Confusion
from steelyard.outcome import exact

SCHEMA = "gate"
SCHEMA_VERSION = 1
"""1: first shape. Evidence, policies other than `contract`, and what belongs to them were added as optional fields."""


def as_json(weighed: Weighed) -> dict[str, Any]:
    """The comparison as JSON; numbers are rounded as they were compared, and a number that is not finite is null."""
    outcome = weighed.outcome
    answered = isinstance(outcome, Comparison)
    return {
        "schema_version": SCHEMA_VERSION,
        "differing": list(weighed.differing),
        "generated_at": weighed.generated_at,
        "verdict": outcome.verdict if answered else None,
        "should_promote": promotable(weighed),
        "summary": headline(outcome),
        "policy": outcome.policy.name if answered else "auto",
        "decided_by": _decided_by(outcome) if answered else None,
        "rules": _rules(outcome.policy) if answered else None,
        "contract": (outcome.contract or outcome.verdict) if answered else None,
        "under_test": list(outcome.under_test) if answered else [],
        "attempts": None if weighed.attempts is None else asdict(weighed.attempts),
        **({} if weighed.judge_correction is None else {"judge_correction": asdict(weighed.judge_correction)}),
        "exploratory": list(outcome.exploratory) if answered else [],
        "evidence": evidence_json(outcome.evidence) if answered and outcome.evidence else None,
        "changes": changes_json(outcome, weighed) if answered else None,
        "net_gain": outcome.net_gain if answered else None,
        "thresholds": asdict(outcome.thresholds) if answered else None,
        "tasks": [_task(delta) for delta in outcome.tasks] if answered else [],
        "regressions": [asdict(regression) for regression in outcome.regressions] if answered else [],
        "ambiguities": list(outcome.ambiguities) if answered else [],
        "only_in_candidate": list(outcome.only_in_candidate) if answered else [],
        "quarantine": [entry.as_data() for entry in outcome.quarantined] if answered else [],
        "no_verdict": None if answered else {"reasons": list(outcome.reasons), "cures": list(outcome.cures)},
        "warnings": list(weighed.warnings),
        **({} if weighed.activations is None else {"activations": _activations(weighed.activations)}),
        **({"parts": [use._asdict() for use in weighed.parts]} if weighed.parts else {}),
        "baseline": _side(weighed.baseline),
        "candidate": _side(weighed.candidate),
    }


def _activations(confusion: Confusion) -> dict[str, Any]:
    return {**asdict(confusion), "mistakes": list(confusion.mistakes), "near_misses": list(confusion.near_misses)}


def json_text(weighed: Weighed) -> str:
    """The comparison as the text of a JSON file, checked against its schema."""
    return artifact.json_text(as_json(weighed), schema=SCHEMA)


def _decided_by(outcome: Comparison) -> str:
    """What the policy came to."""
    if outcome.by_contract:
        return "contract"
    return "evidence" if outcome.policy.name == "auto" else outcome.policy.name


def _rules(policy: Policy) -> dict[str, Any]:
    return {name: value for name, value in asdict(policy).items() if name != "name"}


def _task(delta: TaskDelta) -> dict[str, Any]:
    return {
        "task": delta.task,
        "delta": delta.delta,
        "adjustment": delta.adjustment,
        "adjusted_by": list(delta.metrics),
        "judge": delta.judge,
        "baseline": _standing(delta.baseline),
        "candidate": None if delta.candidate is None else _standing(delta.candidate),
        "regressions": [asdict(regression) for regression in delta.regressions],
        "flips": [asdict(flip) for flip in delta.flips],
    }


def _standing(standing: Standing) -> dict[str, Any]:
    numbers = {key: getattr(standing, key) for key in ("passed", "total", "pass_rate", "judge", "composite")}
    rounded = {key: None if value is None else exact(value) for key, value in numbers.items()}
    return {"epochs": standing.epochs, **rounded, "cost": _cost(standing.cost), "claims": _cost(standing.claims)}


def _cost(cost: Cost) -> dict[str, float | None]:
    return {key: None if value is None else exact(value) for key, value in asdict(cost).items()}


def _side(side: Side) -> dict[str, Any]:
    return {**asdict(side), "sources": list(side.sources)}
