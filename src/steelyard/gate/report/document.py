"""The comparison as a document: the verdict first, then one table, flipped checks and cost."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.gate.compare import promotable
from steelyard.gate.evidence.result import Evidence
from steelyard.gate.model import COST_FIELDS, Comparison, NoVerdict, Side, Standing, TaskDelta, Verdict, Weighed
from steelyard.gate.report.activation import activation_blocks, part_blocks
from steelyard.gate.report.attempts import attempt_blocks
from steelyard.gate.report.changes import brief, change_blocks
from steelyard.gate.report.effects import effects_figure
from steelyard.gate.report.evidence import CONFIDENCE, STATUS_TONE, evidence_blocks, mean_delta, shown
from steelyard.gate.report.quarantined import quarantined
from steelyard.judge.judgement import concord_text
from steelyard.report.document import (
    Block,
    Bullets,
    Cell,
    Column,
    Document,
    Figure,
    Heading,
    Paragraph,
    Table,
    Tone,
    table,
)
from steelyard.report.numbers import UNKNOWN, count, percent, score, seconds, signed, things, usd

TONE: dict[Verdict, Tone] = {
    "improved": "good",
    "mixed": "bad",
    "neutral": "plain",
    "regressed": "bad",
    "undecided": "warn",
}

_ROWS = 200
"""Tasks listed one by one, changed ones first; the rest is counted."""

_COST_NAMES = {
    "tokens": "tokens",
    "tool_calls": "tool calls",
    "steps": "steps",
    "wall_clock_ms": "wall clock",
    "cost_usd": "USD",
}


def document(weighed: Weighed, *, pictures: bool = False) -> Document:
    """The report of a comparison, or of why there is none."""
    outcome = weighed.outcome
    blocks = _unanswered(outcome) if isinstance(outcome, NoVerdict) else _answered(outcome, weighed, pictures=pictures)
    blocks += [] if weighed.activations is None else activation_blocks(weighed.activations)
    blocks += part_blocks(weighed.parts)
    notes = [Heading("Notes", 2), Bullets(weighed.warnings)] if weighed.warnings else []
    return Document(
        _title(outcome),
        (*differing_blocks(weighed.differing), *blocks, *notes, *_corrected(weighed), _provenance(weighed)),
    )


def differing_blocks(lines: tuple[str, ...]) -> list[Block]:
    """What decides otherwise than by default, or than the base says: first, because it colours everything below."""
    return (
        [Paragraph("Settings that differ from the defaults or from the base:", "warn"), Bullets(lines)] if lines else []
    )


def headline(outcome: Comparison | NoVerdict) -> str:
    """The answer in one sentence, and what is under test where the logs say it."""
    tested = outcome.under_test if isinstance(outcome, Comparison) else ()
    # Values are shown as they are, and many a prompt ends in a full stop of its own.
    return f"{_sentence(outcome)} Under test: {'; '.join(tested).removesuffix('.')}." if tested else _sentence(outcome)


def _sentence(outcome: Comparison | NoVerdict) -> str:
    if isinstance(outcome, NoVerdict):
        return f"{'Unchanged' if outcome.unchanged else 'No verdict'}: {outcome.reasons[0]}."
    if not outcome.by_contract and outcome.evidence is not None:
        return _by_evidence(outcome, outcome.evidence)
    return f"{_by_contract(outcome)}{_sure(outcome)}."


def _by_contract(outcome: Comparison) -> str:
    """The answer of §3.2."""
    broken = len({regression.task for regression in outcome.regressions})
    words = f"net gain {signed(outcome.net_gain)} over {things(len(outcome.tasks), 'task')}"
    match outcome.verdict:
        case "regressed":
            return f"Regressed: {broken} of {things(len(outcome.tasks), 'task')} with a hard regression ({words})"
        case "improved":
            return f"Improved: {words}, no hard regression"
        case "neutral" if outcome.net_gain < 0:
            return f"Neutral: a net loss ({words}), but no hard regression"
        case _:
            return f"Neutral: {words}, more than {score(outcome.thresholds.min_composite_gain)} is needed"


def _sure(outcome: Comparison) -> str:
    """How sure the answer of §3.2 is, as its last words: one headline that its evidence supports."""
    return f", {CONFIDENCE[outcome.evidence.confidence]}" if outcome.evidence is not None else ""


def _by_evidence(outcome: Comparison, evidence: Evidence) -> str:
    """The answer of a policy that weighs evidence, with what was shown."""
    rounds = f"after {things(evidence.design.rounds, 'round')}"
    if evidence.design.baseline == "historical":
        rounds += f", against a historical baseline (allowance for drift ±{score(evidence.design.drift)})"
    if outcome.verdict == "mixed":
        return f"Mixed {rounds}: {brief(outcome)}; {mean_delta(evidence)}."
    if outcome.regressions:
        details = "; ".join(f"{regression.task}: {regression.detail}" for regression in outcome.regressions[:3])
        return f"Regressed {rounds}: {details}."
    if evidence.confidence == "not_estimable":
        return f"Undecided: {evidence.reason}; {evidence.next}."
    state = f"{mean_delta(evidence)}; {shown(evidence)}"
    if outcome.verdict == "undecided":
        return f"Undecided {rounds}: {state}. What would decide: {evidence.next}."
    accepted = f"; accepted losses: {', '.join(loss.name for loss in outcome.accepted)}" if outcome.accepted else ""
    return f"{outcome.verdict.capitalize()} {rounds}: {state}{accepted}."


def changed(outcome: Comparison) -> tuple[TaskDelta, ...]:
    """The tasks in which anything differs, the worst first."""
    deltas = [delta for delta in outcome.tasks if delta.regressions or delta.flips or delta.delta]
    return tuple(sorted(deltas, key=lambda delta: (not delta.regressions, delta.delta or 0.0, delta.task)))


def _title(outcome: Comparison | NoVerdict) -> str:
    if isinstance(outcome, NoVerdict):
        return "Gate: unchanged" if outcome.unchanged else "Gate: no verdict"
    return f"Gate: {outcome.verdict}"


def _unanswered(outcome: NoVerdict) -> list[Block]:
    if outcome.unchanged:
        return [Paragraph(headline(outcome)), Bullets(outcome.cures)]
    blocks: list[Block] = [
        Paragraph("No verdict. The two sides could not be compared:", "bad"),
        Bullets(outcome.reasons),
    ]
    return [*blocks, Paragraph("What helps:"), Bullets(outcome.cures)] if outcome.cures else blocks


def _answered(outcome: Comparison, weighed: Weighed, *, pictures: bool) -> list[Block]:
    evidence, decides = evidence_blocks(outcome, picture=pictures), not outcome.by_contract
    blocks: list[Block] = [Paragraph(headline(outcome), TONE[outcome.verdict]), *attempt_blocks(weighed)]
    blocks += change_blocks(outcome, weighed)
    chart = _chart(outcome, outcome.evidence) if pictures and outcome.evidence else None
    tasks: list[Block] = [Heading("Tasks", 2), *([chart] if chart else []), _tasks(outcome)]
    blocks += [*evidence, *tasks] if decides else tasks
    if outcome.regressions:
        lines = tuple(f"{regression.task}: {regression.detail}" for regression in outcome.regressions)
        blocks += [Heading("Hard regressions", 2), Bullets(lines)]
    if flips := tuple(_flips(outcome)):
        blocks += [Heading("What flipped", 2), Bullets(flips)]
    blocks += [*([] if decides else evidence), Heading("Cost", 2), Bullets(tuple(_cost(outcome)))]
    if outcome.ambiguities:
        blocks += [Heading("Ambiguities", 2), Bullets(outcome.ambiguities)]
    blocks += quarantined(outcome)
    if outcome.only_in_candidate:
        blocks.append(Paragraph(f"Only in the candidate, not counted: {', '.join(outcome.only_in_candidate)}", "muted"))
    return [*blocks, Paragraph(_promotion(weighed))]


def _chart(outcome: Comparison, evidence: Evidence) -> Figure | None:
    return effects_figure(evidence.tasks, {regression.task for regression in outcome.regressions})


def _promotion(weighed: Weighed) -> str:
    if weighed.candidate.kind != "gate" or weighed.baseline.kind != "gate":
        return "For comparison only: nothing but a gate run can be promoted."
    return f"This change {'may' if promotable(weighed) else 'may not'} be promoted."


def _tasks(outcome: Comparison) -> Table:
    first = changed(outcome)
    names = {delta.task for delta in first}
    listed = [*first, *(delta for delta in outcome.tasks if delta.task not in names)][:_ROWS]
    columns = ("Task", "Checks", "Composite", Column("Δ", "right"), "Note")
    rest = len(outcome.tasks) - len(listed)
    tones: Mapping[str, Tone] = (
        {task.task: STATUS_TONE[task.status] for task in outcome.evidence.tasks} if outcome.evidence else {}
    )
    return table(
        columns, [_row(delta, tones) for delta in listed], f"not shown: {things(rest, 'more task')}" if rest else ""
    )


def _row(delta: TaskDelta, tones: Mapping[str, Tone]) -> tuple[Cell | str, ...]:
    """One task; green and red mean what they mean in the picture: shown, not merely moved."""
    before, after = delta.baseline, delta.candidate
    tone: Tone = "bad" if delta.regressions else tones.get(delta.task, "plain")
    return (
        delta.task,
        f"{_checks(before)} → {_checks(after)}",
        f"{score(before.composite)} → {score(after.composite if after else None)}",
        Cell(signed(delta.delta), tone),
        _remark(delta),
    )


def _remark(delta: TaskDelta) -> str:
    if delta.regressions:
        kinds = dict.fromkeys(regression.kind.replace("_", " ") for regression in delta.regressions)
        return f"regression: {', '.join(kinds)}"
    words = [f"cost {signed(delta.adjustment)}"] if delta.adjustment else []
    return ", ".join([*words, *(["judge dropped"] if delta.judge == "dropped" else [])])


def _checks(standing: Standing | None) -> str:
    if standing is None or standing.passed is None or standing.total is None:
        return UNKNOWN
    return f"{_number(standing.passed)}/{_number(standing.total)}" if standing.total else "none"


def _number(value: float) -> str:
    return count(value) if value == int(value) else score(value, 2)


def _flips(outcome: Comparison) -> list[str]:
    lines: list[str] = []
    for delta in changed(outcome):
        for flip in delta.flips:
            lines.append(f"{delta.task}: {flip.check}: {_passes(flip.baseline)} → {_passes(flip.candidate)}")
        if not delta.flips and delta.candidate and (delta.baseline.passed != delta.candidate.passed):
            lines.append(f"{delta.task}: checks passed {_checks(delta.baseline)} → {_checks(delta.candidate)}")
    return lines


def _passes(share: float) -> str:
    return {0.0: "failed", 1.0: "passed"}.get(share, f"passed {percent(share, 0)} of rounds")


def _cost(outcome: Comparison) -> list[str]:
    """Sums of the tasks' means, over the tasks in which both sides know the metric."""
    lines = [_cost_line(outcome, metric, "cost", "") for metric in COST_FIELDS]
    lines += [_cost_line(outcome, metric, "claims", _uncounted(metric)) for metric in COST_FIELDS]
    return [line for line in lines if line] or ["unknown: no metric was measured on both sides"]


def _uncounted(metric: str) -> str:
    return " (too short to compare, not counted)" if metric == "wall_clock_ms" else " (claimed, not counted)"


def _cost_line(outcome: Comparison, metric: str, kind: str, remark: str) -> str | None:
    pairs = _pairs(outcome, metric, kind)
    if not pairs:
        return None
    before, after = (sum(side) for side in zip(*pairs, strict=True))
    change = f" ({signed((after / before - 1) * 100, 0)}%)" if before else ""
    tasks = len(outcome.tasks)
    known = "" if len(pairs) == tasks else f", known on {len(pairs)} of {things(tasks, 'task')}"
    return f"{_COST_NAMES[metric]}{remark}: {_amount(metric, before)} → {_amount(metric, after)}{change}{known}"


def _pairs(outcome: Comparison, metric: str, kind: str) -> list[tuple[float, float]]:
    both = [(delta.baseline, delta.candidate) for delta in outcome.tasks]
    values = [
        (getattr(getattr(before, kind), metric), getattr(getattr(after, kind), metric))
        for before, after in both
        if after is not None
    ]
    return [(before, after) for before, after in values if before is not None and after is not None]


def _amount(metric: str, value: float | None) -> str:
    if metric == "wall_clock_ms":
        return seconds(None if value is None else value / 1000)
    return usd(value) if metric == "cost_usd" else count(value)


def _corrected(weighed: Weighed) -> list[Block]:
    """What labels on record say about the judge."""
    found = weighed.judge_correction
    return [] if found is None else [Paragraph(found.text, "plain" if found.same else "warn")]


def _provenance(weighed: Weighed) -> Paragraph:
    return Paragraph(f"Baseline: {_side(weighed.baseline)}. Candidate: {_side(weighed.candidate)}.", "muted")


def _side(side: Side) -> str:
    parts = [f"{side.label} ({things(side.runs, 'run')}"]
    parts += [f"{name} {value}" for name, value in (("agent", side.agent), ("model", side.model)) if value]
    parts += [f"config {side.config}"] if side.config else []
    parts += [f"judge {side.judge}, {side.judge_standing}"] if side.judge else []
    parts += [concord_text(side.judge_agreement)] if side.judge_agreement else []
    parts += [f"run {side.created[:10]}"] if side.created else []
    parts += ["historical"] if side.historical else []
    return ", ".join(parts) + ")"
