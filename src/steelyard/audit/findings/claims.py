"""One section of a report, cut into the claims it makes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from steelyard.audit.findings.blocks import Block, blocks
from steelyard.audit.findings.lists import ITEM
from steelyard.audit.findings.numbering import is_numbered
from steelyard.audit.findings.phrases import is_field, long_enough, split_steps, without_opening
from steelyard.audit.findings.sections import Section
from steelyard.audit.findings.titles import is_frame, is_group
from steelyard.audit.model import Location

_TITLE_WORDS = 4
"""From this many words on, a heading over a list is a claim of its own, not the name of a category."""
_AFTERTHOUGHT_WORDS = 10
"""A paragraph after a list needs this many words to be more than a closing remark."""


class RawFinding(NamedTuple):
    """A finding before it gets its number."""

    text: str
    title: str
    line: int
    end: int
    group: str = ""
    """Titles of the headings above it."""
    locations: tuple[Location, ...] = ()
    """The places it names, if it is data that says so; else they are read from its text."""
    kind: Literal["section", "item", "row", "prose"] = "section"
    """What it is in the text."""


def claims(section: Section) -> list[RawFinding]:
    """The claims of a section: its items, rows or leads where it lists several, else the section as one."""
    parts = blocks(section.lines)
    if section.level and section.leaf and not _collects(section, parts):
        return [_whole(section)] if _has_content(section) else []
    # `rounded twice` below `## Money` says nothing without its heading.
    if listed := _with_parts(parts) or _labelled(parts):
        about = (
            section.title if section.level > 1 and not is_group(section.title) and not is_frame(section.title) else ""
        )
        findings = [_from_block(block, about) for block in listed]
        return sorted([*findings, *_afterthoughts(parts, listed)], key=lambda finding: finding.line)
    if section.level and not section.leaf:
        return []
    return [finding for block in parts for finding in _from_prose(block)]


def asides(section: Section) -> list[RawFinding]:
    """The paragraphs of a section that introduces other headings; `claims` reads only what it lists."""
    if section.leaf or not section.level:
        return []
    parts = blocks(section.lines)
    if _with_parts(parts) or _labelled(parts):
        return []
    return [finding for block in parts for finding in _from_prose(block)]


def _collects(section: Section, parts: Sequence[Block]) -> bool:
    """Whether a heading covers several claims rather than being one itself."""
    if is_group(section.title) or is_frame(section.title) or section.level == 1:
        return True
    listed = [block for block in parts if block.kind != "prose"]
    starts = [block for block in listed if block.begins_finding]
    labelled = len({block.lines[0].text for block in starts if _is_labelled(block)}) > 1
    # Labels, a number or a title of several words make the heading the claim, which a list below it explains.
    if labelled or is_numbered(section.title) or len(starts) < len(listed) or long_enough(section.title, _TITLE_WORDS):
        return any(block.kind == "row" for block in starts)
    # Prose before a list explains the heading, so that the heading is the claim.
    explained = bool(parts) and parts[0].kind == "prose" and bool(_from_prose(parts[0]))
    return _is_list(starts) and not explained


def _is_labelled(block: Block) -> bool:
    """Whether bold words only label a part: `**Severity**: high`."""
    return block.kind == "lead" and is_field(block.lines[0].text)


def _is_list(starts: Sequence[Block]) -> bool:
    """Whether these are claims of their own: several, or one row of a table."""
    return len(starts) >= 2 or any(block.kind == "row" for block in starts)


def _with_parts(parts: Sequence[Block]) -> list[Block]:
    """Claims with the labelled parts and the prose that follow them; text before the first claim is a frame."""
    listed: list[Block] = []
    for block in parts:
        if block.begins_finding:
            listed.append(block)
        elif listed and (listed[-1].kind == "lead" or block.is_part):
            listed[-1] = listed[-1]._replace(lines=(*listed[-1].lines, *block.lines))
    return listed


def _afterthoughts(parts: Sequence[Block], listed: Sequence[Block]) -> list[RawFinding]:
    """Longer paragraphs after the first claim that belong to none: agents add what they nearly forgot."""
    first = listed[0].lines[0].number
    taken = {line.number for block in listed for line in block.lines}
    later = [block for block in parts if block.kind == "prose" and block.lines[0].number > first]
    free = [block for block in later if all(line.number not in taken for line in block.lines)]
    found = [finding for block in free for finding in _from_prose(block)]
    return [finding for finding in found if long_enough(finding.text, _AFTERTHOUGHT_WORDS)]


def _labelled(parts: Sequence[Block]) -> list[Block]:
    """Items that all have labels (`- title: …`, `  impact: …`): each item with the first label is a claim."""
    items = [block for block in parts if block.kind == "item"]
    labels = [re.split(r"[:\s]", block.lines[0].text.strip(" -*+•\t"))[0].casefold() for block in items]
    return [block for block, label in zip(items, labels, strict=True) if label == labels[0]]


def _has_content(section: Section) -> bool:
    return any(line.text.strip() for line in section.lines) or long_enough(section.title)


def _whole(section: Section) -> RawFinding:
    body = "\n".join(line.text for line in section.lines).strip()
    last = max((line.number for line in section.lines if line.text.strip()), default=section.line)
    return RawFinding(f"{section.title}\n{body}".strip(), section.title, section.line, last)


def _from_block(block: Block, about: str) -> RawFinding:
    """A block as a finding; `about` is the heading that names the subject of its list."""
    text = "\n".join(line.text for line in block.lines).strip("\n")
    text = ": ".join(filter(None, (about, block.about, text)))
    numbers = [line.number for line in block.lines if line.text.strip()] or [block.lines[0].number]
    first = ITEM.match(block.lines[0].text)
    # An item that begins with `<li>` may end with `</li>`.
    lead = re.sub(r"</\w{1,20}>\s*$", "", first["text"] if first else block.lines[0].text)
    bold = re.match(r"\s*(?:\*\*|__)(.+?)(?:\*\*|__)", lead)
    title = block.title or (bold.group(1) if bold else lead.split(". ")[0])
    return RawFinding(text, title, numbers[0], numbers[-1], kind="row" if block.kind == "row" else "item")


def _from_prose(block: Block) -> list[RawFinding]:
    text = " ".join(line.text.strip() for line in block.lines).strip()
    # A paragraph that ends in a colon introduces what follows.
    if block.kind != "prose" or text.endswith(":") or not long_enough(text) or all(line.code for line in block.lines):
        return []
    numbers = [line.number for line in block.lines if line.text.strip()]
    texts = [claim for step in split_steps(text) if (claim := without_opening(step))]
    return [RawFinding(claim, claim.split(". ")[0], numbers[0], numbers[-1], kind="prose") for claim in texts]
