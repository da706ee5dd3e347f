"""A Messages API on this machine, for the real Anthropic SDK to talk to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .codes import with_code

Respond = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


def message(text: str, stop: str = "end_turn") -> bytes:
    usage = {"input_tokens": 30, "output_tokens": 12, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 0}
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5-5", "stop_reason": stop,
            "stop_sequence": None, "content": [{"type": "text", "text": text}], "usage": usage}  # fmt: skip
    return json.dumps(body).encode()


def answering(text: str, request: dict[str, Any]) -> bytes:
    """A message with `text`, in the form that the request asks for."""
    return message(with_code(text, _text(request["messages"][-1]["content"]), _text(request.get("system") or "")))


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, claimed: int | None = None) -> None:
    handler.send_response(status)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(body) if claimed is None else claimed))
    handler.end_headers()
    handler.wfile.write(body)


class Server:
    """A Messages API whose next answer a test decides."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.respond: Respond = lambda handler, _: send(handler, 200, message("Yes."))
        self.released = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
                outer.respond(self, body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
