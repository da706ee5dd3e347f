"""What the bridge adds to a client's own time, with the real claude-code and codex.

    python benchmarks/bridge.py [--runs 5]

Both ways the client makes the same two calls (a shell command, then the answer) to a model that answers at once:
directly to a provider on this machine, which gives the client's own time, and through the bridge. The overhead is the
median wall clock of a whole bridged run (sandbox, bridge, client, checks) above the median of the client's own time.
The promise is at most 2 s. Clients come from the cache (`steelyard setup --agent`).
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import figures

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from inspect_ai import eval as evaluate
from inspect_ai.log import EvalSample

from steelyard.gate.agents import AgentSpec, find_agent
from steelyard.gate.config import load_config
from steelyard.gate.task import load_suite
from steelyard.gate.tasks import ArmSpec, Round, arm_task
from steelyard.toolchain.clients import check_client, client_program
from tests.gate import scripted
from tests.provider import Provider, Reply, Say, Use

AGENTS = {"claude-code": ("ANTHROPIC", "Bash"), "codex": ("OPENAI", "exec_command")}
"""Agent → prefix of its provider's variables, and its shell tool."""
TASK = """
id: write
title: Write a file
prompt: Write yes into answer.txt.
timeout_s: 600
checks:
  - {kind: file_contains, path: answer.txt, text: "yes"}
"""


def samples(folder: Path, spec: AgentSpec, runs: int) -> list[EvalSample]:
    """The runs after one that warms up imports and caches."""
    arm = ArmSpec(
        "candidate", load_suite(folder / "tasks"), load_config(str(folder / "config")), find_agent(spec), spec
    )
    model = None if spec.direct else spec.model
    for number in (1, runs):
        logs = evaluate(arm_task(arm, Round()), model=model, epochs=number, max_samples=1, display="none",
                        log_dir=str(folder / "logs"))  # fmt: skip
    scored = logs[0].samples or []
    assert all((sample.scores or {})["gate"].value == 1.0 for sample in scored), "the client did not do its work"
    return scored


def own_seconds(folder: Path, agent: str, runs: int) -> float:
    """Median time of the client that calls a provider on this machine."""
    prefix, shell = AGENTS[agent]
    command = {scripted.SHELLS[shell]: "echo yes > answer.txt", **({"description": "x"} if shell == "Bash" else {})}

    def answer(path: str, body: dict[str, Any]) -> Reply:
        sent = str(body)
        return Say("Done.") if "tool_result" in sent or "function_call_output" in sent else Use(shell, command)

    provider = Provider(answer)
    os.environ[f"{prefix}_BASE_URL"] = provider.url + ("/v1" if agent == "codex" else "")
    os.environ[f"{prefix}_API_KEY"] = "none"
    try:
        done = samples(folder, AgentSpec(agent, direct=True), runs)
    finally:
        provider.close()
    scores = [(sample.scores or {})["gate"] for sample in done]
    return statistics.median(float((score.metadata or {})["agent_seconds"]) for score in scores)


def measured(agent: str, runs: int) -> dict[str, float | str]:
    """Seconds of one client, alone and through the bridge."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in (("tasks/write/task.yaml", TASK), ("config/AGENTS.md", "Be brief.")):
            (folder / path).parent.mkdir(parents=True)
            (folder / path).write_text(text, "utf-8")
        own = own_seconds(folder, agent, runs)
        whole = statistics.median(
            float(sample.total_time or 0) for sample in samples(folder, AgentSpec(agent, model="puppet/solve"), runs)
        )
    return {"version": check_client(agent), "own_s": own, "bridged_s": whole, "overhead_s": whole - own}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    for agent in AGENTS:
        if client_program(agent) is None:
            print(f"{agent}: not measured; its client is not installed (steelyard setup --agent {agent})")
            continue
        seconds = measured(agent, asked.runs)
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        print(
            f"{agent} {seconds['version']}: alone {seconds['own_s']:.2f} s, a bridged run {seconds['bridged_s']:.2f} s"
        )
        print(f"overhead {seconds['overhead_s']:.2f} s a run (promised: at most 2; load {load:.1f} per core)")
        figures.record(f"bridge_{agent}", {**seconds, "runs": asked.runs, "load_per_core": load})


if __name__ == "__main__":
    main()
