"""Evaluates the assertions of a hard CDK item on a deployed answer. Pure.

An answer passes if and only if CloudFormation would accept it (`deploys`) and every assertion of the item holds; one
that cannot be decided does not hold.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from steelyard.bench.cdk_synth.intent import decided
from steelyard.bench.cdk_synth.intent.pattern import numeric, picked, reached
from steelyard.bench.cdk_synth.intent.template import Resource, Templates, TooMuchWork
from steelyard.bench.cdk_synth.intent.workflow import machines
from steelyard.bench.cdk_synth.shape import mapping
from steelyard.bench.hard_cdk.assertion import clause as clauses
from steelyard.bench.hard_cdk.assertion.clause import RESERVED, Assertion, AssertionClause, Binding
from steelyard.bench.hard_cdk.assertion.event import passes, receivers
from steelyard.bench.hard_cdk.assertion.iam import Simulator
from steelyard.bench.hard_cdk.assertion.migration import losses
from steelyard.bench.hard_cdk.assertion.policies import documents_of, size
from steelyard.bench.hard_cdk.assertion.proviso import Undecided
from steelyard.bench.hard_cdk.assertion.traffic import destination
from steelyard.bench.hard_cdk.assertion.workflow import execute
from steelyard.bench.hard_cdk.assertion.workflow.path import equal
from steelyard.bench.hard_cdk.deploy import Deployed, Deployment

_PLACEHOLDER = re.compile(r"\$\{([a-z][a-z0-9_]*)\.([A-Za-z0-9_.]+)\}")
_CLAUSE: TypeAdapter[AssertionClause] = TypeAdapter(AssertionClause)
_SHOWN = 3
"""Problems quoted per assertion."""


@dataclass(frozen=True, slots=True)
class AssertionResult:
    """The result for one assertion."""

    id: str
    message: str
    held: bool
    detail: str
    """What was found instead; empty if it holds."""


Given = Callable[[Mapping[str, str]], Deployment]
"""Deploys the answer with these values of its parameters."""


class Unbound(Exception):
    """An assertion asks for something that is not there, such as a name that is not exactly one resource."""


def evaluate(
    assertions: Sequence[Assertion],
    bindings: Mapping[str, Binding],
    new: Deployment,
    old: Deployment | None,
    given: Given | None = None,
) -> tuple[AssertionResult, ...]:
    """Check `deploys` and every assertion; `old` is the app in the prompt, where it has one."""
    first = AssertionResult(
        RESERVED, "CloudFormation accepts the app", not new.failures, "; ".join(new.failures[:_SHOWN])
    )
    view = _View(bindings, new, old, given)
    return (first, *(_result(item, view) for item in assertions))


def share(results: Sequence[AssertionResult]) -> float:
    """Share of the assertions that hold."""
    return sum(result.held for result in results) / len(results)


def _result(assertion: Assertion, view: _View) -> AssertionResult:
    try:
        problems = view.problems(assertion.clause)
    # What cannot be decided does not hold.
    except (Undecided, Unbound, TooMuchWork, ValidationError, RecursionError, OverflowError) as error:
        problems = [f"cannot be decided: {str(error)[:300]}"]
    return AssertionResult(assertion.id, assertion.message, not problems, "; ".join(problems[:_SHOWN]))


class _View:
    """One deployed answer, as the assertions see it."""

    def __init__(
        self, bindings: Mapping[str, Binding], new: Deployment, old: Deployment | None, given: Given | None
    ) -> None:
        self._bindings, self._new, self._old, self._given = bindings, new, old, given
        self._templates = Templates(new.templates())
        self._cases: dict[tuple[tuple[str, Any], ...], _View] = {}
        """Given parameters → the same answer deployed with them."""

    def problems(self, clause: AssertionClause) -> list[str]:
        """Why the clause does not hold; empty if it does."""
        self._templates.renew()  # every clause may cost as much
        # The names in cases are bound in the deployment of each case, not in this one.
        if isinstance(clause, clauses.CasesClause):
            return [text for case in clause.cases for text in self._case(case)]
        # Validated again: a placeholder may have turned into something that is no path or pattern.
        return self._checked(_CLAUSE.validate_python(self._filled(clause.model_dump(mode="json"))))

    def _checked(self, clause: AssertionClause) -> list[str]:
        match clause:
            case clauses.CasesClause():
                return self.problems(clause)
            case clauses.RequestsClause():
                return self._requests(clause)
            case clauses.OrderClause():
                return self._order(clause)
            case clauses.ExportsClause():
                return self._exports(clause)
            case clauses.ImportsClause():
                return self._imports(clause)
            case clauses.KeptClause():
                return self._kept(clause)
            case clauses.SumClause():
                return self._sum(clause)
            case clauses.BlocksClause():
                return self._blocks(clause)
            case clauses.EventsClause():
                return self._events(clause)
            case clauses.FiltersClause():
                return self._filters(clause)
            case clauses.PolicyClause():
                return self._policy(clause)
            case clauses.PathsClause():
                return self._paths(clause)
            case clauses.ExecutionsClause():
                return self._executions(clause)
            case clauses.StatesClause():
                return self._states(clause)
            case clauses.VisitsClause():
                return [text for item in clause.visits if (text := self._visit(item))]
            case _:
                held, detail = decided(clause, self._templates)
                return [] if held else [detail]

    def _case(self, case: clauses.Case) -> list[str]:
        if self._given is None:
            raise Unbound("the app cannot be deployed with other parameters")
        deployment = self._given(case.given)
        shown = ", ".join(f"{name}={value}" for name, value in case.given.items())
        if case.refused:
            return [] if deployment.failures else [f"{shown}: is not refused"]
        key = tuple(sorted(case.given.items()))
        if key not in self._cases:
            # Without `given`: there are no cases within cases.
            self._cases[key] = _View(self._bindings, deployment, self._old, None)
        view = self._cases[key]
        problems = [*deployment.failures, *(text for clause in case.then for text in view.problems(clause))]
        return [f"{shown}: {text}" for text in problems]

    @cached_property
    def _simulator(self) -> Simulator:
        return Simulator(self._new)

    def _filled(self, value: Any) -> Any:
        """`value` with its placeholders replaced."""
        if isinstance(value, str):
            return _PLACEHOLDER.sub(lambda match: self._bound(match[1], match[2]), value)
        if isinstance(value, dict):
            return {self._filled(key): self._filled(part) for key, part in cast(dict[str, Any], value).items()}
        if isinstance(value, (list, tuple)):
            return [self._filled(part) for part in cast(list[Any], value)]
        return value

    def _bound(self, name: str, path: str) -> str:
        if name not in self._bindings:
            raise Unbound(f"nothing is bound to {name}")
        binding = self._bindings[name]
        matches = _selected(self._new, binding.type, self._filled(binding.where), self._templates)
        items = [item for item in matches if binding.stack in (None, item.stack)]
        # With a decoy beside the right one, nobody could say which of them is meant.
        if len(items) != 1:
            raise Unbound(f"{len(items)} resources can be the {name.replace('_', ' ')}")
        value = items[0].value(path)
        if value is None:
            raise Unbound(f"the {name.replace('_', ' ')} has no {path}")
        return str(value)

    def _requests(self, clause: clauses.RequestsClause) -> list[str]:
        return [
            f"{action} on {request.resource} is {'denied' if expected else 'allowed'} to {request.principal}"
            for requests, expected in ((clause.allow, True), (clause.deny, False))
            for request in requests
            for action in request.actions
            if self._simulator.allows(request.principal, action, request.resource, request.context) != expected
        ]

    def _order(self, clause: clauses.OrderClause) -> list[str]:
        pairs = pairwise(clause.order)
        late = [f"{later} does not depend on {first}" for first, later in pairs if first not in self._before(later)]
        return late + [f"{one} depends on {other}" for one, other in clause.independent if other in self._before(one)]

    def _before(self, stack: str) -> frozenset[str]:
        if stack not in self._new.before:
            raise Unbound(f"there is no stack {stack}")
        return self._new.before[stack]

    def _exports(self, clause: clauses.ExportsClause) -> list[str]:
        own = {name: export for name, export in self._new.exports.items() if export.stack == clause.exports}
        problems = [] if clause.count.admits(len(own)) else [f"{clause.exports} has {len(own)} exports"]
        odd = [name for name, export in own.items() if clause.values and export.value not in clause.values]
        return problems + [f"the export {name} is something else" for name in odd]

    def _imports(self, clause: clauses.ImportsClause) -> list[str]:
        names = [name for stack, name in self._new.imports if stack == clause.imports]
        sources = {self._new.exports[name].stack for name in names if name in self._new.exports}
        return [f"{clause.imports} imports nothing from {stack}" for stack in clause.sources if stack not in sources]

    def _kept(self, clause: clauses.KeptClause) -> list[str]:
        if self._old is None:
            raise Unbound("the item has no original app")
        old = _selected(self._old, clause.kept, clause.where, Templates(self._old.templates()))
        if not clause.count.admits(len(old)):
            raise Unbound(f"the original has {len(old)} of these resources")
        return [text for item in old for text in losses(item, self._new, clause.unchanged)]

    def _sum(self, clause: clauses.SumClause) -> list[str]:
        items = picked(clause.over, {}, self._templates)
        parts = [[*map(numeric, self._values(item, clause.sum))] for item in items]
        lacking = [item.address.logical_id for item, part in zip(items, parts, strict=True) if not part or None in part]
        if lacking:
            return [f"{name} has no number as {clause.sum}" for name in lacking]
        # fsum rounds once, so that the order of the resources does not matter.
        total = math.fsum(number for part in parts for number in part if number is not None)
        return [] if total == clause.total else [f"the sum is {total:g}"]

    def _blocks(self, clause: clauses.BlocksClause) -> list[str]:
        items = picked(clause.over, {}, self._templates)
        try:
            blocks = [
                ipaddress.IPv4Network(str(value)) for item in items for value in self._values(item, clause.blocks)
            ]
        except ValueError:
            return ["an address block cannot be read"]
        whole = ipaddress.IPv4Network(clause.within)
        # Comparing neighbours is enough: in this order, two of them overlap if any two blocks do.
        problems = [f"{one} and {two} overlap" for one, two in pairwise(sorted(blocks)) if one.overlaps(two)]
        problems += [f"{block} is outside" for block in blocks if not block.subnet_of(whole)]
        return problems if blocks else ["there are no address blocks"]

    def _values(self, item: Resource, path: str) -> list[Any]:
        return reached(item.properties, path, item.address.stack, self._templates)

    def _events(self, clause: clauses.EventsClause) -> list[str]:
        problems: list[str] = []
        for item in clause.events:
            targets = receivers(item.event, clause.bus, self._new)
            name = item.event.get("detail-type", "an event")
            problems += [f"{name} does not reach {arn}" for arn in item.to if arn not in targets]
            problems += [f"{name} reaches {arn}" for arn in item.not_to if arn in targets]
        return problems

    def _filters(self, clause: clauses.FiltersClause) -> list[str]:
        return [
            f"{record.get('eventName', 'a record')} is {'held back' if expected else 'let through'}"
            for records, expected in ((clause.match, True), (clause.no_match, False))
            for record in records
            if passes(record, clause.filters, self._new) != expected
        ]

    def _policy(self, clause: clauses.PolicyClause) -> list[str]:
        actual = size(list(documents_of(self._one(clause.policy), self._new.resources)))
        problems = [
            f"the policies have {getattr(actual, name)} {name}"
            for name in ("statements", "resources", "conditions")
            if not getattr(clause, name).admits(getattr(actual, name))
        ]
        return problems + [f"a statement has the effect {name}" for name in sorted(actual.effects - {*clause.effects})]

    def _paths(self, clause: clauses.PathsClause) -> list[str]:
        problems: list[str] = []
        for place in clause.paths:
            items = _selected(self._new, place.each, place.where, self._templates)
            # With the slashes, `S/Part` is not taken for something under `S/Pa`.
            below = sum(f"{item.path}/".startswith(f"{place.under}/") for item in items)
            problems += [] if place.count.admits(below) else [f"{below} of {len(items)} are under {place.under}"]
        return problems

    def _executions(self, clause: clauses.ExecutionsClause) -> list[str]:
        definition = self._definition(clause.executions)
        return [text for item in clause.runs if (text := _difference(item, definition))]

    def _states(self, clause: clauses.StatesClause) -> list[str]:
        levels = [machine["States"].values() for machine in machines(self._definition(clause.states))]
        found = [str(state.get("Type")) for level in levels for state in level]
        problems = [f"a state of the type {name}" for name in sorted({*found} - {*clause.types})]
        return problems + ([f"there are {len(found)} states"] if not 0 < len(found) <= clause.at_most else [])

    def _definition(self, arn: str) -> dict[str, Any]:
        properties = self._one(arn).properties
        return mapping(properties.get("DefinitionString", properties.get("Definition")))

    def _one(self, arn: str) -> Deployed:
        item = next((item for item in self._new.resources if item.arn == arn), None)
        if item is None:
            raise Unbound(f"{arn} is not a resource of this app")
        return item

    def _visit(self, item: clauses.Visit) -> str | None:
        found = destination(item, self._new)
        return None if found == item.to else f"{item.method} {item.host}{item.path} goes to {found or 'no target'}"


def _difference(item: clauses.Execution, definition: Mapping[str, Any]) -> str | None:
    """How an execution ends otherwise than it must."""
    ended = execute(definition, item.input)
    if ended.error == item.error and (item.error is not None or equal(ended.output, item.output)):
        return None
    found = f"fails with {ended.error}" if ended.error else f"gives {str(ended.output)[:120]}"
    return f"{str(item.input)[:80]} → {found}"


def _selected(
    deployment: Deployment, types: str | tuple[str, ...], where: Mapping[str, Any], templates: Templates
) -> list[Deployed]:
    addresses = {item.address for item in picked(types, where, templates)}
    return [item for item in deployment.resources if (item.stack, item.logical_id) in addresses]
