"""What the choices of a Step Functions workflow decide: the tasks before them, and those that each way leads to.

Pure and bounded: a workflow that is not in the template as JSON, or is larger than any that people write, has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from steelyard.bench.cdk_synth.intent.shape import listing, mapping

MAX_WAYS = 300
"""Ways from one state of a workflow to another that are followed."""
MAX_DECISIONS = 20
"""Rules of choices that are followed."""
MAX_DEPTH = 10
"""How deep branches and maps are nested in each other."""
_INNER = ("ItemProcessor", "Iterator", "Branches")
"""Properties of a state that hold workflows of their own."""

States = dict[str, dict[str, Any]]
Ways = Mapping[str, Iterable[str]]


def choices(definition: object) -> list[dict[str, Any]]:
    """One entry per rule of a choice: the rule is `When`; `Before`, `Then` and `Else` list the `Resource` of tasks.

    `Else` has the tasks of all other ways out of the choice.
    """
    found = (decision for machine in _machines(definition, 0) for decision in _decided(machine))
    return list(islice(found, MAX_DECISIONS))


def _machines(definition: object, depth: int) -> Iterator[dict[str, Any]]:
    """A workflow and every one inside it."""
    yield mapping(definition)
    for state in _states(definition).values() if depth < MAX_DEPTH else ():
        for inner in inner_workflows(state):
            yield from _machines(inner, depth + 1)


def inner_workflows(state: dict[str, Any]) -> list[Any]:
    """The branches of a state, and what it repeats."""
    return [part for key in _INNER for part in listing(state.get(key))]


def _states(definition: object) -> States:
    return {name: mapping(state) for name, state in mapping(mapping(definition).get("States")).items()}


def _decided(machine: dict[str, Any]) -> Iterator[dict[str, Any]]:
    states = _states(machine)
    ways = {name: [end for end in _next(state) if end in states] for name, state in states.items()}
    if sum(map(len, ways.values())) > MAX_WAYS:
        return
    back: dict[str, list[str]] = {name: [] for name in states}
    for name, ends in ways.items():
        for end in ends:
            back[end].append(name)
    run = _reached([machine.get("StartAt")], ways)
    for name, choice in states.items():
        if choice.get("Type") != "Choice" or name not in run:
            continue
        before = [states[other] for other in run & _reached(back[name], back)]
        rules = [mapping(rule) for rule in listing(choice.get("Choices"))]
        for number, rule in enumerate(rules):
            others = [other.get("Next") for other in rules[:number] + rules[number + 1 :]]
            yield {
                "When": {key: value for key, value in rule.items() if key != "Next"},
                "Before": _resources(before, 0),
                "Then": _resources((states[end] for end in _reached([rule.get("Next")], ways)), 0),
                "Else": _resources((states[end] for end in _reached([*others, choice.get("Default")], ways)), 0),
            }


def _next(state: dict[str, Any]) -> list[Any]:
    parts = [mapping(way) for key in ("Choices", "Catch") for way in listing(state.get(key))]
    ends = [state.get("Next"), state.get("Default"), *(part.get("Next") for part in parts)]
    return [end for end in ends if isinstance(end, str)]


def _reached(starts: Iterable[Any], ways: Ways) -> set[str]:
    """The states that these lead to, themselves included."""
    found: set[str] = set()
    queue = [start for start in starts if isinstance(start, str) and start in ways]
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue += ways.get(name, ())
    return found


def _resources(states: Iterable[dict[str, Any]], depth: int) -> list[Any]:
    found: list[Any] = []
    for state in states:
        found += [state["Resource"]] if "Resource" in state else []
        for inner in inner_workflows(state) if depth < MAX_DEPTH else ():
            found += _resources(_states(inner).values(), depth + 1)
    return found
