"""Sheets: marks that a person fills in, as YAML.

    schema_version: "1"
    marked_by: …
    runs:
      - run: run1.md
        text: 1f3a…                      hash of the run's text: a sheet is valid for that text only
        problems:
          P01: {mark: ○, finding: F03, note: …}
          P02: {mark: partial, quote: "words of the run"}      a passage that is not among the findings
          P03: {mark: detected, finding: F03, quote: "…"}      a passage of a finding: it may serve two problems
          P04: {mark: missed}
        findings:                        only bonuses and penalties need an entry
          F07: {verdict: bonus, reason: …}
        merged: {F05: F04}               F05 is part of the claim of F04
        split: {F09: {from: F06, words: "The second claim"}}     F09 is the part of F06 that begins with the words

Marks are ○ △ × or `detected`, `partial`, `missed`. Every problem needs one; `?` means not marked yet. A ○ or △ names
the finding it is given for, or quotes the words.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePath
from typing import Literal, cast, get_args

from steelyard.audit.key.check import problem_name
from steelyard.audit.key.labels import mark_of
from steelyard.audit.marking.redraw import RedrawError, Split, redrawn
from steelyard.audit.model import SYMBOLS, Claim, Finding, Mark, Marks, Output, Problem, Ruled, Ruling
from steelyard.audit.text import contains, place_of, plain
from steelyard.errors import InputError
from steelyard.text import narrow, short
from steelyard.yamlfile import Entry, parse

SHEET_VERSION = "1"
"""1: first shape."""

OPEN = "?"
"""Stands for a mark that is not filled in yet."""

_SIGNS = "○ or O, △, ×; or detected, partial, missed"
"""The marks, as error messages name them."""

_FINDING = re.compile(r"^F\s*-?\s*(\d{1,4})$", re.IGNORECASE)


class NoMarks(InputError):
    """A sheet that does not mention a run."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A filled-in sheet: one entry per run, not yet checked against key and text."""

    source: str
    marked_by: str
    runs: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class SheetCell:
    """What a sheet says about one problem in one run."""

    problem: str
    name: str
    """The problem's id as the sheet spells it."""
    mark: Mark | None
    """None while it is open."""
    finding: int | None
    quote: str
    note: str
    entry: Entry
    """Its place in the sheet."""


@dataclass(frozen=True, slots=True)
class SheetRun:
    """What a sheet says about one run."""

    place: int
    """Its place in the sheet's list of runs."""
    entry: Entry
    output: Output
    """The run, its findings merged and split as the sheet says."""
    cells: Mapping[str, SheetCell]
    """By problem; one that the sheet does not mention is absent."""
    rulings: tuple[Ruling, ...]


def text_hash(text: str) -> str:
    """The hash that ties a sheet to the text it was made for."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def parse_sheet(text: str, source: str) -> Sheet:
    """The sheet in a YAML text."""
    top = parse(text, source)
    fields = top.mapping("a sheet", {"schema_version", "marked_by", "key", "runs"})
    if "runs" not in fields:
        raise top.fail("a sheet needs `runs`", cure="`steelyard audit mark --as sheet` writes a blank one")
    version = fields["schema_version"].text() if "schema_version" in fields else SHEET_VERSION
    if version != SHEET_VERSION:
        raise fields["schema_version"].fail(f"unknown schema_version {version!r}", cure=f"supported: {SHEET_VERSION}")
    who = fields["marked_by"].text() if "marked_by" in fields else ""
    return Sheet(source, who or "unnamed", tuple(fields["runs"].items("runs")))


def sheet_marks(sheet: Sheet, output: Output, position: int, problems: Sequence[Problem]) -> Marks:
    """The sheet's marks for one run; an open mark or an entry that matches nothing is an error naming the line."""
    run = sheet_run(sheet, output, position, problems)
    claims, notes, added = list[Claim](), dict[str, str](), list[Finding]()
    for problem, cell in run.cells.items():
        notes[problem] = cell.note
        if cell.mark is None:
            raise cell.entry.fail(f"{problem} of {output.name} is still open", cure=_SIGNS)
        if cell.mark != "missed":
            claims.append(_claim(cell, cell.mark, run.output, added))
    missing = sorted({problem.id for problem in problems} - run.cells.keys())
    if missing:
        raise run.entry.fail(f"{output.name} has no mark for {', '.join(missing)}")
    flags = tuple(_conflicts(claims, run.rulings, (*run.output.findings, *added)))
    redrawn_findings = run.output.findings if run.output.findings != output.findings else None
    return Marks(
        tuple(claims),
        run.rulings,
        notes,
        flags,
        added=tuple(added),
        redrawn=redrawn_findings,
        record={"marked_by": sheet.marked_by},
        binding=True,
    )


def sheet_run(sheet: Sheet, output: Output, position: int, problems: Sequence[Problem]) -> SheetRun:
    """What a sheet says about one run so far: marks may be open or absent, but what is there must fit."""
    place, entry = entry_for(sheet, output, position)
    fields = entry.mapping("a run", {"run", "text", "problems", "findings", "merged", "split"})
    whole = replace(output, findings=_redrawn(fields, output))
    merged = _merged(fields)
    entries = fields["problems"].mapping("problems") if "problems" in fields else {}
    known = {problem.id for problem in problems}
    cells: dict[str, SheetCell] = {}
    for name, value in entries.items():
        problem = problem_name(name) or name
        if problem not in known:
            raise value.fail(f"{name} is not a problem in the key")
        if problem in cells:
            raise value.fail(f"{problem} is marked twice")
        cells[problem] = _cell(problem, name, value, whole, merged)
    rulings = tuple(_rulings(fields.get("findings"), whole, merged))
    return SheetRun(place, entry, whole, cells, rulings)


def entry_for(sheet: Sheet, output: Output, position: int) -> tuple[int, Entry]:
    """The place and the entry of this text: by hash, else by name, else by position if the sheet gives neither."""
    tables = [(place, entry, entry.mapping("a run")) for place, entry in enumerate(sheet.runs)]
    expected = text_hash(output.text)
    same_text = [table for table in tables if "text" in table[2] and table[2]["text"].text() == expected]
    # Two documents may get the same answer, so among equal texts the name decides.
    for place, entry, fields in same_text:
        if _is_named(fields, output):
            return place, entry
    if same_text:
        return same_text[0][:2]
    unbound = [table for table in tables if "text" not in table[2] or not table[2]["text"].text()]
    for place, entry, fields in unbound:
        if _is_named(fields, output):
            return place, entry
    if position < len(unbound) and "run" not in unbound[position][2]:
        return unbound[position][:2]
    raise NoMarks(
        f"{sheet.source} has no marks for the text of {output.name}",
        cure="a sheet is valid only for the text it was made for; `steelyard audit mark --as sheet` writes a new one",
    )


def _is_named(fields: Mapping[str, Entry], output: Output) -> bool:
    return "run" in fields and PurePath(fields["run"].text()).name == PurePath(output.name).name


def _cell(problem: str, name: str, value: Entry, output: Output, merged: Mapping[int, int]) -> SheetCell:
    if isinstance(value.value, str) or value.value is None:
        table = {"mark": value}
    else:
        table = value.mapping(problem, {"mark", "finding", "quote", "note"})
    sign = table["mark"].text() if "mark" in table else OPEN
    mark = mark_of(sign)
    if mark is None and sign not in (OPEN, ""):
        raise value.fail(f"{problem} of {output.name} has the unknown mark {sign!r}", cure=_SIGNS)
    named = table["finding"].text() if "finding" in table else ""
    # A blank sheet names a likely finding, which stays there when a person only types ×.
    index = _finding(named, table["finding"], output, merged) if named and mark != "missed" else None
    quote = plain(table["quote"].text())[0] if "quote" in table and mark != "missed" else ""
    own = next((finding.text for finding in output.findings if finding.index == index), "")
    # In a merged finding, parts stand together that are apart in the run.
    if quote and not contains(output.text, quote) and not contains(own, quote):
        raise table["quote"].fail(f"the quote for {problem} is not in {output.name}")
    note = table["note"].text() if "note" in table else ""
    return SheetCell(problem, name, mark, index, quote, note, value)


def _claim(cell: SheetCell, mark: Literal["detected", "partial"], output: Output, added: list[Finding]) -> Claim:
    if cell.finding is None and not cell.quote:
        says = f"{cell.problem} of {output.name} is {SYMBOLS[mark]} but names no finding"
        raise cell.entry.fail(says, cure="finding: F01, or quote: …")
    index = _passage(cell.quote, output, added) if cell.finding is None else cell.finding
    return Claim(cell.problem, index, mark, cell.quote, cell.note)


def _finding(name: str, entry: Entry, output: Output, merged: Mapping[int, int]) -> int:
    """The finding of that name, or the one it was merged into."""
    index = finding_index(name)
    while index in merged:
        index = merged[index]
    if not any(finding.index == index for finding in output.findings):
        last = f"F{max((finding.index for finding in output.findings), default=0):02d}"
        raise entry.fail(f"{output.name} has no finding {name!r}", cure=f"F01 to {last}" if output.findings else "none")
    return index


def finding_index(name: str) -> int:
    """The number of a finding by its name in a sheet: `F07`, `f7`, `F-7`; 0 for anything else."""
    match = _FINDING.match(narrow(name))
    return int(match.group(1)) if match else 0


def _merged(fields: Mapping[str, Entry]) -> dict[int, int]:
    table = fields["merged"].mapping("merged") if "merged" in fields and fields["merged"].value else {}
    return {finding_index(name): finding_index(value.text()) for name, value in table.items()}


def _split(entry: Entry) -> Split:
    fields = entry.mapping("what is split off", {"from", "words"})
    if not {"from", "words"} <= fields.keys():
        raise entry.fail("what is split off needs `from` and `words`")
    return Split(finding_index(fields["from"].text()), plain(fields["words"].text())[0])


def _redrawn(fields: Mapping[str, Entry], output: Output) -> tuple[Finding, ...]:
    """The findings merged and split as the sheet says."""
    table = fields["split"].mapping("split") if "split" in fields and fields["split"].value else {}
    split = {finding_index(name): _split(value) for name, value in table.items()}
    merged = _merged(fields)
    if not split and not merged:
        return output.findings
    try:
        return redrawn(output.findings, merged, split)
    except RedrawError as error:
        raise (fields.get("merged") or fields["split"]).fail(f"{output.name}: {error}") from error


def _passage(quote: str, output: Output, added: list[Finding]) -> int:
    """The index of a quoted passage, added as a finding unless the same words were added before."""
    for finding in added:
        if finding.text == quote:
            return finding.index
    start = output.text.find(quote.split("\n")[0])
    line = output.text.count("\n", 0, start) + 1 if start >= 0 else 1
    index = max((finding.index for finding in (*output.findings, *added)), default=0) + 1
    added.append(Finding(index, quote, short(quote), line, line + quote.count("\n")))
    return index


def _rulings(entry: Entry | None, output: Output, merged: Mapping[int, int]) -> list[Ruling]:
    if entry is None or entry.value in (None, ""):
        return []
    rulings: list[Ruling] = []
    # What is said about a finding itself comes before what was said about a part that was merged into it.
    for name, value in sorted(entry.mapping("findings").items(), key=lambda item: finding_index(item[0]) in merged):
        bare = not isinstance(value.value, (dict, list))
        table = {"verdict": value} if bare else value.mapping(name, {"verdict", "reason", "text"})
        verdict = table["verdict"].text() if "verdict" in table else ""
        if verdict not in get_args(Ruled):
            raise value.fail(f"{name}: unknown verdict {verdict!r}", cure="bonus, penalty or neither")
        reason = table["reason"].text() if "reason" in table else ""
        index = _finding(name, value, output, merged)
        if all(ruling.finding != index for ruling in rulings):
            rulings.append(Ruling(index, cast(Ruled, verdict), reason))
    return rulings


def _conflicts(claims: Sequence[Claim], rulings: Sequence[Ruling], findings: Sequence[Finding]) -> list[str]:
    """A warning for each finding that serves two problems by one passage, or is a bonus or penalty as well.

    The scoring rules would not mark so (docs/scoring.md §2.1); a person's marks stand.
    """
    by_finding: dict[int, list[Claim]] = {}
    for claim in claims:
        by_finding.setdefault(claim.finding, []).append(claim)
    texts = {finding.index: finding.text for finding in findings}
    shared = [
        f"F{finding:02d} is named for {' and '.join(claim.problem for claim in named)}, though no passage serves "
        "two problems; the marks stand"
        for finding, named in by_finding.items()
        if len(named) > 1 and not _apart(texts.get(finding, ""), [claim.quote for claim in named])
    ]
    overruled = [
        f"F{ruling.finding:02d} is named for {by_finding[ruling.finding][0].problem}, so it is not a {ruling.verdict}"
        for ruling in rulings
        if ruling.verdict != "neither" and ruling.finding in by_finding
    ]
    return shared + overruled


def _apart(text: str, quotes: Sequence[str]) -> bool:
    """Whether these are different passages of a finding."""
    places = sorted(place for place in (place_of(text, quote) for quote in quotes) if place is not None)
    return len(places) == len(quotes) and all(one[1] <= other[0] for one, other in pairwise(places))
