"""Intent: do the synthesized templates meet the requirements of the prompt? Pure.

`cdk_intent` of an answer = requirements that hold / requirements of the item, in [0, 1]; never part of the official
score. Templates come from untrusted programs: a requirement that cannot be evaluated does not hold, and neither does
one that would exceed the limit of work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from steelyard.bench.cdk_synth.assembly import resource_count
from steelyard.bench.cdk_synth.intent.binding import Bound, bind
from steelyard.bench.cdk_synth.intent.pattern import complies, holds, picked, reached
from steelyard.bench.cdk_synth.intent.relation import related
from steelyard.bench.cdk_synth.intent.requirement import (
    AbsentClause,
    AllOfClause,
    AnyOfClause,
    Clause,
    RelationClause,
    Requirement,
    ResourceClause,
    StacksClause,
)
from steelyard.bench.cdk_synth.intent.template import Resource, Templates, TooMuchWork

SPARE = 8
"""Resources beyond twice those of the reference that an app may have: what CDK adds to clean up and to log."""

UNBOUND = Bound()
_REQUIREMENTS: TypeAdapter[tuple[Requirement, ...]] = TypeAdapter(tuple[Requirement, ...])


@dataclass(frozen=True)
class RequirementResult:
    """The result for one requirement."""

    id: str
    """Id of the requirement."""
    message: str
    """The requirement, for people."""
    held: bool
    """Whether the templates meet it."""
    detail: str
    """What the templates contain, in a few words."""


def requirements(data: object) -> tuple[Requirement, ...]:
    """Requirements from JSON data or unchanged; invalid ones raise pydantic's ValidationError."""
    return _REQUIREMENTS.validate_python(data)


def evaluate(
    intent: Iterable[Requirement | Mapping[str, Any]], templates: Mapping[str, Any]
) -> tuple[RequirementResult, ...]:
    """Check every requirement against all templates of an assembly (stack name → template)."""
    graph = Templates(templates)
    items = requirements(tuple(intent))
    try:
        bound = bind([item.clause for item in items], graph, lambda clause, trial: decided(clause, graph, trial)[0])
    except TooMuchWork:
        bound = UNBOUND
    return tuple(_result(item, graph, bound) for item in items)


def share(results: Sequence[RequirementResult]) -> float:
    """Share of the requirements that hold; 1.0 if there are none."""
    return sum(result.held for result in results) / len(results) if results else 1.0


def in_scope(templates: Mapping[str, Any], reference: int) -> bool:
    """Whether an app deploys what was asked for, and not also what other tasks ask for.

    One app with the solutions of all tasks in it would meet the requirements of most; it is an answer to none. An app
    may have twice the resources of the reference, and a few more where that is small.
    """
    return sum(resource_count(template) for template in templates.values()) <= 2 * reference + SPARE


def _result(requirement: Requirement, templates: Templates, bound: Bound) -> RequirementResult:
    try:
        held, detail = decided(requirement.clause, templates, bound)
    except TooMuchWork:
        held, detail = False, "not evaluated: the templates are too large"
    return RequirementResult(requirement.id, requirement.message, held, detail)


def decided(clause: Clause, templates: Templates, bound: Bound = UNBOUND) -> tuple[bool, str]:
    """Whether a clause holds, and what the templates contain; raises `TooMuchWork`."""
    match clause:
        case ResourceClause():
            return _resource(clause, templates, bound)
        case AbsentClause():
            matches = picked(clause.absent, clause.where, templates)
            return not matches, f"{len(matches)} found{_named(matches)}"
        case RelationClause():
            return _relation(clause, templates, bound)
        case StacksClause():
            return _stacks(clause, templates)
        case AnyOfClause():
            parts = [decided(part, templates, bound) for part in clause.any_of]
            return any(held for held, _ in parts), " / ".join(detail for _, detail in parts)
        case AllOfClause():
            parts = [decided(part, templates, bound) for part in clause.all_of]
            return all(held for held, _ in parts), "; ".join(
                detail for held, detail in parts if not held
            ) or "all parts hold"


def _resource(clause: ResourceClause, templates: Templates, bound: Bound) -> tuple[bool, str]:
    candidates = bound.only(clause.of, picked(clause.resource, clause.where, templates))
    matches = [item for item in candidates if complies(item, clause.properties, templates)]
    number = len(_kinds(matches, clause.distinct, templates)) if clause.distinct else len(matches)
    # `count` asks for one at least unless the clause says otherwise, so `every` does not hold of nothing.
    held = clause.count.admits(number) and (not clause.every or len(matches) == len(candidates))
    unlike = f", {number} different" if clause.distinct else ""
    return held, f"{len(matches)} of {len(candidates)} {_kind(clause.resource)}{_named(matches)}{unlike}"


def _kinds(items: Iterable[Resource], path: str, templates: Templates) -> set[object]:
    """The different values at a path; nobody knows those of resources without one, so each is of its own kind."""
    values = ((item, reached(item.properties, path, item.address.stack, templates)) for item in items)
    return {templates.text(found, item.address.stack) if found else item.address for item, found in values}


def _relation(clause: RelationClause, templates: Templates, bound: Bound) -> tuple[bool, str]:
    matches, targets, sources = related(clause, templates, bound)
    held = clause.count.admits(len(matches)) and (not clause.every or len(matches) == len(sources))
    ends = (templates.resources[address] for address in targets)
    number = len(_kinds(ends, clause.distinct, templates)) if clause.distinct else len(targets)
    met = clause.targets.admits(number)
    detail = f"{len(matches)} of {len(sources)} {_kind(clause.source)} {clause.relation} {_kind(clause.target)}"
    return held and met, f"{detail}, {number} met"


def _stacks(clause: StacksClause, templates: Templates) -> tuple[bool, str]:
    holders = {item.address.stack for item in picked(clause.holding, clause.where, templates)}
    named = sorted(name for name in holders if holds(clause.name, [name], name, templates))
    return clause.stacks.admits(len(named)), f"{len(named)} stacks" + (f": {', '.join(named[:5])}" if named else "")


def _kind(types: str | tuple[str, ...]) -> str:
    return types if isinstance(types, str) else " or ".join(types)


def _named(items: Sequence[Resource]) -> str:
    names = ", ".join([item.address.logical_id for item in items[:3]] + ["…"] * (len(items) > 3))
    return f" ({names})" if items else ""
