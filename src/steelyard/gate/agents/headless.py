"""Coding agents with a command line of their own, run headless with JSON output. Each is one module beside this one.

An agent gets an empty home, the keys it is known to need (by name, from this process's environment) and the network;
it sees none of the user's own settings. It prints one JSON value per line; unknown lines are kept for the transcript
and otherwise ignored. A run that the provider broke (no key, no quota, no connection) is unscored; a run that the
agent itself broke is failed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from steelyard.errors import AgentError
from steelyard.gate.agents.attempt import AgentSpec, Attempt, Job, ProviderFault
from steelyard.gate.agents.program import find, version
from steelyard.gate.tree import only
from steelyard.gate.workspace import run_unlogged, unpack
from steelyard.secrets import redact, treat_as_secret

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState
    from inspect_ai.util import ExecResult, SandboxEnvironment

JSON = dict[str, Any]
_HOME = "/home/sandbox"
_TRANSCRIPT = 20_000
"""Characters of output that are kept."""
_PROVIDER = re.compile(
    r"API Error|api[_ ]?key|unauthori[sz]ed|authenticat|not logged in|log ?in|rate.?limit|quota|credit|overloaded"
    r"|ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|network|stream disconnected|\b(?:401|403|429|5\d\d)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """How one agent is started and read."""

    program: str
    """Its name on PATH."""
    cure: str
    """How to install it."""
    keys: tuple[str, ...]
    """Variables of which at least one must be set."""
    arguments: Callable[[str | None, str], Sequence[str]]
    """(model, prompt) → arguments."""
    read: Callable[[Sequence[JSON]], Attempt]
    """Output lines → attempt."""
    also: tuple[str, ...] = ()
    """Variables that are passed on if they are set."""
    prompt_on_stdin: bool = True
    """Otherwise the prompt is one of the arguments."""
    home: tuple[str, ...] = ()
    """Artifacts that this agent reads from its home folder."""


class HeadlessAgent:
    """An agent behind a command line."""

    def __init__(self, spec: AgentSpec, line: CommandLine) -> None:
        self.name = spec.name
        self._line, self._model = line, spec.model
        self._program = find(line.program, line.cure)
        self._names = (*line.keys, *line.also, *spec.environment)
        treat_as_secret(spec.environment)
        if not any(os.environ.get(name) for name in line.keys):
            raise AgentError(f"{spec.name} has no key in the environment", cure=f"set {' or '.join(line.keys)}")
        self.version = version(self._program)
        self.network: Literal["none", "host"] = spec.network or "host"
        self.binds: Mapping[str, str] = self._program.binds
        self.identity = spec.name

    async def attempt(self, state: TaskState, box: SandboxEnvironment, job: Job) -> Attempt:
        at_home = only(job.config, self._line.home)
        if at_home:
            await unpack(box, at_home, _HOME)
        words = [*self._program.words, *self._line.arguments(self._model, job.prompt)]
        allowed = {name: os.environ[name] for name in self._names if os.environ.get(name)}
        environment = {"PATH": self._program.path, **allowed}
        prompt = job.prompt if self._line.prompt_on_stdin else ""
        try:
            done = await run_unlogged(box, words, timeout_s=job.timeout_s, input=prompt, env=environment)
        except TimeoutError:
            return Attempt(error=f"did not finish within {job.timeout_s:g} s")
        return self._attempt(done)

    def _attempt(self, done: ExecResult[str]) -> Attempt:
        lines = list(json_lines(done.stdout))
        attempt = self._line.read(lines)
        printed = redact(transcript(lines)) or redact(done.stdout)[-_TRANSCRIPT:]
        error = attempt.error
        if error is None and not done.success:
            error = f"ended with exit code {done.returncode}: {redact(done.stderr).strip()[-300:]}"
        if error is None and not lines:
            error = "printed no JSON"
        if error is not None and _PROVIDER.search(error):
            raise ProviderFault(redact(error)[:300])
        if error is not None:
            return Attempt(redact(attempt.answer), redact(error), transcript=printed)
        return Attempt(redact(attempt.answer), cost=attempt.cost, transcript=printed)


def json_lines(text: str) -> Iterator[JSON]:
    """The JSON objects in what a command line printed: one per line, or one value over several lines."""
    try:
        whole: Any = json.loads(text)
        values = cast(list[Any], whole) if isinstance(whole, list) else [whole]
    except (ValueError, RecursionError):
        values = [_parsed(line) for line in text.splitlines()]
    yield from (cast(JSON, value) for value in values if isinstance(value, dict))


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def transcript(lines: Sequence[JSON]) -> str:
    """The lines for a reader, long values cut."""
    return "\n".join(json.dumps(line, ensure_ascii=False)[:2_000] for line in lines)[-_TRANSCRIPT:]


def number(value: Any) -> float | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < float("inf")
    return float(value) if good else None


def total(fields: JSON, names: Sequence[str]) -> float | None:
    """The sum of the fields that are numbers; None if none is."""
    values = [number(fields.get(name)) for name in names]
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def result_line(lines: Sequence[JSON]) -> JSON:
    """The last line of type `result`; empty if there is none."""
    return next((line for line in reversed(lines) if line.get("type") == "result"), JSON())


def result_error(result: JSON) -> str | None:
    """Why a `result` line is not a success; None if it is."""
    if result and not result.get("is_error") and result.get("subtype") == "success":
        return None
    return str(result.get("result") or result.get("subtype") or "no result")


def model_option(flag: str, model: str | None) -> list[str]:
    """The arguments that choose a model."""
    return [] if model is None else [flag, model]
