"""The gate's comment on a pull request: one per request and name, updated in place."""

from __future__ import annotations

import hashlib
from pathlib import Path

from steelyard.artifact import read_text
from steelyard.gate.promote.github import write_marked

MARK = "<!-- steelyard gate -->"
"""The first line of our comment, by which it is found again; `mark` has those of comments with a name."""

LIMIT = 65_000
"""GitHub refuses a comment of more than 65,536 characters."""


def mark(name: str) -> str:
    """The first line of a comment with this name; a hash, because any text may be a name, and none may end a mark."""
    return f"<!-- steelyard gate {hashlib.sha256(name.encode()).hexdigest()[:12]} -->" if name else MARK


def write_comment(report: Path, repo: str, number: int, name: str = "") -> str:
    """Create or update the comment of this name, and return its address."""
    first = mark(name)
    body = f"{first}\n{read_text(report)}"
    if len(body) > LIMIT:
        body = f"{body[:LIMIT]}\n\n(truncated: the whole report is in the job's summary)\n"
    return write_marked(
        repo,
        f"issues/{number}/comments",
        {"body": body},
        mark=first,
        place_of=lambda comment: f"issues/comments/{int(comment['id'])}",
    )
