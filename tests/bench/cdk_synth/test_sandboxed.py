"""`cdk_verify`: the pinned CLI inside an Inspect sandbox, and the control apps that every verifier must judge first.

All 40 references go through the sandbox in `make references` (minutes of cold CLI runs); `make test` takes one of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from inspect_ai.util import ExecResult

from steelyard.bench.cdk_synth import control, sandboxed
from steelyard.bench.cdk_synth.task import cdk_synth
from steelyard.bench.cdk_synth.verify import Verdict
from steelyard.cli.main import main
from steelyard.logs.evaluate import evaluate
from steelyard.logs.read import read_logs
from steelyard.sandbox.bubblewrap import BubblewrapSandbox
from tests.docker import SANDBOX

ALL = os.environ.get("STEELYARD_ALL_REFERENCES") == "1"
GOOD = Verdict(True, None, "", {"S": {"Resources": {kind: {"Type": kind} for kind in control.RESOURCES}}})
BAD = Verdict(False, "runtime_error", "ValueError: this app always fails")
ANSWER = Verdict(False, "import_error", "no module")


class Verifier:
    """Gives these verdicts on the control apps, and `ANSWER` on any other app."""

    def __init__(self, good: Verdict = GOOD, bad: Verdict = BAD) -> None:
        self.verdicts = {control.KNOWN_GOOD: good, control.KNOWN_BAD: bad}
        self.codes: list[str] = []

    async def __call__(self, code: str) -> Verdict:
        self.codes.append(code)
        return self.verdicts.get(code, ANSWER)


@pytest.mark.parametrize(
    ("verifier", "complaint"),
    [
        (Verifier(), None),
        (Verifier(bad=GOOD), "an app that always fails is judged passed"),
        (Verifier(bad=Verdict(False, "no_stack", "")), "an app that always fails is judged no_stack"),
        (Verifier(good=Verdict(False, "no_stack", "was synth() called?")), "judged no_stack (was synth() called?)"),
        (Verifier(good=Verdict(True, None, "", {"S": {"Resources": {}}})), "lacks AWS::IAM::Role"),
    ],
)
def test_a_verifier_must_judge_both_control_apps_correctly(verifier: Verifier, complaint: str | None) -> None:
    problem = anyio.run(control.complaint, verifier)
    assert problem == complaint if complaint is None else problem is not None and complaint in problem


def test_the_control_apps_run_once_before_the_first_answer() -> None:
    verifier = Verifier()

    async def judge() -> list[Verdict]:
        tried = control.ControlApps(verifier)
        return [await tried.verify(code) for code in ("one", "two")]

    assert anyio.run(judge) == [ANSWER, ANSWER]
    assert verifier.codes == [control.KNOWN_BAD, control.KNOWN_GOOD, "one", "two"]


def test_no_answer_is_charged_to_the_model_by_a_broken_verifier() -> None:
    verifier = Verifier(good=Verdict(False, "no_stack", ""))

    async def judge() -> list[Verdict]:
        tried = control.ControlApps(verifier)
        return [await tried.verify(code) for code in ("one", "two", "three")]

    verdicts = anyio.run(judge)
    assert {verdict.klass for verdict in verdicts} == {"engine_error"}
    assert "one" not in verifier.codes
    assert verifier.codes.count(control.KNOWN_GOOD) == control.ATTEMPTS


class Box(BubblewrapSandbox):
    """A sandbox whose commands end as the test says."""

    def __init__(self, ends: Callable[[list[str]], ExecResult[str]]) -> None:
        self.ends, self.ran = ends, list[str]()

    async def restart(self) -> None:
        self.ran.append("restart")

    async def exec(self, cmd: list[str], **options: Any) -> ExecResult[str]:
        self.ran.append(cmd[1])
        return self.ends(cmd)

    async def write_file(self, path: str, contents: str | bytes) -> None:
        self.ran.append(path)


def crashes(cmd: list[str]) -> ExecResult[str]:
    error = "node:internal/modules\n  throw err;\n\nError: Cannot find module './cache.js'\nNode.js v24"
    return ExecResult(False, 1, "", error)


def missing(cmd: list[str]) -> ExecResult[str]:
    return ExecResult(False, 127, "", "cdk: not found")


def hangs(cmd: list[str]) -> ExecResult[str]:
    raise TimeoutError


@pytest.mark.parametrize(
    ("ends", "reason"), [(crashes, "Cannot find module './cache.js'"), (missing, "not found"), (hangs, "within")]
)
def test_a_cli_that_never_started_is_our_failure(
    monkeypatch: pytest.MonkeyPatch, ends: Callable[[list[str]], ExecResult[str]], reason: str
) -> None:
    box = Box(ends)
    monkeypatch.setattr(sandboxed, "sandbox", lambda: box)
    verdict = anyio.run(sandboxed.verify_in_sandbox, "print(1)")
    assert verdict.klass == "engine_error" and reason in verdict.message
    assert box.ran == ["--version"], "the app must not run"


def test_a_cli_that_the_app_ended_is_the_apps_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(cmd: list[str]) -> ExecResult[str]:
        if cmd[1] == "synth":  # the app killed its parent
            return ExecResult(False, 137, "", "")
        return ExecResult(True, 0, json.dumps({}), "")

    monkeypatch.setattr(sandboxed, "sandbox", lambda: Box(ends))
    verdict = anyio.run(sandboxed.verify_in_sandbox, "import os; os.kill(os.getppid(), 9)")
    assert verdict.klass == "no_stack" and not verdict.passed


@pytest.mark.parametrize("printed", ["", f"Subprocess exited with error {'9' * 5_000}"])
def test_an_app_cannot_break_what_looks_at_it(monkeypatch: pytest.MonkeyPatch, printed: str) -> None:
    class Locked(Box):
        async def write_file(self, path: str, contents: str | bytes) -> None:
            if "synth" in self.ran and not printed:
                raise PermissionError("the app has locked its folder")
            await super().write_file(path, contents)

    box = Locked(lambda cmd: ExecResult(cmd[1] != "synth", int(cmd[1] == "synth"), "{}", printed))
    monkeypatch.setattr(sandboxed, "sandbox", lambda: box)
    assert anyio.run(sandboxed.verify_in_sandbox, "print(1)").klass in ("no_stack", "runtime_error")


@pytest.mark.parametrize(
    ("startups", "limits", "klass"),
    [
        ((1, 2), [240], "timeout"),
        ((1, 12, 12), [240, 480], "timeout"),  # twice as slow as usual: twice the time
        ((1, 12, 24, 48), [240, 480, 960], "engine_error"),
    ],
)
def test_a_time_limit_counts_only_if_the_machine_stayed_as_fast(
    monkeypatch: pytest.MonkeyPatch, startups: tuple[float, ...], limits: list[int], klass: str
) -> None:
    found, seconds = list[int](), iter(startups)

    class Slow(Box):
        async def exec(self, cmd: list[str], **options: Any) -> ExecResult[str]:
            self.ran.append(cmd[1])
            if cmd[1] == "synth":
                found.append(options["timeout"])
                raise TimeoutError
            clock[0] += next(seconds)
            return ExecResult(True, 0, "2.0", "")

    box, clock = Slow(missing), [0.0]
    monkeypatch.setattr(sandboxed, "sandbox", lambda: box)
    monkeypatch.setattr(sandboxed, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    verdict = anyio.run(sandboxed.verify_in_sandbox, "while True: pass")
    assert (verdict.klass, found) == (klass, limits)
    # What the app left behind could pass for a busy machine.
    assert [after for before, after in pairwise(box.ran) if before == "synth"] == ["restart"] * len(limits)


def scores(folder: Path) -> Mapping[str, Any]:
    [log] = read_logs([folder]).rows
    return {run.id: run.scores["cdk_verify"].value for run in log.runs}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bubblewrap", SANDBOX])
@pytest.mark.xdist_group("cdk-sandbox")
def test_references_pass_in_the_sandbox(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The real CLI in the real sandbox, through the registered task; the control apps run first."""
    if kind == SANDBOX:
        request.getfixturevalue("docker")
    limit = None if ALL else 1
    evaluate(
        cdk_synth(verifier="sandbox", sandbox=kind),
        model="steelyard/ceiling",
        limit=limit,
        log_dir=str(tmp_path),
        log_level="error",
    )
    values = scores(tmp_path)
    assert len(values) == (40 if ALL else 1)
    assert set(values.values()) == {1.0}


def test_a_sandbox_without_its_files_is_unscored_and_not_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What once gave 0 to every correct app: Node preloads a file that the sandbox does not have."""
    monkeypatch.setitem(sandboxed._ENV, "NODE_OPTIONS", "--require /opt/steelyard/boot.js")
    words = ["bench", "run", "--model", "steelyard/ceiling", "--category", "cdk_synth", "--scorer", "cdk_verify"]
    result = CliRunner().invoke(main, [*words, "--limit", "1", "--log-dir", str(tmp_path / "logs")])
    assert result.exit_code == 2
    assert "cdk does not start" in result.output
