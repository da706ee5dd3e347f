"""One frozen spec per verb: what a person can set is a field with a type, a default and a help text, written once.

    @spec
    class Attack(Judges):
        kinds: tuple[str, ...] = option("Only attacks of this kind.", "--kind", "KIND", default=(), converter=texts)

    @takes(Attack)
    def attack(spec: Attack) -> AttackResult: ...

`takes` makes a function of one spec callable by the spec's fields, with their types (`attack(judge="auto")`), or by a
spec. `cli.spec.options_of` makes the options of the command of the same fields, and `scripts/api-docs` the page on the
API. A converter (`api.values`) says what else a caller may give: a text for a path, one value for several.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import update_wrapper
from inspect import Signature, signature
from typing import (
    Any,
    Generic,
    Literal,
    ParamSpec,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from steelyard.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Option:
    """What the command line and the docs know about a field."""

    help: str
    names: tuple[str, ...] = ()
    """Words of the command line; `--name-of-the-field` if empty. `--no-…` turns a field off."""
    metavar: str | None = None
    rare: bool = False
    """Whether `--help` only names it, and `--help-all` explains it."""
    argument: bool = False
    """Whether it is an argument and no option."""
    programs: bool = False
    """Whether only programs set it, so that there is no option."""
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


Converter = Callable[[Any], Any] | None


def option(help: str, *words: str, default: Any = MISSING, converter: Converter = None, **shown: Any) -> Any:
    """A field that people set, by `--name-of-the-field` or by the `words` with a dash; another word is its metavar.

    `shown` are fields of `Option`. Without a default it is required.
    """
    names = tuple(word for word in words if word.startswith("-"))
    metavar = next((word for word in words if word not in names), None)
    return field(default=default, metadata={"option": Option(help, names, metavar, **shown), "converter": converter})


def rare(help: str, *words: str, default: Any = MISSING, converter: Converter = None, **shown: Any) -> Any:
    """An option that few need."""
    return option(help, *words, default=default, converter=converter, rare=True, **shown)


def argument(help: str, *words: str, default: Any = MISSING, converter: Converter = None, **shown: Any) -> Any:
    """A field that is an argument of the command."""
    return option(help, *words, default=default, converter=converter, argument=True, **shown)


def parameter(help: str, *, default: Any = MISSING, converter: Converter = None, **shown: Any) -> Any:
    """A field that only programs set."""
    return option(help, default=default, converter=converter, programs=True, **shown)


@dataclass_transform(frozen_default=True, field_specifiers=(option, rare, argument, parameter, field))
def spec(cls: type[T]) -> type[T]:
    """Make a frozen dataclass whose fields accept what their converters do."""
    return _converting(cls, kw_only=False)


@dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(option, rare, argument, parameter, field)
)
def named(cls: type[T]) -> type[T]:
    """A spec whose fields are only given by name."""
    return _converting(cls, kw_only=True)


def _converting(cls: type[T], *, kw_only: bool) -> type[T]:
    def convert(self: Any) -> None:
        for each in fields(self):
            # A frozen dataclass refuses plain assignment even in its own `__post_init__`.
            if (converter := each.metadata.get("converter")) is not None:
                object.__setattr__(self, each.name, converter(getattr(self, each.name)))

    cls.__post_init__ = convert
    return dataclass(frozen=True, kw_only=kw_only)(cls)


def settable(spec: Any) -> list[Field[Any]]:
    """The fields of a spec that a caller may set: all that say what they are, but for the `UNUSED` ones.

    `UNUSED` names fields that a spec has from its groups, and that change nothing where it is used.
    """
    unused = getattr(spec, "UNUSED", ())
    return [each for each in fields(spec) if "option" in each.metadata and each.name not in unused]


def part(given: Any, group: type) -> dict[str, Any]:
    """The fields of another class that a spec has too, as they are in the spec."""
    return {each.name: getattr(given, each.name) for each in fields(group) if hasattr(given, each.name)}


def checked(given: T) -> T:
    """A spec whose values a command would take: programs are told what click tells people."""
    require_used(given)
    require_choices(given)
    require_ranges(given)
    return given


def require_used(given: Any) -> None:
    """Raise an `InputError` for the first field that was given although it would change nothing."""
    used = {each.name for each in settable(given)}
    for each in fields(given):
        if each.name not in used and getattr(given, each.name) != each.default:
            raise InputError(f"{each.name} has no effect here", cure="leave it out")


def choices(each: Field[Any], hint: Any) -> tuple[Any, ...]:
    """What a field can be, as its option or its type lists it; empty if neither does."""
    literal = next((part for part in (hint, *get_args(hint)) if get_origin(part) is Literal), None)
    return tuple(each.metadata["option"].choices) or get_args(literal)


def require_choices(given: Any) -> None:
    """Raise an `InputError` for the first value that is none of those its field can have."""
    hints = get_type_hints(type(given))
    for each in settable(given):
        known, value = choices(each, hints[each.name]), getattr(given, each.name)
        for one in value if isinstance(value, tuple) else (value,):
            if known and one != each.default and one not in known:
                raise InputError(f"{each.name}: {one!r} is not one of {', '.join(known)}")


def require_ranges(given: Any) -> None:
    """Raise an `InputError` for the first number of a spec that is not finite and in its range."""
    for each in settable(given):
        shown, value = each.metadata["option"], getattr(given, each.name)
        # A bool is an int in Python, but flags have no range.
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        least = shown.least if shown.above is None else shown.above
        low, high = -math.inf if least is None else least, math.inf if shown.most is None else shown.most
        # A whole number may be too large for `isfinite`, and is finite.
        if not (low <= value <= high and abs(value) != math.inf) or value == shown.above:
            raise InputError(f"{each.name} is {value} and must be between {low:g} and {high:g}")


class Verb(Generic[P, S, R]):
    """A function of one spec that is called with the spec, or with its fields."""

    def __init__(self, spec: Callable[P, S], function: Callable[[S], R]) -> None:
        self.spec, self._function = spec, function
        update_wrapper(self, function)
        names = {each.name for each in settable(spec)}
        parameters = [each for each in signature(spec).parameters.values() if each.name in names]
        self.__signature__ = Signature(parameters, return_annotation=signature(function).return_annotation)

    @overload
    def __call__(self, spec: S, /) -> R: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    def __call__(self, *args: Any, **kwargs: Any) -> R:
        own: Any = self.spec
        given = args[0] if len(args) == 1 and not kwargs and isinstance(args[0], own) else own(*args, **kwargs)
        return self._function(checked(given))


def takes(spec: Callable[P, S]) -> Callable[[Callable[[S], R]], Verb[P, S, R]]:
    """Let a function of one spec be called with the fields of the spec."""
    return lambda function: Verb(spec, function)
