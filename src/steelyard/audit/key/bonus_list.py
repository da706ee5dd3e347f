"""Bonus entries outside of tables: items of a list (`- B01 (Ops): …`, `1. …`), or a heading each (`### B01: …`)."""

from __future__ import annotations

import re
from dataclasses import replace

from steelyard.audit.key.columns import bonus_field
from steelyard.audit.model import BonusEntry
from steelyard.text import narrow

_ITEM = re.compile(
    r"^\s{0,3}(?:[-*+•]|\d{1,2}[.)])\s+(?:[*_\[]*(?P<id>B\s?-?\d{1,3})[*_\]]*\s*(?:\((?P<category>[^()]{0,80})\))?\s*"
    r"[*_]*[:.–—-]*[*_]*\s*)?(?P<text>\S.*)$",
    re.I,
)
BONUS_NAMED = re.compile(r"^\s{0,3}(?:[-*+•]|\d{1,2}[.)])\s+[*_\[]*B\s?-?\d{1,3}\b", re.I)
"""An item with an id of its own."""
_HEADING = re.compile(r"^\W*(?P<id>B\s?-?\d{1,3})[*_\]]*\s*(?:[:.)–—-]+\s*|$)(?P<title>.*)$", re.I)
_RULE = re.compile(r"[+±]\s?\d|\bpoints?\b|\d\s?点|\b(?:max(?:imum)?|up to|at most|limit\w*|each)\b|上限|最大", re.I)
"""Words of a rule about bonuses, which is no bonus: `at most five, +0.5 each`."""
_FIELD = re.compile(
    r"^\s*(?:[-*+•]\s+)?(?:\*\*|__)?(?P<name>[^:*_|]{2,40}?)\s*(?:\*\*|__)?\s*:(?:\*\*|__)?\s*(?P<text>.*)$"
)
_WORDS = 3
"""An item without an id needs this many words, or twice as many characters of a script without spaces."""


def bonus_item(line: str, count: int, *, unnamed: bool) -> BonusEntry | None:
    """An item of a list as an entry; without an id it is numbered, `count` being the entries before it.

    `unnamed` says whether such items can be entries: beside entries with ids they are remarks.
    """
    item = _ITEM.match(line)
    if item is None:
        return None
    text = item["text"].strip()
    if item["id"]:
        return BonusEntry(_name(item["id"]), item["category"] or "", text, "")
    wide = sum(ord(mark) > 0x2E7F for mark in text)
    long_enough = len(text.split()) >= _WORDS or wide >= 2 * _WORDS
    if (
        not unnamed
        or not long_enough
        or _RULE.search(narrow(text))
        or bonus_with_field(BonusEntry("", "", "", ""), text)
    ):
        return None
    return BonusEntry(f"B{count + 1:02d}", "", text.replace("**", ""), "")


def bonus_heading(text: str) -> BonusEntry | None:
    """A heading as an entry; its fields follow."""
    heading = _HEADING.match(narrow(text))
    return BonusEntry(_name(heading["id"]), "", text[heading.start("title") :].strip(" *_"), "") if heading else None


def bonus_with_field(entry: BonusEntry, line: str) -> BonusEntry | None:
    """The entry with the field that a line states; None for any other line."""
    field = _FIELD.match(narrow(line))
    name = bonus_field(field["name"]) if field else None
    if field is None or name is None:
        return None
    text = line[field.start("text") :].strip()
    if name == "content" and entry.content:
        text = f"{entry.content}: {text}"
    return replace(entry, **{name: text})


def _name(text: str) -> str:
    return narrow(text).upper().replace(" ", "")
