"""`steelyard gate quarantine`, `waive`, `promote`, `watch` and `accept`: what stands beside single verdicts."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import Paths, Whole, deliver, note, output, rare, refuse, show
from steelyard.cli.spec import command_of
from steelyard.errors import InputError
from steelyard.rows import Table

if TYPE_CHECKING:
    from steelyard.gate.quarantine.listing import ListedEntry


@command_of(api.GateQuarantine)
@output("json", shown=())
def quarantine(spec: api.GateQuarantine, out: Paths) -> Exit:
    """Set TASK, or one check of it, aside for a while: it counts neither for nor against.

    Without TASK the quarantine is listed: what holds today, and what counts again and why. Comments and order of the
    settings file are kept.

    \b
    Example:
      steelyard gate quarantine slug --check "tests pass" \\
        --reason "flaky network" --owner ada --days 14
      steelyard gate quarantine
      steelyard gate quarantine slug --end
    """
    from steelyard.gate.quarantine.listing import listing, listing_data

    if spec.task is not None or spec.end:
        refuse(out, "a change of the quarantine")
    done = api.quarantine(spec)
    if isinstance(done, Table):
        entries = cast("Table[ListedEntry]", done)
        show(listing(entries, spec.settings), out, lambda: listing_data(entries))
    elif isinstance(done, tuple):
        for name in done:
            click.echo(f"{name} counts again")
    else:
        click.echo(f"{done.name} is quarantined until {done.until} in {spec.settings}")
        note("it holds once this is part of the baseline, if the baseline is a git ref")
    return Exit.FINE


@command_of(api.GateWaive)
def waive(spec: api.GateWaive) -> Exit:
    """Accept the loss of a task or of one check: a mixed verdict of which every loss is accepted counts as improved.

    Comments and order of the settings file are kept.

    \b
    Example:
      steelyard gate waive slug --reason "the old format goes" \\
        --until 2026-12-31
    """
    entry = api.waive(spec)
    click.echo(f"a loss of {entry.name} is accepted until {entry.until} in {spec.settings}")
    note("it holds once this is part of the baseline, if the baseline is a git ref")
    return Exit.FINE


@command_of(api.GatePromote)
@click.option("--pr", type=Whole(1), help="Write REPORT.md as the gate's comment on this pull request.")
@rare("--github", metavar="OWNER/NAME", help="With --pr: the repository [default: $GITHUB_REPOSITORY].")
@rare("--name", default="", help="With --pr: which of several comments; each job of a matrix has its own.")
@rare("--if-allowed", is_flag=True, help="With --pr: exit with 0 if the token may only read, as on a fork's.")
def promote(spec: api.GatePromote, pr: int | None, github: str | None, name: str, if_allowed: bool) -> Exit:
    """Open the pull request that a verdict has earned. The verdict is recomputed from the logs; exit 1 if not earned.

    With --pr: write a report as the gate's comment on a pull request, or update our earlier one; comments of others are
    left alone.

    \b
    Example:
      steelyard gate promote logs/gate/comparison.json --repo . --path agent
      steelyard gate promote logs/gate/comparison.json --repo . --path agent \\
        --open-pr --draft
      steelyard gate promote report.md --pr 12 --github octo/agent
    """
    from steelyard.gate.promote import commands

    if pr is not None:
        return _comment(Path(str(spec.comparison)), github or os.environ.get("GITHUB_REPOSITORY"), pr, name, if_allowed)
    for line in spec.request().differing:
        note(line)
    promotion = api.promote(replace(spec, tell=note))
    if promotion.delivered is None:
        click.echo("\n".join(commands(promotion)))
        note("nothing was done; add --open-pr to execute this plan")
        return Exit.FINE
    note("opened" if promotion.delivered.created else "already done by an earlier promotion")
    click.echo(promotion.delivered.url or f"{promotion.request.base} already has this configuration")
    return Exit.FINE


def _comment(report: Path, github: str | None, pr: int, name: str, if_allowed: bool) -> Exit:
    from steelyard.gate.promote.github import Forbidden

    if not github:
        raise InputError("no repository on GitHub is named", cure="--github OWNER/NAME")
    try:
        click.echo(api.gate_comment(report, github, pr, name=name))
    except Forbidden:
        if not if_allowed:
            raise
        note("no comment: the token may only read; the report is in the job's summary")
    return Exit.FINE


_RARE = ("model", "budget_usd", "judge")
"""Fields that stand in the settings of whoever asks these questions."""


@command_of(api.GateWatch, rare=_RARE)
@click.option("--github", metavar="OWNER/NAME", help="Open or update one issue there if the baseline moved.")
@output("json")
def watch(spec: api.GateWatch, github: str | None, out: Paths) -> Exit:
    """Run a few tasks of the baseline and test whether it has moved since it was recorded.

    Exit 0 if it holds, 1 if it moved, 2 if the store has no runs of it.

    \b
    Example:
      steelyard gate watch --settings steelyard.yaml --store s3://bucket/arms \\
        --count 5 --github octo/agent
    """
    from steelyard.gate.watch.night import as_json

    watched = api.gate_watch(spec)
    deliver(out, {"json": lambda: as_json(watched)}, lambda: f"{watched.line}\n")
    for place in watched.open:
        note(f"marked as not decided when the baseline moved: {place}")
    if github is not None and watched.moved:
        note(f"the issue is {api.gate_watch_issue(watched, github)}")
    return Exit.NO if watched.moved else Exit.FINE


@command_of(api.GateAccept, rare=(*_RARE, "margin"))
@output("json")
def accept(spec: api.GateAccept, out: Paths) -> Exit:
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
    deliver(out, {"json": lambda: as_json(decided)}, lambda: f"{decided.line}\n")
    return {"accepted": Exit.FINE, "refused": Exit.NO, "undecided": Exit.UNDECIDED}[decided.answer]
