"""Suites, items of your own, and single answers: `steelyard bench new`, `try` and `schema` as functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from steelyard.api.spec import Progress, paths, silent, texts

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

    Returns:
        The suite.

    Raises:
        InputError: There is no such suite, or the folder has problems; its `problems` then has one line for each.
    """
    from steelyard.bench.suite import OFFICIAL, find_suite
    from steelyard.errors import InputError

    if sum((name != OFFICIAL.name, dataset is not None, categories is not None)) > 1:
        raise InputError("more than one of a suite, a folder of items and a file of tasks", cure="give one of them")
    if categories is not None:
        from steelyard.bench.board_file import tasks_suite

        return tasks_suite(categories)
    if dataset is None:
        return find_suite(name)
    from steelyard.bench.own.category import own_suite

    return own_suite(dataset)


def bench_score(
    item: str,
    answer: str | Path,
    *,
    dataset: str | Path | None = None,
    scorer: str | None = None,
    judges: str | Iterable[str] = (),
) -> ItemScore:
    """Score one answer to one item as a run would, and say why.

    Args:
        item: The id of an item of a shipped suite, or of `dataset`.
        answer: A file with the whole reply, or the reply itself as a `str`.
        dataset: A folder with items of your own; without it the item is looked up in all shipped suites.
        scorer: How to score, where the category has several ways.
        judges: Inspect models that grade, for a scorer that needs a judge.

    Returns:
        The score, or whose failure it is that there is none, and what the scorer recorded.

    Raises:
        InputError: There is no such item, or the answer or the folder cannot be used.
        ToolchainError: A tool that the category needs is missing.
        SandboxError: No sandbox is available.
        JudgeError: A judge is not available.
    """
    from steelyard.artifact import read_text
    from steelyard.bench.item_score import LIMIT, score_item
    from steelyard.bench.run.plan import RunSpec

    text = read_text(answer, LIMIT) if isinstance(answer, Path) else answer
    suites = () if dataset is None else (bench_suite(dataset=dataset),)
    chosen = scorer or ("judge" if judges else None)
    return score_item(
        item, text, suites, RunSpec(("mockllm/model",), scorer=chosen, judges=texts(judges), diagrams="text")
    )


def bench_new(folder: str | Path, kinds: str | Iterable[str] = ()) -> tuple[Path, ...]:
    """Write a folder with a `bench.yaml` and example items that run as they are.

    Args:
        folder: Where to write; created if it does not exist. Existing files are never overwritten.
        kinds: Of `exam`, `text`, `architecture` and `cdk`; exam and text if empty.

    Returns:
        The files that were written.

    Raises:
        InputError: One of the files exists already, or there is no such kind.
    """
    from steelyard.bench.own.skeleton import DEFAULT, write_skeleton

    return write_skeleton(Path(folder), cast(Any, texts(kinds) or DEFAULT))


def bench_schema(what: str = "leaderboard") -> Mapping[str, object]:
    """Get a JSON Schema.

    Args:
        what: `leaderboard`; `bench` for the `bench.yaml` of your own items; or `exam`, `text`, `architecture` or `cdk`
            for one such item.

    Returns:
        The schema.

    Raises:
        InputError: There is no such schema.
    """
    from steelyard import artifact
    from steelyard.bench.own.model import ITEMS, BenchFile
    from steelyard.errors import InputError

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

    Returns:
        Whether it passes; if not, the class of the first cause; and the templates.

    Raises:
        ToolchainError: The extra `cdk` is not installed.
        SandboxError: No sandbox is available.
    """
    from steelyard.bench.cdk_synth.verify import verify as check

    return check(code, isolation=isolation, timeout_s=timeout_s)


def verify_files(
    apps: str | Path | Iterable[str | Path],
    *,
    isolation: Literal["warm", "strict"] = "warm",
    timeout_s: float = 60.0,
    progress: Progress = silent,
) -> tuple[Verdict, ...]:
    """Check CDK apps in files and folders, several at a time.

    Args:
        apps: Files, each a whole app, and folders with `cdk.json` (or `app.py`) and the files of an app.
        isolation: `strict` starts a fresh kernel for every app.
        timeout_s: Seconds each app may run.
        progress: Called as apps end.

    Returns:
        One verdict per app, in the same order.

    Raises:
        InputError: An app cannot be read, is too large, or is not run by Python.
        ToolchainError: The extra `cdk` is not installed.
        SandboxError: No sandbox is available.
    """
    from steelyard.bench.cdk_synth.synthesizer.prepare import prepared
    from steelyard.bench.cdk_synth.verify import read_app, verify_all

    codes = [read_app(path) for path in paths(apps)]
    prepared()  # reports a missing tool before the progress begins
    ended = 0

    def count(_: int) -> None:
        nonlocal ended
        ended += 1
        progress("verifying", ended, len(codes))

    return tuple(verify_all(codes, isolation=isolation, timeout_s=timeout_s, done=count))
