"""Suites: one board each, never mixed (docs/scoring.md §1.8)."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.bench import suite as suites
from steelyard.bench.model import CATEGORIES, Spec
from steelyard.bench.read.selection import select
from steelyard.bench.report import FORMATS
from steelyard.bench.report.published import published_rows
from steelyard.bench.run.plan import RunSpec
from steelyard.bench.suite import HARD, OFFICIAL, SUITES, Suite, find_suite, require_categories
from steelyard.errors import IncomparableError, InputError
from steelyard.rows import Logs
from steelyard.stamp import Fingerprint, Stamp


def test_the_weights_of_every_suite_sum_to_one() -> None:
    assert {suite.name: suite.weight_sum for suite in SUITES.values()} == {"official": 1, "hard": 1}


def test_a_key_belongs_to_one_suite() -> None:
    keys = [category.key for category in suites.shipped()]
    assert len(keys) == len(set(keys))
    assert (OFFICIAL.official, HARD.official) == (True, False)
    assert tuple(OFFICIAL.categories) == ("practice_exam", "architecture_design", "cdk_synth")
    assert OFFICIAL.sample_count == 118


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A second shipped suite with one small category."""
    tough = replace(CATEGORIES["practice_exam"], key="tough", name="Tough", short="Tough", sample_count=2, weight=1.0)
    suite = Suite("other", "Other Bench", {"tough": tough}, option="--suite other")
    monkeypatch.setattr(suites, "SUITES", {"official": OFFICIAL, "other": suite})
    return suite


def tough_log(log_row: Any, model: str, values: dict[str, float]) -> Any:
    stamp = Stamp("bench", "tough", Fingerprint("d2", "s2", "choice@1"))
    return log_row("practice_exam", values, model=model, stamp=stamp, stamped=False, task="steelyard/tough")


def test_a_board_never_mixes_suites(log_row: Any, make_board: Any, other: Suite) -> None:
    exam = log_row("practice_exam", 1.0, model="maker/one")
    tough = tough_log(log_row, "maker/one", {"a": 1.0, "b": 0.0})
    board = make_board(exam, tough)
    [row] = board.rows
    assert list(row.results) == ["practice_exam"] and row.results["practice_exam"].score == 1.0
    assert board.notes == ("1 log of Other Bench, which has a board of its own: add --suite other",)
    [ignored] = board.ignored
    assert (ignored.kind, "--suite other" in ignored.reason) == ("other suite", True)

    [row] = make_board(exam, tough, suite=other).rows
    assert (row.overall, row.complete, row.missing, row.rank) == (0.5, True, (), 1)


def test_every_format_is_of_the_suite(log_row: Any, make_board: Any, other: Suite) -> None:
    logs = [tough_log(log_row, f"maker/{name}", {"a": 1.0, "b": value}) for name, value in (("x", 1.0), ("y", 0.0))]
    board = make_board(*logs, suite=other)
    data = json.loads(FORMATS["json"](board))
    assert (data["_metadata"]["suite"], list(data["_metadata"]["categories"])) == ("other", ["tough"])
    assert [pair.category for pair in board.pairs] == ["tough", "overall"]
    heads = FORMATS["csv"](board).splitlines()[0].split(",")
    assert heads[:6] == ["rank", "model", "overall", "overall_low", "overall_high", "tough"]
    assert FORMATS["markdown"](board).startswith("# Other Bench: 2 subjects")
    assert "Practice Exam" not in FORMATS["markdown"](board)
    assert published_rows(data, "x", other)["maker/y"].overall == 0.5
    with pytest.raises(IncomparableError, match="--suite other"):
        published_rows(data, "x")


def test_an_official_board_says_so(log_row: Any, make_board: Any) -> None:
    data = json.loads(FORMATS["json"](make_board(log_row("practice_exam", 1.0))))
    assert data["_metadata"]["suite"] == "official"
    del data["_metadata"]["suite"]  # as published before suites existed
    assert "maker/one" in published_rows(data, "x")


def test_a_category_of_another_suite_names_the_way(other: Suite) -> None:
    with pytest.raises(InputError, match=r"tough is not a category.*--suite other"):
        require_categories(OFFICIAL, ["tough"])
    with pytest.raises(InputError, match=r"no category poetry.*tough"):
        require_categories(other, ["poetry"])
    with pytest.raises(InputError, match="there is no suite 'none'"):
        find_suite("none")


def test_an_empty_selection_has_no_note() -> None:
    assert select(Logs((), ()), Spec()).notes == ()


def test_a_suite_survives_the_way_into_another_process() -> None:
    copy = pickle.loads(pickle.dumps(RunSpec(models=("a",), categories=("cdk_synth",), log_dir=Path("logs"))))
    assert copy.suite is OFFICIAL
    own = Suite("own", "Own", OFFICIAL.categories)
    assert pickle.loads(pickle.dumps(own)) == own
