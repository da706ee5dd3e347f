"""`steelyard gate watch` and `steelyard gate accept`."""

from __future__ import annotations

from dataclasses import replace

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import deliver, note, output
from steelyard.cli.spec import options_of

_RARE = ("model", "budget_usd", "judge")
_UNUSED = (
    *("policy", "question", "alpha", "epochs", "base", "baseline_log", "budget_minutes", "thresholds"),
    *("engine", "workers", "worker_cpus", "worker_memory_gb", "ray_address"),
)
"""Fields of a gate run that these commands have no use for."""


@click.command()
@options_of(api.GateWatch, rare=_RARE, omit=(*_UNUSED, "candidate", "margin", "min_rounds", "max_rounds", "seed"))
@click.option("--github", metavar="OWNER/NAME", help="Open or update one issue there if the baseline moved.")
@output("json")
def watch(spec: api.GateWatch, github: str | None, json_path: str | None) -> Exit:
    """Run a few tasks of the baseline and test whether it has moved since it was recorded.

    Exit 0 if it holds, 1 if it moved, 2 if the store has no runs of it.

    \b
    Example:
      steelyard gate watch --settings steelyard.yaml --store s3://bucket/arms \\
        --count 5 --github octo/agent
    """
    from steelyard.gate.watch.night import as_json

    watched = api.gate_watch(spec)
    deliver({"json": json_path}, {"json": lambda: as_json(watched)}, lambda: f"{watched.line}\n")
    for place in watched.open:
        note(f"marked as not decided when the baseline moved: {place}")
    if github is not None and watched.moved:
        note(f"the issue is {api.gate_watch_issue(watched, github)}")
    return Exit.NO if watched.moved else Exit.FINE


@click.command()
@options_of(api.GateAccept, rare=(*_RARE, "margin"), omit=(*_UNUSED, "store"))
@output("json")
def accept(spec: api.GateAccept, json_path: str | None) -> Exit:
    """Decide one proposal of a loop that improves itself: one error budget for all, and tasks it never sees.

    Keep the ledger and the hidden runs where the proposer cannot read or write. Exit 0 (accepted), 1 (refused),
    2 (could not answer) or 3 (undecided).

    \b
    Example:
      steelyard gate accept --tasks tasks --baseline now --candidate proposal \\
        --agent claude-code --log-dir logs/p17 --ledger /srv/ledger \\
        --hidden-logs /srv/hidden
    """
    from steelyard.gate.accept.proposal import as_json

    decided = api.gate_accept(replace(spec, notify=note))
    deliver({"json": json_path}, {"json": lambda: as_json(decided)}, lambda: f"{decided.line}\n")
    return {"accepted": Exit.FINE, "refused": Exit.NO, "undecided": Exit.UNDECIDED}[decided.answer]
