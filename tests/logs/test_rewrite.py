"""A log that is rewritten a few samples at a time is the log that Inspect writes whole."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    ProvenanceData,
    edit_score,
    read_eval_log,
    recompute_metrics,
    write_eval_log,
)
from inspect_ai.scorer import ScoreEdit, match

from steelyard.logs import stored
from steelyard.logs.stored import key_of
from steelyard.logs.write import read_draft, write_draft

EDIT = ScoreEdit(
    value="C",
    explanation="seen again",
    provenance=ProvenanceData(author="me", timestamp=datetime(2026, 1, 2, tzinfo=UTC)),
)
EDITED = ("2", 1)
NOT_FROM_THE_LOG = ("uuid", "timestamp", "working_start", "location", "pending")
"""Fields of an event that are made when it is: two edits of one score differ in them."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    task = Task(
        dataset=[Sample(id=number, input=f"question {number} " + "x" * 3_000, target="A") for number in (1, 2, 10)],
        scorer=match(),
    )
    folder = str(tmp_path_factory.mktemp("original"))
    [log] = eval(task, model="steelyard/floor", log_dir=folder, display="none", epochs=2)
    assert log.status == "success"
    return Path(log.location)


@pytest.fixture(params=["eval", "json"])
def path(original: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    copy = tmp_path / f"log.{request.param}"
    write_eval_log(read_eval_log(str(original)), copy)
    return copy


def edited(sample: EvalSample, log: EvalLog) -> EvalSample:
    alone = log.model_copy(update={"samples": [sample]})
    edit_score(alone, sample.id, "match", EDIT, recompute_metrics=False, epoch=sample.epoch)
    return sample


def content(log: EvalLog) -> Any:
    """A log as data, without what no two writings share."""
    data = json.loads(log.model_dump_json(exclude={"location", "etag"}))
    for sample in data["samples"]:
        for event in sample["events"]:
            if event["event"] == "score_edit":
                for name in NOT_FROM_THE_LOG:
                    event.pop(name, None)
    return data


def texts(path: Path) -> dict[str, bytes]:
    """Each sample as it stands in the file."""
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist() if name.startswith("samples/")}
    source = stored.stored(path)
    with source.texts() as text:
        return {f"samples/{name}_epoch_{epoch}.json": text((name, epoch)) for name, epoch in sorted(source.keys())}


@pytest.mark.parametrize("batch", [1, 1 << 22])
def test_what_is_written_is_what_inspect_writes(path: Path, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "BATCH", batch)
    before, whole = texts(path), read_eval_log(str(path))
    for sample in whole.samples or []:
        if key_of(sample) == EDITED:
            edited(sample, whole)
    recompute_metrics(whole)
    own_way = path.with_name(f"whole{path.suffix}")
    write_eval_log(whole, own_way)

    draft = read_draft(path)
    for sample in draft.log.samples or []:
        assert not sample.messages and not sample.events and not sample.store  # what a log is large by
        if key_of(sample) == EDITED:
            edited(sample, draft.log)
    recompute_metrics(draft.log)
    write_draft(draft, {EDITED: lambda sample: edited(sample, draft.log)})

    assert content(read_eval_log(str(path))) == content(read_eval_log(str(own_way)))
    after = texts(path)
    member = "samples/2_epoch_1.json"
    assert after.keys() == before.keys() and after[member] != before[member]
    assert {**after, member: b""} == {**before, member: b""}
    if path.suffix == ".eval":
        assert summaries(path) == summaries(own_way)
    else:
        assert path.read_bytes().count(b"\n") == own_way.read_bytes().count(b"\n")  # laid out alike


def summaries(path: Path) -> Any:
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("summaries.json"))
