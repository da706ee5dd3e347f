"""Combines the options of `gate run` and `gate promote` with the settings file; an option wins over the file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.cli.gate.policy import chosen_policy
from steelyard.cli.judging import chosen_panel
from steelyard.errors import InputError
from steelyard.gate.agents import AgentSpec
from steelyard.gate.base import baseline_at, ref_of, settings_at
from steelyard.gate.quarantine.entries import ACCEPTED, QUARANTINE
from steelyard.gate.quarantine.file import read_entries
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.settings import GateSettings, load_settings, noise_folder, thresholds
from steelyard.git import remote_ref


def run_spec(options: Mapping[str, Any]) -> RunSpec:
    """The run that options and settings describe."""
    base, settings, differing = _settings(options)
    tasks = _required("--tasks", options["tasks"] or settings.tasks)
    candidate = _required("--candidate", options["candidate"] or settings.candidate)
    agent = agent_spec(options, settings)
    panel = chosen_panel(
        judge=tuple(options["judge"] or settings.judges),
        judge_repeats=options["judge_repeats"],
        no_judge_cache=options["no_judge_cache"],
        require_judge=options["require_judge"],
        default="auto",
    )
    stored, named = _stored(options["baseline"])
    baseline = named or settings.baseline
    baseline = baseline if base is None else baseline_at(baseline, base, options["repo"])
    judged_by = baseline if base is None else f"git:{base}"
    where: dict[str, Any] = {"baseline": judged_by, "repo": options["repo"]}
    quarantine = read_entries(QUARANTINE, options["settings"], **where)
    accepted = read_entries(ACCEPTED, options["settings"], **where)
    return RunSpec(
        tasks=Path(tasks),
        baseline=f"stored:{baseline or ''}" if stored else baseline,
        candidate=candidate,
        agent=agent,
        log_dir=options["log_dir"],
        panel=panel,
        policy=chosen_policy(options, settings),
        quarantine=quarantine.entries,
        accepted_losses=accepted.entries,
        notes=(*quarantine.notes, *accepted.notes),
        noise=noise_folder(settings),
        epochs=_rounds(options, settings),
        seed=settings.seed if options["seed"] is None else options["seed"],
        baseline_log=options["baseline_log"],
        budget_usd=options["budget_usd"] or settings.budget_usd,
        budget_minutes=options["budget_minutes"] or settings.budget_minutes,
        allow_unknown_cost=options["allow_unknown_cost"],
        prices=options.get("prices") or (Path(settings.prices) if settings.prices else None),
        thresholds=thresholds(settings.thresholds, options["thresholds"]),
        require_judge=options["require_judge"],
        judge_mode=settings.judge_mode,
        repo=options["repo"],
        max_samples=options["max_samples"],
        tools=settings.tools,
        base=base,
        differing=(*differing, *quarantine.differing, *accepted.differing),
        ledger=options.get("ledger") or settings.ledger,
        store=options.get("store") or settings.store,
    )


def _settings(options: Mapping[str, Any]) -> tuple[str | None, GateSettings, tuple[str, ...]]:
    """The base, if there is one, the settings that count, and how those of the change differ from its base."""
    here = load_settings(options["settings"])
    before = ref_of(_stored(options["baseline"])[1] or here.baseline)
    after = ref_of(options["candidate"] or here.candidate)
    base = options.get("base") or (before if after is not None else None)
    ref = base or before
    if ref is None:
        return None, here, ()
    settings, differing = settings_at(options["settings"], ref, options["repo"], binding=base is not None)
    return base, settings, differing


def _stored(baseline: str | None) -> tuple[bool, str | None]:
    """Whether the runs of the baseline are on record, and the configuration that a person named."""
    word, _, named = (baseline or "").partition(":")
    return (True, named or None) if word == "stored" else (False, baseline)


def agent_spec(options: Mapping[str, Any], settings: GateSettings) -> AgentSpec:
    """The agent that options and settings describe."""
    words = shlex.split(options["agent_command"]) if options["agent_command"] else settings.agent_command or ()
    return AgentSpec(
        name=_required("--agent", options["agent"] or settings.agent),
        command=tuple(words),
        model=options["model"] or settings.model,
        environment=(*settings.agent_env, *options["agent_env"]),
        sandbox=options["sandbox"] or settings.sandbox,
        network=options["network"] or settings.network,
        telemetry="trusted" if options["trust_telemetry"] else settings.telemetry,
        direct=options["direct"] or settings.direct,
        version=options["agent_version"] or settings.agent_version,
    )


def _rounds(options: Mapping[str, Any], settings: GateSettings) -> int:
    """The number of rounds fixed beforehand; `adaptive` decides on its own how many it takes."""
    if options["epochs"] is not None and chosen_policy(options, settings).adaptive:
        raise InputError("--rounds has no effect under the policy adaptive", cure="--max-rounds limits it")
    return options["epochs"] or settings.epochs


def _required(name: str, value: str | None) -> str:
    if not value:
        raise InputError(f"{name} is missing", cure=f"pass {name}, or set it in steelyard.yaml")
    return value


def promotion_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of `api.promote` that options and settings describe.

    What decides, thresholds and noise, is taken from the branch to merge into: a change cannot loosen its own gate.
    """
    defaults = load_settings(options["settings"]).promote
    base, remote = options["base"] or defaults.base, options["remote"] or defaults.remote
    rules = remote_ref(options["repo"], remote, base)
    settings, differing = settings_at(options["settings"], rules, options["repo"])
    return {
        "base": base,
        "remote": remote,
        "path": options["where"] or defaults.path,
        "candidate": options["candidate"],
        "draft": defaults.draft if options["draft"] is None else options["draft"],
        "reviewers": options["reviewers"] or defaults.reviewers,
        "noise": noise_folder(settings),
        "thresholds": thresholds(settings.thresholds, options["thresholds"]),
        "rules": rules,
        "differing": differing,
        "ledger": options["ledger"] or settings.ledger,
        "blame": options.get("blame"),
    }
