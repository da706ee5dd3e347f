"""Refuses a configuration that holds the answer of a task.

It is laid over the task's folder, so it must have none of its paths (in whatever case), nor a file or link where the
task has a folder, nor a folder where it has a file. And its files may not contain most of a file of the reference or of
one that the agent never sees, nor most of the longest passage of it that is new to the task's folder. That is counted
in short runs of characters, so white space, marks around them, another order and pieces in several files do not matter;
and in every decoding of the text, so base64 and the like do not either.
"""

from __future__ import annotations

import io
import lzma
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from steelyard.decoding.packed import unpacked
from steelyard.decoding.texts import decodings
from steelyard.errors import InputError
from steelyard.gate.task_folder import Task
from steelyard.gate.tasks import ArmSpec
from steelyard.text import basic
from steelyard.tree import File, Tree, under

_WIDTH = 12
"""Characters of a run."""
_MIN_RUNS = 29
"""Runs, in a text of 40 characters without white space, from which on it is not there by chance."""
_MOST = 0.6
"""The share of an answer's runs that makes it the answer."""
_IMPORT = ("import ", "from ", "#include ", "use ", "require")
"""How lines begin that many files share."""
_LIMIT = 1_000_000
"""Bytes of a file that is looked into."""
_DECODED = 200_000
"""Characters of a configuration that are decoded, its smallest files first: that takes seconds."""

_Runs = frozenset[str]


class _Answer(NamedTuple):
    """A file of a task that no configuration may hold."""

    task: str
    name: str
    passages: list[_Runs]
    """What of it must not be there, each in runs that the task does not show to the agent."""


def refuse_answers(arm: ArmSpec) -> None:
    """Raise `InputError` if the configuration of an arm holds a path or the solution of a task."""
    tree = arm.config.tree
    paths = ((task.id, found) for task in arm.suite.tasks for found in _paths(tree, task))
    answers = (answer for task in arm.suite.tasks for answer in _answers(task))
    for task, found in (*paths, *_solutions(tree, list(answers))):
        raise InputError(
            f"the {arm.name} {arm.config.source} contains {found} the task {task}",
            cure="a configuration holds what steers the agent, not files of a task",
        )


def _paths(tree: Tree, task: Task) -> Iterator[str]:
    own = set(map(_folded, task.own_paths))
    files = own & set(map(_folded, (*task.visible, *task.protected, *(task.reference or {}))))
    for path in sorted(tree):
        folded = _folded(path)
        if folded in own:
            yield f"{path}, which belongs to"
        elif under(folded, files) or any(under(each, [folded]) for each in own):
            yield f"{path}, which is in the way of a path of"


def _folded(path: str) -> str:
    """A path as file systems compare it that do not tell upper from lower case."""
    return unicodedata.normalize("NFC", path).casefold()


def _solutions(tree: Tree, answers: list[_Answer]) -> Iterator[tuple[str, str]]:
    wanted = frozenset(run for answer in answers for passage in answer.passages for run in passage)
    found: dict[str, _Runs] = {}
    left = _DECODED
    for path, file in sorted(tree.items(), key=lambda item: len(item[1].data)) if wanted else ():
        texts = [content[:_LIMIT].decode("utf-8", "replace") for content in (file.data, *_inside(file.data))]
        decoded = [reading for text in texts if len(text) <= left for reading in decodings(text)]
        found[path] = frozenset(run for text in (*texts, *decoded) for run in _runs(text) if run in wanted)
        left -= sum(map(len, texts))
    # Over all files, because an answer may be split among them.
    held = frozenset(run for runs in found.values() for run in runs)
    for answer in answers:
        for passage in answer.passages:
            if len(passage & held) >= _MOST * len(passage):
                path = max(found, key=lambda path: len(found[path] & passage))
                yield answer.task, f"in {path} the text of {answer.name}, which solves or grades"


def _answers(task: Task) -> Iterator[_Answer]:
    public = "\n".join([*map(_text, task.visible.values()), task.file.prompt])
    shown = frozenset(_runs(public))
    for name, file in sorted(task.hidden_answers.items()):
        text = _text(file)
        passages = [frozenset(_runs(part)) - shown for part in (text, _passage(text, _text(task.visible.get(name))))]
        yield _Answer(task.id, name, [runs for runs in passages if len(runs) >= _MIN_RUNS])


def _passage(text: str, seen: str) -> str:
    """The longest passage of a text that the task's folder does not have."""
    known = {line.strip() for line in seen.splitlines()}
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(_IMPORT)]
    passages = ["\n".join(group) for old, group in groupby(lines, lambda line: line.strip() in known) if not old]
    return max(passages, key=len, default="")


def _inside(data: bytes) -> Iterator[bytes]:
    """What is packed in a file."""
    yield from unpacked(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            # Limited, because an archive may unpack to any size.
            for name in archive.namelist()[:100]:
                with archive.open(name) as member:
                    yield member.read(_LIMIT)
    # zipfile raises RuntimeError for an encrypted member.
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, ValueError, RuntimeError, EOFError):
        return


def _runs(text: str) -> Iterator[str]:
    """The runs of a text without white space, and those of its letters and digits alone."""
    plain = basic(text).casefold()
    for form in ("".join(plain.split()), "".join(filter(str.isalnum, plain))):
        yield from (form[start : start + _WIDTH] for start in range(len(form) - _WIDTH + 1))


def _text(file: File | None) -> str:
    return "" if file is None else file.data[:_LIMIT].decode("utf-8", "replace")
