"""Refuses a configuration that holds the answer of a task.

It is laid over the task's folder, so it must have none of its paths, nor a file or link where the task has a folder,
nor a folder where it has a file. And no file of it may contain the text of a file of the reference or of one that the
agent never sees, nor the longest passage of it that is new to the task's folder, whatever the white space and the marks
around it: quoted, as a diff, or as a string in JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from steelyard.errors import InputError
from steelyard.gate.task import Task
from steelyard.gate.tasks import ArmSpec
from steelyard.gate.tree import File, Tree, under

_Forms = tuple[str, str]

_MIN_CHARACTERS = 40
"""Characters without white space from which on a text is not there by chance."""
_ESCAPES = re.compile(r"\\[nrt]")
_IMPORT = ("import ", "from ", "#include ", "use ", "require")
"""How lines begin that many files share."""
_LIMIT = 1_000_000
"""Bytes of a file that is looked into."""


def refuse_answers(arm: ArmSpec) -> None:
    """Raise `InputError` if the configuration of an arm holds a path or the solution of a task."""
    texts = {path: _forms(_text(file)) for path, file in sorted(arm.config.tree.items())}
    for task in arm.suite.tasks:
        for found in (*_paths(arm.config.tree, task), *_solutions(texts, task)):
            raise InputError(
                f"the {arm.name} {arm.config.source} contains {found} the task {task.id}",
                cure="a configuration holds what steers the agent, not files of a task",
            )


def _paths(tree: Tree, task: Task) -> Iterator[str]:
    own = task.own_paths
    files = own & {*task.visible, *task.protected, *(task.reference or {})}
    for path in sorted(tree):
        if path in own:
            yield f"{path}, which belongs to"
        elif under(path, files) or any(under(each, [path]) for each in own):
            yield f"{path}, which is in the way of a path of"


def _solutions(texts: dict[str, _Forms], task: Task) -> Iterator[str]:
    public = _forms("\n".join([*map(_text, task.visible.values()), task.file.prompt]))
    for name, file in sorted(task.hidden_answers.items()):
        answers = [_forms(answer) for answer in _answers(_text(file), _text(task.visible.get(name)))]
        for path, text in texts.items():
            if any(_holds(text, answer, public) for answer in answers):
                yield f"in {path} the text of {name}, which solves or grades"


def _answers(text: str, seen: str) -> tuple[str, ...]:
    """The text of an answer, and the longest passage of it that the task's folder does not have."""
    known = {line.strip() for line in seen.splitlines()}
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(_IMPORT)]
    passages = ["\n".join(group) for old, group in groupby(lines, lambda line: line.strip() in known) if not old]
    return text, max(passages, key=len, default="")


def _holds(text: _Forms, answer: _Forms, public: _Forms) -> bool:
    """Whether a text holds an answer that is not public."""
    forms = zip(text, answer, public, strict=True)
    return any(
        len(wanted) >= _MIN_CHARACTERS and wanted in here and wanted not in known for here, wanted, known in forms
    )


def _forms(text: str) -> _Forms:
    """A text without white space, and its letters and digits alone, so that marks before and around do not matter."""
    return "".join(text.split()), "".join(filter(str.isalnum, _ESCAPES.sub("", text)))


def _text(file: File | None) -> str:
    return "" if file is None else file.data[:_LIMIT].decode("utf-8", "replace")
