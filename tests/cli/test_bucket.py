"""A whole run in a bucket, as a person types it; and `--no-index`, which reads every log."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner, Result

from steelyard import artifact
from steelyard.cli.main import main
from steelyard.location import location
from steelyard.logs import read
from steelyard.logs.find import search

MODELS = ("steelyard/floor", "steelyard/ceiling")


def steelyard(*words: str) -> Result:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return done


def scores(board: str) -> dict[str, Any]:
    return {row["model"]: row["items"] for row in artifact.read_json(location(board))["models"]}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The logs that were opened for their rows."""
    paths: list[str] = []
    original = read.open_log

    def counted(path: Any, *rest: Any) -> Any:
        paths.append(str(path))
        return original(path, *rest)

    monkeypatch.setattr(read, "open_log", counted)
    return paths


def test_run_resume_board_items_diff_and_status_in_a_bucket(bucket: str, opened: list[str]) -> None:
    logs, board = f"{bucket}/run", f"{bucket}/board.json"
    run = ["bench", "run", "--category", "practice_exam", "--limit", "2", "--log-dir", logs]
    run += [word for model in MODELS for word in ("--model", model)]
    steelyard(*run)
    written = search([logs])
    assert len(written.paths) == 2
    steelyard(*run)
    assert search([logs]).states == written.states  # nothing was left to run

    steelyard("bench", "board", logs, "--json", board, "--html", f"{bucket}/site")
    assert scores(board).keys() == set(MODELS) and location(f"{bucket}/site/index.html").exists()
    steelyard("bench", "diff", *MODELS, logs)  # shows answers, so it opens the logs anyway
    commands = [("bench", "board", logs), ("bench", "items", logs), ("status", logs)]
    for command in commands:
        steelyard(*command)
        opened.clear()
        with_index = steelyard(*command).output
        assert not opened, command
        assert steelyard(*command, "--no-index").output == with_index
        assert sorted(opened) == list(written.paths), command
