"""One run of one task: the agent works, is stopped, and what it left is examined.

    attempt   lays fixture and configuration out, lets the agent work, keeps what it said and what it cost
    examine   kills its processes, takes the tree, lays the protected files over it, runs the checks

An agent error is a failed run, never a cheap one: every check fails and its cost stays unknown. What the agent
cannot cause (sandbox, provider, damaged telemetry) leaves the run unscored.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple, cast

import anyio.to_thread
from inspect_ai.model import ChatMessageAssistant
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState
from inspect_ai.util import sandbox

from steelyard.errors import SandboxError, one_line, redact
from steelyard.gate.agents.attempt import Agent, Attempt, Job, ProviderFault, TelemetryFault
from steelyard.gate.checks import Result, failed_checks, run_checks, scene
from steelyard.gate.config import Config
from steelyard.gate.diff import graded_text, unified
from steelyard.gate.metadata import STORE, as_metadata
from steelyard.gate.model import Cost, Run
from steelyard.gate.score import objective
from steelyard.gate.task import Task
from steelyard.gate.tree import File, Gathered, TooLarge, Tree, lay_over
from steelyard.gate.workspace import WORK, gather, unpack
from steelyard.logs.scores import to_score
from steelyard.outcome import OurFault, Scored, Unscored

RESOLUTION_MS = 1_000.0
"""A shorter wall clock is start-up and noise, not the agent: it is shown as measured and not counted."""


class Examined(NamedTuple):
    """What the checks found."""

    left: Gathered
    results: Sequence[Result]
    note: str | None
    """Why the run failed as a whole, when it did."""


async def attempt(state: TaskState, item: Task, config: Config, agent: Agent) -> None:
    """Let the agent work; what came of it goes into the sample's store."""
    box = sandbox()
    await unpack(box, lay_over(item.visible, config.tree), WORK)
    fault: tuple[OurFault, str] | None = None
    done = Attempt()
    begun = time.monotonic()
    try:
        done = await agent.attempt(state, box, Job(item.file.prompt, config.tree, item.file.timeout_s))
    except ProviderFault as error:
        fault = "provider", str(error)
    except TelemetryFault as error:
        fault = "harness", str(error)
    seconds = time.monotonic() - begun
    cost = replace(done.cost, wall_clock_ms=seconds * 1000) if done.error is None else Cost()
    uncounted = [*done.claimed, *(["wall_clock_ms"] if seconds * 1000 < RESOLUTION_MS else [])]
    state.output.completion = redact(done.answer)
    if not state.messages or state.messages[-1].role == "user":
        state.messages.append(ChatMessageAssistant(content=redact(done.transcript or done.answer)))
    kept = {"error": done.error, "answer": redact(done.answer), "cost": asdict(cost), "claimed": uncounted}
    state.store.set(STORE, {**kept, "unscored": fault, "seconds": seconds, "prompt": item.file.prompt})


async def examine(state: TaskState, item: Task, config: Config) -> Score:
    """Stop the agent, run the checks, and score the share that passed."""
    kept = cast(dict[str, Any], state.store.get(STORE) or {"error": "the attempt was cut off"})
    if (fault := kept.get("unscored")) is not None:
        return to_score(Unscored(cast(OurFault, fault[0]), one_line(fault[1])))
    start = lay_over(item.visible, config.tree)
    try:
        found = await _examined(item, start, kept.get("error"))
    except SandboxError as error:
        state.store.set(STORE, {**kept, "unscored": ("sandbox", str(error))})
        return to_score(Unscored("sandbox", str(error)))
    # The configuration is no part of the change: with it in the diff, a judge would learn the arm.
    diff = redact(unified(_unconfigured(start, item, config), _unconfigured(found.left.tree, item, config)))
    graded = {
        "rubric": None if item.rubric is None else item.rubric.model_dump(mode="json", exclude_defaults=True),
        "judge_weight": item.file.judge_weight,
        "text": graded_text(diff, str(kept.get("answer") or "")),
    }
    state.store.set(STORE, {**kept, **graded})
    return _score(item, kept, found, diff)


async def _examined(item: Task, start: Tree, error: str | None) -> Examined:
    try:
        left = await gather(sandbox())
    except TooLarge as problem:
        why = f"what the agent left is too large: {problem}"
        return Examined(Gathered({}, ()), failed_checks(item, why), why)
    if error is not None:
        why = f"the agent failed: {one_line(redact(error), 300)}"
        return Examined(left, failed_checks(item, why), why)
    seen = scene(item, start, left.tree)
    results = await anyio.to_thread.run_sync(run_checks, item, seen, abandon_on_cancel=True)
    return Examined(left, results, None)


def _score(item: Task, kept: dict[str, Any], found: Examined, diff: str) -> Score:
    cost = Cost(**cast(dict[str, Any], kept.get("cost") or {}))
    claimed = cast(list[str], kept.get("claimed") or [])
    passed = sum(result.passed for result in found.results)
    run = Run(
        task=item.id,
        passed=passed,
        total=len(found.results),
        judge_weight=item.file.judge_weight,
        # A claim is shown, not counted: to the law it is unknown.
        cost=replace(cost, **dict.fromkeys(claimed)),
        claims=Cost(**{name: getattr(cost, name) for name in claimed}),
        checks={result.name: result.passed for result in found.results},
        note=found.note,
    )
    details = {
        **as_metadata(run, item.names),
        "agent_seconds": kept.get("seconds"),
        "dropped": list(found.left.dropped)[:50],
        "diff": diff,
        "outputs": [_output(result) for result in found.results],
    }
    value = objective(passed, len(found.results))
    return to_score(Scored(value), explanation=_explained(found), metadata=details)


def _unconfigured(tree: Tree, item: Task, config: Config) -> dict[str, File]:
    """The tree without artifacts that stand as the configuration laid them."""
    laid = {path for path, file in config.tree.items() if tree.get(path) == file}
    own = {path: item.visible[path] for path in laid if path in item.visible}
    return {path: file for path, file in tree.items() if path not in laid} | own


def _output(result: Result) -> dict[str, Any]:
    return {**asdict(result), "message": redact(result.message), "output": redact(result.output)}


def _explained(found: Examined) -> str:
    lines = [f"{'passed' if each.passed else 'FAILED'}: {each.name}: {each.message}" for each in found.results]
    return redact("\n".join([*([found.note] if found.note else []), *lines]))[:5_000]
