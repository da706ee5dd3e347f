"""The comparison for CI systems: JUnit, SARIF and GitHub annotations."""

from __future__ import annotations

import posixpath

from steelyard.gate.model import Comparison, NoVerdict, Regression, TaskDelta, Weighed
from steelyard.gate.report.changes import loss_line, parting_json, parting_words
from steelyard.gate.report.document import headline
from steelyard.gate.settings import FILE
from steelyard.report.junit import Case
from steelyard.report.junit import render as render_junit
from steelyard.report.sarif import Place, Rule
from steelyard.report.sarif import render as render_sarif

TOOL = "steelyard gate"
"""Who speaks, in SARIF."""

RULES = (
    Rule("settings", "Settings differ", "A setting differs from the base or from its default.", "note"),
    Rule("missing", "Task missing", "The candidate has no run of a task the baseline has.", "error"),
    Rule("non_finite", "Value not finite", "A value of either side is not a finite number.", "error"),
    Rule("fewer_checks", "Fewer checks", "The candidate has fewer checks than the baseline.", "error"),
    Rule("objective", "Checks lost", "Fewer checks pass, or a smaller share of them.", "error"),
    Rule("composite", "Composite dropped", "The composite of a task dropped beyond the threshold.", "error"),
    Rule("confirmed", "Confirmed worse", "Rounds of both sides show that a task has become worse.", "error"),
    Rule("mixed", "Mixed", "Gains and losses are both shown.", "error"),
    Rule("suspect", "Suspect", "A task looks worse and is neither cleared nor confirmed yet.", "warning"),
    Rule("undecided", "Undecided", "The rounds so far do not decide.", "warning"),
    Rule("ambiguity", "Ambiguity", "The verdict is in doubt; this forbids a promotion.", "warning"),
    Rule("no_verdict", "No verdict", "The two sides could not be compared.", "error"),
)
"""Every rule that a result can cite."""


def junit(weighed: Weighed) -> str:
    """One JUnit case per task of the baseline, and one for the verdict."""
    return render_junit("steelyard.gate", junit_cases(weighed))


def junit_cases(weighed: Weighed) -> list[Case]:
    """One case per task of the baseline; without a verdict, one case in error. The output of the verdict begins
    with the settings that differ and ends with the notes.

    If nothing changed, there is nothing to judge, and the one case is skipped.
    """
    outcome, line = weighed.outcome, headline(weighed.outcome)
    said = () if isinstance(outcome, NoVerdict) else (line,)
    output = "\n".join((*weighed.differing, *said, *weighed.warnings))
    if isinstance(outcome, NoVerdict) and outcome.unchanged:
        return [Case("verdict", skipped=line, output=output)]
    if isinstance(outcome, NoVerdict):
        return [Case("verdict", error="; ".join((*outcome.reasons, *outcome.cures)), output=output)]
    failed, open_ = outcome.verdict in ("regressed", "mixed"), outcome.verdict == "undecided"
    verdict = Case("verdict", failure=line if failed else None, error=line if open_ else None, output=output)
    fell = {task.task: loss_line(task, weighed) for task in (outcome.evidence.losses if outcome.evidence else ())}
    return [verdict, *(_case(delta, fell.get(delta.task, "")) for delta in outcome.tasks)]


def _case(delta: TaskDelta, fell: str) -> Case:
    failure = "; ".join(regression.detail for regression in delta.regressions) or None
    flips = "\n".join(f"{flip.check}: {flip.baseline:g} → {flip.candidate:g}" for flip in delta.flips)
    return Case(delta.task, failure=failure, output=f"delta {delta.delta}\n{fell}\n{flips}".strip())


def sarif(weighed: Weighed) -> str:
    """The comparison as a SARIF log."""
    return render_sarif(TOOL, RULES, sarif_places(weighed))


def sarif_places(weighed: Weighed) -> list[Place]:
    """Settings that differ first; then hard regressions, ambiguities and a missing verdict, at the changed artifact."""
    outcome, place = weighed.outcome, _changed_artifact(weighed)
    if isinstance(outcome, NoVerdict) and outcome.unchanged:
        places = []
    elif isinstance(outcome, NoVerdict):
        places = [Place("no_verdict", "error", reason, place, 1, 1) for reason in outcome.reasons]
    else:
        places = [_regression_place(regression, weighed, place) for regression in outcome.regressions]
        places += [Place("ambiguity", "warning", ambiguity, place, 1, 1) for ambiguity in outcome.ambiguities]
        places += [Place(rule, "warning", line, place, 1, 1) for rule, line in _doubts(outcome)]
    differing = [Place("settings", "note", line, FILE, 1, 1) for line in weighed.differing]
    return [*differing, *places]


def _regression_place(regression: Regression, weighed: Weighed, uri: str) -> Place:
    """A hard regression, with the step at which the transcripts part where logs tell."""
    parting = weighed.partings.get(regression.task)
    words = [f"{regression.task}: {regression.detail}", *([] if parting is None else [parting_words(parting)])]
    facts = {} if parting is None else {"parts_at": parting_json(weighed, regression.task)}
    where = regression.task
    return Place(regression.kind, "error", "; ".join(words), uri, 1, 1, where=where, properties=facts)


def _doubts(outcome: Comparison) -> list[tuple[str, str]]:
    """(rule, line) for an undecided verdict and for every suspect that stands in the way of a good one."""
    if outcome.by_contract:
        return []
    lines = [(outcome.verdict, headline(outcome))] if outcome.verdict in ("undecided", "mixed") else []
    suspects = outcome.evidence.suspects if outcome.evidence else ()
    return [*lines, *(("suspect", f"{task.task} looks worse") for task in suspects if task.status == "suspect")]


def _changed_artifact(weighed: Weighed) -> str:
    """The first artifact in which the two configurations differ, as the repository knows it."""
    before, after = weighed.baseline.artifacts, weighed.candidate.artifacts
    differing = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    return posixpath.join(weighed.candidate.folder or "", differing[0]) if differing else FILE


def github_commands(weighed: Weighed, name: str = "Gate") -> str:
    """Workflow commands that GitHub shows as annotations; `name` begins the title of each."""
    outcome = weighed.outcome
    differing = [_command("warning", f"{name}: settings differ", line) for line in weighed.differing]
    if isinstance(outcome, NoVerdict) and outcome.unchanged:
        lines = [_command("notice", f"{name}: unchanged", headline(outcome))]
    elif isinstance(outcome, NoVerdict):
        lines = [_command("error", f"{name}: no verdict", reason) for reason in outcome.reasons]
    else:
        level = {"regressed": "error", "mixed": "error", "undecided": "warning"}.get(outcome.verdict, "notice")
        lines = [_command(level, f"{name}: {outcome.verdict}", headline(outcome))]
        lines += [
            _command("error", f"{name}: {regression.task}", f"{regression.kind}: {regression.detail}")
            for regression in outcome.regressions
        ]
        lines += [_command("warning", f"{name}: ambiguity", ambiguity) for ambiguity in outcome.ambiguities]
    return "".join(f"{line}\n" for line in (*differing, *lines))


def _command(level: str, title: str, message: str) -> str:
    def escaped(text: str, more: str = "") -> str:
        # The percent sign first: every other escape begins with one.
        for mark in "%\r\n" + more:
            text = text.replace(mark, f"%{ord(mark):02X}")
        return text

    return f"::{level} title={escaped(title, ':,')}::{escaped(message)}"
