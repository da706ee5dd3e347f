"""`steelyard/claude-cli`: the `claude` binary as an Inspect model, so that a judge works on a subscription.

`claude -p --output-format json`, one turn of pure text: no tools, no MCP servers, no permission flags. The prompt
goes to stdin, the working folder is empty and temporary, and the environment holds only what the binary needs to run
and to log in. A non-zero exit, `is_error`, the time limit (all processes of the call are killed) and output that is not
a result object are errors; a failed call never yields a reply. Each call has one deadline: a caller that sets
`attempt_timeout` owns it (Inspect cancels the call and reports the timeout), otherwise this module does. Tokens and
cost as the binary states them go into the usage, those of a failed call too (`CallFailed.usage`); values that are
missing or unusable are unknown, never 0. `claude-cli/NAME` requests the model NAME.
"""

from __future__ import annotations

import math
import os
import shutil
import sys
import tempfile
import threading
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import anyio.to_thread
from inspect_ai.model import ChatMessage, ChatMessageSystem, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from steelyard import artifact, process
from steelyard.errors import InputError, ModelError, one_line
from steelyard.secrets import redact
from steelyard.toolchain import clients

BINARY = "claude"
"""The program, found on PATH; else the client that `steelyard setup` installed."""
TIME_LIMIT_S = 180
"""Seconds for one call when the caller sets neither `attempt_timeout` nor `timeout`."""

MARK = "STEELYARD_CALL"
"""The variable that marks every process of a call, so that all of them end with it."""

OUTPUT_LIMIT = 5_000_000
"""Most bytes of output that are read."""

# No API keys: with one, the binary would charge the key instead of the subscription.
_KEPT = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"),
        *("CLAUDE_CODE_OAUTH_TOKEN", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    }
)
"""Variables the binary needs to find programs, its login and the network."""


class CallFailed(ModelError):
    """The binary did not answer."""

    def __init__(self, message: str, usage: ModelUsage | None = None) -> None:
        super().__init__(message)
        self.usage = usage
        """Tokens and cost of the failed call, as far as the binary states them."""


class TooSlow(ModelError):
    """The binary did not answer in time; another call may."""


class CostOnly(ModelUsage):
    """A stated cost without usable token counts; its counts are 0 because Inspect cannot express unknown."""

    tokens_known: ClassVar[bool] = False


class ClaudeCli(ModelAPI):
    """One `claude -p` process per call."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        binary = shutil.which(BINARY) or clients.client_program("claude-code")
        if binary is None:
            cure = "steelyard setup --agent claude-code, or name another judge"
            raise ModelError("the `claude` binary is neither on PATH nor installed", cure=cure)
        self.binary = str(binary)
        self.requested_model = model_name.partition("/")[2] or None

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Call the binary once. Raises `ModelError` if it does not answer, for whatever reason."""
        if tools:
            raise ModelError("steelyard/claude-cli is text only and cannot use tools")
        limit_s = time_limit_s(config)
        stop = threading.Event()
        call = partial(_run, arguments(self.binary, self.requested_model), prompt_text(input), limit_s, stop)
        try:
            # A cancelled caller leaves the thread behind; `stop` makes the thread kill the process.
            finished = await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
        finally:
            stop.set()
        return output_of(finished, self.model_name, limit_s)

    def should_retry(self, ex: Exception) -> bool:
        """A slow call is retried, as with every provider; a failed one is not."""
        return isinstance(ex, TooSlow)

    def max_connections(self) -> int:
        """Each call is a process of its own."""
        return 4

    def connection_key(self) -> str:
        """All calls share the machine."""
        return "claude-cli"


def time_limit_s(config: GenerateConfig) -> float:
    """Seconds after which a call ends itself; infinite if Inspect enforces `attempt_timeout` on it.

    Two clocks with the same limit would race, and the winner would decide which error the user reads.
    """
    return math.inf if config.attempt_timeout is not None else config.timeout or TIME_LIMIT_S


def arguments(binary: str, model: str | None = None) -> list[str]:
    """The command line: print mode, one turn, JSON; the prompt is not on it.

    No tools: what is judged is foreign text, and the settings of a user may allow every tool beforehand.
    """
    words = [binary, "-p", "--output-format", "json", "--max-turns", "1", "--tools", "", "--strict-mcp-config"]
    return [*words, *(["--model", model] if model else [])]


def prompt_text(messages: Sequence[ChatMessage]) -> str:
    """The messages as one text: instructions first; turns are labelled if there is more than one."""
    system = [message.text for message in messages if isinstance(message, ChatMessageSystem)]
    turns = [message for message in messages if not isinstance(message, ChatMessageSystem)]
    texts = [turns[0].text] if len(turns) == 1 else [f"[{turn.role}]\n{turn.text}" for turn in turns]
    return "\n\n".join([*system, *texts])


def environment(source: Mapping[str, str]) -> dict[str, str]:
    """The variables of `source` that the binary sees; API keys and settings of other programs are left out."""
    return {name: value for name, value in source.items() if name in _KEPT}


def output_of(finished: process.Finished, model: str, limit_s: float) -> ModelOutput:
    """The reply in what the process printed, or `ModelError`."""
    if finished.timed_out:
        raise TooSlow(f"claude did not answer within {limit_s:g} s")
    if finished.truncated:
        raise ModelError("claude printed more than can be read")
    result = _result(finished.stdout)
    # `is not False`, because a result without this field is not trusted either.
    if finished.returncode != 0 or result is None or result.get("is_error") is not False:
        raise CallFailed(f"claude failed: {_cause(finished, result)}", usage_of(result or {}))
    reply = result.get("result")
    if not isinstance(reply, str):
        raise CallFailed("claude failed: its result contains no text", usage_of(result))
    output = ModelOutput.from_content(model, reply)
    output.usage = usage_of(result)
    return output


def usage_of(result: Mapping[str, Any]) -> ModelUsage | None:
    """Tokens and cost as the binary states them; None when it states neither."""
    cost, counts = _cost(result.get("total_cost_usd")), _counts(result.get("usage"))
    if counts is None:
        return None if cost is None else CostOnly(total_cost=cost)
    plain, written, read, out = counts
    return ModelUsage(
        input_tokens=plain,
        output_tokens=out,
        total_tokens=plain + written + read + out,
        input_tokens_cache_write=written,
        input_tokens_cache_read=read,
        total_cost=cost,
    )


def _counts(stated: object) -> tuple[int, int, int, int] | None:
    """Tokens read, written to the cache, read from it and produced; None if one is missing or not a count."""
    if not isinstance(stated, dict):
        return None
    usage = cast(dict[str, object], stated)
    counts = (
        usage.get("input_tokens"),
        usage.get("cache_creation_input_tokens", 0),  # only present if there is a cache
        usage.get("cache_read_input_tokens", 0),
        usage.get("output_tokens"),
    )
    valid = [count for count in counts if isinstance(count, int) and not isinstance(count, bool) and count >= 0]
    return (valid[0], valid[1], valid[2], valid[3]) if len(valid) == len(counts) else None


def _cost(stated: object) -> float | None:
    if isinstance(stated, bool) or not isinstance(stated, (int, float)):
        return None
    # JSON may hold whole numbers that are too large for a float.
    return float(stated) if 0 <= stated <= sys.float_info.max else None


def _run(argv: list[str], prompt: str, limit_s: float, stop: threading.Event) -> process.Finished:
    call = uuid.uuid4().hex
    with tempfile.TemporaryDirectory(prefix="steelyard-judge-", ignore_cleanup_errors=True) as empty:
        return process.run(
            argv,
            timeout_s=limit_s,
            stdin=prompt.encode("utf-8", "replace"),
            cwd=Path(empty),
            env={**environment(os.environ), MARK: call},
            output_limit=OUTPUT_LIMIT,
            stop=stop,
            mark=f"{MARK}={call}",
        )


def _result(stdout: str) -> dict[str, Any] | None:
    """The result object: the whole output, or the last element of a list of messages."""
    try:
        output = artifact.parse_json(stdout, "the output of claude")
    except InputError:
        return None
    if isinstance(output, list) and output:
        output = cast(list[Any], output)[-1]
    return cast(dict[str, Any], output) if isinstance(output, dict) else None


def _cause(finished: process.Finished, result: Mapping[str, Any] | None) -> str:
    message = str(result.get("result") or result.get("subtype") or "") if result is not None else ""
    detail = message or finished.stderr.strip() or finished.stdout.strip() or "no output"
    return one_line(redact(f"exit {finished.returncode}: {detail}"), 200)
