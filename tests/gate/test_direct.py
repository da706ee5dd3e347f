"""Real clients that call their provider themselves (`--direct`): one on this machine."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as evaluate

from steelyard.gate.agents import AgentSpec, find_agent
from steelyard.gate.config import load_config
from steelyard.gate.task_folder import load_suite
from steelyard.gate.tasks import ArmSpec, Round, arm_task
from tests.docker import SANDBOX
from tests.provider import Fail, Provider, Reply, Say, Use

pytestmark = [
    pytest.mark.clients,
    # A client that is stopped leaves its connection to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]

SHELLS = {
    "codex": ("exec_command", {"cmd": "echo yes > answer.txt"}),
    "gemini-cli": ("run_shell_command", {"command": "echo yes > answer.txt"}),
    "opencode": ("bash", {"command": "echo yes > answer.txt", "description": "x"}),
}
"""Agent → a call of its shell that solves the task."""
ADDRESSES = {
    "codex": ("OPENAI_BASE_URL", "/v1", "OPENAI_API_KEY", "gpt-5"),
    "gemini-cli": ("GOOGLE_GEMINI_BASE_URL", "", "GEMINI_API_KEY", "gemini-2.5-pro"),
    "opencode": ("ANTHROPIC_BASE_URL", "", "ANTHROPIC_API_KEY", "claude-sonnet-4-5"),
}
RESULTS = ("tool_result", "functionResponse", "function_call_output")
"""What a request contains once a tool was called."""


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    yield server
    server.close()


@pytest.fixture
def score(
    provider: Provider, write: Callable[..., Path], suite: Callable[..., Path], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Any]:  # fmt: skip
    """The score of one run of a client by itself."""

    def run(agent: str, script: Callable[[str, Any], Reply], sandbox: str = "bubblewrap") -> Any:
        provider.script = script
        variable, path, key, model = ADDRESSES[agent]
        monkeypatch.setenv(variable, provider.url + path)
        monkeypatch.setenv(key, "sk-none")
        write("config/AGENTS.md", "Be brief.")
        spec = AgentSpec(agent, model=model, direct=True, sandbox=sandbox)
        arm = ArmSpec("candidate", load_suite(suite(timeout_s=600)), load_config(str(tmp_path / "config")),
                      find_agent(spec), spec)  # fmt: skip
        (log,) = evaluate(arm_task(arm, Round()), log_dir=str(tmp_path / "logs"), display="none")
        assert log.status == "success" and log.samples, log.error
        return (log.samples[0].scores or {})["gate"]

    return run


def solving(agent: str) -> Callable[[str, Any], Reply]:
    def script(path: str, body: Any) -> Reply:
        return Say("Done.") if any(word in json.dumps(body) for word in RESULTS) else Use(*SHELLS[agent])

    return script


@pytest.mark.parametrize("client", ["gemini-cli", "opencode"], indirect=True)
def test_a_client_works_by_itself_and_its_costs_are_claims(client: str, score: Callable[..., Any]) -> None:
    found = score(client, solving(client))
    assert found.value == 1.0, found.metadata
    assert found.metadata["claims"]["tokens"] and found.metadata["cost"]["tokens"] is None


@pytest.mark.parametrize(
    ("client", "status"), [("gemini-cli", 401), ("gemini-cli", 429), ("opencode", 429)], indirect=["client"]
)
def test_a_provider_that_refuses_a_client_leaves_its_run_unscored(
    client: str, status: int, score: Callable[..., Any]
) -> None:
    found = score(client, lambda path, body: Fail(status, "refused"))
    assert found.metadata["fault"] == "provider" and "scripted failure" in found.explanation


@pytest.mark.parametrize("client", ["codex"], indirect=True)
def test_a_client_works_by_itself_in_a_container(docker: str, client: str, score: Callable[..., Any]) -> None:
    assert score(client, solving(client), SANDBOX).value == 1.0
