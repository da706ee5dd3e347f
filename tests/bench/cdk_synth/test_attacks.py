"""Hostile apps against the synthesizer (docs/scoring.md §1.5). After each one a clean app passes with the same bytes.

Attacks run one after the other on the same kernel: what one leaves behind, the next clean app would show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from steelyard.bench.cdk_synth.synthesizer.kernel import Kernel, Report
from steelyard.bench.cdk_synth.synthesizer.kernel_sandbox import Allowance
from steelyard.bench.cdk_synth.synthesizer.pool import AppResult, Pool
from tests.waiting import HANG_S

from .attacks import ATTACKS, HONEST, PASS, Attack, Effect

PATIENCE_S = 3600
"""No attack may hold the synthesizer longer than this: two limits, two grace periods, three starts."""
CLEAN = (
    HONEST
    + """
import pathlib
from aws_cdk import aws_s3_assets as assets
pathlib.Path("stuff").mkdir()
pathlib.Path("stuff/file.txt").write_text("clean")
again = cdk.App()
other = cdk.Stack(again, "Other", env=cdk.Environment(account="123456789012", region="us-east-1"))
assets.Asset(other, "A", path="stuff")
site = s3.Bucket(other, "Site", website_index_document="index.html")
cdk.CfnOutput(other, "Endpoint", value=site.bucket_website_domain_name)
again.synth()
"""
)


class Kernels:
    """Two warm kernels, because starting one costs more than all attacks that it survives.

    The first runs attacks that leave no trace, each followed by a clean app. The second runs those after which the pool
    replaces a kernel: it must say so every time, and no clean app ever meets it.
    """

    def __init__(self) -> None:
        self._running: dict[Effect, Kernel] = {}
        self._reasons: Counter[str] = Counter()

    def run(self, code: str, effect: Effect, timeout_s: float = HANG_S) -> Report:
        if effect not in self._running:
            self._running[effect] = Kernel(Allowance(), warm=True)
            self._running[effect].wait_ready()
        return self._running[effect].run(code.encode(), timeout_s)

    def new_reasons(self, report: Report) -> Counter[str]:
        """Why the kernel must be replaced, without what earlier attacks left in it."""
        before, self._reasons = self._reasons, Counter(report.retire)
        return self._reasons - before

    def close(self) -> None:
        for kernel in self._running.values():
            kernel.close()


@pytest.fixture(scope="module")
def kernels() -> Iterator[Kernels]:
    running = Kernels()
    yield running
    running.close()


@pytest.fixture(scope="module")
def clean(kernels: Kernels) -> dict[str, str]:
    return _templates(kernels.run(CLEAN, "nothing"))


def _templates(result: Report | AppResult) -> dict[str, str]:
    problem = result.finding if isinstance(result, AppResult) else result.failure
    assert problem is None, problem
    assert isinstance(result, AppResult) or not result.retire, result.retire
    return {name: text for name, text in result.files.items() if name.endswith(".template.json")}


@pytest.mark.slow
@pytest.mark.parametrize("attempt", [each for each in ATTACKS if each.effect != "kernel"], ids=lambda each: each.name)
def test_attack(attempt: Attack, kernels: Kernels, clean: dict[str, str]) -> None:
    report = kernels.run(attempt.code, attempt.effect, attempt.timeout_s)
    problem = report.failure
    assert (PASS if problem is None else problem.klass) in attempt.ends_in, problem
    if attempt.effect == "trace":
        assert kernels.new_reasons(report)
    else:
        assert not report.retire, report.retire
        assert _templates(kernels.run(CLEAN, "nothing")) == clean


@pytest.mark.slow
@pytest.mark.parametrize("attempt", [each for each in ATTACKS if each.effect == "kernel"], ids=lambda each: each.name)
def test_an_attack_on_the_kernel_itself(attempt: Attack, pool: Pool, clean: dict[str, str]) -> None:
    """The pool replaces a kernel that did not survive, and judges the app in a fresh one."""
    result = pool.submit(attempt.code.encode(), attempt.timeout_s).result(PATIENCE_S)
    ended_in = PASS if result.finding is None else result.finding.klass
    assert ended_in in attempt.ends_in, result.finding
    assert _templates(pool.submit(CLEAN.encode(), HANG_S).result()) == clean
