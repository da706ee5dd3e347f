"""A whole run in a bucket, as a person types it; and `--no-index`, which reads every log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from steelyard import artifact
from steelyard.audit.example import suite_folder
from steelyard.cli.main import main
from steelyard.location import location
from steelyard.logs import read
from steelyard.logs.find import search
from tests.gate.promotion import World, lay_gate

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


def test_run_resume_board_items_diff_rescore_and_status_in_a_bucket(bucket: str, opened: list[str]) -> None:
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
    steelyard("bench", "compare", *MODELS, logs)  # shows answers, so it opens the logs anyway
    before = scores(board)
    steelyard("rescore", logs)
    assert search([logs]).states == written.states  # nothing was open
    steelyard("rescore", logs, "--all")
    written = search([logs])
    steelyard("bench", "board", logs, "--json", board)
    assert scores(board) == before
    commands = [("bench", "board", logs), ("bench", "board", logs, "--by", "item"), ("status", logs)]
    for command in commands:
        steelyard(*command)
        opened.clear()
        with_index = steelyard(*command).output
        assert not opened, command
        assert steelyard(*command, "--no-index").output == with_index
        assert sorted(opened) == list(written.paths), command


def test_gate_run_resume_compare_and_promote_in_a_bucket(
    bucket: str, tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_gate(tmp_path)
    logs, page, data = f"{bucket}/gate", f"{bucket}/gate.html", f"{bucket}/gate.json"
    run = ["gate", "run", "--tasks", str(tmp_path / "tasks"), "--log-dir", logs, "--seed", "1"]
    run += ["--baseline", str(tmp_path / "old"), "--candidate", str(tmp_path / "new")]
    run += ["--agent", "command", "--agent-command", f"sh '{tmp_path / 'agent'}'"]
    steelyard(*run)
    written = search([logs])
    assert len(written.paths) == 2
    steelyard(*run)
    assert search([logs]).states == written.states  # nothing was left to run

    compare = ["gate", "compare", logs]
    with_index = steelyard(*compare, "--json", data, "--html", page).output
    assert artifact.read_json(location(data))["verdict"] == "improved"
    assert "<html" in artifact.read_text(location(page))
    opened.clear()
    assert steelyard(*compare).output == with_index and not opened
    assert steelyard(*compare, "--no-index").output == with_index and sorted(opened) == list(written.paths)

    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (tmp_path / "gitconfig").write_text("[user]\n\tname = T\n\temail = t@example.com\n")
    world = World(tmp_path)
    before = world.state()
    repo = ["--repo", str(world.repo), "--path", "agent", "--candidate", str(tmp_path / "new")]
    assert "gh pr create" in steelyard("gate", "promote", f"{logs}/comparison.json", *repo).output
    assert world.state() == before and world.branches() == ["main"]


def test_audit_run_and_score_in_a_bucket(bucket: str) -> None:
    suite = suite_folder("code-review")
    logs, page, data = f"{bucket}/audit", f"{bucket}/audit.html", f"{bucket}/audit.json"
    material = ["--key", str(suite / "lockers" / "key.md"), "--document", str(suite / "lockers" / "document.md")]
    run = ["audit", "run", *material, "--agent", str(suite / "agent.md"), "--model", "steelyard/floor", "--lexical"]
    ran = steelyard(*run, "--log-dir", logs, "--json", data, "--html", page).stdout
    [log] = search([logs]).paths
    assert steelyard("audit", "score", log, "--lexical").stdout == ran
    assert artifact.read_json(location(data))["kind"] == "audit" and location(page).exists()
