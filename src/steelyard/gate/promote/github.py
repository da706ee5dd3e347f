"""GitHub by way of `gh`, and what the gate writes there: one thing for each mark, brought up to date in place."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from steelyard import process
from steelyard.artifact import table
from steelyard.errors import InputError, ToolchainError, boundary
from steelyard.git import environment_of_others

WORKFLOW_BOT = "github-actions[bot]"
"""The author of what a workflow writes with its own token."""

_TIMEOUT_S = 120.0
_OUTPUT_LIMIT = 20_000_000


class Forbidden(InputError):
    """The token may not do this; on a pull request from a fork it may only read."""


def write_marked(
    repo: str, place: str, fields: Mapping[str, str], *, mark: str, place_of: Callable[[Mapping[str, Any]], str]
) -> str:
    """Create something whose text begins with a mark, or bring our earlier one up to date; its address.

    `place` lists what is there, and a new one goes there; `place_of` says where one of them is.
    """
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*", repo):
        raise InputError(f"{repo!r} is not OWNER/NAME")
    who = _author()
    listed = _pages(gh("api", "--paginate", f"repos/{repo}/{place}?per_page=100"))
    # Anybody can write the mark: only what we wrote ourselves may be overwritten.
    ours = (each for each in listed if table(each.get("user")).get("login") == who)
    earlier = next((each for each in ours if str(each.get("body") or "").startswith(mark)), None)
    method, where = ("POST", place) if earlier is None else ("PATCH", place_of(earlier))
    answer = gh("api", f"--method={method}", "--input=-", f"repos/{repo}/{where}", stdin=json.dumps(dict(fields)))
    with boundary(InputError, "gh api returned no JSON"):
        return str(table(json.loads(answer)).get("html_url") or "")


def _author() -> str:
    """Who we are to GitHub; the token of a workflow cannot ask, and writes as its bot."""
    try:
        answer = gh("api", "user")
    except Forbidden:
        return WORKFLOW_BOT
    with boundary(InputError, "gh api user gave no login"):
        return str(json.loads(answer)["login"])


def _pages(text: str) -> Iterator[dict[str, Any]]:
    """The members of the arrays that `gh api --paginate` prints one after another."""
    with boundary(InputError, "gh api returned no JSON"):
        # Not --slurp, which older versions of gh do not know.
        rest = text.strip()
        while rest:
            page, end = json.JSONDecoder().raw_decode(rest)
            yield from map(table, page)
            rest = rest[end:].lstrip()


def require_gh() -> None:
    """Raise if there is no `gh`."""
    if shutil.which("gh") is None:
        raise ToolchainError("gh is not installed", cure="https://cli.github.com")


def gh(command: str, *words: str, stdin: str = "", cwd: Path | None = None) -> str:
    """What `gh` prints; `Forbidden` if the token may not ask."""
    require_gh()
    env = environment_of_others(GH_PROMPT_DISABLED="1")
    argv = ["gh", command, *words]
    done = process.run(argv, timeout_s=_TIMEOUT_S, stdin=stdin, cwd=cwd, env=env, output_limit=_OUTPUT_LIMIT)
    if not done.ok:
        detail = (done.stderr or done.stdout).strip()[:300] or f"exit code {done.returncode}"
        raise (Forbidden if "HTTP 403" in detail else InputError)(f"gh {command} failed: {detail}")
    return done.stdout
