"""A key that a server repeats in its refusal stands in nothing that a run leaves behind, whichever wing asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai.log import list_eval_logs, read_eval_log

from steelyard.audit.example import suite_folder
from steelyard.cli.main import main
from steelyard.models.redaction import subject

from ..wire import Server, send

# Importing Anthropic's package takes seconds: all tests that do so share a worker process.
pytestmark = pytest.mark.xdist_group("anthropic")

# Each wing asks for a model of its own: Inspect hands the same one out again, with the address it was made with.
KEY = "a-key-for-this-machine-only"

TASK = """\
id: one
title: A small task
prompt: Write yes into answer.txt.
fixture: fixture
checks: [{kind: file_exists, name: answer, path: answer.txt}]
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    running = Server()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    error = {"type": "error", "error": {"type": "authentication_error", "message": f"bad x-api-key: {KEY}"}}
    running.respond = lambda handler, _: send(handler, 401, json.dumps(error).encode())
    yield running
    running.close()


def bench(folder: Path) -> list[str]:
    return [
        *("bench", "run", "--model", "anthropic/claude-bench", "--category", "practice_exam", "--limit", "1"),
        "--log-dir",
        str(folder),
    ]


def audit(folder: Path) -> list[str]:
    suite = suite_folder("code-review") / "lockers"
    given = ["--key", str(suite / "key.md"), "--document", str(suite / "document.md"), "--lexical"]
    return ["audit", "run", "--model", "anthropic/claude-audit", "--log-dir", str(folder), *given]


def audit_for_later(folder: Path) -> list[str]:
    return [word.replace("--lexical", "--mark-later").replace("claude-audit", "claude-later") for word in audit(folder)]


def gate(folder: Path) -> list[str]:
    for name in ("tasks/one/fixture", "a", "b"):
        (folder.parent / name).mkdir(parents=True)
        (folder.parent / name / "CLAUDE.md").write_text(name)
    (folder.parent / "tasks/one/task.yaml").write_text(TASK)
    given = {"--tasks": "tasks", "--baseline": "a", "--candidate": "b"}
    places = [word for name, place in given.items() for word in (name, str(folder.parent / place))]
    return ["gate", "run", *places, "--agent", "model", "--model", "anthropic/claude-gate", "--log-dir", str(folder)]


@pytest.mark.parametrize("wing", [bench, audit, audit_for_later, gate])
def test_a_key_that_the_server_repeats_is_nowhere(server: Server, tmp_path: Path, wing: object) -> None:
    folder = tmp_path / "logs"
    result = CliRunner().invoke(main, wing(folder), catch_exceptions=True)  # type: ignore[operator]
    assert server.requests, result.output
    assert result.exit_code == 2, "nothing ran"
    assert KEY not in result.output
    logs = list_eval_logs(str(folder))
    assert logs
    texts = [read_eval_log(log, resolve_attachments="full").model_dump_json() for log in logs]
    assert any("[ANTHROPIC_API_KEY]" in text for text in texts)
    assert not any(KEY in text for text in texts)
    for path in folder.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()


def test_a_model_that_inspect_hands_out_again_is_guarded_once() -> None:
    one, other = subject("steelyard/floor"), subject("steelyard/floor")
    assert one is other
    assert one.api.generate is other.api.generate
