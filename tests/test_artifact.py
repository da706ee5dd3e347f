"""Files are written whole or not at all; JSON is strict both ways."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from steelyard import artifact
from steelyard.errors import ArtifactError, InputError


def test_written_whole_and_folders_are_made(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "er" / "file.json"
    artifact.write_json(target, {"ä": 1})
    assert json.loads(target.read_text("utf-8")) == {"ä": 1}
    assert [path.name for path in target.parent.iterdir()] == ["file.json"]


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "file"
    artifact.write_text(target, "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ArtifactError, match="No space left"):
        artifact.write_text(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArtifactError, match="cannot write"):
        artifact.write_text(tmp_path / "file" / "below", "x")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_json_lacks_are_refused(value: float) -> None:
    with pytest.raises(ArtifactError, match="JSON"):
        artifact.json_text({"x": value})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": NaN}', "NaN"),
        ('{"a": 1, "a": 2}', "duplicate key"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("", "not valid JSON"),
    ],
)
def test_reading_is_strict(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "in.json"
    path.write_text(text)
    with pytest.raises(InputError, match=why):
        artifact.read_json(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.json"):
        artifact.read_json(tmp_path / "nothing.json")


def test_hostile_text_does_not_lose_the_file(tmp_path: Path) -> None:
    artifact.write_text(tmp_path / "a", "lone \ud800 surrogate")
    assert (tmp_path / "a").read_text("utf-8") == "lone ? surrogate"


def test_a_device_is_written_through_and_stays_a_device(tmp_path: Path) -> None:
    artifact.write_text(Path(os.devnull), "x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    artifact.write_text(pipe, "result")
    assert os.read(reader, 100) == b"result"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"] and stat.S_ISFIFO(pipe.stat().st_mode)
    os.close(reader)


def test_a_pipe_without_a_reader_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArtifactError, match="cannot write"):
        artifact.write_text(tmp_path / "pipe", "result")


def test_a_pipe_of_the_shell_is_written_through() -> None:
    reading, writing = os.pipe()
    artifact.write_text(Path(f"/dev/fd/{writing}"), "result")
    os.close(writing)
    assert os.read(reading, 100) == b"result"
    os.close(reading)


@pytest.mark.parametrize("target", ["old.json", "missing.json"])
def test_a_link_stays_a_link(tmp_path: Path, target: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "old.json").write_text("old")
    link = tmp_path / "link.json"
    link.symlink_to(Path("data", target))
    artifact.write_text(link, "new")
    assert link.is_symlink() and (tmp_path / "data" / target).read_text() == "new"


def test_reading_never_waits_and_never_goes_on_for_ever(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert artifact.read_text(tmp_path / "pipe") == ""
    with pytest.raises(InputError, match="larger than 1 MB"):
        artifact.read_text(Path("/dev/zero"), 1_000_000)
