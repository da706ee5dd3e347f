"""`steelyard bench run`, `board` and `submit`: what ends in a board, and the logs behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from steelyard import api
from steelyard.api.groups import Boards
from steelyard.api.spec import part
from steelyard.bench.model import Board
from steelyard.bench.report import FORMATS
from steelyard.bench.report.document import document
from steelyard.cli.exit import Exit
from steelyard.cli.options import Paths, Place, deliver, index_option, note, on_terminal, output, refuse, show
from steelyard.cli.progress import Bars
from steelyard.cli.spec import command_of
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
    if page is not None:
        note(f"page: {page / 'index.html'}")
    make = {name: partial(api.bench_report, board, name) for name in FORMATS}
    deliver(out, make, lambda: on_terminal(document(board, listed=LISTED)))


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
    if dry_run:
        return _show_plan(spec, page, out)
    resolved = spec.resolved()
    if page is not None:
        from steelyard.bench.report.page import check_site

        check_site(page)  # before the work, not after it
    with Bars(retries=retries) as bars:
        done = api.bench(replace(spec, progress=bars.tell))
    for problem in done.problems:
        note(f"! {problem}")
    if mode() == "selection":  # the folder and its board are the runner's
        return Exit.UNANSWERED if done.problems else Exit.FINE
    return _show_result(spec, resolved, done, page, out)


def _show_plan(spec: api.BenchRun, page: Location | None, out: Paths) -> Exit:
    from steelyard.bench.run.plan import as_json, document

    if page is not None:
        raise InputError("--html has no effect on a dry run", cure="leave it out")
    if spec.engine != "local":
        refuse(out, "what an engine would start")
        click.echo(api.bench_preview(spec), nl=False)
        return Exit.FINE
    refuse(out, "a dry run", "csv")
    resolved, units = spec.resolved(), api.bench_plan(spec)
    show(document(units, resolved), out, lambda: as_json(units, resolved))
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
    from steelyard.bench.report import item_analysis

    if spec.page is not None or spec.model_facts is not None:
        raise InputError("a table of items has no page", cure="--json, --csv or --markdown")
    rows = api.bench_items(spec.logs, **part(spec, Boards))
    shown = item_analysis.document(rows, spec.chosen_suite())
    show(shown, out, lambda: item_analysis.as_json(rows), csv=lambda: item_analysis.csv_text(rows))
    return Exit.FINE


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
