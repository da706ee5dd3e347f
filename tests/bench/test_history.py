"""`bench history`: models over published boards, and what moved between them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.bench.report.data import json_text
from steelyard.cli.main import main
from steelyard.errors import InputError
from tests.bench.conftest import log_row, make_board


def publish(folder: Path, day: str, scores: dict[str, int], **changes: Any) -> Path:
    """A board of that day on which each model has so many of the fifty questions right."""
    rows = [
        log_row("practice_exam", [1.0] * right + [0.0] * (50 - right), model=model, **changes)
        for model, right in scores.items()
    ]
    data = json.loads(json_text(make_board(*rows)))
    data["_metadata"]["generated_at"] = f"{day}T00:00:00Z"
    path = folder / f"{day}.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


def test_each_model_has_its_boards_in_the_order_of_time_with_what_moved(tmp_path: Path) -> None:
    publish(tmp_path, "2026-02-01", {"maker/a": 40, "maker/b": 30})
    publish(tmp_path, "2026-01-01", {"maker/a": 40})
    publish(tmp_path, "2026-03-01", {"maker/a": 20, "maker/b": 30})
    points = api.bench_history([tmp_path])
    assert [(point.model, point.generated_at[:10], point.since) for point in points] == [
        ("maker/b", "2026-02-01", "first"),
        ("maker/b", "2026-03-01", "steady"),
        ("maker/a", "2026-01-01", "first"),
        ("maker/a", "2026-02-01", "steady"),
        ("maker/a", "2026-03-01", "moved"),
    ]
    by_day = {(point.model, point.generated_at[:10]): point for point in points}
    # 20 questions of 50 less, of a category that weighs 0.34; the other two were not run.
    assert by_day["maker/a", "2026-03-01"].delta == pytest.approx(-0.34 * 20 / 50)


def test_boards_over_other_items_are_not_compared(tmp_path: Path) -> None:
    publish(tmp_path, "2026-01-01", {"maker/a": 40})
    publish(tmp_path, "2026-02-01", {"maker/a": 20}, fingerprint={"dataset": "d2"})
    assert [point.since for point in api.bench_history([tmp_path])] == ["first", "not comparable"]


def test_the_command_writes_every_format(tmp_path: Path) -> None:
    paths = [publish(tmp_path, day, {"maker/a": 40}) for day in ("2026-01-01", "2026-02-01")]
    done = CliRunner().invoke(main, ["bench", "history", *map(str, paths), "--csv", str(tmp_path / "h.csv")])
    assert done.exit_code == 0
    assert "1 model on 2 boards" in done.stdout
    assert len((tmp_path / "h.csv").read_text("utf-8").splitlines()) == 3


def test_one_board_or_an_unknown_model_is_no_history(tmp_path: Path) -> None:
    path = publish(tmp_path, "2026-01-01", {"maker/a": 40})
    with pytest.raises(InputError, match="at least two"):
        api.bench_history([path])
    publish(tmp_path, "2026-02-01", {"maker/a": 40})
    with pytest.raises(InputError, match="no board has the model"):
        api.bench_history([tmp_path], model="maker/z")
