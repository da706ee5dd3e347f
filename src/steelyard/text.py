"""Foreign text made plain: one rule for what is invisible, for line ends, widths and typographic marks.

Invisible is what Unicode itself calls default-ignorable (zero-width and direction marks, tags, variation selectors,
fillers), what has no glyph by its category (control, format, surrogate, private use, unassigned), and U+2800, a
braille cell without dots. Tabs and line feeds are layout and stay. Greek, Cyrillic and other letters that look like
Latin ones are read as these where they pose as them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

REPLACEMENT = "\ufffd"
"""Stands in a report where an invisible character was."""

STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"})
"""For `str.translate`: typographic quotes and dashes as those of a keyboard."""

_BLANK_BRAILLE = "\u2800"
"""Not ignorable by Unicode's property, but it shows as nothing all the same."""
_NO_GLYPH = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_PLAIN = re.compile(r"[\n\t\x20-\x7e]*")
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
"""Unlike `str.lower`, this keeps every place."""
_THOUGHTS = ("think", "thinking", "thought", "reasoning")
_SEPARATORS = {ord(separator): "\n" for separator in "\u0085\u2028\u2029"}
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}

_ALIKE = {
    **{"A": "ΑАᎪꓮ", "B": "ΒВᏴꓐꞴ", "C": "ϹСᏟⲤꓚ𐐕", "D": "Ꭰꓓ", "E": "ΕЕᎬꓰ𑢦𑢮", "F": "ϜꓝꞘ𑢢𑣂", "G": "ԌᏀᏳꓖ", "H": "ΗНᎻⲎꓧ"},
    **{"I": "ƖΙІӀⲒꓲ", "J": "ͿЈᎫꓙꞲ", "K": "ΚКᏦⲔꓗ", "L": "ᏞⳐꓡ𐐛𑢣𑢲", "M": "ΜϺМᎷⲘꓟ", "N": "ΝⲚꓠ", "O": "ΟОՕⲞꓳ𐐄𐓂𑢵"},
    **{"P": "ΡРᏢⲢꓑ", "R": "ƦᎡᏒꓣ𐒴", "S": "ЅՏᏕᏚꓢ𐐠", "T": "ΤТᎢⲦꓔ𑢼", "U": "Սꓴ𐓎𑢸", "V": "ѴᏙꓦ𑢠", "W": "ԜᎳᏔꓪ", "X": "ΧХⲬꓫꞳ"},
    **{"Y": "ΥУҮᎩᎽⲨꓬ𑢤", "Z": "ΖᏃꓜ𑢩", "a": "ɑαа", "b": "ƄЬᏏ", "c": "ϲсᴄⲥꮯ𐐽", "d": "ԁᏧꓒ", "e": "еҽꬲ", "f": "քẝꞙꬵ"},
    **{"g": "ƍɡցᶃ", "h": "һհᏂ", "i": "ıɩɪιіᎥιꙇꭵ𑣃", "j": "ϳј", "l": "ǀ", "n": "ոռ", "o": "οσоօჿᴏᴑⲟꬽ𐐬𐓪𑣈𑣗", "p": "ρϱрⲣ"},
    **{"q": "ԛգզ", "r": "гⲅꭇꭈꮁ", "s": "ƽѕꜱꮪ𐑈𑣁", "u": "ʋυսᴜꞟꭎꭒ𐓶𑣘", "v": "νѵᴠꮩ𑣀", "w": "ɯѡԝաᴡꮃ", "x": "х"},
    **{"y": "ɣʏγуүყᶌỿꭚ𑣜", "z": "ᴢꮓ𑣄"},
}
"""Letters of alphabets with capitals, and Lisu, that Unicode's confusables.txt gives as one ASCII letter; a capital
that looks like `l` is `I` here. NFKC takes care of ASCII letters in other shapes."""
_ALIKE_TO_READERS = {
    **{"Q": "Ԛ", "b": "ь", "e": "єε", "k": "кκ", "l": "ӏ", "m": "м", "n": "η", "r": "ᴦ"},
    **{"t": "тτ", "w": "ω", "x": "χ"},
}
"""What Unicode tells apart by its shape, and a reader takes for the ASCII letter all the same."""
_LOOK_ALIKES = str.maketrans(
    {other: letter for alike in (_ALIKE, _ALIKE_TO_READERS) for letter, others in alike.items() for other in others}
)
_SHAPE = re.compile(
    r"(?:LATIN LETTER SMALL CAPITAL|NEGATIVE (?:SQUARED|CIRCLED) LATIN CAPITAL LETTER|REGIONAL INDICATOR SYMBOL LETTER"
    r"|LATIN SMALL LETTER TURNED) ([A-Z])"
)
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")


class Normalised(NamedTuple):
    """Text in NFKC without invisible characters."""

    text: str
    removed: int
    """How many invisible characters it held."""


def line_ends(text: str) -> str:
    """`text` with line feeds as its only line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def without_thought(answer: str) -> str:
    """An answer without the reasoning before it (`<think>…</think>`), of which some servers drop the first tag."""
    flat = answer.translate(_LOWER)
    begun = [name for name in _THOUGHTS if flat.lstrip().startswith(f"<{name}>")]
    ends = [(place, place + len(name) + 3) for name in begun or _THOUGHTS if (place := flat.find(f"</{name}>")) >= 0]
    if not ends:
        return "" if begun else answer
    start, end = min(ends)
    # After a fence, the closing tag is code in the answer and not the end of a thought without its opening tag.
    code = not begun and any(fence in answer[:start] for fence in ("```", "~~~"))
    return answer if code else answer[end:]


def unix(text: str) -> str:
    """One kind of line end, no byte order mark, no NUL."""
    return line_ends(text.removeprefix("\ufeff")).replace("\0", "")


def narrow(text: str) -> str:
    """Full-width ASCII as plain ASCII, one character for one, so that positions stay."""
    return text.translate(_WIDE)


@lru_cache(maxsize=4096)
def invisible(character: str) -> bool:
    """Whether a reader does not see this character."""
    if character in "\n\t":
        return False
    if character == _BLANK_BRAILLE or unicodedata.category(character) in _NO_GLYPH:
        return True
    return _ignorable().match(character) is not None


def normalised(text: str, limit: int | None = None) -> Normalised:
    """`text` in NFKC without invisible characters, every kind of line end as a line feed; idempotent.

    Emoji lose their joiners and variation selectors too: what is graded and compared is letters, and a run of
    selectors can carry a hidden message. A text that unfolds (one character can become eighteen) is
    cut one character after `limit`, so that a caller notices.
    """
    if _PLAIN.fullmatch(text):
        return Normalised(text, 0)
    shown, removed = line_ends(text).translate(_SEPARATORS), 0
    while True:
        kept = _without_invisible(shown)
        removed += len(shown) - len(kept)
        settled = unicodedata.normalize("NFKC", kept)
        settled = settled if limit is None else settled[: limit + 1]
        # Removing a mark can let its neighbours compose, and composing never adds length for ever.
        if settled == shown:
            return Normalised(shown, removed)
        shown = settled


def visible(text: str) -> str:
    """`text` for a report: whatever would hide or reorder what a reader sees becomes U+FFFD.

    Kept are one variation selector after a visible character (⚠️, Japanese names) and one joiner between two of them
    (👩‍💻, Persian and Indic scripts), but not among Latin letters, where they serve only to make two names look alike.
    Private-use and unassigned characters show as boxes anyway.
    """
    return text if _PLAIN.fullmatch(text) else _unseen().sub(_kept_or_marked, text)


def short(text: str, limit: int = 120) -> str:
    """`text` on one line without Markdown emphasis and control characters, cut at `limit`."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    flat = " ".join(re.sub(r"[*`#]+", "", printable).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def without_comments(text: str) -> str:
    """`text` without HTML comments; their line ends stay, so lines keep their numbers.

    A comment that is never closed ends with its line, so that it hides nothing below.
    """
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


def _without_invisible(text: str) -> str:
    unseen = [character for character in set(text) if invisible(character)]
    return text.translate({ord(character): None for character in unseen}) if unseen else text


def _kept_or_marked(match: re.Match[str]) -> str:
    return match[1] or REPLACEMENT


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


@cache
def _ignorable() -> Any:
    import regex  # 0.03 s: only when a text is not plain ASCII

    return regex.compile(r"\p{Default_Ignorable_Code_Point}")


@cache
def _unseen() -> Any:
    import regex

    hidden = r"\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cs}\p{Cc}\u2028\u2029\u2800\ufff9-\ufffb"
    """Format characters that are not ignorable are seen (U+0600, the Arabic number sign), but for U+FFF9 to U+FFFB,
    which make a text a footnote of another."""
    # After Latin letters and digits nothing is kept: `gpt-4` with a selector behind it would look like `gpt-4`.
    shown = rf"[^{hidden}\u0000-\u024f]"
    selector = r"[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    joined = rf"(?<={shown}){selector}?[\u200c\u200d](?={shown})"
    kept = rf"{joined}|(?<={shown}){selector}|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    return regex.compile(rf"({kept})|[[{hidden}]--[\n\t]]", regex.V1)


def basic(text: str) -> str:
    """`text` with plain letters: without accents and other combining marks, and with look-alikes as Latin letters."""
    if text.isascii():
        return text
    marks = unicodedata.normalize("NFKD", "".join(map(_letter, text)))
    return unmixed(
        unicodedata.normalize("NFC", "".join(mark for mark in marks if not unicodedata.category(mark).startswith("M")))
    )[0]


@lru_cache(maxsize=4096)
def _letter(character: str) -> str:
    """The Latin letter that a character is a shape of by its name, such as a small capital or one in a square."""
    shape = None if character.isascii() else _SHAPE.fullmatch(unicodedata.name(character, ""))
    return shape[1].lower() if shape else character


def unmixed(text: str) -> tuple[str, int]:
    """`text` with look-alike letters read as Latin ones, and how many words held some.

    A word is changed if it also holds Latin letters, or if all its letters look Latin and the text is mostly Latin.
    """
    if text.isascii():
        return text, 0
    text, changed = narrow(text), 0
    # Mostly Latin: more than one and a half Latin letters per word.
    latin = len(_LATIN.findall(text)) * 2 > len(_WORD.findall(text)) * 3

    def plain(match: re.Match[str]) -> str:
        nonlocal changed
        word = match.group()
        folded = word.translate(_LOOK_ALIKES)
        mixed = _LATIN.search(word) is not None or (latin and len(word) > 1 and folded.isascii())
        if folded == word or not mixed:
            return word
        changed += 1
        return folded

    return _WORD.sub(plain, text), changed
