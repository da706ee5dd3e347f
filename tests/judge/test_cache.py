from __future__ import annotations

import logging
import multiprocessing
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from steelyard.judge.cache import FILE, Cache, key


@pytest.fixture
def cache(tmp_path: Path):  # type: ignore[no-untyped-def]
    made = Cache(tmp_path / "judge")
    yield made
    made.close()


def test_the_first_verdict_stays(cache: Cache) -> None:
    assert cache.get("k") is None
    cache.put("k", {"score": 0.5})
    cache.put("k", {"score": 0.9})
    assert cache.get("k") == {"score": 0.5}
    cache.drop("k")
    assert cache.get("k") is None


def test_an_entry_that_cannot_be_read_is_a_miss_and_is_replaced(cache: Cache) -> None:
    cache.put("k", 1)
    with sqlite3.connect(cache.path) as db:
        db.execute("UPDATE verdicts_1 SET verdict = 'no JSON'")
    assert cache.get("k") is None
    cache.put("k", 2)
    assert cache.get("k") == 2


def test_keys_keep_their_parts_apart() -> None:
    assert key("ab", "c") != key("a", "bc") != key("a", "b", "c")
    assert key("a", "b") == key("a", "b")
    assert key("\ud800") != key("?")  # hostile text must not raise


@pytest.mark.parametrize("damage", [b"this is not a database", b"SQLite format 3\x00" + b"\xff" * 4000, b"\x00" * 100])
def test_a_damaged_file_is_moved_aside_and_noted(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "judge"
    folder.mkdir()
    (folder / FILE).write_bytes(damage)
    cache = Cache(folder)
    with caplog.at_level(logging.WARNING, logger="steelyard.judge"):
        assert cache.get("k") is None
    cache.put("k", 1)
    assert cache.get("k") == 1
    cache.close()
    assert "damaged" in caplog.text
    assert [each.read_bytes() for each in folder.glob("*.damaged-*") if not each.name.endswith(("-wal", "-shm"))] == [
        damage
    ]


def test_a_file_damaged_while_open_does_not_break_a_run(cache: Cache) -> None:
    for number in range(200):
        cache.put(f"k{number}", "x" * 500)
    cache.close()
    with cache.path.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(40_000))
    for number in range(200):
        assert cache.get(f"k{number}") in (None, "x" * 500)
    cache.put("fresh", 1)
    assert cache.get("fresh") == 1


def test_an_unreadable_entry_is_a_miss(cache: Cache) -> None:
    cache.put("k", 1)
    with sqlite3.connect(cache.path) as other:
        other.execute("UPDATE verdicts_1 SET verdict = '{half'")
    other.close()
    assert cache.get("k") is None


def test_a_folder_that_cannot_be_used_only_costs_the_cache(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "judge").write_text("a file where a folder should be")
    # Inspect sets the root's level when an eval has run in this process; what we say must not depend on that.
    with caplog.at_level(logging.WARNING, logger="steelyard.judge"):
        cache = Cache(tmp_path / "judge")
        cache.put("k", 1)
        assert cache.get("k") is None
    assert "not usable" in caplog.text


def test_a_cache_that_cannot_be_written_is_still_read(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cache.put("k", {"score": 1})
    cache.close()
    before = cache.path.read_bytes()
    connect = sqlite3.connect

    def read_only(place: str | Path, **options: Any) -> sqlite3.Connection:
        # What SQLite says of a WAL file on a read-only mount, unless it is told that nobody writes.
        if "immutable=1" not in str(place):
            raise sqlite3.OperationalError("unable to open database file")
        return connect(place, **options)

    monkeypatch.setattr(sqlite3, "connect", read_only)
    with caplog.at_level(logging.WARNING, logger="steelyard.judge"):
        mounted = Cache(cache.path.parent)
        mounted.put("new", 1)
        assert mounted.get("k") == {"score": 1}
        assert mounted.get("new") is None
    assert caplog.text.count("only read") == 1
    mounted.close()
    assert cache.path.read_bytes() == before


def write(folder: str, writer: int, count: int) -> None:
    cache = Cache(Path(folder))
    for number in range(count):
        cache.put(f"shared {number}", {"writer": writer, "number": number})
        cache.put(f"own {writer} {number}", number)
        assert cache.get(f"shared {number}")["number"] == number
    cache.close()


def test_several_processes_and_threads_write_at_once(tmp_path: Path) -> None:
    folder, count = str(tmp_path / "judge"), 60
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=write, args=(folder, writer, count)) for writer in range(3)]
    threads = [threading.Thread(target=write, args=(folder, writer, count)) for writer in range(3, 5)]
    for each in (*processes, *threads):
        each.start()
    for each in (*processes, *threads):
        each.join()
    assert [each.exitcode for each in processes] == [0, 0, 0]
    cache = Cache(Path(folder))
    assert all(cache.get(f"own {writer} {number}") == number for writer in range(5) for number in range(count))
    assert all(cache.get(f"shared {number}")["number"] == number for number in range(count))
    cache.close()
