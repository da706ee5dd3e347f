"""Several agents or models in one verdict (docs/scoring.md §3.5). Pure.

Each member of the family is compared by itself at α/k, k their number: the chance that any of them is called improved,
or regressed, without being so stays below α. The family's answer is that of its worst member: a no before a missing
answer, that before an undecided one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from steelyard.gate.evidence.policy import Policy
from steelyard.gate.model import Comparison, Weighed

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


def shared(policy: Policy, members: int) -> Policy:
    """The policy of one member: its part of the error."""
    return replace(policy, alpha=policy.alpha / members)
