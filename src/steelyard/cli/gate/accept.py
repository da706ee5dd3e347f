"""`steelyard gate accept`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.gate.flags import agent_options, ledger_option, settings_option, tasks_option
from steelyard.cli.judging import judge_options
from steelyard.cli.options import Number, Place, deliver, note, output, rare

if TYPE_CHECKING:
    from steelyard.location import Location

_UNUSED = ("baseline_log", "question", "epochs", "budget_minutes")
"""Options of `gate run` that a proposal has no use for."""


@click.command()
@tasks_option
@click.option("--baseline", metavar="CONFIG", help="What the loop has so far: a folder or git:REF[:PATH].")
@click.option("--candidate", metavar="CONFIG", help="The proposal: a folder or git:REF[:PATH].")
@click.option("--hidden", type=Number(0.05, 0.95), default=0.5, show_default=True, help="Share of tasks kept from it.")
@rare("--hidden-logs", type=Place(), help="Where runs of hidden tasks go, out of the proposer's reach.")
@rare("--alpha", type=Number(0.001, 0.2), default=0.05, show_default=True, help="Error of the whole loop.")
@click.option("--margin", type=Number(0, 1, min_open=True), help="Mean loss per task that is still safe.")
@rare("--min-rounds", type=click.IntRange(2, 1000), help="First round that may decide [default: 4].")
@rare("--max-rounds", type=click.IntRange(2, 1000), help="Last round [default: 20].")
@rare("--seed", type=int, help="Shuffles the order of the arms; recorded.")
@agent_options
@click.option("--log-dir", type=Place(), required=True, help="Where the logs of this proposal go.")
@ledger_option
@settings_option
@judge_options
@output("json")
def accept(hidden: float, hidden_logs: Location | None, **options: Any) -> Exit:
    """Decide one proposal of a loop that improves itself: one error budget for all, and tasks it never sees.

    Keep the ledger and the hidden runs where the proposer cannot read or write. Exit 0 (accepted), 1 (refused),
    2 (could not answer) or 3 (undecided).

    \b
    Example:
      steelyard gate accept --tasks tasks --baseline now --candidate proposal \\
        --agent claude-code --log-dir logs/p17 --ledger /srv/ledger \\
        --hidden-logs /srv/hidden
    """
    from steelyard import api
    from steelyard.cli.gate.options import run_spec
    from steelyard.gate.accept.proposal import Loop, as_json

    alpha = options.pop("alpha")
    fixed = {"thresholds": (), "policy": "adaptive", "alpha": None}
    spec = run_spec({**options, **dict.fromkeys(_UNUSED), **fixed})
    decided = api.gate_accept(spec, Loop(hidden, hidden_logs, alpha), notify=note)
    deliver({"json": options["json_path"]}, {"json": lambda: as_json(decided)}, lambda: f"{decided.line}\n")
    return {"accepted": Exit.FINE, "refused": Exit.NO, "undecided": Exit.UNDECIDED}[decided.answer]
