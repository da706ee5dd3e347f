"""Damage to installed files is seen: by size at once, by content after any change, and of everything when asked."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from steelyard.toolchain import integrity


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "lib").mkdir(parents=True)
    (home / "bin").mkdir()
    (home / "lib" / "index.js").write_text("one two three")
    (home / "lib" / "other.js").write_text("four")
    (home / "bin" / "later").write_text("x")
    integrity.seal(home, without=("bin",))
    return home


def test_an_intact_folder_has_no_damage(folder: Path) -> None:
    (folder / "bin" / "later").write_text("changed, and allowed to")
    assert integrity.sealed(folder)
    assert integrity.damage(folder, thorough=False, without=("bin",)) is None
    assert integrity.damage(folder, thorough=True, without=("bin",)) is None


def write_list(folder: Path, body: str) -> None:
    """A list with the right digest."""
    (folder / integrity.MARKER).write_text(f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}\n")


@pytest.mark.parametrize("thorough", [False, True])
def test_a_list_that_leaves_something_out_is_damage(folder: Path, thorough: bool) -> None:
    listed = json.loads((folder / integrity.MARKER).read_text().partition("\n")[2])
    del listed["lib/other.js"]
    write_list(folder, json.dumps(listed))
    problem = integrity.damage(folder, thorough=thorough, without=("bin",))
    assert problem == "lib/other.js is not in its list of files"
    write_list(folder, "{}")
    assert integrity.damage(folder, thorough=thorough, without=("bin",)) == "its list of files is empty"


@pytest.mark.parametrize("kind", ["a file", "a link to a folder"])
def test_what_was_put_beside_the_files_is_damage(folder: Path, kind: str) -> None:
    stranger = folder / "lib" / "stranger"
    if kind == "a file":
        stranger.write_text("x")
    else:
        stranger.symlink_to(folder / "bin")
    problem = integrity.damage(folder, thorough=False, without=("bin",))
    assert problem == "lib/stranger is not in its list of files"


@pytest.mark.parametrize("thorough", [False, True])
def test_a_cut_a_changed_and_a_missing_file_are_named(folder: Path, thorough: bool) -> None:
    os.truncate(folder / "lib" / "index.js", 5)
    assert integrity.damage(folder, thorough=thorough) == "lib/index.js is missing or changed"
    (folder / "lib" / "index.js").write_text("one two thref")  # the same size
    assert integrity.damage(folder, thorough=thorough) == "lib/index.js is missing or changed"
    (folder / "lib" / "other.js").unlink()
    assert integrity.damage(folder, thorough=thorough) == "lib/index.js and 1 more are missing or changed"


def test_a_time_that_was_set_back_hides_nothing(folder: Path) -> None:
    path = folder / "lib" / "index.js"
    before = path.stat()
    path.write_text("one two thref")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert integrity.damage(folder, thorough=False) is not None


@pytest.mark.parametrize("text", ["", "cut", '{"lib/index.js": [13, "0"]}'])
def test_a_list_that_is_damaged_itself_is_damage(folder: Path, text: str) -> None:
    (folder / integrity.MARKER).write_text(text)
    assert "list of files" in (integrity.damage(folder, thorough=False) or "")


@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize(
    "damage", ["a link to the same bytes", "closed to others", "closed to all", "a closed folder", "a pipe"]
)
def test_what_a_sandbox_could_not_read_any_more_is_damage(folder: Path, damage: str, thorough: bool) -> None:
    path = folder / "lib" / "index.js"
    if damage == "a link to the same bytes":
        path.rename(folder.parent / "elsewhere.js").chmod(0o644)
        path.symlink_to(folder.parent / "elsewhere.js")
    elif damage == "a pipe":
        path.unlink()
        os.mkfifo(path)
    else:
        closed, mode = {
            "closed to others": (path, 0o600),
            "closed to all": (path, 0),
            "a closed folder": (folder / "lib", 0o700),
        }[damage]
        closed.chmod(mode)
    found = integrity.damage(folder, thorough=thorough) or ""
    assert found.startswith("lib") and found.endswith("missing or changed")


def test_a_list_of_an_earlier_version_has_no_modes_and_serves(folder: Path) -> None:
    files = {"lib/index.js": b"one two three", "lib/other.js": b"four"}
    write_list(
        folder, json.dumps({name: [len(text), hashlib.sha256(text).hexdigest()] for name, text in files.items()})
    )
    assert integrity.damage(folder, thorough=True, without=("bin",)) is None
    (folder / "lib" / "other.js").chmod(0)
    assert integrity.damage(folder, thorough=False) == "lib/other.js is missing or changed"


@pytest.mark.parametrize("body", ['{"lib/other.js": [4, "0", 33188, "more"]}', '{"lib/other.js": 4}', "[]", "4", "{"])
def test_a_list_of_another_version_is_damage(folder: Path, body: str) -> None:
    write_list(folder, body)
    assert integrity.damage(folder, thorough=False) == "its list of files is of another version"


def test_a_list_that_is_a_pipe_is_damage(folder: Path) -> None:
    (folder / integrity.MARKER).unlink()
    os.mkfifo(folder / integrity.MARKER)
    assert "list of files" in (integrity.damage(folder, thorough=False) or "")


def test_a_copied_folder_is_hashed_whole_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, copied, damaged = (tmp_path / name for name in ("home", "copied", "damaged"))
    home.mkdir()
    for number in range(600):
        (home / f"{number:03}.js").write_text("one")
    integrity.seal(home)
    for copy in (copied, damaged):
        shutil.copytree(home, copy)
        os.utime(copy / "599.js")  # later than the marker, whatever was copied first
    (damaged / "599.js").write_text("onf")
    assert integrity.damage(damaged, thorough=False) == "599.js is missing or changed"
    assert integrity.damage(copied, thorough=False) is None
    monkeypatch.setattr(integrity, "_known", lambda path: pytest.fail(f"{path} was hashed again"))
    assert integrity.damage(copied, thorough=False) is None
