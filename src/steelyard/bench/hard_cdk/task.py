"""The hard CDK task in Inspect: dataset, solver, scorer (docs/hard.md)."""

from __future__ import annotations

from typing import Literal

from inspect_ai import Task, task

from steelyard.bench.cdk_synth.synthesizer.pool import Isolation
from steelyard.bench.cdk_synth.task import Prompts, cdk_task
from steelyard.bench.hard_cdk.dataset import DATASET_VERSION, load
from steelyard.bench.hard_cdk.scorer import SCORER_VERSION, cdk_behaviour, cdk_behaviour_local
from steelyard.click_errors import one_line_errors


@task
@one_line_errors
def hard_cdk(
    verifier: Literal["local", "sandbox"] = "local",
    isolation: Isolation = "warm",
    sandbox: str = "auto",
    label: str | None = None,
) -> Task:
    """Forty CDK apps to write, repair and migrate, judged by what they would deploy (docs/hard.md).

    Args:
        verifier: `local`, the warm synthesizer on this machine; `sandbox`, the pinned CLI inside an Inspect sandbox.
        isolation: `warm`, or `strict` for a fresh kernel per app; local verifier only.
        sandbox: `auto`, `bubblewrap` or `docker`; sandbox verifier only.
        label: The subject's name on the board, when it is not the model's.
    """
    # What is checked stays out of the sample: a log may be shown without giving it away.
    hidden, scorers = frozenset({"assertions", "bind", "trap"}), (cdk_behaviour_local, cdk_behaviour)
    prompts = Prompts("hard_cdk", DATASET_VERSION, load(), hidden, scorers, SCORER_VERSION)
    return cdk_task(prompts, verifier, isolation, sandbox, label)
