"""Several agents or models in one verdict (docs/scoring.md §3.5). Pure.

Each member of the family is compared by itself at α/k, k their number: the chance that any of them is called improved,
or regressed, without being so stays below α. The family's answer is that of its worst member: a no before a missing
answer, that before an undecided one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from steelyard.gate.evidence.policy import Policy
from steelyard.gate.model import Comparison, Weighed
from steelyard.gate.report.data import as_json
from steelyard.gate.report.document import document, headline
from steelyard.report.document import Block, Column, Document, Heading, Paragraph, table
from steelyard.report.numbers import UNKNOWN, signed, things

State = Literal["no", "unanswered", "undecided", "fine"]

_ORDER: tuple[State, ...] = ("no", "unanswered", "undecided", "fine")
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
        states = {member.state for member in self.members}
        return next(state for state in _ORDER if state in states)


def shared(policy: Policy, members: int) -> Policy:
    """The policy of one member: its part of the error."""
    from dataclasses import replace

    return replace(policy, alpha=policy.alpha / members)


def family_document(family: Family) -> Document:
    """One table, then the report of each member."""
    columns = ("Agent", "Verdict", Column("Net gain", "right"), "In one sentence")
    rows = [
        (member.name, _verdict(member), _gain(member), headline(member.weighed.outcome)) for member in family.members
    ]
    tone = {"fine": "good", "no": "bad"}.get(family.state, "warn")
    blocks: list[Block] = [
        Paragraph(_summary(family), tone),  # type: ignore[arg-type]
        table(columns, rows),
        Paragraph(f"Each is compared at {family.alpha:g}/{len(family.members)}: errors are kept over all of them."),
    ]
    for member in family.members:
        own = document(member.weighed)
        blocks += [Heading(f"{member.name}: {own.title}", 2), *own.blocks]
    return Document(f"Gate: {things(len(family.members), 'agent')}, {_state(family)}", tuple(blocks))


def family_json(family: Family) -> dict[str, Any]:
    """The same as JSON: each member has the fields of a single comparison."""
    members = {member.name: as_json(member.weighed) for member in family.members}
    return {"schema_version": 1, "state": family.state, "alpha": family.alpha, "members": members}


def _state(family: Family) -> str:
    words = {"no": "not all may ship", "unanswered": "no verdict for some", "undecided": "undecided", "fine": "fine"}
    return words[family.state]


def _summary(family: Family) -> str:
    counts = [sum(member.state == state for member in family.members) for state in _ORDER]
    names = ("worse", "without a verdict", "undecided", "fine")
    return ", ".join(f"{number} {name}" for number, name in zip(counts, names, strict=True) if number) + "."


def _verdict(member: Member) -> str:
    outcome = member.weighed.outcome
    return outcome.verdict if isinstance(outcome, Comparison) else "unchanged" if outcome.unchanged else "no verdict"


def _gain(member: Member) -> str:
    outcome = member.weighed.outcome
    return signed(outcome.net_gain) if isinstance(outcome, Comparison) else UNKNOWN
