"""`steelyard gate watch` and `accept` as functions: a baseline that moves, and loops that improve themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from steelyard.api.gate_spec import GateSpec, logs_in
from steelyard.api.groups import Told
from steelyard.api.spec import named, option, rare, takes
from steelyard.api.values import Location, place
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.gate.accept.proposal import Decided
    from steelyard.gate.run.plan import RunSpec
    from steelyard.gate.watch.night import Watched


_SETTLED = (
    *("policy", "question", "alpha", "epochs", "base", "baseline_log"),
    *("engine", "workers", "worker_cpus", "worker_memory_gb", "ray_address"),
)
"""What is not asked where a baseline is watched, or a loop decides."""


@named
class GateWatch(GateSpec):
    """A baseline to watch."""

    UNUSED = (
        *(*_SETTLED, "margin", "min_rounds", "max_rounds", "candidate", "seed"),
        *("budget_minutes", "thresholds"),  # it starts one round, and gives no verdict
    )

    baseline: str | None = option("The configuration to watch: a folder or git:REF[:PATH].", "CONFIG", default=None)
    count: int = option("Tasks to run tonight.", default=5, least=1, most=10_000)
    error: float = rare("Significance level.", "--alpha", default=0.05, least=0.001, most=0.2)
    log_dir: Location = logs_in("logs/watch")

    def resolved(self) -> RunSpec:
        """The run, with what the settings add; there is no candidate."""
        # A run must name a candidate, although only the baseline runs here.
        fixed = replace(self, candidate=self.baseline or "baseline", policy="contract")
        return super(GateWatch, fixed).resolved()


@named
class GateAccept(GateSpec, Told):
    """A proposal of a loop, and how the loop decides."""

    UNUSED = (*_SETTLED, "store")

    baseline: str | None = option("What the loop has so far: a folder or git:REF[:PATH].", "CONFIG", default=None)
    candidate: str | None = option("The proposal: a folder or git:REF[:PATH].", "CONFIG", default=None)
    hidden: float = option("Share of tasks kept from it.", default=0.5, least=0.05, most=0.95)
    hidden_logs: Location | None = rare(
        "Where runs of hidden tasks go, out of the proposer's reach.", default=None, converter=place
    )
    error: float = rare("Error of the whole loop.", "--alpha", default=0.05, least=0.001, most=0.2)
    log_dir: Location = option("Where the logs of this proposal go.", converter=location)

    def resolved(self) -> RunSpec:
        """The run, with what the settings add."""
        return super(GateAccept, replace(self, policy="adaptive")).resolved()


@takes(GateWatch)
def gate_watch(spec: GateWatch) -> Watched:
    """Run a few tasks of the baseline and test whether it has moved since it was recorded (docs/scoring.md §3.5).

    Returns: The shift so far, and whether it is one.
    """
    from steelyard.gate.watch.night import watch

    return watch(spec.resolved(), spec.count, spec.error)


def gate_watch_issue(watched: Watched, repo: str) -> str:
    """Open one issue on GitHub about a baseline that moved, or bring the open one up to date.

    Args:
        watched: The result of `gate_watch`.
        repo: `OWNER/NAME` on GitHub.

    Returns: The address of the issue.
    """
    from steelyard.gate.watch.issue import write_issue

    return write_issue(watched, repo)


@takes(GateAccept)
def gate_accept(spec: GateAccept) -> Decided:
    """Decide one proposal of a loop that improves itself (docs/scoring.md §3.5).

    Returns: Whether the proposal is accepted, its number and its level.
    """
    from steelyard.gate.accept.proposal import Loop, accept

    return accept(spec.resolved(), Loop(spec.hidden, spec.hidden_logs, spec.error), spec.notify)
