"""`steelyard/smollm2`: SmolLM2-135M, a real language model inside this process, with no key and no network.

Law: temperature, max tokens, top-p, stop sequences and seed are honoured; at temperature 0 the same prompt gives the
same text (which needs the prompt cache off); token counts are the engine's own. One request at a time: it has one
context. More threads than free cores make it crawl, so it takes one unless `-M threads=N` says otherwise.
"""

from __future__ import annotations

import importlib
import threading
from functools import cache
from typing import Any, cast

import anyio.to_thread
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from steelyard import toolchain
from steelyard.errors import ModelError, boundary, one_line

CONTEXT_TOKENS = 8_192
"""The context it was trained with."""
DEFAULT_MAX_TOKENS = 256
MOST_THREADS = 512
"""The engine's own limit."""
NAME = "steelyard/smollm2"

_STOP: dict[str, StopReason] = {"stop": "stop", "length": "max_tokens"}


class SmolLM2(ModelAPI):
    """The embedded model."""

    def __init__(self, model_name: str, config: GenerateConfig, threads: int | str = 1, **_: Any) -> None:
        super().__init__(model_name, None, None, [], config)
        toolchain.require("local", "xllamacpp")
        toolchain.model_file()  # say now, not at the first sample, that it is not installed
        self._threads = _thread_count(threads)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        request = _request(input, config)
        reply = await anyio.to_thread.run_sync(lambda: _engine(self._threads).complete(request))
        return _output(reply)

    def max_connections(self) -> int:
        return 1

    def max_tokens(self) -> int | None:
        return DEFAULT_MAX_TOKENS


class _Engine:
    """The loaded model and the lock that lets one request in."""

    def __init__(self, threads: int) -> None:
        # By name: the package has no types, and it is an extra that may be missing.
        xllamacpp: Any = importlib.import_module("xllamacpp")
        settings = xllamacpp.CommonParams()
        settings.model.path = str(toolchain.model_file())
        settings.n_ctx, settings.n_parallel, settings.n_gpu_layers = CONTEXT_TOKENS, 1, 0
        settings.warmup, settings.verbosity = False, -1
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        self._server = xllamacpp.Server(settings)
        self._lock = threading.Lock()

    def complete(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock, boundary(ModelError, f"{NAME} failed"):
            return cast(dict[str, Any], self._server.handle_chat_completions(request))


@cache
def _engine(threads: int) -> _Engine:
    with boundary(ModelError, f"{NAME} cannot be loaded", cure="run `steelyard setup`"):
        return _Engine(threads)


def _thread_count(threads: object) -> int:
    """At least 1: the engine ends the whole process over 0."""
    text = str(threads)
    if isinstance(threads, bool) or not text.isdecimal() or not 1 <= int(text) <= MOST_THREADS:
        raise ModelError(f"threads is {one_line(text, 40)}, not a whole number from 1 to {MOST_THREADS}")
    return int(text)


def _request(input: list[ChatMessage], config: GenerateConfig) -> dict[str, Any]:
    wanted: dict[str, Any] = {
        "messages": [{"role": _role(message), "content": message.text} for message in input],
        "max_tokens": config.max_tokens or DEFAULT_MAX_TOKENS,
        "temperature": config.temperature,
        "top_p": config.top_p,
        "stop": config.stop_seqs,
        "seed": config.seed,
        "cache_prompt": False,
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _role(message: ChatMessage) -> str:
    return "user" if message.role == "tool" else message.role


def _output(reply: dict[str, Any]) -> ModelOutput:
    if "error" in reply:
        return _refused(cast(dict[str, Any], reply["error"]))
    choice, usage = reply["choices"][0], reply["usage"]
    message = ChatMessageAssistant(content=choice["message"].get("content") or "", model=NAME, source="generate")
    counted = ModelUsage(
        input_tokens=usage["prompt_tokens"],
        output_tokens=usage["completion_tokens"],
        total_tokens=usage["total_tokens"],
    )
    stop = _STOP.get(choice["finish_reason"], "unknown")
    return ModelOutput(model=NAME, choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=counted)


def _refused(error: dict[str, Any]) -> ModelOutput:
    """A prompt beyond the context is the subject's limit: an empty answer, not a broken run."""
    if error.get("type") == "exceed_context_size_error":
        return ModelOutput.from_content(NAME, "", stop_reason="model_length", error=str(error.get("message")))
    raise ModelError(f"{NAME} failed: {error.get('message', error)}")
