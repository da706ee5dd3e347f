"""A weighed comparison for machines: JSON (`gate.schema.json`), JUnit, SARIF, GitHub annotations."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard.gate.compare import should_promote
from steelyard.gate.model import Comparison, Cost, NoVerdict, Side, Standing, TaskDelta, Weighed
from steelyard.gate.report.document import headline
from steelyard.outcome import exact
from steelyard.report.junit import Case
from steelyard.report.sarif import Place, Rule
from steelyard.report.sarif import render as render_sarif

SCHEMA = "gate"
SCHEMA_VERSION = 1
"""1: first shape. `policy` is `contract`; `evidence` is reserved for the statistics beside the verdict."""


def as_json(weighed: Weighed) -> dict[str, Any]:
    """The comparison as JSON; numbers are rounded as they were compared, and what is not finite is null."""
    outcome = weighed.outcome
    answered = isinstance(outcome, Comparison)
    return {
        "schema_version": SCHEMA_VERSION,
        "generated_at": weighed.generated_at,
        "verdict": outcome.verdict if answered else None,
        "should_promote": should_promote(outcome),
        "summary": headline(outcome),
        "policy": "contract",
        "evidence": None,
        "net_gain": outcome.net_gain if answered else None,
        "thresholds": asdict(outcome.thresholds) if answered else None,
        "tasks": [_task(each) for each in outcome.tasks] if answered else [],
        "regressions": [asdict(each) for each in outcome.regressions] if answered else [],
        "ambiguities": list(outcome.ambiguities) if answered else [],
        "only_in_candidate": list(outcome.only_in_candidate) if answered else [],
        "no_verdict": None if answered else {"reasons": list(outcome.reasons), "cures": list(outcome.cures)},
        "warnings": list(weighed.warnings),
        "baseline": _side(weighed.baseline),
        "candidate": _side(weighed.candidate),
    }


def junit_cases(weighed: Weighed) -> list[Case]:
    """One case per task of the baseline; no verdict is one case in error."""
    outcome = weighed.outcome
    if isinstance(outcome, NoVerdict):
        return [Case("verdict", error="; ".join((*outcome.reasons, *outcome.cures)))]
    failed = None if outcome.verdict != "regressed" else headline(outcome)
    return [Case("verdict", failure=failed, output=headline(outcome)), *(_case(each) for each in outcome.tasks)]


def github_commands(weighed: Weighed) -> str:
    """Workflow commands that GitHub shows beside the change."""
    outcome = weighed.outcome
    if isinstance(outcome, NoVerdict):
        lines = [_command("error", "Gate: no verdict", reason) for reason in outcome.reasons]
    else:
        level = "error" if outcome.verdict == "regressed" else "notice"
        lines = [_command(level, f"Gate: {outcome.verdict}", headline(outcome))]
        lines += [
            _command("error", f"Gate: {each.task}", f"{each.kind}: {each.detail}") for each in outcome.regressions
        ]
        lines += [_command("warning", "Gate: ambiguity", each) for each in outcome.ambiguities]
    return "".join(f"{line}\n" for line in lines)


def _command(level: str, title: str, message: str) -> str:
    def escaped(text: str, more: str = "") -> str:
        for mark in "%\r\n" + more:
            text = text.replace(mark, f"%{ord(mark):02X}")
        return text

    return f"::{level} title={escaped(title, ':,')}::{escaped(message)}"


def _case(each: TaskDelta) -> Case:
    failure = "; ".join(found.detail for found in each.regressions) or None
    flips = "\n".join(f"{flip.check}: {flip.baseline:g} → {flip.candidate:g}" for flip in each.flips)
    return Case(each.task, failure=failure, output=f"delta {each.delta}\n{flips}".strip())


def _task(each: TaskDelta) -> dict[str, Any]:
    return {
        "task": each.task,
        "delta": each.delta,
        "adjustment": each.adjustment,
        "adjusted_by": list(each.metrics),
        "judge": each.judge,
        "baseline": _standing(each.baseline),
        "candidate": None if each.candidate is None else _standing(each.candidate),
        "regressions": [asdict(found) for found in each.regressions],
        "flips": [asdict(flip) for flip in each.flips],
    }


def _standing(standing: Standing) -> dict[str, Any]:
    numbers = {key: getattr(standing, key) for key in ("passed", "total", "pass_rate", "judge", "composite")}
    rounded = {key: None if value is None else exact(value) for key, value in numbers.items()}
    return {"epochs": standing.epochs, **rounded, "cost": _cost(standing.cost), "claims": _cost(standing.claims)}


def _cost(cost: Cost) -> dict[str, float | None]:
    return {key: None if value is None else exact(value) for key, value in asdict(cost).items()}


def _side(side: Side) -> dict[str, Any]:
    return {**asdict(side), "sources": list(side.sources)}


def sarif(weighed: Weighed) -> str:
    """Hard regressions, ambiguities and a missing verdict, at the artifact that changed."""
    outcome, place = weighed.outcome, _changed_artifact(weighed)
    if isinstance(outcome, NoVerdict):
        places = [Place("no_verdict", "error", reason, place, 1, 1) for reason in outcome.reasons]
    else:
        places = [
            Place(each.kind, "error", f"{each.task}: {each.detail}", place, 1, 1, where=each.task)
            for each in outcome.regressions
        ]
        places += [Place("ambiguity", "warning", each, place, 1, 1) for each in outcome.ambiguities]
    return render_sarif("steelyard gate", RULES, places)


RULES = (
    Rule("missing", "Task missing", "The candidate has no run of a task the baseline has.", "error"),
    Rule("non_finite", "Value not finite", "A value of either side is not a finite number.", "error"),
    Rule("fewer_checks", "Fewer checks", "The candidate was weighed by fewer checks than the baseline.", "error"),
    Rule("objective", "Checks lost", "Fewer checks pass, or a smaller share of them.", "error"),
    Rule("composite", "Composite dropped", "The composite of a task dropped beyond the threshold.", "error"),
    Rule("ambiguity", "Ambiguity", "Something leaves the verdict less than clear; it forbids a promotion.", "warning"),
    Rule("no_verdict", "No verdict", "The two sides could not be weighed.", "error"),
)


def _changed_artifact(weighed: Weighed) -> str:
    """The first artifact in which the two configurations differ."""
    before, after = weighed.baseline.artifacts, weighed.candidate.artifacts
    differing = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    return differing[0] if differing else "steelyard.yaml"
