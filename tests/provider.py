"""A provider on this machine that speaks Anthropic's Messages API, OpenAI's Responses and Chat Completions APIs and
Google's, streamed or whole.

A script decides each answer from the body of the request. The real clients and the real SDKs talk to it.
"""

from __future__ import annotations

import itertools
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JSON = dict[str, Any]
MODEL = "scripted"
_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Say:
    """A text as the whole answer; `stop` is Anthropic's stop reason, or any other word."""

    text: str
    stop: str | None = "end_turn"


@dataclass(frozen=True)
class Use:
    """A call of a tool."""

    tool: str
    arguments: JSON


@dataclass(frozen=True)
class Fail:
    """An HTTP error with the provider's code and message."""

    status: int
    code: str = "error"
    message: str = "scripted failure"
    headers: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Hang:
    """No answer until the server closes."""


@dataclass(frozen=True)
class Cut:
    """The first events of an answer, and then a closed connection; `clean`: as if that were the end of the response.

    A response that is not streamed ends in the middle, or is whole and has no stop reason.
    """

    clean: bool = False
    events: int = 2


@dataclass(frozen=True)
class Page:
    """A page for people, as a login or a proxy shows it; `type` is what it says it is."""

    data: bytes = b"<html><body>Please log in</body></html>"
    type: str = "text/html"
    status: int = 200


@dataclass(frozen=True)
class Reset:
    """The connection is reset before anything has come."""


@dataclass(frozen=True)
class Noise:
    """What is no HTTP."""

    data: bytes = b"SSH-2.0-OpenSSH_9.6\r\n"


Reply = Say | Use | Fail | Hang | Cut | Page | Reset | Noise
Script = Callable[[str, JSON], Reply]
"""(path, body of the request) → answer."""


class Provider:
    """The server. Every request is kept."""

    def __init__(self, script: Script = lambda path, body: Say("Done.")) -> None:
        self.requests: list[JSON] = []
        self.script = script
        self.closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                _send_json(self, 200, {"data": [], "models": [], "object": "list"})

            def do_HEAD(self) -> None:
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
                path = self.path.partition("?")[0]
                outer.requests.append({"path": path, "headers": dict(self.headers), "body": body})
                try:
                    outer.answer(self, path, body)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, handler: BaseHTTPRequestHandler, path: str, body: JSON) -> None:
        if path.endswith("count_tokens"):
            return _send_json(handler, 200, {"input_tokens": 10})
        reply = self.script(path, body)
        if isinstance(reply, Fail):
            code = reply.status if _is_google(path) else reply.code
            error = {"type": reply.code, "code": code, "message": reply.message}
            return _send_json(handler, reply.status, {"type": "error", "error": error}, reply.headers)
        if isinstance(reply, Hang):
            self.closing.wait()
            handler.close_connection = True
            return None
        if isinstance(reply, Reset):
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
            raise ConnectionResetError
        if isinstance(reply, Noise):
            handler.wfile.write(reply.data)
            handler.close_connection = True
            return None
        if isinstance(reply, Page):
            return _send(handler, reply.status, reply.data, {"content-type": reply.type})
        whole, events = _speaker(path)(reply)
        if body.get("stream") or "streamGenerate" in path:
            return _stream(handler, events, reply if isinstance(reply, Cut) else None)
        if isinstance(reply, Cut) and not reply.clean:
            return _send_half(handler, whole)
        return _send_json(handler, 200, whole)

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _speaker(path: str) -> Callable[[Say | Use | Cut], tuple[JSON, Iterator[JSON]]]:
    if _is_google(path):
        return _generated
    return {"messages": _messages, "completions": _chat}.get(path.rpartition("/")[2], _responses)


def closed_port() -> tuple[socket.socket, int]:
    """A port on which nobody listens, and the socket that keeps it from others until it listens itself or is closed."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    return held, int(held.getsockname()[1])


def _messages(reply: Say | Use | Cut) -> tuple[JSON, Iterator[JSON]]:
    if isinstance(reply, Use):
        block: JSON = {
            "type": "tool_use",
            "id": f"toolu_{next(_NUMBERS)}",
            "name": reply.tool,
            "input": reply.arguments,
        }
        empty, delta, stop = (
            {**block, "input": {}},
            {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)},
            "tool_use",
        )
    else:
        text, stop = (reply.text, reply.stop) if isinstance(reply, Say) else ("It begins", None)
        block = {"type": "text", "text": text}
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": text}
    usage = {"input_tokens": 10, "output_tokens": 5}
    message: JSON = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": [],
                     "stop_reason": None, "stop_sequence": None, "usage": usage}  # fmt: skip
    events: list[JSON] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return {**message, "content": [block], "stop_reason": stop}, iter(events)


def _responses(reply: Say | Use | Cut) -> tuple[JSON, Iterator[JSON]]:
    stop = reply.stop if isinstance(reply, Say) else None if isinstance(reply, Cut) else "tool_use"
    known = {"end_turn": "completed", "tool_use": "completed", "refusal": "completed", None: "in_progress"}
    status = known.get(stop, "incomplete")
    if isinstance(reply, Use):
        item: JSON = {"type": "function_call", "id": "fc_1", "call_id": f"call_{next(_NUMBERS)}", "name": reply.tool,
                      "arguments": json.dumps(reply.arguments), "status": "completed"}  # fmt: skip
    else:
        text = reply.text if isinstance(reply, Say) else "It begins"
        refused = isinstance(reply, Say) and reply.stop == "refusal"
        part = (
            {"type": "refusal", "refusal": text}
            if refused
            else {"type": "output_text", "text": text, "annotations": []}
        )
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": [part]}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, **details}
    response: JSON = {"id": "resp_1", "object": "response", "created_at": 0, "model": MODEL, "status": "in_progress",
                      "output": [], "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
                      "error": None, "incomplete_details": None, "instructions": None, "metadata": {}}  # fmt: skip
    whole = {**response, "status": status, "output": [item], "usage": usage}
    if status == "incomplete":
        reasons = {"max_tokens": "max_output_tokens"}
        whole["incomplete_details"] = {"reason": reasons.get(str(stop), stop)}
    events: list[JSON] = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": f"response.{status}", "response": whole},
    ]
    return whole, iter({**event, "sequence_number": number} for number, event in enumerate(events))


def _chat(reply: Say | Use | Cut) -> tuple[JSON, Iterator[JSON]]:
    known = {"end_turn": "stop", "max_tokens": "length", "refusal": "content_filter"}
    message: JSON = {"role": "assistant", "content": reply.text if isinstance(reply, Say) else "It begins"}
    stop = known.get(str(reply.stop), reply.stop) if isinstance(reply, Say) else None
    if isinstance(reply, Use):
        function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
        call = {"id": f"call_{next(_NUMBERS)}", "type": "function", "function": function}
        message, stop = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    frame: JSON = {"id": "chatcmpl_1", "created": 0, "model": MODEL}
    delta = {**message, "tool_calls": [{"index": 0, **call} for call in message.get("tool_calls", ())]}
    events: list[JSON] = [
        {**frame, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": part, "finish_reason": end}]}
        for part, end in (({"role": "assistant"}, None), (delta, None), ({}, stop))
    ]
    choice = {"index": 0, "message": message, "finish_reason": stop}
    return {**frame, "object": "chat.completion", "choices": [choice], "usage": usage}, iter(events)


def _is_google(path: str) -> bool:
    return path.endswith("enerateContent")


def _generated(reply: Say | Use | Cut) -> tuple[JSON, Iterator[JSON]]:
    text = reply.text if isinstance(reply, Say) else "It begins"
    part = {"functionCall": {"name": reply.tool, "args": reply.arguments}} if isinstance(reply, Use) else {"text": text}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    known = {"end_turn": "STOP", "max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}
    stop = reply.stop if isinstance(reply, Say) else None if isinstance(reply, Cut) else "end_turn"
    begun = {"content": {"role": "model", "parts": [part]}, "index": 0}
    frame = {"usageMetadata": usage, "modelVersion": MODEL}
    ended = {"finishReason": known.get(stop, stop)} if stop is not None else {}
    whole = {"candidates": [{**begun, **ended}], **frame}
    return whole, iter([whole])


def _send_json(handler: BaseHTTPRequestHandler, status: int, body: JSON, headers: dict[str, str] | None = None) -> None:
    _send(handler, status, json.dumps(body).encode(), {"content-type": "application/json", **(headers or {})})


def _send(handler: BaseHTTPRequestHandler, status: int, data: bytes, headers: dict[str, str]) -> None:
    handler.send_response(status)
    for name, value in {"content-length": str(len(data)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)


def _send_half(handler: BaseHTTPRequestHandler, body: JSON) -> None:
    data = json.dumps(body).encode()
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data[: len(data) // 2])
    handler.close_connection = True


def _stream(handler: BaseHTTPRequestHandler, events: Iterator[JSON], cut: Cut | None) -> None:
    """Send events in chunks, as providers do: a client notices that the last chunk is missing."""
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()
    for number, event in enumerate(events):
        if cut is not None and number == cut.events:
            if cut.clean:
                break
            handler.close_connection = True
            return
        name = f"event: {event['type']}\n" if "type" in event else ""
        data = f"{name}data: {json.dumps(event)}\n\n".encode()
        handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        handler.wfile.flush()
    handler.wfile.write(b"0\r\n\r\n")
