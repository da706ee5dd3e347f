"""Options of every command that may ask a judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from steelyard.judge.panel import MAX_REPEATS, Panel, panel

if TYPE_CHECKING:
    from steelyard.judge.rescore import Rescored

F = TypeVar("F", bound=Callable[..., Any])


def judge_options(function: F) -> F:
    """Add `--judge`, `--judge-repeats`, `--no-judge-cache` and `--require-judge` to a command.

    The function gets `judge: tuple[str, ...]`, `judge_repeats: int`, `no_judge_cache: bool`, `require_judge: bool`;
    hand them to `chosen_panel` by name.
    """
    for add in reversed(
        (
            click.option(
                "--judge", multiple=True, metavar="NAME", help="An Inspect model, auto or none; several make a jury."
            ),
            click.option(
                "--judge-repeats",
                type=click.IntRange(1, MAX_REPEATS),
                default=1,
                show_default=True,
                help="Verdicts asked of each judge per text.",
            ),
            click.option("--no-judge-cache", is_flag=True, help="Ask again instead of reusing stored verdicts."),
            click.option("--require-judge", is_flag=True, help="End in 2 when no judge is available."),
        )
    ):
        function = add(function)
    return function


def chosen_panel(
    *,
    judge: tuple[str, ...],
    judge_repeats: int = 1,
    no_judge_cache: bool = False,
    require_judge: bool = False,
    default: Literal["none", "auto"] = "none",
) -> Panel | None:
    """The panel behind the options, `STEELYARD_JUDGE` and the wing's default.

    By name only: click hands options over in the order in which they were typed.
    """
    return panel(judge, default=default, require=require_judge, repeats=judge_repeats, cache=not no_judge_cache)


def tally(done: Rescored) -> str:
    """What became of a log, in a line."""
    told = f"{done.graded} graded, {done.scored} scored, {done.open} open"
    return f"{told}, {done.kept} keep their earlier score" if done.kept else told
