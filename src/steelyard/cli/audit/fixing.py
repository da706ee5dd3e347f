"""Options of `--marker consequence`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from steelyard import api
from steelyard.cli.audit.options import FILE
from steelyard.cli.options import rare
from steelyard.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])
_OTHERS = ("marks", "judge", "lexical", "located", "verdict")


def fixer_options(function: F) -> F:
    """Add `--marker consequence`, the options of the fixer and `--bonus-by-test`; `fixer_of` takes their values."""
    for add in reversed(
        (
            click.option("--marker", type=click.Choice(["consequence"]), help="Mark by what repairs follow."),
            rare("--fixer", metavar="AGENT", help="Agent of the gate that repairs, for --marker consequence."),
            rare("--fixer-command", metavar="WORDS", help="Program of the fixer `command`."),
            rare("--fixer-model", metavar="MODEL", help="Model of the fixer."),
            rare("--fixer-logs", type=FILE, metavar="DIR", help="Where repairs are logged and found again."),
            rare("--bonus-by-test", is_flag=True, help="Other findings may prove themselves with a red test."),
        )
    ):
        function = add(function)
    return function


def fixer_of(arguments: dict[str, Any]) -> api.Fixer | None:
    """Takes the options of the fixer out of the arguments; None if another way to mark was chosen."""
    names = ("marker", "fixer", "fixer_command", "fixer_model", "fixer_logs", "bonus_by_test")
    marker, agent, command, model, logs, bonus = (arguments.pop(name) for name in names)
    if marker is None:
        if agent or command or model or logs or bonus:
            raise InputError("a fixer repairs for --marker consequence only", cure="--marker consequence")
        return None
    if any(arguments.get(name) for name in _OTHERS):
        raise InputError("more than one way to mark the runs was chosen", cure="--marker consequence alone")
    if agent is None and command is None:
        raise InputError("--marker consequence needs an agent that repairs", cure="--fixer claude-code, for example")
    where = {} if logs is None else {"log_dir": Path(logs)}
    words = tuple(shlex.split(command)) if command else ()
    return api.Fixer(agent or "command", words, model, bonus_by_test=bonus, **where)
