"""One issue on GitHub for a baseline that moved: opened once, and told again while it is open. Uses `gh api`."""

from __future__ import annotations

import json
from typing import Any, cast

from steelyard.gate.promote.comment import api, author, decoded, pages, refuse_name
from steelyard.gate.watch.night import Watched

MARK = "<!-- steelyard gate watch -->"
"""The first line of our issue, by which it is found again."""


def write_issue(watched: Watched, repo: str) -> str:
    """Open the issue, or bring the open one up to date; its address."""
    refuse_name(repo)
    title = f"The baseline {watched.baseline} moved by {watched.movement.shift:+.3f} since {watched.since}"
    listed = "\n".join(f"- {place}" for place in watched.open)
    marked = f"\n\nComparisons that are not decided yet, and were marked:\n{listed}\n" if watched.open else ""
    fields = {"title": title, "body": f"{MARK}\n{watched.line}.{marked}"}
    who = author()
    issues = pages(api(f"repos/{repo}/issues?state=open&per_page=100", "--paginate"))
    ours = next((int(issue["number"]) for issue in issues if _is_ours(issue, who)), None)
    method, where = ("POST", "issues") if ours is None else ("PATCH", f"issues/{ours}")
    done = api(f"repos/{repo}/{where}", f"--method={method}", "--input=-", stdin=json.dumps(fields))
    return str(decoded(done).get("html_url") or "")


def _is_ours(issue: dict[str, Any], who: str) -> bool:
    user = cast(dict[str, Any], issue.get("user") or {})
    # Anybody can write the mark: only what we wrote ourselves may be overwritten.
    return user.get("login") == who and str(issue.get("body") or "").startswith(MARK)
