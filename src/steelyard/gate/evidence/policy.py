"""Which rule decides a comparison, and what was registered before it ran (docs/scoring.md §3.5).

`contract` is the rule of §3.2. `evidence` decides after a number of rounds fixed beforehand. `adaptive` looks after
every round and stops as soon as the rounds decide. `auto`, the default, is `contract` where each task has one run a
side and `evidence` where runs repeat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any, Literal, TypeAlias, cast

from steelyard.stamp import sealed

PolicyName: TypeAlias = Literal["auto", "contract", "evidence", "adaptive"]
"""The rule that decides."""

Question: TypeAlias = Literal["better", "safe"]
"""Is the candidate an improvement, or is it no worse than by the margin?"""


@dataclass(frozen=True, slots=True)
class Policy:
    """How a comparison is decided."""

    name: PolicyName = "auto"
    question: Question = "better"
    margin: float = 0.05
    """The mean loss per task that still counts as no worse; above 0."""
    alpha: float = 0.05
    """The error that a verdict may make."""
    min_rounds: int = 4
    """`adaptive`: the first round after which it may stop."""
    max_rounds: int = 20
    """`adaptive`: the last round."""

    @property
    def adaptive(self) -> bool:
        """Whether there is a look after every round."""
        return self.name == "adaptive"

    @property
    def looks(self) -> int:
        """How often the rule for worse checks is applied."""
        return self.max_rounds - self.min_rounds + 1 if self.adaptive else 1

    def for_safety(self) -> Policy:
        """The policy that shows a configuration to be no worse, at the same margin and level."""
        # An agent that always does the same has no spread to estimate: for it the contract rule may be asked for.
        stated = self.name in ("adaptive", "contract")
        base = self if stated else Policy("adaptive", margin=self.margin, alpha=self.alpha)
        return replace(base, question="safe")


AUTO = Policy()
"""The default: where runs repeat, the repeats decide."""

CONTRACT = Policy("contract")
"""§3.2 decides."""


DRIFT = 0.03
"""δ: how far a baseline that was not run side by side may have shifted since, as a standard deviation per task."""

CONTROLLED_DRIFT = 0.015
"""The same where at least one fresh control round a week is on record and agrees."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A task, or one check of it, that the settings treat otherwise for a while."""

    task: str
    reason: str
    owner: str
    until: date
    check: str | None = None
    """None for the whole task."""

    @property
    def name(self) -> str:
        """`task` or `task/check`."""
        return self.task if self.check is None else f"{self.task}/{self.check}"

    def as_data(self) -> dict[str, Any]:
        """As recorded in a log and in a report."""
        return {**asdict(self), "until": self.until.isoformat()}


@dataclass(frozen=True, slots=True)
class QuarantineEntry(Entry):
    """Counts neither for nor against (docs/scoring.md §3.6)."""


@dataclass(frozen=True, slots=True)
class AcceptedLoss(Entry):
    """May fall: a `mixed` whose every loss is accepted counts as `improved` (docs/scoring.md §3.5)."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The settings of a gate run, recorded in its logs before anything runs."""

    policy: Policy = AUTO
    thresholds: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`asdict` of the thresholds."""
    tasks: str = ""
    """Hash of the suite."""
    judge: str | None = None
    quarantine: tuple[QuarantineEntry, ...] = ()
    accepted_losses: tuple[AcceptedLoss, ...] = ()
    rounds: int | None = None
    """The number of rounds fixed beforehand; None under `adaptive`."""

    def as_metadata(self) -> dict[str, Any]:
        """As recorded in a log, with its hash."""
        lists = ("quarantine", "accepted_losses")
        entries = {name: [entry.as_data() for entry in getattr(self, name)] for name in lists}
        return sealed({**asdict(self), **entries})


def registered_policy(recorded: Mapping[str, Any] | None) -> Policy:
    """The policy in a recorded registration; `auto` for runs that registered nothing readable."""
    fields = cast(dict[str, Any], (recorded or {}).get("policy") or {})
    try:
        # A log of another version may name fields that this one does not know.
        return Policy(**fields)
    except TypeError:
        return AUTO
