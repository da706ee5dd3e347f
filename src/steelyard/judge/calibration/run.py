"""Asking a panel about every labelled response, and measuring the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.judge.calibration.labels import Catalogue, Label, check, controls
from steelyard.judge.calibration.measure import Calibration, Marked, measure, quoted_agreement
from steelyard.judge.grade import Progress, ask_all, grade
from steelyard.judge.panel import Panel, by_protocol
from steelyard.judge.parse import Verdict
from steelyard.judge.protocol import Question
from steelyard.judge.question import question


async def calibrate(labels: Sequence[Label], rubrics: Catalogue, panel: Panel, progress: Progress) -> Calibration:
    """Grade every labelled response, and the built-in control answers if they fit the rubrics, and measure the result.

    A judge that is asked in one call also grades the responses by quoting, to show how far the two agree.
    """
    check(labels, rubrics.first, "the labels")
    rows = [*labels, *controls(rubrics.first)]
    # Before anybody is asked: a row may name a rubric that is not there.
    questions = [(row, question(rubrics.of(row), task=row.task, text=row.response)) for row in rows]
    quoting = replace(panel, judges=by_protocol(panel.judges, "quoted"))
    # Without the control answers, which are not averaged in either.
    again = [] if quoting.judges == panel.judges else questions[: len(labels)]
    asked = [(panel, each) for each in questions] + [(quoting, each) for each in again]
    answers = await ask_all(asked, _marked, progress)
    single, quoted = answers[: len(rows)], answers[len(rows) :]
    return replace(measure(single), quoted=quoted_agreement(single[: len(quoted)], quoted))


async def _marked(asked: tuple[Panel, tuple[Label, Question[Verdict]]]) -> Marked:
    panel, (row, put) = asked
    return Marked(row, await grade(put, panel))
