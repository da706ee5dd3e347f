"""`command`: any program. docs/gate/agents.md documents its interface.

The prompt comes on stdin and in the file `$STEELYARD_PROMPT`. The program starts in the work folder; the configuration
is in it and, as a second untouched copy, in `$STEELYARD_CONFIG`. The program may write `$STEELYARD_TELEMETRY`, a JSON
object with any of `tokens`, `tool_calls`, `steps`, `cost_usd`: these are claims, shown and not counted unless the
settings trust them. Only then it may also write `$STEELYARD_TOOL_CALLS`, one JSON object per line with `tool` and
`arguments`, for checks on the transcript. Wall clock is always measured here. Exit code 0 is success.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from steelyard.gate.agents.attempt import AgentSpec, Attempt, Job, TelemetryFault
from steelyard.gate.agents.program import Program, from_command
from steelyard.gate.agents.tool_call import ToolCall, from_json
from steelyard.gate.model import Cost
from steelyard.gate.workspace import (
    TASK_FILES,
    TOOL_CALLS,
    read_task_file,
    run_unlogged,
    task_environment,
    unpack,
    write_file,
)
from steelyard.sandbox.choose import choose
from steelyard.sandbox.limits import Limits
from steelyard.secrets import redact, treat_as_secret

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState
    from inspect_ai.util import SandboxEnvironment

CLAIMS = ("tokens", "tool_calls", "steps", "cost_usd")
_ANSWER = 20_000
"""Characters of output that are kept."""


def create(spec: AgentSpec) -> CommandAgent:
    """The agent; `AgentError` if it cannot be started."""
    return CommandAgent(spec)


class CommandAgent:
    """Any program, with what it needs bound into the sandbox."""

    name = "command"
    uses_model = False
    limits = Limits()

    def __init__(self, spec: AgentSpec) -> None:
        self._program: Program = from_command(spec.command, choose(spec.sandbox))
        self._names = spec.environment
        treat_as_secret(self._names)
        self._trusted = spec.telemetry == "trusted"
        self.version = f"command {self._program.sha}"
        self.network: Literal["none", "host"] = spec.network or "none"
        self.binds: Mapping[str, str] = self._program.binds
        self.identity = self._program.sha

    async def attempt(self, state: TaskState, box: SandboxEnvironment, job: Job) -> Attempt:
        await unpack(box, job.config, f"{TASK_FILES}/config")
        await write_file(box, f"{TASK_FILES}/prompt.md", job.prompt.encode())
        allowed = {name: os.environ[name] for name in self._names if name in os.environ}
        environment = task_environment({"PATH": self._program.path, **allowed})
        try:
            words = list(self._program.words)
            done = await run_unlogged(box, words, timeout_s=job.timeout_s, input=job.prompt, env=environment)
        except TimeoutError:
            return Attempt(error=f"did not finish within {job.timeout_s:g} s")
        # Redact before cutting: half a secret is no longer recognised.
        printed = redact(done.stdout)
        transcript = "\n".join(part for part in (printed, redact(done.stderr)) if part.strip())[-_ANSWER:]
        if not done.success:
            return Attempt(printed[-_ANSWER:], f"ended with exit code {done.returncode}", transcript=transcript)
        try:
            cost = claims(await read_task_file(box, "telemetry.json"))
        except TelemetryFault as fault:
            # A claim costs nothing to spoil: an agent that dislikes its result could have the run done again.
            if self._trusted:
                raise
            cost, transcript = Cost(), f"{transcript}\n(its claims about cost are dropped: {fault})"
        claimed = () if self._trusted else tuple(name for name in CLAIMS if getattr(cost, name) is not None)
        calls = claimed_calls(await read_task_file(box, TOOL_CALLS)) if self._trusted else None
        return Attempt(printed[-_ANSWER:].strip(), cost=cost, claimed=claimed, transcript=transcript, calls=calls)


def claimed_calls(data: bytes | None) -> tuple[ToolCall, ...] | None:
    """The tool calls an agent reports, one JSON object per line; None if it reports nothing."""
    if data is None:
        return None
    try:
        return tuple(from_json(json.loads(line)) for line in data.splitlines() if line.strip())
    except (ValueError, RecursionError) as error:
        raise TelemetryFault(f"the tool calls cannot be read: {str(error)[:100]}") from error


def claims(data: bytes | None) -> Cost:
    """The cost an agent claims; a value that is negative, not finite or not a number is a fault of the harness."""
    if data is None:
        return Cost()
    try:
        raw: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TelemetryFault(f"the telemetry file is not JSON: {str(error)[:100]}") from error
    if not isinstance(raw, dict):
        raise TelemetryFault("the telemetry file is not a JSON object")
    fields = cast(dict[str, Any], raw)
    unknown = sorted(fields.keys() - {*CLAIMS, "wall_clock_ms"})
    if unknown:
        raise TelemetryFault(f"the telemetry file has an unknown key {unknown[0][:40]!r}")
    # A claimed wall clock is ignored: it is measured here.
    return Cost(**{name: _amount(name, fields[name]) for name in CLAIMS if fields.get(name) is not None})


def _amount(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TelemetryFault(f"the telemetry's {name} is not a number")
    try:
        number = float(value)
    except OverflowError:
        # An integer too large for a float.
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise TelemetryFault(f"the telemetry's {name} is {number}")
    return number
