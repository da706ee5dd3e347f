"""Shards beside a merged log: no sample counts twice, and a shard that cannot be right is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalShardEntry, EvalShards, write_eval_log

from steelyard.logs.read import read_logs
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


def shard_of(folder: Path, number: int, *items: str) -> EvalLog:
    """A real log that a worker wrote."""
    task = Task(dataset=[Sample("hello", id=item) for item in items], name="sharded")
    [done] = eval(task, model="steelyard/floor", log_dir=str(folder / "x.shards" / str(number)), display="none")
    return done


def merge(folder: Path, *shards: EvalLog) -> None:
    """What a merge leaves: each run once, and a ledger of the shards."""
    runs = {(sample.id, sample.epoch): sample for shard in shards for sample in shard.samples or []}
    entries = [
        EvalShardEntry(
            shard=str(number),
            log=Path(shard.location).name,
            status=shard.status,
            samples=len(shard.samples or []),
            selected=len(shard.samples or []),
            selection_digest="",
            size=1,
        )
        for number, shard in enumerate(shards)
    ]
    merged = shards[0].model_copy(update={"samples": list(runs.values())}, deep=True)
    merged.eval.shards = EvalShards(selection="ids", ledger=entries)
    write_eval_log(merged, str(folder / "x.eval"))


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sharded")
    merge(folder, shard_of(folder, 0, "a", "b"), shard_of(folder, 1, "c"))
    return folder


def test_real_shards_beside_their_merged_log_count_once(sharded: Path) -> None:
    logs = read_logs([sharded])
    assert [(Path(row.path).name, row.shards) for row in logs.rows] == [("x.eval", {"0": 2, "1": 1})]
    assert sorted(run.id for run in logs.rows[0].runs) == ["a", "b", "c"] and not logs.problems


def test_a_shard_that_the_ledger_does_not_list_is_named(tmp_path: Path) -> None:
    merge(tmp_path, shard_of(tmp_path, 0, "a"))
    stray = shard_of(tmp_path, 7, "a")
    logs = read_logs([tmp_path])
    assert [Path(row.path).name for row in logs.rows] == ["x.eval"]
    [(path, reason)] = logs.problems
    assert Path(path).name == Path(stray.location).name and "does not list this shard" in reason


def test_a_merged_log_of_overlapping_shards_is_refused(tmp_path: Path) -> None:
    merge(tmp_path, shard_of(tmp_path, 0, "a", "b"), shard_of(tmp_path, 1, "b"))
    logs = read_logs([tmp_path])
    assert not logs.rows
    [(path, reason)] = logs.problems
    assert Path(path).name == "x.eval" and "lists 3 runs" in reason
