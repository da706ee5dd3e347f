"""Logs into rows, on real logs: the fast way equals the public way, and a broken log never stops the others."""

from __future__ import annotations

import json
import os
import re
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import inspect_ai.log
import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import (
    EvalLog,
    convert_eval_logs,
    read_eval_log,
    read_eval_log_samples,
    resolve_sample_attachments,
    write_eval_log,
)
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, match, mean, scorer
from inspect_ai.solver import TaskState

from steelyard.errors import LogError
from steelyard.logs import archive, json_log, read
from steelyard.logs.row import log_row, run_row
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored
from steelyard.stamp import Fingerprint, Stamp


@scorer(metrics=[mean()])
def graded() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        if state.sample_id == "broken":
            return to_score(Unscored("judge", "no verdict after two tries"), metadata={"calls": 2})
        return to_score(Scored(0.25), explanation="quarter")

    return score


def run(folder: Path) -> EvalLog:
    output = ModelOutput.from_content("mockllm/model", "yes")
    output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
    stamp = Stamp("bench", "practice_exam", Fingerprint("d", "s", "graded@1"), "subject")
    task = Task(
        name="tiny",
        dataset=[Sample(id="good", input="q", target="yes"), Sample(id="broken", input="q", target="no")],
        scorer=[match(), graded()],
        metadata=stamp.as_metadata(),
        config=GenerateConfig(temperature=0.0),
    )
    model = get_model("mockllm/model", custom_outputs=lambda *_: output)
    return eval(task, model=model, epochs=2, log_dir=str(folder), display="none")[0]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    run(folder)
    return next(folder.glob("*.eval"))


def test_rows_carry_what_the_log_holds(log: Path) -> None:
    row = read.read_log(log)
    assert (row.status, row.task, row.epochs, row.limited) == ("success", "tiny", 2, False)
    assert row.sample_ids == ("good", "broken")
    assert row.generate_config == {"temperature": 0.0}  # asked for by the task, not on the command line
    assert row.stamp is not None and row.stamp.label == "subject"
    assert {(one.id, one.epoch) for one in row.runs} == {("good", 1), ("good", 2), ("broken", 1), ("broken", 2)}
    good = next(one for one in row.runs if one.id == "good")
    assert good.scores["match"].outcome == Scored(1.0)  # Inspect's letter C
    assert good.scores["graded"].outcome == Scored(0.25)
    assert good.usage["mockllm/model"]["total_tokens"] == 4


def test_an_unscored_run_keeps_its_fault_and_reason(log: Path) -> None:
    broken = next(one for one in read.read_log(log).runs if one.id == "broken")
    assert broken.scores["graded"].outcome == Unscored("judge", "no verdict after two tries")
    assert broken.scores["graded"].metadata["calls"] == 2


def test_the_fast_way_equals_the_public_way(log: Path) -> None:
    fast = read.read_log(log)
    header = read_eval_log(str(log), header_only=True).model_dump(mode="json", exclude_none=True)
    summaries = inspect_ai.log.read_eval_log_sample_summaries(str(log))
    slow = log_row(str(log), header, [run_row(summary.model_dump(mode="json")) for summary in summaries])
    assert fast.runs[0].scores.keys() == slow.runs[0].scores.keys()
    for one, other in zip(fast.runs, slow.runs, strict=True):
        assert (one.id, one.epoch, one.error, one.limit, one.metadata) == (
            other.id,
            other.epoch,
            other.error,
            other.limit,
            other.metadata,
        )
        for name, score in one.scores.items():
            assert score.outcome == other.scores[name].outcome
            assert (score.answer, score.explanation) == (other.scores[name].answer, other.scores[name].explanation)
    for name in ("status", "task", "task_id", "run_id", "created", "model", "epochs", "sample_ids", "stamp"):
        assert getattr(fast, name) == getattr(slow, name), name


def test_json_logs_read_the_same(log: Path, tmp_path: Path) -> None:
    convert_eval_logs(str(log), to="json", output_dir=str(tmp_path))
    row = read.read_logs([tmp_path]).rows[0]
    assert _outcomes(row) == _outcomes(read.read_log(log))
    assert [(sample.id, sample.epoch) for sample in read.read_samples(row.path)] == [
        (sample.id, sample.epoch) for sample in read.read_samples(log)
    ]


def test_a_json_log_is_read_sample_by_sample(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    convert_eval_logs(str(log), to="json", output_dir=str(tmp_path))
    [path] = tmp_path.glob("*.json")
    public = read_eval_log(str(path)).samples or []
    for name in ("read_eval_log", "read_eval_log_sample", "read_eval_log_sample_summaries"):
        monkeypatch.delattr(inspect_ai.log, name)
    monkeypatch.setattr(json_log, "PIECE", 7)  # every value is longer than what is read at a time
    with read.open_log(path) as one:
        samples = list(one.samples())
        assert _outcomes(one.row) == _outcomes(read.read_log(log)) and one.row.stamp == read.read_log(log).stamp
    assert not any(sample.events for sample in samples)
    heavy = set(read.HEAVY_FIELDS)
    expected = [resolve_sample_attachments(sample, "full").model_dump_json(exclude=heavy) for sample in public]
    assert sorted(sample.model_dump_json(exclude=heavy) for sample in samples) == sorted(expected)


def test_a_json_log_takes_little_more_memory_than_one_of_its_samples(log: Path, tmp_path: Path) -> None:
    whole = json.loads(read_eval_log(str(log)).model_dump_json(exclude_none=True))
    whole["samples"][0]["messages"] *= 40
    sample = json.dumps(whole["samples"][0])
    ids = whole["eval"]["dataset"]["sample_ids"] = [f"item {number}" for number in range(200)]
    whole["eval"]["config"]["epochs"] = 1
    whole["samples"] = [{**json.loads(sample), "id": item, "epoch": 1} for item in ids]
    path = tmp_path / "large.json"
    path.write_text(json.dumps(whole))
    del whole
    tracemalloc.start()
    try:
        runs, count = read.read_log(path).runs, sum(1 for _ in read.read_samples(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Parsed as a whole, the samples alone take more than the file; one at a time, they leave only their rows.
    assert len(runs) == count == 200 and peak < 5 * json_log.PIECE + 200 * 8_000 < path.stat().st_size


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_json_log_that_is_cut_off_is_a_problem(log: Path, tmp_path: Path, kept: float) -> None:
    convert_eval_logs(str(log), to="json", output_dir=str(tmp_path))
    [path] = tmp_path.glob("*.json")
    text = path.read_text("utf-8").rstrip()
    path.write_text(text[: int(len(text) * kept)], "utf-8")
    with pytest.raises(LogError, match=f"cannot read {re.escape(str(path))}: "):
        read.read_log(path)


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"eval" 1}', "{1: 2}", '{"eval": {}, "samples": [3]}', '{"a": 1} x', "\x00", '{"samples": [}']
)
def test_json_that_is_no_log_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "2026-01-01T00-00-00_a_b.json"
    path.write_text(text, "utf-8")
    with pytest.raises(LogError, match=re.escape(str(path))):
        read.read_log(path)


@pytest.mark.parametrize(
    "text",
    [
        '{"version": ' + "1" * 6_000 + ', "eval": {}}',  # ended the process
        '{"version": 1e99999999999999999999, "eval": {}}',
        '{"version": ' + "[" * 20_000,  # took memory by the square of its depth
        '{"plan": {"eval": {}}, "other": 1}',
        '[{"eval": {}}]',
    ],
)
def test_hostile_json_beside_logs_is_passed_over(log: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    begun = time.process_time()
    assert read.find_logs([tmp_path, log]) == [str(log)]
    assert time.process_time() - begun < 1
    path.write_text('{"version": 2, "tags": [{"eval": 1}], "eval": {}}')
    assert read.find_logs([path.parent]) == [str(path)]


def test_an_old_log_names_its_scorer_in_the_header(log: Path, tmp_path: Path) -> None:
    whole = json.loads(read_eval_log(str(log)).model_dump_json(exclude_none=True))
    for sample in whole["samples"]:
        sample["score"] = sample.pop("scores")["match"]
    whole["results"]["scores"] = whole["results"]["scores"][:1]
    path = tmp_path / "old.json"
    path.write_text(json.dumps(whole))
    assert {name for run in read.read_log(path).runs for name in run.scores} == {whole["results"]["scores"][0]["name"]}


def test_full_samples_are_there_on_demand(log: Path) -> None:
    assert {sample.output.completion for sample in read.read_samples(log)} == {"yes"}


def test_samples_are_those_of_the_public_way_without_the_heavy_fields(log: Path) -> None:
    public = read_eval_log_samples(str(log), resolve_attachments=True, exclude_fields=set(read.HEAVY_FIELDS))
    assert [sample.model_dump() for sample in read.read_samples(log)] == [sample.model_dump() for sample in public]


def test_row_and_samples_come_from_one_opening(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    original = zipfile.ZipFile

    def counting(file: BinaryIO) -> zipfile.ZipFile:
        opened.append(file)
        return original(file)

    monkeypatch.setattr(archive.zipfile, "ZipFile", counting)
    with read.open_log(log) as one:
        assert len(list(one.samples())) == len(one.row.runs) == 4
        assert [(sample.id, sample.epoch) for sample in one.samples([("broken", 2), ("nobody", 1)])] == [("broken", 2)]
    assert len(opened) == 1


def test_a_sample_too_large_to_be_an_answer_is_refused_before_it_is_unpacked(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "SAMPLE_LIMIT", 100)
    with pytest.raises(LogError, match=r"samples/good_epoch_1\.json would unpack to"):
        list(read.read_samples(log))


def _outcomes(row: read.LogRow) -> dict[tuple[str, int], object]:
    return {(one.id, one.epoch): one.scores["match"].outcome for one in row.runs}


def damaged(log: Path, folder: Path, how: str) -> Path:
    path = folder / f"{how}.eval"
    data = log.read_bytes()
    if how == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "not-a-zip":
        path.write_bytes(b"hello")
    else:
        with zipfile.ZipFile(path, "w") as archive:
            content = {"no-header": "{}", "wrong-shape": '{"eval": []}', "not-json": "{"}[how]
            archive.writestr("header.json" if how != "no-header" else "other.json", content)
    return path


@pytest.mark.parametrize("how", ["truncated", "empty", "not-a-zip", "no-header", "wrong-shape", "not-json"])
def test_a_broken_log_is_reported_by_name_and_stops_nobody(log: Path, tmp_path: Path, how: str) -> None:
    broken = damaged(log, tmp_path, how)
    found = read.read_logs([log, tmp_path])
    assert [row.path for row in found.rows] == [str(log)]
    assert [problem.path for problem in found.problems] == [str(broken)]
    assert broken.name in found.problems[0].reason


@pytest.mark.parametrize("header", ["[]", "{}", '{"eval": NaN}', '{"eval": {"task": "t"}}'])
def test_a_foreign_header_is_called_what_it_is(tmp_path: Path, header: str) -> None:
    with zipfile.ZipFile(tmp_path / "foreign.eval", "w") as archive:
        archive.writestr("header.json", header)
    with pytest.raises(LogError, match=r"foreign\.eval is not .*: its header"):
        read.read_log(tmp_path / "foreign.eval")


def test_a_link_to_a_log_that_is_gone_is_reported(tmp_path: Path) -> None:
    (tmp_path / "gone.eval").symlink_to(tmp_path / "nowhere.eval")
    assert [Path(problem.path).name for problem in read.read_logs([tmp_path]).problems] == ["gone.eval"]


def test_an_empty_name_is_not_the_current_folder() -> None:
    with pytest.raises(LogError, match="path to the logs is empty"):
        read.find_logs([""])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[" + b" " * 18_000_000 + b"]", "would unpack to 18 MB from"),
        (b"[" + b",".join(b"%d" % n for n in range(300_000)) + b"]", "more values than any log needs"),
    ],
    ids=["ratio", "values"],
)
def test_a_small_zip_with_large_summaries_is_refused(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, reason: str
) -> None:
    monkeypatch.setattr(archive, "VALUES_LIMIT", 200_000)
    path = rewritten(log, tmp_path / "bomb.eval", {"summaries.json": content})
    with pytest.raises(LogError, match=reason):
        read.read_log(path)


def test_the_parts_of_a_journal_share_one_allowance(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part fits, all together do not."""
    part = b'[{"note": "' + bytes(range(35, 90)) * 2_000 + b'"}]'
    parts = {f"_journal/summaries/{number}.json": part for number in range(1, 6)}
    path = rewritten(log, tmp_path / "parts.eval", {"summaries.json": None, **parts})
    monkeypatch.setattr(archive, "UNPACKED_LIMIT", 3 * len(part))
    with pytest.raises(LogError, match=r"summaries/3\.json would unpack"):
        read.read_log(path)


def test_a_member_that_lies_about_its_size_is_cut_off(log: Path, tmp_path: Path) -> None:
    path = rewritten(log, tmp_path / "liar.eval", {"summaries.json": b"[" + b" " * 3_000_000 + b"]"})
    data, told = path.read_bytes(), (3_000_002).to_bytes(4, "little")
    path.write_bytes(data.replace(told, (1_000).to_bytes(4, "little")))
    with pytest.raises(LogError, match=r"liar\.eval"):
        read.read_log(path)


def rewritten(log: Path, path: Path, members: Mapping[str, bytes | None]) -> Path:
    """A copy of a log in which some members are others; None leaves one out."""
    with zipfile.ZipFile(log) as whole, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as copy:
        content = {name: whole.read(name) for name in whole.namelist()}
        for name, data in {**content, **members}.items():
            if data is not None:
                copy.writestr(name, data)
    return path


def odd(log: Path, path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A copy of a log whose header somebody changed."""
    with zipfile.ZipFile(log) as whole:
        header = json.loads(whole.read("header.json"))
    change(header)
    return rewritten(log, path, {"header.json": json.dumps(header).encode()})


def test_a_log_of_format_3_is_read_as_inspect_reads_it(log: Path, tmp_path: Path) -> None:
    newer = odd(log, tmp_path / "newer.eval", lambda header: header.update(version=3))
    assert read_eval_log(str(newer), header_only=True).version == 3
    assert [run.id for run in read.read_log(newer).runs] == [run.id for run in read.read_log(log).runs]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda header: header.update(version=99), "version 99"),
        (lambda header: header.update(version="2"), "version '2'"),
        (lambda header: header.update(status={"x": 1}), "status"),
        (lambda header: header["eval"].update(created={"x": 1}), "created"),
        (lambda header: header["eval"].update(created="yesterday"), "created"),
        (lambda header: header["eval"].update(model=["a"]), "model"),
        (lambda header: header["eval"].update(model_args=[1]), "model_args"),
        (lambda header: header["eval"].update(task_args="x"), "task_args"),
        (lambda header: header["eval"].update(model_generate_config=[1]), "model_generate_config"),
        (lambda header: header["eval"].update(packages=[1]), "packages"),
        (lambda header: header["eval"].update(metadata=[1]), "metadata"),
        (lambda header: header["eval"]["metadata"]["steelyard"].update(label=7), "stamp.label"),
        (lambda header: header["eval"]["config"].update(epochs=-1), "epochs"),
        (lambda header: header["eval"]["dataset"].update(sample_ids="abc"), "sample_ids"),
        (lambda header: header["stats"].update(model_usage={"m": {"input_tokens": "many"}}), "input_tokens"),
    ],
)
def test_an_odd_header_is_named_and_stops_nobody(
    log: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], reason: str
) -> None:
    odd(log, tmp_path / "odd.eval", change)
    found = read.read_logs([log, tmp_path])
    assert [row.path for row in found.rows] == [str(log)]
    assert "odd.eval" in found.problems[0].reason and reason in found.problems[0].reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"working_time": "long"}, "working_time"),
        ({"total_time": float("nan")}, "total_time"),
        ({"total_time": 10**400}, "total_time"),
        ({"working_time": float("inf")}, "working_time"),
        ({"model_usage": {"m": {"total_cost": "free"}}}, "total_cost"),
        ({"metadata": [1]}, "metadata"),
        ({"limit": 7}, "limit"),
        ({"epoch": 0}, "epoch"),
        ({"scores": {"match": {"value": 1, "metadata": 3}}}, "score metadata"),
        ({"scores": {"match": {"value": 1, "answer": 3}}}, "answer"),
    ],
)
def test_an_odd_summary_is_named(log: Path, tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    with zipfile.ZipFile(log) as whole:
        rows = json.loads(whole.read("summaries.json"))
    rows[1].update(change)
    path = rewritten(log, tmp_path / "odd.eval", {"summaries.json": json.dumps(rows).encode()})
    with pytest.raises(LogError, match=reason):
        read.read_log(path)


def test_a_folder_that_cannot_be_opened_is_a_problem_with_a_name(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    listing = os.scandir

    def refuse(path: str) -> Any:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return listing(path)

    monkeypatch.setattr(os, "scandir", refuse)  # root, who runs tests too, can open everything
    found = read.read_logs([log, tmp_path])
    assert [row.path for row in found.rows] == [str(log)]
    assert found.problems == ((str(closed), "cannot open this folder: Permission denied"),)
    assert read.read_logs([closed]).problems == found.problems  # not "no eval logs"
    with pytest.raises(LogError, match=r"closed: cannot open this folder"):
        read.find_logs([tmp_path])


def test_a_log_being_written_reads_as_started(log: Path, tmp_path: Path) -> None:
    """What a killed run leaves behind: a journal, no header, no summaries."""
    row = read.read_log(log)
    path = tmp_path / "started.eval"
    with zipfile.ZipFile(log) as whole, zipfile.ZipFile(path, "w") as part:
        part.writestr("_journal/start.json", whole.read("_journal/start.json"))
        part.writestr("_journal/summaries/1.json", whole.read("summaries.json"))
    started = read.read_log(path)
    assert (started.status, started.task_id, len(started.runs)) == ("started", row.task_id, 4)


def test_folders_globs_and_files_are_each_found_once(log: Path) -> None:
    assert read.find_logs([log, log.parent, str(log.parent / "*.eval")]) == [str(log)]


def test_nothing_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="no eval logs"):
        read.read_logs([tmp_path])
    with pytest.raises(LogError, match="does not exist"):
        read.read_logs([tmp_path / "nowhere"])


def test_other_json_files_in_a_folder_are_ignored(log: Path, tmp_path: Path) -> None:
    (tmp_path / "board.json").write_text("{}")
    write_eval_log(EvalLog.model_validate(_header(log)), str(tmp_path / "2026-01-01T00-00-00_tiny_x.eval"))
    assert len(read.read_logs([tmp_path]).rows) == 1


def test_json_logs_are_found_by_content_whatever_their_name(log: Path, tmp_path: Path) -> None:
    convert_eval_logs(str(log), to="json", output_dir=str(tmp_path / "in"))
    [converted] = (tmp_path / "in").iterdir()
    folder = tmp_path / "out"
    folder.mkdir()
    converted.rename(folder / "claude run.json")
    (folder / "logs.json").write_text(json.dumps({"a.eval": {"version": 2, "eval": {}}}))
    (folder / "results.json").write_text('{"status": "fine", "eval": "no log"}')
    (folder / "broken.json").write_text('{"version": 2, "status"')
    (folder / "list.json").write_text("[1, 2]")
    logs = read.read_logs([folder])
    assert [Path(row.path).name for row in logs.rows] == ["claude run.json"] and not logs.problems


def _header(log: Path) -> dict[str, object]:
    from inspect_ai.log import read_eval_log

    return read_eval_log(str(log), header_only=True).model_dump()


def test_many_runs_that_are_all_alike_are_no_bomb(log: Path, tmp_path: Path) -> None:
    """They pack a hundred times smaller and more."""
    row = json.loads(zipfile.ZipFile(log).read("summaries.json"))[0]
    rows = [{**row, "id": number, "uuid": None} for number in range(8_000)]
    path = rewritten(log, tmp_path / "alike.eval", {"summaries.json": json.dumps(rows).encode()})
    assert len(read.read_log(path).runs) == 8_000


def test_an_explanation_of_spaces_explains_nothing() -> None:
    score = {"value": float("nan"), "explanation": " \n"}
    outcome = run_row({"id": 1, "epoch": 1, "scores": {"match": score}}).scores["match"].outcome
    assert outcome == Unscored("harness", "the score nan is not a number")
