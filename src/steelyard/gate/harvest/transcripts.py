"""What people typed to claude-code and codex while they worked on a repository, and the commit that came of it.

A prompt belongs to a commit if it was typed after the commit's parent was written and not after the commit, in
the repository's folder; if the log names the commit that the session began at, the parent must lead back to it. Of
several sessions the one counts that was spoken to last. What the client wrote itself (tool results, summaries, slash
commands), what a subagent was told, and messages with a secret are left out.

Read from `$CLAUDE_CONFIG_DIR` and `$CODEX_HOME`, else from `~/.claude` and `~/.codex`; nothing is sent anywhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from steelyard.artifact import listed, table
from steelyard.errors import InputError
from steelyard.gate.harvest.prompt import LEAST_WORDS
from steelyard.git import git
from steelyard.proof.history import Commit, written
from steelyard.secrets import secret_in

_INTERRUPTED = "[Request interrupted"
"""What claude-code writes in the place of a prompt when somebody stops it."""


@dataclass(frozen=True, slots=True)
class Typed:
    """One message of a person."""

    text: str
    when: datetime
    session: str
    """Client and id."""
    folder: str
    commit: str = ""
    """Where the repository was when the session began, if the log says so."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed before a commit, in one session."""

    commit: Commit
    session: str
    text: str


@dataclass(frozen=True, slots=True)
class Sessions:
    """What session logs say about a repository."""

    asked: tuple[Asked, ...]
    messages: int
    """Typed in the repository's folder."""
    secret: int
    """Of these, left out because they hold a secret."""

    @property
    def prompts(self) -> dict[str, str]:
        """Commit → what was typed."""
        return {found.commit.sha: found.text for found in self.asked}


def sessions(repo: Path, history: Sequence[Commit]) -> Sessions:
    """The prompts for the commits of a history; `InputError` if no session ran in the repository."""
    top = repo.resolve()
    typed = [each for each in _logs() if _inside(each.folder, top)]
    if not typed:
        raise InputError(
            f"no session log of claude-code or codex has a prompt that was typed in {repo}",
            cure="REPO must be the folder the sessions ran in; CLAUDE_CONFIG_DIR and CODEX_HOME say where the logs are",
        )
    open_ = [each for each in typed if secret_in("prompt", each.text) is None]
    times = written(repo, history)
    found = (_asked(repo, commit, open_, times) for commit in history)
    return Sessions(tuple(each for each in found if each is not None), len(typed), len(typed) - len(open_))


def _inside(folder: str, top: Path) -> bool:
    """Whether a log's folder is in the repository; one that is missing or relative says nothing."""
    return os.path.isabs(folder) and "\0" not in folder and Path(folder).resolve().is_relative_to(top)


def _asked(repo: Path, commit: Commit, typed: Sequence[Typed], times: Mapping[str, datetime]) -> Asked | None:
    if commit.parent not in times:
        return None
    since, until = times[commit.parent], times[commit.sha]
    window = [each for each in typed if since < each.when <= until and _began_before(repo, each.commit, commit)]
    if not window:
        return None
    session = max(window, key=lambda each: each.when).session
    texts = [each.text.strip() for each in sorted(window, key=lambda each: each.when) if each.session == session]
    telling = [text for text in texts if len(text.split()) >= LEAST_WORDS]
    return Asked(commit, session, "\n\n".join(telling)) if telling else None


def _began_before(repo: Path, sha: str, commit: Commit) -> bool:
    # The hash comes from a log and may be anything; a `-` would start an option of git.
    return not sha or (sha.isalnum() and git(repo, "merge-base", "--is-ancestor", sha, commit.parent, check=False).ok)


def _logs() -> Iterator[Typed]:
    claude = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    codex = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    for path in sorted(claude.glob("projects/*/*.jsonl")):
        yield from claude_code(_entries(path))
    for path in sorted(codex.glob("sessions/**/rollout-*.jsonl")):
        yield from of_codex(_entries(path))


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    """The lines that can be read; a client may be writing the last one."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                yield table(json.loads(line))
            except (ValueError, RecursionError):
                continue


def claude_code(entries: Iterable[Mapping[str, Any]]) -> Iterator[Typed]:
    """The messages of a person in a session of claude-code."""
    for entry in entries:
        # The client's own words, what a subagent was told, and summaries.
        own = entry.get("isMeta") or entry.get("isSidechain") or entry.get("isCompactSummary")
        if entry.get("type") == "user" and not own:
            text, when = _text(table(entry.get("message")).get("content")), _time(entry.get("timestamp"))
            # A slash command, and what it printed, stand in tags.
            if text and when and not text.lstrip().startswith(("<", _INTERRUPTED)):
                yield Typed(text, when, f"claude-code {entry.get('sessionId', '')}", str(entry.get("cwd", "")))


def of_codex(entries: Iterable[Mapping[str, Any]]) -> Iterator[Typed]:
    """The messages of a person in a session of codex; from 0.147 on they are items."""
    meta: Mapping[str, Any] = {}
    for entry in entries:
        payload, when = table(entry.get("payload")), _time(entry.get("timestamp"))
        if entry.get("type") == "session_meta":
            meta = payload
        item = table(payload.get("item"))
        told = payload.get("message") if payload.get("type") == "user_message" else None
        text = _text(item.get("content") if item.get("type") == "UserMessage" else told)
        if entry.get("type") == "event_msg" and text and when:
            began = str(table(meta.get("git")).get("commit_hash") or "")
            yield Typed(text, when, f"codex {meta.get('id', '')}", str(meta.get("cwd", "")), began)


def _text(content: Any) -> str:
    """What a message says; nothing if a tool says it."""
    if isinstance(content, str):
        return content
    blocks = [table(block) for block in listed(content)]
    if any(block.get("type") == "tool_result" for block in blocks):
        return ""
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))


def _time(value: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    # A time without a zone cannot be compared with a commit's.
    return found if found.tzinfo is not None else None
