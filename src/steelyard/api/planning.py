"""`steelyard gate plan` as functions: what a suite of tasks varies by, and what it can tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.gate_spec import GateSpec, logs_in
from steelyard.api.spec import argument, named, option, parameter, rare, spec, takes
from steelyard.api.values import Location, keeper, path, sources

if TYPE_CHECKING:
    from steelyard.gate.evidence.noise import Noise
    from steelyard.gate.noise.plan import SuitePlan
    from steelyard.gate.run.plan import RunSpec


def gate_noise(
    logs: str | Location | Iterable[str | Location],
    *,
    folder: str | Path | None = ".steelyard/noise",
    seed: int = 0,
    scorer: str | None = None,
) -> Noise:
    """Measure what a suite varies by when nothing changes (docs/scoring.md §3.6), and keep it as a record.

    Args:
        logs: A folder of a gate run of one configuration on both sides, or the logs of one or two sides.
        folder: Where the record goes, named by its fingerprint; None keeps none.
        seed: Draws the comparisons; recorded.
        scorer: Which score of foreign logs to read, if they have several: `NAME` or `NAME.KEY`.

    Returns: The record.
    """
    from steelyard.gate.noise.measure import NoiseSpec, measure
    from steelyard.gate.noise.read import read_suite_runs
    from steelyard.gate.noise.record import fingerprint_of, write_record

    suite = read_suite_runs(sources(logs), scorer=scorer)
    fingerprint = fingerprint_of(suite.identity, (run.task for run in suite.runs))
    noise = measure(suite.runs, NoiseSpec(fingerprint, seed), now=datetime.now(UTC))
    if folder is not None:
        write_record(Path(folder), noise)
    return noise


@named
class GateMeasure(GateSpec):
    """A configuration that is run on both sides, to see what varies when nothing changes."""

    UNUSED = (
        *("candidate", "baseline_log", "base", "store", "ledger", "budget_minutes", "thresholds"),
        *("policy", "question", "margin", "alpha", "min_rounds", "max_rounds"),
    )

    epochs: int | None = rare("Rounds of both sides.", "--rounds", default=5, least=1, most=1000)
    log_dir: Location = logs_in("logs/noise")

    def resolved(self) -> RunSpec:
        """The run, with what the settings add."""
        from steelyard.gate.settings import load_settings

        same = self.baseline or load_settings(self.settings).baseline
        # What varies between a side and itself is noise. The contract runs all rounds; `adaptive` stops when it can.
        both = replace(self, baseline=same, candidate=same, policy="contract")
        return replace(super(GateMeasure, both).resolved(), identical=True)


@spec
class GatePlan:
    """A suite, by what it did or by what is assumed of it, and what it is to detect."""

    logs: tuple[str, ...] = argument(
        "Earlier logs: a folder of a gate run, or the logs of one or two sides.", "[LOGS]...", default=(),
        converter=sources,
    )  # fmt: skip
    _: KW_ONLY
    record: Path | None = rare("A noise record.", default=None, converter=path)
    store: str | None = rare(
        "A store of arms, whose runs on record say what varies.", "PLACE", default=None, converter=keeper
    )
    baseline: str | None = option(
        "The configuration to measure, or whose runs in the store count [default: the newest].", "CONFIG", default=None
    )
    tasks_count: int | None = option(
        "Assumed tasks [default: as in --tasks, or 20].", default=None, least=1, most=100_000
    )
    checks: int | None = rare("Assumed checks a task [default: as in --tasks, or 4].", default=None, least=0, most=200)
    pass_rate: float | None = option("Assumed pass rate of a check [default: 0.9].", default=None, least=0, most=1)
    judge_sd: float | None = rare(
        "Assumed spread of the judge's score [default: no judge].", default=None, least=0, most=1
    )
    usd_per_run: float | None = rare(
        "Assumed cost of a run [default: what the runs say].", default=None, above=0, most=1_000_000
    )
    budget_runs: int | None = rare("Runs that may be spent: what can they show?", default=None, least=1)
    budget_usd: float | None = option("The same in US dollars.", default=None, above=0)
    effect: float = option("Mean gain per task to detect.", default=0.05, least=1e-6, most=1)
    margin: float | None = rare(
        "Mean loss per task that is still safe [default: 0.05].", default=None, least=1e-6, most=1
    )
    real_rates: bool = parameter("Take the pass rates of real agents instead of an assumed one.", default=False)


@takes(GatePlan)
def gate_power(spec: GatePlan) -> SuitePlan:
    """Say what a suite can detect before any call is paid for: by a record, by earlier logs, or by assumptions.

    Returns: The detectable effect at 1, 3, 5, 10 and 20 rounds, the rounds for both questions, and idle tasks.
    """
    from steelyard.gate.noise.plan import PlanSpec, assumed, from_rates, plan_suite, recorded
    from steelyard.gate.noise.read import suite_from_logs, suite_from_store
    from steelyard.gate.noise.record import read_record

    wanted = PlanSpec(spec.effect, spec.margin or 0.05, spec.budget_runs, spec.budget_usd)
    count = spec.tasks_count or 20
    if spec.store is not None:
        suite = suite_from_store(spec.store, spec.baseline)
    elif spec.record is not None:
        suite = recorded(read_record(spec.record))
    elif spec.logs:
        suite = suite_from_logs(spec.logs)
    elif spec.real_rates:
        from steelyard.gate.noise.rates import terminal_bench

        suite = from_rates(count, [float(rate) for rate in terminal_bench().pooled.ravel()])
    else:
        checks = 4 if spec.checks is None else spec.checks
        suite = assumed(count, checks, 0.9 if spec.pass_rate is None else spec.pass_rate, spec.judge_sd)
    if spec.usd_per_run is not None:
        suite = replace(suite, usd_per_round=2 * suite.tasks * spec.usd_per_run)
    return plan_suite(suite, wanted)
