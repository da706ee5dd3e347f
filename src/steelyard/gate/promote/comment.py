"""The gate's comment on a pull request: one per request and name, updated in place. Uses `gh api`."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from steelyard import process
from steelyard.artifact import read_text
from steelyard.errors import InputError, ToolchainError, boundary
from steelyard.git import environment_of_others

MARK = "<!-- steelyard gate -->"
"""The first line of our comment, by which it is found again; `mark` has those of comments with a name."""

LIMIT = 65_000
"""GitHub refuses a comment of more than 65,536 characters."""

WORKFLOW_BOT = "github-actions[bot]"
"""The author of what a workflow writes with its own token."""

_TIMEOUT_S = 60.0


class Forbidden(InputError):
    """The token may not do this; on a pull request from a fork it may only read."""


def mark(name: str) -> str:
    """The first line of a comment with this name; a hash, because any text may be a name, and none may end a mark."""
    return f"<!-- steelyard gate {hashlib.sha256(name.encode()).hexdigest()[:12]} -->" if name else MARK


def write_comment(report: Path, repo: str, number: int, name: str = "") -> str:
    """Create or update the comment of this name, and return its address."""
    refuse_name(repo)
    first = mark(name)
    body = f"{first}\n{read_text(report)}"
    if len(body) > LIMIT:
        body = f"{body[:LIMIT]}\n\n(truncated: the whole report is in the job's summary)\n"
    earlier = _earlier(repo, number, first)
    create = "POST", f"issues/{number}/comments"
    method, where = create if earlier is None else ("PATCH", f"issues/comments/{earlier}")
    comment = api(f"repos/{repo}/{where}", f"--method={method}", "--input=-", stdin=json.dumps({"body": body}))
    return str(decoded(comment).get("html_url") or "")


def refuse_name(repo: str) -> None:
    """Raise unless a text is the name of a repository on GitHub."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*", repo):
        raise InputError(f"{repo!r} is not OWNER/NAME")


def _earlier(repo: str, number: int, first: str) -> int | None:
    """The id of our earlier comment; one that somebody else wrote is never touched."""
    who = author()
    comments = pages(api(f"repos/{repo}/issues/{number}/comments?per_page=100", "--paginate"))
    return next((int(comment["id"]) for comment in comments if _is_ours(comment, who, first)), None)


def _is_ours(comment: dict[str, Any], author: str, first: str) -> bool:
    user = cast(dict[str, Any], comment.get("user") or {})
    # Anybody can write the mark: only a comment of our own may be overwritten.
    return user.get("login") == author and str(comment.get("body") or "").startswith(first)


def author() -> str:
    """Who we are to GitHub; the token of a workflow cannot ask, and writes as its bot."""
    try:
        answer = api("user")
    except Forbidden:
        return WORKFLOW_BOT
    with boundary(InputError, "gh api user gave no login"):
        return str(json.loads(answer)["login"])


def pages(text: str) -> Iterator[dict[str, Any]]:
    """The members of the arrays that `gh api --paginate` prints one after another."""
    with boundary(InputError, "gh api returned no JSON"):
        # Not --slurp, which older versions of gh do not know.
        rest = text.strip()
        while rest:
            page, end = json.JSONDecoder().raw_decode(rest)
            yield from cast(list[dict[str, Any]], page)
            rest = rest[end:].lstrip()


def decoded(text: str) -> dict[str, Any]:
    """The object that `gh api` printed."""
    with boundary(InputError, "gh api returned no JSON"):
        return cast(dict[str, Any], json.loads(text))


def api(where: str, *words: str, stdin: str = "") -> str:
    """What GitHub answers; `Forbidden` if the token may not ask."""
    if shutil.which("gh") is None:
        raise ToolchainError("gh is not installed", cure="https://cli.github.com")
    env = environment_of_others(GH_PROMPT_DISABLED="1")
    done = process.run(
        ["gh", "api", *words, where], timeout_s=_TIMEOUT_S, stdin=stdin, env=env, output_limit=20_000_000
    )
    if not done.ok:
        detail = (done.stderr or done.stdout).strip()[:300]
        raise (Forbidden if "HTTP 403" in detail else InputError)(f"gh api failed: {detail}")
    return done.stdout
