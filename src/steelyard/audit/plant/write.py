"""Writes a suite: documents with planted problems, their keys and proofs, and a clean control."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import yaml

from steelyard import artifact
from steelyard.audit.key import key_text
from steelyard.audit.model import Criteria, Key, Problem
from steelyard.audit.plant.kinds import KINDS
from steelyard.audit.plant.record import FILE, HIDDEN, ORIGINAL, REPOSITORY, TESTS, PlantRecord
from steelyard.audit.suite import SUITE_FILE
from steelyard.proof.candidates import is_test
from steelyard.tree import Tree, changes, write_tree

TEXT_LIMIT = 400_000
"""Bytes of source that the document of a repository shows; the folder beside it has everything."""
PERSPECTIVE = """# In scope

Bugs: code that does something else than it is meant to do. For each, say where it is (file and line), what goes wrong,
and when. Style, naming, typing, speed and missing tests are out of scope.
"""
AGENT = """---
name: reviewer
---
You review code. List every bug you find, one per item, with its file and line, what goes wrong and when. Do not list
matters of style. If you find none, say so.
"""


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """One problem of a key, before it has a number."""

    kind: str
    places: tuple[tuple[str, int, int], ...]
    """File, first and last line, at least one."""
    function: str
    was: str
    tests: tuple[str, ...]

    @property
    def location(self) -> str:
        return ", ".join(
            f"{path}:{first}" if first == last else f"{path}:{first}-{last}" for path, first, last in self.places
        )


def problem(number: int, entry: KeyEntry) -> Problem:
    """As the key states it."""
    kind = KINDS[entry.kind]
    where = entry.function or entry.places[0][0]
    inside = f" ({entry.function})" if entry.function else ""
    says = kind.says.format(was=entry.was)
    named = ", ".join(f"`{name}`" for name in entry.tests)
    return Problem(
        f"P{number:02d}",
        f"{entry.kind} in {where}",
        kind.severity,
        Criteria(
            f"Names this place and says what is wrong: {says}",
            f"Names {where} as faulty, but not this problem.",
            "Says nothing about it.",
        ),
        kind.category,
        f"{entry.location}{inside}",
        says,
        (("Kind", entry.kind), ("Proof", f"fails with it and passes without it, 3 of 3: {named}")),
    )


@dataclass(frozen=True, slots=True)
class UnitDraft:
    """One document before it is written."""

    name: str
    title: str
    seen: Tree
    """What the agent gets."""
    right: Tree
    """The right code with all tests."""
    document: tuple[str, str]
    """File name and text."""
    entries: tuple[KeyEntry, ...] = ()
    record: PlantRecord | None = None
    """None for a clean control."""


def write_unit(out: Path, draft: UnitDraft) -> Path:
    """Write the folder of a document; what was there is replaced."""
    folder = out / draft.name
    shutil.rmtree(folder, ignore_errors=True)
    write_tree(folder / REPOSITORY, draft.seen)
    artifact.write_text(folder / draft.document[0], draft.document[1])
    if draft.record is None:
        return folder
    differing = {path for path, how in changes(draft.seen, draft.right).items() if how != "removed"}
    write_tree(folder / HIDDEN / ORIGINAL, {path: draft.right[path] for path in differing if not is_test(path)})
    write_tree(folder / HIDDEN / TESTS, {path: draft.right[path] for path in differing if is_test(path)})
    artifact.write_json(folder / HIDDEN / FILE, draft.record.model_dump())
    problems = tuple(problem(number, entry) for number, entry in enumerate(draft.entries, start=1))
    artifact.write_text(folder / "key.md", key_text(Key(problems, title=draft.title), "md"))
    return folder


def write_suite(out: Path, name: str, drafts: Sequence[tuple[str, str, bool]]) -> None:
    """Write `suite.yaml` for documents given as (id, file, whether it has a key)."""
    listed = [
        {"id": unit, "document": f"{unit}/{file}", **({"key": f"{unit}/key.md"} if keyed else {})}
        for unit, file, keyed in drafts
    ]
    data = {"schema_version": "1", "name": name, "perspective": "perspective.md", "agent": "agent.md"}
    artifact.write_text(out / "perspective.md", PERSPECTIVE)
    artifact.write_text(out / "agent.md", AGENT)
    artifact.write_text(out / SUITE_FILE, yaml.safe_dump({**data, "documents": listed}, sort_keys=False))


def as_document(title: str, tree: Tree, first: Iterable[str]) -> tuple[str, str]:
    """The source of a tree as one text with line numbers; `first` are the files that must be in it."""
    needed = set(first)
    source = sorted(path for path in tree if path.endswith(".py") and not is_test(path) and tree[path].link is None)
    room = TEXT_LIMIT - sum(len(tree[path].data) for path in needed)
    shown = set(needed)
    for path in source:
        if path not in shown and len(tree[path].data) <= room:
            room -= len(tree[path].data)
            shown.add(path)
    parts = [f"# {title}\n\nThe source of a repository; numbers are lines. Review it.\n"]
    for path in sorted(shown):
        lines = [line.rstrip("\r\n") for line in _lines(tree, path)]
        text = "\n".join(f"{number:>5}  {line}" for number, line in enumerate(lines, start=1))
        parts.append(f"## {path}\n\n```python\n{text}\n```\n")
    return "document.md", "\n".join(parts)


def as_diff(old: Tree, new: Tree, paths: Iterable[str]) -> tuple[str, str]:
    """The change of these files as a pull request shows it."""
    parts: list[str] = []
    for path in sorted(paths):
        before, after = (_lines(tree, path) for tree in (old, new))
        names = (f"a/{path}" if path in old else "/dev/null", f"b/{path}" if path in new else "/dev/null")
        lines = [*unified_diff(before, after, *names)]
        if lines:
            parts += [
                f"diff --git a/{path} b/{path}\n",
                # The last line of a file may lack its end, and would run into what follows.
                *(line if line.endswith("\n") else f"{line}\n" for line in lines),
            ]
    return "change.diff", "".join(parts)


def _lines(tree: Tree, path: str) -> list[str]:
    # Not splitlines, which also ends a line at a form feed: places in keys count newlines.
    return list(io.StringIO(tree[path].data.decode("utf-8", "replace"), newline="\n")) if path in tree else []
