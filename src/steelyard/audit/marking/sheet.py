"""Sheets: marks that a person fills in, as YAML.

    schema_version: "1"
    marked_by: …
    runs:
      - run: run1.md
        text: 1f3a…                      hash of the run's text: a sheet is valid for that text only
        problems:
          P01: {mark: ○, finding: F03, note: …}
          P02: {mark: △, quote: "words of the run"}     a passage that is not among the findings
          P03: {mark: ×}
        findings:                        only bonuses and penalties need an entry
          F07: {verdict: bonus, reason: …}

Every problem needs a mark; `?` means not marked yet. A ○ or △ names the finding it is given for.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import cast, get_args

from steelyard.audit.key.check import problem_name
from steelyard.audit.key.labels import mark_of
from steelyard.audit.model import Claim, Finding, Marks, Output, Problem, Ruled, Ruling
from steelyard.audit.text import contains, plain
from steelyard.errors import InputError
from steelyard.text import narrow, short
from steelyard.yamlfile import Entry, parse

SHEET_VERSION = "1"
"""1: first shape."""

OPEN = "?"
"""Stands for a mark that is not filled in yet."""

_FINDING = re.compile(r"^F\s*-?\s*(\d{1,4})$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A filled-in sheet: one entry per run, not yet checked against key and text."""

    source: str
    marked_by: str
    runs: tuple[Entry, ...]


def text_hash(text: str) -> str:
    """The hash that ties a sheet to the text it was made for."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def parse_sheet(text: str, source: str) -> Sheet:
    """The sheet in a YAML text."""
    top = parse(text, source)
    fields = top.mapping("a sheet", {"schema_version", "marked_by", "key", "runs"})
    if "runs" not in fields:
        raise top.fail("a sheet needs `runs`", cure="`steelyard audit sheet` writes a blank one")
    version = fields["schema_version"].text() if "schema_version" in fields else SHEET_VERSION
    if version != SHEET_VERSION:
        raise fields["schema_version"].fail(f"unknown schema_version {version!r}", cure=f"supported: {SHEET_VERSION}")
    who = fields["marked_by"].text() if "marked_by" in fields else ""
    return Sheet(source, who or "unnamed", tuple(fields["runs"].items("runs")))


def sheet_marks(sheet: Sheet, output: Output, position: int, problems: Sequence[Problem]) -> Marks:
    """The sheet's marks for one run; an open mark or an entry that matches nothing is an error naming the line."""
    entry = _entry_for(sheet, output, position)
    fields = entry.mapping("a run", {"run", "text", "problems", "findings"})
    entries = fields["problems"].mapping("problems") if "problems" in fields else {}
    known = {problem.id for problem in problems}
    claims, notes, added = list[Claim](), dict[str, str](), list[Finding]()
    seen: set[str] = set()
    for name, value in entries.items():
        problem = problem_name(name) or name
        if problem not in known:
            raise value.fail(f"{name} is not a problem in the key")
        if problem in seen:
            raise value.fail(f"{problem} is marked twice")
        seen.add(problem)
        claim, note = _problem(problem, value, output, added)
        notes[problem] = note
        if claim:
            claims.append(claim)
    missing = sorted(known - seen)
    if missing:
        raise entry.fail(f"{output.name} has no mark for {', '.join(missing)}")
    rulings = tuple(_rulings(fields.get("findings"), output))
    flags = tuple(_conflicts(claims, rulings))
    return Marks(
        tuple(claims), rulings, notes, flags, added=tuple(added), record={"marked_by": sheet.marked_by}, binding=True
    )


def _conflicts(claims: Sequence[Claim], rulings: Sequence[Ruling]) -> list[str]:
    """Warnings about marks that the scoring rules override (docs/scoring.md §2.1)."""
    problems: dict[int, list[str]] = {}
    for claim in claims:
        problems.setdefault(claim.finding, []).append(claim.problem)
    shared = [
        f"F{finding:02d} is named for {' and '.join(names)}, though no passage serves two problems; the marks stand"
        for finding, names in problems.items()
        if len(names) > 1
    ]
    overruled = [
        f"F{ruling.finding:02d} is named for {problems[ruling.finding][0]}, so it is not a {ruling.verdict}"
        for ruling in rulings
        if ruling.verdict != "neither" and ruling.finding in problems
    ]
    return shared + overruled


def _entry_for(sheet: Sheet, output: Output, position: int) -> Entry:
    """The entry for this text: by hash, else by name, else by position if the sheet gives neither."""
    tables = [(entry, entry.mapping("a run")) for entry in sheet.runs]
    expected = text_hash(output.text)
    for entry, fields in tables:
        if "text" in fields and fields["text"].text() == expected:
            return entry
    unbound = [(entry, fields) for entry, fields in tables if "text" not in fields or not fields["text"].text()]
    for entry, fields in unbound:
        if "run" in fields and PurePath(fields["run"].text()).name == PurePath(output.name).name:
            return entry
    if position < len(unbound) and "run" not in unbound[position][1]:
        return unbound[position][0]
    raise InputError(
        f"{sheet.source} has no marks for the text of {output.name}",
        cure="a sheet is valid only for the text it was made for; `steelyard audit sheet` writes a new one",
    )


def _problem(problem: str, value: Entry, output: Output, added: list[Finding]) -> tuple[Claim | None, str]:
    if isinstance(value.value, str) or value.value is None:
        table = {"mark": value}
    else:
        table = value.mapping(problem, {"mark", "finding", "quote", "note"})
    note = table["note"].text() if "note" in table else ""
    sign = table["mark"].text() if "mark" in table else OPEN
    mark = mark_of(sign)
    if mark is None:
        fault = "is still open" if sign in (OPEN, "") else f"has the unknown mark {sign!r}"
        raise value.fail(f"{problem} of {output.name} {fault}", cure="○ or O, △, ×")
    if mark == "missed":
        return None, note
    quote = plain(table["quote"].text())[0] if "quote" in table else ""
    if quote and not contains(output.text, quote):
        raise table["quote"].fail(f"the quote for {problem} is not in {output.name}")
    named = table["finding"].text() if "finding" in table else ""
    if not named and not quote:
        raise value.fail(f"{problem} of {output.name} is {sign} but names no finding", cure="finding: F01, or quote: …")
    index = _finding(named, table["finding"], output) if named else _passage(quote, output, added)
    return Claim(problem, index, mark, quote, note), note


def _finding(name: str, entry: Entry, output: Output) -> int:
    match = _FINDING.match(narrow(name))
    index = int(match.group(1)) if match else 0
    if not any(finding.index == index for finding in output.findings):
        last = f"F{len(output.findings):02d}"
        raise entry.fail(f"{output.name} has no finding {name!r}", cure=f"F01 to {last}" if output.findings else "none")
    return index


def _passage(quote: str, output: Output, added: list[Finding]) -> int:
    """The index of a quoted passage, added as a finding unless the same words were added before."""
    for finding in added:
        if finding.text == quote:
            return finding.index
    start = output.text.find(quote.split("\n")[0])
    line = output.text.count("\n", 0, start) + 1 if start >= 0 else 1
    index = len(output.findings) + len(added) + 1
    added.append(Finding(index, quote, short(quote), line, line + quote.count("\n")))
    return index


def _rulings(entry: Entry | None, output: Output) -> list[Ruling]:
    if entry is None or entry.value in (None, ""):
        return []
    rulings: list[Ruling] = []
    for name, value in entry.mapping("findings").items():
        bare = not isinstance(value.value, (dict, list))
        table = {"verdict": value} if bare else value.mapping(name, {"verdict", "reason", "text"})
        verdict = table["verdict"].text() if "verdict" in table else ""
        if verdict not in get_args(Ruled):
            raise value.fail(f"{name}: unknown verdict {verdict!r}", cure="bonus, penalty or neither")
        reason = table["reason"].text() if "reason" in table else ""
        rulings.append(Ruling(_finding(name, value, output), cast(Ruled, verdict), reason))
    return rulings
