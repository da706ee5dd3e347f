"""`steelyard gate promote` and `steelyard gate comment`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import note


@click.command()
@click.argument("comparison", metavar="COMPARISON.json", type=click.Path(path_type=Path))
@click.option("--repo", type=click.Path(path_type=Path), default=Path(), show_default=True, help="The repository.")
@click.option("--path", "where", help="Where the configuration lives in the repository [default: its root].")
@click.option("--base", help="Branch to merge into [default: main].")
@click.option("--remote", help="Remote to push to [default: origin].")
@click.option("--candidate", metavar="CONFIG", help="The candidate, when it is not where the logs say.")
@click.option("--draft/--no-draft", default=None, help="Open the pull request as a draft.")
@click.option("--reviewer", "reviewers", multiple=True, metavar="NAME", help="Ask for a review; repeatable.")
@click.option("--threshold", "thresholds", multiple=True, metavar="NAME=VALUE", help="As given to the run; repeatable.")
@click.option(
    "--settings", "--config", type=click.Path(path_type=Path), help="Settings file [default: steelyard.yaml]."
)
@click.option("--open-pr", is_flag=True, help="Do it; without this the plan is only shown.")
def promote(comparison: Path, repo: Path, open_pr: bool, **options: Any) -> Exit:
    """Open the pull request that a verdict has earned; recomputed from the logs, refused otherwise (exit 1).

    \b
    Example:
      steelyard gate promote logs/gate/comparison.json --repo . --path agent
      steelyard gate promote logs/gate/comparison.json --repo . --path agent --open-pr --draft
    """
    from steelyard.cli.gate.options import wish
    from steelyard.gate.promote import commands, plan_promotion
    from steelyard.gate.promote.execute import deliver

    promotion = plan_promotion(wish(comparison, repo, options))
    if not open_pr:
        click.echo("\n".join(commands(promotion)))
        note("nothing was done; add --open-pr to do it")
        return Exit.FINE
    done = deliver(promotion, note)
    note("opened" if done.created else "an earlier promotion had done it; nothing to do")
    click.echo(done.url or f"{promotion.wish.base} already holds this configuration")
    return Exit.FINE


@click.command()
@click.argument("report", metavar="REPORT.md", type=click.Path(path_type=Path))
@click.option(
    "--repo", metavar="OWNER/NAME", envvar="GITHUB_REPOSITORY", required=True, help="The repository on GitHub."
)
@click.option("--pr", type=click.IntRange(1), required=True, help="Number of the pull request.")
def comment(report: Path, repo: str, pr: int) -> Exit:
    """Write the gate's comment on a pull request, or update the one that is there.

    \b
    Example:
      steelyard gate comment report.md --repo octo/agent --pr 12
    """
    from steelyard.gate.promote.comment import write_comment

    click.echo(write_comment(report, repo, pr))
    return Exit.FINE
