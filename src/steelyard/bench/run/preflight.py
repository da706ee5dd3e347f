"""Before the first call: does this machine have what the chosen categories and models need?

A missing tool found after the last answer has cost every call before it. Each part is really tried, through the same
code that uses it later, and the first that does not work is raised with its cure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspect_ai import Task

from steelyard import toolchain
from steelyard.bench.model import CATEGORIES
from steelyard.bench.run.plan import RunSpec

EMBEDDED = "steelyard/smollm2"
"""The model that runs from a file installed by `steelyard setup`."""


def preflight(spec: RunSpec, tasks: Mapping[str, Task]) -> None:
    """Raise with the cure when something that these tasks and models need does not work here."""
    if EMBEDDED in _models(spec):
        toolchain.require("local", "xllamacpp")
        toolchain.check_model()
    for key, task in tasks.items():
        if (check := CATEGORIES[key].preflight()) is not None:
            check(task, limit=spec.limit, scorer=spec.scorer)


def _models(spec: RunSpec) -> Iterable[str]:
    return (*spec.models, *spec.judges, *spec.model_roles.values())
