"""What gemini-cli 0.61.0 and opencode 1.18.18 print, as recorded with the real clients, and what is read from it."""

import json
from typing import Any

import pytest

from steelyard.gate.agents import claude_code, codex, cursor, gemini_cli, opencode
from steelyard.gate.agents.headless import Fault
from steelyard.gate.agents.output import number, summed, tokens, transcript
from steelyard.gate.agents.tool_call import ToolCall
from steelyard.gate.model import Cost

GEMINI: list[dict[str, Any]] = [
    {"type": "init", "session_id": "0fb650f8", "model": "inspect"},
    {"type": "message", "role": "user", "content": "Write yes into answer.txt."},
    {"type": "message", "role": "assistant", "content": "I will write it.", "delta": True},
    {"type": "tool_use", "tool_name": "run_shell_command", "tool_id": "1", "parameters": {"command": "echo yes"}},
    {"type": "tool_result", "tool_id": "1", "status": "success", "output": ""},
    {"type": "message", "role": "assistant", "content": "It is ", "delta": True},
    {"type": "message", "role": "assistant", "content": "done.", "delta": True},
    {"type": "result", "status": "success", "stats": {"total_tokens": 120, "cached": 100, "models": {"solve": {}}}},
]
OPENCODE: list[dict[str, Any]] = [
    {"type": "step_start", "part": {"type": "step-start"}},
    {"type": "tool_use", "part": {"tool": "bash", "state": {"status": "completed", "input": {"command": "echo yes"},
                                                            "output": "(no output)"}}},
    {"type": "step_finish", "part": {"reason": "tool-calls", "tokens": {"total": 105, "cache": {"read": 100}}}},
    {"type": "text", "part": {"type": "text", "text": "It is done."}},
    {"type": "step_finish", "part": {"reason": "stop", "tokens": {"total": 15}}},
]  # fmt: skip


def test_gemini_says_what_it_did_and_cost() -> None:
    found = gemini_cli.read(GEMINI)
    # The answer is what follows the last tool call, in as many pieces as it was streamed.
    assert (found.answer, found.error, found.models) == ("It is done.", None, ("solve",))
    assert found.cost == Cost(30, 1)
    assert found.calls is not None and found.calls[0].tool == "run_shell_command"


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ('[API Error: {"error":{"code":401,"message":"no","status":"UNAUTHENTICATED"}}]', 401),
        ("[API Error: fetch failed]", None),
    ],
)
def test_a_call_that_gemini_reports_as_failed_is_the_providers_fault(message: str, status: int | None) -> None:
    ended = [*GEMINI[:2], {"type": "result", "status": "error", "error": {"type": "unknown", "message": message}}]
    assert gemini_cli.fault(ended) == Fault(status, message)
    assert "API Error" in str(gemini_cli.read(ended).error)


def test_an_answer_of_gemini_that_breaks_off_is_the_providers_fault() -> None:
    cut, empty = "Model stream ended without a finish reason.", "The model returned an empty response."
    result = {"type": "result", "status": "error"}
    assert gemini_cli.fault([{"type": "error", "message": cut}, result]) == Fault(None, cut)
    assert gemini_cli.fault([{"type": "message", "role": "assistant", "content": cut}, result]) is None
    own = [{"type": "error", "message": empty}, result]
    assert gemini_cli.fault(own) is None and gemini_cli.read(own).error == f"gemini: {empty}"


def test_an_error_of_gemini_that_is_not_about_a_call_is_its_own() -> None:
    for message in ('[API Error: {"error":{"code":400}}]', "Maximum session turns exceeded, status 429"):
        ended = [{"type": "result", "status": "error", "error": {"message": message}}]
        assert gemini_cli.fault(ended) is None and gemini_cli.read(ended).error
    assert gemini_cli.fault(GEMINI) is None
    assert gemini_cli.read([]).error == "gemini: no result"


def test_opencode_says_what_it_did_and_cost() -> None:
    found = opencode.read(OPENCODE)
    assert (found.answer, found.error) == ("It is done.", None)
    assert found.cost == Cost(30, 1, 2)  # two steps of 15 tokens
    (use,) = opencode.uses(OPENCODE)
    assert (use.call, use.output) == (ToolCall("bash", {"command": "echo yes"}), "(no output)")


@pytest.mark.parametrize(
    ("name", "data", "provider"),
    [
        ("APIError", {"message": "no", "statusCode": 401}, True),
        ("APIError", {"message": "no", "statusCode": 400}, False),
        ("UnknownError", {"message": "The response redirected too many times."}, True),
        ("UnknownError", {"message": "Unexpected server error.", "ref": "err_05e4052d"}, False),
    ],
)
def test_an_error_of_opencode_belongs_to_whom_its_status_names(name: str, data: Any, provider: bool) -> None:
    ended = [{"type": "error", "error": {"name": name, "data": data}}]
    assert (opencode.fault(ended) is not None) is provider
    assert opencode.read(ended).error == f"opencode: {data['message']}"


def test_an_error_of_opencode_without_a_kind_is_its_own_after_an_answer() -> None:
    error = {"type": "error", "error": {"name": "UnknownError", "data": {"message": "no"}}}
    assert opencode.fault([{"type": "text", "part": {"text": "It is done."}}, error]) is None


@pytest.mark.parametrize(("reason", "whole"), [("stop", True), ("length", True), ("unknown", False), ("other", False)])
def test_an_answer_of_opencode_that_is_not_whole_is_the_providers_fault(reason: str, whole: bool) -> None:
    ended = [{"type": "step_finish", "part": {"reason": reason, "tokens": {"total": 0}}}]
    assert (opencode.fault(ended) is None) is whole
    assert (opencode.read(ended).error is None) is whole


@pytest.mark.parametrize(("model", "known"), [("new-1", ["new-1"]), ("anthropic/new-1", ["new-1"]), ("openai/o", [])])
def test_opencode_asks_its_provider_for_a_model_that_it_does_not_know(model: str, known: list[str]) -> None:
    settings = json.loads(
        opencode.direct({"ANTHROPIC_BASE_URL": "http://x"}, model).environment["OPENCODE_CONFIG_CONTENT"]
    )
    assert [*settings["provider"]["anthropic"].get("models", {})] == known


def test_opencode_without_a_finished_step_is_an_error_not_a_cheap_success() -> None:
    assert opencode.read([]).error == "opencode: no finished step"


PASSED_ON = "correct horse battery staple"
"""The value of a variable that the user passes on; no rule takes it for a key."""


def test_a_secret_across_the_place_where_a_line_is_cut_leaves_no_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSED_ON_KEY", PASSED_ON)
    # '{"text": "' has 10 characters: the line is cut after 10 letters of the value.
    assert transcript([{"text": "x" * 1_980 + PASSED_ON}]) == '{"text": "' + "x" * 1_980 + "[PASSED_ON"
    # And where the beginning is dropped, its second half would be left.
    shown = transcript([{"text": PASSED_ON}, *[{"text": "x" * 1_987}] * 10])
    assert len(shown) == 20_000 and "staple" not in shown


@pytest.mark.parametrize(
    ("client", "line"),
    [
        (claude_code, {"type": "result", "subtype": "error", "result": ""}),
        (codex, {"type": "turn.failed", "error": {"message": ""}}),
        (cursor, {"type": "result", "subtype": "error", "result": ""}),
        (gemini_cli, {"type": "result", "status": "error", "error": ""}),
        (opencode, {"type": "error", "error": {"data": {"message": ""}}}),
    ],
)
def test_a_secret_across_the_end_of_an_error_leaves_no_half(
    client: Any, line: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSED_ON_KEY", PASSED_ON)
    told = json.loads(json.dumps(line).replace('""', json.dumps("x" * 470 + PASSED_ON)))
    # With the client's name and the 28 letters of the value, 505 characters and more: the cut is within the value.
    assert str(client.read([told]).error).endswith("x[PASSED_ON_KEY]")


def test_an_integer_that_is_no_float_is_no_number() -> None:
    assert [number(value) for value in (3, 10**400, float("inf"), -1, True)] == [3.0, None, None, None, None]
    assert tokens({"a": 1.7e308, "b": 1.7e308}, ("a", "b"), "c") is None  # their sum is infinite
    assert summed([1.7e308, 1.7e308]) is None and summed([1.0, 2.0]) == 3.0 and summed([1.0, None]) is None


@pytest.mark.parametrize("client", [claude_code, codex, gemini_cli, opencode, cursor])
def test_lines_in_another_form_are_read_as_far_as_they_go(client: Any) -> None:
    # The output lies in the sandbox, where an agent may add lines of its own: they must not leave its run unscored.
    names = ("message", "usage", "api_error_status", "stop_reason", "item", "part", "error", "stats", "parameters")
    lines: list[dict[str, Any]] = [
        {"type": kind, "subtype": "success", "tool_id": [1], **dict.fromkeys(names, odd)}
        for kind in ("assistant", "result", "item.completed", "turn.completed", "turn.failed", "text", "tool_use",
                     "tool_result", "step_finish", "error")
        for odd in ("x", 1, [1], {"content": [1], "state": "x", "reason": [1], "models": 3, "data": "x", "error": 1})
    ]  # fmt: skip
    for line in lines:
        for read in ("read", "fault", "uses", "answered", "hooks"):
            getattr(client, read, list)([line])
