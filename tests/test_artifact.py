"""Files are written whole or not at all; JSON is strict both ways."""

from __future__ import annotations

import json
import os
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
