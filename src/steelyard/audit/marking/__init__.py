"""Marks for the runs of one document: one of six ways to mark, and one function that applies it.

A control document has no planted problems: every finding on it is a false alarm, whichever way was chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from steelyard.audit.consequence.marks import Repair, consequence_marks
from steelyard.audit.marking import lexical
from steelyard.audit.marking.ask import Reply, reply_marks
from steelyard.audit.marking.flags import flags_of
from steelyard.audit.marking.located import NAME, located_marks
from steelyard.audit.marking.questions import Brief
from steelyard.audit.marking.sheet import Sheet, sheet_marks
from steelyard.audit.metadata import PASTED_BY_UNKNOWN
from steelyard.audit.model import Marker, Marks, Output, Ruling
from steelyard.errors import InputError, JudgeError
from steelyard.judge.panel import Panel
from steelyard.outcome import Unscored

WAYS = (
    "--judge NAME, --marks SHEET.yaml (`steelyard audit mark` fills one in), "
    "--verdict REPLY.txt (`steelyard audit mark --as chat` writes the questions), --lexical, or --located"
)
"""The ways to mark, as error messages name them."""

CLEAN = Marker("lexical", "nobody: a clean document")
"""The marker of a document without planted problems: there is nothing to mark."""

FALSE_ALARM = "clean document: every finding is a false alarm"


@dataclass(frozen=True, slots=True)
class ByJudge:
    """Judge models decide."""

    panel: Panel


@dataclass(frozen=True, slots=True)
class BySheet:
    """A person decided, on a filled-in sheet."""

    sheet: Sheet


@dataclass(frozen=True, slots=True)
class ByWords:
    """Word overlap decides: offline, deterministic, advisory."""


@dataclass(frozen=True, slots=True)
class ByPlace:
    """File and line decide: for tools that name them, against keys that do."""


@dataclass(frozen=True, slots=True)
class ByReply:
    """A chat decided; its reply to the questions of `steelyard audit mark --as chat` was saved."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class ByConsequence:
    """What a repair made of each finding decides; the document was planted."""

    repairs: Mapping[str, Repair]
    """Key of a finding → what its repair did."""
    fixer: str


Way: TypeAlias = ByJudge | BySheet | ByReply | ByWords | ByPlace | ByConsequence
"""How runs are marked."""


def chosen_way(
    panel: Panel | None, sheet: Sheet | None, lexical: bool, located: bool = False, reply: Reply | None = None
) -> Way:
    """The one way that was chosen; `InputError` for none or several."""
    given: tuple[Way | None, ...] = (
        None if panel is None else ByJudge(panel),
        None if sheet is None else BySheet(sheet),
        None if reply is None else ByReply(reply),
        ByWords() if lexical else None,
        ByPlace() if located else None,
    )
    ways = [way for way in given if way is not None]
    if len(ways) != 1:
        count = "more than one way" if ways else "no way"
        raise InputError(f"{count} to mark the runs was chosen", cure=f"choose one: {WAYS}")
    return ways[0]


def marker(brief: Brief, way: Way) -> Marker:
    """Who marks, for reports."""
    if not brief.key.problems:
        return CLEAN
    match way:
        case ByJudge(panel):
            from steelyard.judge.calibration.record import calibration_status  # reads files; the other ways do without

            return Marker("judge", panel.identity, calibration_status(panel.identity, brief.identity))
        case BySheet(sheet):
            return Marker("marks", sheet.marked_by)
        case ByReply(reply):
            who = f"{reply.model}, reply pasted" if reply.model else PASTED_BY_UNKNOWN
            return Marker("judge", who, "uncalibrated")
        case ByWords():
            return Marker("lexical", lexical.NAME)
        case ByPlace():
            return Marker("located", NAME)
        case ByConsequence(_, fixer):
            return Marker("consequence", f"consequence: repairs by {fixer}")
        case _:
            assert_never(way)


def marks(brief: Brief, outputs: Sequence[Output], way: Way) -> list[Marks]:
    """Marks for all runs of one document; raises `JudgeError` for a run that the judge leaves without a verdict."""
    if isinstance(way, ByJudge) and brief.key.problems:
        return [_judged(brief, output, way) for output in outputs]
    if isinstance(way, ByReply) and brief.key.problems:
        given = reply_marks(brief, outputs, way.reply)
    else:
        given = [_unjudged(brief, output, way, position) for position, output in enumerate(outputs)]
    return [_flagged(brief, output, each) for output, each in zip(outputs, given, strict=True)]


async def marks_of_run(brief: Brief, output: Output, way: Way) -> Marks | Unscored:
    """Marks for one run inside a running event loop; `Unscored` when the judge gives no verdict."""
    if isinstance(way, ByJudge) and brief.key.problems:
        from steelyard.audit.marking.judge import judge_marks

        given = await judge_marks(brief, output, way.panel)
        return given if isinstance(given, Unscored) else _flagged(brief, output, given)
    return _flagged(brief, output, _unjudged(brief, output, way))


def _flagged(brief: Brief, output: Output, given: Marks) -> Marks:
    """The marks with what is suspicious about the run, which changes none of them."""
    found = flags_of(output, brief.key, brief.document)
    return replace(given, flags=tuple(dict.fromkeys((*given.flags, *found))))


def _judged(brief: Brief, output: Output, way: ByJudge) -> Marks:
    import anyio

    verdict = anyio.run(marks_of_run, brief, output, way)
    if isinstance(verdict, Unscored):
        raise JudgeError(
            f"{output.name} is unscored, the judge gave no verdict: {verdict.reason}",
            cure="run the command again, or choose another --judge",
        )
    return verdict


def _unjudged(brief: Brief, output: Output, way: Way, position: int = 0) -> Marks:
    """Marks that need no model; `position` is the place of the run for a sheet that does not name its runs."""
    # A judge comes here only with a clean document.
    if isinstance(way, ByJudge) or not brief.key.problems:
        return control_marks(output)
    if isinstance(way, ByReply):
        return reply_marks(brief, [output], way.reply)[0]
    if isinstance(way, BySheet):
        return sheet_marks(way.sheet, output, position, brief.key.problems)
    if isinstance(way, ByPlace):
        return located_marks(brief.key, output)
    if isinstance(way, ByConsequence):
        return consequence_marks(brief.key, output, way.repairs)
    return lexical.lexical_marks(brief.key, output, brief.perspective, brief.document)


def control_marks(output: Output) -> Marks:
    """Marks for a run on a document without planted problems."""
    return Marks(rulings=tuple(Ruling(finding.index, "penalty", FALSE_ALARM) for finding in output.findings))
