"""`steelyard gate compare`."""

from __future__ import annotations

from typing import Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.gate.output import report, report_options
from steelyard.cli.options import index_option
from steelyard.cli.spec import options_of


@click.command()
@options_of(api.GateCompare)
@index_option
@report_options
def compare(spec: api.GateCompare, **out: Any) -> Exit:
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
    return report(api.compare(spec), out)
