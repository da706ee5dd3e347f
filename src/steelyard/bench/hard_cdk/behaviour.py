"""Judges an app by its behaviour: deploys it on paper and checks the assertions of its item. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from steelyard.bench.cdk_synth.assembly import Stack
from steelyard.bench.hard_cdk.assertion import AssertionResult, evaluate
from steelyard.bench.hard_cdk.deploy import Deployment, deploy, seed_of
from steelyard.bench.hard_cdk.model import HardItem
from steelyard.bench.hard_cdk.plain import MESSAGE, PLAIN, offence


def behaviour(
    item: HardItem, source: str, stacks: Sequence[Stack], original: Sequence[Stack] | None = None
) -> tuple[AssertionResult, ...]:
    """The result of every assertion on an app and its stacks; `original` are those of the app in the prompt."""
    # Both apps get the same generated names, so that an unchanged resource keeps its name.
    seed = seed_of(stacks)
    old = None if original is None else deploy(original, [stack.name for stack in original if stack.validated], seed)
    new = deploy(stacks, item.metadata.stacks, seed)

    @cache
    def deployed(parameters: frozenset[tuple[str, str]]) -> Deployment:
        return deploy(stacks, item.metadata.stacks, seed, dict(parameters))

    results = evaluate(
        item.metadata.assertions, item.metadata.bind, new, old, lambda given: deployed(frozenset(given.items()))
    )
    if not item.metadata.plain:
        return results
    problem = offence(source)
    return (*results, AssertionResult(PLAIN, MESSAGE, problem is None, problem or ""))
