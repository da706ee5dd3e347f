"""One run of one task: the agent works, is stopped, and what it left behind is examined.

    attempt   unpacks fixture and configuration, lets the agent work, keeps its answer and its cost
    examine   kills its processes, takes the tree, copies the protected files over it, runs the checks

An agent error is a failed run, never a cheap one: every check fails and its cost stays unknown. Failures that the
agent cannot cause (sandbox, provider, damaged telemetry) leave the run unscored.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import anyio.to_thread
from inspect_ai.model import ChatMessageAssistant, get_model
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironment, sandbox

from steelyard.errors import SandboxError, one_line
from steelyard.gate.activation import Activations, activation_of, activations, called_skills, named_in, skills_in
from steelyard.gate.agents.attempt import Agent, Attempt, HarnessFault, Job, ProviderFault, TelemetryFault
from steelyard.gate.agents.tool_call import from_json, redacted
from steelyard.gate.checks import CheckResult, failed_checks
from steelyard.gate.checks.control import run_controlled
from steelyard.gate.checks.difference import unified
from steelyard.gate.checks.transcript import UnknownCalls
from steelyard.gate.config import Config
from steelyard.gate.config.used import marks, parts_in
from steelyard.gate.metadata import STORE, as_metadata
from steelyard.gate.model import Cost, Run
from steelyard.gate.purse import BudgetSpent, require_money
from steelyard.gate.score import objective
from steelyard.gate.steps import Activation
from steelyard.gate.task_folder import Task
from steelyard.gate.workspace import WORK, gather, unpack
from steelyard.logs.scores import to_score
from steelyard.models.fault import NotAsked
from steelyard.models.patience import one_run
from steelyard.outcome import OurFault, Scored, Unscored
from steelyard.sandbox.choose import BUBBLEWRAP, Sandbox
from steelyard.sandbox.dependencies import installed
from steelyard.sandbox.foreign import bring
from steelyard.secrets import redact
from steelyard.tree import File, Gathered, TooLarge, Tree, lay_over

RESOLUTION_MS = 1_000.0
"""A shorter wall clock measures start-up and noise, not the agent: it is shown and not counted."""


class Examination(NamedTuple):
    """What the checks found."""

    left: Gathered
    results: Sequence[CheckResult]
    note: str | None
    """Why the run failed as a whole, when it did."""


async def attempt(state: TaskState, item: Task, config: Config, agent: Agent, place: Sandbox = BUBBLEWRAP) -> None:
    """Let the agent work; the outcome goes into the sample's store."""
    box = sandbox()
    if place.foreign:
        # A foreign sandbox cannot bind files, so they are copied.
        await bring(box, [(Path(host), inside) for inside, host in agent.binds.items()])
    await unpack(box, lay_over(item.visible, config.tree), WORK)
    done, fault = await _attempted(agent, state, box, Job(item.file.prompt, config.tree, item.file.timeout_s))
    seconds = done.seconds or 0.0
    cost = replace(done.cost, wall_clock_ms=seconds * 1000) if done.error is None else Cost()
    uncounted = [*done.claimed, *(["wall_clock_ms"] if seconds * 1000 < RESOLUTION_MS else [])]
    state.output.completion = redact(done.answer)
    # The transcript stands in for an agent whose messages nobody saw.
    if not state.messages or state.messages[-1].role == "user":
        state.messages.append(ChatMessageAssistant(content=redact(done.transcript or done.answer)))
    kept = {"error": done.error, "answer": redact(done.answer), "cost": asdict(cost), "claimed": uncounted}
    outcome: dict[str, Any] = {"unscored": fault, "seconds": seconds, "model_calls": done.model_calls}
    outcome |= {"models": list(done.models)}
    if item.observed and done.calls is not None:
        outcome |= {"calls": [redacted(call).as_json() for call in done.calls]}
    parts = parts_in(config.tree, agent.name)
    skills = None if done.uses is None else _skills(done, config).names
    outcome |= {"parts": marks(parts, config.tree, agent.name, done, skills)} if parts else {}
    seen = _activation(done, item, config)
    state.store.set(STORE, {**kept, **outcome, "activation": seen, "prompt": item.file.prompt})


async def _attempted(
    agent: Agent, state: TaskState, box: SandboxEnvironment, job: Job
) -> tuple[Attempt, tuple[OurFault, str] | None]:
    """What the agent did, or whose failure kept it from doing anything."""
    try:
        require_money()
        async with one_run(get_model()) if agent.uses_model else nullcontext() as turn:
            begun = time.monotonic()
            try:
                done = await agent.attempt(state, box, job)
                passed = time.monotonic() - begun
                return replace(done, seconds=passed if done.seconds is None else done.seconds), None
            except ProviderFault as error:
                # After several such runs in a row, the next ones wait before they ask this model again.
                if turn is not None:
                    turn.failed(str(error), lasting=error.lasting)
                return Attempt(), ("provider", str(error))
    except NotAsked as error:
        return Attempt(), ("provider", str(error))
    except (BudgetSpent, HarnessFault, TelemetryFault) as error:
        return Attempt(), ("harness", str(error))


async def examine(state: TaskState, item: Task, config: Config, place: Sandbox = BUBBLEWRAP) -> Score:
    """Stop the agent, run the checks, and score the share that passed."""
    kept = cast(dict[str, Any], state.store.get(STORE) or {"error": "the attempt was interrupted"})
    if (fault := kept.get("unscored")) is not None:
        return to_score(Unscored(cast(OurFault, fault[0]), one_line(fault[1])))
    start = lay_over(item.visible, config.tree)
    try:
        examination = await _examined(item, start, kept, place)
    except (SandboxError, UnknownCalls) as error:
        blamed: OurFault = "sandbox" if isinstance(error, SandboxError) else "harness"
        # The judge must not grade a run that has no score.
        state.store.set(STORE, {**kept, "unscored": (blamed, str(error))})
        return to_score(Unscored(blamed, str(error)))
    # The configuration is not part of the change: with it in the diff, a judge could tell the arms apart.
    before, left = (_unconfigured(tree, item, config) for tree in (start, examination.left.tree))
    diff = redact(await anyio.to_thread.run_sync(unified, before, left, abandon_on_cancel=True))
    graded = {
        "rubric": None if item.rubric is None else item.rubric.model_dump(mode="json", exclude_defaults=True),
        "judge_weight": item.file.judge_weight,
        **({"pairwise": True} if item.pairwise else {}),
        "text": graded_text(diff, str(kept.get("answer") or "")),
    }
    state.store.set(STORE, {**kept, **graded})
    return _score(item, kept, examination, diff)


async def _examined(item: Task, start: Tree, kept: dict[str, Any], place: Sandbox) -> Examination:
    error = cast(str | None, kept.get("error"))
    try:
        left = await gather(sandbox(), installed(item.dependencies, place).names)
    except TooLarge as problem:
        reason = f"what the agent left is too large: {problem}"
        return Examination(Gathered({}, ()), failed_checks(item.checks, reason), reason)
    if error is not None:
        reason = f"the agent failed: {one_line(redact(error), 300)}"
        return Examination(left, failed_checks(item.checks, reason), reason)
    calls = None if (called := kept.get("calls")) is None else tuple(map(from_json, called))
    seen = Activation(**seen) if (seen := kept.get("activation")) else None
    given = item.check_input(start, left.tree)
    answer = str(kept.get("answer") or "")
    subject = replace(given, answer=answer, calls=calls, activation=seen, sandbox=place)
    control = item.control(place)
    # A check may take minutes; a cancelled run does not wait for it.
    results = await anyio.to_thread.run_sync(run_controlled, item.checks, subject, control, abandon_on_cancel=True)
    return Examination(left, results, None)


def _score(item: Task, kept: dict[str, Any], examination: Examination, diff: str) -> Score:
    cost = Cost(**cast(dict[str, Any], kept.get("cost") or {}))
    claimed = cast(list[str], kept.get("claimed") or [])
    passed = sum(result.passed for result in examination.results)
    run = Run(
        task=item.id,
        passed=passed,
        total=len(examination.results),
        judge_weight=item.file.judge_weight,
        # A claim is shown, not counted: for the score it is unknown.
        cost=replace(cost, **dict.fromkeys(claimed)),
        claims=Cost(**{name: getattr(cost, name) for name in claimed}),
        checks={result.name: result.passed for result in examination.results},
        note=examination.note,
        idle=_idle(kept, diff),
        activation=Activation(**seen) if (seen := kept.get("activation")) else None,
    )
    details = {
        **as_metadata(run, tuple(item.checks)),
        "model_calls": kept.get("model_calls"),
        "models": kept.get("models") or [],
        "parts": kept.get("parts"),
        "agent_seconds": kept.get("seconds"),
        "dropped": list(examination.left.dropped)[:50],
        "diff": diff,
        "outputs": [_output(result) for result in examination.results],
    }
    value = objective(passed, len(examination.results))
    return to_score(Scored(value), explanation=_explained(examination), metadata=details)


def _activation(done: Attempt, item: Task, config: Config) -> dict[str, Any] | None:
    """What the agent did with the skill under test; None if the configuration has none, or nobody saw it."""
    names = named_in(config.tree)
    if done.uses is None or not skills_in(config.tree) or (config.skill is not None and config.skill not in names):
        return None
    seen = _skills(done, config)
    expected = item.file.expect_activation
    skill = None if config.skill is None else names[config.skill]
    return asdict(activation_of(seen, skill, None if expected == "any" else expected))


def _skills(done: Attempt, config: Config) -> Activations:
    """What the agent did with all skills."""
    called = called_skills(done.commands, config.tree, by_title=done.by_title)
    return activations(skills_in(config.tree), done.uses or (), called, named_in(config.tree))


def _idle(kept: dict[str, Any], diff: str) -> str | None:
    """What the agent never did: a run without a model call says nothing about a configuration."""
    if kept.get("model_calls") == 0:
        return "never called a model"
    if kept.get("error") is None and not diff and not str(kept.get("answer") or "").strip():
        return "changed nothing and said nothing"
    return None


def _unconfigured(tree: Tree, item: Task, config: Config) -> dict[str, File]:
    """The tree without the configuration's artifacts, unless the agent changed them."""
    laid = {path for path, file in config.tree.items() if tree.get(path) == file}
    own = {path: item.visible[path] for path in laid if path in item.visible}
    return {path: file for path, file in tree.items() if path not in laid} | own


def _output(result: CheckResult) -> dict[str, Any]:
    return {**asdict(result), "message": redact(result.message), "output": redact(result.output)}


def _explained(examination: Examination) -> str:
    lines = [
        f"{'passed' if result.passed else 'FAILED'}: {result.name}: {result.message}" for result in examination.results
    ]
    return redact("\n".join([*([examination.note] if examination.note else []), *lines]))[:5_000]


def graded_text(diff: str, answer: str) -> str:
    """The text a judge grades: the change and the final answer."""
    return f"Change to the files:\n\n{diff or '(no file was changed)'}\n\nFinal answer:\n\n{answer or '(none)'}\n"
