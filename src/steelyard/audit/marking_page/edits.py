"""What a person can do on the marking page, as changes to the text of the sheet."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, assert_never

from pydantic import Field, TypeAdapter, ValidationError

from steelyard.audit.marking.sheet import OPEN, SheetRun
from steelyard.audit.model import SYMBOLS, Finding, Mark, Problem, Ruled
from steelyard.audit.text import contains, place_of
from steelyard.errors import InputError
from steelyard.yamledit import assigned
from steelyard.yamlfile import Strict, sentence

_FEWEST_WORDS = 4
"""Words by which a split is recorded, if they are unique in the finding."""

_Text = Annotated[str, Field(max_length=5_000)]


class _Edit(Strict, strict=True):
    run: int = Field(ge=0)
    """The place of the run on the page; 0 is the first."""


class MarkEdit(_Edit):
    """Mark a problem, or open it again."""

    kind: Literal["mark"]
    problem: str
    mark: Mark | None
    finding: int | None = None
    quote: _Text = ""
    note: _Text = ""


class RuleEdit(_Edit):
    """Rule on a finding that serves no problem."""

    kind: Literal["rule"]
    finding: int
    verdict: Ruled
    reason: _Text = ""


class MergeEdit(_Edit):
    """Make a finding part of another."""

    kind: Literal["merge"]
    finding: int
    into: int


class SplitEdit(_Edit):
    """Make what begins with these words a finding of its own."""

    kind: Literal["split"]
    finding: int
    words: _Text


class UndoEdit(_Edit):
    """Take the last change back."""

    kind: Literal["undo"]


RunEdit: TypeAlias = MarkEdit | RuleEdit | MergeEdit | SplitEdit
"""A change to one run."""

_EDIT: TypeAdapter[RunEdit | UndoEdit] = TypeAdapter(Annotated[RunEdit | UndoEdit, Field(discriminator="kind")])


def parse_edit(data: bytes) -> RunEdit | UndoEdit:
    """The change that a request asks for."""
    try:
        return _EDIT.validate_json(data)
    except ValidationError as error:
        raise InputError(f"not a change to a sheet: {sentence(error)}") from error


def changed(text: str, source: str, run: SheetRun, problems: tuple[Problem, ...], edit: RunEdit) -> str:
    """The text of the sheet after a change; `InputError` if the change does not fit the run."""
    above: list[str | int] = ["runs", run.place]
    match edit:
        case MarkEdit():
            # As the sheet spells it: next to `p1`, an entry `P01` would be a second mark.
            name = run.cells[edit.problem].name if edit.problem in run.cells else edit.problem
            return assigned(text, [*above, "problems", name], _mark(run, problems, edit), source)
        case RuleEdit():
            finding = _finding(run, edit.finding)
            value = {"verdict": edit.verdict, "reason": edit.reason}
            return assigned(text, [*above, "findings", finding.id], value, source)
        case MergeEdit():
            part, whole = _finding(run, edit.finding), _finding(run, edit.into)
            if part.index == whole.index:
                raise InputError(f"{part.id} cannot be merged into itself")
            text = assigned(text, [*above, "merged", part.id], whole.id, source)
            # A blank sheet rules `neither` on every finding, which would outrank the ruling on the merged part.
            ruled = {ruling.finding: ruling for ruling in run.rulings if ruling.verdict != "neither"}
            if part.index not in ruled or whole.index in ruled:
                return text
            value = {"verdict": ruled[part.index].verdict, "reason": ruled[part.index].reason}
            return assigned(text, [*above, "findings", whole.id], value, source)
        case SplitEdit():
            finding = _finding(run, edit.finding)
            value = {"from": finding.id, "words": _beginning(finding, edit.words)}
            return assigned(text, [*above, "split", _free_name(run)], value, source)
        case _:
            assert_never(edit)


def _mark(run: SheetRun, problems: tuple[Problem, ...], edit: MarkEdit) -> dict[str, str]:
    if all(problem.id != edit.problem for problem in problems):
        raise InputError(f"{edit.problem!r} is not a problem in the key")
    finding = None if edit.finding is None else _finding(run, edit.finding)
    texts = [run.output.text, *([finding.text] if finding else [])]
    if edit.quote and not any(contains(text, edit.quote) for text in texts):
        raise InputError(f"the selected words are not in {run.output.name}")
    if edit.mark in ("detected", "partial") and finding is None and not edit.quote:
        raise InputError("a ○ or △ needs the finding it is given for", cure="choose one, or select words of the run")
    value = {"mark": SYMBOLS[edit.mark] if edit.mark else OPEN}
    if edit.mark != "missed":
        value |= {"finding": finding.id} if finding else {}
        value |= {"quote": edit.quote} if edit.quote else {}
    return value | ({"note": edit.note} if edit.note else {})


def _finding(run: SheetRun, index: int) -> Finding:
    finding = next((finding for finding in run.output.findings if finding.index == index), None)
    if finding is None:
        raise InputError(f"{run.output.name} has no finding F{index:02d}")
    return finding


def _free_name(run: SheetRun) -> str:
    """The next number that no finding has, or had before it was merged."""
    fields = run.entry.mapping("a run")
    names = [finding.id for finding in run.output.findings]
    for field in ("merged", "split"):
        names += fields[field].mapping(field) if field in fields and fields[field].value else ()
    numbers = [int(name[1:]) for name in names if name[1:].isdecimal()]
    return f"F{max(numbers) + 1:02d}"


def _beginning(finding: Finding, words: str) -> str:
    """As few of the words as it takes to find the place again."""
    place = place_of(finding.text, words)
    if place is None:
        raise InputError(f"the selected words are not in {finding.id}")
    said = words.split()
    for count in range(_FEWEST_WORDS, len(said)):
        shorter = " ".join(said[:count])
        if place_of(finding.text, shorter) == (place[0], place[0] + len(shorter)):
            return shorter
    return " ".join(said)
