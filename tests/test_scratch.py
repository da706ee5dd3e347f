"""Temporary files and folders: gone at the end, kept as long as their process lives, removed after it was killed."""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path

import pytest

from steelyard import artifact
from steelyard.bench.read.store import AnswerStore
from tests.waiting import HANG_S

OLD = 1_000_000_000


def test_a_folder_is_gone_at_the_end(tmp_path: Path) -> None:
    with artifact.scratch_folder("x-", beside=tmp_path) as work:
        (work / "file").touch()
        assert work.parent == tmp_path
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_goes_with_the_next_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact, "SETTLED_S", HANG_S)  # what is written here is young, on however slow a machine
    left, other, young = (
        tmp_path / name for name in (".page.html.abc.part", ".other.html.abc.part", ".page.html.def.part")
    )
    for path in (left, other, young):
        path.write_text("half")
    for path in (left, other):
        os.utime(path, (OLD, OLD))
    artifact.write_text(tmp_path / "page.html", "whole")
    assert not left.exists() and other.exists() and young.exists()


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_somebody_still_holds_stays(tmp_path: Path, kind: str) -> None:
    held = tmp_path / ".page.abc.part"
    held.mkdir() if kind == "folder" else held.touch()
    os.utime(held, (OLD, OLD))
    handle = os.open(held, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    artifact.remove_leftovers(tmp_path, ".page.", ".part")
    assert held.exists()
    os.close(handle)
    artifact.remove_leftovers(tmp_path, ".page.", ".part")
    assert not held.exists()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "kept"
    target.mkdir()
    os.utime(target, (OLD, OLD))
    link = tmp_path / ".page.abc.part"
    link.symlink_to(target)
    os.utime(link, (OLD, OLD), follow_symlinks=False)
    artifact.remove_leftovers(tmp_path, ".page.", ".part")
    assert target.exists() and link.is_symlink()


def test_answers_that_a_killed_board_kept_go_with_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / "steelyard-answers-left"
    left.mkdir()
    (left / "answers").write_text("of a log of many megabytes")
    os.utime(left, (OLD, OLD))
    with AnswerStore():
        assert not left.exists()
