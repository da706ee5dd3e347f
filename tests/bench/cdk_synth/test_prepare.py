"""Preparing what workers read: it is complete or it is not there, and a failure names the cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.bench.cdk_synth.engine import prepare
from steelyard.errors import ToolchainError


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("STEELYARD_CACHE", str(folder))
    return folder


def left_in(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir() if path.name != ".cdk.lock")


def broken_node(folder: Path, said: str) -> Path:
    program = folder / "node"
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    program.chmod(0o755)
    return program


def test_a_node_that_does_not_start_is_one_line_with_the_cure(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepare.toolchain, "node", lambda: broken_node(tmp_path, "no space left on device"))
    monkeypatch.setattr(prepare, "_bytecode", lambda work: None)
    with pytest.raises(ToolchainError, match="cannot unpack aws-cdk-lib: ") as raised:
        prepare.prepared()
    assert "\n" not in str(raised.value)
    assert "STEELYARD_CACHE" in (raised.value.cure or "")
    assert left_in(cache) == []


def test_a_disk_that_fills_up_leaves_nothing_behind(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(work: Path) -> None:
        raise OSError(28, "No space left on device", str(work))

    monkeypatch.setattr(prepare, "_runtime", full)
    with pytest.raises(ToolchainError, match=r"cannot prepare the CDK engine.*No space left") as raised:
        prepare.prepared()
    assert "400 MB" in (raised.value.cure or "")
    assert left_in(cache) == []


def test_a_folder_that_cannot_be_made_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "file"))
    with pytest.raises(ToolchainError, match="cannot write to "):
        prepare.prepared()
