"""`model`: Inspect's ReAct agent with a shell and an editor, on any Inspect model.

Instruction files of the configuration (AGENTS.md, CLAUDE.md, .cursorrules) go into the system message, as an agent's
own harness would do it; the other artifacts are listed there and are in the work folder.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from inspect_ai.agent import AgentPrompt, react, run
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.tool import bash
from inspect_ai.util import Limit, message_limit, time_limit

from steelyard.errors import AgentError
from steelyard.gate.agents.attempt import AgentSpec, Attempt, Job, ProviderFault
from steelyard.gate.agents.calls import recorded
from steelyard.gate.agents.editor import editor
from steelyard.gate.agents.usage import measured, model_events, tool_calls
from steelyard.sandbox.limits import Limits
from steelyard.secrets import redact
from steelyard.tree import Tree

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState
    from inspect_ai.util import SandboxEnvironment

INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", ".cursorrules")
_ABOUT = "You work in the folder /work on a Linux machine. Change the files there so that the task is done."
_TOOL_S = 60
_MESSAGES = 200
"""Messages after which an attempt has failed, as at any limit (docs/scoring.md §0): a model that goes in circles is not
paid for until its time is up."""


def create(spec: AgentSpec) -> ModelAgent:
    """The agent; `AgentError` if it cannot be started."""
    return ModelAgent(spec)


class ModelAgent:
    """A model in a loop with tools."""

    name = "model"
    binds: Mapping[str, str] = {}
    uses_model = True
    limits = Limits()

    def __init__(self, spec: AgentSpec) -> None:
        if spec.model is None:
            raise AgentError("the `model` agent needs a model", cure="--model PROVIDER/NAME")
        from inspect_ai import __version__

        self.version = f"inspect react {__version__}"
        self.network: Literal["none", "host"] = spec.network or "none"
        self.identity = f"react {_MESSAGES} {_TOOL_S}"

    async def attempt(self, state: TaskState, box: SandboxEnvironment, job: Job) -> Attempt:
        agent = react(prompt=AgentPrompt(instructions=system(job.config)), tools=[bash(_TOOL_S), editor()])
        before = len(model_events())
        with recorded(get_model()) as calls:
            began = time.monotonic()
            # A limit that is reached comes back as a value: one task's timeout never ends the others.
            limits: list[Limit] = [time_limit(job.timeout_s), message_limit(_MESSAGES)]
            try:
                done, limit = await run(agent, [ChatMessageUser(content=job.prompt)], limits=limits)
            except Exception as error:
                if calls.spent is not None:
                    raise calls.spent from error
                if (fault := calls.fault(began, time.monotonic())) is None:
                    raise
                raise ProviderFault(redact(fault)[:300], lasting=calls.lasting) from error
            fault = calls.fault(began, time.monotonic()) if limit is not None else None
        if fault is not None:
            raise ProviderFault(redact(fault)[:300])
        state.messages = done.messages
        state.output = done.output
        if limit is not None:
            most = f"{_MESSAGES} messages" if limit.type == "message" else f"{job.timeout_s:g} s"
            return Attempt(done.output.completion, f"did not finish within {most}")
        events = model_events()[before:]
        return Attempt(done.output.completion, cost=measured(events, done.messages), calls=tool_calls(events))


def system(config: Tree) -> str:
    """The system message for a configuration."""
    parts = [_ABOUT]
    for name in INSTRUCTIONS:
        if name in config:
            parts.append(f"# {name}\n\n{config[name].data.decode('utf-8', 'replace')}")
    others = sorted(path for path in config if path not in INSTRUCTIONS)
    if others:
        parts.append("Further files of this configuration:\n" + "\n".join(f"- {path}" for path in others))
    return "\n\n".join(parts)
