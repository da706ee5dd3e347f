"""`steelyard bench run`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from steelyard import api, artifact
from steelyard.cli.bench.output import check_page, note_page, report_options, show_board
from steelyard.cli.exit import Exit
from steelyard.cli.options import Place, index_option, note, show, take_paths
from steelyard.cli.progress import Bars
from steelyard.cli.spec import options_of
from steelyard.errors import InputError, one_line
from steelyard.secrets import redact

if TYPE_CHECKING:
    from steelyard.bench.run.plan import Done, RunSpec
    from steelyard.location import Location

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
