"""Before the first call: is the request sound, and does this machine have what its categories and models need?

A missing tool that is found only after the last answer wastes every call before it. Each tool is tried through the code
that uses it later, and the first that does not work is raised with its cure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspect_ai import Task
from inspect_ai.model import GenerateConfig, get_model

from steelyard import toolchain
from steelyard.bench.run.plan import RunSpec
from steelyard.bench.suite import require_categories
from steelyard.errors import InputError, ModelError, boundary, refuse_secret
from steelyard.judge.panel import panel
from steelyard.models.prices import priced, register_prices
from steelyard.models.redaction import generate_config

EMBEDDED = "steelyard/smollm2"
"""The model that runs from a file installed by `steelyard setup`."""


def check(spec: RunSpec) -> None:
    """Raise unless the options fit together, every model and judge exists, and a budget has its prices."""
    _check_options(spec)
    if spec.prices is not None:
        register_prices(spec.prices)
    for name in dict.fromkeys([*spec.models, *spec.model_roles.values()]):
        args = dict(spec.model_args) if name in spec.models else {}
        with boundary(ModelError, f"cannot use the model {name}"):
            # Not memoized, because this model is only made for the check.
            get_model(name, config=GenerateConfig(), memoize=False, **args)
    _check_budget(spec)


def preflight(spec: RunSpec, tasks: Mapping[str, Task]) -> None:
    """Raise with the cure when something that these tasks and models need does not work here."""
    if EMBEDDED in _models(spec):
        toolchain.model_library()
        toolchain.check_model()
    for key, task in tasks.items():
        if (check_tools := spec.suite.categories[key].preflight()) is not None:
            check_tools(task, limit=spec.limit, scorer=spec.scorer)


def _check_options(spec: RunSpec) -> None:
    require_categories(spec.suite, spec.categories)
    if not spec.models:
        raise InputError("no model to run", cure="name one with --model")
    if spec.label and len(spec.models) > 1:
        raise InputError("a label names one subject; run several models without it")
    if spec.scorer is not None and not any(each.choice(spec.scorer) for each in spec.suite.categories.values()):
        raise InputError(f"no category of {spec.suite.title} has the scorer {spec.scorer}")
    if spec.scorer == "judge" and not spec.judges:
        raise InputError("--scorer judge needs a judge", cure="name one with --judge")
    _check_temperature(spec)
    generate_config(spec.generate_config)
    for options in ({"label": spec.label}, spec.model_args, spec.model_roles, spec.generate_config):
        for name, value in options.items():
            refuse_secret(name, value)


def _check_temperature(spec: RunSpec) -> None:
    """Refuse a temperature in `generate_config` that is not one, or that contradicts the option of its own."""
    if "temperature" not in spec.generate_config:
        return
    value: object = spec.generate_config["temperature"]
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2):
        raise InputError(f"the temperature {value!r} is not a number from 0 to 2")
    if spec.temperature not in (0.0, value):
        raise InputError(
            f"two temperatures: {spec.temperature} and {value} in the generation config", cure="give one of them"
        )


def _check_budget(spec: RunSpec) -> None:
    chosen = panel(spec.judges, require=True) if spec.judges else None
    judges = () if chosen is None else chosen.judges
    unpriced = [name for name in (*spec.models, *judges) if not priced(name)]
    # Calls without a price would count as free, and the budget would never be spent.
    if spec.budget_usd is not None and unpriced and not spec.allow_unknown_prices:
        raise InputError(
            f"a budget needs prices, and that of {', '.join(unpriced)} is unknown",
            cure="give them with --prices FILE, or let them through with --allow-unknown-prices",
        )


def _models(spec: RunSpec) -> Iterable[str]:
    return (*spec.models, *spec.judges, *spec.model_roles.values())
