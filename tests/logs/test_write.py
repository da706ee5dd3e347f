"""Rewriting a log: whole or not at all, and never over somebody else's change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log

from steelyard.errors import LogError
from steelyard.logs import write
from steelyard.logs.write import read_draft, write_draft


@pytest.fixture
def path(tmp_path: Path) -> Path:
    [log] = eval(Task(dataset=[Sample("hello")]), model="steelyard/floor", log_dir=str(tmp_path), display="none")
    assert log.status == "success"
    return Path(log.location)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_draft_replaces_the_log_and_leaves_no_other_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[Path] = []
    monkeypatch.setattr(write, "_flush", flushed.append)
    draft = read_draft(path)
    draft.log.eval.tags = ["rewritten"]
    write_draft(draft)
    assert read_eval_log(str(path)).eval.tags == ["rewritten"]
    assert names(path.parent) == [path.name] and len(flushed) == 1


def test_each_format_stays_what_it_is(path: Path) -> None:
    copy = path.with_suffix(".json")
    write_draft(read_draft(path).copied_to(copy))
    assert copy.read_bytes().startswith(b"{") and path.read_bytes().startswith(b"PK")
    write_draft(read_draft(copy))
    assert copy.read_bytes().startswith(b"{")


def test_a_full_disk_leaves_the_log_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, draft = path.read_bytes(), read_draft(path)
    monkeypatch.setattr("inspect_ai.log.write_eval_log", full_disk)
    with pytest.raises(LogError, match="No space left"):
        write_draft(draft)
    assert path.read_bytes() == before and names(path.parent) == [path.name]


def test_an_interrupt_leaves_the_log_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, draft = path.read_bytes(), read_draft(path)

    def interrupted(log: EvalLog, location: Any, **_: Any) -> None:
        Path(location).write_bytes(b"half a log")
        raise KeyboardInterrupt

    monkeypatch.setattr("inspect_ai.log.write_eval_log", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_draft(draft)
    assert path.read_bytes() == before and names(path.parent) == [path.name]


def test_of_two_drafts_the_second_is_refused(path: Path) -> None:
    first, second = read_draft(path), read_draft(path)
    first.log.eval.tags, second.log.eval.tags = ["first"], ["second"]
    write_draft(first)
    with pytest.raises(LogError, match=r"changed after it was read"):
        write_draft(second)
    assert read_eval_log(str(path)).eval.tags == ["first"] and names(path.parent) == [path.name]


def test_a_new_file_does_not_replace_one_that_appeared(path: Path) -> None:
    draft = read_draft(path).copied_to(path.with_name("copy.eval"))
    Path(draft.path).write_text("somebody else's")
    with pytest.raises(LogError, match="changed"):
        write_draft(draft)
    assert Path(draft.path).read_text() == "somebody else's"


def test_a_log_that_is_gone_stays_gone(path: Path) -> None:
    draft = read_draft(path)
    path.unlink()
    with pytest.raises(LogError, match="changed"):
        write_draft(draft)
    assert names(path.parent) == []


def test_a_writer_that_fails_does_not_disturb_another_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = read_draft(path), read_draft(path)
    first.log.eval.tags = ["first"]

    def overtaken(_: Path) -> None:
        with monkeypatch.context() as full, pytest.raises(LogError, match="No space left"):
            full.setattr("inspect_ai.log.write_eval_log", full_disk)
            write_draft(second)

    monkeypatch.setattr(write, "_flush", overtaken)
    write_draft(first)
    assert read_eval_log(str(path)).eval.tags == ["first"] and names(path.parent) == [path.name]


def test_a_log_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"cannot read .*gone\.eval"):
        read_draft(tmp_path / "gone.eval")


def full_disk(log: EvalLog, location: Any, **_: Any) -> None:
    Path(location).write_bytes(b"half a log")
    raise OSError(28, "No space left on device")
