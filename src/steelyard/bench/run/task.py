"""The Inspect task of a category, set up for one run of SA Bench."""

from __future__ import annotations

import inspect
from typing import Any, cast

from inspect_ai import Task
from inspect_ai.util import registry_info

from steelyard.bench.architecture_design.mode import Diagrams, resolve_diagrams
from steelyard.bench.model import BASELINES, STAND_INS
from steelyard.bench.run.budget import count, within_budget
from steelyard.bench.run.plan import RunSpec
from steelyard.bench.suite import shipped


def make_task(key: str, spec: RunSpec) -> Task:
    """The Inspect task of a category, with the options of this run."""
    category = spec.suite.categories[key]
    choice = category.choice(spec.scorer)
    options: dict[str, Any] = {
        "label": spec.label,
        **(choice.arguments if choice else {}),
        "diagrams": diagram_mode(spec),
        "judge": list(spec.judges) or None,
        "judge_repeats": spec.judge_repeats if spec.judges else None,
        "judge_cache": None if spec.judge_cache else False,
    }
    make = category.make_task()
    accepted = inspect.signature(make).parameters
    task = make(**{name: value for name, value in options.items() if value is not None and name in accepted})
    # With or without a budget: steps are part of Inspect's task identifier, so a run that gets a budget later would
    # otherwise begin anew.
    task.setup, task.cleanup = within_budget(), count
    # Replaces the official temperature of the task; None leaves it to the provider.
    task.config = task.config.model_copy(update={"temperature": spec.sampling_temperature})
    return task


def official_scorer(task: Task) -> tuple[Any, str]:
    """The scorer whose number counts, and its name in the log."""
    scorers = cast(list[Any], task.scorer if isinstance(task.scorer, list) else [task.scorer])
    names = [registry_info(scorer).name.rsplit("/", 1)[-1] for scorer in scorers]
    official = {name for category in shipped() for name in category.scorers}
    # Scorers of own items are not in the list, but their tasks have only one.
    place = next((number for number, name in enumerate(names) if name in official), 0)
    return scorers[place], names[place]


def diagram_mode(spec: RunSpec) -> Diagrams:
    """One diagram mode for all subjects of a run, so that they stay comparable; embedded ones do not influence it."""
    ranked = [model for model in spec.models if model not in BASELINES and not model.startswith(STAND_INS)]
    return resolve_diagrams(spec.diagrams, ranked, spec.images)
