"""`gate quarantine`, `gate waive` and `gate plan` as functions: what a suite of tasks can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.gate_spec import GateSpec, logs_in
from steelyard.api.spec import Location, one_or_several, option, path, sources, spec, takes

if TYPE_CHECKING:
    from steelyard.gate.evidence.noise import Noise
    from steelyard.gate.evidence.policy import AcceptedLoss, QuarantineEntry
    from steelyard.gate.noise.plan import SuitePlan
    from steelyard.gate.quarantine.listing import ListedEntry
    from steelyard.gate.run.plan import RunSpec


def quarantine_add(
    task: str,
    *,
    reason: str,
    owner: str,
    check: str | None = None,
    until: date | None = None,
    days: int = 14,
    settings: str | Path = "steelyard.yaml",
) -> QuarantineEntry:
    """Quarantine a task, or one check of it, in the settings file; comments and order of the file are kept.

    Args:
        task: The task.
        reason: Why it does not count for now.
        owner: Who is going to fix it.
        check: One check of the task; the whole task if absent.
        until: The last day on which the entry holds, at most 30 days ahead.
        days: How many days ahead that is, if `until` is absent.
        settings: The settings file; created if it does not exist.

    Returns:
        The entry.

    Raises:
        InputError: The task is unknown or already quarantined, the date is out of range, or the file cannot be edited.
    """
    from steelyard.errors import InputError
    from steelyard.gate.evidence.policy import QuarantineEntry
    from steelyard.gate.quarantine.listing import add

    today = datetime.now(UTC).date()
    words = [text.strip() for text in (task, reason, owner)]
    if not all(words):
        raise InputError("a quarantine needs a task, a reason and an owner")
    name = check.strip() if check is not None else None
    entry = QuarantineEntry(*words, until=until or today + timedelta(days), check=name or None)
    add(Path(settings), entry, today)
    return entry


def waive(
    task: str,
    *,
    reason: str,
    until: date,
    owner: str | None = None,
    check: str | None = None,
    settings: str | Path = "steelyard.yaml",
) -> AcceptedLoss:
    """Accept the loss of a task, or of one check of it, in the settings file; comments and order are kept.

    Args:
        task: The task.
        reason: Why the loss is worth it.
        until: The last day on which the entry holds.
        owner: Who accepts it; git's `user.name` if absent.
        check: One check of the task; the whole task if absent.
        settings: The settings file; created if it does not exist.

    Returns:
        The entry.

    Raises:
        InputError: The task is unknown or already listed, the day is past, or nobody is named as the owner.
    """
    from steelyard.errors import InputError
    from steelyard.gate.evidence.policy import AcceptedLoss
    from steelyard.gate.quarantine.entries import ACCEPTED
    from steelyard.gate.quarantine.listing import add
    from steelyard.process import run

    if owner is None:
        owner = run(["git", "config", "user.name"], timeout_s=10.0).stdout
    words = [text.strip() for text in (task, reason, owner)]
    if not all(words):
        raise InputError("an accepted loss needs a task, a reason and an owner", cure="--owner NAME")
    name = check.strip() if check is not None else None
    entry = AcceptedLoss(*words, until=until, check=name or None)
    add(Path(settings), entry, datetime.now(UTC).date(), ACCEPTED)
    return entry


def quarantine_list(settings: str | Path = "steelyard.yaml") -> tuple[ListedEntry, ...]:
    """List the quarantine of a settings file.

    Args:
        settings: The settings file.

    Returns:
        Every entry as it is written, whether it holds today, and if not, why.

    Raises:
        InputError: The file cannot be read.
    """
    from steelyard.gate.quarantine.listing import entries_today

    return entries_today(Path(settings), datetime.now(UTC).date())


def quarantine_expire(
    task: str | None = None, *, check: str | None = None, settings: str | Path = "steelyard.yaml"
) -> tuple[str, ...]:
    """End quarantines: those of a task, or all whose last day is over.

    Args:
        task: The task; without it every expired entry is removed.
        check: One check of the task; all its entries if absent.
        settings: The settings file.

    Returns:
        The names of the entries that were removed.

    Raises:
        InputError: There is no such entry, or the file cannot be edited.
    """
    from steelyard.gate.quarantine.listing import expire

    return expire(Path(settings), datetime.now(UTC).date(), task, check)


@one_or_several("logs")
def gate_noise(
    logs: Sequence[str | Path],
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

    Returns:
        The record.

    Raises:
        InputError: There are no runs, too few of them, or they are not finite.
        IncomparableError: The sides ran different configurations or tasks, or runs have no score.
        LogError: A log cannot be read.
    """
    from steelyard.gate.noise.measure import NoiseSpec, measure
    from steelyard.gate.noise.read import read_suite_runs
    from steelyard.gate.noise.record import fingerprint_of, write_record

    suite = read_suite_runs(logs, scorer=scorer)
    fingerprint = fingerprint_of(suite.identity, (run.task for run in suite.runs))
    noise = measure(suite.runs, NoiseSpec(fingerprint, seed), now=datetime.now(UTC))
    if folder is not None:
        write_record(Path(folder), noise)
    return noise


@spec
class GateMeasure(GateSpec):
    """A configuration that is run on both sides, to see what varies when nothing changes."""

    _: KW_ONLY
    epochs: int | None = option("Rounds of both sides.", "--rounds", default=5, least=1, most=1000, rare=True)
    log_dir: Location = logs_in("logs/noise")

    def resolved(self) -> RunSpec:
        """The run, with what the settings add."""
        from steelyard.gate.settings import load_settings

        same = self.baseline or load_settings(self.settings).baseline
        both = replace(self, baseline=same, candidate=same, policy="contract")
        return replace(super(GateMeasure, both).resolved(), identical=True)


@spec
class GatePlan:
    """A suite, by what it did or by what is assumed of it, and what it is to detect."""

    logs: tuple[str, ...] = option(
        "Earlier logs: a folder of a gate run, or the logs of one or two sides.",
        metavar="[LOGS]...", argument=True, default=(), converter=sources,
    )  # fmt: skip
    _: KW_ONLY
    record: Path | None = option("A noise record.", default=None, converter=path, rare=True)
    store: str | None = option(
        "A store of arms, whose runs on record say what varies.", metavar="PLACE", default=None, rare=True
    )
    baseline: str | None = option(
        "The configuration to measure, or whose runs in the store count [default: the newest].",
        metavar="CONFIG", default=None,
    )  # fmt: skip
    tasks_count: int | None = option(
        "Assumed tasks [default: as in --tasks, or 20].", default=None, least=1, most=100_000
    )
    checks: int | None = option(
        "Assumed checks a task [default: as in --tasks, or 4].", default=None, least=0, most=200, rare=True
    )
    pass_rate: float | None = option("Assumed pass rate of a check [default: 0.9].", default=None, least=0, most=1)
    judge_sd: float | None = option(
        "Assumed spread of the judge's score [default: no judge].", default=None, least=0, most=1, rare=True
    )
    usd_per_run: float | None = option(
        "Assumed cost of a run [default: what the runs say].", default=None, above=0, rare=True
    )
    budget_runs: int | None = option("Runs that may be spent: what can they show?", default=None, least=1, rare=True)
    budget_usd: float | None = option("The same in US dollars.", default=None, above=0)
    effect: float = option("Mean gain per task to detect.", default=0.05, least=1e-6, most=1)
    margin: float | None = option(
        "Mean loss per task that is still safe [default: 0.05].", default=None, least=1e-6, most=1, rare=True
    )
    real_rates: bool = option(
        "Take the pass rates of real agents instead of an assumed one.", default=False, programs=True
    )


@takes(GatePlan)
def gate_power(spec: GatePlan) -> SuitePlan:
    """Say what a suite can detect before any call is paid for: by a record, by earlier logs, or by assumptions.

    Returns:
        The detectable effect at 1, 3, 5, 10 and 20 rounds, the rounds for both questions, and idle tasks.

    Raises:
        InputError: A number is out of range, or the record or the logs cannot be used.
        IncomparableError: The sides ran different tasks, or runs have no score.
        LogError: A log cannot be read.
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
