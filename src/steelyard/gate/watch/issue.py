"""One issue on GitHub for a baseline that moved: opened once, and told again while it is open."""

from __future__ import annotations

from steelyard.gate.promote.github import write_marked
from steelyard.gate.watch.night import Watched

MARK = "<!-- steelyard gate watch -->"
"""The first line of our issue, by which it is found again."""


def write_issue(watched: Watched, repo: str) -> str:
    """Open the issue, or bring the open one up to date; its address."""
    title = f"The baseline {watched.baseline} moved by {watched.movement.shift:+.3f} since {watched.since}"
    listed = "\n".join(f"- {place}" for place in watched.open)
    marked = f"\n\nComparisons that are not decided yet, and were marked:\n{listed}\n" if watched.open else ""
    fields = {"title": title, "body": f"{MARK}\n{watched.line}.{marked}"}
    return write_marked(repo, "issues", fields, mark=MARK, place_of=lambda issue: f"issues/{int(issue['number'])}")
