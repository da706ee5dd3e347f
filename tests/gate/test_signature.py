"""gemini-cli's stand-in for a signature, through the bridge to an API that gives none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.model import get_model

from steelyard.gate.agents import AgentSpec, find_agent
from steelyard.gate.agents.signature import plain_base64
from steelyard.gate.config import load_config
from steelyard.gate.task_folder import load_suite
from steelyard.gate.tasks import ArmSpec, Round, arm_task
from tests.provider import Provider, Reply, Say, Use

STAND_IN = "skip_thought_signature_validator"


@pytest.mark.parametrize(
    ("text", "plain"),
    [("AQID", "AQID"), ("-_8=", "+/8="), (STAND_IN, STAND_IN.replace("_", "/")), ("not base64!", None), ("AQI", None)],
)
def test_signatures_are_read_in_both_alphabets(text: str, plain: str | None) -> None:
    assert plain_base64(text) == plain


@pytest.mark.clients
@pytest.mark.parametrize("client", ["gemini-cli"], indirect=True)
@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")
def test_a_gemini_api_without_signatures_works(
    client: str, suite: Callable[..., Path], write: Callable[..., Path], tmp_path: Path
) -> None:
    def answer(path: str, body: dict[str, Any]) -> Reply:
        if "functionResponse" in json.dumps(body):
            return Say("Done.")
        return Use("run_shell_command", {"command": "echo yes > answer.txt"})

    write("config/AGENTS.md", "Be brief.")
    suite("one", timeout_s=300)
    spec = AgentSpec(client, model="google/gemini-2.5-pro")
    arm = ArmSpec("candidate", load_suite(tmp_path / "tasks"), load_config(str(tmp_path / "config")),
                  find_agent(spec), spec)  # fmt: skip
    provider = Provider(answer)
    try:
        model = get_model("google/gemini-2.5-pro", base_url=provider.url, api_key="sk-none", memoize=False)
        (log,) = evaluate(arm_task(arm, Round()), model=model, log_dir=str(tmp_path / "logs"), display="none")
    finally:
        provider.close()
    (sample,) = log.samples or []
    score = (sample.scores or {})["gate"]
    assert score.value == 1.0, (score.explanation, score.metadata)
    assert STAND_IN in json.dumps([request["body"] for request in provider.requests])
