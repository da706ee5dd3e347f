"""Text as it is compared: hostile and untidy text made plain, and what was hidden in it said aloud."""

from __future__ import annotations

import re
import unicodedata

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_EXTRA_INVISIBLE = {0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
_CIRCLED = {code: f"({code - 0x245F}) " for code in range(0x2460, 0x2474)} | {
    code: f"({code - 0x2775}) " for code in range(0x2776, 0x2780)
}
"""① as `(1) `: plain NFKC would make a bare digit of it, and the numbering would be lost."""
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


def narrow(text: str) -> str:
    """Full-width ASCII as plain ASCII, one character for one, so that positions stay."""
    return text.translate(_WIDE)


def unix(text: str) -> str:
    """One kind of line end, no byte order mark, no NUL."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def plain(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` in NFKC with unix line ends and nothing invisible, and a flag for each kind of thing removed.

    The number of lines stays the same: removed comments leave their line ends behind.
    """
    flags: list[str] = []
    flat = unicodedata.normalize("NFKC", unix(text).translate(_CIRCLED))
    seen = "".join(mark for mark in flat if not _invisible(mark))
    if seen != flat:
        flags.append(f"{len(flat) - len(seen)} invisible characters removed")
    shown = _without_comments(seen)
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


def essence(text: str) -> str:
    """What makes two findings the same: their words, without numbering, case, marks and spacing."""
    body = _LABEL.sub("", text.strip(), count=1)
    return " ".join(_WORD.findall(body.casefold()))


def short(text: str, limit: int = 120) -> str:
    """`text` on one line without Markdown emphasis and control characters, cut at `limit`."""
    seen = "".join(mark if mark.isprintable() else " " for mark in text)
    flat = " ".join(re.sub(r"[*`#]+", "", seen).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def _without_comments(text: str) -> str:
    """`text` without HTML comments; one that is never closed ends with its line, so that it hides no findings."""
    kept: list[str] = []
    place = 0
    last_end = text.rfind("-->")
    while (start := text.find("<!--", place)) >= 0:
        kept.append(text[place:start])
        closed = text.find("-->", start + 4) + 3 if start + 4 <= last_end else 0
        # Looked for only when needed: a text of one long line would be searched again for each of its comments.
        place = closed or _line_end(text, start)
        kept.append("\n" * text.count("\n", start, place))
    return "".join([*kept, text[place:]])


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _line_ends(found: re.Match[str]) -> str:
    return "\n" * found.group().count("\n")


def _invisible(mark: str) -> bool:
    if mark in "\n\t":
        return False
    return unicodedata.category(mark) in ("Cf", "Cc", "Cs") or ord(mark) in _EXTRA_INVISIBLE
