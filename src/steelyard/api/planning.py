"""`steelyard gate plan` as functions: what a suite of tasks varies by, and what it can tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.gate_spec import GateSpec, Settings, logs_in
from steelyard.api.spec import argument, named, option, rare, spec, takes
from steelyard.api.values import Location, keeper, path, sources

if TYPE_CHECKING:
    from steelyard.gate.evidence.noise import Noise
    from steelyard.gate.noise.plan import SuiteNoise, SuitePlan
    from steelyard.gate.run.plan import RunSpec
    from steelyard.gate.settings import GateSettings


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
        *("candidate", "baseline_log", "base", "ledger", "thresholds"),
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
class GatePlan(Settings):
    """A suite, by what it did or by what is assumed of it, and what it is to detect."""

    logs: tuple[str, ...] = argument(
        "Earlier logs: a folder of a gate run, or the logs of one or two sides.", "[LOGS]...", default=(),
        converter=sources,
    )  # fmt: skip
    _: KW_ONLY
    record: Path | None = rare("A noise record.", default=None, converter=path)
    store: str | None = rare(
        "A store of arms: its runs on record say what varies, and a measurement adds its own.",
        "PLACE",
        default=None,
        converter=keeper,
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
    budget_usd: float | None = option("US dollars that may be spent: what can they show?", default=None, above=0)
    effect: float = option("Mean gain per task to detect.", default=0.05, least=1e-6, most=1)
    margin: float | None = rare(
        "Mean loss per task that is still safe [default: 0.05].", default=None, least=1e-6, most=1
    )
    tasks: Path | None = option("Folder of tasks, to count or to measure.", default=None, converter=path)


@takes(GatePlan)
def gate_power(spec: GatePlan) -> SuitePlan:
    """Say what a suite can detect before any call is paid for.

    The numbers come from `store`, `record`, `logs`, what the settings have on record, stated pass rates, or else from
    what real agents vary by; the tasks of the settings are counted.

    Returns: The detectable effect at 1, 3, 5, 10 and 20 rounds, the rounds for both questions, and idle tasks.
    """
    from steelyard.gate.noise.plan import PlanSpec, plan_suite
    from steelyard.gate.settings import load_settings

    settings = load_settings(spec.settings)
    suite = _suite(spec, settings)
    if spec.usd_per_run is not None:
        suite = replace(suite, usd_per_round=2 * suite.tasks * spec.usd_per_run)
    margin = spec.margin or settings.margin
    return plan_suite(suite, PlanSpec(spec.effect, margin, spec.budget_runs, spec.budget_usd))


def _suite(spec: GatePlan, settings: GateSettings) -> SuiteNoise:
    """What the suite varies by."""
    from steelyard.gate.noise.plan import assumed, from_rates, recorded
    from steelyard.gate.noise.read import suite_from_logs, suite_from_store
    from steelyard.gate.noise.record import newest_record, read_record
    from steelyard.gate.settings import noise_folder

    if spec.store is not None:
        return suite_from_store(spec.store, spec.baseline)
    if spec.record is not None:
        return recorded(read_record(spec.record))
    if spec.logs:
        return suite_from_logs(spec.logs)
    real_rates = spec.checks is None and spec.pass_rate is None and spec.judge_sd is None
    # Stated figures take the place of what the settings have on record.
    if real_rates and spec.tasks_count is None:
        if settings.store is not None:
            return suite_from_store(settings.store, spec.baseline)
        if (record := newest_record(noise_folder(settings))) is not None:
            return recorded(read_record(record))
    count, checks = _size(spec.tasks or settings.tasks)
    count = spec.tasks_count or count
    if real_rates:
        from steelyard.gate.noise.rates import terminal_bench

        return from_rates(count, [float(rate) for rate in terminal_bench().pooled.ravel()])
    pass_rate = 0.9 if spec.pass_rate is None else spec.pass_rate
    return assumed(count, checks if spec.checks is None else spec.checks, pass_rate, spec.judge_sd)


def _size(folder: str | Path | None) -> tuple[int, int]:
    """The number of tasks in a folder, and of checks in a task on average; 20 and 4 without tasks."""
    from steelyard.gate.task_folder import read_suite

    tasks = () if folder is None else read_suite(Path(folder)).tasks
    return (len(tasks), round(sum(len(task.file.checks) for task in tasks) / len(tasks))) if tasks else (20, 4)
