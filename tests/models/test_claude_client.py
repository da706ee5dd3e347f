"""`steelyard/claude-cli` with the real client, against a provider on this machine: a verdict, and whose a fault is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from inspect_ai.model import ChatMessage, ChatMessageUser, GenerateConfig

from steelyard import process
from steelyard.gate.agents import AgentSpec
from steelyard.gate.model import Comparison
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec
from steelyard.judge import parse_rubric, question
from steelyard.judge.grade import NoVerdict, grade
from steelyard.judge.panel import CLAUDE_CLI_JUDGE, Panel
from steelyard.models.claude_cli import ClaudeCli, TooSlow
from steelyard.toolchain.clients import client_program
from tests.clients import installed
from tests.codes import grades, with_code
from tests.provider import Fail, Hang, Provider, Reply, Say, Use

pytestmark = pytest.mark.clients

JUDGE = Panel((CLAUDE_CLI_JUDGE,), cache=False)
RUBRIC = "{name: Tone, about: Whether it says yes, criteria: [{id: yes_said, question: Does it say yes}]}"
QUESTION = "Does it say yes"
TASK = f"id: one\ntitle: T\nprompt: P\nchecks: [{{kind: file_exists, path: answer.txt}}]\nrubric: {RUBRIC}\n"


@pytest.fixture
def provider(
    tmp_path: Path, own_cache: Path, record_property: Callable[[str, object], None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Provider]:
    """A provider to which the `claude` on PATH is directed by the settings in its home, which allow every tool."""
    monkeypatch.delenv("STEELYARD_CACHE")  # the client is in the cache of this machine
    record_property("client", ("claude-code", installed("claude-code")))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").symlink_to(str(client_program("claude-code")))
    monkeypatch.setenv("STEELYARD_CACHE", str(own_cache))
    server = Provider()
    settings = {"env": {"ANTHROPIC_BASE_URL": server.url}, "permissions": {"allow": ["Bash", "Read", "Write"]}}
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(settings))
    for name, value in {"HOME": str(tmp_path), "CLAUDE_CODE_OAUTH_TOKEN": "none"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    yield server
    server.close()


def text_of(body: dict[str, Any]) -> str:
    contents = [message["content"] for message in body["messages"]]
    return "\n".join(
        content if isinstance(content, str) else "\n".join(str(part.get("text")) for part in content)
        for content in contents
    )


def graded() -> Any:
    asked = question(parse_rubric(RUBRIC, "r"), task="t", text="yes, this is done")
    return anyio.run(grade, asked, JUDGE)


def test_a_run_of_the_gate_is_judged_by_the_real_client(provider: Provider, tmp_path: Path) -> None:
    def judge(path: str, body: dict[str, Any]) -> Reply:
        asked = text_of(body)
        # The client puts its own instructions around ours.
        return Say(with_code(grades({QUESTION: float("+yes, this is done" in asked)}), asked, asked))

    provider.script = judge
    script = "grep -q new $STEELYARD_CONFIG/RULES && echo 'yes, this is done' > answer.txt; echo >> answer.txt"
    files = {"tasks/one/task.yaml": TASK, "old/RULES": "old", "new/RULES": "new", "agent.sh": script}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    agent = AgentSpec("command", ("sh", str(tmp_path / "agent.sh")))
    arms = (str(tmp_path / "old"), str(tmp_path / "new"))
    outcome = gate_run(RunSpec(tmp_path / "tasks", *arms, agent, tmp_path / "logs", seed=1, panel=JUDGE)).outcome
    assert isinstance(outcome, Comparison)
    (task,) = outcome.tasks
    assert task.candidate is not None
    assert task.judge == "used" and (task.baseline.judge, task.candidate.judge) == (0.0, 1.0)
    assert outcome.verdict == "improved"
    assert not any(request["body"].get("tools") for request in provider.requests)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [(Fail(401), "API Error: 401")],
    ids=["status-401"],
)
def test_a_judge_without_a_verdict_is_the_judges_fault(provider: Provider, reply: Reply, reason: str) -> None:
    provider.script = lambda path, body: reply
    verdict = graded()
    assert isinstance(verdict, NoVerdict) and verdict.fault == "judge"
    assert reason in verdict.reason


def test_a_provider_that_does_not_answer_is_too_slow(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    provider.script = lambda path, body: Hang()
    # The limit passes when the provider has been asked, however long the client takes to get there.
    clock = SimpleNamespace(monotonic=lambda: 1000.0 if provider.requests else 0.0)
    monkeypatch.setattr(process, "time", clock)
    model = ClaudeCli("claude-cli")
    asked: list[ChatMessage] = [ChatMessageUser(content="x")]
    with pytest.raises(TooSlow, match="did not answer within 1000 s"):
        anyio.run(model.generate, asked, [], "none", GenerateConfig(timeout=1000))


def test_a_model_that_calls_a_tool_reaches_none(provider: Provider, tmp_path: Path) -> None:
    """The settings of the user allow it; what is judged may ask for it."""
    mark = tmp_path / "mark"
    provider.script = lambda path, body: Use("Bash", {"command": f"touch {mark}", "description": "x"})
    assert isinstance(graded(), NoVerdict)
    assert provider.requests and not mark.exists()
