"""Prompts from session logs; the lines have the form that claude-code 2.1.197 and codex 0.166.0 write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.harvest import HarvestSpec, harvest, typed_for
from steelyard.gate.harvest.prompt import Issues, asked
from steelyard.gate.harvest.transcripts import claude_code, of_codex
from steelyard.git import git
from steelyard.proof.history import Commit
from tests.repositories import repository

JSON = dict[str, Any]


def said(content: Any, when: str = "10:00", **more: Any) -> JSON:
    """A line of claude-code."""
    line = {"type": "user", "message": {"role": "user", "content": content}, "cwd": "/r", "sessionId": "s"}
    return {**line, "timestamp": f"2026-01-01T{when}:00.000Z", **more}


def event(when: str = "10:00", **payload: Any) -> JSON:
    """A line of codex."""
    return {"timestamp": f"2026-01-01T{when}:00.000Z", "type": "event_msg", "payload": payload}


def began(folder: str, commit: str) -> JSON:
    """The first line of codex."""
    payload = {"id": "c", "cwd": folder, "git": {"commit_hash": commit, "branch": "main"}}
    return {"timestamp": "2026-01-01T09:00:00.000Z", "type": "session_meta", "payload": payload}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (said("Make it triple"), "Make it triple"),
        (said([{"type": "text", "text": "Make it"}, {"type": "image"}]), "Make it"),
        (said([{"type": "tool_result", "content": "ok"}, {"type": "text", "text": "x"}]), None),
        (said("Caveat: …", isMeta=True), None),
        (said("Look around", isSidechain=True), None),
        (said("This session is continued", isCompactSummary=True), None),
        (said("<command-name>/clear</command-name>"), None),
        (said("[Request interrupted by user for tool use]"), None),
        (said("No date", timestamp="soon"), None),
        (said(None), None),
        ({"type": "assistant", "message": {"content": "Done."}}, None),
        ({}, None),
    ],
)
def test_of_claude_code_only_what_a_person_typed_is_taken(line: Mapping[str, Any], text: str | None) -> None:
    assert [each.text for each in claude_code([line])] == ([] if text is None else [text])


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (event(type="user_message", message="Make it triple"), "Make it triple"),
        (event(type="item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": "Go"}]}), "Go"),
        (event(type="item_completed", item={"type": "AgentMessage", "content": [{"text": "Done."}]}), None),
        (event(type="agent_message", message="Done."), None),
        ({**event(type="user_message", message="x"), "type": "response_item"}, None),
    ],
)
def test_of_codex_old_and_new_logs_are_read(line: Mapping[str, Any], text: str | None) -> None:
    found = list(of_codex([began("/r", "abc"), line]))
    assert [(each.text, each.folder, each.commit) for each in found] == ([] if text is None else [(text, "/r", "abc")])


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a commit of 12:00 that may become a task, on top of one of 08:00."""
    folder = repository(tmp_path / "repo", {"a.py": "A = 1\n"})
    git(folder, "commit", "-q", "--amend", "--no-edit", "--date=2026-01-01T08:00:00+00:00")
    (folder / "a.py").write_text("A = 2\n", "utf-8")
    (folder / "test_a.py").write_text("import a\n\n\ndef test_a():\n    assert a.A == 2\n", "utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "wip", "--date=2026-01-01T13:00:00+01:00")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    return folder


def log(folder: Path, name: str, lines: list[JSON]) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"cut', "utf-8")


CLAUDE, CODEX = "claude/projects/-r/s.jsonl", "codex/sessions/2026/01/01/rollout-1.jsonl"


def test_a_prompt_belongs_to_the_commit_that_was_written_after_it(repo: Path, tmp_path: Path) -> None:
    here: JSON = {"cwd": str(repo)}
    lines = [
        said("Before the parent was written", "07:00", **here),
        said("Let A be two please", "09:00", **here),
        said("go on", "09:30", **here),
        said("And have a test for it", "10:00", **here),
        said("My key is AKIAQWERTYUIOPASDFGH by the way", "11:00", **here),
        said("After the commit was written", "12:30", **here),
        said("In another folder on this machine", "11:30"),
    ]
    log(tmp_path, CLAUDE, lines)
    found = typed_for(HarvestSpec(repo, tmp_path / "out"))
    assert [each.text for each in found.asked] == ["Let A be two please\n\nAnd have a test for it"]
    assert (found.messages, found.secret) == (6, 1)


@pytest.mark.parametrize(("start", "count"), [("HEAD~1", 1), ("HEAD", 0), (None, 0)])
def test_a_session_that_began_elsewhere_says_nothing_about_a_commit(
    repo: Path, tmp_path: Path, start: str | None, count: int
) -> None:
    sha = "0" * 40 if start is None else git(repo, "rev-parse", start).stdout.strip()
    log(tmp_path, CODEX, [began(str(repo), sha), event("11:00", type="user_message", message="Let A be two please")])
    assert len(typed_for(HarvestSpec(repo, tmp_path / "out")).asked) == count


def test_the_list_is_shown_and_nothing_written_before_somebody_agrees(repo: Path, tmp_path: Path) -> None:
    log(tmp_path, CLAUDE, [said("Let A be two please", "09:00", cwd=str(repo))])
    done = CliRunner().invoke(main, ["gate", "harvest", str(repo), "--out", str(tmp_path / "out"), "--transcripts"])
    assert done.exit_code == 2 and "--yes" in done.stderr
    assert "> Let A be two please" in done.stderr and not (tmp_path / "out").exists()


def test_without_a_session_log_of_the_repository_it_says_so(repo: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no session log"):
        typed_for(HarvestSpec(repo, tmp_path / "out"))


@pytest.mark.parametrize("folder", ["", ".", "/a\0b"])
def test_a_log_that_names_no_folder_is_not_of_the_one_we_stand_in(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.chdir(repo)
    log(tmp_path, CLAUDE, [said("Let A be two please", "09:00", cwd=folder)])
    with pytest.raises(InputError, match="no session log"):
        typed_for(HarvestSpec(repo, tmp_path / "out"))


def test_commits_before_which_nothing_was_typed_are_left_out(repo: Path, tmp_path: Path) -> None:
    found = harvest(HarvestSpec(repo, tmp_path / "out", typed={}))
    assert [drop.reason for drop in found.dropped] == ["no session log has a prompt for it"] and not found.tasks


def test_what_was_typed_is_the_prompt_without_the_patch() -> None:
    commit = Commit("1" * 40, "p", "2026-01-01", "wip", "", ())
    typed = "Sort them by length please\nreturn sorted(values, key=len)\n"
    patch = "+++ b/a.py\n+    return sorted(values, key=len)\n"
    assert asked(commit, Issues(), patch, typed).text == "Sort them by length please"
