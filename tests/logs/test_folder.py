"""A folder that cannot take a log is found before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.errors import LogError
from steelyard.logs import folder
from steelyard.logs.folder import ready_for_logs


def test_it_is_made_and_left_empty(tmp_path: Path) -> None:
    ready_for_logs(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("")
    with pytest.raises(LogError, match=r"cannot write logs to .*logs") as raised:
        ready_for_logs(tmp_path / "logs")
    assert raised.value.cure


def test_a_full_disk_is_named_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full").open("wb")  # noqa: SIM115
    monkeypatch.setattr(folder.tempfile, "TemporaryFile", lambda dir: full)
    with pytest.raises(LogError, match=r"logs to .*No space left"):
        ready_for_logs(tmp_path)
