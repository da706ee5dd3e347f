"""`steelyard gate promote`, `steelyard gate verify` and `steelyard gate comment`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.gate.flags import ledger_option, settings_option
from steelyard.cli.options import Place, colour, deliver, index_option, note, output, rare, width

if TYPE_CHECKING:
    from steelyard.location import Location


@click.command()
@click.argument("comparison", metavar="COMPARISON.json", type=Place())
@click.option("--repo", type=click.Path(path_type=Path), default=Path(), show_default=True, help="The repository.")
@click.option("--path", "where", help="Where the configuration lives in the repository [default: its root].")
@click.option("--base", help="Branch to merge into [default: main].")
@rare("--remote", help="Remote to push to [default: origin].")
@click.option("--candidate", metavar="CONFIG", help="The candidate, if it is not where the logs say.")
@rare("--draft/--no-draft", default=None, help="Open the pull request as a draft.")
@rare("--reviewer", "reviewers", multiple=True, metavar="NAME", help="Ask for a review; repeatable.")
@click.option("--threshold", "thresholds", multiple=True, metavar="NAME=VALUE", help="As given to the run; repeatable.")
@settings_option
@ledger_option
@click.option("--blame", metavar="BLAME.json", type=Place(), help="Of a pruned candidate: no worse will do.")
@click.option("--open-pr", is_flag=True, help="Execute the plan; without this it is only shown.")
def promote(comparison: Location, repo: Path, open_pr: bool, **options: Any) -> Exit:
    """Open the pull request that a verdict has earned. The verdict is recomputed from the logs; exit 1 if not earned.

    \b
    Example:
      steelyard gate promote logs/gate/comparison.json --repo . --path agent
      steelyard gate promote logs/gate/comparison.json --repo . --path agent \\
        --open-pr --draft
    """
    from steelyard import api
    from steelyard.cli.gate.options import promotion_options
    from steelyard.gate.promote import commands

    chosen = promotion_options({**options, "repo": repo})
    for line in chosen["differing"]:
        note(line)
    promotion = api.promote(comparison, repo, open_pr=open_pr, tell=note, **chosen)
    if promotion.delivered is None:
        click.echo("\n".join(commands(promotion)))
        note("nothing was done; add --open-pr to execute this plan")
        return Exit.FINE
    note("opened" if promotion.delivered.created else "already done by an earlier promotion")
    click.echo(promotion.delivered.url or f"{promotion.request.base} already has this configuration")
    return Exit.FINE


@click.command()
@click.argument("comparison", metavar="COMPARISON.json", type=Place())
@ledger_option
@click.option("--repo", type=click.Path(path_type=Path), help="Repository of a ledger git:REF.")
@index_option
@output("json")
def verify(comparison: Location, **options: Any) -> Exit:
    """Check offline that a comparison was decided as registered: exit 0 if it holds, 1 if not.

    It is recomputed from its logs under the settings that were registered before the first run.

    \b
    Example:
      steelyard gate verify logs/gate/comparison.json
    """
    from steelyard import api, artifact
    from steelyard.gate.report.verification import verification, verification_json
    from steelyard.report import terminal

    result = api.gate_verify(comparison, ledger=options["ledger"], repo=options["repo"])
    deliver(
        {"json": options["json_path"]},
        {"json": lambda: artifact.json_text(verification_json(result))},
        lambda: terminal.render(verification(result), width=width(), colour=colour()),
    )
    return Exit.FINE if result.holds else Exit.NO


@click.command()
@click.argument("report", metavar="REPORT.md", type=click.Path(path_type=Path))
@click.option(
    "--repo", metavar="OWNER/NAME", envvar="GITHUB_REPOSITORY", required=True, help="The repository on GitHub."
)
@click.option("--pr", type=click.IntRange(1), required=True, help="Number of the pull request.")
@click.option("--name", default="", help="Which of several comments: each job of a matrix has its own.")
@click.option("--if-allowed", is_flag=True, help="Exit with 0 if the token may only read, as on a fork's pull request.")
def comment(report: Path, repo: str, pr: int, name: str, if_allowed: bool) -> Exit:
    """Write the gate's comment on a pull request, or update our earlier one; comments of others are left alone.

    \b
    Example:
      steelyard gate comment report.md --repo octo/agent --pr 12
    """
    from steelyard import api
    from steelyard.gate.promote.comment import Forbidden

    try:
        click.echo(api.gate_comment(report, repo, pr, name=name))
    except Forbidden:
        if not if_allowed:
            raise
        note("no comment: the token may only read; the report is in the job's summary")
    return Exit.FINE
