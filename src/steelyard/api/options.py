"""Options that several functions share: written, typed and explained once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import ParamSpec, TypeVar

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


def optional_path(path: str | Path | None) -> Path | None:
    """A path as it is given, or none."""
    return None if path is None else Path(path)
