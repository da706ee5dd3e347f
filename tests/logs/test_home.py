"""A home that cannot be written to stops nothing while the cache is elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

from steelyard.errors import LogError
from steelyard.logs.home import ready_home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which no folder can be made, for root too: it is a file."""
    path = tmp_path / "home"
    path.write_text("")
    monkeypatch.setenv("HOME", str(path))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "")  # restored afterwards, whatever is set meanwhile
    return path


def test_inspect_keeps_its_files_in_our_cache(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    ready_home()
    for folder in (platformdirs.user_data_path("inspect_ai"), platformdirs.user_cache_path("inspect_ai")):
        assert folder.is_relative_to(tmp_path / "cache")


def test_without_a_cache_the_cure_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEELYARD_CACHE", raising=False)
    with pytest.raises(LogError, match="STEELYARD_CACHE"):
        ready_home()


def test_a_home_that_works_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    ready_home()
    assert os.environ["XDG_DATA_HOME"] == os.environ["XDG_CACHE_HOME"] == ""
