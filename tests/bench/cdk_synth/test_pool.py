"""Whose fault is a failure inside the library? Only after a known-good app has passed in the same kernel, the app's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, repeat
from pathlib import Path
from typing import ClassVar

import pytest

from steelyard.bench.cdk_synth.classify import Ending, Failure
from steelyard.bench.cdk_synth.control import KNOWN_GOOD
from steelyard.bench.cdk_synth.synthesizer import referee
from steelyard.bench.cdk_synth.synthesizer.kernel import Broken, Report
from steelyard.bench.cdk_synth.synthesizer.pool import AppResult, Pool

FAILED = Report(
    Ending(1, output='Traceback (most recent call last):\n  File "/site/jsii/x.py", line 1, in f\nRuntimeError: no\n'),
    {}, (), False, 5, 100, 0.1,
)  # fmt: skip
PASSED = replace(
    FAILED,
    ending=Ending(0),
    files={
        "manifest.json": '{"artifacts": {"C": {"type": "aws:cloudformation:stack",'
        ' "properties": {"templateFile": "C.template.json"}}}}',
        "C.template.json": '{"Resources": {"B": {"Type": "AWS::S3::Bucket"}}}',
    },
)
APP = b"the app"


class Fake:
    """A kernel in which the app fails, and the control app passes or not."""

    control_passes: ClassVar = {False: True, True: True}
    """By whether the kernel is warm."""
    started: ClassVar[list[bool]]

    def __init__(self, allowance: object, *, warm: bool) -> None:
        self.warm, self.apps, self.pid, self.control = warm, 0, 0, dict(PASSED.files) if warm else {}
        self.started.append(warm)

    def wait_ready(self) -> None:
        if self.warm and not self.control_passes[True]:
            raise Broken("the first app failed")

    def run(self, code: bytes, timeout_s: float) -> Report:
        return FAILED if code == APP or not self.control_passes[self.warm] else PASSED

    def close(self) -> None:
        pass


def verdict(monkeypatch: pytest.MonkeyPatch, *, after: bool, before: bool) -> AppResult:
    monkeypatch.setattr(Fake, "control_passes", {False: after, True: before})
    monkeypatch.setattr(Fake, "started", [], raising=False)
    monkeypatch.setattr(referee, "Kernel", Fake)
    pool = Pool(kernels=1, isolation="strict")
    try:
        return pool.submit(APP, 1.0).result()
    finally:
        pool.close()


@pytest.fixture(autouse=True)
def intact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "_check_files", lambda: None)
    monkeypatch.setattr(referee, "shipped_control", dict)


def test_the_app_is_charged_after_the_control_app_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    result = verdict(monkeypatch, after=True, before=True)
    assert result.finding is not None and result.finding.klass == "construct_error" and Fake.started == [False]


def test_an_app_that_spoils_its_kernel_is_charged_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    result = verdict(monkeypatch, after=False, before=True)
    assert result.finding is not None and result.finding.klass == "construct_error" and Fake.started == [False, True]


def test_without_a_control_app_that_passes_the_synthesizer_is_to_blame(monkeypatch: pytest.MonkeyPatch) -> None:
    result = verdict(monkeypatch, after=False, before=False)
    assert result.finding is not None and result.finding.klass == "engine_error"


@pytest.mark.parametrize(("share", "apps"), [(0.0, [b"other"]), (1.0, [b"other", KNOWN_GOOD.encode()])])
def test_the_control_app_also_runs_after_ordinary_apps(
    monkeypatch: pytest.MonkeyPatch, share: float, apps: list[bytes]
) -> None:
    ran: list[bytes] = []

    class Recording(Fake):
        def run(self, code: bytes, timeout_s: float) -> Report:
            ran.append(code)
            return PASSED

    monkeypatch.setattr(Fake, "control_passes", {False: True, True: True})
    monkeypatch.setattr(Fake, "started", [], raising=False)
    monkeypatch.setattr(referee, "Kernel", Recording)
    pool = Pool(kernels=1, control_share=share)
    try:
        assert pool.submit(b"other", 1.0).result().finding is None
    finally:
        pool.close()
    assert ran == apps


def test_a_failed_lookup_counts_only_if_the_kernel_could_run_the_app_again() -> None:
    lookup = Failure("context_lookup", "needs values from an AWS account")
    assert referee.doubtful(replace(PASSED, retire=("listener exit",)), lookup)
    assert not referee.doubtful(PASSED, lookup)


def test_damaged_files_are_the_synthesizers_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged() -> None:
        raise referee.StartFailed("the prepared CDK synthesizer is damaged: x", cure="run `steelyard setup`")

    monkeypatch.setattr(referee, "_check_files", damaged)
    result = verdict(monkeypatch, after=True, before=True)
    assert result.finding is not None and result.finding.klass == "engine_error"
    assert "steelyard setup" in result.finding.message


def test_a_kernel_with_another_template_than_the_shipped_one_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(referee, "shipped_control", lambda: {"C.template.json": "{}"})
    result = verdict(monkeypatch, after=True, before=True)
    assert result.finding is not None and result.finding.klass == "engine_error"


@pytest.mark.parametrize(
    ("kills", "klass"), [(repeat(3), "construct_error"), (repeat(4), "construct_error"), (count(4), "engine_error")]
)
def test_a_failure_while_the_kernel_runs_out_of_memory_is_tried_again_and_then_nobodys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kills: Iterator[int], klass: str
) -> None:
    """It ends none, one other process, or one each time."""
    counters = tmp_path / "vmstat"
    counters.write_text("nr_free_pages 9\noom_kill 3\n")
    monkeypatch.setattr(referee, "_KERNEL_COUNTERS", counters)

    def run(self: Fake, code: bytes, timeout_s: float) -> Report:
        counters.write_text(f"nr_free_pages 9\noom_kill {next(kills)}\n")
        return FAILED if code == APP else PASSED

    monkeypatch.setattr(Fake, "run", run)
    result = verdict(monkeypatch, after=True, before=True)
    assert result.finding is not None and result.finding.klass == klass
