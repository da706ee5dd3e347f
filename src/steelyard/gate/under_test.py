"""What is under test, and what measures it (docs/scoring.md §3.5). Pure.

Two sides may differ in anything that belongs to the subject: the model, its arguments, the agent, the solver, a task
argument that reaches only the solver or the prompt. Each such difference is named. What measures must be equal:
dataset, scorer, judge, rubric, limits, epochs. A task argument might belong to either. It is the subject's if the logs
show where it went: the solvers differ by its value, or by whatever it chose where it is the only one that differs, or
the inputs of all samples differ by the same words around them. Otherwise `--vary NAME` says so.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, cast

from steelyard.gate.model import Arm, NoVerdict

_ABSENT = "absent"
TASK_ARGUMENT = "task_args."
"""How the name of a task argument begins in an arm's identity; several tasks have their name before it."""

_LENGTH = 60
"""Characters of a value that are shown."""


class UnderTest(NamedTuple):
    """How two sides differ."""

    differences: tuple[str, ...]
    """Of the subject, in words: `prompt: OLD → NEW`."""
    obstacle: NoVerdict | None
    """Why they cannot be compared."""


def under_test(baseline: Arm, candidate: Arm, vary: Collection[str]) -> UnderTest:
    """The differences of the subject, or those of the measure, which make a comparison impossible."""
    known = {argument_name(field) for field in (*baseline.identity, *candidate.identity)} - {None}
    # A misspelt name would otherwise be ignored without a word.
    if unknown := [name for name in vary if name not in known]:
        return UnderTest((), _no_such(unknown[0], sorted(filter(None, known))))
    found = differing_fields(baseline.identity, candidate.identity)
    subject = baseline.subject | candidate.subject
    arguments = [difference for difference in found if argument_name(difference[0]) is not None]
    others = [difference for difference in found if argument_name(difference[0]) is None]
    told = _told(baseline, candidate, arguments)
    named = {name for name, *_ in arguments if name in told or argument_name(name) in vary}
    measures = [difference for difference in others if difference[0] not in subject]
    open_ones = [difference for difference in arguments if difference[0] not in named]
    if measures or open_ones:
        return UnderTest((), _refused(measures, open_ones))
    explained = bool(arguments)
    # The argument already names what it changed in the solvers.
    tested = [difference for difference in found if not (explained and difference[0].startswith("solver "))]
    return UnderTest(tuple(_words(*difference) for difference in tested), None)


def argument_name(field: str) -> str | None:
    """The task argument that a field of an identity is; None for other fields."""
    _, separator, name = field.partition(TASK_ARGUMENT)
    return name if separator else None


def differing_fields(one: Mapping[str, object], other: Mapping[str, object]) -> list[tuple[str, object, object]]:
    """(field, value, other value) for every field that differs."""
    pairs = ((name, one.get(name, _ABSENT), other.get(name, _ABSENT)) for name in sorted({*one, *other}))
    return [(name, value, counterpart) for name, value, counterpart in pairs if value != counterpart]


def _told(baseline: Arm, candidate: Arm, arguments: list[tuple[str, object, object]]) -> set[str]:
    """The arguments that the logs show to have reached the solver or the prompt."""
    steps = [
        {name: value for name, value in arm.identity.items() if name.startswith("solver ")}
        for arm in (baseline, candidate)
    ]
    # If several arguments differ, a changed solver does not tell which of them reached it.
    if baseline.framed or candidate.framed or (steps[0] != steps[1] and len(arguments) == 1):
        return {name for name, *_ in arguments}
    values = [[leaf for step in arm.values() for leaf in _leaves(step)] for arm in steps]
    return {
        name
        for name, one, other in arguments
        if steps[0] != steps[1] and _reached(one, values[0], values[1]) and _reached(other, values[1], values[0])
    }


def _leaves(value: Any) -> list[Any]:
    """The numbers, texts and flags in the parameters of a solver."""
    if isinstance(value, Mapping):
        return [leaf for part in cast(Mapping[Any, Any], value).values() for leaf in _leaves(part)]
    if isinstance(value, (list, tuple)):
        return [leaf for part in cast(Sequence[Any], value) for leaf in _leaves(part)]
    return [value]


def _reached(argument: object, own: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether a solver of this side got the argument, alone or inside a text, and none of the other side's did."""
    if isinstance(argument, str):
        got = [leaf for leaf in own if isinstance(leaf, str) and leaf not in others]
        # A single letter occurs in almost every text.
        return len(argument) > 1 and any(argument in leaf for leaf in got)
    # Flags and None occur too often to prove anything.
    return not isinstance(argument, bool) and argument is not None and argument in own and argument not in others


def _no_such(name: str, known: list[str]) -> NoVerdict:
    cure = f"task arguments of these logs: {', '.join(known)}" if known else "their tasks were run without arguments"
    return NoVerdict((f"--vary {name}: the logs have no such task argument",), (cure,))


def _refused(measures: list[tuple[str, object, object]], arguments: list[tuple[str, object, object]]) -> NoVerdict:
    reasons = tuple(f"unequal fingerprints: {_differing(*each)}" for each in measures)
    unknown = "and the logs do not show whether it changes what is tested"
    unclear = tuple(f"{_differing(argument_name(name) or name, *pair)}, {unknown}" for name, *pair in arguments)
    names = " ".join(f"--vary {argument_name(name)}" for name, *_ in arguments)
    cures = ("run both sides with the same tasks, judge and settings",) if measures else ()
    return NoVerdict((*reasons, *unclear), (*cures, *([f"{names}, if that is what is under test"] if names else [])))


def _differing(name: str, one: object, other: object) -> str:
    return f"{name} is {_exact(one)} and {_exact(other)}"


def _exact(value: object) -> str:
    """A value as `-T` takes it, texts in quotes so that "5" is not 5; the tasks of a folder are listed."""
    if isinstance(value, tuple):
        return ", ".join(map(str, cast(tuple[object, ...], value)))
    return _ABSENT if value == _ABSENT else json.dumps(value, default=str, ensure_ascii=False)


def _words(name: str, one: object, other: object) -> str:
    label = argument_name(name) or name.removeprefix("parameters.").removeprefix("generate.")
    return f"{label}: {_short(one)} → {_short(other)}"


def _short(value: object) -> str:
    text = " ".join((value if isinstance(value, str) else json.dumps(value, default=str)).split())
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1]}…"
