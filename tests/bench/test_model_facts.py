"""Facts of models beside their scores: shown, sortable, and the price list by which score meets cost."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steelyard.bench.analysis.front import front, ordered
from steelyard.bench.model import Board
from steelyard.bench.model_facts import read_facts, with_facts
from steelyard.bench.report.data import csv_text, json_text
from steelyard.bench.report.document import document
from steelyard.bench.report.page.figures import costs
from steelyard.bench.report.page.index import index
from steelyard.bench.report.page.subject_page import subject_page
from steelyard.errors import InputError
from steelyard.report import terminal
from steelyard.report.document import Table
from tests.bench.conftest import log_row, make_board, run_row

FACTS = """
models:
  maker/small: {maker: Beta, release: 2025-11-20, licence: MIT, size: 8, price: {input: 1, output: 2}}
  maker/large: {maker: alpha, release: 2026-03-01, size: 70.5, price: {input: 10, output: 20}}
"""


def logs(model: str, score: float, tokens: int) -> list[Any]:
    """A full run: every item used `tokens` of input, and as many of output."""
    rows = []
    for category in ("practice_exam", "architecture_design", "cdk_synth"):
        row = log_row(category, score, model=model)
        usage = {model: {"input_tokens": tokens, "output_tokens": tokens}}
        scorer = next(iter(row.runs[0].scores))
        runs = tuple(run_row(run.id, score, scorer=scorer, usage=usage) for run in row.runs)
        rows.append(type(row)(**{**{name: getattr(row, name) for name in row.__slots__}, "runs": runs}))
    return rows


def board(path: Path, text: str = FACTS, **spec: Any) -> Board:
    (path / "models.yaml").write_text(text, "utf-8")
    rows = [*logs("maker/small", 0.5, 1000), *logs("maker/large", 0.9, 1000), *logs("maker/plain", 0.4, 1000)]
    return with_facts(make_board(*rows, **spec), read_facts(path / "models.yaml"))


def test_the_cost_of_a_row_is_that_of_its_tokens_at_the_stated_price(tmp_path: Path) -> None:
    costs = {row.model: row.cost_usd for row in board(tmp_path).rows}
    # 118 items, 1,000 tokens in and out each: 0.118 million of both.
    assert costs["maker/small"] == pytest.approx(0.118 * 1 + 0.118 * 2)
    assert costs["maker/large"] == pytest.approx(0.118 * 10 + 0.118 * 20)
    assert costs["maker/plain"] is None


def test_the_front_holds_whom_nobody_beats_for_as_little(tmp_path: Path) -> None:
    dear = FACTS + "  maker/plain: {price: {input: 5, output: 5}}\n"
    rows = board(tmp_path, dear).rows
    assert front(rows) == {"maker/large": True, "maker/small": True, "maker/plain": False}


@pytest.mark.parametrize(
    ("key", "first"),
    [("cost", "maker/small"), ("maker", "maker/large"), ("release", "maker/small"), ("size", "maker/small"),
     ("price", "maker/small"), ("licence", "maker/small"), ("strict", "maker/large"), ("cdk_synth", "maker/large")],
)  # fmt: skip
def test_rows_sort_by_every_fact_and_those_without_one_come_last(tmp_path: Path, key: str, first: str) -> None:
    rows = ordered(board(tmp_path, sort=key))
    assert rows[0].model == first
    assert rows[-1].model == "maker/plain"


def test_terminal_page_json_and_csv_show_the_facts(tmp_path: Path) -> None:
    weighed = board(tmp_path, sort="cost")
    text = terminal.render(document(weighed), width=140)
    assert "2026-03-01" in text and "70.5B" in text and "front" in text
    page = index(weighed, viewer=False)
    assert '<h2 id="models">' in page and 'data-order="70.5"><bdi>70.5B' in page
    assert f'data-order="{date(2026, 3, 1).toordinal()}"><bdi>2026-03-01' in page  # a date sorts as one
    subject = subject_page(weighed.rows[0], weighed.suite)
    assert "70.5B" in subject and "cost of these runs".capitalize() in subject
    rows = {row["model"]: row for row in json.loads(json_text(weighed))["models"]}
    assert rows["maker/large"]["about"]["release"] == "2026-03-01"
    assert rows["maker/small"]["pareto"] is True
    assert "about" not in rows["maker/plain"]
    assert csv_text(weighed).splitlines()[1].split(",")[1] == "maker/small"


def test_a_board_without_facts_and_costs_has_no_such_table() -> None:
    weighed = make_board(*logs("maker/one", 0.5, 10))
    assert 'id="models"' not in index(weighed, viewer=False)


def test_an_entry_of_no_row_is_noted(tmp_path: Path) -> None:
    weighed = board(tmp_path, FACTS + "  maker/typo: {maker: X}\n")
    assert any("maker/typo" in note for note in weighed.notes)


@pytest.mark.parametrize(
    ("text", "why"),
    [("models: {}", "models"), ("models: {a: {size: -1}}", "size"), ("models: {a: {color: red}}", "color"),
     ("models: {a: {release: soon}}", "release"), ("models: {a: {price: {input: .nan, output: 1}}}", "input")],
)  # fmt: skip
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "m.yaml").write_text(text, "utf-8")
    with pytest.raises(InputError, match=why):
        read_facts(tmp_path / "m.yaml")


def test_tokens_are_unknown_where_a_category_does_not_record_them() -> None:
    [recorded, *_] = logs("maker/part", 0.5, 1000)
    silent = [log_row(category, 0.5, model="maker/part") for category in ("architecture_design", "cdk_synth")]
    [usage] = [block for block in costs(make_board(recorded, *silent)) if isinstance(block, Table)]
    assert usage.rows[0][2:4] == ("–", "–")
