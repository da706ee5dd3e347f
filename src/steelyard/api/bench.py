"""`steelyard bench` as functions: which model is the better solutions architect?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.api.groups import Boards, Engines, Judges, Prices, Suites
from steelyard.api.own import bench_suite
from steelyard.api.spec import argument, option, parameter, part, rare, spec, takes
from steelyard.api.values import Location, Progress, pairs, path, place, silent, sources, texts
from steelyard.errors import InputError
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.bench.model import Board
    from steelyard.bench.run.plan import Done, RunSpec, Unit
    from steelyard.bench.selftest import Checked


@spec
class BenchRun(Judges, Suites, Engines, Prices):
    """Models, what they answer, and how it is scored."""

    models: tuple[str, ...] = option("An Inspect model; repeat it.", "--model", "NAME", converter=texts)
    log_dir: Location = option(
        "Where logs are kept, or a URL (s3://…); start again with the same folder to resume.",
        default=Path("logs/bench"), converter=location,
    )  # fmt: skip
    _: KW_ONLY
    categories: tuple[str, ...] = option(
        "A category of the suite; repeat it. Default: all.", "--category", "KEY", default=(), converter=texts
    )
    limit: int | None = option("Only the first N items; the row will say it is partial.", default=None, least=1)
    epochs: int = rare("Runs of each item.", default=1, least=1)
    scorer: str | None = rare(
        "How architecture answers or CDK apps are scored: heuristic, judge, cdk_verify_local, cdk_verify, "
        "cdk_behaviour_local or cdk_behaviour. Default: heuristic, and the local synthesizer.",
        "NAME", default=None,
    )  # fmt: skip
    diagrams: Literal["auto", "image", "text"] = rare(
        "How diagrams are shown; auto settles on one mode for all models of the run.", default="auto"
    )
    images: Literal["yes", "no"] | None = rare("Whether the models read images; default: by model name.", default=None)
    label: str | None = rare("The subject's name on the board.", default=None)
    temperature: float | None = rare(
        "0 is the official setting; none leaves it to the provider.", default=0.0, least=0, most=2, or_none=True
    )
    max_connections: int | None = rare("Calls at a time.", default=None, least=1)
    max_tasks: int = rare("Tasks, each a category on a model, that run side by side.", default=4, least=1)
    allow_unknown_prices: bool = rare("Let models without a known price run under a budget.", default=False)
    model_args: Mapping[str, object] = rare(
        "Passed to the model; repeat it.", "-M", "--model-arg", default=(), converter=pairs
    )
    model_roles: Mapping[str, str] = rare("ROLE=MODEL for Inspect.", "-R", "--model-role", default=(), converter=pairs)
    generate_config: Mapping[str, object] = rare("Generation config.", "-G", "--generate", default=(), converter=pairs)
    progress: Progress = parameter("Called as samples end, or on an engine as tasks end.", default=silent)

    def resolved(self) -> RunSpec:
        """The run, with every category of its suite if none is named, and with the panel of judges."""
        from steelyard.bench.run.plan import RunSpec

        suite, panel = self.chosen_suite(), self.panel()
        judges = () if panel is None else panel.judges
        own = part(self, RunSpec)
        own |= {"categories": self.categories or tuple(suite.categories), "suite": suite, "judges": judges}
        own["scorer"] = self.scorer or ("judge" if judges else None)
        return RunSpec(**own)


@takes(BenchRun)
def bench(spec: BenchRun) -> Done:
    """Run SA Bench on models; finished work in `log_dir` is not repeated.

    Returns: What was spent, and what is not finished and why; `leaderboard([log_dir], suite=suite)` gives the scores.
    """
    from steelyard.bench.run import run
    from steelyard.logs.evaluate import mode

    resolved, engine = spec.resolved(), spec.chosen_engine()
    if engine is None or mode() != "whole":  # another runner that lists or selects the tasks is the engine
        return run(resolved, spec.progress)
    from steelyard.bench.run.engine import on_engine
    from steelyard.status.cost import Spending

    def purse(folder: str) -> Callable[[], float]:
        return Spending(folder).since_start

    return run(resolved, spec.progress, on_engine(resolved, engine, spec.dataset, spec.progress, purse))


@takes(BenchRun)
def bench_plan(spec: BenchRun) -> tuple[Unit, ...]:
    """Plan a run of SA Bench without starting it.

    Returns: One unit per model and category: calls that are left, estimated tokens and cost.
    """
    from steelyard.bench.run import plan

    return tuple(plan(spec.resolved()))


@takes(BenchRun)
def bench_preview(spec: BenchRun) -> str:
    """Show what an engine would start for a run of SA Bench.

    Returns: Commands, or a job array. The files that they name are written into `.engine` below the log folder.
    """
    from steelyard.bench.run.engine import preview

    if (engine := spec.chosen_engine()) is None:
        raise InputError("without an engine, nothing else is started", cure='engine="processes", for example')
    return preview(spec.resolved(), engine, spec.dataset)


@spec
class BenchBoard(Boards):
    """Logs, and how their board and its page are made."""

    logs: tuple[str, ...] = argument("Folders, files or globs.", converter=sources)
    _: KW_ONLY
    page: Location | None = option(
        "Write the page, with its data to download, into DIR or to a URL (s3://…).", "--html", "DIR", default=None,
        converter=place,
    )  # fmt: skip
    reveal: bool = rare("Show reference answers on the page; implies --transcripts.", default=False)
    transcripts: bool = rare("Add Inspect's log viewer to the page, without answer keys and API keys.", default=False)
    model_facts: Path | None = rare(
        "Maker, release, licence, size and price of models (docs/maintaining-a-board.md).", "FILE", default=None,
        converter=path,
    )  # fmt: skip


@takes(BenchBoard)
def leaderboard(spec: BenchBoard) -> Board:
    """Make the leaderboard of these logs (docs/scoring.md §1.2), and its page; each log is opened once for both.

    Returns: Rows with scores, intervals and ranks, all pairs, and the logs that do not count.
    """
    from steelyard.bench.board import make_board
    from steelyard.bench.model_facts import ModelFacts, read_facts, with_facts

    facts = dict[str, ModelFacts]() if spec.model_facts is None else read_facts(spec.model_facts)
    made = spec.board_spec()
    if spec.page is None:
        return with_facts(make_board(spec.logs, made), facts)
    from steelyard.bench.read.store import AnswerStore
    from steelyard.bench.report.page import check_site, write_site

    check_site(spec.page)
    with AnswerStore(reveal=spec.reveal, transcripts=spec.transcripts, any_task=made.suite.any_tasks) as answers:
        board = with_facts(make_board(spec.logs, made, answers.keep), facts)
        write_site(board, spec.page, answers)
    return board


def bench_report(board: Board, format: str) -> str:
    """Render a leaderboard.

    Args:
        board: The result of `leaderboard`.
        format: `json`, `csv` or `markdown`.

    Returns: The text of the report; JSON follows the schema `leaderboard`.
    """
    from steelyard.bench.report import FORMATS

    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}", cure=f"one of {', '.join(FORMATS)}")
    return FORMATS[format](board)


def bench_selftest(
    categories: str | Iterable[str] = (),
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

    Returns: Figures per category, defects, and what could not be checked on this machine.
    """
    from steelyard.bench.selftest import selftest
    from steelyard.bench.suite import require_categories

    chosen = bench_suite(suite, dataset=dataset)
    keys = texts(categories) or tuple(chosen.categories)
    require_categories(chosen, keys)
    if scorer is not None and not any(chosen.categories[key].choice(scorer) for key in keys):
        known = [name for key in keys for name in chosen.categories[key].choices]
        raise InputError(f"no category has the scorer {scorer}", cure=f"one of {', '.join(known)}")
    return selftest(keys, progress, scorer, chosen)


def bench_pin() -> Path:
    """Record the shipped data as it is now, after a deliberate change: `bench_selftest` compares with this record.

    Returns: The file that was written.
    """
    from steelyard.bench.manifest import pin
    from steelyard.bench.suite import shipped

    return pin(category.key for category in shipped())
