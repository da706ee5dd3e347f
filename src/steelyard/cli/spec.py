"""Makes the options of a command from the fields of its spec (`api.spec`): type, default and help stand there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field
from datetime import date
from functools import wraps
from inspect import get_annotations
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import click

from steelyard.api.spec import Option, choices, settable
from steelyard.cli.options import KeyValues, Number, Place, Whole

R = TypeVar("R")

FILE = click.Path(path_type=Path)
"""A path on the command line."""

_KINDS: dict[Any, click.ParamType[Any]] = {Path: FILE, Any: Place(), str: click.STRING, date: click.STRING}
"""By the type of a value; a place is `Any` where it is read."""


def options_of(
    spec: Callable[..., Any], *, rare: Collection[str] = (), omit: Collection[str] = ()
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Add an option for each field of `spec`; the command gets the spec first, and its other options by name.

    Args:
        spec: The spec of the command.
        rare: Fields that few need in this command, beside those that few need anywhere.
        omit: Fields that this command takes otherwise; they keep their defaults.
    """
    chosen = [each for each in _in_order(spec) if not each.metadata["option"].programs and each.name not in omit]

    def add(function: Callable[..., R]) -> Callable[..., R]:
        @wraps(function)
        def call(*before: Any, **told: Any) -> R:  # with the specs of other decorators
            own = {each.name: _given(each, told.pop(each.name)) for each in chosen}
            return function(*before, spec(**own), **told)

        hints = get_type_hints(spec)
        # Reversed, so that --help lists the options in the order of the fields.
        for each in reversed(chosen):
            _add(each, hints[each.name], each.name in rare)(call)
        return call

    return add


def command_of(
    spec: Callable[..., Any], name: str | None = None, *, rare: Collection[str] = (), omit: Collection[str] = ()
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function the command of a spec, as `options_of` has it."""
    return lambda function: click.command(name)(options_of(spec, rare=rare, omit=omit)(function))


def _in_order(spec: Any) -> Iterator[Field[Any]]:
    """The fields of the spec itself, then those of the groups it has."""
    known = {each.name: each for each in settable(spec)}
    for owner in spec.__mro__:
        for name in get_annotations(owner):
            if name in known:
                yield known.pop(name)


def _given(each: Field[Any], value: Any) -> Any:
    shown: Option = each.metadata["option"]
    # The command line gives None for an absent argument, but the default of the field is a tuple.
    if value is None and shown.single:
        return each.default
    return not value if any(name.startswith("--no-") for name in shown.names) else value


def _add(each: Field[Any], hint: Any, rare: bool) -> Callable[[Any], Any]:
    """One option or argument."""
    shown: Option = each.metadata["option"]
    if get_origin(hint) in (Union, UnionType):
        hint = get_args(hint)[0]  # the other one is None
    required = each.default is MISSING
    several = get_origin(hint) in (tuple, Mapping) and not shown.single
    kind = _type(each, get_args(hint)[0] if get_origin(hint) is tuple else hint)
    default: dict[str, Any] = {} if required or several or shown.single else {"default": each.default}
    if shown.argument:
        amount: dict[str, Any] = {"nargs": -1} if several else default
        return click.argument(each.name, required=required, type=kind, metavar=shown.metavar, **amount)
    words = (*(shown.names or (f"--{each.name.replace('_', '-')}",)), each.name)
    about: dict[str, Any] = {"help": shown.help, "hidden": shown.rare or rare}
    if hint is bool and "/" in words[0]:
        # None means that neither form was given, so the settings file decides.
        return click.option(*words, default=None, **about)
    if hint is bool:
        return click.option(*words, is_flag=True, default=False, **about)
    told = not required and each.default not in (None, "", ())
    return click.option(
        *words, type=kind, multiple=several, required=required, metavar=shown.metavar, show_default=told, **default,
        **about,
    )  # fmt: skip


def _type(each: Field[Any], hint: Any) -> click.ParamType[Any]:
    shown: Option = each.metadata["option"]
    if known := choices(each, hint):
        return click.Choice(known)
    if hint in _KINDS:
        return _KINDS[hint]
    if get_origin(hint) is Mapping:
        return KeyValues()
    if hint is int:
        low, high = (None if bound is None else int(bound) for bound in (shown.least, shown.most))
        return Whole(low, high)
    least = shown.least if shown.above is None else shown.above
    number = Number(least, shown.most, min_open=shown.above is not None)
    return OrNone(number) if shown.or_none else number


class OrNone(click.ParamType[Any]):
    """What another type takes, or the word `none`."""

    def __init__(self, kind: click.ParamType[Any]) -> None:
        self.kind, self.name = kind, f"{kind.name}|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return None if value is None or str(value).lower() == "none" else self.kind.convert(value, param, ctx)
