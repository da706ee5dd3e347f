"""A stand-in `claude` on PATH for every way in which the binary can end."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import ToolInfo
from tenacity import RetryError

from steelyard import process
from steelyard.errors import ModelError, SteelyardError
from steelyard.judge import parse_rubric, question
from steelyard.judge.grade import Judgement, NoVerdict, grade
from steelyard.judge.panel import Panel, Patience
from steelyard.models.claude_cli import (
    TIME_LIMIT_S,
    ClaudeCli,
    TooSlow,
    arguments,
    environment,
    time_limit_s,
    usage_of,
)
from steelyard.toolchain import clients
from tests.waiting import HANG_S, gone

MESSAGES: list[ChatMessage] = [ChatMessageUser(content="x")]

WORDS = ["-p", "--output-format", "json", "--max-turns", "1", "--tools", "", "--strict-mcp-config"]

GOOD = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "the reply",
    "total_cost_usd": 0.0123,
    "usage": {
        "input_tokens": 10,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 300,
        "output_tokens": 4,
    },
}

SCRIPT = """#!{python} -S
import json, os, sys
seen = {{"argv": sys.argv[1:], "stdin": sys.stdin.read(), "cwd": os.getcwd(), "env": dict(os.environ)}}
seen["files"] = os.listdir(".")
open({seen!r}, "w").write(json.dumps(seen))
{body}
"""

Install = Callable[[str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a `claude` on PATH that records how it was called and then does as told."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def put(body: str) -> Path:
        seen = tmp_path / "seen.json"
        (folder / "claude").write_text(SCRIPT.format(python=sys.executable, seen=str(seen), body=body))
        (folder / "claude").chmod(0o755)
        return seen

    return put


def say(data: Any) -> str:
    return f"print({json.dumps(data)!r})"


def ask(limit_s: int = HANG_S, name: str = "claude-cli") -> ModelOutput:
    messages = [ChatMessageSystem(content="be strict"), ChatMessageUser(content="grade this")]

    async def main() -> ModelOutput:
        config = GenerateConfig(attempt_timeout=limit_s, max_retries=0)
        return await get_model(f"steelyard/{name}", memoize=False).generate(messages, config=config)

    return anyio.run(main)


def test_a_reply_with_its_tokens_and_its_cost(install: Install) -> None:
    install(say(GOOD))
    output = ask()
    assert output.completion == "the reply"
    assert output.usage is not None
    # 10 + 20 + 300 + 4
    assert (output.usage.total_tokens, output.usage.total_cost) == (334, 0.0123)


def test_how_the_binary_is_called(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "must-not-be-spent")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "must-not-leak")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("HOME", "/home/somebody")
    seen = json.loads((install(say(GOOD)), ask())[0].read_text())
    assert seen["argv"] == WORDS
    assert not any("permission" in word or "dangerous" in word or "allowed" in word.lower() for word in seen["argv"])
    assert seen["stdin"] == "be strict\n\ngrade this"
    assert seen["files"] == []
    assert not Path(seen["cwd"]).exists()  # its folder is gone afterwards
    assert seen["env"]["HOME"] == "/home/somebody"
    assert not {"ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "CLAUDECODE"} & set(seen["env"])


def test_a_model_can_be_asked_for(install: Install) -> None:
    seen = install(say(GOOD))
    ask(name="claude-cli/opus")
    assert json.loads(seen.read_text())["argv"][-2:] == ["--model", "opus"]
    assert arguments("claude") == ["claude", *WORDS]


def test_a_list_of_messages_ends_in_the_result(install: Install) -> None:
    install(say([{"type": "system"}, {"type": "assistant"}, GOOD]))
    assert ask().completion == "the reply"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (say({**GOOD, "is_error": True, "result": "Invalid login"}), "Invalid login"),
        (say({**GOOD, "is_error": True, "subtype": "error_max_turns", "result": None}), "error_max_turns"),
        (say({**GOOD, "is_error": "false"}), "claude failed"),
        (say({key: value for key, value in GOOD.items() if key != "is_error"}), "claude failed"),
        (say(GOOD) + "\nsys.exit(3)", "exit 3"),
        ("sys.stderr.write('no network')\nsys.exit(1)", "exit 1: no network"),
        ("print('hello, not JSON')", "hello, not JSON"),
        ("print(json.dumps({'a': 1})[:-1])", "claude failed"),
        ("pass", "no output"),
        ("print('[]')", "claude failed"),
        ("print('{\"a\": NaN}')", "claude failed"),
        (say({**GOOD, "result": 5}), "no text"),
        (say({**GOOD, "result": None}), "no text"),
        ("sys.stdout.write('x' * 6_000_000)", "more than can be read"),
        ("os.kill(os.getpid(), 9)", "exit -9"),
    ],
)
def test_every_failure_is_an_error_and_never_a_reply(install: Install, body: str, says: str) -> None:
    install(body)
    with pytest.raises(SteelyardError) as caught:
        ask()
    assert says in str(caught.value)


def test_keys_do_not_leak_through_error_messages(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "tok-1234567890abcdef")
    install("sys.exit(os.environ['CLAUDE_CODE_OAUTH_TOKEN'])")
    with pytest.raises(SteelyardError) as caught:
        ask()
    assert "tok-1234567890abcdef" not in str(caught.value)
    install("sys.exit('x' * 180 + os.environ['CLAUDE_CODE_OAUTH_TOKEN'])")  # where the message is cut
    with pytest.raises(SteelyardError) as caught:
        ask()
    assert "tok" not in str(caught.value)


HANG = """
import subprocess
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
open({pids!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
child.wait()
"""


def started(pids: Path) -> list[int]:
    """The binary and its child, once both have been written down."""
    return [int(pid) for pid in pids.read_text().split()] if pids.exists() else []


def test_a_hanging_binary_is_killed_with_its_children(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    install(HANG.format(pids=str(pids)))
    # The limit passes when the binary hangs, however long it takes to get there.
    clock = SimpleNamespace(monotonic=lambda: 1000.0 if len(started(pids)) == 2 else 0.0)
    monkeypatch.setattr(process, "time", clock)
    model = ClaudeCli("claude-cli")
    with pytest.raises(TooSlow, match=r"^claude did not answer within 1000 s$") as failed:
        anyio.run(model.generate, MESSAGES, [], "none", GenerateConfig(timeout=1000))
    assert gone(started(pids))
    assert model.should_retry(failed.value)  # as with every provider that is too slow
    assert not model.should_retry(ModelError("claude failed"))


def test_a_call_has_one_deadline() -> None:
    # Inspect cancels a call at `attempt_timeout`; `timeout` only ends its retries.
    assert time_limit_s(GenerateConfig(attempt_timeout=3, timeout=5)) == math.inf
    assert time_limit_s(GenerateConfig(timeout=5)) == 5
    assert time_limit_s(GenerateConfig()) == TIME_LIMIT_S


def test_a_binary_that_is_too_slow_is_reported_by_the_callers_clock_alone(install: Install, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    install(HANG.format(pids=str(pids)))
    with pytest.raises(RetryError) as failed:
        ask(limit_s=1)
    assert str(failed.value.__cause__) == "attempt_timeout '1' exceeded."
    assert gone(started(pids))


def test_a_judge_that_is_too_slow_is_reported_like_every_other_judge(
    install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    install(HANG.format(pids=str(tmp_path / "pids")))
    verdict = judged(Patience(attempt_s=1, retries=0))
    assert isinstance(verdict, NoVerdict)
    assert verdict.reason == "steelyard/claude-cli: no reply: no answer within 1 s"
    assert gone(started(tmp_path / "pids"))


def test_a_child_in_a_session_of_its_own_costs_neither_the_reply_nor_outlives_it(
    install: Install, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    body = f"""
import subprocess
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
open({str(pids)!r}, "w").write(str(child.pid))
{say(GOOD)}"""
    install(body)
    assert ask().completion == "the reply"
    assert gone([int(pids.read_text())])


def test_a_cancelled_call_leaves_nothing_behind(install: Install, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    install(HANG.format(pids=str(pids)))
    model = ClaudeCli("claude-cli")

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(model.generate, MESSAGES, [], "none", GenerateConfig())
            while len(started(pids)) < 2:
                await anyio.sleep(0.02)
            group.cancel_scope.cancel()

    anyio.run(main)
    assert gone([int(pid) for pid in pids.read_text().split()])


def test_without_the_binary_there_is_no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="neither on PATH nor installed") as refused:
        ClaudeCli("claude-cli")
    assert "steelyard setup --agent claude-code" in (refused.value.cure or "")


def test_the_client_that_setup_installed_serves_where_none_is_on_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(clients, "client_program", {"claude-code": tmp_path / "claude"}.get)
    assert ClaudeCli("claude-cli").binary == str(tmp_path / "claude")


def test_tools_are_refused(install: Install) -> None:
    install(say(GOOD))
    tool = ToolInfo(name="t", description="d")
    with pytest.raises(ModelError, match="text only"):
        anyio.run(ClaudeCli("claude-cli").generate, MESSAGES, [tool], "auto", GenerateConfig())


def test_turns_are_named_when_there_are_several(install: Install) -> None:
    seen = install(say(GOOD))
    messages = [ChatMessageUser(content="one"), ChatMessageAssistant(content="two"), ChatMessageUser(content="three")]
    anyio.run(ClaudeCli("claude-cli").generate, messages, [], "none", GenerateConfig())
    assert json.loads(seen.read_text())["stdin"] == "[user]\none\n\n[assistant]\ntwo\n\n[user]\nthree"


@pytest.mark.parametrize("cost", [None, "0.5", -1, float("inf"), float("nan"), True, 10**400])
def test_a_cost_that_is_no_price_is_unknown(cost: Any) -> None:
    found = usage_of({**GOOD, "total_cost_usd": cost})
    assert found is not None and (found.total_cost, found.total_tokens) == (None, 334)
    assert usage_of({"total_cost_usd": cost}) is None


def test_a_stated_zero_is_zero() -> None:
    found = usage_of({"total_cost_usd": 0, "usage": {"input_tokens": 0, "output_tokens": 0}})
    assert found is not None and (found.total_cost, found.total_tokens) == (0.0, 0)


@pytest.mark.parametrize(
    "usage",
    [None, [1], "many", {}, {"input_tokens": 3}, {"input_tokens": -3, "output_tokens": 5},
     {"input_tokens": 3, "output_tokens": "many"}, {"input_tokens": True, "output_tokens": 5},
     {"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": None}],
)  # fmt: skip
def test_tokens_that_are_no_counts_are_unknown_and_not_nothing(
    usage: Any, install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert usage_of({"usage": usage}) is None
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    install(say({**GOOD, "usage": usage}))
    call = judged().calls[0]
    assert (call.tokens, call.cost_usd) == (None, 0.0492)  # four replies, none a verdict


def test_what_a_failed_call_states_is_kept(install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    install(say({**GOOD, "is_error": True, "result": "Credit balance too low"}))
    call = judged().calls[0]
    assert (call.tokens, call.cost_usd) == (334, 0.0123)
    assert call.error is not None and "Credit balance too low" in call.error
    install("sys.exit(1)")
    assert (judged().calls[0].tokens, judged().calls[0].cost_usd) == (None, None)


def judged(patience: Patience | None = None) -> Any:
    """One grading by the binary on PATH."""
    rubric = parse_rubric("name: n\nabout: a\ncriteria:\n  - {id: c, question: q}\n", "r")
    asked = question(rubric, task="t", text="the queue keeps the messages")
    return anyio.run(grade, asked, Panel(("steelyard/claude-cli",), cache=False, patience=patience or Patience()))


def test_the_environment_keeps_only_what_is_named() -> None:
    assert environment({"PATH": "p", "HOME": "h", "OPENAI_API_KEY": "k", "LD_PRELOAD": "x"}) == {
        "PATH": "p",
        "HOME": "h",
    }


def test_it_is_a_judge_like_any_other(install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    # The one real criterion reads "q"; a decoy that is met names words in quotation marks.
    install(
        r"""import re; asked = seen['stdin']; code = re.findall(r'`code` is "(\w+)"', asked)[-1]; """
        r"""items = re.findall(r'^- ([a-z]{4}): (.*)$', asked, re.M); """
        r"""met = {name: about == 'q' or '“' in about for name, about in items}; """
        r"""rows = [{'id': n, 'sentences': [1] if m else [], 'met': m} for n, m in met.items()]; """
        f"good = json.loads({json.dumps(GOOD)!r}); "
        "good['result'] = json.dumps({'code': code, 'grades': rows, 'rationale': 'yes'}); print(json.dumps(good))"
    )
    found = judged()
    assert isinstance(found, Judgement)
    assert (found.verdicts[0].score, found.calls[0].tokens, found.calls[0].cost_usd) == (1.0, 334, 0.0123)
    install("sys.exit(1)")
    assert isinstance(judged(), NoVerdict)
