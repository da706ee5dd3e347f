"""Judges an app by its behaviour: deploys it on paper and checks the assertions of its item. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

    def given(parameters: Mapping[str, str]) -> Deployment:
        return deployed(frozenset(parameters.items()))

    results = evaluate(item.metadata.assertions, item.metadata.bind, new, old, given)
    return (*results, _plain(source)) if item.metadata.plain else results


def _plain(source: str) -> AssertionResult:
    problem = offence(source)
    return AssertionResult(PLAIN, MESSAGE, problem is None, problem or "")
