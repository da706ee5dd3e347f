"""`steelyard gate compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.gate.output import report, report_options


@click.command()
@click.argument("baseline", metavar="BASE")
@click.argument("candidate", metavar="CAND")
@click.option(
    "--threshold", "thresholds", multiple=True, metavar="NAME=VALUE", help="Override a threshold; repeatable."
)
@click.option(
    "--settings", "--config", type=click.Path(path_type=Path), help="Settings file [default: steelyard.yaml]."
)
@click.option("--scorer", help="Which score of foreign logs to compare, if they have several.")
@click.option("--require-judge", is_flag=True, help="Give no verdict unless the judge scored every task with a rubric.")
@report_options
def compare(baseline: str, candidate: str, **options: Any) -> Exit:
    """Compare two sides: folders of gate runs, any two Inspect logs, or plain results files.

    Ends in 0 (improved, neutral), 1 (regressed) or 2 (no verdict: incomparable, unscored, unreadable).

    \b
    Example:
      steelyard gate compare runs/baseline runs/candidate
      steelyard gate compare old.eval new.eval --markdown comment.md
      steelyard gate compare before.json after.json --threshold min_composite_gain=0.05
    """
    from dataclasses import asdict

    from steelyard import api
    from steelyard.gate.settings import load_settings, thresholds

    limits = asdict(thresholds(load_settings(options["settings"]).thresholds, options["thresholds"]))
    chosen = {"scorer": options["scorer"], "require_judge": options["require_judge"]}
    return report(api.compare([baseline], [candidate], **limits, **chosen), options)
