"""`steelyard bench compare`."""

from __future__ import annotations

from typing import Any

import click

from steelyard import api, artifact
from steelyard.cli.bench.output import board_options, chosen_suite, show, take_paths
from steelyard.cli.exit import Exit
from steelyard.cli.options import output, rare
from steelyard.errors import InputError

_REPRODUCED = {"within": Exit.FINE, "outside": Exit.NO, "unanswered": Exit.UNANSWERED}
_MOVED = {"moved": Exit.NO, "undecided": Exit.UNDECIDED, "steady": Exit.FINE}

_Paths = dict[str, str | None]


@click.command()
@click.argument("a")
@click.argument("b")
@click.argument("logs", nargs=-1)
@board_options
@click.option("--reproduce", is_flag=True, help="Is B within the declared margin of the published board A?")
@click.option("--model", help="Show the items of this model that flipped between the boards A and B.")
@rare("--reveal", is_flag=True, help="Show the ceiling's answers too, which are the references.")
@output("json", "markdown", "html")
def compare(
    a: str, b: str, logs: tuple[str, ...], reproduce: bool, model: str | None, reveal: bool, **options: Any
) -> Exit:
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
    paths = take_paths(options)
    if reproduce:
        if model is not None:
            raise InputError("--reproduce asks about every model", cure="leave out --model")
        return _reproduction(a, (b, *logs), paths, options)
    if logs or model is not None:
        return _flips(a, b, logs, paths, {**options, "model": model, "reveal": reveal})
    return _moves(a, b, paths, options)


def _flips(a: str, b: str, logs: tuple[str, ...], paths: _Paths, options: dict[str, Any]) -> Exit:
    from steelyard.bench.report.difference import SHOWN, as_json, document

    difference = api.bench_diff(a, b, logs, **options)
    brief = document(difference, shown=SHOWN)
    show(document(difference), paths, brief=brief, json=lambda: artifact.json_text(as_json(difference)))
    return Exit.FINE


def _moves(a: str, b: str, paths: _Paths, options: dict[str, Any]) -> Exit:
    from steelyard.bench.analysis.drift import verdict
    from steelyard.bench.report.drift import as_json, document

    suite = chosen_suite(options)
    moves = api.bench_drift(a, b, **options)
    show(document(moves, suite), paths, json=lambda: artifact.json_text(as_json(moves, suite)))
    return _MOVED[verdict(moves)]


def _reproduction(published: str, logs: tuple[str, ...], paths: _Paths, options: dict[str, Any]) -> Exit:
    from steelyard.bench.report.reproduction import as_json, document

    comparison = api.reproduce(published, logs, **options)
    show(document(comparison), paths, json=lambda: artifact.json_text(as_json(comparison)))
    return _REPRODUCED[comparison.verdict]
