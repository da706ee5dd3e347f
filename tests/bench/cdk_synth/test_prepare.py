"""Preparing what kernels read: it is complete or it is not there, and a failure names the cure."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from steelyard import doctor
from steelyard.bench.cdk_synth.synthesizer import prepare
from steelyard.errors import ToolchainError
from tests.waiting import gone, until


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
    with pytest.raises(ToolchainError, match=r"synthesizer.*No space left") as raised:
        prepare.prepared()
    assert "400 MB" in (raised.value.cure or "")
    assert left_in(cache) == []


@pytest.fixture
def small(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A synthesizer of one file, prepared and intact."""

    def runtime(work: Path) -> None:
        (work / "lib").mkdir()
        (work / "lib" / "index.js").write_text("the library")

    monkeypatch.setattr(prepare, "_runtime", runtime)
    for step in ("_guard", "_unpack", "_bytecode"):
        monkeypatch.setattr(prepare, step, lambda work: None)
    monkeypatch.setattr(prepare, "_intact", set())
    return prepare.prepared()


def test_a_damaged_synthesizer_is_named_and_prepared_again(small: Path) -> None:
    (small / "lib" / "index.js").write_text("the lib")
    assert prepare.damage(thorough=False) == "lib/index.js is missing or changed"
    prepare._intact.clear()  # as in the next process
    assert prepare.prepared() == small and (small / "lib" / "index.js").read_text() == "the library"
    (small / "lib" / "index.js").unlink()
    assert prepare.prepare(thorough=True) == "lib/index.js is missing or changed"
    assert prepare.prepare(thorough=True) is None and prepare.damage(thorough=True) is None


def test_who_repairs_the_synthesizer_says_so_and_doctor_does_not_repair(
    small: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level("WARNING")  # an evaluation before may have asked for less
    (small / "lib/index.js").write_text("cut")
    monkeypatch.setattr(doctor.toolchain, "require", lambda *_: None)
    monkeypatch.setattr(prepare.packages, "check", lambda *, thorough: None)
    for verifier in ("cdk_verify_local", "cdk_verify"):
        state, detail, cure = doctor._ATTEMPTS[verifier]()
        assert state == "missing" and "lib/index.js" in detail and cure == "run `steelyard setup`"
    assert not caplog.records
    prepare._intact.clear()  # as in the next process
    assert prepare.prepared() == small and "lib/index.js" in caplog.text


def test_what_a_killed_process_left_is_removed(small: Path) -> None:
    left = small.parent / f"{prepare.PART}abc"
    (left / "packages").mkdir(parents=True)
    (small / "lib" / "index.js").unlink()
    prepare.prepare()
    assert left_in(small.parent) == [small.name]


def test_a_killed_setup_takes_its_children_along_and_the_next_one_cleans_up(
    cache: Path, request: pytest.FixtureRequest
) -> None:
    """The real steps, killed with -9 while Node unpacks the library and others compile it."""
    program = "from steelyard.bench.cdk_synth.synthesizer.prepare import prepare; prepare()"
    with subprocess.Popen([sys.executable, "-c", program]) as setup:
        assert until(lambda: setup.poll() is not None or {"node", "unpack.py"} <= words_of(setup))
        assert until(lambda: setup.poll() is not None or any(cache.glob(f"{prepare.PART}*/packages/*/*")))
        assert setup.poll() is None
        children = psutil.Process(setup.pid).children(recursive=True)
        setup.kill()
    assert children and gone(child.pid for child in children)
    [left] = left_in(cache)
    assert left.startswith(prepare.PART)
    prepared = request.getfixturevalue("small")  # the next setup
    assert left_in(cache) == [prepared.name]


def words_of(setup: subprocess.Popen[bytes]) -> set[str]:
    """The last parts of all words that the processes below it were started with; one may end while this looks."""
    found = set[str]()
    for child in psutil.Process(setup.pid).children(recursive=True):
        with suppress(psutil.Error):
            found |= {Path(word).name for word in child.cmdline()}
    return found


def test_packages_whose_files_were_cut_are_named_with_the_cure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from importlib import metadata

    from steelyard.bench.cdk_synth.synthesizer import packages

    info = tmp_path / "made-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: made\nVersion: 1.0\n")
    # SHA-256 of "whole", in base64 without padding.
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"whole").digest()).decode().rstrip("=")
    (info / "RECORD").write_text(f"made.py,sha256={digest},5\n")
    (tmp_path / "made.py").write_text("whole")
    [distribution] = metadata.distributions(path=[str(tmp_path)])
    listed = packages.Packages((), (), (distribution,))
    monkeypatch.setattr(packages, "installed", lambda: listed)
    packages.check(thorough=True)
    (tmp_path / "made.py").write_text("whale")
    packages.check(thorough=False)
    with pytest.raises(ToolchainError, match=r"made is damaged: made.py .*pip install --force-reinstall"):
        packages.check(thorough=True)
    (tmp_path / "made.py").write_text("who")
    with pytest.raises(ToolchainError, match="made is damaged"):
        packages.check(thorough=False)


def test_a_folder_that_cannot_be_made_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "file"))
    with pytest.raises(ToolchainError, match="cannot write to "):
        prepare.prepared()


def test_a_damaged_synthesizer_in_the_cache_of_another_user_is_named(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (small / "lib" / "index.js").write_text("something else")

    def refuse(name: str) -> None:
        raise ToolchainError("cannot write to the cache", cure="use another one")

    monkeypatch.setattr(prepare, "_intact", set[Path]())
    monkeypatch.setattr(prepare.toolchain, "cache_lock", refuse)
    with pytest.raises(ToolchainError, match=r"damaged \(lib/index.js is .*; cannot write to the cache \(use another"):
        prepare.prepared()


def test_a_cache_that_may_not_be_read_is_named_with_the_cure(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused here by hand: root may read everything."""

    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    with pytest.raises(ToolchainError, match=r"cannot read .*STEELYARD_CACHE"):
        prepare.damage(thorough=False)
