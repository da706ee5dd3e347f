"""The public functions behind `steelyard judge`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard import api
from steelyard.bench.architecture_design.labels import shipped_labels
from steelyard.errors import InputError, JudgeError

from .test_calibrate import fair, rows

Make = Callable[[Any], str]


def test_calibrate_measures_and_stores(tmp_path: Path, judge_named: Make) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text("".join(f"{row.model_dump_json()}\n" for row in rows()))
    seen: list[tuple[int, int]] = []
    calibrated = api.calibrate(
        [judge_named(fair())],
        labels,
        record=tmp_path / "record.json",
        judge_repeats=2,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert calibrated.calibration.passed
    assert calibrated.record["repeats"] == 2
    assert calibrated.path == tmp_path / "record.json"
    assert calibrated.path.exists()
    assert seen[-1] == (207, 207)  # 100 labelled responses in one call and by quotes, and 7 control answers


def test_a_judge_without_a_verdict_leaves_no_record(tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(f"{rows()[0].model_dump_json()}\n")
    calibrated = api.calibrate(["scripted/silent"], labels, record=tmp_path / "record.json")
    assert (calibrated.path, calibrated.calibration.scored) == (None, 0)
    assert not (tmp_path / "record.json").exists()


def test_attack_counts_what_got_through() -> None:
    result = api.attack(["scripted/copier"], kinds=["verdict object"])
    assert result.count("got through") == 0
    assert {outcome.family for outcome in result.outcomes} >= {"verdict object"}
    with pytest.raises(InputError, match="no attack of the kind charm"):
        api.attack(["scripted/copier"], kinds=["charm"])


def test_a_judge_must_be_named() -> None:
    with pytest.raises(JudgeError, match="a judge is required"):
        api.attack(["none"])


def test_labels_are_the_shipped_set() -> None:
    assert api.labels() == shipped_labels().read_text("utf-8")
