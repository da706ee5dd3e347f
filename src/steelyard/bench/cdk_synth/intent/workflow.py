"""The states of a Step Functions workflow, whether its definition is text or an object.

A state machine gets a list `Workflow` of all its states, those of branches and loops too. Each has its `Name`, and each
of its catchers the states that run `Then`, in order. `Decisions` are the rules of its choices; see `choice`. Pure and
bounded; a definition that is not JSON has no states.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from steelyard.bench.cdk_synth.intent.choice import choices, inner_workflows
from steelyard.bench.cdk_synth.intent.jsontext import parsed, referring
from steelyard.bench.cdk_synth.intent.shape import listing, mapping

MAX_STATES = 500
"""States of one workflow that are looked at."""
MAX_CHAIN = 30
"""States that are followed from a catcher."""


def with_states(written: dict[str, Any]) -> dict[str, Any]:
    """The properties of a state machine, with its states as `Workflow` and what its choices decide as `Decisions`."""
    names = mapping(written.get("DefinitionSubstitutions"))
    definition = referring(written.get("Definition"), names) or parsed(written.get("DefinitionString"), names)
    states = list(islice(_states(mapping(definition)), MAX_STATES))
    decided = choices(definition)
    return written | ({"Workflow": states} if states else {}) | ({"Decisions": decided} if decided else {})


def _states(machine: dict[str, Any]) -> Iterator[dict[str, Any]]:
    levels = [mapping(machine.get("States"))]
    while levels:
        level = levels.pop()
        for name, body in level.items():
            state = mapping(body)
            caught = [_followed(mapping(catcher), level) for catcher in listing(state.get("Catch"))]
            yield {**state, "Name": name} | ({"Catch": caught} if caught else {})
            levels += [mapping(mapping(part).get("States")) for part in inner_workflows(state)]


def _followed(catcher: dict[str, Any], level: dict[str, Any]) -> dict[str, Any]:
    """A catcher with the states that run after it caught an error."""
    chain: dict[str, Any] = {}
    name = catcher.get("Next")
    while isinstance(name, str) and name in level and name not in chain and len(chain) < MAX_CHAIN:
        chain[name] = mapping(level[name])
        name = chain[name].get("Next", chain[name].get("Default"))
    return {**catcher, "Then": list(chain.values())}
