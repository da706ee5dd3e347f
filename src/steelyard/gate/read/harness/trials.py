"""Terminal-Bench (`results.json` of a run or a trial) and Harbor (`result.json` of a trial); trials are epochs.

An agent that ran out of time failed; a trial that broke without a result is a gap.
"""

from __future__ import annotations

from typing import Any

from steelyard.gate.model import Cost, Gap, Run
from steelyard.gate.read.harness.values import Table, added, elapsed_ms, name, number, run_of, table, tables


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
    rewards = {key: found for key, value in _rewards(trial).items() if (found := number(value)) is not None}
    if not rewards:
        broken = str(table(trial.get("exception_info")).get("exception_type") or "no reward")
        if "AgentTimeout" in broken:
            return [Run(task, 0.0, 1.0, cost=_harbor_cost(trial), note=broken)]
        return [Gap(task, 1, "harness", broken[:300], source)]
    passed = sum(min(value, 1.0) for value in rewards.values())
    return [Run(task, passed, float(len(rewards)), cost=_harbor_cost(trial))]


def _rewards(trial: Table) -> Table:
    verified = table(trial.get("verifier_result"))
    return table(verified.get("rewards")) or {"reward": verified.get("reward")}


def _harbor_cost(trial: Table) -> Cost:
    used = table(trial.get("agent_result"))
    ran = table(trial.get("agent_execution"))
    return Cost(
        tokens=added(used.get("n_input_tokens"), used.get("n_output_tokens")),
        wall_clock_ms=elapsed_ms(ran.get("started_at"), ran.get("finished_at")),
        cost_usd=number(used.get("cost_usd")),
    )
