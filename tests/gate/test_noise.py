"""docs/scoring.md §3.6: the noise record of a suite, where it is used, and what a suite can detect."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api, artifact
from steelyard.cli.main import main
from steelyard.errors import InputError, SteelyardError
from steelyard.gate.evidence.noise import Noise
from steelyard.gate.evidence.policy import AUTO, CONTRACT, Policy
from steelyard.gate.model import Arm, Comparison, Cost, Run, Side
from steelyard.gate.noise.measure import NoiseSpec, measure
from steelyard.gate.noise.plan import PlanSpec, assumed, plan_suite, recorded
from steelyard.gate.noise.record import find_record, fingerprint_of, read_record, write_record
from steelyard.gate.noise.report import document
from steelyard.gate.noise.simulate import pool, shares
from steelyard.gate.weigh import Spec, weigh
from steelyard.git import git
from steelyard.report import html

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def suite_runs(tasks: int, runs: int, rate: float = 0.9, seed: int = 1) -> list[Run]:
    random = Random(seed)
    made: list[Run] = []
    for task in range(tasks):
        for number in range(runs):
            checks = {f"c{check}": random.random() < rate for check in range(4)}
            made.append(Run(f"t{task:02}", sum(checks.values()), 4, checks=checks, round=number + 1))
    return made


def record(runs: list[Run], comparisons: int = 60) -> Noise:
    return measure(runs, NoiseSpec("0" * 64, 1, comparisons=comparisons), now=NOW)


def test_a_suite_that_varies_fools_the_contract_and_not_the_evidence() -> None:
    noise = record(suite_runs(20, 10), 200)
    assert noise.false_verdicts["contract"]["regressed"] > 0.95
    for policy in ("evidence", "adaptive, better", "adaptive, safe"):
        wrong = noise.false_verdicts[policy]
        # nominal 2.5% each, 200 comparisons: four standard errors are 4.4 points
        assert wrong["improved"] + wrong["regressed"] < 0.05 + 0.044, policy
    assert noise.floor > 0.1
    assert noise.rounds == 5


def test_the_spread_of_a_round_is_that_of_the_checks() -> None:
    # 20 tasks of 4 checks at 0.9: sd² of a run = 0.09/4, so s = √(2·0.0225/20) = 0.0474
    assert pool([suite_runs(1, 200, seed=task) for task in range(20)]).round_sd == pytest.approx(0.0474, rel=0.1)
    assert assumed(20, 4, 0.9, None).round_sd == pytest.approx(0.0474, abs=1e-4)


def test_rates_flakes_and_intervals_of_a_task() -> None:
    runs = [Run("t", 1 + (number > 0), 2, checks={"x": True, "y": number > 0}) for number in range(4)]
    (task,) = record(runs).tasks
    assert task.pass_rates == {"x": 1.0, "y": 0.75}
    # one of four runs differs from the usual result; Wilson of 1/4 is 0.0456…0.6994
    assert (task.flake_rate, round(task.flake_low, 4), round(task.flake_high, 4)) == (0.25, 0.0456, 0.6994)
    assert task.composite_sd == pytest.approx(0.25)  # 0.5, 1, 1, 1


def test_the_same_seed_gives_the_same_record() -> None:
    assert record(suite_runs(5, 4)) == record(suite_runs(5, 4))


def test_runs_that_are_all_equal_have_no_noise() -> None:
    noise = record(suite_runs(3, 4, rate=1.0))
    assert (noise.floor, noise.round_sd, noise.false_verdicts["contract"]["neutral"]) == (0.0, 0.0, 1.0)
    for policy, verdicts in noise.false_verdicts.items():
        assert verdicts["improved"] == verdicts["regressed"] == 0.0, policy


@pytest.mark.parametrize(
    ("runs", "problem"),
    [
        ([], "there are no runs"),
        ([Run("t", 1, 1)], "has a single run"),
        ([Run("t", 1, 1), Run("t", math.nan, 1)], "not finite"),
        ([Run("t", 1, 1), Run("t", 1, 1, cost=Cost(tokens=-1))], "negative cost"),
    ],
)
def test_runs_that_say_nothing_are_refused(runs: list[Run], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        record(runs)


def test_an_effect_is_found_in_drawn_comparisons() -> None:
    suite = pool([suite_runs(1, 20, seed=task) for task in range(20)])
    better, worse = (replace(suite, deltas=suite.deltas + effect) for effect in (0.15, -0.15))
    assert shares(better, Policy("adaptive"), 5, 60, 1)["improved"] > 0.9
    assert shares(worse, Policy("evidence"), 5, 60, 1)["regressed"] > 0.9


def test_a_record_survives_writing_and_reading(tmp_path: Path) -> None:
    noise = record(suite_runs(3, 4))
    assert read_record(write_record(tmp_path, noise)) == noise


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"floor": 0.0}, "was changed after it was written"),
        ({"schema_version": 2}, "is not a noise record of this version"),
        ({"extra": 1}, "is not a noise record of this version"),
        ({"tasks": []}, "is not a noise record of this version"),
        (None, "not valid JSON"),
    ],
)
def test_a_forged_or_damaged_record_is_refused(tmp_path: Path, change: dict[str, Any] | None, problem: str) -> None:
    path = write_record(tmp_path, record(suite_runs(3, 4)))
    text = path.read_text()
    path.write_text(text[: len(text) // 2] if change is None else json.dumps({**json.loads(text), **change}))
    with pytest.raises(InputError, match=problem):
        read_record(path)


def test_with_a_base_the_record_is_the_one_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "a")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "a@example.com")
    arm = Arm(Side("side", "results", ()), tuple(suite_runs(3, 4)))
    spec = NoiseSpec(fingerprint_of(arm.identity, (run.task for run in arm.runs)), 1, comparisons=60)
    noisy, quiet = (measure(suite_runs(3, 4, rate), spec, now=NOW) for rate in (0.5, 1.0))
    folder = tmp_path / ".steelyard/noise"

    def found(base: str | None) -> Noise | None:
        return find_record(folder, arm, base=base, repo=tmp_path)

    git(tmp_path, "init", "-q", "-b", "main")
    for branch, noise in (("bare", None), ("strict", noisy), ("change", quiet)):
        if noise is not None:
            write_record(folder, noise)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", branch, "--allow-empty")
        git(tmp_path, "branch", branch)
    assert noisy.floor > quiet.floor
    assert (found(None), found("change"), found("strict"), found("bare")) == (quiet, quiet, noisy, None)


def improved(noise: Noise | None, policy: Policy = CONTRACT) -> Comparison:
    side = Side("side", "results", ())
    before = Arm(side, tuple(Run(f"t{number}", 1, 2) for number in range(5)))
    after = Arm(side, (Run("t0", 2, 2), *before.runs[1:]))
    outcome = weigh(before, after, Spec(noise=noise, policy=policy), now=NOW).outcome
    assert isinstance(outcome, Comparison)
    return outcome


def test_a_gain_below_the_floor_is_an_ambiguity() -> None:
    noise = record(suite_runs(20, 4))
    assert noise.floor_at(1) > 0.5  # Σ over 20 tasks
    assert improved(None).ambiguities == ()
    outcome = improved(noise)
    assert (outcome.verdict, outcome.net_gain) == ("improved", 0.5)  # the verdict of §3.2 is unchanged
    assert "does not exceed the noise floor" in outcome.ambiguities[0]


def test_the_floor_is_rounded_before_a_gain_is_held_against_it() -> None:
    """§0: .288675·√3 = .4999998, which is the gain of .5 to six decimals, and does not exceed it."""
    noise = replace(record(suite_runs(20, 4)), rounds=3, floor=0.288675)
    assert "does not exceed the noise floor" in improved(noise).ambiguities[0]


def test_auto_does_not_follow_a_rule_that_the_noise_record_contradicts() -> None:
    assert improved(None, AUTO).verdict == "improved"
    outcome = improved(record(suite_runs(20, 4)), AUTO)
    assert (outcome.verdict, outcome.contract) == ("undecided", "improved")


def test_the_floor_shrinks_with_the_square_root_of_the_rounds() -> None:
    noise = record(suite_runs(5, 4))
    assert noise.floor_at(8) == pytest.approx(noise.floor / 2)


def steelyard(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["gate", *words])
    return done.exit_code, done.stdout, done.stderr


def results(path: Path, runs: list[Run]) -> str:
    scores = [{"task": run.task, "passed": run.passed, "total": run.total, "composite": run.composite} for run in runs]
    path.write_text(json.dumps({"label": path.stem, "scores": scores}))
    return str(path)


def test_noise_reads_results_keeps_a_record_and_compare_uses_it(tmp_path: Path) -> None:
    runs = suite_runs(20, 6)
    file = results(tmp_path / "runs.json", runs)
    settings = tmp_path / "steelyard.yaml"
    settings.write_text("gate:\n  noise: records\n")
    words = ("--settings", str(settings))
    code, text, errors = steelyard("plan", "--measure", file, "--json", "-", *words)
    assert code == 0, errors
    artifact.validate(json.loads(text), "noise")
    (path,) = (tmp_path / "records").glob("*.json")
    assert str(path) in errors
    before = results(tmp_path / "before.json", suite_runs(20, 1, rate=0.5))
    code, text, _ = steelyard("compare", before, before, *words)
    assert code == 3  # the record contradicts the contract rule, and one run a side decides nothing
    code, text, _ = steelyard("compare", before, before, "--policy", "contract", *words)
    assert code == 0
    assert "noise record of" in text
    assert "the contract rule" in " ".join(text.split())
    path.write_text("{")
    code, _, errors = steelyard("compare", before, before, *words)
    assert (code, errors.count("\n")) == (2, 1)
    code, text, _ = steelyard("plan", "--record", str(path), *words)
    assert code == 2


def test_noise_runs_one_configuration_on_both_sides(tmp_path: Path, gate_spec: Callable[..., Any]) -> None:
    gate_spec("echo yes > answer.txt\n")
    settings = tmp_path / "steelyard.yaml"
    settings.write_text(
        "gate:\n  tasks: tasks\n  baseline: old\n  candidate: new\n  agent: command\n"
        f"  agent_command: [sh, {tmp_path}/agent.sh]\n"
    )
    words = ("--rounds", "2", "--log-dir", str(tmp_path / "aa"), "--settings", str(settings), "--json", "-")
    kept = ("--store", str(tmp_path / "store"), "--budget-minutes", "60")
    code, text, errors = steelyard("plan", "--measure", *words, *kept)
    assert code == 0, errors
    assert [*(tmp_path / "store").rglob("*.eval")]
    (task,) = json.loads(text)["tasks"]
    assert (task["runs"], task["flake_rate"]) == (4, 0.0)
    again = api.gate_noise([tmp_path / "aa"], folder=None)
    assert again.fingerprint == json.loads(text)["fingerprint"]


@pytest.mark.parametrize("words", [(), ("--pass-rate", "nan"), ("--pass-rate", "2"), ("--effect", "0")])
def test_plan_needs_numbers_in_range(words: tuple[str, ...]) -> None:
    code, _, errors = steelyard("plan", *words)
    assert (code == 2, "Traceback" in errors) == (bool(words), False)


@pytest.mark.parametrize("command", [("plan", "--measure"), ("plan",)])
def test_an_empty_folder_is_one_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    code, _, errors = steelyard(*command, str(tmp_path))
    assert (code, errors.count("\n")) == (2, 1)


def test_a_plan_from_assumptions() -> None:
    # 20 tasks of 4 checks at 0.9: s = 0.0474, 5 rounds: (2.093 + 0.861)·0.0474/√5 = 0.0627
    plan = api.gate_power(tasks_count=20, checks=4, pass_rate=0.9, usd_per_run=0.1)
    assert plan.detectable[5] == pytest.approx(0.0627, abs=2e-4)
    assert plan.rounds_better == plan.rounds_safe == 10
    assert plan.usd_per_round == pytest.approx(4.0)
    assert plan.tasks_better is None


def test_five_tasks_are_told_how_many_it_takes() -> None:
    code, text, _ = steelyard("plan", "--tasks-count", "5", "--pass-rate", "0.6")
    assert code == 0
    assert "21 tasks like these" in " ".join(text.split())


def test_one_task_detects_nothing_with_fixed_rounds() -> None:
    assert set(api.gate_power(tasks_count=1).detectable.values()) == {None}


def test_a_suite_without_noise_needs_no_evidence() -> None:
    plan = api.gate_power(pass_rate=1.0)
    assert (plan.round_sd, plan.rounds_better, plan.tasks_better) == (0.0, None, None)
    code, text, _ = steelyard("plan", "--pass-rate", "1")
    assert code == 0
    assert "the contract rule is enough" in " ".join(text.split())


def test_a_plan_names_the_tasks_that_add_nothing(tmp_path: Path) -> None:
    runs = [*suite_runs(3, 4, rate=0.5), *(Run("sure", 2, 2, checks={"x": True, "y": True}) for _ in range(4))]
    runs += [Run("broken", 0, 1, checks={"x": False}) for _ in range(4)]
    plan = plan_suite(recorded(record(runs)), PlanSpec())
    assert plan.idle == ("broken (always fails)", "sure (always passes)")
    file = results(tmp_path / "runs.json", runs)
    from_logs = api.gate_power(logs=[file])
    assert from_logs.idle == ("broken (always fails)", "sure (always passes)")
    by_score = [Run(task, 0, 0, composite=value) for task, value in (("a", 1.0), ("b", 0.0), ("c", 0.4)) for _ in "xy"]
    known = api.gate_power(logs=[results(tmp_path / "scores.json", by_score)])
    assert known.idle == ("a (always passes)", "b (always fails)", "c (always the same)")
    with pytest.raises(SteelyardError, match="one round shows no chance"):
        api.gate_power(logs=[results(tmp_path / "once.json", suite_runs(3, 1))])


def test_a_stated_price_holds_for_runs_on_record_too(tmp_path: Path) -> None:
    file = results(tmp_path / "runs.json", suite_runs(5, 4, rate=0.5))
    plan = api.gate_power(logs=[file], usd_per_run=0.5, budget_usd=20)
    # 5 tasks on two sides are 10 runs a round; 20 dollars are 40 runs
    assert plan.usd_per_round == 5.0
    assert plan.affordable is not None and (plan.affordable.runs, plan.affordable.rounds) == (40, 4)
    code, _, errors = steelyard("plan", str(file), "--budget-usd", "20")
    assert (code, "costs is not known" in errors, errors.count("\n")) == (2, True, 1)


def test_the_page_has_a_row_per_task_and_escapes_names() -> None:
    runs = [Run("<b>t</b>", 1, 2, checks={"<i>": True, "y": False}) for _ in range(3)]
    text = html.render(document(record([*runs, Run("<b>t</b>", 2, 2, checks={"<i>": True, "y": True})])))
    assert text.count('<svg class="whisker"') == 1
    assert "<b>t" not in text
    assert "&lt;b&gt;t" in text


def test_fingerprints_of_files_without_any_are_their_tasks() -> None:
    assert fingerprint_of({}, ["b", "a", "a"]) == fingerprint_of({}, ["a", "b"]) != fingerprint_of({}, ["a"])


def test_the_plan_counts_the_tasks_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["gate", "init"]).exit_code == 0
    result = CliRunner().invoke(main, ["gate", "plan", "--json", "-"])
    assert result.exit_code == 0 and json.loads(result.stdout)["tasks"] == 1
    stated = CliRunner().invoke(main, ["gate", "plan", "--tasks-count", "30", "--json", "-"])
    assert json.loads(stated.stdout)["tasks"] == 30
