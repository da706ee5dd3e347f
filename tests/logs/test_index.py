"""The index of logs: entries of unchanged logs are used, anything doubtful is read again."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log

from steelyard.logs import read
from steelyard.logs.index import index_path
from steelyard.logs.packed_rows import SharedParts, pack, unpack
from steelyard.logs.read import read_logs

OPENED: list[str] = []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    logs = tmp_path / "logs"
    eval(Task(dataset=[Sample("hello")]), model="steelyard/floor", log_dir=str(logs), display="none")
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    opened = read.open_log

    def counted(path: Any, *rest: Any) -> Any:
        OPENED.append(str(path))
        return opened(path, *rest)

    OPENED.clear()
    monkeypatch.setattr(read, "open_log", counted)
    age(logs)
    yield logs


def age(folder: Path, seconds: int = 60) -> None:
    """Make the logs old enough to be entered."""
    for path in folder.iterdir():
        os.utime(path, ns=(0, path.stat().st_mtime_ns - seconds * 10**9))


def test_an_unchanged_log_is_read_once(folder: Path) -> None:
    first, second = (read_logs([folder], view="full") for _ in range(2))
    assert first == second and len(OPENED) == 1


def test_a_row_survives_the_index_exactly(folder: Path) -> None:
    [row] = read_logs([folder]).rows
    parts = SharedParts()
    assert unpack(row.path, pack(row, parts), parts) == row


def test_a_changed_log_is_read_again(folder: Path) -> None:
    read_logs([folder], view="full")
    [path] = folder.iterdir()
    log = read_eval_log(str(path))
    log.eval.model = "other/model"
    write_eval_log(log, str(path))
    age(folder)
    assert read_logs([folder], view="full").rows[0].model == "other/model"


def test_a_log_written_just_now_is_not_entered(folder: Path) -> None:
    [path] = folder.iterdir()
    os.utime(path)
    for _ in range(2):
        read_logs([folder], view="full")
    assert len(OPENED) == 2


@pytest.mark.parametrize("damage", [b"not a database at all" * 400, b""])
def test_a_broken_index_is_rebuilt(folder: Path, damage: bytes) -> None:
    before = read_logs([folder], view="full")
    for path in index_path().parent.iterdir():
        path.unlink()
    index_path().write_bytes(damage)
    assert [read_logs([folder], view="full") for _ in range(3)] == [before] * 3
    assert len(OPENED) <= 3


@pytest.mark.parametrize("table", ["rows", "shared"])
def test_an_index_with_other_tables_is_rebuilt(folder: Path, table: str) -> None:
    before = read_logs([folder], view="full")
    with closing(sqlite3.connect(index_path())) as connection, connection:
        connection.execute(f"ALTER TABLE {table} RENAME COLUMN {'own' if table == 'rows' else 'data'} TO other")
    assert [read_logs([folder], view="full") for _ in range(3)] == [before] * 3
    assert len(OPENED) == 2


def test_a_forged_entry_is_not_believed(folder: Path) -> None:
    before = read_logs([folder], view="full")
    with closing(sqlite3.connect(index_path())) as connection, connection:
        connection.execute("UPDATE rows SET own = CAST(replace(own, 'floor', 'other') AS BLOB)")
    assert read_logs([folder], view="full") == before and len(OPENED) == 2


def test_damaged_questions_are_not_believed(folder: Path) -> None:
    before = read_logs([folder], view="full")
    with closing(sqlite3.connect(index_path())) as connection, connection:
        connection.execute("UPDATE shared SET data = CAST(replace(data, 'hello', 'other') AS BLOB)")
    assert read_logs([folder], view="full") == before and len(OPENED) == 2
    assert read_logs([folder], view="full") == before and len(OPENED) == 2


def test_packed_runs_are_the_runs(folder: Path) -> None:
    [plain], [packed] = (read_logs([folder], view=view, packed=view == "packed").rows for view in ("full", "packed"))
    assert not isinstance(packed.runs, tuple) and len(packed.runs) == 1
    assert packed == plain and packed.runs[0] == plain.runs[0] and packed.runs[:1] == plain.runs


def test_what_a_log_in_the_index_shows_is_not_visited_again(folder: Path) -> None:
    visited: list[str] = []
    for _ in range(2):
        read_logs([folder], visit=lambda log: visited.append(log.row.path), view="full")
    assert len(visited) == 1


def test_the_index_can_be_turned_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(read.NO_INDEX, "1")
    for _ in range(2):
        read_logs([folder], view="full")
    assert len(OPENED) == 2 and not index_path().exists()


def test_a_cache_that_cannot_be_written_is_done_without(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = folder.parent / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("STEELYARD_CACHE", str(blocked))
    assert len(read_logs([folder], view="full").rows) == 1


def test_of_many_logs_only_those_asked_for_are_taken(folder: Path) -> None:
    [path] = folder.iterdir()
    copies = [folder / f"copy-{number}.eval" for number in range(9)]
    for copy in copies:
        shutil.copyfile(path, copy)
    age(folder)
    read_logs([folder], view="full")
    OPENED.clear()
    for asked in (copies[::8], copies[3:6], copies[:1]):
        assert [row.path for row in read_logs(asked, view="full").rows] == list(map(str, asked))
    assert not OPENED
