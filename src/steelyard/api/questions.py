"""What a suite of tasks can tell, and which part of a change did it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.api.gate_spec import GateSpec, logs_in
from steelyard.api.groups import Told
from steelyard.api.spec import argument, named, option, parameter, rare, spec, takes
from steelyard.api.values import Location, new_folder, path, sources, texts
from steelyard.gate.blame.parts import PartRules
from steelyard.gate.evidence.noise import Noise
from steelyard.gate.noise.plan import PlanSpec, SuitePlan, assumed, from_rates, plan_suite, recorded
from steelyard.gate.noise.record import fingerprint_of, read_record, write_record
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.gate.blame.answer import Blame
    from steelyard.gate.blame.bisect import Bisected
    from steelyard.gate.blame.plan import BlameSpec, Forecast
    from steelyard.gate.model import Weighed
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

    Raises:
        InputError: There are no runs, too few of them, or they are not finite.
        IncomparableError: The sides ran different configurations or tasks, or runs have no score.
        LogError: A log cannot be read.
    """
    from steelyard.gate.noise.measure import NoiseSpec, measure
    from steelyard.gate.noise.read import read_suite_runs

    suite = read_suite_runs(sources(logs), scorer=scorer)
    fingerprint = fingerprint_of(suite.identity, (run.task for run in suite.runs))
    noise = measure(suite.runs, NoiseSpec(fingerprint, seed), now=datetime.now(UTC))
    if folder is not None:
        write_record(Path(folder), noise)
    return noise


@named
class GateMeasure(GateSpec):
    """A configuration that is run on both sides, to see what varies when nothing changes."""

    epochs: int | None = rare("Rounds of both sides.", "--rounds", default=5, least=1, most=1000)
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

    logs: tuple[str, ...] = argument(
        "Earlier logs: a folder of a gate run, or the logs of one or two sides.", "[LOGS]...", default=(),
        converter=sources,
    )  # fmt: skip
    _: KW_ONLY
    record: Path | None = rare("A noise record.", default=None, converter=path)
    store: str | None = rare("A store of arms, whose runs on record say what varies.", "PLACE", default=None)
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
    usd_per_run: float | None = rare("Assumed cost of a run [default: what the runs say].", default=None, above=0)
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

    Raises:
        InputError: A number is out of range, or the record or the logs cannot be used.
        IncomparableError: The sides ran different tasks, or runs have no score.
        LogError: A log cannot be read.
    """
    from steelyard.gate.noise.read import suite_from_logs, suite_from_store

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


@named
class GateBlame(GateSpec, Told):
    """A configuration to take apart, and what that may cost."""

    candidate: str | None = option(
        "The configuration to take apart: a folder or git:REF[:PATH].", "CONFIG", default=None
    )
    baseline: str | None = option(
        "What differs from this one is a part, unless --parts is given.", "CONFIG", default=None
    )
    parts: Literal["sections", "lines", "files"] | None = option("Take the candidate itself apart.", default=None)
    together: tuple[str, ...] = rare(
        "Parts that stand together, by name; repeatable.", "A,B", default=(), converter=texts
    )
    pin: tuple[str, ...] = rare(
        "A part that stays, or a pattern of names; repeatable.", "NAME", default=(), converter=texts
    )
    margin: float | None = rare("Smallest effect to tell from none [default: 0.1].", default=None, least=0.01, most=1)
    runs: int | None = option("Runs that may be spent [default: what --margin takes].", default=None, least=1)
    usd_per_run: float | None = rare("What a run costs, to know the price before.", default=None, above=0)
    log_dir: Location = logs_in("logs/blame")

    def blamed(self) -> BlameSpec:
        """The run, with what the settings add."""
        from steelyard.gate.blame.plan import BlameSpec
        from steelyard.gate.settings import load_settings

        known = load_settings(self.settings).blame
        groups = (*known.together, *(tuple(each.split(",")) for each in self.together))
        rules = PartRules(self.parts, groups, (*known.pin, *self.pin))
        run = replace(self, margin=None).resolved()
        return BlameSpec(replace(run, parts=rules), self.margin, self.runs, self.usd_per_run)


@spec
class GatePrune(GateSpec, Told):
    """What was blamed, and how the rest is tested."""

    blame: Location = argument("The `blame.json` of a blame.", "BLAME.json", converter=location)
    out: Path = option("New folder for the pruned configuration.", converter=new_folder)
    _: KW_ONLY
    log_dir: Location = logs_in("logs/prune")

    def resolved(self) -> RunSpec:
        """The run, adaptive unless told otherwise."""
        fixed = replace(self, candidate=str(self.out), policy=self.policy or "adaptive")
        return super(GatePrune, fixed).resolved()


@named
class GateBisect(GateSpec, Told):
    """Two commits between which a configuration became worse."""

    good: str = option("A commit whose configuration is as it should be.", "REF")
    bad: str = option("A later commit that is worse.", "REF", default="HEAD")
    where: str = option("Where the configuration lives [default: the repository's root].", "--path", default="")
    log_dir: Location = logs_in("logs/bisect")

    def resolved(self) -> RunSpec:
        """The run, adaptive unless told otherwise."""
        fixed = replace(self, candidate=f"git:{self.bad}", policy=self.policy or "adaptive")
        return super(GateBisect, fixed).resolved()


@takes(GateBlame)
def gate_blame_plan(spec: GateBlame) -> Forecast:
    """Say what `gate_blame` would do and cost, without starting anything (docs/scoring.md §3.7).

    Returns: The parts, the margin, about how many runs and dollars it takes, and what is done already.

    Raises:
        InputError: Nothing differs, no part is left, the budget is below the least, or the log folder holds other runs.
        AgentError: The agent is not available.
    """
    from steelyard.gate.blame.run import forecast

    return forecast(spec.blamed())


@takes(GateBlame)
def gate_blame(spec: GateBlame) -> Blame:
    """Find which parts of a configuration harm, help, or change nothing (docs/scoring.md §3.7).

    Returns: An answer per part, which is also written to `blame.json` in the log folder.

    Raises:
        InputError: Nothing differs, no part is left, the budget is below the least, or the log folder holds other runs.
        AgentError: The agent is not available.
        LogError: A look could not be run to its end.
    """
    from steelyard.gate.blame.run import blame_on
    from steelyard.gate.run.session import Listener

    return blame_on(spec.blamed(), spec.chosen_engine(), Listener(spec.notify, spec.progress))


@takes(GatePrune)
def gate_prune(spec: GatePrune) -> Weighed:
    """Write the configuration without the parts that harm or change nothing, and test that it is no worse.

    Returns: The comparison of the pruned configuration with the whole one, under `adaptive` with the question `safe`.

    Raises:
        Refused: Blame found nothing that could go.
        InputError: The configuration is not the one that was taken apart, or `out` is not empty.
    """
    from steelyard.gate.blame.prune import confirmation, prepared, read_blame
    from steelyard.gate.run.engine import run_on

    data, run = read_blame(spec.blame), spec.resolved()
    confirmed = confirmation(run, data, prepared(data, spec.out, run.repo))
    return run_on(confirmed, spec.chosen_engine(), spec.notify, spec.progress)


@takes(GateBisect)
def gate_bisect(spec: GateBisect) -> Bisected:
    """Find the commit that made a configuration worse; each step is an adaptive gate run.

    Returns: The first bad commit, or those among which it is, and every step.

    Raises:
        InputError: A ref is unknown, or no commit between them changes the configuration.
    """
    from steelyard.gate.blame.bisect import bisect
    from steelyard.gate.run.engine import run_on

    start = partial(run_on, options=spec.chosen_engine(), notify=spec.notify, progress=spec.progress)
    return bisect(spec.resolved(), spec.good, spec.bad, spec.where, start, spec.notify)
