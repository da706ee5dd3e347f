"""`steelyard/smollm2`: SmolLM2-135M, a real language model inside this process, with no key and no network.

Temperature, max tokens, top-p, stop sequences and seed are honoured; at temperature 0 the same prompt gives the
same text; token counts are the engine's own. One request at a time: it has one context. A request that still waits for
its turn ends at once when it is cancelled; the one that runs ends when the engine next asks whether the answer is still
wanted: between two tokens, and between two pieces of a prompt.

It takes one thread unless `-M threads=N` asks for more, for two measured reasons: with another number of threads it
gives other texts at temperature 0, so a default that follows the machine would not be repeatable; and with more threads
than free cores it crawls. Other work runs beside it instead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar
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
BATCH_TOKENS = 512
"""Tokens of a prompt that are read before the engine looks up; it computes in pieces of this size anyway."""
MOST_THREADS = 512
"""The engine's own limit."""
NAME = "steelyard/smollm2"

_STOP: dict[str, StopReason] = {"stop": "stop", "length": "max_tokens"}


class SmolLM2(ModelAPI):
    """The embedded model."""

    def __init__(self, model_name: str, config: GenerateConfig, threads: int | str = 1, **_: Any) -> None:
        super().__init__(model_name, None, None, [], config)
        toolchain.model_library()
        toolchain.model_file()  # say now, not at the first sample, that it is not installed
        self._threads = _thread_count(threads)

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        request, given_up = _request(input, config), threading.Event()

        def complete() -> dict[str, Any]:
            return _engine(self._threads).complete(request, given_up.is_set)

        # The turn is awaited here and not in a thread: a thread that waits for a lock cannot be cancelled.
        async with _turn():
            try:
                return _output(await anyio.to_thread.run_sync(complete, abandon_on_cancel=True))
            finally:
                given_up.set()

    def max_connections(self) -> int:
        return 1

    def max_tokens(self) -> int | None:
        return DEFAULT_MAX_TOKENS


_TURN: RunVar[anyio.Lock] = RunVar("steelyard_smollm2_turn")


def _turn() -> anyio.Lock:
    """The queue of the running event loop."""
    turn = _TURN.get(None)
    if turn is None:
        turn = anyio.Lock()
        _TURN.set(turn)
    return turn


class _Engine:
    """The loaded model and the lock that lets one request in, from whatever event loop."""

    def __init__(self, threads: int) -> None:
        xllamacpp = toolchain.model_library()
        toolchain.check_model()  # a damaged one would answer, and its row would be believed
        settings = xllamacpp.CommonParams()
        settings.model.path = str(toolchain.model_file())
        settings.n_ctx, settings.n_parallel, settings.n_gpu_layers = CONTEXT_TOKENS, 1, 0
        settings.warmup, settings.verbosity, settings.n_batch = False, -1, BATCH_TOKENS
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        self._server = xllamacpp.Server(settings)
        self._lock = threading.Lock()

    def complete(self, request: dict[str, Any], given_up: Callable[[], bool] = lambda: False) -> dict[str, Any]:
        """The reply in one piece. It is streamed inside, because only a stream can be stopped."""
        chunks: list[dict[str, Any]] = []

        def take(chunk: dict[str, Any]) -> bool:
            chunks.append(chunk)
            return given_up()

        # Progress is wanted for its own sake: without it nothing can be stopped while a long prompt is read.
        streamed = {**request, "stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        with self._lock, boundary(ModelError, f"{NAME} failed"):
            if not given_up():
                self._server.handle_chat_completions(streamed, take)
            return _joined(chunks)


def _joined(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The reply that a stream adds up to, or the error it is."""
    refusal = next((chunk for chunk in chunks if "error" in chunk), None)
    if refusal is not None:
        return refusal
    choices = [chunk["choices"][0] for chunk in chunks if chunk["choices"]]
    text = "".join(choice["delta"].get("content") or "" for choice in choices)
    ended = next((choice["finish_reason"] for choice in reversed(choices) if choice["finish_reason"]), None)
    usage = next((chunk["usage"] for chunk in reversed(chunks) if "usage" in chunk), None)
    if ended is None or usage is None:
        raise ModelError(f"{NAME} stopped in the middle of its answer")
    return {"text": text, "finish_reason": ended, "usage": usage}


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
    fields: dict[str, Any] = {
        "messages": [{"role": _role(message), "content": message.text} for message in input],
        "max_tokens": _token_limit(config.max_tokens),
        "temperature": config.temperature,
        "top_p": config.top_p,
        "stop": config.stop_seqs,
        "seed": config.seed,
        # With the cache, the same prompt may give another text at temperature 0.
        "cache_prompt": False,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _token_limit(max_tokens: int | None) -> int:
    """At least 1: the engine takes 0 as no output and a negative number as no limit."""
    if max_tokens is None:
        return DEFAULT_MAX_TOKENS
    if max_tokens < 1:
        raise ModelError(f"max_tokens is {max_tokens}, not a whole number from 1 up")
    return max_tokens


def _role(message: ChatMessage) -> str:
    return "user" if message.role == "tool" else message.role


def _output(reply: dict[str, Any]) -> ModelOutput:
    if "error" in reply:
        return _refused(cast(dict[str, Any], reply["error"]))
    usage = reply["usage"]
    message = ChatMessageAssistant(content=reply["text"], model=NAME, source="generate")
    counted = ModelUsage(
        input_tokens=usage["prompt_tokens"],
        output_tokens=usage["completion_tokens"],
        total_tokens=usage["total_tokens"],
    )
    stop = _STOP.get(reply["finish_reason"], "unknown")
    return ModelOutput(model=NAME, choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=counted)


def _refused(error: dict[str, Any]) -> ModelOutput:
    """A prompt beyond the context is the subject's limit: an empty answer, not a broken run."""
    if error.get("type") == "exceed_context_size_error":
        return ModelOutput.from_content(NAME, "", stop_reason="model_length", error=str(error.get("message")))
    raise ModelError(f"{NAME} failed: {error.get('message', error)}")
