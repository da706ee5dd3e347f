"""Options and rescoring shared by the commands that may use a judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import note, rare
from steelyard.errors import LogError, SteelyardError
from steelyard.judge.panel import MAX_REPEATS, PROTOCOLS, Panel, by_protocol, panel

if TYPE_CHECKING:
    from steelyard.logs.rescore import Rescored

F = TypeVar("F", bound=Callable[..., Any])


def judge_options(function: F) -> F:
    """Add `--judge`, `--judge-protocol`, `--judge-repeats`, `--no-judge-cache` and `--require-judge` to a command.

    The function gets `judge: tuple[str, ...]`, `judge_repeats: int`, `no_judge_cache: bool`, `require_judge: bool`;
    hand them to `chosen_panel` by name.
    """
    for add in reversed(
        (
            click.option(
                "--judge",
                multiple=True,
                metavar="NAME",
                callback=_by_protocol,
                help="An Inspect model, auto or none; several make a jury.",
            ),
            rare(
                "--judge-protocol",
                type=click.Choice(PROTOCOLS),
                default="single",
                show_default=True,
                is_eager=True,  # known before the names are read
                expose_value=False,
                callback=_note_protocol,
                help="Grade in one call, or by quoted passages that further calls see alone.",
            ),
            rare(
                "--judge-repeats",
                type=click.IntRange(1, MAX_REPEATS),
                default=1,
                show_default=True,
                help="Verdicts per judge and text.",
            ),
            rare("--no-judge-cache", is_flag=True, help="Ask again instead of reusing stored verdicts."),
            rare("--require-judge", is_flag=True, help="Exit with 2 if no judge is available."),
        )
    ):
        function = add(function)
    return function


def _note_protocol(context: click.Context, _: click.Parameter, value: str) -> None:
    context.meta[_PROTOCOL] = value


def _by_protocol(context: click.Context, _: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    return by_protocol(names, str(context.meta[_PROTOCOL]))


_PROTOCOL = "steelyard.judge_protocol"
"""Where the command's context keeps the protocol until the judges are read."""


def chosen_panel(
    *,
    judge: tuple[str, ...],
    judge_repeats: int = 1,
    no_judge_cache: bool = False,
    require_judge: bool = False,
    default: Literal["none", "auto"] = "none",
) -> Panel | None:
    """The panel behind the options, `STEELYARD_JUDGE` and the wing's default.

    Keyword-only, because click passes options in the order in which they were typed.
    """
    return panel(judge, default=default, require=require_judge, repeats=judge_repeats, cache=not no_judge_cache)


def judge_arguments(panel: Panel | None) -> dict[str, Any]:
    """A panel as the arguments that `api.bench_rescore`, `api.audit_rescore` and `api.gate_rescore` take."""
    if panel is None:
        return {}
    return {"judge": panel.judges, "judge_repeats": panel.repeats, "judge_cache": panel.cache}


def rescore_each(logs: Sequence[str], grade: Callable[[str], Rescored | None]) -> Exit:
    """Grade every log in `logs`, and report each result before the next log.

    A log of another wing is skipped and a log that fails is named; neither stops the others. `grade` returns None for
    a log that was already graded under another path. It is an error if there is nothing to grade at all.
    """
    from steelyard.logs.read import find_logs
    from steelyard.logs.rescore import NothingToJudge

    paths = find_logs(logs)
    if not paths:
        raise LogError(f"no eval logs in {', '.join(logs)}")
    finished: list[bool] = []
    skipped: list[NothingToJudge] = []
    for path in paths:
        try:
            done = grade(path)
        except NothingToJudge as reason:
            skipped.append(reason)
        except SteelyardError as error:
            finished.append(False)
            note(f"! {error}")
        else:
            if done is not None:
                finished.append(done.finished)
                _report(done)
    if skipped and not finished:
        raise skipped[0]
    for reason in skipped:
        note(f"skipped: {reason.args[0]}")
    return Exit.FINE if all(finished) else Exit.UNANSWERED


def _report(done: Rescored) -> None:
    counts = f"{done.graded} graded, {done.scored} scored, {done.open} open"
    click.echo(f"{done.path}: {counts}{f', {done.kept} keep their earlier score' if done.kept else ''}")
    for reason in done.reasons:
        note(f"  {reason}")
