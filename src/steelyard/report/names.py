"""Long names in little room: cut so that different names stay different.

A name loses, until it fits: the path segments in front (the maker and the gateway, if there are other names to tell it
apart from), then its middle, because versions come last. Names that this makes alike are cut around the first place
where they differ instead, and numbered if even that does not fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile

_SEPARATORS = "/-_.: "
"""Characters after which a word begins."""


def shortened(names: Sequence[str], room: int) -> dict[str, str]:
    """Each name in at most `room` characters, on one line, and different names kept different where possible."""
    plain = {name: " ".join(name.split()) for name in names}
    bare = {name: _without_path(text, plain, room) for name, text in plain.items()}
    cut = {name: _without_middle(text, room) for name, text in bare.items()}
    for alike in _alike(cut):
        start = _difference([bare[name] for name in alike])
        cut |= {name: _from(bare[name], start, room) for name in alike}
    for alike in _alike(cut):
        cut |= {name: f"{cut[name][: room - len(mark)]}{mark}" for mark, name in _numbered(alike)}
    return cut


def least(names: Sequence[str]) -> int:
    """Room in which no name loses more than its path."""
    plain = {name: " ".join(name.split()) for name in names}
    return max((len(_without_path(text, plain, 0)) for text in plain.values()), default=0)


def _without_path(name: str, plain: Mapping[str, str], room: int) -> str:
    """The name without leading path segments, as few as possible and never so many that another name ends alike."""
    rest, others = name, [other for other in plain.values() if other != name]
    while others and len(rest) + (rest != name) > room and "/" in rest:
        shorter = rest.partition("/")[2]
        if not shorter or any(other.endswith(f"/{shorter}") or other == shorter for other in others):
            break
        rest = shorter
    return name if rest == name else f"…{rest}"


def _without_middle(name: str, room: int) -> str:
    if len(name) <= room:
        return name
    tail = (room - 1) // 2
    return f"{name[: room - 1 - tail]}…{name[len(name) - tail :]}"


def _alike(cut: Mapping[str, str]) -> list[list[str]]:
    """Names that look the same now."""
    counts = Counter(cut.values())
    return [[name for name, text in cut.items() if text == shown] for shown, count in counts.items() if count > 1]


def _difference(names: Sequence[str]) -> int:
    """Where the word begins in which the names first differ."""
    columns = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    common = "".join(letters[0] for letters in columns)
    return 1 + max(map(common.rfind, _SEPARATORS))


def _from(name: str, start: int, room: int) -> str:
    """As much of the name from `start` on as fits."""
    begin = max(0, min(start, len(name) - room + 1))
    text = f"…{name[begin:].lstrip('…')}" if begin else name
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _numbered(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(f" ({number})", name) for number, name in enumerate(names, 1)]
