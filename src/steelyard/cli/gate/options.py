"""From the options of `gate run` and the settings file to what is asked for; an option wins over the file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.cli.judging import chosen_panel
from steelyard.errors import InputError
from steelyard.gate.agents import AgentSpec
from steelyard.gate.promote import Wish
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.settings import GateSettings, load_settings, thresholds


def run_spec(options: Mapping[str, Any]) -> RunSpec:
    """What a `gate run` is asked for."""
    settings = load_settings(options["settings"])
    tasks = options["tasks"] or settings.tasks
    candidate = options["candidate"] or settings.candidate
    for name, value in (
        ("--tasks", tasks),
        ("--candidate", candidate),
        ("--agent", options["agent"] or settings.agent),
    ):
        if not value:
            raise InputError(f"{name} is missing", cure=f"give {name}, or set it in steelyard.yaml")
    judges = options["judge"] or settings.judge
    panel = chosen_panel(
        judge=tuple(judges),
        judge_repeats=options["judge_repeats"],
        no_judge_cache=options["no_judge_cache"],
        require_judge=options["require_judge"],
        default="auto",
    )
    return RunSpec(
        tasks=Path(_needed("--tasks", options["tasks"] or settings.tasks)),
        baseline=options["baseline"] or settings.baseline,
        candidate=str(_needed("--candidate", options["candidate"] or settings.candidate)),
        agent=agent_spec(options, settings),
        log_dir=options["log_dir"],
        panel=panel,
        epochs=options["epochs"] or settings.epochs,
        seed=settings.seed if options["seed"] is None else options["seed"],
        baseline_log=options["baseline_log"],
        budget_usd=options["budget_usd"] or settings.budget_usd,
        allow_unknown_cost=options["allow_unknown_cost"],
        thresholds=thresholds(settings.thresholds, options["thresholds"]),
        require_judge=options["require_judge"],
        repo=options["repo"],
        max_samples=options["max_samples"],
    )


def agent_spec(options: Mapping[str, Any], settings: GateSettings) -> AgentSpec:
    """Which agent."""
    words = shlex.split(options["agent_command"]) if options["agent_command"] else settings.agent_command or ()
    return AgentSpec(
        name=_needed("--agent", options["agent"] or settings.agent),
        command=tuple(words),
        model=options["model"] or settings.model,
        environment=(*settings.agent_env, *options["agent_env"]),
        network=options["network"] or settings.network,
        telemetry="trusted" if options["trust_telemetry"] else settings.telemetry,
    )


def _needed(name: str, value: Any) -> Any:
    if not value:
        raise InputError(f"{name} is missing", cure=f"give {name}, or set it in steelyard.yaml")
    return value


def wish(comparison: Path, repo: Path, options: Mapping[str, Any]) -> Wish:
    """What a `gate promote` is asked for."""
    settings = load_settings(options["settings"])
    kept = settings.promote
    return Wish(
        comparison=comparison,
        repo=repo,
        base=options["base"] or kept.base,
        remote=options["remote"] or kept.remote,
        path=options["where"] or kept.path,
        candidate=options["candidate"],
        draft=kept.draft if options["draft"] is None else options["draft"],
        reviewers=options["reviewers"] or kept.reviewers,
        thresholds=thresholds(settings.thresholds, options["thresholds"]),
    )
