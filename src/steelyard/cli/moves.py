"""`steelyard bench compare` and `history`: what moved between boards, and which items flipped."""

from __future__ import annotations

import click

from steelyard import api
from steelyard.api.groups import Boards
from steelyard.api.spec import part
from steelyard.cli.exit import Exit
from steelyard.cli.options import Paths, index_option, output, show
from steelyard.cli.spec import command_of
from steelyard.errors import InputError


@command_of(api.BenchHistory, rare=("suite", "dataset"))
@output("json", "csv", "markdown", "html")
def history(spec: api.BenchHistory, out: Paths) -> None:
    """Show how models did over published BOARDS (--json), or folders of them, and which scores moved.

    Example: steelyard bench history boards/ --csv history.csv
    """
    from steelyard.bench.report import history as report

    points, suite = api.bench_history(spec), spec.chosen_suite()
    shown = report.document(points, suite)
    show(shown, out, lambda: report.as_json(points, suite), csv=lambda: report.csv_text(points))


@command_of(api.BenchCompare)
@index_option
@click.option("--reproduce", is_flag=True, help="Is B within the declared margin of the published board A?")
@output("json", "markdown", "html")
def compare(spec: api.BenchCompare, reproduce: bool, out: Paths) -> Exit:
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
    if reproduce:
        if spec.model is not None:
            raise InputError("--reproduce asks about every model", cure="leave out --model")
        return _reproduction(spec, out)
    return _flips(spec, out) if spec.logs or spec.model is not None else _moves(spec, out)


def _flips(spec: api.BenchCompare, out: Paths) -> Exit:
    from steelyard.bench.report import difference

    found = api.bench_diff(spec)
    brief = difference.document(found, shown=difference.SHOWN)
    show(difference.document(found), out, lambda: difference.as_json(found), brief=brief)
    return Exit.FINE


def _moves(spec: api.BenchCompare, out: Paths) -> Exit:
    from steelyard.bench.analysis.drift import verdict
    from steelyard.bench.report import drift

    suite, moves = spec.chosen_suite(), api.bench_drift(spec.a, spec.b, **part(spec, Boards))
    show(drift.document(moves, suite), out, lambda: drift.as_json(moves, suite))
    return {"moved": Exit.NO, "undecided": Exit.UNDECIDED, "steady": Exit.FINE}[verdict(moves)]


def _reproduction(spec: api.BenchCompare, out: Paths) -> Exit:
    from steelyard.bench.report import reproduction

    comparison = api.reproduce(spec.a, (spec.b, *spec.logs), **part(spec, Boards))
    show(reproduction.document(comparison), out, lambda: reproduction.as_json(comparison))
    return {"within": Exit.FINE, "outside": Exit.NO, "unanswered": Exit.UNANSWERED}[comparison.verdict]
