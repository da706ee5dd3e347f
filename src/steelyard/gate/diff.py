"""What an agent changed, as text: for the judge, who never learns the arm, and for a reader."""

from __future__ import annotations

import difflib

from steelyard.gate.tree import File, Tree, changes

LIMIT = 60_000
"""Characters of a whole diff."""

_FILE_LIMIT = 20_000


def unified(before: Tree, after: Tree) -> str:
    """A unified diff of two trees; binary files are only named, and what is too long is cut and says so."""
    parts = [_one(path, how, before.get(path), after.get(path)) for path, how in changes(before, after).items()]
    text = "\n".join(parts)
    return text if len(text) <= LIMIT else f"{text[:LIMIT]}\n[cut: the diff has {len(text):,} characters]"


def graded_text(diff: str, answer: str) -> str:
    """What a judge grades: the change and the final answer."""
    return f"Change to the files:\n\n{diff or '(no file was changed)'}\n\nFinal answer:\n\n{answer or '(none)'}\n"


def _one(path: str, how: str, before: File | None, after: File | None) -> str:
    old, new = _text(before), _text(after)
    if old is None or new is None:
        return f"{how}: {path} (binary)"
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), f"a/{path}", f"b/{path}", lineterm="")
    text = "\n".join(lines) or f"{how}: {path}"
    return text if len(text) <= _FILE_LIMIT else f"{text[:_FILE_LIMIT]}\n[cut]"


def _text(file: File | None) -> str | None:
    if file is None:
        return ""
    if file.link is not None:
        return f"link to {file.link}"
    try:
        return file.data.decode("utf-8")
    except UnicodeDecodeError:
        return None
