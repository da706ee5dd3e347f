"""Agents: what command lines print, what an agent claims, and what it is when one is not there."""

import json
from pathlib import Path

import pytest

from steelyard.errors import AgentError
from steelyard.gate.agents import AgentSpec, find_agent
from steelyard.gate.agents.attempt import TelemetryFault
from steelyard.gate.agents.claude_code import read as read_claude
from steelyard.gate.agents.codex import read as read_codex
from steelyard.gate.agents.command import claims
from steelyard.gate.agents.cursor import read as read_cursor
from steelyard.gate.agents.headless import json_lines
from steelyard.gate.agents.program import from_command
from steelyard.gate.model import Cost

CLAUDE = [
    {"type": "system", "subtype": "init"},
    {
        "type": "assistant",
        "message": {"content": [{"type": "text", "text": "hm"}, {"type": "tool_use", "name": "Bash"}]},
    },
    {"type": "user", "message": {"content": "result"}},
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "done",
        "num_turns": 3,
        "total_cost_usd": 0.02,
        "usage": {
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 1,
        },
    },
]


def test_claude_code_says_what_it_did_and_cost() -> None:
    found = read_claude(CLAUDE)
    # 10 + 5 + 100 + 1 tokens; one tool_use block; three turns
    assert (found.answer, found.error, found.cost) == ("done", None, Cost(116, 1, 3, None, 0.02))


@pytest.mark.parametrize(
    "result",
    [
        {"type": "result", "subtype": "error_max_turns", "is_error": False},
        {"type": "result", "subtype": "success", "is_error": True, "result": "API Error: 529 overloaded"},
    ],
)
def test_claude_code_errors_are_errors(result: dict[str, object]) -> None:
    assert read_claude([result]).error is not None


def test_no_result_is_an_error_not_a_cheap_success() -> None:
    for read in (read_claude, read_codex, read_cursor):
        found = read([])
        assert found.error is not None and found.cost == Cost()


def test_codex_events() -> None:
    lines = [
        {"type": "thread.started"},
        {"type": "item.completed", "item": {"type": "command_execution", "command": "ls"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "done"}},
        {"type": "turn.completed", "usage": {"input_tokens": 70, "cached_input_tokens": 60, "output_tokens": 7}},
    ]
    found = read_codex(lines)
    assert (found.answer, found.error, found.cost) == ("done", None, Cost(77, 1, 2))
    failed = read_codex([*lines, {"type": "turn.failed", "error": {"message": "stream disconnected"}}])
    assert failed.error == "codex: stream disconnected"


def test_cursor_result() -> None:
    found = read_cursor([{"type": "result", "subtype": "success", "is_error": False, "result": "done"}])
    assert (found.answer, found.error, found.cost) == ("done", None, Cost())  # unknown stays unknown


def test_output_is_read_line_by_line_or_as_one_value() -> None:
    assert list(json_lines('noise\n{"a": 1}\n[1]\n{"b": 2}\n{broken')) == [{"a": 1}, {"b": 2}]
    assert list(json_lines(json.dumps(CLAUDE))) == CLAUDE
    assert list(json_lines("")) == []


def test_claims_are_read() -> None:
    assert claims(None) == Cost()
    # a claimed wall clock is ignored: we have a clock
    assert claims(b'{"tokens": 5, "cost_usd": 0.1, "wall_clock_ms": 1}') == Cost(tokens=5, cost_usd=0.1)


@pytest.mark.parametrize(
    "text",
    [
        '{"tokens": -1}',
        '{"tokens": NaN}',
        '{"steps": 1e999}',
        '{"tokens": "5"}',
        '{"tokens": true}',
        "[]",
        "{",
        '{"x": 1}',
    ],
)
def test_damaged_claims_are_a_fault_of_the_harness(text: str) -> None:
    with pytest.raises(TelemetryFault):
        claims(text.encode())


@pytest.mark.parametrize(
    ("spec", "cure"),
    [
        (AgentSpec("claude-code"), "npm install"),
        (AgentSpec("codex"), "npm install"),
        (AgentSpec("cursor"), "cursor.com"),
        (AgentSpec("command"), "agent_command"),
        (AgentSpec("command", ("no-such-program",)), "install no-such-program"),
        (AgentSpec("command", ("./no/such/file",)), "does not exist"),
        (AgentSpec("model"), "--model"),
        (AgentSpec("magic"), "one of model"),
    ],
)
def test_an_agent_that_is_not_there_is_an_error_with_the_cure(
    spec: AgentSpec, cure: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(AgentError) as error:
        find_agent(spec)
    assert cure in str(error.value) and error.value.exit_code == 2


def test_a_command_line_without_a_key_is_an_error_with_the_name_of_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "cursor-agent"
    program.write_text("#!/bin/sh\necho 1.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("CURSOR_API_KEY", raising=False)
    with pytest.raises(AgentError, match="CURSOR_API_KEY"):
        find_agent(AgentSpec("cursor"))


def test_files_of_a_command_are_bound_alone_and_are_part_of_its_identity(tmp_path: Path) -> None:
    script, other = tmp_path / "agent.sh", tmp_path / "private.txt"
    script.write_text("one")
    other.write_text("x")
    found = from_command(["sh", str(script), "--flag"])
    assert found.words[1:] == ("/run/steelyard/agent/0/agent.sh", "--flag")
    assert found.binds == {"/run/steelyard/agent/0/agent.sh": str(script)}
    script.write_text("two")
    assert from_command(["sh", str(script), "--flag"]).sha != found.sha
