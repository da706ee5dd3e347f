"""Serves the marking page: whoever knows the address, with its random token, may mark; nobody else sees anything.

GET  /TOKEN/            the page
GET  /TOKEN/runs        all runs with their progress
GET  /TOKEN/runs/N      one run
POST /TOKEN/edit        one change (`edits`), saved before the answer
POST /TOKEN/done        stops the server
"""

from __future__ import annotations

import functools
import hmac
import json
import secrets
import threading
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlsplit

from steelyard.audit.marking_page.data import overview_data, run_data
from steelyard.audit.marking_page.edits import MarkEdit, RuleEdit, parse_edit
from steelyard.audit.marking_page.session import Session
from steelyard.errors import InputError, SteelyardError, boundary
from steelyard.localserver import LocalHandler, LocalServer
from steelyard.report import html
from steelyard.report.markup import STYLE

BODY_LIMIT = 100_000
"""Bytes of the largest request that is read."""

_HTML, _JSON = "text/html; charset=utf-8", "application/json; charset=utf-8"


class MarkingServer(LocalServer):
    """The server of one session; `serve_forever` ends when the person is done."""

    def __init__(self, session: Session, port: int = 0, score_command: str = "") -> None:
        self.session = session
        self.token = secrets.token_urlsafe(24)
        self.score_command = score_command
        """The command that scores the sheet."""
        super().__init__(MarkingHandler, port)

    @property
    def address(self) -> str:
        """The address of the page, with the token."""
        return f"{super().address}{self.token}/"


class MarkingHandler(LocalHandler):
    """Answers the requests of the page."""

    @property
    def marking(self) -> MarkingServer:
        """The server this request came to."""
        return cast(MarkingServer, self.server)

    def do_GET(self) -> None:
        self._answer("GET", b"")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 9:
            return self._refuse(HTTPStatus.LENGTH_REQUIRED, "a request needs its length")
        if int(length) > BODY_LIMIT:
            return self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the request is too large")
        body = self.rfile.read(int(length))
        if self.headers.get_content_type() != "application/json":
            return self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request must be JSON")
        self._answer("POST", body)

    def _answer(self, method: str, body: bytes) -> None:
        _, given, *rest = [*urlsplit(self.path).path.split("/", 2), ""]
        # In constant time: otherwise the token could be guessed letter by letter. As bytes: a path need not be ASCII.
        if not hmac.compare_digest(given.encode(), self.marking.token.encode()):
            return self._refuse(HTTPStatus.FORBIDDEN, "the address lacks its token: open the one that was printed")
        try:
            with boundary(InputError, "the request failed"):
                answer = self._route(method, rest[0], body)
        except SteelyardError as error:
            return self._refuse(HTTPStatus.CONFLICT, str(error))
        if answer is None:
            return self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        self._send(HTTPStatus.OK, *answer)
        if (method, rest[0]) == ("POST", "done"):
            # From another thread: the loop that is to end waits for nobody else.
            threading.Thread(target=self.server.shutdown, daemon=True).start()

    def _route(self, method: str, path: str, body: bytes) -> tuple[str, str] | None:
        session = self.marking.session
        if (method, path) == ("GET", ""):
            return _HTML, marking_page()
        if (method, path) == ("GET", "runs"):
            return _JSON, _json(overview_data(session, session.sheet_runs()[1]))
        if method == "GET" and path.startswith("runs/") and path[5:].isdecimal():
            return _run(session, int(path[5:10]), session.sheet_runs()[1], whole=True)
        if (method, path) == ("POST", "edit"):
            edit = parse_edit(body)
            redraws = not isinstance(edit, (MarkEdit, RuleEdit))
            notice = session.apply(edit)
            return _run(session, edit.run, notice, whole=redraws or bool(notice))
        if (method, path) == ("POST", "done"):
            return _JSON, _json({"progress": str(session.progress()), "command": self.marking.score_command})
        return None

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self._send(status, _JSON, _json({"error": reason}))

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        data = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        # No other page may show this one in a frame and catch its clicks.
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.end_headers()
        self.wfile.write(data)


@functools.cache
def marking_page() -> str:
    """The page itself; it asks for everything else."""
    style = html.asset(STYLE) + html.asset("audit.css") + html.asset("marking.css")
    script = html.asset("marking.js")
    return html.page("Marking", html.asset("marking.html"), script=script, style=style, calls=True)


def _run(session: Session, place: int, notice: str, *, whole: bool) -> tuple[str, str] | None:
    """One run; `whole` with its text, which a mark or a ruling does not change."""
    if place >= len(session.runs):
        return None
    sheet_runs = session.sheet_runs()[0]
    return _JSON, _json({**overview_data(session, notice), **run_data(session, place, sheet_runs[place], whole=whole)})


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False)
