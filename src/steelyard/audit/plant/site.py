"""A place in a file where a problem can be planted: a small edit of its bytes. Pure."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from steelyard.tree import File, Tree


@dataclass(frozen=True, slots=True)
class Site:
    """One edit that makes right code wrong."""

    path: str
    kind: str
    """A name in `kinds.KINDS`."""
    start: int
    end: int
    """Bytes from `start` to before `end` are replaced."""
    text: str
    """What stands there instead."""
    line: int
    last: int
    """Lines of the right code that it changes, from 1."""
    watched: tuple[int, int]
    """The lines whose tests may notice."""
    function: str
    """Where it is: `Class.method`, or empty at module level."""
    was: str
    """The right code, in short."""

    @property
    def id(self) -> str:
        """Equal for the same edit of the same file."""
        parts = f"{self.path}\0{self.kind}\0{self.start}\0{self.end}\0{self.text}"
        return hashlib.sha256(parts.encode()).hexdigest()[:12]


class Planted(NamedTuple):
    """A file with problems in it."""

    data: bytes
    places: tuple[tuple[int, int], ...]
    """First and last line of each problem, in the order of the sites."""


def planted_file(data: bytes, sites: Sequence[Site]) -> Planted:
    """The file with all edits; they must not overlap."""
    ordered = sorted(sites, key=lambda site: site.start)
    if any(one.end > other.start for one, other in pairwise(ordered)):
        raise ValueError("two edits overlap")
    parts: list[bytes] = []
    places: dict[str, tuple[int, int]] = {}
    done = line = 0
    for site in ordered:
        kept, new = data[done : site.start], site.text.encode()
        line += kept.count(b"\n")
        # What is removed with its lines is shown at the line that follows.
        places[site.id] = (line + 1, line + 1 + new.rstrip(b"\n").count(b"\n"))
        line += new.count(b"\n")
        parts += [kept, new]
        done = site.end
    return Planted(b"".join([*parts, data[done:]]), tuple(places[site.id] for site in sites))


def planted(tree: Tree, sites: Iterable[Site]) -> tuple[dict[str, File], dict[str, tuple[int, int]]]:
    """The tree with all edits, and by site the lines where they are now."""
    made, places = dict(tree), dict[str, tuple[int, int]]()
    by_path: dict[str, list[Site]] = {}
    for site in sites:
        by_path.setdefault(site.path, []).append(site)
    for path, here in by_path.items():
        done = planted_file(tree[path].data, here)
        made[path] = File(done.data, tree[path].executable)
        places |= {site.id: place for site, place in zip(here, done.places, strict=True)}
    return made, places


def changes_meaning(data: bytes, site: Site) -> bool:
    """Whether the file still parses with the edit, and means something else."""
    try:
        # Without positions: an edit of layout or comments alone means the same.
        return ast.dump(ast.parse(planted_file(data, [site]).data)) != _meaning(data)
    # Python's parser raises MemoryError for code that is nested too deeply.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


@lru_cache(maxsize=8)
def _meaning(data: bytes) -> str:
    return ast.dump(ast.parse(data))
