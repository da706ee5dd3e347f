"""A GitHub on this machine for the real `gh` and the real git: the few endpoints they need, over TLS.

The server is a proxy (`HTTPS_PROXY`) that answers for one made-up host with a certificate of its own: `gh` knows a host
by its name alone, without a port. Git speaks the smart protocol with `git http-backend` and real bare repositories.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import ssl
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

HOST = "git.example"
LOGIN = "ada"
TOKEN = "ghp_none"
REPO = "team/agents"
JSON = dict[str, Any]
_STATES = ["OPEN", "CLOSED", "MERGED"]


def installed() -> str:
    """The version of `gh`; skips the test if it is not there."""
    if shutil.which("gh") is None:
        pytest.skip("gh is not installed: apt-get install gh")
    return subprocess.run(["gh", "--version"], check=True, capture_output=True, text=True).stdout.split()[2]


@dataclass
class GitHub:
    """The server with its pull requests and comments. Whatever a test puts into `refuse` fails with status 502."""

    folder: Path
    requests: list[JSON] = field(default_factory=list[JSON])
    """Pull requests, as the API shows them."""
    comments: list[JSON] = field(default_factory=list[JSON])
    issues: list[JSON] = field(default_factory=list[JSON])
    calls: list[str] = field(default_factory=list[str])
    """Every call of the API: its GraphQL operation, or method and path."""
    refuse: dict[str, int] = field(default_factory=dict[str, int])
    """Beginning of a call → the status it gets."""
    unknown: list[str] = field(default_factory=list[str])
    """Calls that this server does not speak."""

    def __post_init__(self) -> None:
        self.certificate = self.folder / "ca.pem"
        key = self.folder / "ca.key"
        words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        words += ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-days", "2"]
        words += ["-keyout", str(key), "-out", str(self.certificate)]
        subprocess.run(words, check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def environment(self) -> dict[str, str]:
        """What `gh` and git need to reach this server, and only it."""
        proxy = f"http://127.0.0.1:{self._server.server_address[1]}"
        return {
            "HTTPS_PROXY": proxy, "https_proxy": proxy, "NO_PROXY": "", "no_proxy": "",
            "SSL_CERT_FILE": str(self.certificate), "GIT_SSL_CAINFO": str(self.certificate),
            "GH_HOST": HOST, "GH_ENTERPRISE_TOKEN": TOKEN, "GH_NO_UPDATE_NOTIFIER": "1",
        }  # fmt: skip

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, body: JSON) -> tuple[int, Any]:
        """Status and body of a call of the API."""
        operation = re.search(r"\b(?:query|mutation) (\w+)", str(body.get("query") or ""))
        call = operation[1] if operation else f"{method} {path}"
        self.calls.append(call)
        for beginning, status in self.refuse.items():
            if call.startswith(beginning):
                return status, {"message": "refused by the test"}
        if operation:
            speak = _OPERATIONS.get(call)
            if speak is not None:
                return 200, {"data": speak(self, body)}
        elif (done := self._rest(method, path, body)) is not None:
            return done
        self.unknown.append(f"{call} {json.dumps(body)}")
        return 404, {"message": f"unknown: {call}"}

    def _rest(self, method: str, path: str, body: JSON) -> tuple[int, Any] | None:
        if path == "/api/v3/user":
            return 200, {"login": LOGIN}
        if match := re.fullmatch(rf"/api/v3/repos/{REPO}/issues/(\d+)/comments", path):
            if method == "GET":
                return 200, self.comments
            address = f"https://{HOST}/{REPO}/pull/{match[1]}#issuecomment-{len(self.comments) + 1}"
            self.comments.append({"id": len(self.comments) + 1, "html_url": address, "user": {"login": LOGIN}, **body})
            return 201, self.comments[-1]
        if path == f"/api/v3/repos/{REPO}/issues":
            if method == "GET":
                return 200, self.issues
            number = len(self.issues) + 1
            address = f"https://{HOST}/{REPO}/issues/{number}"
            self.issues.append({"number": number, "html_url": address, "user": {"login": LOGIN}, **body})
            return 201, self.issues[-1]
        if match := re.fullmatch(rf"/api/v3/repos/{REPO}/issues/(\d+)", path):
            self.issues[int(match[1]) - 1].update(body)
            return 200, self.issues[int(match[1]) - 1]
        if match := re.fullmatch(rf"/api/v3/repos/{REPO}/issues/comments/(\d+)", path):
            self.comments[int(match[1]) - 1].update(body)
            return 200, self.comments[int(match[1]) - 1]
        return None


def _handler(github: GitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_CONNECT(self) -> None:
            if self.path != f"{HOST}:443":
                return self.send_error(403, "this proxy leads nowhere else")
            self.send_response(200)
            self.end_headers()
            self.wfile.flush()
            self.connection = github.context.wrap_socket(self.connection, server_side=True)
            self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)

        def finish(self) -> None:
            super().finish()
            self.connection.close()

        def do_GET(self) -> None:
            data = self._body()
            if self.path.startswith("/api/"):
                body: Any = json.loads(data or b"{}")
                status, answer = github.answer(self.command, self.path.partition("?")[0], body)
                return self._send(status, json.dumps(answer).encode(), {"Content-Type": "application/json"})
            return self._send(*_git(github.folder, self, data))

        do_POST = do_PATCH = do_GET

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            data = b""
            while size := int(self.rfile.readline(), 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data

        def _send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


def _git(folder: Path, handler: BaseHTTPRequestHandler, data: bytes) -> tuple[int, bytes, dict[str, str]]:
    """What `git http-backend` answers."""
    path, _, query = handler.path.partition("?")
    asked = {
        "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(folder), "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": LOGIN,
        "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": handler.command, "CONTENT_LENGTH": str(len(data)),
        "CONTENT_TYPE": handler.headers.get("Content-Type") or "",
        "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding") or "",
        "GIT_PROTOCOL": handler.headers.get("Git-Protocol") or "",
    }  # fmt: skip
    done = subprocess.run(["git", "http-backend"], input=data, env=asked, capture_output=True)
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
    return int(headers.pop("Status", "200").split()[0]), body, headers


def _repository(github: GitHub, body: JSON) -> JSON:
    owner, name = REPO.split("/")
    known = {"id": "R_1", "name": name, "owner": {"login": owner}, "viewerPermission": "WRITE", "parent": None}
    return {"repository": {**known, "hasIssuesEnabled": True, "defaultBranchRef": {"name": "main"}}}


def _listed(github: GitHub, body: JSON) -> JSON:
    asked = body["variables"]
    head, base = asked.get("headBranch", asked.get("headRefName")), asked.get("baseBranch")
    of_head = [request for request in github.requests if request["headRefName"] == head]
    found = [request for request in of_head
             if base in (None, request["baseRefName"]) and request["state"] in asked.get("state", _STATES)]  # fmt: skip
    listed = {"totalCount": len(found), "nodes": found, "pageInfo": {"hasNextPage": False, "endCursor": None}}
    return {"repository": {"pullRequests": listed, "defaultBranchRef": {"name": "main"}}}


def _users(github: GitHub, body: JSON) -> JSON:
    return {alias: {"id": f"U_{login}", "login": login}
            for alias, login in re.findall(r'(\w+): user\(login:"(\w+)"\)', body["query"])}  # fmt: skip


def _created(github: GitHub, body: JSON) -> JSON:
    number = len(github.requests) + 1
    request = {"id": f"PR_{number}", "number": number, "state": "OPEN", "url": f"https://{HOST}/{REPO}/pull/{number}"}
    github.requests.append({**body["variables"]["input"], **request, "reviewers": []})
    return {"createPullRequest": {"pullRequest": request}}


def _reviews(github: GitHub, body: JSON) -> JSON:
    asked = body["variables"]["input"]
    request = next(request for request in github.requests if request["id"] == asked["pullRequestId"])
    request["reviewers"] = asked["userIds"]
    return {"requestReviews": {"clientMutationId": None}}


_OPERATIONS: dict[str, Callable[[GitHub, JSON], Any]] = {
    "RepositoryInfo": _repository,
    "PullRequestList": _listed,
    "PullRequestForBranch": _listed,
    "RepositoryResolveMetadataIDs": _users,
    "PullRequestCreate": _created,
    "PullRequestCreateRequestReviews": _reviews,
}
