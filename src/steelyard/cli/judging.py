"""What commands that may ask a judge share: its options, and grading logs again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import note
from steelyard.errors import LogError, SteelyardError
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


def rescore_each(logs: Sequence[str], grade: Callable[[str], Rescored | None]) -> Exit:
    """Grade every log behind `logs` and tell what became of it before the next one is begun.

    One that is not this wing's is passed over, one that fails is named, and neither stops the others; `grade` gives
    None for a log that stands for one already graded. Nothing to grade at all is an error.
    """
    from steelyard.judge.rescore import NothingToJudge
    from steelyard.logs.read import find_logs

    found = find_logs(logs)
    if not found:
        raise LogError(f"no eval logs in {', '.join(logs)}")
    finished: list[bool] = []
    passed: list[NothingToJudge] = []
    for path in found:
        try:
            done = grade(path)
        except NothingToJudge as reason:
            passed.append(reason)
        except SteelyardError as error:
            finished.append(False)
            note(f"! {error}")
        else:
            if done is not None:
                finished.append(done.finished)
                _tell(done)
    if passed and not finished:
        raise passed[0]
    for reason in passed:
        note(f"passed over: {reason.args[0]}")
    return Exit.FINE if all(finished) else Exit.UNANSWERED


def _tell(done: Rescored) -> None:
    told = f"{done.graded} graded, {done.scored} scored, {done.open} open"
    click.echo(f"{done.path}: {told}{f', {done.kept} keep their earlier score' if done.kept else ''}")
    for reason in done.reasons:
        note(f"  {reason}")
