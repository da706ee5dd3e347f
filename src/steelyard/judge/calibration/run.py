"""Asking a panel about every labelled response, and measuring the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from steelyard.judge.calibration.labels import Catalogue, Label, check, controls
from steelyard.judge.calibration.measure import Calibration, Marked, measure, quoted_agreement
from steelyard.judge.grade import Judgement, Progress, ask_all, grade, mean_verdict
from steelyard.judge.judgement import UNUSABLE
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
    questions = [(row, question(rubrics.of(row), task=row.task, text=row.response)) for row in rows]
    quoting = replace(panel, judges=by_protocol(panel.judges, "quoted"))
    # Without the control answers, which are not averaged in either.
    again = [] if quoting.judges == panel.judges else questions[: len(labels)]
    asked = [(panel, row, put) for row, put in questions] + [(quoting, row, put) for row, put in again]
    marked = await ask_all(asked, _marked, progress)
    quoted = quoted_agreement(marked[: len(again)], marked[len(questions) :])
    return replace(measure(marked[: len(questions)]), quoted=quoted)


async def _marked(asked: tuple[Panel, Label, Question[Verdict]]) -> Marked:
    panel, row, put = asked
    answer = await grade(put, panel)
    known = answer.metadata()
    shown, lost = known["judge_decoys"], known[UNUSABLE]
    marked = Marked(row, None, decoys=(shown["shown"], shown["taken"]), unusable=(lost[0], lost[1]))
    if not isinstance(answer, Judgement):
        return replace(marked, reason=answer.reason)
    draws: dict[str, list[Mapping[str, float]]] = {}
    for call, verdict in zip(answer.calls, answer.verdicts, strict=True):
        draws.setdefault(call.judge, []).append(verdict.scores)
    return replace(marked, scores=mean_verdict(answer).scores, draws=draws)
