"""A text and what is encoded in it. Pure.

Escapes (`\\u0061`), entities, percent signs, quoted-printable, letters one by one, uuencoded text, base64, base32,
base85, hexadecimal, binary, octal and decimal codes, rot13 and reversed text are decoded, one inside another up to
`DEPTH` times, and compressed bytes are unpacked.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import quopri
import re
from binascii import a2b_uu
from collections.abc import Callable, Iterator
from itertools import takewhile
from urllib.parse import unquote

from steelyard.decoding.packed import unpacked

DEPTH = 3
"""How often what was decoded is decoded again."""

_ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|[ux]\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))",
    re.DOTALL,
)
_CONTROL = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": ""}
# Possessive quantifiers here and below: a long text that fails at its end is not tried again in other ways.
_BLOB = re.compile(r"[A-Za-z0-9+/_-]{16,}+(?:\s++[A-Za-z0-9+/_-]{16,}+)*+(?:\s++[A-Za-z0-9+/_-]{1,15}+(?==))?+")
_IN_PIECES = re.compile(
    r"[A-Za-z0-9+/_-]{4,80}(?P<between>[^A-Za-z0-9+/=_-][^A-Za-z0-9=]{0,5})(?:[A-Za-z0-9+/_-]{4,80}(?P=between))+"
    r"[A-Za-z0-9+/_-]{1,80}"
)
"""Pieces with the same marks between them: lines of a quotation or comment, strings, groups."""
_SPELLED_OUT = re.compile(r"(?<!\w)[^\n](?P<between>[^\w\n]{1,4}|\n)(?:[^\n](?P=between)){3,}[^\n](?!\w)")
"""Single letters with the same marks between them."""
_DUMP = re.compile(r"^[0-9a-f]{4,8}:?[ \t]+((?:[0-9a-f]{2,4}[ \t]+){1,16}[0-9a-f]{0,4})(?:[ \t]*\|?.*)$", re.MULTILINE)
_PRINTED = re.compile(r"[!-~]{20,}+")
_HEX = re.compile(r"(?:(?:0x|u\+00|\\0{0,4})?+[0-9a-fA-F]{2}[\s:,;-]{0,2}+){16,}+", re.IGNORECASE)
_HEX_CODE = re.compile(r"(?:0x|u\+00|\\0{0,4})?([0-9a-f]{2})", re.IGNORECASE)
_BINARY = re.compile(r"(?:[01]{8}[\s,]?+){16,}+|(?:[01]{7}[\s,]++){16,}+")
_CODES = re.compile(r"(?:(?:\b0o)?(?<!\d)\d{2,3}(?!\d)[^\w]{0,3}(?:[a-z]{1,4}[^\w]{1,2})?){16,}")


def decodings(text: str) -> Iterator[str]:
    """`text` and what is encoded in it, breadth first."""
    known = {text}
    layer, turned = [text], list[str]()
    # One more than `DEPTH`, because the first layer is the text itself.
    for _ in range(DEPTH + 1):
        yield from layer
        yield from turned
        inner = [part for outer in (*layer, *turned) for decoder in _DECODERS for part in decoder(outer)]
        both = [way for outer in layer for way in (codecs.encode(outer, "rot13"), outer[::-1])]
        layer = [part for part in dict.fromkeys(inner) if part not in known]
        known.update(layer)
        turned = [part for part in dict.fromkeys(both) if part not in known]
        known.update(turned)


def _unescaped(text: str) -> list[str]:
    if "\\" not in text:
        return []
    plain = _ESCAPE.sub(_character, text)
    # Two escapes may be the halves of one character.
    return [plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")]


def _character(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3] or escape[4]
    if digits:
        code = int(digits, 16)
        return chr(code) if code < 0x110000 else ""
    return chr(int(escape[5], 8)) if escape[5] else _CONTROL.get(escape[6], escape[6])


def _entities(text: str) -> list[str]:
    return [html.unescape(text)] if "&" in text else []


def _percent(text: str) -> list[str]:
    # `%u0061` is what JavaScript's `escape` writes.
    return [unquote(text.replace("%u", "\\u"))] if "%" in text else []


def _spelled_out(text: str) -> list[str]:
    plain = _SPELLED_OUT.sub(lambda run: run[0][:: 1 + len(run["between"])], text)
    return [] if plain == text else [plain]


def _quoted_printable(text: str) -> list[str]:
    if "=" not in text:
        return []
    # The decoder takes `==` for one sign; in code it is two.
    quoted = text.replace("==", "=3D=3D").encode(errors="replace")
    return [quopri.decodestring(quoted).decode(errors="replace")]


def _codes(text: str) -> list[str]:
    """Characters written as their numbers, in binary, octal or decimal digits."""
    binary = ([int(code, 2) for code in re.findall("[01]{7,8}", run[0])] for run in _BINARY.finditer(text))
    runs = [re.findall(r"\d+", run[0].replace("0o", "")) for run in _CODES.finditer(text)]
    decimal = (list(map(int, codes)) for codes in runs)
    octal = ([int(code, 8) for code in codes] for codes in runs if not re.search("[89]", "".join(codes)))
    return ["".join(map(chr, codes)) for codes in (*binary, *decimal, *octal)]


def _blobs(text: str) -> list[str]:
    """Base64 and base32, with or without a URL's alphabet, padding, line ends, or a few characters before it."""
    blobs = ["".join(blob[0].split()) for blob in _BLOB.finditer(text)]
    in_pieces = (run[0].split(run["between"]) for run in _IN_PIECES.finditer(text))
    # What wraps or groups letters cuts them at equal lengths, but for the last piece; words differ.
    blobs += ["".join(pieces) for pieces in in_pieces if len(set(map(len, pieces[:-1]))) == 1]
    texts: list[str] = []
    for blob in blobs:
        letters = blob.replace("-", "+").replace("_", "/")
        # Other letters right before the blob shift its groups of four.
        for start in range(4):
            part = letters[start:]
            texts += _read(base64.b64decode, part + "=" * (-len(part) % 4) if len(part) % 4 != 1 else part[:-1])
        # Base32 uses either capitals or small letters, never both.
        if letters.isalnum() and letters in (letters.upper(), letters.lower()):
            padded = letters.upper() + "=" * (-len(letters) % 8)
            texts += [*_read(base64.b32decode, padded), *_read(base64.b32hexdecode, padded)]
    return texts


def _base85(text: str) -> list[str]:
    """Both alphabets of base85, without the brackets or quotes that may stand around it."""
    texts: list[str] = []
    for run in _PRINTED.finditer(text):
        for letters in dict.fromkeys((run[0], run[0].strip("\"'`"), run[0].removeprefix("<~").removesuffix("~>"))):
            texts += [*_read(base64.b85decode, letters), *_read(base64.a85decode, letters)]
    return texts


def _hexadecimal(text: str) -> list[str]:
    """Bytes in hexadecimal, also as a dump with offsets before them and their text behind them."""
    digits = ["".join(_HEX_CODE.findall(blob[0])) for blob in _HEX.finditer(text)]
    dump = "".join("".join(line[1].split()) for line in _DUMP.finditer(text))
    return [part for blob in (*digits, dump) if blob for part in _read(bytes.fromhex, blob)]


def _uuencoded(text: str) -> list[str]:
    blocks = (takewhile(_is_uuencoded, block.splitlines()[1:]) for block in f"\n{text}".split("\nbegin ")[1:])
    return [part for lines in blocks for part in _read(lambda _, lines=lines: b"".join(map(a2b_uu, lines)), "")]


def _is_uuencoded(line: str) -> bool:
    return min(line, default="") >= " " and max(line) <= "`"


def _read(decode: Callable[[str], bytes], letters: str) -> list[str]:
    """What the bytes, or what is packed in them, say if they are a text in UTF-8 or UTF-16."""
    try:
        data = decode(letters)
    except (binascii.Error, ValueError):
        return []
    texts = (content.decode("utf-8", "replace").replace("\0", "") for content in (data, *unpacked(data)))
    return [text for text in texts if _legible(text)]


def _legible(text: str) -> bool:
    return 2 * (sum(mark.isprintable() or mark.isspace() for mark in text) - text.count("\ufffd")) > len(text)


_DECODERS: tuple[Callable[[str], list[str]], ...] = (
    _unescaped,
    _entities,
    _percent,
    _spelled_out,
    _uuencoded,
    _quoted_printable,
    _blobs,
    _base85,
    _hexadecimal,
    _codes,
)
