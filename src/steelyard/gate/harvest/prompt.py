"""What was asked for: the text of an issue or a commit, without what gives the patch away. Pure.

No line of the prompt is a line that the commit adds, and no code block is in it. Signatures and references to
other systems go. A message of fewer than four words asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from steelyard import artifact
from steelyard.errors import InputError
from steelyard.markdown import without_fences
from steelyard.proof.history import Commit

LEAST_WORDS = 4
_GIVEN_AWAY = 12
"""Characters from which an added line that stands in the prompt gives something away."""
_NUMBER = re.compile(r"#(\d+)\b")
_TRAILER = re.compile(r"^[A-Z][A-Za-z]+(?:-[A-Za-z]+)+: |^(?:cc|CC) @", re.MULTILINE)
"""`Signed-off-by: …` and the like."""
_REFERENCE = re.compile(r"\s*\((?:#\d+|GH-\d+)\)|^(?:Closes|Fixes|Resolves|Refs?):? #\d+\.?$", re.MULTILINE)


class Prompt(NamedTuple):
    """What to ask for; or nothing, and why."""

    text: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Issues:
    """Issues and pull requests by number."""

    texts: Mapping[int, str] = field(default_factory=dict[int, str])

    @staticmethod
    def read(path: Path) -> Issues:
        """A JSON list of objects with `number`, `title` and `body`, as `gh issue list --json` writes it."""
        data = artifact.read_json(path)
        if not isinstance(data, list):
            raise InputError(
                f"{path} is not a list of issues", cure="gh issue list --state all --json number,title,body"
            )
        texts: dict[int, str] = {}
        for place, row in enumerate(map(artifact.table, artifact.listed(data))):
            if not isinstance(row.get("number"), int) or not isinstance(row.get("title"), str):
                raise InputError(f"{path}: entry {place} has no number or no title")
            texts[row["number"]] = f"{row['title']}\n\n{row.get('body') or ''}".strip()
        return Issues(texts)


def asked(commit: Commit, issues: Issues, patch: str, typed: str = "") -> Prompt:
    """What a commit was asked for: by what somebody typed, by the issue that it names, else by its own message."""
    message = f"{commit.subject}\n\n{commit.body}".strip()
    named = (issues.texts.get(int(number)) for number in _NUMBER.findall(message))
    text = _plain(typed or next((found for found in named if found), message), added_lines(patch))
    if len(text.split()) < LEAST_WORDS:
        return Prompt("", "its message asks for nothing in particular")
    return Prompt(text)


def added_lines(patch: str) -> frozenset[str]:
    """The lines that a patch adds, without indentation."""
    lines = (line[1:].strip() for line in patch.splitlines() if line.startswith("+") and not line.startswith("+++"))
    return frozenset(line for line in lines if len(line) >= _GIVEN_AWAY)


def _plain(text: str, added: frozenset[str]) -> str:
    kept = [
        line
        for line in _REFERENCE.sub("", without_fences(text)).splitlines()
        # Compared without Markdown marks, behind which an added line may stand.
        if not _TRAILER.match(line) and line.strip(" `*->") not in added
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
