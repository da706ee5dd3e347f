"""What an agent claims, taken from its output as agents really write it.

JSON is read as such, also in a fenced block beside other text. Everything else is Markdown of some kind, cut into
findings by what stands there: a heading with text of its own, a list item, a line whose mark its paragraph repeats, a
table row, a bold lead, a paragraph. Sections that only frame the report (summary, scope, method, what is good) hold no
findings as long as others do. Nothing here raises: any text has findings or none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.audit.findings.claims import Piece, lists_claims, pieces
from steelyard.audit.findings.phrases import assesses, frames, praises, says, undenied
from steelyard.audit.findings.sections import Section, outline
from steelyard.audit.findings.structured import fenced_findings, json_findings
from steelyard.audit.model import Finding, Output
from steelyard.audit.text import plain, short

_WRAP = re.compile(r"^\s{0,3}(?:`{3,}|~{3,})\s*(?:markdown|md)\s*$", re.IGNORECASE)
_QUOTE = re.compile(r"^\s{0,3}(?:> ?)+")

TEXT_LIMIT = 2_000_000
"""Characters of one output that are read; more is no review."""


def read_output(text: str, name: str) -> Output:
    """The output of one run, normalised, with its findings."""
    clean, flags = plain(text[:TEXT_LIMIT])
    if len(text) > TEXT_LIMIT:
        flags = (*flags, f"cut to {TEXT_LIMIT} characters")
    return Output(name, clean, findings(clean), flags)


def findings(text: str) -> tuple[Finding, ...]:
    """The findings of a normalised text, in its order."""
    text = _unquoted(_unwrapped(text))
    found = json_findings(text)
    if found is None:
        fenced, around = fenced_findings(text)
        found = sorted([*fenced, *_markdown(around)], key=lambda piece: piece.line)
    numbered = (piece for piece in found if piece.text.strip())
    return tuple(_finding(index, piece) for index, piece in enumerate(numbered, start=1))


def _unwrapped(text: str) -> str:
    """A report that is fenced as a whole, without its fence; the lines keep their numbers."""
    lines = text.split("\n")
    filled = [place for place, line in enumerate(lines) if line.strip()]
    if len(filled) > 2 and _WRAP.match(lines[filled[0]]) and lines[filled[-1]].strip() in ("```", "~~~", "````"):
        lines[filled[0]] = lines[filled[-1]] = ""
    return "\n".join(lines)


def _unquoted(text: str) -> str:
    """A report that is quoted as a whole, without the marks; a quotation inside a report stays one."""
    lines = text.split("\n")
    said = [line for line in lines if line.strip() and not line.rstrip().endswith(":")]
    if not said or not all(line.lstrip().startswith(">") for line in said):
        return text
    return "\n".join(_QUOTE.sub("", line) for line in lines)


def _finding(index: int, piece: Piece) -> Finding:
    lead = piece.title or next((line for line in piece.text.split("\n") if line.strip()), "")
    return Finding(index, piece.text.strip(), short(lead), piece.line, piece.end)


def _markdown(text: str) -> list[Piece]:
    sections = [each for each in outline(text) if not praises(each.title) and not _within_praise(each)]
    telling = _from([each for each in sections if not _framing(each)])
    return telling or _from(sections) or _headings_alone(sections)


def _framing(section: Section) -> bool:
    """Whether a section only frames the report; an assessment that lists its points is a list of findings."""
    return frames(section.title) and not (assesses(section.title) and lists_claims(section))


def _headings_alone(sections: Sequence[Section]) -> list[Piece]:
    """The headings of a report that has nothing else, as its claims."""
    if any(line.text.strip() for section in sections for line in section.lines):
        return []
    telling = [each for each in sections if says(each.title) and not frames(each.title) and undenied(each.title)]
    return [Piece(each.title, each.title, each.line, each.line) for each in telling]


def _within_praise(section: Section) -> bool:
    return any(praises(title) for title in section.parents)


def _from(sections: Sequence[Section]) -> list[Piece]:
    found: list[Piece] = []
    for section in sections:
        if not any(frames(title) for title in section.parents):
            found += _claims(section)
    if not found:
        found = [piece for section in sections for piece in _claims(section)]
    return found


def _claims(section: Section) -> list[Piece]:
    """The pieces of a section without what they deny."""
    found: list[Piece] = []
    for piece in pieces(section):
        rest = undenied(piece.text)
        if rest == piece.text:
            found.append(piece)
        elif rest:
            found.append(piece._replace(text=rest, title=rest.split(". ")[0]))
    return found
