"""`steelyard gate promote`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import Whole, note, rare
from steelyard.cli.spec import options_of
from steelyard.errors import InputError


@click.command()
@options_of(api.GatePromote)
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
    from steelyard.gate.promote.comment import Forbidden

    if not github:
        raise InputError("no repository on GitHub is named", cure="--github OWNER/NAME")
    try:
        click.echo(api.gate_comment(report, github, pr, name=name))
    except Forbidden:
        if not if_allowed:
            raise
        note("no comment: the token may only read; the report is in the job's summary")
    return Exit.FINE
