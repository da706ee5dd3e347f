"""`steelyard bench compare`."""

from __future__ import annotations

from typing import Any

import click

from steelyard import api, artifact
from steelyard.api.groups import Boards
from steelyard.cli.exit import Exit
from steelyard.cli.options import index_option, output, show, take_paths
from steelyard.cli.spec import options_of, part
from steelyard.errors import InputError

_REPRODUCED = {"within": Exit.FINE, "outside": Exit.NO, "unanswered": Exit.UNANSWERED}
_MOVED = {"moved": Exit.NO, "undecided": Exit.UNDECIDED, "steady": Exit.FINE}

_Paths = dict[str, str | None]


@click.command()
@options_of(api.BenchCompare, omit=("sort",))
@index_option
@click.option("--reproduce", is_flag=True, help="Is B within the declared margin of the published board A?")
@output("json", "markdown", "html")
def compare(spec: api.BenchCompare, reproduce: bool, **out: Any) -> Exit:
    """Compare two boards, or two models of LOGS. A board is a leaderboard (--json), a log or a folder of logs.

    Two models: which items flipped, with both answers. Two boards: has a score moved? They are compared item by item;
    exit 1 if one has, 3 if the items cannot tell. With --reproduce: do fresh logs agree with a published board within
    the declared margin? Exit 0 (yes), 1 (no) or 2 (cannot tell).

    \b
    Example:
      steelyard bench compare steelyard/floor steelyard/ceiling logs
      steelyard bench compare yesterday.json today.json --markdown issue.md
      steelyard bench compare published.json logs --reproduce
    """
    paths = take_paths(out)
    if reproduce:
        if spec.model is not None:
            raise InputError("--reproduce asks about every model", cure="leave out --model")
        return _reproduction(spec, paths)
    return _flips(spec, paths) if spec.logs or spec.model is not None else _moves(spec, paths)


def _flips(spec: api.BenchCompare, paths: _Paths) -> Exit:
    from steelyard.bench.report.difference import SHOWN, as_json, document

    difference = api.bench_diff(spec)
    brief = document(difference, shown=SHOWN)
    show(document(difference), paths, brief=brief, json=lambda: artifact.json_text(as_json(difference)))
    return Exit.FINE


def _moves(spec: api.BenchCompare, paths: _Paths) -> Exit:
    from steelyard.bench.analysis.drift import verdict
    from steelyard.bench.report.drift import as_json, document

    suite, moves = spec.chosen_suite(), api.bench_drift(spec.a, spec.b, **part(spec, Boards))
    show(document(moves, suite), paths, json=lambda: artifact.json_text(as_json(moves, suite)))
    return _MOVED[verdict(moves)]


def _reproduction(spec: api.BenchCompare, paths: _Paths) -> Exit:
    from steelyard.bench.report.reproduction import as_json, document

    comparison = api.reproduce(spec.a, (spec.b, *spec.logs), **part(spec, Boards))
    show(document(comparison), paths, json=lambda: artifact.json_text(as_json(comparison)))
    return _REPRODUCED[comparison.verdict]
