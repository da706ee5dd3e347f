"""Terminal-Bench (`results.json` of a run or a trial) and Harbor (`result.json` of a trial); trials are epochs.

An agent that ran out of time failed; a trial that broke without a result is a gap. Harbor also runs the tests after an
exception: what it says of such a trial counts only if the agent or its model caused the exception, as in Harbor's own
`error_policy` (0.25).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from steelyard.errors import InputError
from steelyard.gate.model import Cost, Gap, Run
from steelyard.gate.read.harness.values import Table, added, elapsed_ms, name, number, run_of, table, tables
from steelyard.outcome import OurFault

_OWN = frozenset(
    {
        *("AgentTimeoutError", "ContextWindowExceededError", "OutputTokenExceededError", "ContextLengthExceededError"),
        *("OutputLengthExceededError", "AgentSafetyRefusalError", "ContentPolicyViolationError"),
    }
)
"""Harbor's exceptions that the agent or its model caused: it ran out of something, or refused."""
_PROVIDER = ("Api", "RateLimit", "APIConnection", "ServiceUnavailable", "InternalServer")
"""How the names begin of those that the provider caused."""


def terminal_bench(data: Any, source: str) -> list[Run | Gap]:
    """The trials in `results.json`."""
    top = table(data)
    return [_terminal_bench(trial, source) for trial in tables(top.get("results")) or [top]]


def _terminal_bench(trial: Table, source: str) -> Run | Gap:
    task = name(trial.get("task_id"), source)
    if not isinstance(trial.get("is_resolved"), bool):
        return Gap(task, 1, "harness", f"no result: {trial.get('failure_mode') or 'unknown'}", source)
    tests = table(trial.get("parser_results"))
    cost = Cost(
        tokens=added(trial.get("total_input_tokens"), trial.get("total_output_tokens")),
        wall_clock_ms=elapsed_ms(trial.get("agent_started_at"), trial.get("agent_ended_at")),
    )
    return run_of(task, [(test, said == "passed") for test, said in tests.items()], bool(trial["is_resolved"]), cost)


def harbor(data: Any, source: str) -> list[Run | Gap]:
    """The trial in `result.json`; the file of the whole job has no trials in it and is not read."""
    trial = table(data)
    task = name(trial.get("task_name"), source)
    steps = tables(trial.get("step_results"))
    raised = [table(part.get("exception_info")).get("exception_type") for part in (trial, *steps)]
    broken = [str(kind) for kind in raised if kind]
    if foreign := [kind for kind in broken if kind not in _OWN]:
        fault: OurFault = "provider" if foreign[0].startswith(_PROVIDER) else "harness"
        return [Gap(task, 1, fault, foreign[0][:300], source)]
    cost = _harbor_cost(trial, steps)
    rewards = _rewards(trial)
    # A trial that broke without a result failed if the agent caused that; otherwise it is a gap.
    if not rewards:
        return [
            Run(task, 0.0, 1.0, cost=cost, note=broken[0]) if broken else Gap(task, 1, "harness", "no reward", source)
        ]
    known = {key: number(value) for key, value in rewards.items()}
    if outside := next((key for key, value in known.items() if value is None or value > 1), None):
        raise InputError(f"{source}: {outside} of {task} is {rewards[outside]!r}, and only 0 to 1 can be compared")
    return [Run(task, math.fsum(value or 0.0 for value in known.values()), float(len(known)), cost=cost)]


def _rewards(trial: Table) -> Table:
    verified = table(trial.get("verifier_result"))
    alone = verified.get("reward")
    return table(verified.get("rewards")) or ({} if alone is None else {"reward": alone})


def _harbor_cost(trial: Table, steps: Sequence[Table]) -> Cost:
    """What the agent used; a trial of several steps has it step by step."""
    used = [table(part.get("agent_result")) for part in ((trial,) if trial.get("agent_result") else steps)]
    ran = table(trial.get("agent_execution"))
    return Cost(
        tokens=added(*(part.get(key) for part in used for key in ("n_input_tokens", "n_output_tokens"))),
        wall_clock_ms=elapsed_ms(ran.get("started_at"), ran.get("finished_at")),
        cost_usd=added(*(part.get("cost_usd") for part in used)),
    )
