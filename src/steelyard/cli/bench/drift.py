"""`steelyard bench drift`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.cli.bench.output import chosen_suite, show, suite_option
from steelyard.cli.exit import Exit
from steelyard.cli.options import Place, index_option, output

if TYPE_CHECKING:
    from steelyard.location import Location

_SIDE = Place()
_EXITS = {"moved": Exit.NO, "undecided": Exit.UNDECIDED, "steady": Exit.FINE}


@click.command()
@click.argument("earlier", type=_SIDE)
@click.argument("later", type=_SIDE)
@suite_option
@index_option
@output("markdown")
def drift(earlier: Location, later: Location, markdown_path: str | None, **options: Any) -> Exit:
    """Has a score moved between two boards? Compares item by item; exit 1 if one has, 3 if the items cannot tell.

    EARLIER and LATER are leaderboards (--json), logs or folders of logs.

    \b
    Example:
      steelyard bench drift yesterday.json today.json --markdown issue.md
      steelyard bench drift logs/october logs/november
    """
    from steelyard.bench.analysis.drift import verdict
    from steelyard.bench.report.drift import document

    moves = api.bench_drift(earlier, later, **options)
    show(document(moves, chosen_suite(options)), {"markdown": markdown_path})
    return _EXITS[verdict(moves)]
