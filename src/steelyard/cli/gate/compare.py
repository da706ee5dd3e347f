"""`steelyard gate compare`."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.exit import Exit
from steelyard.cli.gate.flags import settings_option, threshold_option
from steelyard.cli.gate.output import report, report_options
from steelyard.cli.gate.policy import policy_options, stated_policy
from steelyard.cli.options import index_option, rare


@click.command()
@click.argument("baseline", metavar="BASE")
@click.argument("candidate", metavar="[CAND]", required=False)
@threshold_option
@settings_option
@index_option
@rare("--scorer", help="Which score of foreign logs to compare, if they have several.")
@rare("--require-judge", is_flag=True, help="Give no verdict unless the judge scored every task with a rubric.")
@rare("--interleaved", is_flag=True, help="Both sides ran side by side, although the files do not say so.")
@click.option("--vary", multiple=True, metavar="NAME", help="A task argument that is under test; repeatable.")
@policy_options
@report_options
def compare(baseline: str, candidate: str | None, **options: Any) -> Exit:
    """Compare two sides: a folder of gate runs, any two Inspect logs, or two plain results files.

    Exit 0 (improved, neutral), 1 (regressed, mixed), 2 (no verdict: incomparable, unscored, unreadable) or 3
    (undecided).

    \b
    Example:
      steelyard gate compare logs/gate
      steelyard gate compare old.eval new.eval --markdown comment.md
      steelyard gate compare before.json after.json \\
        --threshold min_composite_gain=0.05
      steelyard gate compare before.json after.json --interleaved \\
        --policy evidence --question safe
    """
    from dataclasses import asdict

    from steelyard import api
    from steelyard.gate.settings import load_settings, noise_folder, thresholds

    settings = load_settings(options["settings"])
    limits = asdict(thresholds(settings.thresholds, options["thresholds"]))
    if limits["cost_counts"] and not any(given.startswith("cost_counts") for given in options["thresholds"]):
        limits["cost_counts"] = None  # as the runs were registered
    return report(
        api.compare(
            [baseline],
            None if candidate is None else [candidate],
            **limits,
            scorer=options["scorer"],
            require_judge=options["require_judge"],
            policy=stated_policy(options, settings),
            interleaved=options["interleaved"],
            vary=options["vary"],
            quarantine=[entry.model_dump() for entry in settings.quarantine],
            accepted_losses=[entry.model_dump() for entry in settings.accepted_losses],
            noise=noise_folder(settings),
        ),
        options,
    )
