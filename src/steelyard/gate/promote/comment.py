"""The gate's comment on a pull request: one per request, updated in place. Uses `gh api`."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any, cast

from steelyard import process
from steelyard.artifact import read_text
from steelyard.errors import InputError, ToolchainError, boundary

MARK = "<!-- steelyard gate -->"
"""The first line of our comment, by which it is found again."""

LIMIT = 65_000
"""GitHub refuses a comment of more than 65,536 characters."""

_TIMEOUT_S = 60.0


def write_comment(report: Path, repo: str, number: int) -> str:
    """Create or update the comment, and return its address."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*", repo):
        raise InputError(f"{repo!r} is not OWNER/NAME")
    body = f"{MARK}\n{read_text(report)}"
    if len(body) > LIMIT:
        body = f"{body[:LIMIT]}\n\n(truncated: the whole report is in the job's summary)\n"
    earlier = _earlier(repo, number)
    create = "POST", f"issues/{number}/comments"
    method, where = create if earlier is None else ("PATCH", f"issues/comments/{earlier}")
    comment = _api(f"repos/{repo}/{where}", f"--method={method}", "--input=-", stdin=json.dumps({"body": body}))
    return str(cast(dict[str, Any], comment).get("html_url") or "")


def _earlier(repo: str, number: int) -> int | None:
    """The id of our earlier comment."""
    pages = _api(f"repos/{repo}/issues/{number}/comments?per_page=100", "--paginate", "--slurp")
    comments = [comment for page in cast(list[list[dict[str, Any]]], pages) for comment in page]
    ours = (comment for comment in comments if str(comment.get("body") or "").startswith(MARK))
    return next((int(comment["id"]) for comment in ours), None)


def _api(where: str, *words: str, stdin: str = "") -> Any:
    if shutil.which("gh") is None:
        raise ToolchainError("gh is not installed", cure="https://cli.github.com")
    env = {**os.environ, "GH_PROMPT_DISABLED": "1"}
    done = process.run(
        ["gh", "api", *words, where], timeout_s=_TIMEOUT_S, stdin=stdin, env=env, output_limit=20_000_000
    )
    if not done.ok:
        raise InputError(f"gh api failed: {(done.stderr or done.stdout).strip()[:300]}")
    with boundary(InputError, "gh api returned no JSON"):
        return json.loads(done.stdout or "null")
