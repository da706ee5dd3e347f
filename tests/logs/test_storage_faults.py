"""Storage that refuses: each fault of a bucket is one line that names it, and what is in the bucket stays."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
import s3fs
from click.testing import CliRunner
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample

from steelyard import artifact
from steelyard.cli.main import main
from steelyard.errors import LogError, SteelyardError
from steelyard.location import location
from steelyard.logs.folder import ready_for_logs
from steelyard.logs.read import read_logs
from steelyard.logs.write import read_draft, write_draft

REFUSAL = b"<Error><Code>NotImplemented</Code><Message>Conditions are not implemented</Message></Error>"


@pytest.fixture
def log(bucket: str, tmp_path: Path) -> Iterator[str]:
    [done] = eval(Task(dataset=[Sample("hello")]), model="steelyard/floor", log_dir=str(tmp_path), display="none")
    path = Path(done.location.removeprefix("file://"))
    url = f"{bucket}/logs/{path.name}"
    artifact.write_bytes(location(url), path.read_bytes())
    yield url
    s3fs.S3FileSystem.clear_instance_cache()  # its connections lead to what this test set up


@pytest.fixture
def without_conditions(s3_server: str, bucket: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In front of the server, a storage that does not know conditional writes."""

    class Storage(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.command == "PUT" and {"If-Match", "If-None-Match"} & set(self.headers):
                self._send(501, {"Content-Type": "application/xml"}, REFUSAL)
                return
            connection = http.client.HTTPConnection(urlsplit(s3_server).netloc)
            connection.request(self.command, self.path, body, dict(self.headers))
            reply = connection.getresponse()
            self._send(reply.status, dict(reply.getheaders()), reply.read())

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answer

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in ({} if self.command == "HEAD" else {"Content-Length": str(len(body))}).items():
                headers[name] = value
            for name, value in headers.items():
                if name not in ("Connection", "Server", "Date", "Transfer-Encoding"):
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Storage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_address[1]}")
    s3fs.S3FileSystem.clear_instance_cache()
    yield
    server.shutdown()
    server.server_close()


@pytest.fixture
def locked(s3_server: str, log: str) -> Iterator[str]:
    """The log, in a storage that knows none of our keys."""
    _check_keys_after(s3_server, b"0")
    s3fs.S3FileSystem.clear_instance_cache()
    yield log
    _check_keys_after(s3_server, b"inf")


def _check_keys_after(server: str, calls: bytes) -> None:
    headers = {"Content-Type": "application/octet-stream"}
    urlopen(Request(f"{server}/moto-api/reset-auth", data=calls, headers=headers, method="POST")).close()


def test_wrong_credentials_are_named_wherever_they_are_used(locked: str, tmp_path: Path) -> None:
    folder = locked.rpartition("/")[0]
    reason = r"(Access Key Id you provided does not exist|Forbidden)"
    for attempt in (
        lambda: read_logs([folder]),
        lambda: read_logs([locked]),
        lambda: ready_for_logs(location(folder)),
        lambda: artifact.write_text(location(f"{folder}/board.json"), "{}"),
    ):
        with pytest.raises(SteelyardError, match=reason):
            attempt()
    done = CliRunner().invoke(main, ["bench", "board", folder])
    assert done.exit_code == 2 and "Traceback" not in done.output
    assert "your credentials" in done.output and len(done.output.strip().splitlines()) <= 3


def test_a_storage_that_does_not_answer_is_named(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as closed:
        port = closed.server_address[1]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setattr("inspect_ai.log.read_eval_log", None)  # would ask many times, and wait each time
    s3fs.S3FileSystem.clear_instance_cache()
    folder = log.rpartition("/")[0]
    with pytest.raises(LogError, match=f"cannot list {folder}: .*127.0.0.1:{port}"):
        read_logs([folder])
    with pytest.raises(LogError, match=f"cannot read {log}: .*127.0.0.1:{port}"):
        read_draft(log)


@pytest.mark.usefixtures("without_conditions")
def test_without_conditional_writes_nothing_is_rewritten(log: str) -> None:
    before = artifact.read_bytes(location(log))
    draft = read_draft(log)
    draft.log.eval.tags = ["changed"]
    other = location(log.replace(".eval", "-twin.eval"))
    for attempt in (draft, draft.copied_to(other)):
        with pytest.raises(LogError, match="not implemented") as raised:
            write_draft(attempt)
        assert "conditional writes" in (raised.value.cure or "")
    assert artifact.read_bytes(location(log)) == before and not other.exists()
    assert len(read_logs([log]).rows) == 1
