"""`gate quarantine`, `gate waive`, `gate noise` and `gate plan` as functions: what a suite of tasks can tell."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.options import one_or_several

if TYPE_CHECKING:
    from steelyard.gate.evidence.noise import Noise
    from steelyard.gate.evidence.policy import AcceptedLoss, QuarantineEntry
    from steelyard.gate.noise.plan import SuitePlan
    from steelyard.gate.quarantine.listing import ListedEntry


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


@one_or_several("logs")
def gate_power(
    *,
    record: str | Path | None = None,
    logs: Sequence[str | Path] = (),
    tasks_count: int = 20,
    checks: int = 4,
    pass_rate: float = 0.9,
    judge_sd: float | None = None,
    usd_per_run: float | None = None,
    effect: float = 0.05,
    margin: float = 0.05,
    store: str | None = None,
    baseline: str | None = None,
    real_rates: bool = False,
    budget_runs: int | None = None,
    budget_usd: float | None = None,
) -> SuitePlan:
    """Say what a suite can detect before any call is paid for: by a record, by earlier logs, or by assumptions.

    Args:
        record: A noise record.
        logs: Earlier logs, if there is no record: a folder of a gate run, or the logs of one or two sides.
        tasks_count: Assumed number of tasks, if there are neither.
        checks: Assumed checks of each task.
        pass_rate: Assumed pass rate of each check, in [0, 1].
        judge_sd: Assumed standard deviation of the judge's score; None without a judge.
        usd_per_run: Assumed cost of a run in US dollars.
        effect: The mean gain per task that should be detected.
        margin: The mean loss per task that still counts as no worse.
        store: A store of arms, whose runs on record say what varies.
        baseline: The configuration whose runs count there; the one with the newest run if absent.
        real_rates: Take the pass rates of real agents instead of `pass_rate`.
        budget_runs: Runs that may be spent: the plan says what they can show.
        budget_usd: The same in US dollars, where the cost of a run is known.

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

    _require_ranges(
        tasks_count=(tasks_count, 1, 100_000),
        checks=(checks, 0, 200),
        pass_rate=(pass_rate, 0, 1),
        judge_sd=(judge_sd or 0.0, 0, 1),
        usd_per_run=(usd_per_run or 0.0, 0, 1e6),
        effect=(effect, 1e-6, 1),
        margin=(margin, 1e-6, 1),
    )
    spec = PlanSpec(effect, margin, budget_runs, budget_usd)
    if store is not None:
        return plan_suite(suite_from_store(store, baseline), spec)
    if record is not None:
        return plan_suite(recorded(read_record(Path(record))), spec)
    if logs:
        return plan_suite(suite_from_logs(logs), spec)
    if real_rates:
        from steelyard.gate.noise.rates import terminal_bench

        rates = [float(rate) for rate in terminal_bench().pooled.ravel()]
        return plan_suite(from_rates(tasks_count, rates, usd_per_run), spec)
    return plan_suite(assumed(tasks_count, checks, pass_rate, judge_sd, usd_per_run), spec)


def _require_ranges(**values: tuple[float, float, float]) -> None:
    """Raise an `InputError` for the first value that is not a finite number in its range (value, least, most)."""
    from steelyard.errors import InputError

    for name, (value, least, most) in values.items():
        if not least <= value <= most:
            raise InputError(f"{name} is {value:g} and must be between {least:g} and {most:g}")
