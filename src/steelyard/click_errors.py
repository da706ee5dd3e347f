"""Errors of ours under `inspect eval`: one line with the cure there too.

Inspect shows foreign errors as a traceback, and its own kind of error is private. It is a click program, though, and
click prints its exceptions as one line. So what our tasks and models raise is of both kinds.
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
    """The same error, of a kind that click prints as well."""
    if isinstance(error, click.ClickException):
        return error
    return _both(type(error))(str(error.args[0]), cure=error.cure)


def one_line_errors(make: Callable[P, T]) -> Callable[P, T]:
    """A maker of tasks or models whose errors are `plain`."""

    @wraps(make)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return make(*args, **kwargs)
        except SteelyardError as error:
            raise as_click_error(error) from error

    return guarded


@cache
def _both(kind: type[SteelyardError]) -> type[SteelyardError]:
    # A kind with an initialiser of its own is told again as a plain SteelyardError: only these two arguments are known.
    own = kind if kind.__init__ is SteelyardError.__init__ else SteelyardError
    both: Any = type(own.__name__, (own, click.ClickException), {"format_message": SteelyardError.__str__})
    return both
