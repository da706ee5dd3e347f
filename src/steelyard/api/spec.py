"""One frozen spec per verb: what a person can set is a field with a type, a default and a help text, written once.

    @spec
    class Attack(Judges):
        kinds: tuple[str, ...] = option("Only attacks of these kinds.", "--kind", default=(), converter=texts)

    @takes(Attack)
    def attack(spec: Attack) -> AttackResult: ...

`takes` makes a function of one spec callable by the spec's fields, with their types (`attack(judge="auto")`), or by a
spec. `cli.spec.options_of` makes the options of the command of the same fields, and `scripts/api-docs` the page on the
API. A converter says what else a caller may give: a text for a path, one value where a field has several.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from datetime import date, datetime
from functools import update_wrapper
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast, dataclass_transform, overload

from steelyard.errors import InputError
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.location import Location
else:
    Location = Any

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")

Notify = Callable[[str], None]
"""Called with one line of progress."""

Progress = Callable[[str, int, int], None]
"""Called with what is running, how much of it has ended, and out of how much."""


def silent(*_: object) -> None:
    """Nobody wants to know."""


def file(value: str | Path) -> Path:
    """A path that must be given, also from text; `location` is the same for URLs."""
    return Path(value)


def new_folder(value: str | Path) -> Path:
    """A folder to write into, which may not be there yet."""
    if (given := Path(value)).is_file():
        raise InputError(f"{given} is a file", cure="name a folder")
    return given


def path(value: str | Path | None) -> Path | None:
    """A path, also from text."""
    return None if value is None else Path(value)


def paths(value: str | Path | Iterable[str | Path]) -> tuple[Path, ...]:
    """Paths, also from one alone."""
    return tuple(Path(each) for each in _several(value))


def place(value: str | Location | None) -> Location | None:
    """A path or a URL, also from text."""
    return None if value is None else location(value)


def places(value: str | Location | Iterable[str | Location]) -> tuple[Location, ...]:
    """Paths or URLs, also from one alone."""
    return tuple(location(each) for each in _several(value))


def sources(value: str | Location | Iterable[str | Location]) -> tuple[str, ...]:
    """Folders, files, globs, or URLs of any of these (`s3://…`), also from one alone."""
    return tuple(str(each) for each in _several(value))


def day(value: str | date | None) -> date | None:
    """A date, also from text (2026-12-31)."""
    try:
        given = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError as error:
        raise InputError(f"{value!r} is not a date", cure="for example 2026-12-31") from error
    return given.date() if isinstance(given, datetime) else given


def texts(value: str | Iterable[str]) -> tuple[str, ...]:
    """Texts, also from one alone: a text is never read letter by letter."""
    return tuple(_several(value))


def pairs(value: Mapping[str, Any] | Iterable[tuple[str, Any]] | None) -> dict[str, Any]:
    """Settings by name, as a mapping or as pairs."""
    return dict(value or ())


def _several(value: Any) -> Iterable[Any]:
    if value is None:
        return ()
    return cast(Any, value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)


@dataclass(frozen=True, slots=True)
class Option:
    """What the command line and the docs know about a field."""

    help: str
    names: tuple[str, ...] = ()
    """Words of the command line; `--name-of-the-field` if empty. `--no-…` turns a field off."""
    rare: bool = False
    """Whether `--help` only names it, and `--help-all` explains it."""
    metavar: str | None = None
    argument: bool = False
    """Whether it is an argument and no option."""
    least: float | None = None
    above: float | None = None
    """Like `least`, which itself is not allowed."""
    most: float | None = None
    choices: Sequence[str] = ()
    """What it can be, where the type does not say it."""
    single: bool = False
    """Whether the command line takes one value where programs may give several."""
    or_none: bool = False
    """Whether the word `none` stands for None."""
    programs: bool = False
    """Whether only programs set it, so that there is no option."""


def option(
    help: str,
    *names: str,
    default: Any = MISSING,
    converter: Callable[[Any], Any] | None = None,
    rare: bool = False,
    metavar: str | None = None,
    argument: bool = False,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    choices: Sequence[str] = (),
    single: bool = False,
    or_none: bool = False,
    programs: bool = False,
) -> Any:
    """A field that people set (`Option` explains the arguments); without a default it is required."""
    shown = Option(help, names, rare, metavar, argument, least, above, most, choices, single, or_none, programs)
    return field(default=default, metadata={"option": shown, "converter": converter})


@dataclass_transform(frozen_default=True, field_specifiers=(option, field))
def spec(cls: type[T]) -> type[T]:
    """Make a frozen dataclass whose fields accept what their converters do."""

    def convert(self: Any) -> None:
        for each in fields(self):
            if (converter := each.metadata.get("converter")) is not None:
                object.__setattr__(self, each.name, converter(getattr(self, each.name)))

    cls.__post_init__ = convert
    return dataclass(frozen=True)(cls)


def require_ranges(given: Any) -> None:
    """Raise an `InputError` for the first number of a spec that is not finite and in its range: for programs."""
    for each in fields(given):
        shown, value = each.metadata.get("option"), getattr(given, each.name)
        if shown is None or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        least = shown.least if shown.above is None else shown.above
        low, high = -math.inf if least is None else least, math.inf if shown.most is None else shown.most
        if not (low <= value <= high and math.isfinite(value)) or value == shown.above:
            raise InputError(f"{each.name} is {value:g} and must be between {low:g} and {high:g}")


class Verb(Generic[P, S, R]):
    """A function of one spec that is called with the spec, or with its fields."""

    def __init__(self, spec: Callable[P, S], function: Callable[[S], R]) -> None:
        self.spec, self._function = spec, function
        update_wrapper(self, function)
        parameters = signature(spec).parameters.values()
        returned = signature(function).return_annotation
        self.__signature__ = Signature([each for each in parameters if each.name != "self"], return_annotation=returned)

    @overload
    def __call__(self, spec: S, /) -> R: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    def __call__(self, *args: Any, **kwargs: Any) -> R:
        own: Any = self.spec
        given = args[0] if len(args) == 1 and not kwargs and isinstance(args[0], own) else own(*args, **kwargs)
        require_ranges(given)
        return self._function(given)


def takes(spec: Callable[P, S]) -> Callable[[Callable[[S], R]], Verb[P, S, R]]:
    """Let a function of one spec be called with the fields of the spec."""
    return lambda function: Verb(spec, function)
