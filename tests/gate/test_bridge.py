"""The real command-line clients, driven by a scripted Inspect model through the bridge: no key, no network inside."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.agent._bridge.sandbox import bridge as opening
from inspect_ai.agent._bridge.sandbox import service as serving
from inspect_ai.log import EvalSample

from steelyard.gate.agents import AgentSpec, bridge, find_agent
from steelyard.gate.config import load_config
from steelyard.gate.metadata import STORE
from steelyard.gate.task_folder import load_suite
from steelyard.gate.tasks import ArmSpec, Round, arm_task
from steelyard.toolchain.clients import pinned_version
from tests.docker import SANDBOX
from tests.gate.scripted import REQUESTS
from tests.provider import closed_port

INSTRUCTION = "Always mention the amber heron."
SKILL = """---
name: count-herons
description: Counts herons in a marsh of cobalt reeds.
---
Count them.
"""
AGENTS = {"claude-code": ("CLAUDE.md", ".claude/skills"), "codex": ("AGENTS.md", ".agents/skills"),
          "gemini-cli": ("GEMINI.md", ".gemini/skills"), "opencode": ("AGENTS.md", ".opencode/skills")}  # fmt: skip
"""Agent → where it reads instructions and skills from."""
OBSERVED = "  - {kind: tool_called, name: calls, tool: '*'}"
"""A check for which the calls of a run are kept."""
OTHER_VERSION = "0.165.0"
"""Of codex."""


@pytest.fixture
def run_once(write: Callable[..., Path], suite: Callable[..., Path], tmp_path: Path) -> Callable[..., EvalSample]:
    """One run of one task by a client with a configuration that has instructions and a skill."""

    def run(agent: str, model: str, timeout_s: float = 600, more: str = "", **options: str) -> EvalSample:
        instructions, skills = AGENTS[agent]
        write(f"config/{instructions}", INSTRUCTION)
        write(f"config/{skills}/count-herons/SKILL.md", SKILL)
        spec = AgentSpec(agent, model=model, **options)
        config = load_config(str(tmp_path / "config"))
        arm = ArmSpec("candidate", load_suite(suite(timeout_s=timeout_s, more=more)), config, find_agent(spec), spec)
        REQUESTS.clear()
        (log,) = evaluate(arm_task(arm, Round()), model=model, log_dir=str(tmp_path / "logs"), display="none",
                          max_retries=1)  # fmt: skip
        assert log.status == "success" and log.samples, log.error
        return log.samples[0]

    return run


def test_a_real_client_works_without_key_and_network_and_every_call_is_measured(
    client: str, run_once: Callable[..., EvalSample], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    sample = run_once(client, "puppet/solve")
    score = (sample.scores or {})["gate"]
    details: dict[str, Any] = score.metadata or {}
    assert score.value == 1.0, details
    calls = [event for event in sample.events if event.event == "model"]
    # 15 tokens a call; the shell call and the final answer
    assert len(calls) == len(REQUESTS) >= 2
    assert (details["cost"]["tokens"], details["cost"]["steps"]) == (15 * len(calls), len(calls))
    assert details["cost"]["tool_calls"] == 1 and details["claims"]["tokens"] is None
    # What left the client: the text of the instruction file and the description of the skill.
    sent = "\n".join(message.text for message in REQUESTS[0][0])
    sent += "".join(tool.description for tool in REQUESTS[0][1])
    assert "amber heron" in sent and "cobalt reeds" in sent


AS_IMPORTED = [
    (module, name, getattr(module, name))
    for module, name in ((opening, "sandbox_with_injected_tools"), (serving, "sandbox_service"))
]
"""Inspect's functions before any test has shortened them."""


def as_imported() -> None:
    for module, name, function in AS_IMPORTED:
        setattr(module, name, function)
    bridge._shorten.cache_clear()


@pytest.fixture
def unshortened() -> Iterator[None]:
    """Inspect's bridge as it was imported, before and after the test."""
    as_imported()
    yield
    as_imported()


@pytest.mark.parametrize("change", ["renamed", "other parameters"])
def test_an_inspect_whose_bridge_is_built_differently_is_left_as_it_is(
    change: str, unshortened: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    inject = opening.sandbox_with_injected_tools  # type: ignore[attr-defined]
    with monkeypatch.context() as newer:
        if change == "renamed":
            newer.delattr(serving, "sandbox_service")
        else:
            newer.setattr(serving, "sandbox_service", lambda name, methods: None)
        assert not bridge._shorten()
        assert opening.sandbox_with_injected_tools is inject  # type: ignore[attr-defined]
    bridge._shorten.cache_clear()
    assert bridge._shorten() and opening.sandbox_with_injected_tools is not inject  # type: ignore[attr-defined]


def test_a_connection_before_the_proxy_listens_waits_for_it() -> None:
    peer, proxy = closed_port()
    told = subprocess.run([sys.executable, "-I", "-S", "-c", bridge._DOOR, str(proxy)], capture_output=True, check=True)
    door = ("127.0.0.1", int(told.stdout))
    with peer, socket.create_connection(door) as client:
        client.sendall(b"early")
        peer.listen()
        with peer.accept()[0] as inside:
            assert inside.recv(5) == b"early"
            inside.sendall(b"answer")
            inside.shutdown(socket.SHUT_WR)
            assert client.makefile("rb").read() == b"answer"
    with socket.create_connection(door) as late:  # the proxy is gone, and so is the door
        assert late.recv(1) == b""


@pytest.mark.clients
def test_a_real_client_works_with_the_bridge_as_it_comes(
    client: str, run_once: Callable[..., EvalSample], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "_shorten", lambda: False)
    score = (run_once(client, "puppet/solve").scores or {})["gate"]
    assert score.value == 1.0, score.explanation


@pytest.mark.clients
def test_a_real_client_works_in_a_container(docker: str, client: str, run_once: Callable[..., EvalSample]) -> None:
    sample = run_once(client, "puppet/solve", sandbox=SANDBOX)
    score = (sample.scores or {})["gate"]
    assert score.value == 1.0, score.metadata
    assert len(REQUESTS) == (score.metadata or {})["model_calls"] >= 2


@pytest.mark.clients
@pytest.mark.parametrize(("script", "words"), [("status-401", "401 Unauthorized"), ("refused", "nobody listens")])
def test_a_provider_that_fails_leaves_the_run_of_a_real_client_unscored(
    client: str, run_once: Callable[..., EvalSample], script: str, words: str
) -> None:
    score = (run_once(client, f"puppet/{script}", timeout_s=300).scores or {})["gate"]
    assert (score.metadata or {})["fault"] == "provider"
    assert words in str(score.explanation)


@pytest.mark.clients
# The other two leave files of their own or words of their own.
@pytest.mark.parametrize("client", ["claude-code", "codex"], indirect=True)
def test_a_client_whose_model_says_nothing_is_idle(client: str, run_once: Callable[..., EvalSample]) -> None:
    sample = run_once(client, "puppet/mute")
    assert ((sample.scores or {})["gate"].metadata or {})["idle"] == "changed nothing and said nothing"


@pytest.mark.clients
def test_words_about_faults_in_an_answer_are_the_answer(client: str, run_once: Callable[..., EvalSample]) -> None:
    sample = run_once(client, "puppet/talk")
    score = (sample.scores or {})["gate"]
    assert score.value == 0.0 and "fault" not in (score.metadata or {})
    assert "rate limit" in sample.output.completion


@pytest.mark.clients
@pytest.mark.parametrize("client", ["claude-code", "gemini-cli", "opencode"], indirect=True)
def test_a_call_that_failed_is_known_to_have_failed(client: str, run_once: Callable[..., EvalSample]) -> None:
    calls = run_once(client, "puppet/stumble", more=OBSERVED).store[STORE]["calls"]
    assert [call["failed"] for call in calls] == [True, False], calls


@pytest.mark.clients
@pytest.mark.parametrize("client", ["claude-code", "gemini-cli", "opencode"], indirect=True)
def test_the_tool_for_skills_of_a_client_works_inside(client: str, run_once: Callable[..., EvalSample]) -> None:
    details = (run_once(client, "puppet/skill").scores or {})["gate"].metadata or {}
    assert details["activation"] == {"expected": None, "activated": True, "near_miss": None}


@pytest.mark.clients
def test_a_version_that_is_not_pinned_is_installed_and_runs(
    own_cache: Path, run_once: Callable[..., EvalSample]
) -> None:
    sample = run_once("codex", "puppet/solve", version=OTHER_VERSION)
    assert (sample.scores or {})["gate"].value == 1.0
    agent = find_agent(AgentSpec("codex", model="puppet/solve", version=OTHER_VERSION))
    assert OTHER_VERSION in agent.version and str(agent.integrity).startswith("sha512-")
    assert pinned_version("codex") != OTHER_VERSION
