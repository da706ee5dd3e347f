"""Judges an app by its behaviour: deploys it on paper and checks the assertions of its item. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.bench.cdk_synth.assembly import Stack
from steelyard.bench.hard_cdk.assertion import AssertionResult, evaluate
from steelyard.bench.hard_cdk.deploy import deploy, seed_of
from steelyard.bench.hard_cdk.model import HardItem


def behaviour(
    item: HardItem, stacks: Sequence[Stack], original: Sequence[Stack] | None = None
) -> tuple[AssertionResult, ...]:
    """The result of every assertion on these synthesized stacks; `original` are those of the app in the prompt."""
    # Both apps get the same generated names, so that an unchanged resource keeps its name.
    seed = seed_of(stacks)
    old = None if original is None else deploy(original, [stack.name for stack in original if stack.validated], seed)
    new = deploy(stacks, item.metadata.stacks, seed)
    return evaluate(item.metadata.assertions, item.metadata.bind, new, old)
