"""The options that choose a policy, for every command of the gate that ends in a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from steelyard.cli.options import Number, rare
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import PolicyName, Question

if TYPE_CHECKING:
    from steelyard.gate.evidence.policy import Policy
    from steelyard.gate.settings import PolicySettings

F = TypeVar("F", bound=Callable[..., Any])

_ADAPTIVE = ("min_rounds", "max_rounds")
"""Options that only `adaptive` knows."""

_NAMES = ("policy", "question", "margin", "alpha", *_ADAPTIVE)


def policy_options(function: F) -> F:
    """Add `--policy`, `--question`, `--margin`, `--alpha`, `--min-rounds` and `--max-rounds`."""
    rounds = click.IntRange(2, 1000)
    options = (
        click.option("--policy", type=click.Choice(get_args(PolicyName)), help="What decides [default: auto]."),
        rare(
            "--question",
            type=click.Choice(get_args(Question)),
            help="Test for improvement (better), or non-inferiority within --margin (safe).",
        ),
        rare(
            "--margin", type=Number(0, 1, min_open=True), help="Mean loss per task that is still safe [default: 0.05]."
        ),
        rare("--alpha", type=Number(0.001, 0.2), help="Significance level [default: 0.05]."),
        rare("--min-rounds", type=rounds, help="adaptive: first round that may decide [default: 4]."),
        rare("--max-rounds", type=rounds, help="adaptive: last round [default: 20]."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def stated_policy(options: Mapping[str, Any], settings: PolicySettings) -> Policy | None:
    """The policy that options or settings describe; None if neither names anything of it."""
    stated = {name for name in _NAMES if options[name] is not None} | ({*_NAMES} & settings.model_fields_set)
    return chosen_policy(options, settings) if stated else None


def chosen_policy(options: Mapping[str, Any], settings: PolicySettings) -> Policy:
    """The policy that options and settings describe; an option wins over the file."""
    from steelyard.gate.settings import policy

    chosen = policy(settings, {name: options[name] for name in _NAMES})
    useless = next((name for name in _ADAPTIVE if options[name] is not None), None)
    if useless is not None and not chosen.adaptive:
        option = f"--{useless.replace('_', '-')}"
        raise InputError(f"{option} has no effect under the policy {chosen.name}", cure="add --policy adaptive")
    return chosen
