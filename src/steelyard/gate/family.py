"""Several agents or models in one verdict (docs/scoring.md §3.5). Pure.

Each member of the family is compared by itself at α/k, k their number: the chance that any of them is called improved,
or regressed, without being so stays below α. The family's answer is that of its worst member: a no before a missing
answer, that before an undecided one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from steelyard.errors import InputError, SteelyardError
from steelyard.gate.model import Comparison, NoVerdict, Side, Weighed

if TYPE_CHECKING:
    from steelyard.gate.evidence.policy import Policy
    from steelyard.gate.run.plan import RunSpec

State = Literal["no", "unanswered", "undecided", "fine"]

ORDER: tuple[State, ...] = ("no", "unanswered", "undecided", "fine")
"""The worst first."""
_STATES: dict[str, State] = {"regressed": "no", "mixed": "no", "undecided": "undecided"}


@dataclass(frozen=True, slots=True)
class Member:
    """One agent with its model, and what became of it."""

    name: str
    weighed: Weighed

    @property
    def state(self) -> State:
        """What its verdict means."""
        outcome = self.weighed.outcome
        if not isinstance(outcome, Comparison):
            return "fine" if outcome.unchanged else "unanswered"
        return _STATES.get(outcome.verdict, "fine")


@dataclass(frozen=True, slots=True)
class Family:
    """All of them."""

    members: tuple[Member, ...]
    alpha: float
    """Error of the whole family."""

    @property
    def state(self) -> State:
        """The worst of its members."""
        return self.worst.state

    @property
    def worst(self) -> Member:
        """The first of those that stand worst: its verdict is the family's."""
        return min(self.members, key=lambda member: ORDER.index(member.state))


def unanswered(error: SteelyardError) -> Weighed:
    """What is left of a member whose run ended in an error: no verdict, and why."""
    cures = () if error.cure is None else (error.cure,)
    return Weighed(NoVerdict((str(error.args[0]),), cures), Side("baseline", "gate", ()), Side("candidate", "gate", ()))


def shared(policy: Policy, members: int) -> Policy:
    """The policy of one member: its part of the error."""
    return replace(policy, alpha=policy.alpha / members)


def member_runs(specs: Sequence[RunSpec]) -> dict[str, RunSpec]:
    """The run of each member by its name: its share of the error and of the budget, and a folder of its own."""
    names = [spec.agent.name if spec.agent.model is None else f"{spec.agent.name} with {spec.agent.model}"
             for spec in specs]  # fmt: skip
    if len({*names}) < len(names):
        raise InputError("an agent is named twice", cure="name each once, or give each a model of its own")
    runs = {name: member_run(spec, name, len(specs)) for name, spec in zip(names, specs, strict=True)}
    by_folder = {run.log_dir: name for name, run in runs.items()}
    # `a/b` and `a-b`: the second would take the first one's runs for its own.
    for name, run in runs.items():
        if (other := by_folder[run.log_dir]) != name:
            raise InputError(f"{name} and {other} would have one folder of logs", cure="compare one of them alone")
    return runs


def member_run(spec: RunSpec, name: str, members: int) -> RunSpec:
    """One member's run."""
    return replace(
        spec,
        policy=shared(spec.policy, members),
        # The budget is shared by all members.
        budget_usd=None if spec.budget_usd is None else spec.budget_usd / members,
        budget_minutes=None if spec.budget_minutes is None else spec.budget_minutes / members,
        log_dir=spec.log_dir / (re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.") or "agent"),
    )
