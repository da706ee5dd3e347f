"""The gate in other sandboxes: the same tasks, checks and protections, and a fingerprint that says where they ran."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner
from inspect_ai.util import SandboxEnvironment, SandboxEnvironmentConfigType, sandboxenv

from steelyard.cli.main import main
from steelyard.errors import AgentError, InputError
from steelyard.gate.agents import AgentSpec, find_agent
from steelyard.gate.checks import check_input
from steelyard.gate.checks.test_suite import TestSuite
from steelyard.gate.example import example_spec
from steelyard.gate.model import Comparison, Weighed
from steelyard.gate.run import _weak_limits, gate_run
from steelyard.gate.run.plan import RunSpec
from steelyard.sandbox import choose as choosing
from steelyard.sandbox.bubblewrap import BubblewrapSandbox
from steelyard.sandbox.choose import BUBBLEWRAP, Sandbox, choose
from steelyard.sandbox.host import Host
from steelyard.sandbox.jail import Jail
from steelyard.tree import File
from tests.docker import SANDBOX
from tests.waiting import until

Spec = Callable[..., RunSpec]

AGENT = """
grep -q new RULES && echo yes > answer.txt || echo no > answer.txt
rm -rf tests && mkdir tests && echo 'exit 0' > tests/check.sh
(while :; do sleep 1; echo yes > answer.txt; done) >/dev/null 2>&1 &
"""
"""Follows the rules of the candidate; cheats in any case, and leaves a process behind that goes on cheating."""


@sandboxenv(name="elsewhere")
class Elsewhere(BubblewrapSandbox):
    """An Inspect sandbox of which the gate knows nothing, and in which it cannot bind anything."""

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        return {"default": cls(Host(Jail(folders=("/run/steelyard",))))}


@pytest.fixture(params=["bubblewrap", "docker", "elsewhere"])
def sandbox(request: pytest.FixtureRequest) -> str:
    if request.param == "docker":
        request.getfixturevalue("docker")
        return SANDBOX
    return str(request.param)


def in_sandbox(spec: RunSpec, sandbox: str) -> RunSpec:
    return replace(spec, agent=replace(spec.agent, sandbox=sandbox))


def outcome(weighed: Weighed) -> Comparison:
    assert isinstance(weighed.outcome, Comparison), weighed.outcome
    return weighed.outcome


def test_the_same_tasks_give_the_same_verdict_in_every_sandbox(sandbox: str, gate_spec: Spec) -> None:
    found = outcome(gate_run(in_sandbox(gate_spec(AGENT), sandbox)))
    assert found.verdict == "improved"
    # Of two checks the baseline passes none: its "no" is wrong, and the tests it emptied are back.
    assert [(task.baseline.passed, task.candidate.passed) for task in found.tasks] == [(0, 2)]


@pytest.mark.skipif(os.environ.get("STEELYARD_ALL_REFERENCES") != "1", reason="runs with `make references`")
def test_the_example_has_the_same_verdict_in_containers(docker: str, tmp_path: Path) -> None:
    runs = [in_sandbox(example_spec(tmp_path / name[:6]), name) for name in ("bubblewrap", SANDBOX)]
    found = [outcome(gate_run(spec)) for spec in runs]
    assert [comparison.verdict for comparison in found] == ["improved", "improved"]
    # As the README shows it.
    passed = [{task.task: (task.baseline.passed, task.candidate.passed) for task in each.tasks} for each in found]
    assert passed == [{"total": (2, 3), "slug": (2, 4), "greet": (3, 3), "port": (3, 3), "tidy": (4, 4)}] * 2


def test_a_container_ends_with_the_process_that_started_it(docker: str) -> None:
    mark = f"STEELYARD_MARK={uuid4()}"
    name, value = mark.split("=")
    program = f"""
from steelyard.sandbox.host import run
from steelyard.sandbox.jail import Jail
jail = Jail(image={docker!r}, environment={{{name!r}: {value!r}}})
run(jail, ["sleep", "100000"], timeout_s=100000)
"""
    starter = subprocess.Popen([sys.executable, "-c", program])
    assert until(lambda: running(mark))
    starter.kill()
    starter.wait()
    assert until(lambda: not running(mark))


def running(mark: str) -> bool:
    """Whether a container with this variable exists."""
    names = subprocess.run(["docker", "ps", "-aq"], capture_output=True, text=True, check=True).stdout.split()
    inspected = subprocess.run(["docker", "inspect", *names], capture_output=True, text=True).stdout
    return mark in inspected


def test_runs_of_two_sandboxes_are_not_comparable(docker: str, gate_spec: Spec, tmp_path: Path) -> None:
    spec = gate_spec(AGENT)
    gate_run(spec)
    with pytest.raises(InputError, match="sandbox differs"):
        gate_run(in_sandbox(spec, SANDBOX))


PASSING = "import unittest, app\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(app.add(1, 2), 3)\n"
APPS = {
    "right": "def add(a, b): return a + b\n",
    "wrong": "def add(a, b): return 0\n",
    "ends": "import os; os._exit(0)\n",
}


@pytest.mark.slow
def test_protected_python_tests_run_in_a_container(docker: str) -> None:
    check = TestSuite(kind="test_suite", path="tests")
    protected = {"tests/test_app.py": File(PASSING.encode())}
    results = {
        name: check.evaluate(
            replace(check_input({}, {"app.py": File(code.encode())}, protected, ("tests",)), sandbox=choose(SANDBOX))
        )
        for name, code in APPS.items()
    }
    assert {name: result.passed for name, result in results.items()} == {"right": True, "wrong": False, "ends": False}


@pytest.mark.parametrize(
    ("sandbox", "problem"),
    [
        ("docker:no/such-image:1", "docker pull no/such-image:1"),
        ("local", "isolates nothing"),
        ("nowhere", "unknown sandbox 'nowhere'"),
        ("elsewhere:no.yaml", "does not exist"),
    ],
)
def test_a_sandbox_that_does_not_work_here_is_one_line(
    sandbox: str, problem: str, suite: Callable[..., Path], request: pytest.FixtureRequest
) -> None:
    if sandbox.startswith("docker"):
        request.getfixturevalue("docker")
    words = ["gate", "run", "--tasks", str(suite()), "--baseline", "none", "--candidate", ".", "--agent", "command"]
    result = CliRunner().invoke(main, [*words, "--agent-command", "true", "--sandbox", sandbox])
    assert result.exit_code == 2
    assert problem in result.output and len(result.output.splitlines()) == 1, result.output


def test_without_an_engine_it_says_so(suite: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "docker_works", lambda: False)
    choosing.try_docker.cache_clear()
    words = ["gate", "run", "--tasks", str(suite()), "--baseline", "none", "--candidate", ".", "--agent", "command"]
    result = CliRunner().invoke(main, [*words, "--agent-command", "true", "--sandbox", "docker"])
    choosing.try_docker.cache_clear()
    assert result.exit_code == 2
    assert result.output.splitlines() == [
        "steelyard: no Docker engine answers (start Docker, or use --sandbox bubblewrap)"
    ]


def test_a_client_is_refused_where_nothing_can_be_bound(client: str) -> None:
    with pytest.raises(AgentError, match="cannot be brought into"):
        find_agent(AgentSpec(client, model="mockllm/model", sandbox="elsewhere"))


@pytest.mark.parametrize(
    ("sandbox", "grouped", "said"),
    [
        (BUBBLEWRAP, True, ""),
        (BUBBLEWRAP, False, "shared memory is not counted"),
        (Sandbox("docker", "image"), True, "shared memory is counted by that alone"),
    ],
)
def test_a_report_says_which_limit_is_weak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox, grouped: bool, said: str
) -> None:
    monkeypatch.setattr("steelyard.gate.run.choose", lambda _: sandbox)
    monkeypatch.setattr("steelyard.sandbox.cgroup.available", lambda: grouped)
    spec = example_spec(tmp_path)
    assert " ".join(_weak_limits(spec)).endswith(said) and bool(_weak_limits(spec)) == bool(said)
