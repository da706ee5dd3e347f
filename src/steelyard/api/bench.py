"""`steelyard bench` as functions: which model is the better solutions architect?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from steelyard.api.engines import bench_on, unless_driven
from steelyard.api.options import BoardOptions, one_or_several
from steelyard.api.own import bench_suite
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.bench.model import Board, Spec
    from steelyard.bench.run.plan import Done, RunSpec, Unit
    from steelyard.bench.selftest import Checked
    from steelyard.engine.protocol import EngineOptions
    from steelyard.location import Location
    from steelyard.logs.rescore import Rescored

Logs = Sequence["str | Location"]
"""Folders, files, globs, or URLs of any of these (`s3://…`)."""

Progress = Callable[[str, int, int], None]
"""Called with (what is running, how many samples are done, out of how many)."""


def silent(what: str, done: int, total: int) -> None:
    pass


@one_or_several("models", "categories", "judges")
def bench(
    models: Sequence[str],
    log_dir: str | Location = "logs/bench",
    *,
    categories: Sequence[str] = (),
    limit: int | None = None,
    epochs: int = 1,
    label: str | None = None,
    temperature: float | None = 0.0,
    scorer: str | None = None,
    diagrams: Literal["auto", "image", "text"] = "auto",
    images: Literal["yes", "no"] | None = None,
    judges: Sequence[str] = (),
    judge_repeats: int = 1,
    judge_cache: bool = True,
    max_connections: int | None = None,
    max_tasks: int = 4,
    budget_usd: float | None = None,
    allow_unknown_prices: bool = False,
    prices: str | Path | None = None,
    model_args: Mapping[str, object] | None = None,
    model_roles: Mapping[str, str] | None = None,
    generate_config: Mapping[str, object] | None = None,
    suite: str = "official",
    dataset: str | Path | None = None,
    engine: EngineOptions | None = None,
    progress: Progress = silent,
) -> Done:
    """Run SA Bench on models; finished work in `log_dir` is not repeated.

    Args:
        models: Names of Inspect models.
        log_dir: Folder for the logs; run again with the same folder to resume.
        categories: Keys of the categories to run; all if empty.
        limit: Run only the first items; the row on the board is then partial.
        epochs: Runs of each item.
        label: Name of the subject on the board; for one model only.
        temperature: Sampling temperature; 0 is the official setting, None leaves it to the provider.
        scorer: How architecture answers or CDK apps are scored; each category's default if absent.
        diagrams: How diagrams are shown; `auto` uses pictures if every ranked model reads images.
        images: Whether the models read images; looked up by name if absent.
        judges: Inspect models that grade architecture answers; needs `scorer="judge"`.
        judge_repeats: Verdicts per judge and answer.
        judge_cache: Whether stored verdicts may be reused.
        max_connections: Calls at a time.
        max_tasks: Tasks, each a category on a model, that run side by side.
        budget_usd: Start nothing new once this is spent.
        allow_unknown_prices: Let models without a known price run under a budget.
        prices: JSON or YAML file: model, then `input` and `output` in USD per million tokens.
        model_args: Arguments of the models.
        model_roles: Role → model, for Inspect.
        generate_config: Generation settings, by Inspect's names.
        suite: `official`, or `hard`, which has a board of its own.
        dataset: A folder with items of your own, instead of a shipped suite (docs/own-items.md).
        engine: Where tasks run; in this process if absent (docs/scale.md).
        progress: Called as samples end, or on an engine as tasks end.

    Returns:
        What was spent, and what is not finished and why; `leaderboard([log_dir], suite=suite)` gives the scores.

    Raises:
        InputError: The options do not fit together, or a price is unknown under a budget.
        ModelError: A model cannot be used.
        ToolchainError: A tool that a category needs is missing.
        SandboxError: No sandbox is available.
        JudgeError: A judge is not available.
    """
    from steelyard.bench.run import run
    from steelyard.bench.run.plan import RunSpec

    chosen = bench_suite(suite, dataset=dataset)
    spec = RunSpec(
        models=tuple(models),
        categories=tuple(categories) or tuple(chosen.categories),
        log_dir=location(log_dir),
        limit=limit,
        epochs=epochs,
        label=label,
        temperature=temperature,
        scorer=scorer,
        diagrams=diagrams,
        images=images,
        judges=tuple(judges),
        judge_repeats=judge_repeats,
        judge_cache=judge_cache,
        max_connections=max_connections,
        max_tasks=max_tasks,
        budget_usd=budget_usd,
        allow_unknown_prices=allow_unknown_prices,
        prices=None if prices is None else Path(prices),
        model_args=model_args or {},
        model_roles=model_roles or {},
        generate_config=generate_config or {},
        suite=chosen,
    )
    if (engine := unless_driven(engine)) is None:
        return run(spec, progress)
    items = None if dataset is None else Path(dataset)
    return run(spec, progress, bench_on(spec, engine, items, progress))


def bench_plan(spec: RunSpec) -> tuple[Unit, ...]:
    """Plan a run of SA Bench without starting it.

    Args:
        spec: A `steelyard.bench.run.plan.RunSpec`; its fields are the arguments of `bench`.

    Returns:
        One unit per model and category: calls that are left, estimated tokens and cost.

    Raises:
        InputError: The options do not fit together, or a price is unknown under a budget.
        ModelError: A model cannot be used.
        JudgeError: A judge is not available.
    """
    from steelyard.bench.run import plan

    return tuple(plan(spec))


@one_or_several("logs")
def leaderboard(
    logs: Logs,
    *,
    page: str | Location | None = None,
    reveal: bool = False,
    transcripts: bool = False,
    model_facts: str | Path | None = None,
    **options: Unpack[BoardOptions],
) -> Board:
    """Make the leaderboard of these logs (docs/scoring.md §1.2), and its page.

    Args:
        logs: Folders, files or globs.
        page: Folder for the page, new or with an earlier page; each log is opened once for both.
        reveal: Whether the page shows reference answers; it then has transcripts too.
        transcripts: Whether the page has Inspect's log viewer with every run, without answer keys and API keys.
        model_facts: File with maker, release, licence, size and price of models (docs/maintaining-a-board.md).
        options: How the board is made; see `BoardOptions`.

    Returns:
        Rows with scores, intervals and ranks, all pairs, and the logs that do not count.

    Raises:
        InputError: There is no such scorer, or the folder of the page holds something else.
        IncomparableError: Different scorers or diagram modes are mixed, and none is chosen.
        LogError: No log belongs to SA Bench.
        ToolchainError: A page needs the extra `site`, which is not installed.
    """
    from steelyard.bench.board import make_board
    from steelyard.bench.model_facts import ModelFacts, read_facts, with_facts

    facts = dict[str, ModelFacts]() if model_facts is None else read_facts(model_facts)
    spec = board_spec(options)
    if page is None:
        return with_facts(make_board(logs, spec), facts)
    from steelyard.bench.read.store import AnswerStore
    from steelyard.bench.report.page import check_site, write_site

    folder = location(page)
    check_site(folder)
    with AnswerStore(reveal=reveal, transcripts=transcripts, any_task=spec.suite.any_tasks) as answers:
        board = with_facts(make_board(logs, spec, answers.keep), facts)
        write_site(board, folder, answers)
    return board


def bench_report(board: Board, format: str) -> str:
    """Render a leaderboard.

    Args:
        board: The result of `leaderboard`.
        format: `json`, `csv` or `markdown`.

    Returns:
        The text of the report; JSON follows the schema `leaderboard`.

    Raises:
        InputError: There is no such format.
    """
    from steelyard.bench.report import FORMATS
    from steelyard.errors import InputError

    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}", cure=f"one of {', '.join(FORMATS)}")
    return FORMATS[format](board)


def bench_page(board: Board, folder: str | Location, *, reveal: bool = False, transcripts: bool = False) -> Location:
    """Write the page of a leaderboard, with its data to download; `leaderboard(..., page=...)` reads the logs once.

    Args:
        board: The result of `leaderboard`.
        folder: A new folder, or one that holds an earlier page.
        reveal: Whether to show reference answers; the page then has transcripts too.
        transcripts: Whether to add Inspect's log viewer with every run, without answer keys and API keys.

    Returns:
        The file to open.

    Raises:
        InputError: The folder holds something else.
        ToolchainError: The extra `site` is not installed.
    """
    from steelyard.bench.read.store import AnswerStore
    from steelyard.bench.report.page import write_site

    with AnswerStore(reveal=reveal, transcripts=transcripts, any_task=board.suite.any_tasks) as answers:
        return write_site(board, location(folder), answers)


@one_or_several("judge")
def bench_rescore(
    log: str | Path,
    judge: Sequence[str] = (),
    *,
    judge_repeats: int = 1,
    judge_cache: bool = True,
    everything: bool = False,
) -> Rescored:
    """Grade the runs of one log again, without calling the model.

    Args:
        log: The log. With a judge, a log scored by the heuristic is kept, and the judged copy is written beside it.
        judge: Inspect models that grade; several make a jury. If empty, the log's own scorer grades.
        judge_repeats: Verdicts per judge and answer.
        judge_cache: Whether stored verdicts may be reused.
        everything: Grade every run, not only those without a score.

    Returns:
        How many runs were graded, and why some still have no score.

    Raises:
        NothingToJudge: The log is of another wing, or its category is scored without a judge.
        InputError: Another judge graded the log.
        LogError: The log cannot be read or written.
    """
    from steelyard.bench.rescore import rescore_log
    from steelyard.judge.panel import Panel

    panel = Panel(tuple(judge), judge_repeats, judge_cache) if judge else None
    return rescore_log(str(log), panel, everything=everything)


@one_or_several("categories")
def bench_selftest(
    categories: Sequence[str] = (),
    *,
    scorer: str | None = None,
    suite: str = "official",
    dataset: str | Path | None = None,
    progress: Progress = silent,
) -> Checked:
    """Check data, references and scorers before any money is spent.

    Args:
        categories: Keys of the categories to check; all if empty.
        scorer: Put the references through this scorer; by default through the default scorer of each category.
        suite: Whose categories: `official` or `hard`.
        dataset: A folder with items of your own, instead of a shipped suite.
        progress: Called as samples end.

    Returns:
        Figures per category, defects, and what could not be checked on this machine.

    Raises:
        InputError: There is no such category, or it has no such scorer.
    """
    from steelyard.bench.selftest import selftest
    from steelyard.bench.suite import require_categories
    from steelyard.errors import InputError

    chosen = bench_suite(suite, dataset=dataset)
    keys = tuple(categories) or tuple(chosen.categories)
    require_categories(chosen, keys)
    if scorer is not None and not any(chosen.categories[key].choice(scorer) for key in keys):
        known = [name for key in keys for name in chosen.categories[key].choices]
        raise InputError(f"no category has the scorer {scorer}", cure=f"one of {', '.join(known)}")
    return selftest(keys, progress, scorer, chosen)


def bench_pin() -> Path:
    """Record the shipped data as it is now, after a deliberate change: `bench_selftest` compares with this record.

    Returns:
        The file that was written.

    Raises:
        ArtifactError: There is no data, or the file cannot be written.
    """
    from steelyard.bench.manifest import pin
    from steelyard.bench.suite import shipped

    return pin(category.key for category in shipped())


def board_spec(options: BoardOptions) -> Spec:
    """The options of a board as its specification, which knows what is missing by default."""
    from steelyard.bench.analysis.front import require_sortable
    from steelyard.bench.model import Spec

    given: dict[str, Any] = dict(options)
    named = {name: given.pop(name, None) for name in ("dataset", "categories")}
    suite = bench_suite(given.pop("suite", "official"), **named)
    spec = Spec(**given, suite=suite)
    require_sortable(spec)
    return spec
