"""docs/scoring.md §3.5, adaptive runs: rounds until they decide, on one path however often they are interrupted."""

import dataclasses
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.model import Comparison, NoVerdict, Weighed
from steelyard.gate.run import gate_run
from steelyard.gate.run.budget import Budget
from steelyard.gate.run.plan import RunSpec
from steelyard.logs.read import read_logs
from tests.gate.conftest import spec_in
from tests.gate.simulated import Rate, Suite, simulated

Start = Callable[..., tuple[RunSpec, Suite]]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate_spec: Callable[..., RunSpec]) -> Start:
    def make(rate: Rate, **options: Any) -> tuple[RunSpec, Suite]:
        return simulated(tmp_path, monkeypatch, gate_spec, rate, **options)

    return make


class Decided(NamedTuple):
    spec: RunSpec
    weighed: Weighed


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Decided:
    """A run that decided; its logs are only read, and a test that changes some has a copy."""
    folder = tmp_path_factory.mktemp("decided")
    with pytest.MonkeyPatch.context() as patch:
        spec, _ = simulated(folder, patch, partial(spec_in, folder), better)
        return Decided(spec, gate_run(spec))


@pytest.fixture
def finished(decided: Decided, start: Start, tmp_path: Path) -> tuple[RunSpec, Suite]:
    """A copy of the run that decided, as if on another machine, and a suite in which nothing has run yet."""
    _, suite = start(better)
    shutil.copytree(decided.spec.log_dir, tmp_path / "logs")
    return dataclasses.replace(decided.spec, log_dir=tmp_path / "logs"), suite


def better(arm: str, check: str) -> float:
    return 0.98 if arm == "candidate" else 0.4


def worse(arm: str, check: str) -> float:
    return 0.3 if arm == "candidate" else 0.95


def same(arm: str, check: str) -> float:
    return 0.7


def always(arm: str, check: str) -> float:
    return 1.0


def one_broken(arm: str, check: str) -> float:
    return 0.0 if (arm, check) == ("candidate", "t2/c") else 0.9


def answer(weighed: Weighed) -> Comparison:
    assert isinstance(weighed.outcome, Comparison), weighed.outcome
    return weighed.outcome


def path(weighed: Weighed) -> list[tuple[int, float, float, float]]:
    evidence = answer(weighed).evidence
    assert evidence is not None
    return [(look.round, look.e_improve, look.e_regress, look.e_safe) for look in evidence.path]


def rounds(weighed: Weighed) -> int:
    evidence = answer(weighed).evidence
    assert evidence is not None
    return evidence.design.rounds


@pytest.mark.parametrize(("rate", "expected"), [(better, "improved"), (worse, "regressed")])
def test_it_stops_as_soon_as_the_rounds_decide(start: Start, rate: Rate, expected: str) -> None:
    spec, suite = start(rate)
    lines: list[str] = []
    weighed = gate_run(spec, lines.append)
    assert answer(weighed).verdict == expected and 4 <= rounds(weighed) < 20
    assert max(number for _, number, _, _ in suite.started) == rounds(weighed)
    assert f"decided: {expected}" in lines[-1]
    assert lines[0].startswith("round 1 of at most 20: ") and "left" in lines[1]
    again: list[str] = []
    before = len(suite.started)
    assert path(gate_run(spec, again.append)) == path(weighed)
    assert len(suite.started) == before and len(again) == 1


def test_both_arms_of_every_round_run_side_by_side_under_one_registration(decided: Decided) -> None:
    rows = read_logs([decided.spec.log_dir]).rows
    stamps = [row.stamp for row in rows if row.stamp is not None]
    assert all(stamp.extra["interleaved"] is True for stamp in stamps) and len(stamps) == len(rows)
    assert len({stamp.extra["registration"]["sha"] for stamp in stamps}) == 1
    assert {stamp.extra["registration"]["policy"]["name"] for stamp in stamps} == {"adaptive"}
    by_run: dict[str, set[str]] = {}
    for row in rows:
        assert row.stamp is not None
        by_run.setdefault(row.run_id, set()).add(row.stamp.unit)
    assert set(map(frozenset, by_run.values())) == {frozenset({"baseline", "candidate"})}


def test_a_check_that_breaks_is_watched_and_confirmed(start: Start) -> None:
    spec, suite = start(one_broken, policy=Policy("adaptive", "safe"))
    weighed = gate_run(spec)
    comparison = answer(weighed)
    assert comparison.verdict == "regressed"
    assert [(regression.task, regression.kind) for regression in comparison.regressions] == [("t2", "confirmed")]
    watched = [(arm, number, watch, task) for arm, number, watch, task in suite.started if watch]
    assert {number for _, number, _, _ in watched} >= {3} and "t2" in {task for *_, task in watched}
    assert sorted(run[1:] for run in watched if run[0] == "baseline") == sorted(
        run[1:] for run in watched if run[0] == "candidate"
    )
    assert comparison.evidence is not None and comparison.evidence.design.watched == len(watched)


def test_a_run_that_ended_anywhere_continues_on_the_same_path(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, suite = start(one_broken, policy=Policy("adaptive", "safe", max_rounds=6))
    whole = gate_run(spec)
    rows = read_logs([spec.log_dir]).rows
    for end in [(1, 0), (3, 0), (3, 1), (3, 2)]:
        other = dataclasses.replace(spec, log_dir=tmp_path / f"ended in {end}")
        other.log_dir.mkdir()
        for row in rows:
            assert row.stamp is not None
            place = row.stamp.extra["round"], row.stamp.extra["watch"]
            # Of the round in which it ended, only one arm has a log.
            if place < end or (place == end and row.stamp.unit == "baseline"):
                shutil.copy(row.path, other.log_dir)
        monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / f"another machine {end}"))
        suite.started.clear()
        resumed = gate_run(other)
        assert min(run[1:3] for run in suite.started) == end
        assert answer(resumed).evidence == answer(whole).evidence and answer(resumed).verdict == answer(whole).verdict


def test_an_interrupted_watch_leaves_no_round_behind_that_never_began(start: Start) -> None:
    """Both extra rounds are one evaluation: stopped in the first, the second has no log, and nothing was removed."""
    spec, _ = start(one_broken, policy=Policy("adaptive", "safe", max_rounds=6))

    def stopped(units: Any, evaluate: Any) -> Any:
        if len(units) == 1:
            return evaluate(units)
        evaluate(units[:1])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gate_run(spec, execute=stopped)
    weighed = gate_run(spec)
    assert weighed.candidate.rounds >= 3 and answer(weighed).exploratory == ()


def test_a_spent_budget_is_undecided_and_says_how_to_go_on(start: Start) -> None:
    spec, suite = start(same, budget_usd=10.0)
    suite.cost_usd = 0.25
    weighed = gate_run(spec)  # 8 runs of $0.25 a round
    assert answer(weighed).verdict == "undecided" and rounds(weighed) <= 5
    assert any("the budget of $10.00" in note and "larger budget" in note for note in weighed.warnings)
    more = gate_run(dataclasses.replace(spec, budget_usd=14.0))
    assert rounds(more) > rounds(weighed) and path(more)[: len(path(weighed))] == path(weighed)


def test_equal_rounds_decide_nothing(start: Start) -> None:
    spec, _ = start(always, policy=Policy("adaptive", max_rounds=5))
    comparison = answer(gate_run(spec))
    assert comparison.verdict == "undecided"
    assert json.loads((spec.log_dir / "comparison.json").read_text())["should_promote"] is False


def test_one_task_is_enough_to_ask(start: Start) -> None:
    spec, _ = start(better, tasks=1)
    assert answer(gate_run(spec)).verdict in ("improved", "undecided")


def test_an_unscored_run_stops_the_rounds_and_both_arms_run_it_again(start: Start) -> None:
    spec, suite = start(better)
    suite.unscored = {("candidate", 2, "t1")}
    weighed = gate_run(spec)
    assert isinstance(weighed.outcome, NoVerdict) and "because of the provider" in weighed.outcome.reasons[0]
    assert max(number for _, number, _, _ in suite.started) == 2
    suite.unscored.clear()
    suite.started.clear()
    done = gate_run(spec)
    again = sorted(run for run in suite.started if run[1] == 2)
    assert again == [("baseline", 2, 0, "t1"), ("candidate", 2, 0, "t1")]
    assert answer(done).verdict == "improved"


def test_a_removed_log_is_a_gap_and_the_next_start_fills_it(decided: Decided, finished: tuple[RunSpec, Suite]) -> None:
    spec, suite = finished
    row = next(
        row
        for row in read_logs([spec.log_dir]).rows
        if row.stamp and (row.stamp.unit, row.stamp.extra["round"], row.stamp.extra["watch"]) == ("candidate", 2, 0)
    )
    Path(row.path).unlink()
    compared = api.compare([spec.log_dir])
    assert isinstance(compared.outcome, NoVerdict) and "not run" in compared.outcome.reasons[0]
    assert "run the same" in compared.outcome.cures[0]
    assert path(gate_run(spec)) == path(decided.weighed)
    assert {number for _, number, _, _ in suite.started} == {2}


def test_the_last_round_of_one_arm_is_missed_too(decided: Decided, finished: tuple[RunSpec, Suite]) -> None:
    spec, _ = finished
    last = rounds(decided.weighed)
    for row in read_logs([spec.log_dir]).rows:
        if row.stamp and row.stamp.unit == "baseline" and row.stamp.extra["round"] == last:
            Path(row.path).unlink()
    outcome = api.compare([spec.log_dir]).outcome
    assert isinstance(outcome, NoVerdict) and f"(round {last})" in outcome.reasons[0]


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"policy": Policy("adaptive", alpha=0.1)}, "alpha was 0.05 and is 0.1"),
    ({"policy": Policy("adaptive", max_rounds=30)}, "max_rounds was 20 and is 30"),
    ({"policy": Policy("adaptive", "safe")}, "question was better and is safe"),
    ({"policy": Policy()}, "policy was adaptive and is auto"),
    ({"policy": Policy("evidence"), "epochs": 6}, "policy was adaptive and is evidence"),
]


def test_changed_settings_are_refused(finished: tuple[RunSpec, Suite]) -> None:
    spec, suite = finished
    for change, line in CHANGES:
        with pytest.raises(InputError, match=line) as caught:
            gate_run(dataclasses.replace(spec, **change))
        assert "choose another --log-dir" in str(caught.value)
        assert not suite.started


def test_a_clock_that_goes_back_changes_nothing(decided: Decided, monkeypatch: pytest.MonkeyPatch) -> None:
    import steelyard.gate.read.arm as arm

    ordinary = arm.read_logs

    def backwards(*args: Any, **options: Any) -> Any:
        logs = ordinary(*args, **options)
        count = len(logs.rows)
        rows = [
            dataclasses.replace(row, created=f"2026-01-01T00:00:{count - n:02}Z") for n, row in enumerate(logs.rows)
        ]
        return logs._replace(rows=tuple(rows))

    monkeypatch.setattr(arm, "read_logs", backwards)
    assert path(api.compare([decided.spec.log_dir])) == path(decided.weighed)


def test_the_evidence_policy_runs_its_fixed_rounds(start: Start) -> None:
    spec, suite = start(better, tasks=6, policy=Policy("evidence"), epochs=4)
    weighed = gate_run(spec)
    assert answer(weighed).verdict == "improved" and rounds(weighed) == 4
    assert len(suite.started) == 4 * 6 * 2
    with pytest.raises(InputError, match="rounds was 4 and is 6"):
        gate_run(dataclasses.replace(spec, epochs=6))


def test_a_budget_in_minutes_starts_no_round_that_would_not_fit(start: Start) -> None:
    spec, _ = start(same, budget_minutes=3.0)
    ticks = iter(range(0, 10_000, 60))  # every look at the clock is a minute later
    budget = Budget(spec, (), lambda: float(next(ticks)))
    assert budget.exhausted() is None  # no round is timed yet
    gate_run(dataclasses.replace(spec, policy=Policy("adaptive", min_rounds=2, max_rounds=2)))
    rows = read_logs([spec.log_dir]).rows
    budget.add(row for row in rows if row.stamp and row.stamp.extra["round"] == 1)
    # One round in one minute: a second ends after two of three. At two minutes a round of two would end after four.
    assert budget.exhausted() is None
    reason = budget.exhausted()
    assert reason is not None and "the budget of 3 minutes" in reason


def test_the_command_line_says_undecided_with_exit_3(start: Start, tmp_path: Path) -> None:
    spec, _ = start(same)
    (tmp_path / "agent.sh").write_text("true\n")
    words = ["gate", "run", "--tasks", str(spec.tasks), "--baseline", str(spec.baseline), "--candidate", spec.candidate]
    words += ["--agent", "command", "--agent-command", f"sh '{tmp_path / 'agent.sh'}'", "--judge", "none"]
    words += ["--log-dir", str(spec.log_dir), "--policy", "adaptive", "--min-rounds", "2"]
    dry = CliRunner().invoke(main, [*words, "--max-rounds", "3", "--dry-run"])
    assert (
        dry.exit_code == 0 and "24 runs to do" in dry.output and "after 2 to 3 rounds" in " ".join(dry.output.split())
    )
    found = CliRunner().invoke(main, [*words, "--max-rounds", "3"])
    assert found.exit_code == 3 and "undecided" in found.stdout.lower()
    assert "3 of at most 3" in found.stderr and "undecided after the last round" in found.stderr
    assert CliRunner().invoke(main, ["gate", "compare", str(spec.log_dir)]).exit_code == 3
    changed = CliRunner().invoke(main, [*words, "--max-rounds", "4"])
    assert changed.exit_code == 2 and "max_rounds was 3 and is 4" in changed.stderr
    assert len(changed.stderr.splitlines()) == 1
    fixed = CliRunner().invoke(main, [*words, "--max-rounds", "3", "--rounds", "3"])
    assert fixed.exit_code == 2 and "--rounds has no effect" in fixed.stderr


def test_a_folder_per_arm_of_earlier_versions_is_read_and_continued(start: Start) -> None:
    spec, suite = start(better, policy=Policy(), epochs=2)
    whole = gate_run(spec)
    for row in read_logs([spec.log_dir]).rows:
        assert row.stamp is not None
        folder = spec.log_dir / row.stamp.unit
        folder.mkdir(exist_ok=True)
        if row.stamp.extra["round"] == 1:
            shutil.move(row.path, folder)
        else:
            Path(row.path).unlink()
    suite.started.clear()
    again = gate_run(spec)
    assert {number for _, number, _, _ in suite.started} == {2}
    assert answer(again).net_gain == answer(whole).net_gain
    sides = api.compare([spec.log_dir / "baseline"], [spec.log_dir / "candidate"])
    assert isinstance(sides.outcome, NoVerdict) and "(round 2)" in sides.outcome.reasons[0]


def test_one_side_alone_is_not_a_comparison(start: Start) -> None:
    spec, _ = start(better, policy=Policy())
    gate_run(spec)
    for row in read_logs([spec.log_dir]).rows:
        if row.stamp and row.stamp.unit == "baseline":
            Path(row.path).unlink()
    with pytest.raises(InputError, match="not hold both sides"):
        api.compare([spec.log_dir])
