"""Coding agents with a command line of their own, run headless with JSON output. Each is one module beside this one.

An agent gets an empty home and sees none of the user's own settings. Its model calls go through Inspect's bridge to the
model of the evaluation: inside the sandbox there is no key and no network, every call is a model event of the log, and
the host knows which calls failed. With `direct` the agent calls its provider itself: it gets the keys it is known to
need (by name, from this process's environment) and the network, and its costs are claims.

It prints one JSON value per line; unknown lines are kept for the transcript and otherwise ignored. A run that the
provider broke (no key, no quota, no connection) is unscored; a run that the agent itself broke is failed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import anyio

from steelyard.errors import AgentError
from steelyard.gate.agents.attempt import FINAL_STATUSES, AgentSpec, Attempt, HarnessFault, Job, ProviderFault
from steelyard.gate.agents.client import TOOLS, find_client, tools_tree
from steelyard.gate.agents.output import JSON, TRANSCRIPT, json_lines, said, transcript
from steelyard.gate.agents.program import LIMITS, version
from steelyard.gate.agents.tool_call import ToolUse
from steelyard.gate.model import METRICS
from steelyard.gate.workspace import TASK_FILES, read_task_file, run_unlogged, unpack, write_file
from steelyard.sandbox.choose import choose
from steelyard.secrets import redact, treat_as_secret
from steelyard.toolchain import require
from steelyard.tree import Tree, only

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState
    from inspect_ai.util import SandboxEnvironment

Result = TypeVar("Result")
_HOME = "/home/sandbox"
_OUTPUT = "output.jsonl"
"""Task file that holds what the agent printed: it is still there when the agent's time is up."""
_LOOK_S = 1.0
"""Seconds between two looks at the output of a client that calls its provider itself."""


class Fault(NamedTuple):
    """A failure of the provider that a client reports."""

    status: int | None
    """HTTP status; None if no response arrived."""
    reason: str


@dataclass(frozen=True, slots=True)
class Wiring:
    """How an agent is directed to the bridge."""

    arguments: tuple[str, ...] = ()
    """Placed before the agent's own arguments."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """Path in the home folder → text."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """How one agent is started and read."""

    program: str
    """Its name on PATH."""
    cure: str
    """How to install it."""
    keys: tuple[str, ...]
    """Variables of which at least one must be set for direct calls."""
    arguments: Callable[[str | None, str], Sequence[str]]
    """(model, prompt) → arguments."""
    read: Callable[[Sequence[JSON]], Attempt]
    """Output lines → attempt."""
    fault: Callable[[Sequence[JSON]], Fault | None] = lambda _: None
    """Output lines → the provider's failure that the agent reports in a field of its own, if it ended with one."""
    uses: Callable[[Sequence[JSON]], tuple[ToolUse, ...]] | None = None
    """Output lines → the tools that were used; None if the client does not print their results."""
    hooks: Callable[[Sequence[JSON]], frozenset[str] | None] = lambda _: None
    """Output lines → the events for which a hook ran; None if the client does not print them."""
    command: re.Pattern[str] | None = None
    """How a prompt calls a skill; group 1 is its name."""
    by_title: bool = False
    """Whether that name must be the one in the front matter; the skill's folder does otherwise."""
    answered: Callable[[Sequence[JSON]], bool] = lambda _: True
    """Output lines → whether the model has answered at least once."""
    direct: Callable[[Mapping[str, str], str | None], Wiring] = lambda environment, _: Wiring((), environment)
    """(keys and other variables, model) → how the agent calls its provider itself."""
    provider: str | None = None
    """Inspect's name of the agent's own provider."""
    wiring: Callable[[str, str], Wiring] | None = None
    """(address of the bridge, the client's name of the model) → how the agent is directed to it; None if it can only
    call its provider itself."""
    also: tuple[str, ...] = ()
    """Variables that are passed on to direct calls if they are set."""
    prompt_on_stdin: bool = True
    """Otherwise the prompt is one of the arguments."""
    parts: Callable[[Tree], Sequence[str]] = lambda _: ()
    """The configuration → the arguments that its plugins and hooks need."""
    home: tuple[str, ...] = ()
    """Artifacts that this agent reads from its home folder."""
    not_home: tuple[str, ...] = ()
    """What of them it reads from the project, too, and would list twice."""
    libraries: tuple[str, ...] = ()
    """Python modules that the bridge to this agent needs beside those that it needs for all."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """How the agent's program ended."""

    output: str
    seconds: float
    error: str | None = None
    """Why it did not succeed, as far as the process shows it."""
    timed_out: bool = False


class HeadlessAgent:
    """An agent behind a command line."""

    def __init__(self, spec: AgentSpec, line: CommandLine) -> None:
        self.name = spec.name
        self._line, self._spec, self._direct = line, spec, spec.direct
        if line.wiring is None and not self._direct:
            raise AgentError(f"{spec.name} can only call its provider itself, with your key", cure="--direct")
        self._program = find_client(spec.name, line.program, line.cure, spec.version)
        self.uses_model = not self._direct
        _check_access(spec, line, direct=self._direct)
        # What the user passes on may be a key, which must not reach the log.
        treat_as_secret(spec.environment)
        sandbox = choose(spec.sandbox)
        if sandbox.foreign:
            raise AgentError(
                f"{spec.name} cannot be brought into the sandbox {sandbox.name}", cure="bubblewrap or docker"
            )
        self.version = version(self._program, sandbox)
        # Clients print their name beside the version.
        if spec.version is not None and spec.version not in self.version.split():
            raise AgentError(f"{spec.name} is {self.version}, not {spec.version}", cure=line.cure)
        self.network: Literal["none", "host"] = spec.network or ("host" if self._direct else "none")
        tools = None if self._direct else tools_tree()
        self.binds: Mapping[str, str] = {**self._program.binds, **({} if tools is None else {TOOLS: str(tools)})}
        self.identity = f"{spec.name} direct" if self._direct else spec.name
        self.integrity = self._program.integrity
        self.limits = LIMITS
        self.shows_tools = line.uses is not None or not self._direct

    async def attempt(self, state: TaskState, box: SandboxEnvironment, job: Job) -> Attempt:
        twice = only(job.config, self._line.not_home)
        at_home = {path: file for path, file in only(job.config, self._line.home).items() if path not in twice}
        if at_home:
            await unpack(box, at_home, _HOME)
        attempt = await (self._attempt_direct(box, job) if self._direct else self._attempt_bridged(state, box, job))
        called = self._line.command.findall(job.prompt) if self._line.command else []
        return replace(attempt, commands=tuple(called), by_title=self._line.by_title)

    async def _attempt_direct(self, box: SandboxEnvironment, job: Job) -> Attempt:
        names = (*self._line.keys, *self._line.also)
        over = partial(self._over_by_output, box)
        done = await self._run(box, job, self._spec.model, self._line.direct(_present(names), self._spec.model), over)
        lines = list(json_lines(done.output))
        attempt = self._attempt(done, lines)
        # Only a run that failed can have been broken by its provider.
        if attempt.error is not None and (fault := self._fault(done, lines)) is not None:
            raise ProviderFault(redact(fault.reason)[:300])
        if self._spec.telemetry == "trusted":
            return attempt
        # Only the client itself saw these calls and their cost.
        names = (*METRICS, "cost_usd")
        claimed = tuple(name for name in names if getattr(attempt.cost, name) is not None)
        return replace(attempt, claimed=claimed, calls=None)

    async def _attempt_bridged(self, state: TaskState, box: SandboxEnvironment, job: Job) -> Attempt:
        # Imported here, because a command that only looks for an agent need not load Inspect.
        from inspect_ai.model import get_model

        from steelyard.gate.agents.bridge import bridge
        from steelyard.gate.agents.calls import recorded
        from steelyard.gate.agents.usage import (
            measured_events,
            model_events,
            request_lines,
            resolved_models,
            tool_calls,
            tool_uses,
            with_failures,
        )

        assert self._line.wiring is not None
        before = len(model_events())
        with recorded(get_model()) as calls:
            async with bridge(box, quick=TOOLS in self.binds) as (opened, port):
                began = time.monotonic()
                # By number: a sandbox without a network has no names, not even localhost.
                model = _name_for_client(self._spec.model, self._line.provider)
                wiring = self._line.wiring(f"http://127.0.0.1:{port}", model)
                done = await self._run(box, job, model, wiring, calls.over.wait)
                fault = calls.fault(began, time.monotonic())
        # Checked first: to the client, a call refused for the budget looks like a failure of the provider.
        if calls.spent is not None:
            raise calls.spent
        if opened.state.messages:
            state.messages = [*opened.state.messages]
        attempt = self._attempt(done, list(json_lines(done.output)))
        if attempt.error is not None and fault is not None:
            raise ProviderFault(redact(fault)[:300], lasting=calls.lasting)
        if attempt.error is not None and (mistake := calls.mistake()) is not None:
            raise HarnessFault(redact(mistake)[:300])
        events = model_events()[before:]
        # A failed run keeps its unknown cost, so that it never looks cheap.
        cost = measured_events(events) if attempt.error is None else attempt.cost
        used = tool_uses(events) if attempt.uses is None else attempt.uses
        called = with_failures(tool_calls(events), attempt.calls or ())
        return replace(
            attempt, cost=cost, model_calls=calls.answered, calls=called, uses=used,
            models=resolved_models(events), requests=request_lines(events),
        )  # fmt: skip

    def _fault(self, done: _Ended, lines: Sequence[JSON]) -> Fault | None:
        """The provider's failure: the one that the client reports, or not a single answer in all the time it had."""
        if done.timed_out and lines and not self._line.answered(lines):
            return self._line.fault(lines) or Fault(None, "no answer until the end")
        return self._line.fault(lines)

    async def _over_by_output(self, box: SandboxEnvironment) -> None:
        """Return once the client reports a status after which it can only try again in vain."""
        while True:
            await anyio.sleep(_LOOK_S)
            output = await read_task_file(box, _OUTPUT) or b""
            fault = self._line.fault(list(json_lines(output.decode("utf-8", "replace"))))
            if fault is not None and fault.status in FINAL_STATUSES:
                return

    async def _run(
        self, box: SandboxEnvironment, job: Job, model: str | None, wiring: Wiring, over: Callable[[], Awaitable[None]]
    ) -> _Ended:
        parts = self._line.parts(job.config)
        words = [*self._program.words, *wiring.arguments, *parts, *self._line.arguments(model, job.prompt)]
        environment = {"PATH": self._program.path, **_present(self._spec.environment), **wiring.environment}
        prompt = job.prompt if self._line.prompt_on_stdin else ""
        script = 'mkdir -p "$(dirname "$0")" && exec "$@" > "$0"'
        command = ["/bin/sh", "-c", script, f"{TASK_FILES}/{_OUTPUT}", *words]
        for name, text in wiring.files.items():
            await write_file(box, f"{_HOME}/{name}", text.encode())
        began = time.monotonic()
        error, timed_out = None, False
        try:
            run = partial(run_unlogged, box, command, timeout_s=job.timeout_s, input=prompt, env=environment)
            done = await unless(over, run)
            if done is None:
                error = "was stopped: no further call can succeed"
            elif not done.success:
                error = f"ended with exit code {done.returncode}: {redact(done.stderr).strip()[-300:]}"
        except TimeoutError:
            error, timed_out = f"did not finish within {job.timeout_s:g} s", True
        seconds = time.monotonic() - began
        output = await read_task_file(box, _OUTPUT) or b""
        return _Ended(output.decode("utf-8", "replace"), seconds, error, timed_out)

    def _attempt(self, done: _Ended, lines: Sequence[JSON]) -> Attempt:
        attempt = self._line.read(lines)
        # Without any JSON, what was printed is all there is to show.
        printed = transcript(lines) or redact(done.output)[-TRANSCRIPT:]
        error = done.error if done.timed_out else attempt.error or done.error
        # Silence is not a success, whatever the exit code.
        if error is None and not lines:
            error = "printed no JSON"
        uses = None if self._line.uses is None else self._line.uses(lines)
        known = Attempt(
            redact(said(attempt.answer)), transcript=printed, seconds=done.seconds, calls=attempt.calls, uses=uses,
            models=attempt.models, hooks=self._line.hooks(lines),
        )  # fmt: skip
        return replace(known, cost=attempt.cost) if error is None else replace(known, error=redact(error))


async def unless(over: Callable[[], Awaitable[None]], work: Callable[[], Awaitable[Result]]) -> Result | None:
    """What `work` returns or raises; None, and `work` is cancelled, if `over` returns first."""
    result: Result | None = None
    try:
        async with anyio.create_task_group() as group:

            async def watch() -> None:
                await over()
                group.cancel_scope.cancel()

            group.start_soon(watch)
            result = await work()
            group.cancel_scope.cancel()
    except BaseExceptionGroup as wrapped:
        # Callers expect the error itself, such as a TimeoutError, and not the group that wraps it.
        raise wrapped.exceptions[0] from None
    return result


def _check_access(spec: AgentSpec, line: CommandLine, *, direct: bool) -> None:
    """Raise with the cure unless the agent can reach a model."""
    if direct:
        if not any(os.environ.get(name) for name in line.keys):
            raise AgentError(f"{spec.name} has no key in the environment", cure=f"set {' or '.join(line.keys)}")
        return
    if spec.model is None or "/" not in spec.model:
        raise AgentError(
            f"{spec.name} needs an Inspect model", cure=f"--model {line.provider}/NAME, or --direct with its own key"
        )
    require("agents", "openai", "anthropic", *line.libraries)


def _present(names: Sequence[str]) -> dict[str, str]:
    """The named variables that are set in this process."""
    return {name: os.environ[name] for name in names if os.environ.get(name)}


def _name_for_client(model: str | None, provider: str | None) -> str:
    """What the agent calls the model: it adapts its prompts to its provider's own, and knows no other."""
    own, _, name = (model or "").partition("/")
    return name if own == provider else "inspect"


def model_option(flag: str, model: str | None) -> list[str]:
    """The arguments that choose a model."""
    return [] if model is None else [flag, model]
