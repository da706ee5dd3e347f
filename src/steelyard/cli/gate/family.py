"""`steelyard gate run` with several agents or models: who is run, and how the answers are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, deliver, width
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.gate.family import Family, Member
    from steelyard.gate.run.plan import RunSpec
    from steelyard.gate.settings import GateSettings

_FORMATS = ("json", "markdown")
"""Formats that have a shape for several agents."""


def members(options: Mapping[str, Any], settings: GateSettings) -> list[dict[str, Any]]:
    """The options of each agent: of the command line, every agent with every model, else of the settings' matrix."""
    agents, models = options["agent"], options["model"]
    if not agents and not models and settings.matrix:
        return [
            {**options, "agent": each.agent, "model": each.model, "agent_command": None} for each in settings.matrix
        ]
    pairs = product(agents or (None,), models or (None,))
    return [{**options, "agent": agent, "model": model} for agent, model in pairs]


def named(spec: RunSpec) -> str:
    """An agent and its model."""
    return spec.agent.name if spec.agent.model is None else f"{spec.agent.name} with {spec.agent.model}"


def run_family(specs: list[RunSpec], run: Any, options: Mapping[str, Any]) -> Exit:
    """Run each by itself in a folder of its own, and give one answer."""
    from steelyard.gate.family import Family, Member, shared

    names = [named(spec) for spec in specs]
    if len({*names}) < len(names):
        raise InputError("an agent is named twice", cure="name each once, or give each a model of its own")
    if wanted := next((name for name in ("junit", "sarif", "html") if options.get(f"{name}_path")), None):
        raise InputError(f"--{wanted} shows one agent", cure="--json or --markdown, or the folder of one agent")
    found: list[Member] = []
    for name, spec in zip(names, specs, strict=True):
        own = replace(spec, policy=shared(spec.policy, len(specs)), log_dir=spec.log_dir / _folder(name))
        found.append(Member(name, run(own)))
    return report(Family(tuple(found), specs[0].policy.alpha), options)


def _folder(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.") or "agent"


def report(family: Family, options: Mapping[str, Any]) -> Exit:
    """Deliver the answer in every requested format, and return its exit code."""
    import os

    from steelyard.artifact import json_text
    from steelyard.gate.family import family_document, family_json
    from steelyard.report import markdown, terminal

    show = family_document(family)
    make = {"json": lambda: json_text(family_json(family)), "markdown": partial(markdown.render, show)}
    paths = {name: options.get(f"{name}_path") for name in _FORMATS}
    deliver(paths, make, lambda: terminal.render(show, width=width(), colour=colour()))
    summary = os.environ.get("GITHUB_STEP_SUMMARY") if options.get("github") else None
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(make["markdown"]())
    codes = {"no": Exit.NO, "unanswered": Exit.UNANSWERED, "undecided": Exit.UNDECIDED, "fine": Exit.FINE}
    return codes[family.state]
