"""Items of your own, and single answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from steelyard.api.spec import argument, option, parameter, rare, spec, takes
from steelyard.api.values import Progress, new_folder, path, paths, silent, texts
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.bench.cdk_synth.verify import Verdict
    from steelyard.bench.item_score import ItemScore
    from steelyard.bench.suite import Suite


def bench_suite(
    name: str = "official", *, dataset: str | Path | None = None, categories: str | Path | None = None
) -> Suite:
    """Find a suite: its categories, their weights, how many items they have.

    Args:
        name: `official` or `hard`.
        dataset: A folder with items of your own, instead of a shipped suite.
        categories: A file that names any Inspect tasks, their weights and margins (docs/any-tasks.md), instead.

    Returns: The suite.

    Raises:
        InputError: There is no such suite, or the folder has problems; its `problems` then has one line for each.
    """
    from steelyard.bench.suite import OFFICIAL, find_suite

    if sum((name != OFFICIAL.name, dataset is not None, categories is not None)) > 1:
        raise InputError("more than one of a suite, a folder of items and a file of tasks", cure="give one of them")
    if categories is not None:
        from steelyard.bench.board_file import tasks_suite

        return tasks_suite(categories)
    if dataset is None:
        return find_suite(name)
    from steelyard.bench.own.category import own_suite

    return own_suite(dataset)


@spec
class BenchScore:
    """An answer to an item, and how it is scored."""

    item: str = option("The item that FILE answers, for example pe-001 or cdk-001.", "ID", default="")
    answer: str | Path = parameter("A file with the whole reply, or the reply itself.", default="")
    _: KW_ONLY
    dataset: Path | None = option(
        "A folder with items of your own instead of a suite (docs/own-items.md).", "--items", "DIR", default=None,
        converter=path,
    )  # fmt: skip
    scorer: str | None = rare("How to score, where the category has several ways.", "NAME", default=None)
    judges: tuple[str, ...] = option(
        "An Inspect model that grades; several make a jury.", "--judge", "NAME", default=(), converter=texts
    )


@takes(BenchScore)
def bench_score(spec: BenchScore) -> ItemScore:
    """Score one answer to one item as a run would, and say why.

    Returns: The score, or whose failure it is that there is none, and what the scorer recorded.
    """
    from steelyard.artifact import read_text
    from steelyard.bench.item_score import LIMIT, score_item
    from steelyard.bench.run.plan import RunSpec

    text = read_text(spec.answer, LIMIT) if isinstance(spec.answer, Path) else spec.answer
    suites = () if spec.dataset is None else (bench_suite(dataset=spec.dataset),)
    chosen = spec.scorer or ("judge" if spec.judges else None)
    return score_item(
        spec.item, text, suites, RunSpec(("mockllm/model",), scorer=chosen, judges=spec.judges, diagrams="text")
    )


@spec
class BenchNew:
    """A folder to start from."""

    folder: Path = argument("Where to write; nothing is ever overwritten.", "DIR", converter=new_folder)
    kinds: tuple[str, ...] = option(
        "Which examples to write; repeat it. Default: exam and text.", "--kind",
        choices=("exam", "text", "architecture", "cdk"), default=(), converter=texts,
    )  # fmt: skip


@takes(BenchNew)
def bench_new(spec: BenchNew) -> tuple[Path, ...]:
    """Write a folder with a `bench.yaml` and example items that run as they are.

    Returns: The files that were written.
    """
    from steelyard.bench.own.skeleton import write_skeleton

    return write_skeleton(spec.folder, cast(Any, spec.kinds))


def bench_schema(what: str = "leaderboard") -> Mapping[str, object]:
    """Get a JSON Schema.

    Args:
        what: `leaderboard`; `bench` for the `bench.yaml` of your own items; or `exam`, `text`, `architecture` or `cdk`
            for one such item.

    Returns: The schema.
    """
    from steelyard import artifact
    from steelyard.bench.own.model import ITEMS, BenchFile

    if what == "leaderboard":
        return artifact.schema_document(what)
    models = {"bench": BenchFile, **ITEMS}
    if what not in models:
        raise InputError(f"there is no schema {what!r}", cure=f"one of leaderboard, {', '.join(models)}")
    return cast(Any, models)[what].model_json_schema()


def verify(code: str | bytes, *, isolation: Literal["warm", "strict"] = "warm", timeout_s: float = 60.0) -> Verdict:
    """Check whether a CDK app in Python synthesizes (docs/scoring.md §1.5).

    Args:
        code: The app; it runs alone as `app.py` in an empty folder, in a sandbox without network.
        isolation: `strict` starts a fresh kernel.
        timeout_s: Seconds the app may run.

    Returns: Whether it passes; if not, the class of the first cause; and the templates.
    """
    from steelyard.bench.cdk_synth.verify import verify as check

    return check(code, isolation=isolation, timeout_s=timeout_s)


@spec
class BenchApps:
    """CDK apps, and how they are run."""

    apps: tuple[Path, ...] = argument(
        "Files, each a whole app, and folders with `cdk.json` (or `app.py`) and the files of an app.", "FILE...",
        converter=paths,
    )  # fmt: skip
    _: KW_ONLY
    isolation: Literal["warm", "strict"] = rare("Of CDK apps; strict: a fresh kernel for every app.", default="warm")
    timeout_s: float = parameter("Seconds each app may run.", default=60.0, above=0)
    progress: Progress = parameter("Called as apps end.", default=silent)


@takes(BenchApps)
def verify_files(spec: BenchApps) -> tuple[Verdict, ...]:
    """Check CDK apps in files and folders, several at a time.

    Returns: One verdict per app, in the same order.
    """
    from steelyard.bench.cdk_synth.synthesizer.prepare import prepared
    from steelyard.bench.cdk_synth.verify import read_app, verify_all

    codes = [read_app(app) for app in spec.apps]
    prepared()  # reports a missing tool before the progress begins
    ended = 0

    def count(_: int) -> None:
        nonlocal ended
        ended += 1
        spec.progress("verifying", ended, len(codes))

    return tuple(verify_all(codes, isolation=spec.isolation, timeout_s=spec.timeout_s, done=count))
