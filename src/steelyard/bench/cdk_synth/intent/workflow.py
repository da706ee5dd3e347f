"""The states of a Step Functions workflow, whether its definition is text or an object, and what its choices decide.

A state machine gets a list `Workflow` of all its states, those of branches and loops too. Each has its `Name`, and each
of its catchers the states that run `Then`, in order. `Decisions` has one entry per rule of a choice: the rule is
`When`; `Before`, `Then` and `Else` list the `Resource` of the tasks before it, on its way and on all others. Pure and
bounded: a definition that is not JSON has no states, and one larger than any that people write has no decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from steelyard.bench.cdk_synth.intent.jsontext import parsed, referring
from steelyard.bench.cdk_synth.shape import listing, mapping

MAX_STATES = 500
"""States of one workflow that are looked at."""
MAX_CHAIN = 30
"""States that are followed from a catcher."""
MAX_WAYS = 300
"""Ways from one state of a workflow to another that are followed."""
MAX_DECISIONS = 20
"""Rules of choices that are followed."""
MAX_DEPTH = 20
"""How deep branches and maps are nested in each other."""


def machines(definition: object, depth: int = 0) -> Iterator[dict[str, Any]]:
    """A workflow and every one inside it, in branches and loops."""
    states = {name: mapping(state) for name, state in mapping(mapping(definition).get("States")).items()}
    yield {**mapping(definition), "States": states}
    for state in states.values() if depth < MAX_DEPTH else ():
        for inner in [part for key in ("ItemProcessor", "Iterator", "Branches") for part in listing(state.get(key))]:
            yield from machines(inner, depth + 1)


def with_states(written: dict[str, Any]) -> dict[str, Any]:
    """The properties of a state machine, with its states as `Workflow` and what its choices decide as `Decisions`."""
    names = mapping(written.get("DefinitionSubstitutions"))
    definition = referring(written.get("Definition"), names) or parsed(written.get("DefinitionString"), names)
    found = list(machines(definition))
    states = list(islice((state for machine in found for state in _shown(machine["States"])), MAX_STATES))
    decided = list(islice((decision for machine in found for decision in _decided(machine)), MAX_DECISIONS))
    return written | ({"Workflow": states} if states else {}) | ({"Decisions": decided} if decided else {})


def _shown(level: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for name, state in level.items():
        caught = [_followed(mapping(catcher), level) for catcher in listing(state.get("Catch"))]
        yield {**state, "Name": name} | ({"Catch": caught} if caught else {})


def _followed(catcher: dict[str, Any], level: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A catcher with the states that run after it caught an error."""
    chain: dict[str, Any] = {}
    name = catcher.get("Next")
    while isinstance(name, str) and name in level and name not in chain and len(chain) < MAX_CHAIN:
        chain[name] = level[name]
        name = chain[name].get("Next", chain[name].get("Default"))
    return {**catcher, "Then": list(chain.values())}


def _decided(machine: dict[str, Any]) -> Iterator[dict[str, Any]]:
    states: dict[str, dict[str, Any]] = machine["States"]
    ways = {name: [end for end in _next(state) if end in states] for name, state in states.items()}
    if sum(map(len, ways.values())) > MAX_WAYS:
        return
    back: dict[str, list[str]] = {name: [] for name in states}
    for name, ends in ways.items():
        for end in ends:
            back[end].append(name)
    run = _reached([machine.get("StartAt")], ways)
    for name, choice in states.items():
        # A choice that no execution reaches decides nothing.
        if choice.get("Type") != "Choice" or name not in run:
            continue
        before = run & _reached(back[name], back)
        rules = [mapping(rule) for rule in listing(choice.get("Choices"))]
        for number, rule in enumerate(rules):
            others = [other.get("Next") for other in rules[:number] + rules[number + 1 :]]
            yield {
                "When": {key: value for key, value in rule.items() if key != "Next"},
                "Before": _resources(before, states),
                "Then": _resources(_reached([rule.get("Next")], ways), states),
                "Else": _resources(_reached([*others, choice.get("Default")], ways), states),
            }


def _next(state: dict[str, Any]) -> list[Any]:
    parts = [mapping(way) for key in ("Choices", "Catch") for way in listing(state.get(key))]
    ends = [state.get("Next"), state.get("Default"), *(part.get("Next") for part in parts)]
    return [end for end in ends if isinstance(end, str)]


def _reached(starts: Iterable[Any], ways: Mapping[str, Iterable[str]]) -> set[str]:
    """The states that these lead to, themselves included."""
    found: set[str] = set()
    queue = [start for start in starts if isinstance(start, str) and start in ways]
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue += ways.get(name, ())
    return found


def _resources(names: set[str], states: dict[str, dict[str, Any]]) -> list[Any]:
    """What the tasks among these states, and inside them, do."""
    found = machines({"States": {name: state for name, state in states.items() if name in names}})
    return [state["Resource"] for machine in found for state in machine["States"].values() if "Resource" in state]
