"""`steelyard bench run`, `board`, `history`, `submit` and `compare`: what ends in a board, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from steelyard import api
from steelyard.api.groups import Boards
from steelyard.bench.analysis.drift import verdict
from steelyard.bench.model import Board
from steelyard.bench.report import FORMATS, difference, drift, item_analysis, reproduction
from steelyard.bench.report import history as history_report
from steelyard.bench.report.document import document
from steelyard.bench.report.page import check_site
from steelyard.cli.exit import Exit
from steelyard.cli.options import Paths, Place, deliver, index_option, note, on_terminal, output, show
from steelyard.cli.progress import Bars
from steelyard.cli.spec import command_of, part
from steelyard.errors import InputError, one_line
from steelyard.logs.evaluate import mode, retries
from steelyard.report import numbers
from steelyard.secrets import redact

if TYPE_CHECKING:
    from steelyard.bench.run.plan import Done, RunSpec
    from steelyard.location import Location

LISTED = 12
"""Logs that do not count, named one by one in a terminal."""

report_options = output(*FORMATS)
"""Adds one option per format of a board."""


def show_board(board: Board, page: Location | None, out: Paths) -> None:
    """Print a board, and write the formats that were asked for."""
    make = {name: partial(api.bench_report, board, name) for name in FORMATS}
    deliver(out, make, lambda: on_terminal(document(board, listed=LISTED)))
    if page is not None:
        note(f"page: {page / 'index.html'}")


@command_of(api.BenchRun)
@index_option
@click.option("--dry-run", is_flag=True,
              help="Show what would run, how many calls, and an estimate; with --engine, the commands.")  # fmt: skip
@click.option("--html", "page", type=Place(folder=True), metavar="DIR",
              help="Write the page, with its data to download, into DIR or to a URL (s3://…).")  # fmt: skip
@report_options
def run(spec: api.BenchRun, dry_run: bool, page: Location | None, out: Paths) -> Exit:
    """Run SA Bench on models. Interrupted work resumes when the same command is started again.

    Example: steelyard bench run --model steelyard/floor --category practice_exam --limit 5
    """
    resolved, engine = spec.resolved(), spec.chosen_engine()
    if dry_run and engine is not None:
        click.echo(api.bench_preview(resolved, engine, spec.dataset), nl=False)
        return Exit.FINE
    if dry_run:
        return _show_plan(resolved, out)
    if page is not None:
        check_site(page)  # before the work, not after it
    with Bars(retries=retries) as bars:
        done = api.bench(replace(spec, progress=bars.tell))
    for problem in done.problems:
        note(f"! {problem}")
    if mode() == "selection":  # the folder and its board are the runner's
        return Exit.UNANSWERED if done.problems else Exit.FINE
    return _show_result(spec, resolved, done, page, out)


def _show_plan(spec: RunSpec, out: Paths) -> Exit:
    from steelyard.bench.run.plan import as_json, document

    if out.pop("csv") is not None:
        raise InputError("a dry run makes no CSV", cure="use --json")
    units = api.bench_plan(spec)
    show(document(units, spec), out, lambda: as_json(units, spec))
    return Exit.FINE


def _show_result(asked: api.BenchRun, spec: RunSpec, done: Done, page: Location | None, out: Paths) -> Exit:
    """The board of the log folder, and what is not finished."""
    from steelyard.bench.run import diagram_mode

    if done.finished:
        note(f"{done.finished} runs left unscored by an earlier start have a number now")
    # The folder may hold runs of the other scorer or diagram mode: show the board of this run.
    scorer, diagrams = spec.scorer or _default_scorer(spec), diagram_mode(spec)
    board = api.leaderboard(
        str(spec.log_dir), scorer=scorer, diagrams=diagrams, suite=asked.suite, dataset=asked.dataset, page=page
    )
    show_board(board, page, out)
    spent = numbers.usd(done.spent_usd) if not done.unpriced else f"unknown (no price for {', '.join(done.unpriced)})"
    note(f"{numbers.count(done.tokens)} tokens, cost {spent}; logs in {spec.log_dir}")
    if done.unscored:
        note(_unscored(done.unscored))
    if board.withheld:
        note("some runs have no number through no fault of the model: start the same command again")
        note("(if they have an answer and only scoring failed, `steelyard rescore` is enough)")
    return Exit.UNANSWERED if done.problems or board.withheld else Exit.FINE


def _default_scorer(spec: RunSpec) -> str | None:
    """The scorer that counts where a category has several that do not share a board."""
    several = (category for category in spec.suite.categories.values() if not category.interchangeable)
    return next((next(iter(category.choices)) for category in several if len(category.choices) > 1), None)


def _unscored(reasons: Mapping[str, int]) -> str:
    """How many runs have no number, and the commonest reason."""
    reason, times = max(reasons.items(), key=lambda pair: (pair[1], pair[0]))
    total = sum(reasons.values())
    share = "all" if times == total else f"{times} of them"
    return f"! {total} unscored, {share} because: {redact(one_line(reason, 300))}"


@command_of(api.BenchBoard)
@click.option("--by", type=click.Choice(["model", "item"]), default="model", show_default=True,
              help="item: how often each item is solved, and how well it tells good from weak.")  # fmt: skip
@index_option
@report_options
def board(spec: api.BenchBoard, by: str, out: Paths) -> Exit:
    """Make a leaderboard from LOGS: folders, files, globs or URLs of them (s3://…).

    \b
    Example:
      steelyard bench board logs --html page --json board.json
      steelyard bench board logs --by item --csv items.csv
    """
    if by == "item":
        return _items(spec, out)
    leaderboard = api.leaderboard(spec)
    show_board(leaderboard, spec.page, out)
    return Exit.FINE if any(row.overall is not None for row in leaderboard.rows) else Exit.UNANSWERED


def _items(spec: api.BenchBoard, out: Paths) -> Exit:
    if spec.page is not None or spec.model_facts is not None:
        raise InputError("a table of items has no page", cure="--json, --csv or --markdown")
    rows = api.bench_items(spec.logs, **part(spec, Boards))
    shown = item_analysis.document(rows, spec.chosen_suite())
    show(shown, out, lambda: item_analysis.as_json(rows), csv=lambda: item_analysis.csv_text(rows))
    return Exit.FINE


@command_of(api.BenchHistory, rare=("suite", "dataset"))
@output("json", "csv", "markdown", "html")
def history(spec: api.BenchHistory, out: Paths) -> None:
    """Show how models did over published BOARDS (--json), or folders of them, and which scores moved.

    Example: steelyard bench history boards/ --csv history.csv
    """
    points, suite = api.bench_history(spec), spec.chosen_suite()
    shown = history_report.document(points, suite)
    show(shown, out, lambda: history_report.as_json(points, suite), csv=lambda: history_report.csv_text(points))


@command_of(api.BenchSubmit, rare=("suite", "dataset"))
def submit(spec: api.BenchSubmit) -> None:
    """Make a submission of LOGS for whoever maintains a board: logs, board and versions in one file.

    It holds only the logs that count. Whoever gets it runs `steelyard bench check FILE`, without a network.

    Example: steelyard bench submit logs --out submission.zip
    """
    done = api.bench_submit(spec)
    for warning in done.warnings:
        note(f"! {warning}")
    models = ", ".join(row.model for row in done.board.rows)
    click.echo(f"{done.path}: {models}")


@command_of(api.BenchCompare, omit=("sort",))
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
    found = api.bench_diff(spec)
    brief = difference.document(found, shown=difference.SHOWN)
    show(difference.document(found), out, lambda: difference.as_json(found), brief=brief)
    return Exit.FINE


def _moves(spec: api.BenchCompare, out: Paths) -> Exit:
    suite, moves = spec.chosen_suite(), api.bench_drift(spec.a, spec.b, **part(spec, Boards))
    show(drift.document(moves, suite), out, lambda: drift.as_json(moves, suite))
    return {"moved": Exit.NO, "undecided": Exit.UNDECIDED, "steady": Exit.FINE}[verdict(moves)]


def _reproduction(spec: api.BenchCompare, out: Paths) -> Exit:
    comparison = api.reproduce(spec.a, (spec.b, *spec.logs), **part(spec, Boards))
    show(reproduction.document(comparison), out, lambda: reproduction.as_json(comparison))
    return {"within": Exit.FINE, "outside": Exit.NO, "unanswered": Exit.UNANSWERED}[comparison.verdict]
