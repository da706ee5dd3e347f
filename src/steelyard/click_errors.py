"""Shows our errors under `inspect eval` as one line with the cure, instead of a traceback.

Inspect prints a traceback for errors it does not know, and its own error class is private. But it is a click program,
and click prints a `ClickException` as one line. So the errors that our tasks and models raise are both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

import click

from steelyard.errors import SteelyardError

P = ParamSpec("P")
T = TypeVar("T")


def as_click_error(error: SteelyardError) -> SteelyardError:
    """The same error as a subclass of `click.ClickException` too."""
    if isinstance(error, click.ClickException):
        return error
    return _both(type(error))(str(error.args[0]), cure=error.cure)


def one_line_errors(make: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that creates tasks or models: its errors become click errors."""

    @wraps(make)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return make(*args, **kwargs)
        except SteelyardError as error:
            raise as_click_error(error) from error

    return guarded


@cache
def _both(kind: type[SteelyardError]) -> type[SteelyardError]:
    # Only the arguments of SteelyardError are known: a class with a constructor of its own becomes a SteelyardError.
    own = kind if kind.__init__ is SteelyardError.__init__ else SteelyardError
    both: Any = type(own.__name__, (own, click.ClickException), {"format_message": SteelyardError.__str__})
    return both
