"""The evidence of a comparison: for a person, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard.gate.evidence.result import NOTHING, Evidence, Look, TaskEvidence
from steelyard.gate.model import Comparison
from steelyard.gate.report.path import e_value, path_figure
from steelyard.outcome import exact
from steelyard.report.document import Block, Bullets, Cell, Column, Heading, Tone, table
from steelyard.report.numbers import UNKNOWN, percent, score, signed, things

STATUS_TONE: dict[str, Tone] = {"ok": "plain", "suspect": "warn", "worse": "bad", "better": "good"}
"""What is shown about a task → its colour on every page."""

CONFIDENCE = {
    "confirmed": "and the interval agrees",
    "tentative": "and chance is not ruled out",
    "contradicted": "but the interval says otherwise",
    "not_estimable": "and nothing says how sure that is",
}


def shown(evidence: Evidence) -> str:
    """What the rounds have shown, in words: `no worse than −0.031, 95%`."""
    if evidence.shown is None:
        return "nothing is shown yet"
    return f"no worse than {signed(evidence.shown)}, {percent(1 - evidence.alpha, 0)}"


def mean_delta(evidence: Evidence) -> str:
    """The mean delta per task with its interval."""
    gain = evidence.net_gain
    if gain is None:
        return "mean delta per task unknown"
    return f"mean delta per task {signed(gain.estimate)} (95% interval {signed(gain.low)} to {signed(gain.high)})"


def evidence_blocks(outcome: Comparison, *, picture: bool = False) -> list[Block]:
    """The section on evidence, with the e-path as a picture where there is room; empty if there is none."""
    evidence = outcome.evidence
    if evidence is None:
        return []
    blocks: list[Block] = [Heading("Evidence", 2), Bullets(tuple(_lines(outcome, evidence)))]
    if picture and evidence.path:
        blocks.append(path_figure(evidence.path, outcome.policy))
    if evidence.suspects:
        columns = ("Task", Column("Δ", "right"), "95% interval", "Worst check", "Status")
        blocks.append(table(columns, [_row(task) for task in evidence.suspects[:20]]))
    return blocks


def _lines(outcome: Comparison, evidence: Evidence) -> list[str]:
    if evidence.confidence == "not_estimable":
        lines = [f"not estimable: {evidence.reason}", f"to estimate it: {evidence.next}"]
    else:
        lines = [
            f"{mean_delta(evidence)} over {things(evidence.design.tasks, 'task')} and "
            f"{things(evidence.design.rounds, 'round')}; {shown(evidence)}",
            f"P(the mean is below 0) {percent(evidence.p_regression)}; smallest effect this comparison would detect "
            f"80% of the time: {score(evidence.mde80)} per task",
        ]
        if outcome.policy.adaptive and evidence.latest is not None:  # under other policies they decide nothing
            lines.append(_e_values(evidence.latest, evidence))
        lines += [f"what would decide: {evidence.next}"] if evidence.next != NOTHING else []
    if outcome.contract is not None and outcome.contract != outcome.verdict:
        lines.append(f"the contract rule would have said {outcome.contract}")
    lines += [f"exploratory, cannot be promoted: {line}" for line in outcome.exploratory]
    return [*lines, evidence.fooled] if evidence.fooled else lines


def _e_values(now: Look, evidence: Evidence) -> str:
    needed = 1 / evidence.alpha
    gain, loss, safe = map(e_value, (now.e_improve, now.e_regress, now.e_safe))
    values = f"e-values: {gain} for a gain, {loss} for a loss, {safe} for no worse than −{score(evidence.margin)}"
    return f"{values} (decides at {needed:.4g}, a loss at {2 * needed:.4g})"


def _row(task: TaskEvidence) -> tuple[Cell | str, ...]:
    interval = UNKNOWN if task.low is None else f"{signed(task.low)} to {signed(task.high)}"
    return (
        task.task,
        signed(task.delta),
        interval,
        task.worst_check or UNKNOWN,
        Cell(task.status, STATUS_TONE[task.status]),
    )


def evidence_json(evidence: Evidence) -> dict[str, Any]:
    """The evidence as JSON (`evidence` of `gate.schema.json`)."""
    gain = evidence.net_gain
    numbers = ("p_regression", "mde80", "alpha", "margin", "shown", "chance_left")
    return {
        "design": asdict(evidence.design),
        "net_gain": None
        if gain is None
        else {
            "estimate": exact(gain.estimate),
            "ci95": [exact(gain.low), exact(gain.high)],
            "method": gain.method,
            "df": exact(gain.df),
        },
        **{name: _rounded(getattr(evidence, name)) for name in numbers},
        **_e_json(evidence.latest),
        "tasks": [_task(task) for task in evidence.tasks],
        "path": [_look(look) for look in evidence.path],
        "confidence": evidence.confidence,
        "decision": evidence.decision,
        "next": evidence.next,
        "reason": evidence.reason,
        "fooled": evidence.fooled,
    }


def _task(task: TaskEvidence) -> dict[str, Any]:
    return {
        "id": task.task,
        "delta": exact(task.delta),
        "ci": None if task.low is None or task.high is None else [exact(task.low), exact(task.high)],
        "p_drop_holm": _rounded(task.p_drop_holm),
        "e_drop": _significant(task.e_drop),
        "flake_rate": _rounded(task.flake_rate),
        "status": task.status,
        "worst_check": task.worst_check,
        "fallen": list(task.fallen),
    }


def _look(look: Look) -> dict[str, Any]:
    return {"round": look.round, **_e_json(look), "shown": _rounded(look.shown)}


def _e_json(look: Look | None) -> dict[str, float | None]:
    return {name: _significant(getattr(look, name, None)) for name in ("e_improve", "e_regress", "e_safe")}


def _rounded(value: float | None) -> float | None:
    return None if value is None else exact(value)


def _significant(value: float | None) -> float | None:
    # Not six decimals: e-values span many powers of ten, and small ones would become 0.
    return None if value is None else float(f"{value:.6g}")
