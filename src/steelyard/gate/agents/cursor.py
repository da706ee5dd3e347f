"""`cursor`: Cursor's agent, `cursor-agent -p`."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.artifact import table
from steelyard.gate.agents.attempt import Attempt
from steelyard.gate.agents.headless import CommandLine, model_option
from steelyard.gate.agents.output import JSON, failure, result_error, result_line, tokens
from steelyard.gate.model import Cost

_OPTIONS = ("-p", "--output-format", "json", "--force")


def read(lines: Sequence[JSON]) -> Attempt:
    """An attempt from the output of `cursor-agent -p --output-format json`, which may not report its tokens."""
    result = result_line(lines)
    answer = str(result.get("result") or "")
    if (error := result_error(result)) is not None:
        return Attempt(answer, failure("cursor-agent", error))
    names = ("inputTokens", "outputTokens", "cacheReadTokens")
    return Attempt(answer, cost=Cost(tokens=tokens(table(result.get("usage")), names, cached="cacheReadTokens")))


LINE = CommandLine(
    program="cursor-agent",
    cure="see https://cursor.com/cli",
    keys=("CURSOR_API_KEY",),
    # Behind `--`, a prompt that begins with a dash is no option.
    arguments=lambda model, prompt: [*_OPTIONS, *model_option("--model", model), "--", prompt],
    read=read,
    prompt_on_stdin=False,
)
