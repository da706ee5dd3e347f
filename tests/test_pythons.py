"""One test per difference between releases of Python; each holds on all of them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard import pythons


def archive(*members: tuple[str, str, str | bytes]) -> tarfile.TarFile:
    """(name, kind, content or target) → an archive of them, in this order."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as packed:
        for name, kind, content in members:
            entry = tarfile.TarInfo(name)
            entry.mode = 0o6777
            if isinstance(content, bytes):
                entry.size = len(content)
                packed.addfile(entry, io.BytesIO(content))
            else:
                entry.type, entry.linkname = kind.encode(), content
                packed.addfile(entry)
    return tarfile.open(fileobj=io.BytesIO(buffer.getvalue()))


FILE, HARD, SYM, PIPE, FOLDER = (
    kind.decode() for kind in (tarfile.REGTYPE, tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)
)
OUTSIDE = {
    "above": [("../a", FILE, b"x")],
    "a link above": [("a", SYM, "../b")],
    "an absolute link": [("a", SYM, "/etc")],
    "through a link": [("d", SYM, "."), ("d/../../a", FILE, b"x")],
    "a hard link above": [("a", HARD, "../b")],
    "a pipe": [("a", PIPE, "")],
}


@pytest.fixture(params=["of this release", "as before 3.11.4"])
def unpack(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[tarfile.TarFile, Path], None]:
    if request.param == "as before 3.11.4":
        for name in ("data_filter", "tar_filter", "fully_trusted_filter"):
            monkeypatch.delattr(tarfile, name, raising=False)
        # Releases that ask for a filter speak up without one; those that are meant do not know the question.
        monkeypatch.setattr(
            tarfile.TarFile, "extraction_filter", staticmethod(lambda member, path: member), raising=False
        )
    return pythons.unpack


def test_an_archive_is_unpacked_without_rights_of_others(unpack: Callable[..., None], tmp_path: Path) -> None:
    members = [("d", FOLDER, ""), ("d/a", FILE, b"one"), ("d/b", SYM, "a"), ("c", HARD, "d/a")]
    unpack(archive(*members), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == dict.fromkeys(
        "abc", b"one"
    )
    assert (tmp_path / "d/b").is_symlink() and (tmp_path / "d/a").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize("name", OUTSIDE)
def test_nothing_is_unpacked_outside_of_the_folder(unpack: Callable[..., None], tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(tarfile.TarError):
        unpack(archive(*OUTSIDE[name]), folder)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('{\n "a": 1,\n}', 2, 8, "Illegal trailing comma before end of object"),
        ("[1,\n\n]", 1, 3, "Illegal trailing comma before end of array"),
        ("{\n", 2, 1, "Expecting property name enclosed in double quotes"),
        ("[\n,]", 2, 1, "Expecting value"),
        ("[1\n2]", 2, 1, "Expecting ',' delimiter"),
    ],
)
def test_a_fault_in_json_has_the_same_place_and_words(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        json.loads(text)
    fault = pythons.json_fault(raised.value)
    assert (fault.lineno, fault.colno, fault.msg) == (line, column, message)


def test_a_traceback_is_plain_whatever_is_forced() -> None:
    environment = {**os.environ, "FORCE_COLOR": "0", **pythons.PLAIN_TRACEBACKS}
    done = subprocess.run([sys.executable, "-c", "1/0"], env=environment, capture_output=True, text=True)
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n") and "\x1b" not in done.stderr


def test_zipfile_reads_zstandard(tmp_path: Path) -> None:
    pythons.teach_zipfile_zstd()
    with zipfile.ZipFile(tmp_path / "a.zip", "w", compression=93) as packed:
        packed.writestr("a", b"one" * 1000)
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        assert packed.read("a") == b"one" * 1000
