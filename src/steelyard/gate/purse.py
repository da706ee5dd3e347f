"""The money of a gate run while it runs: a call is not made once the budget is spent.

Each call to a model that this process makes for an agent is paid by its tokens and their prices, cached ones by
the prices of the cache. Before each call, and before each run, the sum is compared with the budget; once it is reached,
nothing is asked any more, and a run that this stops is unscored (`harness`), never 0: a start with a larger budget runs
it again. The overrun is what was in flight. A judge is paid when it has graded a run; a comparison in pairs is not
begun once the money is spent, and waits for a start with a larger budget.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steelyard.errors import SteelyardError
from steelyard.report.numbers import usd

if TYPE_CHECKING:
    from inspect_ai.model import ModelUsage


class BudgetSpent(SteelyardError):
    """A call or a run was not begun because the budget is spent."""


# By identity: of two budgets that are open and alike, the one that ends must be the one that is closed.
@dataclass(slots=True, eq=False)
class Purse:
    """What one process may spend. Mutable."""

    budget_usd: float
    spent_usd: float = 0.0

    def pay(self, cost_usd: float | None) -> None:
        """Count a cost; an unknown one was allowed before the run began."""
        self.spent_usd += cost_usd or 0.0

    def require(self) -> None:
        """Raise once the budget is spent."""
        if self.spent_usd >= self.budget_usd:
            raise BudgetSpent(f"the budget of {usd(self.budget_usd)} is spent ({usd(self.spent_usd)})")


_OPEN: list[Purse] = []


@contextmanager
def purse(budget_usd: float | None, spent_usd: float = 0.0) -> Generator[None]:
    """Keep to a budget inside the block; `spent_usd` is gone already. Nothing is counted without a budget."""
    if budget_usd is None:
        yield
        return
    _OPEN.append(opened := Purse(budget_usd, spent_usd))
    try:
        yield
    finally:
        _OPEN.remove(opened)


def require_money() -> None:
    """Raise `BudgetSpent` if a budget of this process is spent."""
    for opened in _OPEN:
        opened.require()


def pay(cost_usd: float | None) -> None:
    """Count a cost in every budget of this process."""
    for opened in _OPEN:
        opened.pay(cost_usd)


def pay_call(model: str, usage: ModelUsage | None) -> None:
    """Count a call by its tokens."""
    from steelyard.models.prices import usage_usd

    if _OPEN:
        pay(usage_usd(model, usage))
