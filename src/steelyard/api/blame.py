"""`steelyard gate blame`, `prune` and `bisect` as functions: which part of a change did it?"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.api.gate_spec import GateSpec, logs_in
from steelyard.api.groups import Told
from steelyard.api.spec import argument, named, option, rare, spec, takes
from steelyard.api.values import Location, new_folder, texts
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.gate.blame.answer import Blame
    from steelyard.gate.blame.bisect import Bisected
    from steelyard.gate.blame.plan import BlameSpec, Forecast
    from steelyard.gate.model import Weighed
    from steelyard.gate.run.plan import RunSpec


@named
class GateBlame(GateSpec, Told):
    """A configuration to take apart, and what that may cost."""

    UNUSED = ("policy", "question", "min_rounds", "max_rounds", "epochs", "base", "baseline_log", "thresholds")

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
        from steelyard.gate.blame.parts import PartRules
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

    UNUSED = ("baseline", "candidate", "baseline_log", "epochs", "base")

    blame: Location = argument("The `blame.json` of a blame.", "BLAME.json", converter=location)
    out: Path = option("New folder for the pruned configuration.", converter=new_folder)
    _: KW_ONLY
    log_dir: Location = logs_in("logs/prune")

    def resolved(self) -> RunSpec:
        """The run, adaptive unless told otherwise."""
        fixed = replace(self, candidate=str(self.out), policy=self.policy or "adaptive")
        # `super()` without arguments would resolve `self`, not the changed copy.
        return super(GatePrune, fixed).resolved()


@named
class GateBisect(GateSpec, Told):
    """Two commits between which a configuration became worse."""

    UNUSED = ("baseline", "candidate", "baseline_log", "epochs", "base", "seed", "ledger")

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
    """
    from steelyard.gate.blame.run import forecast

    return forecast(spec.blamed())


@takes(GateBlame)
def gate_blame(spec: GateBlame) -> Blame:
    """Find which parts of a configuration harm, help, or change nothing (docs/scoring.md §3.7).

    Returns: An answer per part, which is also written to `blame.json` in the log folder.
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
    """
    from steelyard.gate.blame.bisect import bisect
    from steelyard.gate.run.engine import run_on

    start = partial(run_on, options=spec.chosen_engine(), notify=spec.notify, progress=spec.progress)
    return bisect(spec.resolved(), spec.good, spec.bad, spec.where, start, spec.notify)
