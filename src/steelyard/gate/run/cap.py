"""Before the first call: can the budget of this run be kept?

It can where every call goes through this process and has a price. A client that calls its provider itself spends what
nobody sees, so a budget is refused for it, as for a model or judge without a price, unless unknown costs are allowed. A
`command` agent reports its own costs; its budget is kept between rounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.gate.agents.attempt import Agent
    from steelyard.gate.run.plan import RunSpec
    from steelyard.judge.panel import Panel


def require_prices(spec: RunSpec, agent: Agent, panel: Panel | None) -> None:
    """Make the prices of the run known, and raise if its budget cannot be kept."""
    if spec.prices is None and spec.budget_usd is None:
        return
    from steelyard.models.prices import priced, register_prices

    if spec.prices is not None:
        register_prices(spec.prices)
    if spec.budget_usd is None or spec.allow_unknown_cost:
        return
    if spec.agent.direct:
        raise InputError(
            f"a budget cannot be kept: {agent.name} calls its provider itself",
            cure="leave out --direct, or --allow-unknown-cost",
        )
    models = [spec.agent.model] if agent.uses_model and spec.agent.model else []
    unpriced = [name for name in (*models, *(panel.judges if panel else ())) if not priced(name)]
    if unpriced:
        raise InputError(
            f"a budget needs prices, and that of {', '.join(dict.fromkeys(unpriced))} is unknown",
            cure="give them with --prices FILE, install steelyard[prices], or --allow-unknown-cost",
        )
