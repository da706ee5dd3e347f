"""`steelyard bench run`, `board`, `history`, `submit` and `compare`: what ends in a board, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from steelyard import api, artifact
from steelyard.api.groups import Boards
from steelyard.bench.model import Board
from steelyard.bench.report import FORMATS
from steelyard.cli.exit import Exit
from steelyard.cli.options import Place, deliver, index_option, note, on_terminal, output, show, take_paths
from steelyard.cli.progress import Bars
from steelyard.cli.spec import options_of, part
from steelyard.errors import InputError, one_line
from steelyard.secrets import redact

if TYPE_CHECKING:
    from steelyard.bench.run.plan import Done, RunSpec
    from steelyard.location import Location


LISTED = 12
"""Logs that do not count, named one by one in a terminal."""

report_options = output(*FORMATS)
"""Adds one option per format of a board."""


def show_board(board: Board, paths: Mapping[str, str | None]) -> None:
    """Print a board, and write the formats that were asked for."""
    from steelyard import api
    from steelyard.bench.report.document import document

    make = {name: partial(api.bench_report, board, name) for name in FORMATS}
    deliver(paths, make, lambda: on_terminal(document(board, listed=LISTED)))


def check_page(folder: Location | None) -> None:
    """Raise before the work, not after it, if no page can be written into `folder`."""
    if folder is not None:
        from steelyard.bench.report.page import check_site

        check_site(folder)


def note_page(folder: Location | None) -> None:
    """Print where the page of a board is, if there is one."""
    if folder is not None:
        note(f"page: {folder / 'index.html'}")


_Paths = dict[str, str | None]


@click.command()
@options_of(api.BenchRun)
@index_option
@click.option("--dry-run", is_flag=True,
              help="Show what would run, how many calls, and an estimate; with --engine, the commands.")  # fmt: skip
@click.option("--html", "page", type=Place(folder=True), metavar="DIR",
              help="Write the page, with its data to download, into DIR or to a URL (s3://…).")  # fmt: skip
@report_options
def run(spec: api.BenchRun, dry_run: bool, page: Location | None, **out: Any) -> Exit:
    """Run SA Bench on models. Interrupted work resumes when the same command is started again.

    Example: steelyard bench run --model steelyard/floor --category practice_exam --limit 5
    """
    from steelyard.logs.evaluate import mode, retries

    paths, resolved, engine = take_paths(out), spec.resolved(), spec.chosen_engine()
    if dry_run and engine is not None:
        click.echo(api.bench_preview(resolved, engine, spec.dataset), nl=False)
        return Exit.FINE
    if dry_run:
        return _show_plan(resolved, paths)
    check_page(page)
    with Bars(retries=retries) as bars:
        done = api.bench(replace(spec, progress=bars.tell))
    if mode() == "selection":
        return _show_share(done)
    return _show_result(spec, resolved, done, page, paths)


def _show_share(done: Done) -> Exit:
    """What is not finished of the tasks that a runner selected; the folder and its board are the runner's."""
    for problem in done.problems:
        note(f"! {problem}")
    return Exit.UNANSWERED if done.problems else Exit.FINE


def _show_plan(spec: RunSpec, paths: _Paths) -> Exit:
    from steelyard.bench.run.plan import as_json, document

    if paths.pop("csv") is not None:
        raise InputError("a dry run makes no CSV", cure="use --json")
    units = api.bench_plan(spec)
    show(document(units, spec), paths, json=lambda: artifact.json_text(as_json(units, spec)))
    return Exit.FINE


def _show_result(asked: api.BenchRun, spec: RunSpec, done: Done, page: Location | None, paths: _Paths) -> Exit:
    """The board of the log folder, and what is not finished."""
    from steelyard.bench.run import diagram_mode
    from steelyard.report import numbers

    for problem in done.problems:
        note(f"! {problem}")
    if done.finished:
        note(f"{done.finished} runs left unscored by an earlier start have a number now")
    # The folder may hold runs of the other scorer or diagram mode: show the board of this run.
    scorer, diagrams = spec.scorer or _default_scorer(spec), diagram_mode(spec)
    board = api.leaderboard(
        str(spec.log_dir), scorer=scorer, diagrams=diagrams, suite=asked.suite, dataset=asked.dataset, page=page
    )
    show_board(board, paths)
    note_page(page)
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


@click.command()
@options_of(api.BenchBoard)
@click.option("--by", type=click.Choice(["model", "item"]), default="model", show_default=True,
              help="item: how often each item is solved, and how well it tells good from weak.")  # fmt: skip
@index_option
@report_options
def board(spec: api.BenchBoard, by: str, **out: Any) -> Exit:
    """Make a leaderboard from LOGS: folders, files, globs or URLs of them (s3://…).

    \b
    Example:
      steelyard bench board logs --html page --json board.json
      steelyard bench board logs --by item --csv items.csv
    """
    paths = take_paths(out)
    if by == "item":
        return _items(spec, paths)
    leaderboard = api.leaderboard(spec)
    note_page(spec.page)
    show_board(leaderboard, paths)
    return Exit.FINE if any(row.overall is not None for row in leaderboard.rows) else Exit.UNANSWERED


def _items(spec: api.BenchBoard, paths: dict[str, str | None]) -> Exit:
    from steelyard.bench.report.item_analysis import as_json, csv_text, document

    if spec.page is not None or spec.model_facts is not None:
        raise InputError("a table of items has no page", cure="--json, --csv or --markdown")
    rows = api.bench_items(spec.logs, **part(spec, Boards))
    shown = document(rows, spec.chosen_suite())
    show(shown, paths, json=lambda: artifact.json_text(as_json(rows)), csv=lambda: csv_text(rows))
    return Exit.FINE


@click.command()
@options_of(api.BenchHistory, rare=("suite", "dataset"))
@output("json", "csv", "markdown", "html")
def history(spec: api.BenchHistory, **out: Any) -> None:
    """Show how models did over published BOARDS (--json), or folders of them, and which scores moved.

    Example: steelyard bench history boards/ --csv history.csv
    """
    from steelyard.bench.report.history import as_json, csv_text, document

    points, suite = api.bench_history(spec), spec.chosen_suite()
    make_json = partial(artifact.json_text, as_json(points, suite))
    show(document(points, suite), take_paths(out), json=make_json, csv=partial(csv_text, points))


@click.command()
@options_of(api.BenchSubmit, rare=("suite", "dataset"))
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


_REPRODUCED = {"within": Exit.FINE, "outside": Exit.NO, "unanswered": Exit.UNANSWERED}
_MOVED = {"moved": Exit.NO, "undecided": Exit.UNDECIDED, "steady": Exit.FINE}


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
