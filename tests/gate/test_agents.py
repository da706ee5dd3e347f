"""Agents: what command lines print, what an agent claims, and what it is when one is not there."""

import json
from pathlib import Path

import anyio
import httpx
import pytest
from aiohttp import ClientPayloadError
from aiohttp.http_exceptions import ContentLengthError
from inspect_ai.model._internal import content_internal_tag

from steelyard.errors import AgentError
from steelyard.gate.agents import AgentSpec, find_agent
from steelyard.gate.agents.attempt import TelemetryFault
from steelyard.gate.agents.calls import Call, Calls
from steelyard.gate.agents.claude_code import fault as claude_fault
from steelyard.gate.agents.claude_code import read as read_claude
from steelyard.gate.agents.codex import fault as codex_fault
from steelyard.gate.agents.codex import read as read_codex
from steelyard.gate.agents.command import claims
from steelyard.gate.agents.cursor import read as read_cursor
from steelyard.gate.agents.headless import unless
from steelyard.gate.agents.output import json_lines, said
from steelyard.gate.agents.program import from_command
from steelyard.gate.model import Cost
from steelyard.gate.read.arm import agent_label
from steelyard.models.fault import status_of

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
    # 10 + 5 + 0.1 · 100 + 1 tokens; one tool_use block; three turns
    assert (found.answer, found.error, found.cost) == ("done", None, Cost(26, 1, 3, None, 0.02))


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
    assert (found.answer, found.error, found.cost) == ("done", None, Cost(70 - 0.9 * 60 + 7, 1, 2))
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
        (AgentSpec("cursor", direct=True), "installed (see https://cursor"),
        (AgentSpec("cursor"), "cursor can only call its provider itself, with your key (--direct)"),
        (AgentSpec("command"), "agent_command"),
        (AgentSpec("command", ("no-such-program",)), "install no-such-program"),
        (AgentSpec("command", ("./no/such/file",)), "does not exist"),
        (AgentSpec("model"), "--model"),
        (AgentSpec("magic"), "one of model"),
    ],
)
@pytest.mark.usefixtures("own_cache")  # without pinned clients
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
        find_agent(AgentSpec("cursor", direct=True))


@pytest.mark.parametrize("model", [None, "sonnet"])
@pytest.mark.usefixtures("own_cache")
def test_a_bridged_agent_needs_an_inspect_model(
    model: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _stand_in(tmp_path / "claude", monkeypatch)
    with pytest.raises(AgentError, match="--model anthropic/NAME, or --direct"):
        find_agent(AgentSpec("claude-code", model=model))


@pytest.mark.usefixtures("own_cache")
def test_a_bridged_agent_has_neither_key_nor_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _stand_in(tmp_path / "claude", monkeypatch)
    agent = find_agent(AgentSpec("claude-code", model="anthropic/claude-sonnet-5-5"))
    assert (agent.network, agent.uses_model, agent.identity) == ("none", True, "claude-code")


def test_a_client_that_npm_does_not_have_must_be_there_in_the_wanted_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _stand_in(tmp_path / "cursor-agent", monkeypatch)
    monkeypatch.setenv("CURSOR_API_KEY", "made-up")
    assert find_agent(AgentSpec("cursor", direct=True, version="1.0")).version == "1.0"
    with pytest.raises(AgentError, match=r"is 1\.0, not 2\.0"):
        find_agent(AgentSpec("cursor", direct=True, version="2.0"))


def _stand_in(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program.write_text("#!/bin/sh\necho 1.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")


RETRY = {"type": "system", "subtype": "api_retry", "attempt": 3, "error_status": 401}


def claude_result(**fields: object) -> dict[str, object]:
    return {"type": "result", "subtype": "success", "is_error": True, "result": "said", **fields}


def written(error: str, model: str = "<synthetic>") -> dict[str, object]:
    return {"type": "assistant", "message": {"model": model}, "error": error}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        *(([claude_result(api_error_status=code)], f"status {code}") for code in (401, 402, 403, 404, 429, 500, 529)),
        ([claude_result(api_error_status=400)], None),  # the request itself is wrong
        ([claude_result(result="API Error: 529 rate limit")], None),  # words are not a status
        ([RETRY], "status 401"),  # the time was up during retries
        ([{**RETRY, "error_status": None}], "no answer"),
        ([RETRY, {"type": "assistant"}], None),  # it went on after the retries
        *(([written(name), claude_result()], "no answer") for name in ("server_error", "rate_limit", "unknown")),
        ([written("unknown"), claude_result(api_error_status=400)], None),
        *(([written(name), claude_result()], None) for name in ("max_output_tokens", "invalid_request")),
        ([written("server_error", model="claude"), claude_result()], None),  # the model's words, not the client's
        ([claude_result(is_error=False, stop_reason="evicted")], "the stop reason 'evicted' is unknown"),
        ([claude_result(is_error=False, stop_reason="refusal")], None),
        ([], None),
    ],
)
def test_a_status_that_claude_reports_is_the_providers_fault(lines: list[dict[str, object]], words: str | None) -> None:
    fault = claude_fault(lines)
    assert fault is None if words is None else words in fault.reason
    assert fault is None or read_claude(lines).error


@pytest.mark.parametrize(
    ("message", "provider"),
    [
        *((f"unexpected status {code} Some Words: no", True) for code in (401, 403, 404, 429, 500, 503)),
        ("unexpected status 400 Bad Request: no", False),
        ("stream disconnected before completion: closed", True),
        ("exceeded retry limit, last status: 429 Too Many Requests", True),
        ("Quota exceeded. Check your plan and billing details.", True),
        ("Reconnecting... 1/5 (unexpected status 401 Unauthorized: no)", True),
        ("Reconnecting... waiting for network (Connection failed: error sending request)", True),
        ("Incomplete response returned, reason: gateway_pause", True),
        ("Incomplete response returned, reason: content_filter", False),  # the model's own answer
        ("Reconnecting... 2/5 (stream disconnected: Incomplete response returned, reason: content_filter)", False),
        ("the answer says: unexpected status 429, rate limit", False),
    ],
)
def test_a_status_that_codex_reports_is_the_providers_fault(message: str, provider: bool) -> None:
    before = {"type": "item.completed", "item": {"type": "agent_message", "text": "I begin."}}
    assert (codex_fault([before, {"type": "turn.failed", "error": {"message": message}}]) is not None) is provider
    assert codex_fault([{"type": "item.completed", "item": {"type": "agent_message", "text": message}}]) is None


def test_a_request_that_the_provider_rejects_is_not_its_fault_in_codex() -> None:
    def failed(**error: str) -> list[dict[str, object]]:
        return [{"type": "turn.failed", "error": {"message": json.dumps({"error": error})}}]

    assert codex_fault(failed(type="invalid_request_error", message="roles must alternate")) is None
    assert codex_fault(failed(type="invalid_request_error", code="model_not_found")) is not None
    assert codex_fault(failed(type="server_error")) is not None


def test_the_last_call_decides_whether_the_provider_broke_a_run() -> None:
    good, refused = Call(0, 1), Call(1, 2, "Refused: no", 401)
    assert Calls([good, refused]).fault(0, 10) == "Refused: no"
    assert Calls([refused, Call(2, 3)]).fault(0, 10) is None  # it went on
    assert Calls([Call(0, 1, "BadRequest: too long", 400)]).fault(0, 10) is None
    assert Calls([Call(0, 1, "ConnectionError: x")]).fault(0, 10) == "ConnectionError: x"
    assert Calls([good, Call(2)]).fault(0, 10) == "the provider has not answered for 8 s"
    assert Calls([good, Call(8)]).fault(0, 10) is None  # busy, not hanging
    assert Calls([Call(8)]).fault(0, 10) == "the provider has not answered for 2 s"  # nor ever before
    repeated = Calls([Call(0, 1, "502 Bad Gateway"), Call(1)])
    assert repeated.fault(0, 10) == "502 Bad Gateway; asked again, no answer for 9 s"
    assert Calls([]).fault(0, 10) is None
    assert Calls([good, refused, Call(3)]).answered == 1


def test_a_call_that_fails_in_this_process_is_ours() -> None:
    calls = Calls([call := Call(0)])
    calls.failed(call, TypeError("a bug"))
    assert calls.fault(0, 10) is None and calls.mistake() == "a bug"
    half = ClientPayloadError("half of it")
    half.__cause__ = ContentLengthError("received 107 of 215 bytes")  # to which aiohttp gives the number 400
    lost = (ConnectionResetError("gone"), httpx.ConnectError("no route"), half)
    for error in (*lost, AccountError(400, None)):
        calls = Calls([call := Call(0)])
        calls.failed(call, error)
        assert calls.mistake() is None and (calls.fault(0, 10) is not None) is (error in lost)


def test_codex_names_the_status_for_which_it_reconnects() -> None:
    fault = codex_fault([{"type": "error", "message": "Reconnecting... 2/5 (unexpected status 403 Forbidden: no)"}])
    assert fault is not None and fault.status == 403


@pytest.mark.parametrize(
    ("before", "provider"),
    [
        ([{"type": "error", "message": "Reconnecting... 5/5 (high demand)"}, {"type": "error", "message": "x"}], True),
        ([{"type": "item.completed", "item": {"type": "error", "message": "no metadata"}}], True),  # not an answer
        ([{"type": "item.completed", "item": {"type": "agent_message", "text": "I begin."}}], False),
    ],
)
def test_a_turn_of_codex_that_fails_before_any_answer_or_after_repeated_calls_is_the_providers(
    before: list[dict[str, object]], provider: bool
) -> None:
    assert (
        codex_fault([*before, {"type": "turn.failed", "error": {"message": "no such model"}}]) is not None
    ) is provider


class AccountError(RuntimeError):
    """A provider's error with a body."""

    def __init__(self, status: int, body: object) -> None:
        super().__init__("no")
        self.status_code, self.body = status, body


@pytest.mark.parametrize(
    ("status", "body", "over"),
    [
        *((status, None, True) for status in (401, 402, 403, 404)),
        *((status, None, False) for status in (400, 408, 429, 500, 529)),
        (429, {"code": "insufficient_quota"}, True),
        (400, {"error": {"type": "invalid_request_error", "message": "Your credit balance is too low."}}, True),
        (400, {"error": {"type": "invalid_request_error", "message": "No such tool: Your credit balance is too low"}},
         False),
        (400, "text", False),
    ],
)  # fmt: skip
def test_a_call_after_which_no_other_can_succeed_ends_the_run(status: int, body: object, over: bool) -> None:
    calls = Calls([call := Call(0)])
    calls.failed(call, AccountError(status, body))
    calls.calls.append(Call(1, 2))  # a call made beside it
    assert calls.over.is_set() is over
    assert (calls.fault(0, 10) is not None) is over


def test_work_ends_when_something_else_is_over() -> None:
    async def check() -> None:
        over = anyio.Event()

        async def work() -> str:
            over.set()
            await anyio.sleep_forever()
            return "never"

        async def quick() -> str:
            return "done"

        async def broken() -> str:
            raise TimeoutError("late")

        assert await unless(over.wait, work) is None
        assert await unless(anyio.Event().wait, quick) == "done"
        with pytest.raises(TimeoutError, match="late"):
            await unless(anyio.Event().wait, broken)

    anyio.run(check)


def test_the_status_of_a_call_may_be_in_the_cause() -> None:
    class Response:
        status_code = 529

    inner = RuntimeError("x")
    inner.response = Response()  # type: ignore[attr-defined]
    try:
        raise ValueError("outer") from inner
    except ValueError as error:
        assert status_of(error) == 529
    assert status_of(RuntimeError("429")) is None


def test_files_of_a_command_are_bound_alone_and_are_part_of_its_identity(tmp_path: Path) -> None:
    script, other = tmp_path / "agent.sh", tmp_path / "private.txt"
    script.write_text("one")
    other.write_text("x")
    found = from_command(["sh", str(script), "--flag"])
    assert found.words[1:] == ("/run/steelyard/agent/0/agent.sh", "--flag")
    assert found.binds == {"/run/steelyard/agent/0/agent.sh": str(script)}
    script.write_text("two")
    assert from_command(["sh", str(script), "--flag"]).sha != found.sha


def test_the_placeholder_of_an_empty_message_is_no_answer() -> None:
    assert [said(text) for text in ("(no content)\n", "(no content) was found", "")] == [
        "",
        "(no content) was found",
        "",
    ]


@pytest.mark.parametrize("text", ["\n{}", "\n<{}>\n"])  # as Inspect writes it for Anthropic's API and for OpenAI's
def test_what_the_bridge_hides_in_an_answer_is_no_part_of_it(text: str) -> None:
    hidden = text.format(content_internal_tag({"message_id": "msg_1"}))
    assert [said(f"{answer}{hidden}") for answer in ("There are 3.", "(no content)", "")] == ["There are 3.", "", ""]


def test_an_agent_that_calls_its_provider_itself_is_labelled() -> None:
    told = [{"agent": "codex", "agent_identity": f"codex{more}"} for more in ("", " direct")]
    assert [agent_label(parameters) for parameters in (*told, {})] == ["codex", "codex direct", None]
