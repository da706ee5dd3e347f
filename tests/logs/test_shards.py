"""Shards beside a merged log: no sample counts twice, and a shard that cannot be right is named."""

from __future__ import annotations

from dataclasses import replace

from steelyard.logs.shards import without_shards
from steelyard.rows import LogRow, Logs, RunRow


def run(item: str) -> RunRow:
    return RunRow(item, 1, {}, None, None, None, None, {}, {})


def log(path: str, *items: str, model: str = "a/b") -> LogRow:
    runs = tuple(map(run, items))
    return LogRow(
        path, "success", "t", "t", "r", path, "", model, {}, {}, {}, False, 1, (), None, runs, {}, {}, None, {}
    )


def settled(*rows: LogRow) -> tuple[list[str], dict[str, str]]:
    logs = without_shards(Logs(rows, ()))
    return [row.path for row in logs.rows], dict(logs.problems)


def test_beside_its_merged_log_a_shard_does_not_count() -> None:
    rows = log("x.eval", "1", "2"), log("x.shards/0/a.eval", "1"), log("x.shards/1/a.eval", "2")
    assert settled(*rows) == (["x.eval"], {})


def test_shards_without_a_merged_log_count() -> None:
    rows = log("x.shards/0/a.eval", "1"), log("x.shards/1/a.eval", "2")
    assert settled(*rows) == ([row.path for row in rows], {})


def test_overlapping_shards_are_named() -> None:
    paths, problems = settled(log("x.shards/0/a.eval", "1"), log("x.shards/1/a.eval", "1", "2"))
    assert paths == ["x.shards/0/a.eval"]
    assert problems == {"x.shards/1/a.eval": "overlaps with the shard x.shards/0/a.eval"}


def test_a_missing_shard_is_named() -> None:
    rows = log("x.shards/0/a.eval", "1"), log("x.shards/3/a.eval", "2")
    paths, problems = settled(*rows)
    assert paths == [row.path for row in rows] and list(problems) == ["x.shards/1", "x.shards/2"]
    assert settled(log("x.shards/1/a.eval", "1"), log("x.shards/2/a.eval", "2"))[1] == {}
    assert settled(log("x.eval", "1", "2"), *rows)[1] == {}


def test_a_sample_that_the_merged_log_lacks_is_named() -> None:
    _, problems = settled(log("x.eval", "1"), log("x.shards/1/a.eval", "2"))
    assert problems == {"x.shards/1/a.eval": "x.eval lacks 2 (epoch 1) of this shard; merge it again"}


def test_a_foreign_shard_is_named() -> None:
    paths, problems = settled(log("x.eval", "1"), log("x.shards/0/a.eval", "1", model="c/d"))
    assert paths == ["x.eval"] and list(problems) == ["x.shards/0/a.eval"]


def test_an_attempt_that_failed_may_be_repeated_in_another_shard() -> None:
    failed = replace(run("1"), error="lost")
    first = replace(log("x.shards/0/a.eval"), runs=(failed,))
    assert settled(first, log("x.shards/1/a.eval", "1"))[1] == {}
