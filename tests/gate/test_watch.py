"""`gate watch`: a baseline that moved is told apart from chance, once, and those who rely on it hear of it (§3.5)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.ledger.book import open_book
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.watch.movement import movement
from steelyard.gate.watch.night import Movement, Watched, watch
from tests.gate.simulated import Suite, simulated
from tests.github import HOST, REPO, GitHub, installed


def test_the_test_is_the_ratio_of_two_mixtures() -> None:
    # One task, 1 of 2 on record: q = 1.5/3, v = .25. One night with 1: d = .5, C = .25 + .125, I = 8/3, S = 4/3.
    # e = exp(.01·1.777778/(2·1.026667)) / √1.026667 = 1.008696/1.013246 = .995509
    found = movement({"a": [1.0, 0.0]}, [{"a": 1.0, "unknown": 0.0}])
    assert found is not None and (round(found.shift, 9), found.nights, found.runs) == (0.5, 1, 1)
    assert round(found.e_value, 5) == 0.99551
    assert movement({"a": [1.0]}, [{"b": 1.0}]) is None


@pytest.mark.parametrize(("drop", "least", "most"), [(0.0, 0.0, 0.05), (0.2, 0.8, 1.0)])
def test_a_baseline_that_holds_is_rarely_called_moved_and_one_that_fell_is_found(
    drop: float, least: float, most: float
) -> None:
    rng = Random(7)
    found = 0
    for _ in range(100):
        rates = {f"t{number}": rng.uniform(0.2, 0.95) for number in range(20)}
        record = {task: [float(rng.random() < rate) for _ in range(30)] for task, rate in rates.items()}
        nights: list[dict[str, float]] = []
        for _ in range(30):
            nights.append({task: float(rng.random() < rates[task] - drop) for task in rng.sample(sorted(rates), 5)})
            seen = movement(record, nights)
            if seen is not None and seen.e_value >= 20:
                found += 1
                break
    assert least <= found / 100 <= most


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate_spec: Callable[..., RunSpec]) -> Callable[..., Any]:
    def make(rate: Any, **options: Any) -> tuple[RunSpec, Suite]:
        fields = {"tasks": 6, "epochs": 3, "policy": Policy("contract"), "store": str(tmp_path / "store"), **options}
        return simulated(tmp_path, monkeypatch, gate_spec, rate, **fields)

    return make


def test_a_night_is_kept_in_the_store_and_a_move_marks_what_is_open(start: Any, tmp_path: Path) -> None:
    spec, suite = start(lambda arm, check: 0.95)
    watching = dataclasses.replace(spec, log_dir=tmp_path / "watch")
    with pytest.raises(InputError, match="has no runs of"):
        watch(watching, 5, 0.05)
    # A comparison that is stopped in its second round stays open.
    with pytest.raises(RuntimeError):
        gate_run(dataclasses.replace(spec, policy=Policy("adaptive"), log_dir=tmp_path / "open"), execute=_stopped)
    gate_run(spec)
    suite.started.clear()
    # It is the record that is watched, whether `stored:` stands before its name or not.
    held = watch(dataclasses.replace(watching, baseline=f"stored:{watching.baseline}"), 4, 0.05)
    assert not held.moved and held.line.startswith("the baseline holds: ") and len(suite.started) == 4
    assert {arm for arm, *_ in suite.started} == {"baseline"}
    suite.rate = lambda arm, check: 0.0
    moved = watch(watching, 6, 0.05)
    for _ in range(6):
        if moved.moved:
            break
        moved = watch(watching, 6, 0.05)
    assert moved.moved and "the baseline moved by -0." in moved.line and "your change is not the cause" in moved.line
    assert moved.open == (str(tmp_path / "open"),)
    entries = [json.loads(path.read_text()) for path in (tmp_path / "gate-ledger").glob("*-moved-*")]
    book = open_book(None, tmp_path / "open", entries[0]["comparison"])
    assert book.moves(entries[0]["attempt"]) == (moved.line,)
    # What was recorded before is no record any more: the next comparison says so and takes what came after.
    (tmp_path / "new" / "RULES").write_text("newer\n")
    again = dataclasses.replace(spec, baseline=f"stored:{tmp_path / 'old'}", log_dir=tmp_path / "later")
    weighed = gate_run(again)
    assert any(line == moved.line for line in weighed.warnings)


def _stopped(units: Any, evaluate: Any) -> Any:
    if units[0].round.number == 2:
        raise RuntimeError("stopped")
    return evaluate(units)


@pytest.fixture
def github(
    tmp_path: Path, record_property: Callable[[str, object], None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[GitHub]:
    record_property("client", ("gh", installed()))
    server = GitHub(tmp_path)
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "GH_REPO", "GH_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    yield server
    server.close()
    assert server.unknown == []


def test_one_issue_is_opened_and_brought_up_to_date(github: GitHub) -> None:
    night = Watched("git:main", Movement(-0.04, 0.01, 33.0, 6, 30), 0.05, "2026-03-03", ("logs/pr-12",))
    github.issues.append({"number": 1, "body": "<!-- steelyard gate watch -->", "user": {"login": "somebody else"}})
    assert api.gate_watch_issue(night, REPO) == f"https://{HOST}/{REPO}/issues/2"
    later = dataclasses.replace(night, movement=night.movement._replace(shift=-0.05))
    assert api.gate_watch_issue(later, REPO) == f"https://{HOST}/{REPO}/issues/2"
    assert (
        len(github.issues) == 2
        and github.issues[1]["title"] == "The baseline git:main moved by -0.050 since 2026-03-03"
    )
    assert "- logs/pr-12" in github.issues[1]["body"]


def test_the_command_needs_a_store(tmp_path: Path) -> None:
    words = ["gate", "watch", "--tasks", "t", "--baseline", "b", "--agent", "command", "--agent-command", "true"]
    result = CliRunner().invoke(main, [*words, "--judge", "none"])
    assert result.exit_code == 2 and "needs a baseline and a store" in result.output
