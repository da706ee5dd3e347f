"""What `gate run` and its relatives can be told; settings fill in what is not said (`steelyard.yaml`).

An option wins over the settings, except where a base counts: a change cannot loosen its own gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from steelyard.api.groups import Engines, Judges, Prices
from steelyard.api.spec import named, option, rare
from steelyard.api.values import Location, keeper, path, sources, texts, words
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import PolicyName, Question
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.gate.agents import AgentSpec
    from steelyard.gate.evidence.policy import Policy
    from steelyard.gate.run.plan import RunSpec
    from steelyard.gate.settings import GateSettings, PolicySettings

_ADAPTIVE = ("min_rounds", "max_rounds")
"""What only `adaptive` knows."""

_POLICY = ("policy", "question", "margin", "alpha", *_ADAPTIVE)


def logs_in(folder: str, *, rare: bool = True) -> Any:
    """The field of the folder for logs, with its default."""
    text = "Where the logs go; start again with it to continue."
    return option(text, default=Path(folder), converter=location, rare=rare)


@named
class Settings:
    """The settings file."""

    settings: Path | None = option(
        "Settings file [default: steelyard.yaml].", "--settings", "--config", default=None, converter=path
    )


@named
class Thresholds(Settings):
    """The settings file, and what overrides its thresholds."""

    thresholds: tuple[str, ...] = rare(
        "Override a threshold; repeatable.", "--threshold", "NAME=VALUE", default=(), converter=texts
    )


@named
class Policies:
    """What decides."""

    policy: PolicyName | None = option("What decides [default: auto].", default=None)
    question: Question | None = rare(
        "Test for improvement (better), or non-inferiority within --margin (safe).", default=None
    )
    margin: float | None = rare("Mean loss per task that is still safe [default: 0.05].", default=None, above=0, most=1)
    alpha: float | None = rare("Significance level [default: 0.05].", default=None, least=0.001, most=0.2)
    min_rounds: int | None = rare(
        "adaptive: first round that may decide [default: 4].", default=None, least=2, most=1000
    )
    max_rounds: int | None = rare("adaptive: last round [default: 20].", default=None, least=2, most=1000)

    def stated_policy(self, settings: PolicySettings) -> Policy | None:
        """The policy that these fields or the settings describe; None if neither names anything of it."""
        stated = {name for name in _POLICY if getattr(self, name) is not None} | {*_POLICY} & settings.model_fields_set
        return self.chosen_policy(settings) if stated else None

    def chosen_policy(self, settings: PolicySettings) -> Policy:
        """The policy that these fields and the settings describe."""
        from steelyard.gate.settings import policy

        chosen = policy(settings, {name: getattr(self, name) for name in _POLICY})
        useless = next((name for name in _ADAPTIVE if getattr(self, name) is not None), None)
        if useless is not None and not chosen.adaptive:
            option = f"--{useless.replace('_', '-')}"
            raise InputError(f"{option} has no effect under the policy {chosen.name}", cure="add --policy adaptive")
        return chosen


@named
class Agents(Prices):
    """Who does the tasks, and what may be spent on it."""

    agent: tuple[str, ...] = option(
        "claude-code, codex, gemini-cli, opencode, cursor, model or command.", default=(), converter=texts
    )
    model: tuple[str, ...] = option("Model of the agent.", default=(), converter=texts)
    agent_command: str | None = rare("Program and arguments of the command agent.", "WORDS", default=None)
    agent_version: str | None = rare("Version of the client, installed if need be.", "VERSION", default=None)
    direct: bool = rare("Let a command-line agent call its provider with its own key.", default=False)
    agent_env: tuple[str, ...] = rare("A variable the agent may see; repeatable.", "NAME", default=(), converter=texts)
    sandbox: str | None = rare("bubblewrap, docker, docker:IMAGE or an Inspect sandbox.", "NAME", default=None)
    network: Literal["none", "host"] | None = rare("Network of the agent's sandbox.", default=None)
    trust_telemetry: bool = rare("Count costs that a command agent claims.", default=False)
    max_samples: int | None = rare("Runs at a time, of both arms together.", default=None, least=1, most=256)
    repo: Path | None = rare("Repository for git:REF [default: the current folder].", default=None, converter=path)
    allow_unknown_cost: bool = rare("Keep a budget although the cost of some runs is unknown.", default=False)

    def agent_spec(self, settings: GateSettings) -> AgentSpec:
        """The agent that these fields and the settings describe."""
        from steelyard.gate.agents import AgentSpec

        if len(self.agent) > 1 or len(self.model) > 1:
            raise InputError("one agent with one model at a time", cure="name one with --agent and --model")
        command = words(self.agent_command) if self.agent_command else settings.agent_command or ()
        return AgentSpec(
            name=_required("--agent", next(iter(self.agent), settings.agent)),
            command=tuple(command),
            model=next(iter(self.model), settings.model),
            environment=(*settings.agent_env, *self.agent_env),
            sandbox=self.sandbox or settings.sandbox,
            network=self.network or settings.network,
            telemetry="trusted" if self.trust_telemetry else settings.telemetry,
            direct=self.direct or settings.direct,
            version=self.agent_version or settings.agent_version,
        )


@named
class GateSpec(Agents, Policies, Judges, Thresholds, Engines):
    """A run of tasks under two configurations, as a person describes it."""

    tasks: Path | None = option("Folder of tasks.", default=None, converter=path)
    baseline: str | None = option(
        "As it is: a folder, git:REF[:PATH], none, or stored[:CONFIG].", "CONFIG", default=None
    )
    candidate: str | None = option(
        "The configuration as it would be: a folder or git:REF[:PATH].", "CONFIG", default=None
    )
    baseline_log: tuple[str, ...] = rare(
        "Reuse an earlier baseline with the same fingerprint.", "LOGS", default=(), converter=sources
    )
    base: str | None = rare("Git ref whose settings and tasks count: the base of a pull request.", "REF", default=None)
    epochs: int | None = option(
        "Rounds of both arms [default: 1].", "--rounds", "--epochs", default=None, least=1, most=1000
    )
    seed: int | None = rare("Shuffles the order of the arms; recorded.", default=None)
    log_dir: Location = logs_in("logs/gate", rare=False)
    store: str | None = rare(
        "Folder or URL that keeps the runs of arms; --baseline stored reads it.", "PLACE", default=None
    )
    ledger: str | None = rare(
        "Where attempts are counted: a folder, a URL, or git:REF [default: beside the logs].", "PLACE", default=None
    )
    budget_minutes: float | None = rare("Start no round that would take longer.", default=None, above=0)

    def members(self) -> list[Self]:
        """One run per agent and model that is named here, or else in the matrix of the settings."""
        from steelyard.gate.settings import load_settings

        matrix = load_settings(self.settings).matrix
        # An agent or a model named on the command line replaces the whole matrix of the settings.
        if not self.agent and not self.model and matrix:
            models = [(each.agent, () if each.model is None else (each.model,)) for each in matrix]
            return [replace(self, agent=(agent,), model=model, agent_command=None) for agent, model in models]
        pairs = product(_each(self.agent), _each(self.model))
        return [replace(self, agent=agent, model=model) for agent, model in pairs]

    def resolved(self) -> RunSpec:
        """The run, with what the settings add."""
        from steelyard.gate.base import baseline_at
        from steelyard.gate.quarantine.entries import ACCEPTED, QUARANTINE
        from steelyard.gate.quarantine.file import read_entries
        from steelyard.gate.run.plan import RunSpec
        from steelyard.gate.settings import noise_folder, thresholds

        base, settings, differing = self._settings()
        stored, named = _stored(self.baseline)
        baseline = named or settings.baseline
        baseline = baseline if base is None else baseline_at(baseline, base, self.repo)
        where: dict[str, Any] = {"baseline": baseline if base is None else f"git:{base}", "repo": self.repo}
        quarantine = read_entries(QUARANTINE, self.settings, **where)
        accepted = read_entries(ACCEPTED, self.settings, **where)
        return RunSpec(
            tasks=Path(_required("--tasks", self.tasks or settings.tasks)),
            baseline=f"stored:{baseline or ''}" if stored else baseline,
            candidate=_required("--candidate", self.candidate or settings.candidate),
            agent=self.agent_spec(settings),
            log_dir=self.log_dir,
            panel=self.panel("auto", settings.judges),
            policy=self.chosen_policy(settings),
            quarantine=quarantine.entries,
            accepted_losses=accepted.entries,
            notes=(*quarantine.notes, *accepted.notes),
            noise=noise_folder(settings),
            epochs=self._rounds(settings),
            seed=settings.seed if self.seed is None else self.seed,
            baseline_log=self.baseline_log or None,
            budget_usd=self.budget_usd or settings.budget_usd,
            budget_minutes=self.budget_minutes or settings.budget_minutes,
            allow_unknown_cost=self.allow_unknown_cost,
            prices=self.prices or (Path(settings.prices) if settings.prices else None),
            thresholds=thresholds(settings.thresholds, self.thresholds),
            require_judge=self.require_judge,
            judge_mode=settings.judge_mode,
            repo=self.repo,
            max_samples=self.max_samples,
            tools=settings.tools,
            base=base,
            differing=(*differing, *quarantine.differing, *accepted.differing),
            ledger=keeper(self.ledger or settings.ledger),
            store=keeper(self.store or settings.store),
        )

    def _settings(self) -> tuple[str | None, GateSettings, tuple[str, ...]]:
        """The base, if there is one, the settings that count, and how those of the change differ from its base."""
        from steelyard.gate.base import ref_of, settings_at
        from steelyard.gate.settings import load_settings

        here = load_settings(self.settings)
        before = ref_of(_stored(self.baseline)[1] or here.baseline)
        after = ref_of(self.candidate or here.candidate)
        # If both sides are git refs, the baseline is the base of the change, so its settings count.
        base = self.base or (before if after is not None else None)
        ref = base or before
        if ref is None:
            return None, here, ()
        settings, differing = settings_at(self.settings, ref, self.repo, binding=base is not None)
        return base, settings, differing

    def _rounds(self, settings: GateSettings) -> int:
        """The number of rounds fixed beforehand; `adaptive` decides on its own how many it takes."""
        if self.epochs is not None and self.chosen_policy(settings).adaptive:
            raise InputError("--rounds has no effect under the policy adaptive", cure="--max-rounds limits it")
        return self.epochs or settings.epochs


def _each(values: Sequence[str]) -> list[tuple[str, ...]]:
    return [(value,) for value in values] or [()]


def _stored(baseline: str | None) -> tuple[bool, str | None]:
    """Whether the runs of the baseline are on record, and the configuration that a person named."""
    word, _, named = (baseline or "").partition(":")
    return (True, named or None) if word == "stored" else (False, baseline)


def _required(name: str, value: str | Path | None) -> str:
    if not value:
        raise InputError(f"{name} is missing", cure=f"pass {name}, or set it in steelyard.yaml")
    return str(value)
