"""A configuration as pieces that can be left out: parts in, a tree out. Pure.

A piece belongs to a part or stays. Text is switched line by line, other files as a whole; a JSON file is merged key by
key, so that what is left of it is still JSON. With all parts the tree is the candidate byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from steelyard.gate.config import Config
from steelyard.tree import File

Has = Callable[[int], bool]
"""Whether a part is there."""


@dataclass(frozen=True, slots=True)
class Part:
    """What can be taken away as one."""

    name: str
    text: str
    """What it says, or how it differs, for a reader."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Some lines of a file."""

    part: int | None
    """None stays."""
    present: bytes
    absent: bytes = b""
    line: int = 1
    """Where it begins in the candidate's file."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A text file in segments."""

    path: str
    file: File
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """A file that is there or not, or there in two versions."""

    path: str
    part: int | None
    present: File | None
    absent: File | None = None


Place: TypeAlias = tuple[str, ...]
"""Keys that lead to a value; an item of a list is named by its own JSON."""


@dataclass(frozen=True, slots=True)
class Members:
    """A JSON file whose entries are switched."""

    path: str
    present: File | None
    absent: File | None
    parts: Mapping[Place, int | None]


Piece: TypeAlias = Lines | Whole | Members


@dataclass(frozen=True, slots=True)
class Recipe:
    """A configuration in parts."""

    config: Config
    """The candidate, which has them all."""
    parts: tuple[Part, ...]
    pieces: tuple[Piece, ...]

    def configuration(self, kept: Sequence[bool]) -> Config:
        """The configuration with these parts; its label says how many."""
        tree: dict[str, File] = {}
        for piece in self.pieces:
            file = made(piece, lambda part: kept[part])
            if file is not None:
                tree[piece.path] = file
        label = f"{self.config.label} with {sum(kept)} of {len(kept)} parts"
        return Config(label, tree, folder=self.config.folder, skill=self.config.skill)


def made(piece: Piece, has: Has) -> File | None:
    """The file of a piece; None if it is not there."""
    if isinstance(piece, Whole):
        return piece.present if piece.part is None or has(piece.part) else piece.absent
    if isinstance(piece, Lines):
        chosen = (one.present if one.part is None or has(one.part) else one.absent for one in piece.segments)
        return File(b"".join(chosen), piece.file.executable)
    return _merged_file(piece, has)


def _merged_file(piece: Members, has: Has) -> File | None:
    chosen = {place: part is None or has(part) for place, part in piece.parts.items()}
    # As it was written: another layout would be another configuration.
    if all(chosen.values()) or not any(chosen.values()):
        return piece.present if all(chosen.values()) else piece.absent
    merged = _merge(_loaded(piece.present), _loaded(piece.absent), (), chosen)
    executable = (piece.present or piece.absent or File()).executable
    return File(f"{json.dumps(merged, indent=2, ensure_ascii=False)}\n".encode(), executable)


def differences(present: Any, absent: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Every entry that only one of two JSON values has, or that differs, with its text."""
    for key, mine, other in _children(present, absent):
        if mine is _NOTHING or other is _NOTHING or _children(mine, other) is None:
            # By their text, as items of lists are: Python takes true for 1.
            if mine is _NOTHING or other is _NOTHING or _shown(mine) != _shown(other):
                yield (*place, key), _shown(other if mine is _NOTHING else mine)
        else:
            yield from differences(mine, other, (*place, key))


class _Nothing:
    """No value: None is one in JSON."""


_NOTHING = _Nothing()


def _children(present: Any, absent: Any) -> list[tuple[str, Any, Any]] | Any:
    """(key, value here, value there) of two objects or two lists; None for anything else."""
    if isinstance(present, dict) and isinstance(absent, dict):
        mine, other = cast(dict[str, Any], present), cast(dict[str, Any], absent)
        return [(key, mine.get(key, _NOTHING), other.get(key, _NOTHING)) for key in dict.fromkeys((*mine, *other))]
    if isinstance(present, list) and isinstance(absent, list):
        here = {_shown(item): item for item in cast(list[Any], present)}
        there = {_shown(item): item for item in cast(list[Any], absent)}
        return [(key, here.get(key, _NOTHING), there.get(key, _NOTHING)) for key in dict.fromkeys((*here, *there))]
    return None


def _merge(present: Any, absent: Any, place: Place, chosen: Mapping[Place, bool]) -> Any:
    kept: list[tuple[str, Any]] = []
    for key, mine, other in _children(present, absent):
        where = (*place, key)
        if where in chosen:
            value = mine if chosen[where] else other
        elif mine is _NOTHING or other is _NOTHING or _children(mine, other) is None:
            value = other if mine is _NOTHING else mine
        else:
            value = _merge(mine, other, where, chosen)
        if value is not _NOTHING:
            kept.append((key, value))
    return dict(kept) if isinstance(present, dict) else [value for _, value in kept]


def _loaded(file: File | None) -> Any:
    return {} if file is None else json.loads(file.data)


def _shown(value: Any) -> str:
    # Sorted, so that an item of a list is the same whatever the order of its keys.
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
