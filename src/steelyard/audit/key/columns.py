"""The columns of tables in an answer key, by meaning: bonus tables, and keys whose problems are the rows of a table.

Bonus entries outside of tables are items of a list (`- B01 (Ops): …`, `1. …`), or have a heading each (`### B01: …`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from steelyard.audit.key.check import Draft, problem_name
from steelyard.audit.key.labels import CRITERIA_LABELS, CRITERION_NAMES, FIELD_NAMES, criterion_line, criterion_of, word
from steelyard.audit.model import BonusEntry
from steelyard.text import narrow

_BONUS_WORDS = ("bonus", "ボーナス", "加点")
"""What the heading of a list of bonuses says."""
_ID_NAMES = ("id", "no", "no.", "#", "番号", "識別子")
_CONTENT_NAMES = (
    *("content", "contents", "description", "issue", "problem", "finding", "title", "name", "summary", "what"),
    *("内容", "問題", "説明", "概要", "問題内容", "指摘内容", "タイトル", "指摘"),
)
_CONDITION_NAMES = ("condition", "criteria", "criterion", "条件", "基準", "判定", "when")
_MARKS = re.compile(r"(?=[○◯〇⭕△▲×✕])")
_BONUS_ITEM = re.compile(
    r"^\s{0,3}(?:[-*+•]|\d{1,2}[.)])\s+(?:[*_\[]*(?P<id>B\s?-?\d{1,3})[*_\]]*\s*(?:\((?P<category>[^()]{0,80})\))?\s*"
    r"[*_]*[:.–—-]*[*_]*\s*)?(?P<text>\S.*)$",
    re.I,
)
BONUS_NAMED = re.compile(r"^\s{0,3}(?:[-*+•]|\d{1,2}[.)])\s+[*_\[]*B\s?-?\d{1,3}\b", re.I)
"""An item with an id of its own."""
_BONUS_HEADING = re.compile(r"^\W*(?P<id>B\s?-?\d{1,3})[*_\]]*\s*(?:[:.)–—-]+\s*|$)(?P<title>.*)$", re.I)
_BONUS_RULE = re.compile(
    r"[+±]\s?\d|\bpoints?\b|\d\s?点|\b(?:max(?:imum)?|up to|at most|limit\w*|each)\b|上限|最大", re.I
)
"""Words of a rule about bonuses, which is no bonus: `at most five, +0.5 each`."""
_BONUS_FIELD = re.compile(
    r"^\s*(?:[-*+•]\s+)?(?:\*\*|__)?(?P<name>[^:*_|]{2,40}?)\s*(?:\*\*|__)?\s*:(?:\*\*|__)?\s*(?P<text>.*)$"
)
_MIN_WORDS = 3
"""An item without an id needs this many words, or twice as many characters of a script without spaces."""


class BonusColumns(NamedTuple):
    """Where a bonus table keeps what; None for a column it does not have."""

    id: int | None
    category: int | None
    content: int
    condition: int | None

    def entry(self, cells: Sequence[str], count: int) -> BonusEntry:
        """A row as an entry; without an id column it is numbered, `count` being the entries before it."""
        texts = [cells[at] if at is not None and at < len(cells) else "" for at in self]
        return BonusEntry(texts[0].strip("*_`[] ") or f"B{count + 1:02d}", texts[1], texts[2], texts[3])


def bonus_columns(heads: Sequence[str]) -> BonusColumns | None:
    """The columns of a bonus table in English or Japanese; None if none of them holds the content."""
    identity = _first(heads, _ID_NAMES)
    category = next((at for at, head in enumerate(heads) if bonus_field(head) == "category"), None)
    condition = next((at for at, head in enumerate(heads) if bonus_field(head) == "condition"), None)
    taken = {identity, category, condition}
    content = next((at for at, head in enumerate(heads) if at not in taken and head in _CONTENT_NAMES), None)
    return None if content is None else BonusColumns(identity, category, content, condition)


def bonus_field(label: str) -> str | None:
    """The field of a bonus entry that a label means."""
    name = word(label)
    if FIELD_NAMES.get(name) == "category" or name == "area":
        return "category"
    if any(part in name for part in _CONDITION_NAMES):
        return "condition"
    return "content" if name in _CONTENT_NAMES or FIELD_NAMES.get(name) == "description" else None


def is_bonus_header(heads: Sequence[str], section: str) -> bool:
    """Whether a row heads a bonus table: its section or one of its columns says so, or it is the table of the seed."""
    seed = heads[:1] == ["id"] and "content" in heads
    return seed or any(map(is_bonus, heads)) or (is_bonus(section) and len(heads) > 1)


def is_bonus(title: str) -> bool:
    """Whether a heading or the name of a column speaks of bonuses."""
    return any(word in title.lower() for word in _BONUS_WORDS)


def criteria_columns(heads: Sequence[str]) -> dict[int, str] | None:
    """Which column of a table below a problem states which criterion; None for a table without the three."""
    meanings: dict[int, str] = {at: criterion for at, head in enumerate(heads) if (criterion := criterion_of(head))}
    return meanings if len(set(meanings.values())) == len(CRITERION_NAMES) else None


def problem_columns(heads: Sequence[str]) -> dict[int, str] | None:
    """What each column of a table of problems holds; None for any other table.

    An id and a title are enough: what the problems lack then is said line by line.
    """
    meanings: dict[int, str] = {}
    for at, head in enumerate(heads):
        criterion = criterion_of(head)
        if head in _ID_NAMES:
            meanings[at] = "id"
        elif criterion:
            meanings[at] = criterion
        elif head in CRITERIA_LABELS:
            meanings[at] = "criteria"
        # The first such column is the title; a `description` after it is a field.
        elif head in _CONTENT_NAMES and "title" not in meanings.values():
            meanings[at] = "title"
        elif head in FIELD_NAMES:
            meanings[at] = FIELD_NAMES[head]
    return meanings if {"id", "title"} <= set(meanings.values()) else None


def problem_row(meanings: Mapping[int, str], cells: Sequence[str], line: int) -> Draft | None:
    """A row as a problem; None if its id is none."""
    values = {meaning: cells[at] for at, meaning in meanings.items() if at < len(cells)}
    name = problem_name(values.get("id", "").strip("*_` "))
    if name is None:
        return None
    draft = Draft(name, " ".join(values.get("title", "").split()).strip("*_ "), line)
    for meaning, text in values.items():
        if meaning in ("detected", "partial", "missed"):
            draft.criteria[meaning] = text
        elif meaning == "criteria":
            parts = (criterion_line(part.strip(" ,;/\n")) for part in _MARKS.split(text) if part.strip())
            draft.criteria |= {part[0]: part[1] for part in parts if part}
        elif meaning not in ("id", "title") and text:
            draft.fields[meaning] = text
            draft.lines[meaning] = line
    return draft


def header(cells: Sequence[str]) -> list[str]:
    """The names of columns without emphasis and case; signs keep their shape."""
    return [word(cell) or cell.strip() for cell in cells]


def _first(heads: Sequence[str], names: Sequence[str]) -> int | None:
    return next((at for at, head in enumerate(heads) if head in names), None)


def bonus_item(line: str, count: int, *, unnamed: bool) -> BonusEntry | None:
    """An item of a list as an entry; without an id it is numbered, `count` being the entries before it.

    `unnamed` says whether such items can be entries: beside entries with ids they are remarks.
    """
    item = _BONUS_ITEM.match(line)
    if item is None:
        return None
    text = item["text"].strip()
    if item["id"]:
        return BonusEntry(_bonus_name(item["id"]), item["category"] or "", text, "")
    wide = sum(ord(mark) > 0x2E7F for mark in text)
    long_enough = len(text.split()) >= _MIN_WORDS or wide >= 2 * _MIN_WORDS
    if (
        not unnamed
        or not long_enough
        or _BONUS_RULE.search(narrow(text))
        or bonus_with_field(BonusEntry("", "", "", ""), text)
    ):
        return None
    return BonusEntry(f"B{count + 1:02d}", "", text.replace("**", ""), "")


def bonus_heading(text: str) -> BonusEntry | None:
    """A heading as an entry; its fields follow."""
    heading = _BONUS_HEADING.match(narrow(text))
    return (
        BonusEntry(_bonus_name(heading["id"]), "", text[heading.start("title") :].strip(" *_"), "") if heading else None
    )


def bonus_with_field(entry: BonusEntry, line: str) -> BonusEntry | None:
    """The entry with the field that a line states; None for any other line."""
    field = _BONUS_FIELD.match(narrow(line))
    name = bonus_field(field["name"]) if field else None
    if field is None or name is None:
        return None
    text = line[field.start("text") :].strip()
    if name == "content" and entry.content:
        text = f"{entry.content}: {text}"
    return replace(entry, **{name: text})


def _bonus_name(text: str) -> str:
    return narrow(text).upper().replace(" ", "")
