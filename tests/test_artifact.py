"""Files are written whole or not at all; JSON is strict both ways."""

from __future__ import annotations

import errno
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


RESULTS = {"label": "baseline", "scores": [{"task": "t1", "passed": 3, "total": 4}]}


def test_a_field_that_does_not_fit_its_schema_is_named() -> None:
    artifact.validate(RESULTS, "results")
    with pytest.raises(ArtifactError, match="/scores/0/passed does not fit results"):
        artifact.validate({**RESULTS, "scores": [{"task": "t1", "passed": "3", "total": 4}]}, "results")


def test_hostile_text_in_a_result_is_checked_as_it_will_be_written() -> None:
    named = {**RESULTS, "label": "lone \ud800 surrogate"}
    assert "surrogate" in artifact.json_text(named, schema="results")
    with pytest.raises(ArtifactError, match="/scores does not fit"):
        artifact.json_text({**named, "scores": "\ud800"}, schema="results")


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


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_that_exists_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "private.json"
    target.write_text("old")
    target.chmod(mode)
    artifact.write_text(target, "new")
    assert target.read_text() == "new" and stat.S_IMODE(target.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_that_exists_keeps_its_owner(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    os.chown(target, 1234, 4321)
    artifact.write_text(target, "new")
    assert target.read_text() == "new" and (target.stat().st_uid, target.stat().st_gid) == (1234, 4321)


def test_a_read_only_file_is_refused_to_whom_it_is_read_only(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    target.chmod(0o444)
    if os.access(target, os.W_OK):  # to root nothing is
        artifact.write_text(target, "new")
    else:
        with pytest.raises(ArtifactError, match="Permission denied"):
            artifact.write_text(target, "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o444


@pytest.mark.parametrize("step", ["mkstemp", "chown", "replace"])
def test_a_file_that_cannot_be_replaced_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    # In a folder of somebody else's; with an owner whom only root could restore; mounted by itself into a container.
    refusals: dict[str, tuple[object, OSError]] = {
        "mkstemp": (artifact.tempfile, PermissionError(errno.EACCES, "Permission denied")),
        "chown": (os, PermissionError(errno.EPERM, "Operation not permitted")),
        "replace": (os, OSError(errno.EBUSY, "Device or resource busy")),
    }
    where, error = refusals[step]

    def refuse(*_: object, **__: object) -> None:
        raise error

    target, other = tmp_path / "file", os.getuid() + 1
    target.write_text("old and longer")
    status = target.stat()
    monkeypatch.setattr(where, step, refuse)
    if step == "chown":
        foreign = os.stat_result([*status[:4], other, *status[5:]])
        monkeypatch.setattr(artifact, "_writable", lambda path: foreign)  # type: ignore[reportUnknownLambdaType]
    artifact.write_text(target, "new")
    assert target.read_text() == "new" and target.stat().st_ino == status.st_ino
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    if step != "chown":
        with pytest.raises(ArtifactError, match="cannot write"):
            artifact.write_text(tmp_path / "fresh", "new")


def test_the_other_name_of_a_file_keeps_what_it_had(tmp_path: Path) -> None:
    target, other = tmp_path / "file", tmp_path / "snapshot"
    target.write_text("old")
    try:
        other.hardlink_to(target)
    except OSError:
        pytest.skip("this file system has no hard links")
    artifact.write_text(target, "new")
    assert (target.read_text(), other.read_text()) == ("new", "old")


def test_reading_never_waits_and_never_goes_on_for_ever(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="nothing came through the pipe"):
        artifact.read_text(tmp_path / "pipe")
    with pytest.raises(InputError, match="larger than 1 MB"):
        artifact.read_text(Path("/dev/zero"), 1_000_000)


@pytest.mark.parametrize("kind", ["terminal", "new terminal", "messages of the kernel", "memory"])
def test_what_would_keep_its_reader_waiting_is_refused(kind: str) -> None:
    controller, terminal = os.openpty()
    paths = {"new terminal": "/dev/ptmx", "messages of the kernel": "/proc/kmsg", "memory": "/proc/self/mem"}
    try:
        with pytest.raises(InputError, match="cannot read /"):
            artifact.read_text(Path(paths.get(kind) or os.ttyname(terminal)))
    finally:
        os.close(controller)
        os.close(terminal)


@pytest.mark.parametrize("by_link", [False, True])
def test_a_file_that_is_open_already_is_continued(by_link: bool, tmp_path: Path) -> None:
    # `steelyard … --json /dev/stdout >> file` must not lose what is in the file.
    output, link = tmp_path / "output", tmp_path / "link"
    output.write_text("before\n")
    with output.open("a") as file:
        link.symlink_to(f"/dev/fd/{file.fileno()}")
        artifact.write_text(link if by_link else Path(f"/dev/fd/{file.fileno()}"), "result\n")
        file.write("after\n")
    assert output.read_text() == "before\nresult\nafter\n"


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=f"cannot write {tmp_path}: it is a directory"):
        artifact.write_text(tmp_path, "text")
    assert not list(tmp_path.parent.glob("*.part"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the umask without a change of it")
def test_the_umask_is_read_without_a_moment_in_which_it_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("other threads make files with this umask"))
        assert artifact.umask() == 0o027
    finally:
        monkeypatch.undo()
        os.umask(before)
