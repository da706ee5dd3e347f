"""Small tasks, configurations and agents that real processes work on."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from textwrap import dedent

import pytest

from steelyard.gate.agents import AgentSpec
from steelyard.gate.example import run_example
from steelyard.gate.run.plan import RunSpec
from tests.gate.promotion import compared, earned

__all__ = ["compared", "earned"]

Write = Callable[..., Path]

TASK = """
id: {id}
title: A small task
prompt: Write yes into answer.txt.
fixture: fixture
reference: reference
timeout_s: {timeout_s}
protect: [tests]
checks:
  - {{kind: file_contains, name: answer, path: answer.txt, text: "yes"}}
  - {{kind: command, name: tests pass, run: [/bin/sh, tests/check.sh]}}
{more}
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file below `tmp_path`; its path."""

    return partial(write_in, tmp_path)


def write_in(folder: Path, name: str, text: str = "", mode: int = 0o644) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), "utf-8")
    path.chmod(mode)
    return path


FEW_DRAWS = ("steelyard.gate.checks.draws.CHANCE", 0.5)
"""Set so, a suite of one test runs three times instead of 15 or 16."""


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of something else than the draw: each run starts a Python with pytest in a sandbox."""
    monkeypatch.setattr(*FEW_DRAWS)


@pytest.fixture(scope="session")
def better_example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of the shipped example, whose candidate is better; not to be changed."""
    folder = tmp_path_factory.mktemp("example")
    run_example(folder, "better")
    return folder


@pytest.fixture
def suite(tmp_path: Path, write: Write) -> Callable[..., Path]:
    """A folder with tasks of the given ids; `more` adds lines to each."""

    def make(*ids: str, more: str = "", timeout_s: float = 600) -> Path:
        for each in ids or ("one",):
            write(f"tasks/{each}/task.yaml", TASK.format(id=each, more=more, timeout_s=timeout_s))
            write(f"tasks/{each}/fixture/question.txt", "Is it done?\n")
            write(f"tasks/{each}/fixture/tests/check.sh", "grep -q yes answer.txt\n")
            write(f"tasks/{each}/reference/answer.txt", "yes\n")
        return tmp_path / "tasks"

    return make


@pytest.fixture
def gate_spec(tmp_path: Path, suite: Callable[..., Path]) -> Callable[..., RunSpec]:
    """A run of `sh agent.sh`, whose script is given; the baseline and the candidate are RULES files."""

    def make(script: str, *, tasks: Path | None = None, **options: object) -> RunSpec:
        return spec_in(tmp_path, script, tasks=tasks or suite(), **options)

    return make


def spec_in(folder: Path, script: str, *, tasks: Path, **options: object) -> RunSpec:
    agent = write_in(folder, "agent.sh", script)
    write_in(folder, "old/RULES", "old\n")
    write_in(folder, "new/RULES", "new\n")
    fields: dict[str, object] = {
        "tasks": tasks,
        "baseline": str(folder / "old"),
        "candidate": str(folder / "new"),
        "agent": AgentSpec("command", ("sh", str(agent))),
        "log_dir": folder / "logs",
        "seed": 1,
    }
    return RunSpec(**{**fields, **options})  # type: ignore[arg-type]
