"""The hard CDK task in Inspect: dataset, solver, scorer (docs/hard.md)."""

from __future__ import annotations

from typing import Literal

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from steelyard.bench.cdk_synth.engine.pool import Isolation
from steelyard.bench.cdk_synth.task import TaskSpec, cdk_task, is_local
from steelyard.bench.hard_cdk.dataset import DATASET_VERSION, load
from steelyard.bench.hard_cdk.model import HardItem
from steelyard.bench.hard_cdk.scorer import SCORER_VERSION, cdk_behaviour, cdk_behaviour_local
from steelyard.bench.identity import rows_hash
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
        verifier: `local`, the warm engine on this machine; `sandbox`, the pinned CLI inside an Inspect sandbox.
        isolation: `warm`, or `strict` for a fresh worker per app; local verifier only.
        sandbox: `auto`, `bubblewrap` or `docker`; sandbox verifier only.
        label: The subject's name on the board, when it is not the model's.
    """
    local = is_local(verifier)
    items = load()
    return cdk_task(
        TaskSpec(
            name="hard_cdk",
            version=DATASET_VERSION,
            samples=tuple(_sample(item) for item in items),
            rows=rows_hash(items),
            scorer=cdk_behaviour_local(isolation) if local else cdk_behaviour(),
            scorer_version=f"{'cdk_behaviour_local' if local else 'cdk_behaviour'}@{SCORER_VERSION}",
            sandbox=None if local else sandbox,
            label=label,
        )
    )


def _sample(item: HardItem) -> Sample:
    # What is checked stays out of the sample: a log may be shown without giving it away.
    metadata = item.metadata.model_dump(mode="json", exclude={"assertions", "bind", "trap"})
    return Sample(id=item.id, input=item.input, metadata=metadata)
