"""The server of pages: for this machine only, and nothing outside its folder."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from steelyard.errors import InputError
from steelyard.localserver import LocalServer, byte_range, folder_server
from tests.waiting import HANG_S


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text("secret")
    (outside / "index.html").write_text("secret")
    folder = tmp_path_factory.mktemp("folder")
    (folder / "page.html").write_text("<p>page</p>")
    (folder / "sub").mkdir()
    (folder / "sub" / "index.html").write_text("sub")
    (folder / "empty").mkdir()
    (folder / "within.html").symlink_to("page.html")
    (folder / "file-out").symlink_to(outside / "secret.txt")
    (folder / "folder-out").symlink_to(outside)
    (folder / "index-out").mkdir()
    (folder / "index-out" / "index.html").symlink_to(outside / "index.html")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    with folder_server(folder, 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def answer(server: LocalServer, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    """Status and body; the path is sent as it is, which no client library would do."""
    lines = [f"{method} {path} HTTP/1.0"]
    fields = {"Host": f"127.0.0.1:{server.port}", **headers}
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items() if value]
    with socket.create_connection(("127.0.0.1", server.port), HANG_S) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = received.decode().partition("\r\n\r\n")
    return int(head.split()[1]), body


@pytest.mark.parametrize(
    ("path", "text"), [("/page.html", "<p>page</p>"), ("/sub/", "sub"), ("/within.html", "<p>page</p>")]
)
def test_files_of_the_folder_are_served(serving: LocalServer, path: str, text: str) -> None:
    assert answer(serving, path) == (200, text)


@pytest.mark.parametrize(
    "path",
    [
        *("/file-out", "/folder-out/secret.txt", "/folder-out/", "/folder-out", "/index-out/", "/loop", "/pipe"),
        *("/nothing", "/empty/", "/page.html/", "/../outside0/secret.txt", "/..%2f..%2fetc%2fpasswd", "//etc/passwd"),
        "/" + "a" * 5000,
    ],
)
def test_nothing_else_is_reachable(serving: LocalServer, path: str) -> None:
    status, text = answer(serving, path)
    assert status == 404 and "secret" not in text


@pytest.mark.parametrize("path", ["/%00", "/page.html%00", "/%0d%0aX-Own:%201", "/\x7f"])
def test_control_characters_are_refused_without_a_traceback(
    serving: LocalServer, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert answer(serving, path)[0] in (400, 403)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST", "127.0.0.1:9", "[::1]:1"])
def test_this_machine_may_ask(serving: LocalServer, host: str) -> None:
    assert answer(serving, "/page.html", Host=host.format(port=serving.port))[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "example.org"},
        {"Host": "127.0.0.1.example.org:80"},
        {"Host": "localhost.example.org"},
        {"Host": "me@127.0.0.1"},
        {"Host": "127.0.0.1/x"},
        {"Host": "127.0.0.1:x"},
        {"Host": "[::1"},
        {"Host": ""},
        {"Origin": "http://example.org"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
    ],
)
def test_others_may_not(serving: LocalServer, headers: dict[str, str]) -> None:
    status, text = answer(serving, "/page.html", **headers)
    assert status in (400, 403) and "<p>page</p>" not in text


def test_a_page_may_call_its_own_server(serving: LocalServer) -> None:
    own = f"127.0.0.1:{serving.port}"
    assert answer(serving, "/page.html", Host=own, Origin=f"http://{own}", Sec_Fetch_Site="same-origin")[0] == 200


def test_other_methods_do_not_exist(serving: LocalServer) -> None:
    assert answer(serving, "/page.html", "HEAD") == (200, "")
    assert answer(serving, "/page.html", "POST")[0] == 501


def test_a_port_in_use_and_a_folder_that_is_none_are_one_line(serving: LocalServer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot listen on port"):
        folder_server(tmp_path, serving.port)
    with pytest.raises(InputError, match="none does not exist"):
        folder_server(tmp_path / "none", 0)


@pytest.mark.parametrize(
    ("wanted", "span"),
    [
        ("bytes=0-3", (0, 3)),
        ("bytes=3-", (3, 9)),
        ("bytes=3-99", (3, 9)),
        ("bytes=-4", (6, 9)),
        ("bytes=-99", (0, 9)),
        *((text, None) for text in ("", "bytes=10-", "bytes=4-3", "bytes=-0", "bytes=-", "bytes=0-1,3-4", "lines=0-1")),
    ],
)
def test_ranges_of_a_file_of_ten_bytes(wanted: str, span: tuple[int, int] | None) -> None:
    assert byte_range(wanted, 10) == span
    assert byte_range(wanted, 0) is None


def test_a_range_of_a_file_is_served_and_none_from_outside(serving: LocalServer) -> None:
    assert answer(serving, "/page.html", Range="bytes=3-6") == (206, "page")
    assert answer(serving, "/file-out", Range="bytes=0-3")[0] == 404
