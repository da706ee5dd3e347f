"""Options that several functions share: written, typed and explained once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Literal, ParamSpec, TypedDict, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def one_or_several(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let callers give one value where these parameters take a sequence: a text would be read letter by letter."""

    def accepting(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function)
        named = [each.name for each in parameters.parameters.values() if each.kind is Parameter.VAR_KEYWORD]

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = parameters.bind(*args, **kwargs)
            for holder in (bound.arguments, *(bound.arguments.get(name, {}) for name in named)):
                for name in names:
                    if _is_one(value := holder.get(name)):
                        holder[name] = (value,)
            return function(*bound.args, **bound.kwargs)

        return call

    return accepting


def _is_one(value: object) -> bool:
    return isinstance(value, str) or not (value is None or isinstance(value, Iterable))


class BoardOptions(TypedDict, total=False):
    """How a board is made of logs.

    Args:
        min_coverage: No number is published below this share of scored runs if the failures are not the model's; 0.95
            by default.
        pool: Average all complete logs with equal fingerprints instead of taking the newest.
        scorer: Which scores count: `heuristic`, `judge`, or the name of a scorer.
        diagrams: Which diagram mode counts: `image` or `text`.
        seed: Seed of the rank bootstrap.
        sort: What tables are sorted by: `overall` (by default), `strict`, a category, `cost`, `maker`, `release`,
            `licence`, `size` or `price`. The rows themselves stay best first.
        suite: Whose board: `official` (by default) or `hard`; logs of other suites do not count.
        dataset: A folder with items of your own, instead of a shipped suite.
        categories: A file that names any Inspect tasks and their weights, instead of a shipped suite.
    """

    min_coverage: float
    pool: bool
    scorer: str | None
    diagrams: Literal["image", "text"] | None
    seed: int
    sort: str
    suite: str
    dataset: str | Path | None
    categories: str | Path | None


class Marking(TypedDict, total=False):
    """Who marks the findings of an audit: exactly one way.

    Args:
        marks: Sheet with a person's marks.
        judge: Judge models; `STEELYARD_JUDGE` when neither this nor another way is given.
        judge_repeats: Verdicts per judge; 1 by default.
        judge_cache: Whether stored verdicts may be reused; they are by default.
        require_judge: Fail if no judge is available.
        lexical: Estimate by words: offline, deterministic, not a verdict.
        located: Mark by file and line, for tools that name them.
    """

    marks: str | Path | None
    judge: Sequence[str]
    judge_repeats: int
    judge_cache: bool
    require_judge: bool
    lexical: bool
    located: bool


class DocumentMarking(Marking, total=False):
    """Who marks the findings in one document: the ways of `Marking`, or a chat.

    Args:
        verdict: Reply of a chat to the questions of `audit_ask`.
        verdict_model: The model that gave this reply; a line `model: NAME` in the reply says it too.
    """

    verdict: str | Path | None
    verdict_model: str


def optional_path(path: str | Path | None) -> Path | None:
    """A path as it is given, or none."""
    return None if path is None else Path(path)
