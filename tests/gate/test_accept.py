"""`gate accept`: a loop of proposals has one error budget, and tasks it never sees have the last word (§3.5)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.accept.proposal import Loop, accept
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.run.plan import RunSpec
from steelyard.stats.wealth import level
from tests.gate.simulated import Rate, Suite, simulated


def better(arm: str, check: str) -> float:
    return 0.99 if arm == "candidate" else 0.2


def same(arm: str, check: str) -> float:
    return 0.9


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate_spec: Callable[..., RunSpec]) -> Callable[..., Any]:
    def make(rate: Rate) -> tuple[RunSpec, Suite, Loop]:
        fields = {"tasks": 10, "policy": Policy("adaptive", max_rounds=9), "ledger": str(tmp_path / "ledger")}
        spec, suite = simulated(tmp_path, monkeypatch, gate_spec, rate, **fields)
        return spec, suite, Loop(0.5, tmp_path / "hidden")

    return make


@pytest.mark.slow
def test_a_gain_that_hidden_tasks_do_not_show_is_refused(start: Any, tmp_path: Path) -> None:
    spec, suite, loop = start(better)
    first = accept(spec, loop, print)
    assert first.answer == "accepted" and first.number == 1 and first.level == level(1, (), 0.05)
    # The same command continues: that is no further proposal, and no second win.
    again = accept(spec, loop, print)
    assert (again.line, again.weighed.outcome) == (first.line, first.weighed.outcome)
    entries = [json.loads(path.read_text()) for path in (tmp_path / "ledger").glob("*-proposal-*")]
    hidden = set(entries[0]["facts"]["hidden"])
    logs = {path.parent.parent.name for path in tmp_path.rglob("*.eval")}
    assert len(hidden) == 5 and "hidden" in logs
    # What is written for the proposer names no hidden task.
    assert not hidden & {run.split("/")[0] for run in (delta.task for delta in first.weighed.outcome.tasks)}  # type: ignore[union-attr]
    # A proposal that has learned the tasks it can see by heart.
    suite.rate = lambda arm, check: better(arm, check) if check.split("/")[0] not in hidden else same(arm, check)
    (tmp_path / "new" / "RULES").write_text("newer\n")
    second = accept(dataclasses.replace(spec, log_dir=tmp_path / "second"), loop, print)
    assert second.number == 2 and second.level == level(2, (1,), 0.05)
    assert second.answer != "accepted" and "never sees" in second.line
    again = [json.loads(path.read_text())["facts"] for path in (tmp_path / "ledger").glob("*-proposal-*")]
    assert {tuple(facts["hidden"]) for facts in again} == {tuple(sorted(hidden))}


def test_what_is_no_proposal_costs_no_level(start: Any, tmp_path: Path) -> None:
    spec, _, loop = start(same)
    with pytest.raises(InputError, match="same configuration"):
        accept(dataclasses.replace(spec, candidate=spec.baseline), loop, print)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.eval").touch()
    with pytest.raises(InputError, match="holds other runs"):
        accept(dataclasses.replace(spec, log_dir=tmp_path / "other"), loop, print)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file is a file"):
        accept(dataclasses.replace(spec, log_dir=tmp_path / "file"), loop, print)
    with pytest.raises(InputError, match="file is a file"):
        accept(spec, dataclasses.replace(loop, hidden_logs=tmp_path / "file"), print)
    assert not list((tmp_path / "ledger").glob("*-attempt-*"))


def test_a_ledger_and_a_place_out_of_reach_are_asked_for(start: Any, tmp_path: Path) -> None:
    spec, _, loop = start(same)
    with pytest.raises(InputError, match="needs a ledger and a place"):
        accept(dataclasses.replace(spec, ledger=None), loop, print)
    with pytest.raises(InputError, match="hides none or all"):
        accept(spec, dataclasses.replace(loop, hidden=0.05), print)
    words = ["gate", "accept", "--tasks", str(spec.tasks), "--baseline", str(spec.baseline), "--judge", "none"]
    words += ["--candidate", spec.candidate, "--agent", "command", "--agent-command", "true"]
    result = CliRunner().invoke(main, [*words, "--log-dir", str(tmp_path / "logs")])
    assert result.exit_code == 2 and "--hidden-logs PLACE" in result.output
