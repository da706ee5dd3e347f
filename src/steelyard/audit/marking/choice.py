"""Who marks: one of a judge, a person's sheet, or words; and the marks they give for the runs of one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from steelyard.audit.marking import lexical
from steelyard.audit.marking.judge import control_marks, flags_of, judge_marks
from steelyard.audit.marking.questions import Brief
from steelyard.audit.marking.sheet import Sheet, sheet_marks
from steelyard.audit.model import Marker, Marks, Output
from steelyard.errors import InputError, JudgeError
from steelyard.judge.calibration.record import calibration_status
from steelyard.judge.panel import Panel
from steelyard.outcome import Unscored

THREE_WAYS = "--judge NAME, --marks SHEET.yaml (`steelyard audit sheet` makes an empty one), or --lexical"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of three ways to mark."""

    panel: Panel | None = None
    sheet: Sheet | None = None
    lexical: bool = False

    def __post_init__(self) -> None:
        named = sum((self.panel is not None, self.sheet is not None, self.lexical))
        if named == 0:
            raise InputError("nobody is named to mark the runs", cure=f"three ways: {THREE_WAYS}")
        if named > 1:
            raise InputError("the runs can be marked in one way only", cure=f"choose one: {THREE_WAYS}")

    def marker(self, brief: Brief) -> Marker:
        """Who marks, for reports."""
        if self.panel is not None:
            return Marker("judge", self.panel.identity, calibration_status(self.panel.identity, brief.identity))
        return Marker("marks", self.sheet.marked_by) if self.sheet is not None else Marker("lexical", lexical.NAME)


def marked(brief: Brief, outputs: Sequence[Output], choice: Choice) -> list[Marks]:
    """Marks for all runs of one document; a run the judge leaves open is a `JudgeError`."""
    if not brief.key.problems:
        return [control_marks(output) for output in outputs]
    if choice.sheet is not None:
        return [_by_person(brief, choice.sheet, output, place) for place, output in enumerate(outputs)]
    if choice.panel is None:
        return [lexical.lexical_marks(brief.key, output, brief.perspective, brief.document) for output in outputs]
    return [_by_judge(brief, output, choice.panel) for output in outputs]


def _by_person(brief: Brief, sheet: Sheet, output: Output, place: int) -> Marks:
    marks = sheet_marks(sheet, output, place, brief.key.problems)
    flags = (*marks.flags, *flags_of(brief, output))
    return Marks(marks.claims, marks.rulings, marks.notes, flags, marks.added, marks.record)


def _by_judge(brief: Brief, output: Output, panel: Panel) -> Marks:
    import anyio

    marks = anyio.run(partial(judge_marks, brief, output, panel))
    if isinstance(marks, Unscored):
        raise JudgeError(
            f"{output.name} is unscored, the judge gave no verdict: {marks.reason}",
            cure="run the command again, or name another --judge",
        )
    return marks
