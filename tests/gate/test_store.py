"""docs/scoring.md §3.5: runs of an arm are kept by what made them, and a baseline on record is not run twice."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import InputError
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.model import Comparison
from steelyard.gate.read.arm import read_rows
from steelyard.gate.read.history import history_arm, history_of, recorded_rounds
from steelyard.gate.run import Stopped, gate_run
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.run.stored import since_moved, with_record
from steelyard.gate.store.drift import allowance, shift
from steelyard.gate.verify import verify
from steelyard.location import location
from tests.gate.simulated import Suite, simulated

NOW = datetime(2026, 3, 31, tzinfo=UTC)


def better(arm: str, check: str) -> float:
    return 0.98 if arm == "candidate" else 0.3


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate_spec: Callable[..., RunSpec]) -> Callable[..., Any]:
    def make(**options: Any) -> tuple[RunSpec, Suite]:
        fields = {"tasks": 5, "epochs": 2, "policy": Policy("contract"), "store": str(tmp_path / "store"), **options}
        return simulated(tmp_path, monkeypatch, gate_spec, better, **fields)

    return make


def logs_in(store: Path) -> list[Path]:
    return sorted(store.rglob("*.eval"))


def test_a_baseline_on_record_does_not_run_again(start: Any, tmp_path: Path) -> None:
    spec, suite = start()
    gate_run(spec)
    assert len(logs_in(tmp_path / "store")) == 4 and len({log.parent for log in logs_in(tmp_path / "store")}) == 2
    gate_run(spec)
    assert len(logs_in(tmp_path / "store")) == 4
    suite.started.clear()
    (tmp_path / "new" / "RULES").write_text("newer\n")
    again = dataclasses.replace(spec, baseline=f"stored:{tmp_path / 'old'}", log_dir=tmp_path / "second")
    weighed = gate_run(again)
    # It is the second attempt, so its rounds are run again for the confirmation: 2 · 2 rounds of 5 tasks.
    assert {arm for arm, *_ in suite.started} == {"candidate"} and len(suite.started) == 20
    assert isinstance(weighed.outcome, Comparison) and weighed.baseline.historical
    assert any("on record: 2 rounds" in line and "allowance for drift" in line for line in weighed.warnings)
    # Another run of the same baseline is more on record, under numbers of its own.
    gate_run(dataclasses.replace(spec, log_dir=tmp_path / "third"))
    found = with_record(dataclasses.replace(again, log_dir=tmp_path / "fourth"), lambda _: None)
    arm = history_arm(found.history)
    # Two rounds and two of the confirmation, beside the first two.
    assert arm.side.rounds == 6 and len(arm.runs) == 30 and {run.round for run in arm.runs} == {1, 2, 3, 4, 5, 6}
    assert found.drift == 0.015


def test_what_is_on_record_is_sorted_by_time_whatever_the_offsets(start: Any, tmp_path: Path) -> None:
    spec, _ = start()
    gate_run(spec)
    gate_run(dataclasses.replace(spec, log_dir=tmp_path / "second"))
    logs = [row for row in read_rows([str(tmp_path / "store")], "") if row.stamp and row.stamp.unit == "baseline"]
    # Both rounds of the first run, and one of the second. 22:30, 23:00 and 23:10 in UTC; as texts, the other way round.
    times = ("2026-03-01T00:30:00+02:00", "2026-02-28T23:00:00+00:00", "2026-02-28T18:10:00-05:00")
    # Their own times are whole seconds, and may be equal.
    ours = {path.name for path in Path(str(spec.log_dir)).rglob("*.eval")}
    logs.sort(key=lambda row: Path(row.path).name not in ours)
    rows = [dataclasses.replace(row, created=created) for row, created in zip(logs, times, strict=False)]
    arm = history_of(rows[::-1])
    assert arm.side.created == times[0] and {*arm.side.sources[:2]} == {row.path for row in rows[:2]}
    assert [each.began for each in recorded_rounds(rows[::-1])] == [datetime.fromisoformat(time) for time in times]
    for place, moved in enumerate(times):
        (tmp_path / "moved.json").write_text(f'{{"from": "{moved}"}}')
        assert since_moved(rows, location(tmp_path)) == rows[place:]


def test_a_verdict_against_the_record_can_be_verified(start: Any, tmp_path: Path) -> None:
    spec, _ = start()
    gate_run(spec)
    (tmp_path / "new" / "RULES").write_text("newer\n")
    again = dataclasses.replace(spec, baseline=f"stored:{tmp_path / 'old'}", log_dir=tmp_path / "second")
    gate_run(again)
    assert verify(tmp_path / "second" / "comparison.json").problems == ()


@pytest.mark.parametrize("policy", [Policy("auto"), Policy("evidence"), Policy("adaptive")])
def test_every_policy_decides_against_the_record_with_the_allowance(start: Any, tmp_path: Path, policy: Policy) -> None:
    spec, suite = start(tasks=8, epochs=4, policy=Policy("contract"))
    gate_run(spec)
    suite.started.clear()
    # `--baseline-log` names the logs of a run by hand; nothing vouches for them, so the allowance is the larger one.
    again = dataclasses.replace(spec, baseline=None, baseline_log=str(spec.log_dir), policy=policy)
    weighed = gate_run(dataclasses.replace(again, log_dir=tmp_path / policy.name, ledger=str(tmp_path / "ledger")))
    assert isinstance(weighed.outcome, Comparison) and weighed.outcome.evidence is not None
    assert weighed.outcome.verdict == "improved", weighed.outcome
    design = weighed.outcome.evidence.design
    assert (design.baseline, design.drift, design.interleaved) == ("historical", 0.03, False)
    assert {arm for arm, *_ in suite.started} == {"candidate"}
    assert verify(tmp_path / policy.name / "comparison.json").problems == ()


def test_an_old_record_gets_a_control_round(start: Any, tmp_path: Path) -> None:
    spec, suite = start()
    gate_run(spec)
    again = dataclasses.replace(spec, baseline=f"stored:{tmp_path / 'old'}", log_dir=tmp_path / "second")
    lines: list[str] = []
    suite.started.clear()
    later = datetime.now(UTC) + timedelta(days=9)
    found = with_record(again, lines.append, later)
    assert lines == ["the newest round on record is older than a week: one control round of the baseline"]
    assert {arm for arm, *_ in suite.started} == {"baseline"} and len(suite.started) == 5
    assert len(found.history) == 3 and found.drift == 0.03
    assert history_arm(found.history).side.rounds == 3


def test_a_control_round_is_paid_from_the_budget(start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A run costs 0.10: the control round of five tasks 0.50, and a round of the candidate as much. 1.20 pays for both
    # and leaves no room for a third.
    spec, suite = start()
    suite.cost_usd = 0.1
    gate_run(spec)
    (tmp_path / "new" / "RULES").write_text("newer\n")
    monkeypatch.setattr("steelyard.gate.run.stored.WEEK", timedelta(0))
    suite.started.clear()
    again = dataclasses.replace(spec, baseline=f"stored:{tmp_path / 'old'}", log_dir=tmp_path / "second", epochs=3)
    with pytest.raises(Stopped, match=r"of \$0.5000 \(\$1.00 spent\)"):
        gate_run(dataclasses.replace(again, budget_usd=1.2))
    assert sorted({arm for arm, *_ in suite.started}) == ["baseline", "candidate"] and len(suite.started) == 10


def test_what_is_not_on_record_is_said(start: Any, tmp_path: Path) -> None:
    spec, _ = start()
    stored = dataclasses.replace(spec, baseline=f"stored:{tmp_path / 'old'}")
    with pytest.raises(InputError, match="has no runs of") as caught:
        gate_run(stored)
    assert f"--baseline {tmp_path / 'old'} --store" in str(caught.value)
    with pytest.raises(InputError, match="needs a store"):
        gate_run(dataclasses.replace(stored, store=None))
    gate_run(spec)
    (tmp_path / "new" / "RULES").write_text("newer\n")
    with pytest.raises(InputError, match="has 2 configurations"):
        gate_run(dataclasses.replace(spec, baseline="stored:", log_dir=tmp_path / "second"))
    # Other tasks are another suite: nothing of theirs is on record.
    (tmp_path / "tasks" / "t0" / "task.yaml").write_text(
        (tmp_path / "tasks" / "t0" / "task.yaml").read_text().replace("Do it.", "Do it well.")
    )
    with pytest.raises(InputError, match="has no runs of"):
        gate_run(dataclasses.replace(stored, log_dir=tmp_path / "third"))


def test_a_store_may_be_a_bucket(start: Any, tmp_path: Path, bucket: str) -> None:
    spec, suite = start(store=f"{bucket}/arms")
    gate_run(spec)
    suite.started.clear()
    (tmp_path / "new" / "RULES").write_text("newer\n")
    gate_run(dataclasses.replace(spec, baseline=f"stored:{tmp_path / 'old'}", log_dir=tmp_path / "second"))
    assert {arm for arm, *_ in suite.started} == {"candidate"}


def test_the_shift_is_stratified_by_task() -> None:
    # Two tasks with 10 runs each side: 9 → 6 and 2 → 2 of 10. mean = (−.3 + 0)/2 = −.15; q = (15.5/21, 4.5/21),
    # variance = (.738·.262 + .214·.786)·(1/10 + 1/10)/4 → error .1345, z −1.115.
    ones = lambda n: [1.0] * n + [0.0] * (10 - n)  # noqa: E731
    found = shift({"a": ones(9), "b": ones(2), "only old": [1.0]}, {"a": ones(6), "b": ones(2)})
    assert found is not None and found.tasks == 2
    assert (round(found.mean, 4), round(found.error, 4), round(found.z, 3)) == (-0.15, 0.1345, -1.115)
    assert shift({"a": [1.0]}, {"b": [1.0]}) is None


@pytest.mark.parametrize(
    ("days", "scores", "expected", "why"),
    [
        ([0, 6, 12, 18], [1, 1, 1, 1], 0.015, "at least one fresh round a week"),
        ([0, 6, 18], [1, 1, 1], 0.03, "no fresh round for 12 days"),
        ([9, 12], [1, 1], 0.03, "no fresh round for 9 days"),
        ([0, 1, 2, 8, 14, 20], [0, 0, 0, 1, 1, 1], 0.03, "differs from the record by -1.000"),
    ],
)
def test_the_allowance_is_halved_by_a_control_round_a_week_that_agrees(
    days: list[int], scores: list[int], expected: float, why: str
) -> None:
    tasks = [f"t{n}" for n in range(20)]
    rounds = [
        (NOW - timedelta(days=day), dict.fromkeys(tasks, float(score))) for day, score in zip(days, scores, strict=True)
    ]
    found, reason = allowance(rounds, NOW)
    assert found == expected and why in reason
