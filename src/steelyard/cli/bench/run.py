"""`steelyard bench run`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import api, artifact
from steelyard.bench.run.plan import MAX_TASKS, RunSpec
from steelyard.bench.suite import OFFICIAL, shipped
from steelyard.cli.bench.output import (
    category_option,
    check_page,
    chosen_suite,
    note_page,
    report_options,
    show,
    show_board,
    suite_option,
    take_paths,
)
from steelyard.cli.engine import chosen_engine, engine_options
from steelyard.cli.exit import Exit
from steelyard.cli.judging import chosen_panel, judge_options
from steelyard.cli.keyvalues import KeyValues
from steelyard.cli.options import Number, Place, index_option, note, rare
from steelyard.cli.progress import Bars
from steelyard.errors import InputError, one_line
from steelyard.secrets import redact

if TYPE_CHECKING:
    from steelyard.bench.run.plan import Done
    from steelyard.location import Location


SCORERS = list(dict.fromkeys(name for category in shipped() if len(category.choices) > 1 for name in category.choices))
"""Names that `--scorer` knows: the categories that can be scored in more than one way."""


class Temperature(click.ParamType[Any]):
    """A number, or `none` to leave it to the provider."""

    name = "NUMBER|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        if value is None or str(value).lower() == "none":
            return None
        return Number(0, 2).convert(value, param, ctx)


@click.command()
@click.option("--model", "models", multiple=True, required=True, metavar="NAME", help="An Inspect model; repeat it.")
@suite_option
@category_option
@click.option("--limit", type=click.IntRange(1), help="Only the first N items; the row will say it is partial.")
@click.option("--epochs", type=click.IntRange(1), default=1, show_default=True, help="Runs of each item.")
@rare("--scorer", type=click.Choice(SCORERS), metavar="NAME",
              help=f"How architecture answers or CDK apps are scored: {', '.join(SCORERS)}. Default: heuristic, "
                   "and the local engine.")  # fmt: skip
@judge_options
@rare("--diagrams", type=click.Choice(["auto", "image", "text"]), default="auto", show_default=True,
              help="How diagrams are shown; auto settles on one mode for all models of the run.")  # fmt: skip
@rare("--images", type=click.Choice(["yes", "no"]),
              help="Whether the models read images; default: by model name.")  # fmt: skip
@click.option("--log-dir", type=Place(folder=True), default=Path("logs/bench"), show_default=True,
              help="Where logs are kept, or a URL (s3://…); start again with the same folder to resume.")  # fmt: skip
@rare("--label", help="The subject's name on the board.")
@rare("--temperature", type=Temperature(), default=0.0, show_default=True, help="0 is the official setting.")
@rare("--max-connections", type=click.IntRange(1), help="Calls at a time.")
@rare("--max-tasks", type=click.IntRange(1), default=MAX_TASKS, show_default=True,
              help="Tasks, each a category on a model, that run side by side.")  # fmt: skip
@index_option
@engine_options
@click.option("--budget-usd", type=Number(0), help="Stop starting new work when the run has spent this.")
@rare("--prices", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="JSON or YAML: model, then input and output in USD per million tokens.")  # fmt: skip
@rare("--allow-unknown-prices", is_flag=True, help="Let models without a known price run under a budget.")
@rare("-M", "--model-arg", "model_args", type=KeyValues(), multiple=True, help="Passed to the model; repeat it.")
@rare("-R", "--model-role", "model_roles", type=KeyValues(), multiple=True, help="ROLE=MODEL for Inspect.")
@rare("-G", "--generate", "generate_config", type=KeyValues(), multiple=True, help="Generation config.")
@click.option("--dry-run", is_flag=True,
              help="Show what would run, how many calls, and an estimate; with --engine, the commands.")  # fmt: skip
@report_options
def run(dry_run: bool, html_folder: Location | None, **options: Any) -> Exit:
    """Run SA Bench on models. Interrupted work resumes when the same command is started again.

    Example: steelyard bench run --model steelyard/floor --category practice_exam --limit 5
    """
    paths = take_paths(options)
    arguments = _arguments(options)
    suite = chosen_suite(arguments)
    arguments["categories"] = arguments["categories"] or tuple(suite.categories)
    engine = chosen_engine(arguments)
    fields: dict[str, Any] = {**arguments, "suite": suite}
    dataset = fields.pop("dataset")
    spec = RunSpec(**fields)
    if dry_run and engine is not None:
        click.echo(api.bench_preview(spec, engine, dataset), nl=False)
        return Exit.FINE
    if dry_run:
        return _show_plan(spec, paths)
    check_page(html_folder)
    from steelyard.logs.evaluate import mode, retries

    with Bars(retries=retries) as bars:
        done = api.bench(**arguments, engine=engine, progress=bars.tell)
    if mode() == "selection":
        return _show_share(done)
    return _show_result(spec, done, paths, html_folder, arguments["dataset"])


def _show_share(done: Done) -> Exit:
    """What is not finished of the tasks that a runner selected; the folder and its board are the runner's."""
    for problem in done.problems:
        note(f"! {problem}")
    return Exit.UNANSWERED if done.problems else Exit.FINE


def _arguments(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `api.bench`, which are also the fields of `RunSpec`."""
    names = ("judge", "judge_repeats", "no_judge_cache", "require_judge")
    panel = chosen_panel(**{name: options.pop(name) for name in names})
    if panel is not None:
        options["scorer"] = options["scorer"] or "judge"
        options |= {"judges": panel.judges, "judge_repeats": panel.repeats, "judge_cache": panel.cache}
    for name in ("model_args", "model_roles", "generate_config"):
        options[name] = dict(options[name])
    return options


def _show_plan(spec: RunSpec, paths: dict[str, str | None]) -> Exit:
    from steelyard.bench.run.plan import as_json, document

    if paths.pop("csv") is not None:
        raise InputError("a dry run makes no CSV", cure="use --json")
    units = api.bench_plan(spec)
    show(document(units, spec), paths, json=lambda: artifact.json_text(as_json(units, spec)))
    return Exit.FINE


def _show_result(
    spec: RunSpec, done: Done, paths: dict[str, str | None], html_folder: Location | None, dataset: Path | None
) -> Exit:
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
        [spec.log_dir],
        scorer=scorer,
        diagrams=diagrams,
        suite=OFFICIAL.name if dataset else spec.suite.name,
        dataset=dataset,
        page=html_folder,
    )
    show_board(board, paths)
    note_page(html_folder)
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
