"""Deployment on paper: what CloudFormation would create from an assembly, with every reference resolved. Pure.

The listed stacks and those they depend on are deployed, dependencies first; each sees only what the stacks before it
have created. Parameters have the values that are given, else their defaults; a resource whose condition is false does
not exist. Whatever CloudFormation would refuse is a failure of the deployment.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from steelyard.bench.cdk_synth.assembly import Stack
from steelyard.bench.cdk_synth.shape import mapping
from steelyard.bench.hard_cdk.deploy.physical import ACCOUNT, GLOBAL, REGION, Deployed, Export, Site, Visible
from steelyard.bench.hard_cdk.deploy.stack import StackRun

__all__ = ["Deployed", "Deployment", "Export", "deploy", "seed_of"]

MAX_STACKS = 40
"""Stacks of an assembly that are deployed."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """What exists after the deployment."""

    resources: tuple[Deployed, ...] = ()
    failures: tuple[str, ...] = ()
    """Why CloudFormation would refuse it; empty when it would not."""
    exports: Mapping[str, Export] = field(default_factory=dict[str, Export])
    imports: frozenset[tuple[str, str]] = frozenset()
    """(importing stack, name of the export)."""
    before: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Stack → every stack that is deployed before it, directly or not."""

    def templates(self) -> dict[str, Any]:
        """Stack → a template that holds only values, for the clauses of the intent language."""
        by_stack: dict[str, Any] = {name: {"Resources": {}} for name in self.before}
        for item in self.resources:
            body = {**item.attributes, "Type": item.type, "Properties": item.properties}
            by_stack[item.stack]["Resources"][item.logical_id] = body
        return by_stack


def seed_of(stacks: Sequence[Stack]) -> str:
    """The salt of generated names: a hash of everything that was synthesized."""
    return hashlib.sha256(json.dumps([stack.template for stack in stacks], sort_keys=True).encode()).hexdigest()


def deploy(
    stacks: Sequence[Stack], wanted: Sequence[str], seed: str, parameters: Mapping[str, str] | None = None
) -> Deployment:
    """Deploy the stacks `wanted` and their dependencies; `parameters` go to every stack that declares them."""
    parameters = parameters or {}
    # A stack that is not validated is inside a stage, and `cdk deploy` leaves it out.
    by_name = {stack.name: stack for stack in stacks[:MAX_STACKS] if stack.validated}
    failures = [f"the app has no stack {name}" for name in wanted if name not in by_name]
    before = _before(by_name)
    listed = [name for name in wanted if name in by_name]
    chosen = {*listed}.union(*(before[name] for name in listed))
    try:
        # Sorted, so that stacks which do not depend on each other always come in the same order.
        order = list(TopologicalSorter({name: before[name] for name in sorted(chosen)}).static_order())
    except CycleError:
        return Deployment(failures=(*failures, "the stacks depend on each other in a circle"))
    declared = {key for name in order for key in mapping(by_name[name].template.get("Parameters"))}
    failures += [f"no stack has the parameter {name}" for name in sorted(parameters.keys() - declared)]
    visible = Visible({}, {})
    resources: list[Deployed] = []
    imports: set[tuple[str, str]] = set()
    for name in order:
        site = _site(by_name[name], seed)
        run = StackRun(by_name[name].template, site, visible.seen_from(before[name]), parameters)
        resources += run.resources
        # First: outputs may import and be refused like resources.
        exports = [*run.exports()]
        imports |= {(name, export) for export in run.imported}
        taken = visible.add(name, exports, run.resources)
        failures += [f"{name}: {problem}" for problem in [*run.problems, *taken]]
    problems = tuple(dict.fromkeys([*failures, *_collisions(resources)]))
    return Deployment(
        tuple(resources), problems, visible.exports, frozenset(imports), {name: before[name] for name in order}
    )


def _before(stacks: Mapping[str, Stack]) -> dict[str, frozenset[str]]:
    """Stack → everything it depends on."""
    reached: dict[str, frozenset[str]] = {}
    for name in stacks:
        seen: set[str] = set()
        queue = list(stacks[name].depends_on)
        while queue:
            other = queue.pop()
            if other in stacks and other not in seen:
                seen.add(other)
                queue += stacks[other].depends_on
        reached[name] = frozenset(seen)
    return reached


def _site(stack: Stack, seed: str) -> Site:
    account, _, region = stack.environment.removeprefix("aws://").partition("/")
    known = region and not region.startswith("unknown")
    return Site(stack.name, account if account.isdigit() else ACCOUNT, region if known else REGION, seed)


def _collisions(resources: Sequence[Deployed]) -> Iterator[str]:
    seen: dict[tuple[str, ...], Deployed] = {}
    for item in resources:
        key = (item.type, item.name, item.account, "" if item.type in GLOBAL else item.region)
        if key in seen and not item.type.startswith("Custom::"):
            yield f"{item.stack}: {item.logical_id} and {seen[key].logical_id} have the same name"
        seen[key] = item
