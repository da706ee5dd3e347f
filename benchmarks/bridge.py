"""What the bridge adds to a client's own time, with the real claude-code and codex.

    python benchmarks/bridge.py [--runs 5]

Both ways the client makes the same two calls (a shell command, then the answer) to a model that answers at once:
directly to a provider on this machine, which gives the client's own time, and through the bridge. They take turns, so
that a machine that becomes slower does so for both. The overhead is the median wall clock of a whole bridged run
(sandbox, bridge, client, checks) above the median of the client's own time. The promise is at most 2 s on an idle
machine; the load and the time of a fixed piece of work are printed beside it. Clients come from the cache
(`steelyard setup --agent`).
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import timeit
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import figures

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from inspect_ai import eval as evaluate
from inspect_ai.log import EvalSample

from steelyard.gate.agents import AgentSpec, find_agent
from steelyard.gate.config import load_config
from steelyard.gate.task_folder import load_suite
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


def sample(folder: Path, spec: AgentSpec) -> EvalSample:
    """One run, in which the client must have done its work."""
    arm = ArmSpec(
        "candidate", load_suite(folder / "tasks"), load_config(str(folder / "config")), find_agent(spec), spec
    )
    (log,) = evaluate(arm_task(arm, Round()), model=None if spec.direct else spec.model, display="none",
                      log_dir=str(folder / "logs"))  # fmt: skip
    (done,) = log.samples or []
    assert done.error is None, done.error
    assert (done.scores or {})["gate"].value == 1.0, "the client did not do its work"
    return done


@contextmanager
def provider(agent: str) -> Iterator[None]:
    """A provider on this machine, to which the client is directed."""
    prefix, shell = AGENTS[agent]
    command = {scripted.SHELLS[shell]: "echo yes > answer.txt", **({"description": "x"} if shell == "Bash" else {})}

    def answer(path: str, body: dict[str, Any]) -> Reply:
        sent = str(body)
        return Say("Done.") if "tool_result" in sent or "function_call_output" in sent else Use(shell, command)

    server = Provider(answer)
    os.environ[f"{prefix}_BASE_URL"] = server.url + ("/v1" if agent == "codex" else "")
    os.environ[f"{prefix}_API_KEY"] = "none"
    try:
        yield
    finally:
        server.close()


def measured(agent: str, runs: int) -> dict[str, float | str]:
    """Median seconds of one client, alone and through the bridge, in turns after one of each that warms up."""
    own: list[float] = []
    whole: list[float] = []
    with tempfile.TemporaryDirectory() as name, provider(agent):
        folder = Path(name)
        for path, text in (("tasks/write/task.yaml", TASK), ("config/AGENTS.md", "Be brief.")):
            (folder / path).parent.mkdir(parents=True)
            (folder / path).write_text(text, "utf-8")
        for _ in range(runs + 1):
            score = (sample(folder, AgentSpec(agent, direct=True)).scores or {})["gate"]
            own.append(float((score.metadata or {})["agent_seconds"]))
            whole.append(float(sample(folder, AgentSpec(agent, model="puppet/solve")).total_time or 0))
    alone, bridged = statistics.median(own[1:]), statistics.median(whole[1:])
    return {"version": check_client(agent), "own_s": alone, "bridged_s": bridged, "overhead_s": bridged - alone}


def processor_s() -> float:
    """Wall clock of a fixed piece of work, the best of five: how fast a processor is, and how much of it we get."""
    return min(timeit.repeat(lambda: sum(number * number for number in range(1_000_000)), number=1, repeat=5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, choices=range(5, 101), metavar="5-100", default=5)
    asked = parser.parse_args()
    for agent in AGENTS:
        if client_program(agent) is None:
            print(f"{agent}: not measured; its client is not installed (steelyard setup --agent {agent})")
            continue
        before = processor_s()
        seconds = measured(agent, asked.runs)
        machine = max(before, processor_s())
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        print(
            f"{agent} {seconds['version']}: alone {seconds['own_s']:.2f} s, a bridged run {seconds['bridged_s']:.2f} s"
        )
        print(f"overhead {seconds['overhead_s']:.2f} s a run, median of {asked.runs} (promised: at most 2)")
        print(f"a million squares take {machine:.3f} s on this machine; load {load:.1f} per core")
        figures.record(
            f"bridge_{agent}", {**seconds, "runs": asked.runs, "load_per_core": load, "processor_s": machine}
        )


if __name__ == "__main__":
    main()
