"""Checks on the agent's answer and on its tool calls."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.model import ChatMessageTool, GenerateConfig, ModelOutput
from inspect_ai.tool import ToolCallError

from steelyard.errors import InputError
from steelyard.gate.agents import AgentSpec, claude_code, codex
from steelyard.gate.agents.tool_call import WORK, ToolCall, ToolUse, reads
from steelyard.gate.agents.usage import tool_calls, tool_uses, with_failures
from steelyard.gate.checks import run_checks
from steelyard.gate.checks.transcript import UnknownCalls
from steelyard.gate.model import Comparison
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec, load_arms
from steelyard.gate.selftest import selftest
from steelyard.gate.task_folder import Task, load_task

Write = Callable[..., Path]
HEAD = "id: t\ntitle: T\nprompt: P\n"
CALLS = (
    ToolCall("Bash", {"command": "pytest -q"}),
    ToolCall("Read", {"file_path": f"{WORK}/docs/style.md"}),
    ToolCall("Bash", {"command": "rm -rf build"}),
)


def passed(check: str, write: Write, answer: str = "", calls: tuple[ToolCall, ...] | None = CALLS) -> bool:
    task = load_task(write("t/task.yaml", f"{HEAD}checks: [{{{check}}}]\n"))
    (result,) = run_checks(task.checks, replace(task.check_input({}, {}), answer=answer, calls=calls))
    return result.passed


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("kind: answer_contains, text: Done", True),
        ("kind: answer_contains, text: done", False),
        ("kind: answer_contains, text: done, ignore_case: true", True),
        ("kind: answer_contains, text: sorry, absent: true", True),
        ("kind: answer_contains, text: Done, absent: true", False),
        ("kind: answer_matches, pattern: '^Done in \\d+ steps$'", True),
        ("kind: answer_matches, pattern: '\\d{3}'", False),
        ("kind: answer_matches, pattern: '\\d{3}', absent: true", True),
        ("kind: tool_called, tool: Bash", True),
        ("kind: tool_called, tool: Bash, min: 3", False),
        ("kind: tool_called, tool: Bash, max: 1", False),
        ("kind: tool_called, tool: 'B*', arguments: pytest, max: 1", True),
        ("kind: tool_called, tool: Write", False),
        ("kind: tool_not_called, tool: Write", True),
        ("kind: tool_not_called, tool: Bash, arguments: 'rm -rf'", False),
        ("kind: tool_not_called, tool: Bash, arguments: 'git push'", True),
        ("kind: file_read, path: docs/style.md", True),
        ("kind: file_read, path: docs/other.md", False),
    ],
)
def test_checks_on_answer_and_calls(write: Write, check: str, expected: bool) -> None:
    assert passed(check, write, answer="Look:\nDone in 12 steps\n") is expected


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("kind: answer_matches, pattern: '^done'", True),
        ("kind: answer_matches, pattern: '[a-z?]$'", False),
        ("kind: tool_called, tool: Bash, arguments: 'echo'", True),
        ("kind: tool_not_called, tool: Bash, arguments: '[?]'", True),
    ],
)
def test_half_of_a_surrogate_pair_is_a_letter_that_no_pattern_means(write: Write, check: str, expected: bool) -> None:
    calls = (ToolCall("Bash", {"command": "echo \ud800"}),)
    assert passed(check, write, answer="done \ud800", calls=calls) is expected


@pytest.mark.parametrize(
    ("tool", "arguments", "read"),
    [
        ("read_file", {"path": "a/b.md"}, True),
        ("mcp__files__read_text", {"path": "./a/b.md"}, True),
        ("editor", {"command": "view", "path": f"{WORK}/a/b.md"}, True),
        ("editor", {"command": "create", "path": "a/b.md"}, False),
        ("Write", {"file_path": "a/b.md"}, False),
        ("bash", {"command": "cd a; cat b.md"}, False),
        ("bash", {"command": "ls && sed -n 1,5p a/b.md"}, True),
        ("shell", {"command": ["bash", "-lc", "head a/*.md"]}, True),
        ("bash", {"cmd": "grep x < a/b.md"}, True),
        ("bash", {"cmd": "echo x > a/b.md"}, False),
        ("bash", {"cmd": "date >> a/b.md"}, False),
        ("bash", {"cmd": "rm a/b.md"}, False),
        ("bash", {"cmd": "cat 'unclosed a/b.md"}, True),
        ("Read", {"file_path": "/etc/a/b.md"}, False),
        ("Read", {}, False),
    ],
)
def test_what_counts_as_reading_a_file(tool: str, arguments: dict[str, Any], read: bool) -> None:
    assert reads(ToolCall(tool, arguments), "a/b.md") is read
    assert not reads(ToolCall(tool, arguments, failed=True), "a/b.md")


def test_calls_that_nobody_reported_are_unknown_and_not_absent(write: Write) -> None:
    with pytest.raises(UnknownCalls, match="does not report its tool calls"):
        passed("kind: tool_not_called, tool: Bash", write, calls=None)
    assert passed("kind: tool_not_called, tool: Bash", write, calls=())


def test_calls_in_the_output_of_claude_and_codex() -> None:
    use = {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "a"}}
    result = {"type": "tool_result", "tool_use_id": "1", "is_error": True}
    lines = [
        {"type": "assistant", "message": {"content": [use]}},
        {"type": "user", "message": {"content": [result]}},
        {"type": "result", "subtype": "success", "result": "ok"},
    ]
    assert claude_code.read(lines).calls == (ToolCall("Read", {"file_path": "a"}, failed=True),)
    items = [
        {"type": "command_execution", "command": "cat a", "status": "completed"},
        {"type": "mcp_tool_call", "server": "s", "tool": "look", "arguments": {"at": 1}, "status": "failed"},
    ]
    lines = [{"type": "item.completed", "item": item} for item in items] + [{"type": "turn.completed", "usage": {}}]
    assert codex.read(lines).calls == (
        ToolCall("command_execution", {"command": "cat a"}),
        ToolCall("look", {"at": 1}, failed=True),
    )


def test_calls_of_a_model_are_taken_from_its_events() -> None:
    first = ModelOutput.for_tool_call("mockllm/model", "bash", {"cmd": "cat a"}, tool_call_id="1")
    answer = ChatMessageTool(content="", tool_call_id="1", error=ToolCallError("unknown", "no such file"))
    outputs = [(first, []), (ModelOutput.from_content("mockllm/model", "done"), [answer])]
    events = [
        ModelEvent(model="m", input=read, tools=[], tool_choice="auto", config=GenerateConfig(), output=output)
        for output, read in outputs
    ]
    assert tool_calls(events) == (ToolCall("bash", {"cmd": "cat a"}, failed=True),)


@pytest.mark.parametrize(
    ("result", "printed", "failed"),
    [('{"output": "one\\ntwo"}', "one\ntwo", False), ('{"error": "no such skill"}', "no such skill", True),
     ('{"output": 1, "error": 2}', '{"output": 1, "error": 2}', False), ("one\ntwo", "one\ntwo", False)],
)  # fmt: skip
def test_what_a_tool_printed_is_taken_out_of_its_result(result: str, printed: str, failed: bool) -> None:
    called = ModelOutput.for_tool_call("mockllm/model", "activate_skill", {"name": "a"}, tool_call_id="1")
    shown = [called.message, ChatMessageTool(content=result, tool_call_id="1")]
    event = ModelEvent(model="m", input=shown, tools=[], tool_choice="auto", config=GenerateConfig(), output=called)
    assert tool_uses([event]) == (ToolUse(ToolCall("activate_skill", {"name": "a"}, failed), printed),)


def test_failures_that_only_the_client_knows_are_matched_by_name_and_order() -> None:
    called = [ToolCall("read", {"path": name}) for name in "ab"] + [ToolCall("shell"), ToolCall("shell")]
    reported = [ToolCall("read"), ToolCall("shell", failed=True), ToolCall("read", failed=True)]
    # One of two shell calls was reported: which one, nobody knows.
    assert [call.failed for call in with_failures(called, reported)] == [False, True, False, False]
    assert [call.arguments for call in with_failures(called, reported)] == [call.arguments for call in called]


CHECKS = """
  - {kind: answer_contains, name: says so, text: finished}
  - {kind: tool_called, name: looked, tool: read_file}
  - {kind: file_read, name: read the rules, path: RULES}
"""
AGENT = """
echo yes > answer.txt
: > $STEELYARD_TOOL_CALLS
if grep -q new RULES; then
  echo '{"tool": "read_file", "arguments": {"path": "RULES"}}' > $STEELYARD_TOOL_CALLS
fi
echo finished
"""


def test_a_program_that_is_trusted_reports_its_calls(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]
) -> None:
    spec = gate_spec(AGENT, tasks=suite(more=CHECKS.strip("\n")))
    with pytest.raises(InputError, match="one has a check on tool calls"):
        load_arms(spec)
    trusted = replace(spec, agent=replace(spec.agent, telemetry="trusted"))
    outcome = gate_run(trusted).outcome
    assert isinstance(outcome, Comparison)
    assert {flip.check for flip in outcome.tasks[0].flips} == {"looked", "read the rules"}
    assert outcome.tasks[0].baseline.passed == 3  # the answer, its file and the tests


def test_an_agent_without_a_transcript_is_refused_before_it_runs(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]
) -> None:
    spec = gate_spec("", tasks=suite(more=CHECKS.strip("\n")), agent=AgentSpec("cursor", direct=True))
    with pytest.raises(InputError, match="which cursor does not report"):
        load_arms(spec)


def test_the_self_test_leaves_out_what_only_an_agent_can_do(suite: Callable[..., Path], write: Write) -> None:
    folder = suite(more=CHECKS.strip("\n"))
    assert selftest(load_task(folder / "one" / "task.yaml")).fine
    task: Task = load_task(write("t/task.yaml", f"{HEAD}checks: [{{kind: tool_called, tool: Bash}}]\n"))
    assert "cannot be tried without" in selftest(task).problems[0]


def test_a_file_to_be_read_may_be_part_of_a_configuration(write: Write) -> None:
    checks = "[{kind: file_read, path: RULES}, {kind: file_exists, path: out.txt}]"
    assert load_task(write("t/task.yaml", f"{HEAD}checks: {checks}\n")).own_paths == {"out.txt"}
