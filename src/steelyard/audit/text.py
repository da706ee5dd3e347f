"""Normalized text for comparisons, and warnings about what was hidden in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from steelyard.text import normalised, unix, without_comments

_CIRCLED = {code: f"({code - 0x245F}) " for code in range(0x2460, 0x2474)} | {
    code: f"({code - 0x2775}) " for code in range(0x2776, 0x2780)
}
"""① as `(1) `: plain NFKC would make a bare digit of it, and the numbering would be lost."""
# From the last opening tag before the closing one: a tag that is never closed must not swallow the report.
_THOUGHT = re.compile(r"<think(?:ing)?>(?:(?!<think).)*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(
    r"^\W*(?:(?:"
    r"(?:(?:finding|issue|problem|bug|vulnerability|item|no|問題|指摘|課題)?\.?\s{0,3}#?[a-z]{0,8}-?\d{1,3}\s{0,3}[\].:)、–—-])"
    r"|(?:[a-z]|[ivxl]{2,6})[.)]\s"
    r"|(?:critical|high|medium|moderate|low|minor|major|severe|致命的|重大|中程度|中|軽微)[*_\s]{0,3}[\]:.)】]"
    r")\W*){0,3}",
    re.IGNORECASE,
)
"""The numbering and severity before what a finding says, in the shapes agents give them."""
_WORD = re.compile(r"\w+")
_NAMED_DOCUMENTS = 5
"""Documents that a remark about several of them names."""


def plain(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` in NFKC with unix line ends and nothing invisible, and a flag for each kind of thing removed.

    The number of lines stays the same: removed comments leave their line ends behind.
    """
    flags: list[str] = []
    seen, removed = normalised(unix(text).translate(_CIRCLED))
    if removed:
        flags.append(f"{removed} invisible characters removed")
    shown = without_comments(seen)
    if shown != seen:
        flags.append("HTML comments removed")
    said = _THOUGHT.sub(_line_ends, shown)
    if said != shown:
        flags.append("thinking aloud removed")
    return said, tuple(flags)


def folded(text: str) -> str:
    """White space and case folded, Markdown emphasis dropped: how quotes are looked up."""
    return " ".join(re.sub(r"[*_`]+", "", text).casefold().split())


def contains(text: str, quote: str) -> bool:
    """Whether `quote` really stands in `text`; white space, case and emphasis do not matter, an empty quote does."""
    needle = folded(quote)
    return bool(needle) and needle in folded(text)


def place_of(text: str, quote: str, start: int = 0) -> tuple[int, int] | None:
    """Where `quote` is in `text`, after `start` if possible; white space, case and emphasis may differ."""
    words = [re.escape(word) for word in re.findall(r"[^\s*_`]+", quote)]
    if not words:
        return None
    pattern = re.compile(r"[\s*_`]+".join(words), re.IGNORECASE)
    match = pattern.search(text, start) or pattern.search(text)
    return match.span() if match else None


def per_document(remarks: Iterable[tuple[str, str]]) -> list[str]:
    """(document, remark) pairs as one line per remark: `a, b: the runs are the same text`."""
    documents: dict[str, list[str]] = {}
    for document, remark in remarks:
        documents.setdefault(remark, []).append(document)
    return [f"{_named(list(dict.fromkeys(names)))}: {remark}" for remark, names in documents.items()]


def _named(documents: list[str]) -> str:
    if len(documents) <= _NAMED_DOCUMENTS:
        return ", ".join(documents)
    return f"{', '.join(documents[:_NAMED_DOCUMENTS])} and {len(documents) - _NAMED_DOCUMENTS} more"


def essence(text: str) -> str:
    """What makes two findings the same: their words, without numbering, case, marks and spacing."""
    body = _LABEL.sub("", text.strip(), count=1)
    return " ".join(_WORD.findall(body.casefold()))


def _line_ends(found: re.Match[str]) -> str:
    return "\n" * found.group().count("\n")
