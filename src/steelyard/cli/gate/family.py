"""`steelyard gate run` with several agents or models: who is run, and how the answers are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from steelyard.cli.exit import Exit
from steelyard.cli.gate.output import deliver_all
from steelyard.cli.options import on_terminal
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.gate.family import Family, Member
    from steelyard.gate.run.plan import RunSpec


def named(spec: RunSpec) -> str:
    """An agent and its model."""
    return spec.agent.name if spec.agent.model is None else f"{spec.agent.name} with {spec.agent.model}"


def run_family(specs: list[RunSpec], run: Any, options: Mapping[str, Any]) -> Exit:
    """Run each by itself in a folder of its own, and give one answer."""
    from steelyard.gate.family import Family, Member

    names = [named(spec) for spec in specs]
    if len({*names}) < len(names):
        raise InputError("an agent is named twice", cure="name each once, or give each a model of its own")
    found: list[Member] = []
    for name, spec in zip(names, specs, strict=True):
        found.append(Member(name, run(_part(spec, name, len(specs)))))
    return report(Family(tuple(found), specs[0].policy.alpha), options)


def _part(spec: RunSpec, name: str, members: int) -> RunSpec:
    """One member's run: its share of the error and of the budget, and a folder of its own."""
    from steelyard.gate.family import shared

    return replace(
        spec,
        policy=shared(spec.policy, members),
        budget_usd=None if spec.budget_usd is None else spec.budget_usd / members,
        budget_minutes=None if spec.budget_minutes is None else spec.budget_minutes / members,
        log_dir=spec.log_dir / _folder(name),
    )


def _folder(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.") or "agent"


def report(family: Family, options: Mapping[str, Any]) -> Exit:
    """Deliver the answer in every requested format, and return its exit code."""
    from steelyard.gate.read.views import read_views
    from steelyard.gate.report.family import FAMILY_FORMATS, family_document, family_github

    make = {name: partial(render, family, read_views) for name, render in FAMILY_FORMATS.items()}
    deliver_all(make, lambda: on_terminal(family_document(family)), partial(family_github, family), options)
    codes = {"no": Exit.NO, "unanswered": Exit.UNANSWERED, "undecided": Exit.UNDECIDED, "fine": Exit.FINE}
    return codes[family.state]
