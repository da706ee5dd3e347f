"""What can be taken away: what differs between two configurations, or the parts of one (docs/scoring.md §3.7). Pure.

The differences of a text file are its hunks, those of a JSON file its entries; any other file is there or not. Of one
configuration, the parts are sections or lines of instructions, skills with their folder, hooks with the settings entry
that names them, MCP servers and every other file. What must stand together is one part; what is pinned is none.
"""

from __future__ import annotations

import difflib
import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import chain, count
from typing import Any, NamedTuple, cast

from steelyard.errors import InputError
from steelyard.gate.blame.recipe import Lines, Members, Part, Piece, Place, Recipe, Segment, Whole, differences
from steelyard.gate.blame.split import Grain, pieces, stretches
from steelyard.gate.config import Config
from steelyard.gate.config.artifacts import artifacts_of
from steelyard.gate.config.imports import imports
from steelyard.tree import File

_SWITCHED = ("mcpServers", "mcp", "hooks")
"""Keys of JSON settings whose entries are parts; what else a settings file says stays."""


@dataclass(frozen=True, slots=True)
class PartRules:
    """How to take a configuration apart."""

    grain: Grain | None = None
    """None: what differs from the baseline."""
    together: tuple[tuple[str, ...], ...] = ()
    """Names of parts that stand together, or patterns of names."""
    pin: tuple[str, ...] = ()
    """Names or patterns of parts that stay."""


class _RawPart(NamedTuple):
    """A part as it was found, before those that stand together are one."""

    name: str
    text: str
    title: str
    """Its heading, or the one above it; its name if there is none."""


class _Draft(list[_RawPart]):
    """Parts as they are found. Mutable."""

    def part(self, name: str, text: str, title: str = "") -> int:
        """Add a part under a name of its own; its number."""
        known = {one.name for one in self}
        numbered = (f"{name} ({number})" for number in count(2))
        # A heading may itself end in a number.
        own = next(one for one in chain((name,), numbered) if one not in known)
        self.append(_RawPart(own, text, title or name))
        return len(self) - 1


def recipe(candidate: Config, baseline: Config | None, rules: PartRules) -> Recipe:
    """The candidate in parts; `InputError` if there are none."""
    draft = _Draft()
    if rules.grain is None:
        before = {} if baseline is None else baseline.tree
        pieces = list(_differing(candidate, before, draft))
    else:
        pieces = list(_own(candidate, rules.grain, draft))
    if not draft:
        raise InputError(
            "nothing differs between the configurations" if rules.grain is None else "there is nothing to take away",
            cure="--parts sections takes one configuration apart" if rules.grain is None else "--parts files",
        )
    return _grouped(candidate, draft, pieces, rules)


def _differing(candidate: Config, before: Mapping[str, File], draft: _Draft) -> Iterator[Piece]:
    skills: dict[str, int] = {}
    for path in sorted({*candidate.tree, *before}):
        new, old = candidate.tree.get(path), before.get(path)
        if new == old:
            yield Whole(path, None, new)
        elif path.endswith(".json") and _object(new) is not None and _object(old) is not None:
            yield _entries(path, new, old, draft)
        elif new and old and _text(new) is not None and _text(old) is not None:
            yield _hunks(path, new, old, draft)
        else:
            yield Whole(path, _file_part(path, new or old, skills, draft), new, old)


def _own(candidate: Config, grain: Grain, draft: _Draft) -> Iterator[Piece]:
    kinds = artifacts_of(sorted(candidate.tree))
    skills: dict[str, int] = {}
    for path, file in sorted(candidate.tree.items()):
        kind = kinds[path].kind
        text = _text(file)
        if kind in ("settings", "mcp") and path.endswith(".json") and (found := _object(file)) is not None:
            yield _entries(path, file, _stripped(file, found), draft)
        elif kind == "instructions" and grain != "files" and text is not None:
            yield _stretched(path, file, text, grain, draft)
        else:
            yield Whole(path, _file_part(path, file, skills, draft), file)


def _file_part(path: str, file: File | None, skills: dict[str, int], draft: _Draft) -> int:
    """The part of a whole file; all files of a skill are one."""
    folder = _skill_folder(path)
    if folder in skills:
        return skills[folder]
    text = None if file is None else _text(file)
    number = draft.part(folder or path, text if text is not None else "(not text)")
    if folder:
        skills[folder] = number
    return number


def _skill_folder(path: str) -> str:
    """The folder of the skill that a path belongs to, with a slash; empty if it belongs to none."""
    head, found, rest = f"/{path}".partition("/skills/")
    return f"{head}{found}{rest.partition('/')[0]}/"[1:] if found and "/" in rest else ""


def _stretched(path: str, file: File, text: str, grain: Grain, draft: _Draft) -> Lines:
    # Not splitlines: put together again, the lines must give the file byte for byte.
    lines = text.split("\n")
    segments: list[Segment] = []
    for start, end, title in stretches(text, grain):
        own = "\n".join(lines[start:end]) + ("\n" if end < len(lines) else "")
        name = f"{path} § {title}" if grain == "sections" else f"{path}:{start + 1}"
        part = None if title is None else draft.part(name, own.strip(), title)
        segments.append(Segment(part, own.encode(), line=start + 1))
    return Lines(path, file, tuple(segments))


def _hunks(path: str, new: File, old: File, draft: _Draft) -> Lines:
    after, before = new.data.splitlines(keepends=True), old.data.splitlines(keepends=True)
    segments: list[Segment] = []
    for tag, i, j, k, end in _opcodes(path, before, after):
        present, absent = b"".join(after[k:end]), b"".join(before[i:j])
        part = None
        if tag != "equal":
            shown = [f"-{line}" for line in _lines(absent)] + [f"+{line}" for line in _lines(present)]
            span = f"{k + 1}-{end}" if end > k + 1 else f"{min(k + 1, max(len(after), 1))}"
            part = draft.part(f"{path}:{span}", "\n".join(shown))
        segments.append(Segment(part, present, absent, k + 1))
    return Lines(path, new, tuple(segments))


def _opcodes(path: str, before: list[bytes], after: list[bytes]) -> Iterator[tuple[str, int, int, int, int]]:
    """As of difflib; what was added to Markdown, or taken out of it, by list items and paragraphs."""
    # autojunk would pass over lines that are frequent in a long file, and join what are separate hunks.
    for tag, i, j, k, end in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag not in ("insert", "delete") or not path.endswith((".md", ".mdc")):
            yield tag, i, j, k, end
            continue
        passage = after[k:end] if tag == "insert" else before[i:j]
        for start, stop in pieces([line.decode("utf-8", "replace").rstrip("\r\n") for line in passage]):
            yield (tag, i, i, k + start, k + stop) if tag == "insert" else (tag, i + start, i + stop, k, k)


def _entries(path: str, new: File | None, old: File | None, draft: _Draft) -> Members:
    places: dict[Place, int | None] = {}
    for place, text in differences(_object(new), _object(old)):
        places[place] = draft.part(f"{path} {'.'.join(_shown(place))}", text)
    return Members(path, new, old, places)


def _stripped(file: File, found: dict[str, Any]) -> File:
    """A settings file without its hooks and servers."""
    bare = {key: _emptied(value) if key in _SWITCHED else value for key, value in found.items()}
    return File(f"{json.dumps(bare, indent=2, ensure_ascii=False)}\n".encode(), file.executable)


def _emptied(value: Any) -> Any:
    if isinstance(value, list):
        return []
    members = cast(dict[str, Any], value) if isinstance(value, dict) else {}
    # Lists stay, empty, so that their items differ one by one and not as a whole.
    return {key: list[Any]() for key, own in members.items() if isinstance(own, list)}


def _shown(place: Place) -> Iterator[str]:
    """Keys as a reader wants them: an object in a list has no name, and its text is shown beside."""
    return (key if len(key) <= 40 else f"{key[:39]}…" for key in place if not key.startswith("{"))


def _object(file: File | None) -> dict[str, Any] | None:
    """The JSON object in a file, an empty one if there is no file; None if it holds anything else."""
    if file is None:
        return {}
    try:
        value: Any = json.loads(file.data)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) and file.link is None else None


def _text(file: File) -> str | None:
    if file.link is not None or b"\0" in file.data:
        return None
    try:
        return file.data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines()


def _grouped(candidate: Config, draft: _Draft, pieces: Sequence[Piece], rules: PartRules) -> Recipe:
    """With parts that stand together made one, and pinned ones made none."""
    # Each part is led by the earliest of those it stands with, so that parts keep the order of the files.
    leader = list(range(len(draft)))
    for group in (*_related(candidate, pieces, draft), *_named(draft, rules.together)):
        joined = {leader[part] for part in group}
        leader = [min(joined) if one in joined else one for one in leader]
    pinned = {leader[part] for group in _named(draft, [(name,) for name in rules.pin]) for part in group}
    leaders = [part for part, own in enumerate(leader) if own == part and part not in pinned]
    if not leaders:
        raise InputError("every part is pinned", cure="pin less")
    places = {part: place for place, part in enumerate(leaders)}
    members = [[found for found, own in zip(draft, leader, strict=True) if own == one] for one in leaders]
    parts = tuple(Part(" + ".join(one.name for one in own), "\n".join(one.text for one in own)) for own in members)
    number = {part: places.get(own) for part, own in enumerate(leader)}
    return Recipe(candidate, parts, tuple(_renumbered(piece, number) for piece in pieces))


def _renumbered(piece: Piece, number: Mapping[int, int | None]) -> Piece:
    if isinstance(piece, Whole):
        return piece if piece.part is None else replace(piece, part=number[piece.part])
    if isinstance(piece, Members):
        own = {place: None if part is None else number[part] for place, part in piece.parts.items()}
        return replace(piece, parts=own)
    segments = (one if one.part is None else replace(one, part=number[one.part]) for one in piece.segments)
    return replace(piece, segments=tuple(segments))


def _named(draft: _Draft, groups: Iterable[Sequence[str]]) -> Iterator[list[int]]:
    """The parts of each group of names or patterns; one that names nothing is a mistake."""
    for patterns in groups:
        found: list[int] = []
        for pattern in patterns:
            labels = ((part, (one.name, one.title)) for part, one in enumerate(draft))
            # Equality beside the pattern, because a name may hold `[` or `*` itself.
            own = [part for part, own in labels if any(one == pattern or fnmatchcase(one, pattern) for one in own)]
            if not own:
                known = ", ".join(one.name for one in draft[:5])
                raise InputError(f"no part is called {pattern}", cure=f"the parts begin with {known}")
            found += own
        yield found


def _related(candidate: Config, pieces: Sequence[Piece], draft: _Draft) -> Iterator[list[int]]:
    """A settings entry and the file it names, an import and the file it brings in, a link and where it leads."""
    files = {piece.path: piece.part for piece in pieces if isinstance(piece, Whole) and piece.part is not None}
    for piece in pieces:
        if isinstance(piece, Members):
            for part in (part for part in piece.parts.values() if part is not None):
                # Anywhere in the text: a command may reach the file through a variable, as in `$DIR/hooks/a.sh`.
                for path in (path for path in files if path in draft[part].text):
                    yield [part, files[path]]
    for one in imports(candidate.tree, None):
        part = _part_at(pieces, one.path, one.line)
        for path, own in files.items():
            if part is not None and (path == one.target or path.startswith(f"{one.target}/")):
                yield [part, own]


def _part_at(pieces: Iterable[Piece], path: str, line: int) -> int | None:
    """The part that a line of a file belongs to."""
    for piece in pieces:
        if piece.path != posixpath.normpath(path):
            continue
        if isinstance(piece, Whole):
            return piece.part
        if isinstance(piece, Lines):
            before = [one for one in piece.segments if one.line <= line]
            return before[-1].part if before else None
    return None
