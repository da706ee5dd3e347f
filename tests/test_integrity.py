"""Damage to installed files is seen: by size at once, by content after any change, and of everything when asked."""

from __future__ import annotations

import os
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
    assert integrity.damage(folder, thorough=False) is None
    assert integrity.damage(folder, thorough=True) is None


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
