"""`claude-code`, `codex` and `cursor`: their command lines, run headless with JSON output.

Each gets an empty home, the keys it is known to need (by name, from this process's environment) and the network; of
the user's own settings it sees nothing. What it prints is one JSON value per line; unknown lines are kept for the
transcript and otherwise ignored. A run that the provider broke (no key, no quota, no connection) is unscored; a run
that the agent itself broke is failed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from steelyard.errors import AgentError, redact
from steelyard.gate.agents.attempt import AgentSpec, Attempt, Job, ProviderFault
from steelyard.gate.agents.program import find, version
from steelyard.gate.model import Cost
from steelyard.gate.tree import only
from steelyard.gate.workspace import quietly, unpack

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState
    from inspect_ai.util import SandboxEnvironment

JSON = dict[str, Any]
_HOME = "/home/sandbox"
_PROVIDER = re.compile(
    r"API Error|api[_ ]?key|unauthori[sz]ed|authenticat|not logged in|log ?in|rate.?limit|quota|credit|overloaded"
    r"|ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|network|stream disconnected|\b(?:401|403|429|5\d\d)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What is particular about one command line."""

    program: str
    cure: str
    keys: tuple[str, ...]
    """Variables of which at least one must be set."""
    also: tuple[str, ...]
    """Variables that are passed on when they are set."""
    words: Callable[[str | None, str], Sequence[str]]
    """(model, prompt) → arguments."""
    stdin: bool
    """Whether the prompt comes on stdin."""
    read: Callable[[Sequence[JSON]], Attempt]
    """What the lines of output say."""
    home: tuple[str, ...] = ()
    """Artifacts that this agent reads from its home folder."""


class HeadlessAgent:
    """One of the known command lines."""

    def __init__(self, spec: AgentSpec, kind: Kind) -> None:
        self.name = spec.name
        self._kind, self._model = kind, spec.model
        self._program = find(kind.program, kind.cure)
        self._names = (*kind.keys, *kind.also, *spec.environment)
        if not any(os.environ.get(name) for name in kind.keys):
            raise AgentError(f"{spec.name} has no key in the environment", cure=f"set {' or '.join(kind.keys)}")
        self.version = version(self._program)
        self.network: Literal["none", "host"] = spec.network or "host"
        self.binds: Mapping[str, str] = self._program.binds
        self.identity = spec.name

    async def attempt(self, state: TaskState, box: SandboxEnvironment, job: Job) -> Attempt:
        at_home = only(job.config, self._kind.home)
        if at_home:
            await unpack(box, at_home, _HOME)
        words = [*self._program.words, *self._kind.words(self._model, job.prompt)]
        allowed = {name: os.environ[name] for name in self._names if os.environ.get(name)}
        environment = {"PATH": self._program.path, **allowed}
        prompt = job.prompt if self._kind.stdin else ""
        try:
            done = await quietly(box, words, timeout_s=job.timeout_s, input=prompt, env=environment)
        except TimeoutError:
            return Attempt(error=f"did not finish within {job.timeout_s:g} s")
        lines = list(json_lines(done.stdout))
        found = self._kind.read(lines)
        said = redact(transcript(lines) or done.stdout[-20_000:])
        error = found.error
        if error is None and not done.success:
            error = f"ended with exit code {done.returncode}: {done.stderr.strip()[-300:]}"
        if error is None and not lines:
            error = "printed no JSON"
        if error is not None and _PROVIDER.search(error):
            raise ProviderFault(redact(error)[:300])
        if error is not None:
            return Attempt(redact(found.answer), redact(error), transcript=said)
        return Attempt(redact(found.answer), cost=found.cost, transcript=said)


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
    return "\n".join(json.dumps(line, ensure_ascii=False)[:2_000] for line in lines)[-20_000:]


def _number(value: Any) -> float | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < float("inf")
    return float(value) if good else None


def _sum(fields: JSON, names: Sequence[str]) -> float | None:
    found = [_number(fields.get(name)) for name in names]
    known = [value for value in found if value is not None]
    return sum(known) if known else None


def _result(lines: Sequence[JSON]) -> JSON:
    found = [line for line in lines if line.get("type") == "result"]
    return found[-1] if found else JSON()


def read_claude(lines: Sequence[JSON]) -> Attempt:
    """`claude -p --output-format stream-json --verbose`."""
    result = _result(lines)
    answer = str(result.get("result") or "")
    if not result or result.get("is_error") or result.get("subtype") != "success":
        return Attempt(answer, f"claude: {answer or result.get('subtype') or 'no result'}"[:500])
    usage = cast(JSON, result.get("usage") or {})
    tokens = _sum(usage, ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"))
    calls = _count_blocks(lines, "tool_use") if any(line.get("type") == "assistant" for line in lines) else None
    cost = Cost(tokens, calls, _number(result.get("num_turns")), cost_usd=_number(result.get("total_cost_usd")))
    return Attempt(answer, cost=cost)


def _count_blocks(lines: Sequence[JSON], kind: str) -> int:
    contents: list[Any] = [cast(JSON, line.get("message") or {}).get("content") for line in lines]
    blocks = [block for content in contents if isinstance(content, list) for block in cast(list[Any], content)]
    return sum(isinstance(block, dict) and cast(JSON, block).get("type") == kind for block in blocks)


def read_codex(lines: Sequence[JSON]) -> Attempt:
    """`codex exec --json`."""
    items = [cast(JSON, line.get("item") or {}) for line in lines if line.get("type") == "item.completed"]
    answer = next((str(item.get("text") or "") for item in reversed(items) if item.get("type") == "agent_message"), "")
    failed = next((line for line in lines if line.get("type") in ("turn.failed", "error")), None)
    turns = [cast(JSON, line.get("usage") or {}) for line in lines if line.get("type") == "turn.completed"]
    if failed is not None or not turns:
        detail: Any = (failed or {}).get("error") or (failed or {}).get("message") or "no completed turn"
        words = cast(JSON, detail).get("message") if isinstance(detail, dict) else detail
        return Attempt(answer, f"codex: {words}"[:500])
    tokens = [_sum(usage, ("input_tokens", "output_tokens")) for usage in turns]
    calls = sum(
        item.get("type") in ("command_execution", "mcp_tool_call", "file_change", "web_search") for item in items
    )
    known = [value for value in tokens if value is not None]
    return Attempt(answer, cost=Cost(sum(known) if len(known) == len(turns) else None, calls, len(items)))


def read_cursor(lines: Sequence[JSON]) -> Attempt:
    """`cursor-agent -p --output-format json`; it does not say how many tokens it used."""
    result = _result(lines)
    answer = str(result.get("result") or "")
    if not result or result.get("is_error") or result.get("subtype") != "success":
        return Attempt(answer, f"cursor-agent: {answer or result.get('subtype') or 'no result'}"[:500])
    usage = cast(JSON, result.get("usage") or {})
    return Attempt(answer, cost=Cost(tokens=_sum(usage, ("inputTokens", "outputTokens", "cacheReadTokens"))))


def _model(flag: str, model: str | None) -> list[str]:
    return [] if model is None else [flag, model]


KINDS: Mapping[str, Kind] = {
    "claude-code": Kind(
        "claude",
        "npm install -g @anthropic-ai/claude-code",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        ("ANTHROPIC_BASE_URL",),
        lambda model, _: [
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--dangerously-skip-permissions",
            *_model("--model", model),
        ],
        True,
        read_claude,
    ),
    "codex": Kind(
        "codex",
        "npm install -g @openai/codex",
        ("OPENAI_API_KEY", "CODEX_API_KEY"),
        ("OPENAI_BASE_URL",),
        lambda model, _: [
            "exec",
            "--json",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            *_model("-m", model),
            "-",
        ],
        True,
        read_codex,
        (".codex",),
    ),
    "cursor": Kind(
        "cursor-agent",
        "see https://cursor.com/cli",
        ("CURSOR_API_KEY",),
        (),
        lambda model, prompt: ["-p", "--output-format", "json", "--force", *_model("--model", model), "--", prompt],
        False,
        read_cursor,
    ),
}
