"""`steelyard.yaml` at a repository's root: the settings of the gate, so that a command line stays short.

Options of a command win over the file. Unknown keys are refused, and an error names the line. Thresholds are in
[0, 1]: a negative gain would let equal results ship, and a drop above 1 could never be a regression. The keys of the
policy have the ranges of `PolicySettings`, in the file and on the command line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from steelyard.errors import InputError
from steelyard.gate.evidence.policy import AUTO, Policy, PolicyName, Question
from steelyard.gate.model import Thresholds
from steelyard.process import on_path
from steelyard.yamlfile import Strict, read, sentence

FILE = "steelyard.yaml"

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

NOISE_FOLDER = ".steelyard/noise"
"""Where noise records are, relative to the settings file, so that they can be committed."""

MAX_ROUNDS = 1000
"""Rounds of one comparison."""


class ThresholdSettings(Strict):
    """When a difference counts (docs/scoring.md §3.2)."""

    min_composite_gain: Share = 0.01
    regression_composite_drop: Share = 0.05
    objective_drop_is_regression: bool = True
    cost_counts: bool = True


class PromoteSettings(Strict):
    """Where a promoted change goes."""

    base: Name = "main"
    path: str = "."
    """Where the configuration lives in the repository."""
    remote: Name = "origin"
    draft: bool = False
    reviewers: tuple[Name, ...] = ()


class BlameSettings(Strict):
    """How a configuration is taken apart (docs/scoring.md §3.7); names of parts, or patterns of names."""

    together: tuple[tuple[Name, ...], ...] = ()
    """Parts that stand together."""
    pin: tuple[Name, ...] = ()
    """Parts that stay, such as rules of safety."""


class PolicySettings(Strict):
    """Which rule decides (docs/scoring.md §3.5)."""

    policy: PolicyName = "auto"
    question: Question = "better"
    margin: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.05
    """The mean loss per task that still counts as no worse."""
    alpha: Annotated[float, Field(ge=0.001, le=0.2, allow_inf_nan=False)] = 0.05
    """The error that a verdict may make."""
    min_rounds: Annotated[int, Field(ge=2, le=MAX_ROUNDS)] = 4
    """`adaptive`: the first round after which it may stop; a single round has no spread."""
    max_rounds: Annotated[int, Field(ge=2, le=MAX_ROUNDS)] = 20
    """`adaptive`: the last round."""

    @model_validator(mode="after")
    def _ordered(self) -> PolicySettings:
        if self.min_rounds > self.max_rounds:
            key = "max_rounds" if "max_rounds" in self.model_fields_set else "min_rounds"
            message = f"min_rounds {self.min_rounds} is above max_rounds {self.max_rounds}"
            raise PydanticCustomError("order", "{message}", {"message": message, "at": (key,)})
        return self


class EntrySettings(Strict):
    """A task or check that is quarantined (docs/scoring.md §3.6), or whose loss is accepted (§3.5), for a while.

    No field is required here: an entry that lacks one is not an error, it just does not hold, and the report says so.
    """

    task: str | None = None
    check: str | None = None
    """One check of the task; the whole task if absent."""
    reason: str | None = None
    owner: str | None = None
    until: str | None = None
    """The last day on which it holds; of a quarantine at most 30 days ahead."""


class MatrixSettings(Strict):
    """One of several agents that a comparison is run with."""

    agent: Name
    model: Name | None = None


JudgeMode = Literal["graded", "pairwise"]
"""Whether a judge grades each result by the rubric, or compares the results of both arms."""


class JudgeSettings(Strict):
    """How tasks with a rubric are judged."""

    mode: JudgeMode = "graded"


class NamedJudgeSettings(JudgeSettings):
    """How, and by whom."""

    names: tuple[Name, ...] = ()
    """Inspect models; several make a jury."""


class GateSettings(PolicySettings):
    """Defaults for the options of `gate run`, `gate compare` and `gate promote`."""

    tasks: str | None = None
    baseline: str | None = None
    candidate: str | None = None
    agent: str | None = None
    agent_command: tuple[str, ...] | None = None
    """Program and arguments of the `command` agent."""
    agent_version: Name | None = None
    """Version of a command-line agent's client."""
    direct: bool = False
    """Whether a command-line agent calls its provider itself, with its own key."""
    agent_env: tuple[Name, ...] = ()
    """Names of environment variables the agent may see, beside those it is known to need."""
    sandbox: Name = "bubblewrap"
    """Where the agent works and checks run: bubblewrap, docker, docker:IMAGE, or another Inspect sandbox."""
    network: Literal["none", "host"] | None = None
    telemetry: Literal["claimed", "trusted"] = "claimed"
    """Whether costs that a `command` agent claims count, or are only shown."""
    model: str | None = None
    matrix: tuple[MatrixSettings, ...] = ()
    """Several agents or models in one verdict, instead of `agent` and `model`."""
    epochs: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] = 1
    """Rounds of both arms, unless the policy is `adaptive`."""
    judge: tuple[Name, ...] | NamedJudgeSettings = ()
    """The judges, or `{mode: pairwise, names: […]}`."""
    budget_usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    prices: Name | None = None
    """Price list: per model `{input: USD, output: USD}` for a million tokens, and prices of the cache."""
    budget_minutes: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: int | None = None
    thresholds: ThresholdSettings = ThresholdSettings()
    promote: PromoteSettings = PromoteSettings()
    blame: BlameSettings = BlameSettings()
    tools: tuple[Name, ...] = ()
    """Programs of the host that checks may use, beside those of each task."""
    quarantine: tuple[EntrySettings, ...] = ()
    accepted_losses: tuple[EntrySettings, ...] = ()
    """Losses that a change may bring: a `mixed` of which every loss is listed counts as `improved`."""
    store: Name | None = None
    """Folder or URL that keeps the runs of arms."""
    ledger: Name | None = None
    """Where attempts are counted: a folder, a URL or `git:REF`; beside the logs if absent."""
    noise: str | None = None
    """Folder of noise records; `.steelyard/noise` beside the file if absent."""

    @property
    def judges(self) -> tuple[str, ...]:
        """The names of the judges."""
        return self.judge.names if isinstance(self.judge, NamedJudgeSettings) else self.judge

    @property
    def judge_mode(self) -> JudgeMode | None:
        """How tasks are judged that do not say it; None if the settings do not say it either."""
        return self.judge.mode if isinstance(self.judge, NamedJudgeSettings) else None


class SettingsFile(Strict):
    """The whole file."""

    gate: GateSettings = GateSettings()


def load_settings(path: Path | None) -> GateSettings:
    """The settings in `path`; without a path those of the current folder's `steelyard.yaml`, if it has one."""
    if path is None:
        default = Path(FILE)
        return load_settings(default) if present(default) else GateSettings()
    return resolved(path.parent, read(path).validated(SettingsFile).gate)


def present(path: Path) -> bool:
    """Whether anything has this name: a link to nothing or a folder fails when it is read, and does not count as no
    settings."""
    return os.path.lexists(path)


def noise_folder(settings: GateSettings) -> Path:
    """Where noise records are."""
    return Path(settings.noise or NOISE_FOLDER)


def resolved(folder: Path, settings: GateSettings, exists: Callable[[Path], bool] = os.path.exists) -> GateSettings:
    """The settings with the paths that exist resolved relative to the folder of the file."""
    # os.path: a word may be a whole script, which is too long for a name; pathlib raises for it.

    def place(word: str | None) -> str | None:
        if word is None or word.startswith("git:") or not exists(folder / word):
            return word
        return str(folder / word)

    words = settings.agent_command or ()
    # A program on PATH is used even if a file of that name exists.
    first = [word if on_path(word) else place(word) for word in words[:1]]
    command = tuple(str(word) for word in (*first, *map(place, words[1:])))
    return settings.model_copy(
        update={
            "tasks": place(settings.tasks),
            "baseline": place(settings.baseline),
            "candidate": place(settings.candidate),
            "prices": None if settings.prices is None else str(folder / settings.prices),
            "noise": str(folder / (settings.noise or NOISE_FOLDER)),
            "agent_command": None if settings.agent_command is None else command,
        }
    )


def thresholds(settings: ThresholdSettings, overrides: Sequence[str] = ()) -> Thresholds:
    """The thresholds of the settings with `name=value` overrides."""
    values: dict[str, Any] = settings.model_dump()
    for override in overrides:
        name, equals, value = override.partition("=")
        if not equals or name not in values:
            wrong = f"there is no threshold {name!r}" if equals else f"--threshold {override!r} is not NAME=VALUE"
            raise InputError(wrong, cure=f"one of {', '.join(values)}")
        values[name] = value
    return checked_thresholds(values)


def checked_thresholds(values: object) -> Thresholds:
    """The thresholds in data of any form."""
    try:
        return Thresholds(**ThresholdSettings.model_validate(values).model_dump())
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]["input"]
        raise InputError(f"threshold {sentence(error)}, got {wrong!r}") from error


def policy(settings: PolicySettings, overrides: Mapping[str, Any] | None = None) -> Policy:
    """The policy of the settings with overrides by name; an override that is None leaves the setting alone."""
    changes = {name: value for name, value in (overrides or {}).items() if value is not None}
    values = {name: getattr(settings, name) for name in PolicySettings.model_fields} | changes
    try:
        checked = PolicySettings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        got = f", got {first['input']!r}" if first["loc"] else ""
        raise InputError(f"{sentence(error)}{got}") from error
    fields = checked.model_dump()
    chosen = Policy(name=fields.pop("policy"), **fields)
    # Limits of rounds that only `adaptive` has would make equal settings look different.
    return chosen if chosen.adaptive else replace(chosen, min_rounds=AUTO.min_rounds, max_rounds=AUTO.max_rounds)
