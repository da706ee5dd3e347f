"""A text in every reading that a judge may take from it: as it is, and with what is encoded in it decoded. Pure.

Escapes (`\\u0061`), entities, percent signs, quoted-printable, base64, base32, hexadecimal, binary and decimal codes,
rot13 and reversed text are decoded, one inside another up to `DEPTH` times. Each result is read in lower case with
look-alike letters as Latin ones, once without comments, once without spaces, once with strings in several pieces
joined, and once with decimal commas as points. The work is bounded: all results together have at most `BUDGET` times
the characters of the text.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from steelyard.text import unmixed

DEPTH = 3
"""How often what was decoded is decoded again."""

BUDGET = 60
"""Characters that all readings may have, as a multiple of the text's own, and of `SMALL` for a short text."""

SMALL = 4_000

_ESCAPE = re.compile(
    r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))", re.DOTALL
)
_CONTROL = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": ""}
_BLOB = re.compile(r"[A-Za-z0-9+/_-]{16,}+(?:\s++[A-Za-z0-9+/_-]{16,}+)*+(?:\s++[A-Za-z0-9+/_-]{1,15}+(?==))?+")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[\s:,]?+){16,}+")
_BINARY = re.compile(r"(?:[01]{8}[\s,]?+){16,}+")
_DECIMAL = re.compile(r"(?:(?<!\d)(?:\d{2}|1[0-2]\d)(?!\d)[\s,;]{0,3}){16,}")
_QUOTED_PRINTABLE = re.compile(r"=([0-9A-Fa-f]{2})|=\r?\n")
_PIECES = re.compile(r"""(["'`])\s*[+.]?\s*["'`]""")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_COMMENT = re.compile(r"/\*.{0,200}?\*/|<!--.{0,200}?-->|(?://|#)[^\n]{0,200}", re.DOTALL)
_SPACES = re.compile(r"[\s_\-\u00b7\u2022]+")


def readings(text: str) -> Iterator[str]:
    """Every reading of a text, the text itself first."""
    room = BUDGET * max(len(text), SMALL)
    for decoded in _decodings(text):
        plain = unmixed(unicodedata.normalize("NFKC", decoded))[0].casefold()
        bare = _COMMENT.sub(" ", plain)
        further = (_SPACES.sub("", plain), _PIECES.sub("", plain), _DECIMAL_COMMA.sub(".", plain))
        for reading in dict.fromkeys((plain, bare, *further)):
            room -= len(reading)
            if room < 0:
                return
            yield reading


def _decodings(text: str) -> Iterator[str]:
    """`text` and what is encoded in it, breadth first."""
    known = {text}
    layer = [text]
    for depth in range(DEPTH + 1):
        yield from layer
        inner = [part for outer in layer for decoder in _DECODERS for part in decoder(outer)]
        if depth == 0:
            inner += [codecs.encode(text, "rot13"), text[::-1]]
        layer = [part for part in dict.fromkeys(inner) if part not in known]
        known.update(layer)


def _unescaped(text: str) -> list[str]:
    if "\\" not in text:
        return []
    plain = _ESCAPE.sub(_character, text)
    # Two escapes may be the halves of one character.
    return [plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")]


def _character(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3]
    if digits:
        code = int(digits, 16)
        return chr(code) if code < 0x110000 else ""
    return chr(int(escape[4], 8)) if escape[4] else _CONTROL.get(escape[5], escape[5])


def _entities(text: str) -> list[str]:
    return [html.unescape(text)] if "&" in text else []


def _percent(text: str) -> list[str]:
    return [unquote(text)] if "%" in text else []


def _quoted_printable(text: str) -> list[str]:
    return [_QUOTED_PRINTABLE.sub(lambda code: chr(int(code[1] or "0", 16)), text)] if "=" in text else []


def _codes(text: str) -> list[str]:
    """Characters written as their numbers, in binary or decimal digits."""
    binary = ([int(code, 2) for code in re.findall("[01]{8}", run[0])] for run in _BINARY.finditer(text))
    decimal = ([int(code) for code in re.findall(r"\d+", run[0])] for run in _DECIMAL.finditer(text))
    return ["".join(map(chr, codes)) for codes in (*binary, *decimal)]


def _blobs(text: str) -> list[str]:
    """Base64 and base32, with or without a URL's alphabet, padding, line ends, or a few characters before it."""
    texts: list[str] = []
    for blob in _BLOB.finditer(text):
        letters = "".join(blob[0].split()).replace("-", "+").replace("_", "/")
        for start in range(4):
            part = letters[start:]
            texts += _read(base64.b64decode, part + "=" * (-len(part) % 4) if len(part) % 4 != 1 else part[:-1])
        if letters.isalnum() and letters.upper() == letters:
            texts += _read(base64.b32decode, letters + "=" * (-len(letters) % 8))
    return texts


def _hexadecimal(text: str) -> list[str]:
    return [part for blob in _HEX.finditer(text) for part in _read(bytes.fromhex, re.sub(r"[\s:,]", "", blob[0]))]


def _read(decode: Callable[[str], bytes], letters: str) -> list[str]:
    """What the bytes say if they are a text in UTF-8 or UTF-16."""
    try:
        text = decode(letters).decode("utf-8", "replace").replace("\0", "")
    except (binascii.Error, ValueError):
        return []
    legible = sum(mark.isprintable() or mark.isspace() for mark in text) - text.count("\ufffd")
    return [text] if 2 * legible > len(text) else []


_DECODERS: tuple[Callable[[str], list[str]], ...] = (
    _unescaped,
    _entities,
    _percent,
    _quoted_printable,
    _blobs,
    _hexadecimal,
    _codes,
)
