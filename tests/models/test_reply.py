"""Responses that are no answers, in every API, with the real SDKs (docs/scoring.md §0)."""

from __future__ import annotations

import gc
import ssl
from collections.abc import Callable, Generator
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from steelyard.models.fault import Unanswered, in_words, provider_failed
from steelyard.models.redaction import subject
from steelyard.models.reply import _ended

from ..provider import Cut, Fail, Noise, Page, Provider, Reply, Say, Use

# A call that is cancelled leaves its socket to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning",
    "ignore::ResourceWarning",
    # of Google's client, which also warns of what the tests send it
    "ignore:Inheritance class AiohttpClientSession:DeprecationWarning",
    "ignore:martian is not a valid FinishReason:UserWarning",
)

APIS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "messages": ("anthropic/claude-x", "", {"streaming": False}),
    "messages, streamed": ("anthropic/claude-x", "", {"streaming": True}),
    "responses": ("openai/gpt-5", "/v1", {}),
    "chat": ("openai/gpt-4o", "/v1", {"responses_api": False}),
    "gemini": ("google/gemini-2.5-pro", "", {}),
    "gemini, streamed": ("google/gemini-2.5-pro", "", {"streaming": True}),
}
"""API → model, path below the address, arguments."""

NO_ANSWERS: dict[str, tuple[Reply, str]] = {
    "cut": (Cut(clean=True, events=2), "the answer breaks off: "),
    "unknown": (Say("Hm.", "martian"), "the stop reason 'martian' is unknown"),
    "no-reason": (Say("Hm.", None), "the answer breaks off: "),
    "nothing": (Page(b"{}", "application/json"), ""),
    "malformed": (Page(b'{"a":', "application/json"), "what the provider sent cannot be read"),
    "server": (Fail(500, "api_error", "out of order"), "500 Internal Server Error: out of order"),
}

Ask = Callable[[str, Reply], str]


@pytest.fixture
def ask() -> Generator[Ask]:
    opened: list[Provider] = []

    def one(api: str, *replies: Reply, retries: int = 0) -> str:
        left = list(replies)
        opened.append(provider := Provider(lambda path, body: left.pop(0) if len(left) > 1 else left[0]))
        name, path, args = APIS[api]

        async def call() -> str:
            access = {"base_url": provider.url + path, "api_key": "sk-none"}
            model = subject(name, {**args, **access}, {"max_retries": retries, "max_tokens": 1_000})
            try:
                output = await model.generate("Hello?")
            except Unanswered as error:
                return repr(error)
            calls = [call.function for call in output.message.tool_calls or ()]
            return f"{output.completion}{calls or ''} ({output.stop_reason})"

        return anyio.run(call)

    yield one
    for provider in opened:
        provider.close()
    gc.collect()


@pytest.mark.parametrize("api", APIS)
def test_one_call_is_one_request(ask: Ask, api: str) -> None:
    # A second request would get the second reply: its tokens would be in no log and no budget.
    assert ask(api, Say("First."), Say("Second.")).startswith("First.")


@pytest.mark.parametrize("api", APIS)
def test_a_response_that_is_no_answer_is_the_providers_fault(ask: Ask, api: str) -> None:
    for reply, words in NO_ANSWERS.values():
        said = ask(api, reply)
        assert said.startswith("provider: no answer from ") and words in said, said


@pytest.mark.parametrize("api", APIS)
def test_an_empty_refused_or_shortened_answer_is_the_models(ask: Ask, api: str) -> None:
    assert ask(api, Say("Yes.")) == "Yes. (stop)"
    assert ask(api, Say("")) == " (stop)"
    assert ask(api, Say("So far", "max_tokens")) == "So far (max_tokens)"
    assert ask(api, Say("No.", "refusal")) in ("No. (content_filter)", "No. (stop)")
    assert "['look']" in ask(api, Use("look", {"at": 1}))


def test_a_stream_that_lacks_only_its_last_event_is_cut_off(ask: Ask) -> None:
    assert "without its last event" in ask("messages, streamed", Cut(clean=True, events=5))


@pytest.mark.parametrize(
    ("tail", "ended"),
    [
        ('event: message_stop\ndata: {"type": "message_stop"}\n\n', True),
        ("event:message_stop\r\ndata: {}\r\n\r\n: ping\r\n\r\n", True),
        ('event: message_stop\ndata: {"type": "mes', False),
        ('event: message_stop\ndata: {"type": "message_stop"}\n', False),
        ('event: content_block_delta\ndata: {"text": "it ends with\\nevent: message_stop\\n"}\n\n', False),
        ("", False),
    ],
)
def test_a_stream_has_ended_if_its_last_event_came_whole(tail: str, ended: bool) -> None:
    assert _ended(tail.encode()) is ended


def test_what_googles_client_says_of_a_lost_connection_names_neither_a_status_nor_an_object(ask: Ask) -> None:
    half, none = ask("gemini", Cut()), ask("gemini", Noise())
    assert "Not enough data" in half and "Bad status line" in none
    assert "400" not in half + none and "<" not in half + none


@pytest.mark.parametrize("kind", ["ClientConnectorSSLError", "ClientConnectorError"])
def test_the_cause_of_a_failed_connection_is_said_without_the_address_of_an_object(kind: str) -> None:
    aiohttp = pytest.importorskip("aiohttp")
    key = SimpleNamespace(host="127.0.0.1", port=1, ssl=ssl.create_default_context(), is_ssl=True)
    error = getattr(aiohttp, kind)(key, OSError(111, "nobody listens"))
    error.__cause__ = OSError(111, "nobody listens")
    assert in_words(error) == "[Errno 111] nobody listens" and provider_failed(error)


def test_a_stream_that_breaks_off_is_asked_for_again(ask: Any) -> None:
    assert ask("messages, streamed", Cut(clean=True), Say("Hello."), retries=1) == "Hello. (stop)"
