"""docs/scoring.md §3.5: how sure a comparison is, and what the policies make of it."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from steelyard.artifact import validate
from steelyard.cli.main import main
from steelyard.gate.compare import compare, should_promote
from steelyard.gate.evidence.policy import CONTRACT, Policy, Registration
from steelyard.gate.evidence.result import Evidence
from steelyard.gate.evidence.rounds import observe
from steelyard.gate.evidence.verdict import departures
from steelyard.gate.model import Arm, Comparison, Cost, Run, Side, Thresholds, Weighed
from steelyard.gate.report.ci import junit, sarif
from steelyard.gate.report.data import as_json
from steelyard.gate.report.document import headline
from steelyard.gate.weigh import Spec, weigh
from steelyard.stats.sequential import mean_evidence

NOW = datetime(2026, 11, 16, tzinfo=UTC)
ADAPTIVE, SAFE = Policy("adaptive"), Policy("adaptive", question="safe")
FIXED = Policy("evidence")
X = [0.02, 0.03, -0.01, 0.05, 0.0, 0.02, 0.04, 0.01, 0.03, 0.02]
"""The deltas of ten tasks in one round."""


def arm(name: str, runs: Sequence[Run]) -> Arm:
    rounds = max((run.round for run in runs), default=0)
    return Arm(Side(name, "results", (f"{name}.json",), len(runs), rounds), tuple(runs))


def weighed(
    base: Sequence[Run], cand: Sequence[Run], policy: Policy = CONTRACT, *, interleaved: bool = True
) -> Weighed:
    return weigh(arm("base", base), arm("cand", cand), Spec(policy=policy, interleaved=interleaved), now=NOW)


def comparison(*arguments: Sequence[Run], policy: Policy = CONTRACT, interleaved: bool = True) -> Comparison:
    outcome = weighed(*arguments, policy=policy, interleaved=interleaved).outcome
    assert isinstance(outcome, Comparison), outcome
    return outcome


def evidence(outcome: Comparison) -> Evidence:
    assert outcome.evidence is not None
    return outcome.evidence


def stochastic(rate: float, *, tasks: int = 20, rounds: int = 8, seed: int = 1, checks: int = 4) -> list[Run]:
    """Runs whose named checks pass at random."""
    random = Random(seed)
    runs: list[Run] = []
    for number in range(1, rounds + 1):
        for task in range(tasks):
            results = {f"c{check}": random.random() < rate for check in range(checks)}
            runs.append(Run(f"t{task:03}", sum(results.values()), checks, checks=results, round=number))
    return runs


def composites(values: Sequence[float]) -> list[Run]:
    return [Run(f"t{place}", 0, 0, composite=value) for place, value in enumerate(values)]


def test_the_vector_of_ten_tasks() -> None:
    result = evidence(comparison(composites([0.5] * 10), composites([0.5 + x for x in X])))
    assert result.net_gain is not None
    assert result.net_gain.estimate == pytest.approx(0.021)
    assert result.net_gain.low == pytest.approx(0.008181, abs=1e-6)
    assert result.net_gain.high == pytest.approx(0.033819, abs=1e-6)
    assert result.net_gain.df == 9
    assert result.p_regression == pytest.approx(0.00244, abs=1e-5)
    assert result.mde80 == pytest.approx(0.017825, abs=1e-6)
    assert result.confidence == "confirmed" and result.latest is None


@pytest.mark.parametrize(
    ("base", "cand", "interleaved", "reason"),
    [
        (stochastic(0.9, tasks=4, rounds=1), stochastic(0.9, tasks=4, rounds=1, seed=2), True, "one round of 4 tasks"),
        (stochastic(1.0), stochastic(1.0), True, "every delta is the same"),
        (composites([0.4] * 8), composites([0.5] * 8), True, "every delta is the same"),
    ],
)
def test_what_cannot_be_estimated_says_why(base: list[Run], cand: list[Run], interleaved: bool, reason: str) -> None:
    result = evidence(comparison(base, cand, interleaved=interleaved))
    assert result.confidence == "not_estimable" and result.net_gain is None
    assert reason in str(result.reason) and result.next


@pytest.mark.parametrize("policy", [FIXED, ADAPTIVE, SAFE])
@pytest.mark.parametrize(
    ("base", "cand"),
    [
        (stochastic(0.9, tasks=1, rounds=1), stochastic(0.9, tasks=1, rounds=1)),
        (stochastic(1.0), stochastic(1.0)),
        (composites([0.4] * 8), composites([0.5] * 8)),
    ],
    ids=["one task, one round", "all runs equal", "all deltas equal"],
)
def test_too_little_to_go_by_is_undecided_and_never_promoted(policy: Policy, base: list[Run], cand: list[Run]) -> None:
    outcome = comparison(base, cand, policy=policy)
    assert outcome.verdict == "undecided"
    assert not should_promote(outcome)


@pytest.mark.parametrize("policy", [FIXED, ADAPTIVE, SAFE])
def test_sides_that_did_not_run_together_are_judged_with_an_allowance_for_drift(policy: Policy) -> None:
    base, cand = stochastic(0.8), stochastic(0.86, seed=2)
    together = evidence(comparison(base, cand, policy=policy))
    apart = evidence(comparison(base, cand, policy=policy, interleaved=False))
    assert together.design.drift == 0 and (apart.design.baseline, apart.design.drift) == ("historical", 0.03)
    assert together.net_gain is not None and apart.net_gain is not None
    assert apart.net_gain.estimate == pytest.approx(together.net_gain.estimate)
    # The error of the mean has at least the drift in it: 1.96 x 0.03 = 0.059.
    assert apart.net_gain.low < apart.net_gain.estimate - 0.059 < together.net_gain.low
    assert apart.latest is not None and together.latest is not None
    assert apart.latest.e_improve < together.latest.e_improve


@pytest.mark.parametrize("policy", [FIXED, ADAPTIVE])
def test_a_large_gain_over_logs_of_another_day_is_improved(policy: Policy) -> None:
    outcome = comparison(stochastic(0.5), stochastic(0.9, seed=2), policy=policy, interleaved=False)
    assert outcome.verdict == "improved"


@pytest.mark.parametrize("policy", [FIXED, ADAPTIVE, SAFE])
def test_hard_facts_regress_at_once(policy: Policy) -> None:
    base = stochastic(0.9)
    gone = [run for run in base if run.task != "t003"]
    fewer = [dataclasses.replace(run, total=3, passed=min(run.passed, 3), checks={}) for run in base]
    broken = [dataclasses.replace(run, judge=math.nan) if run.task == "t003" else run for run in base]
    for cand, kind in ((gone, "missing"), (fewer, "fewer_checks"), (broken, "non_finite")):
        outcome = comparison(base, cand, policy=policy)
        assert outcome.verdict == "regressed" and {regression.kind for regression in outcome.regressions} == {kind}


def test_a_check_that_breaks_is_confirmed_and_named() -> None:
    base = stochastic(0.99, seed=3)
    cand = [
        dataclasses.replace(run, checks={**run.checks, "c2": False}, passed=sum({**run.checks, "c2": False}.values()))
        if run.task == "t007"
        else run
        for run in stochastic(0.99, seed=4)
    ]
    outcome = comparison(base, cand, policy=SAFE)
    assert outcome.verdict == "regressed"
    (task,) = [task for task in evidence(outcome).tasks if task.status == "worse"]
    assert (task.task, task.worst_check) == ("t007", "c2")
    assert [regression.detail for regression in outcome.regressions] == ["confirmed worse: check c2"]


def test_a_gain_that_the_contract_calls_regressed_is_improved() -> None:
    base, cand = stochastic(0.85, tasks=50, rounds=6), stochastic(0.95, tasks=50, rounds=6, seed=2)
    outcome = comparison(base, cand, policy=ADAPTIVE)
    assert outcome.verdict == "improved" and outcome.contract == "regressed"
    assert evidence(outcome).latest is not None and should_promote(outcome)
    assert as_json(weighed(base, cand, ADAPTIVE))["contract"] == "regressed"


def test_before_the_first_look_nothing_is_decided() -> None:
    base, cand = stochastic(0.5, rounds=5), stochastic(1.0, rounds=5, seed=2)
    assert comparison(base, cand, policy=dataclasses.replace(ADAPTIVE, min_rounds=6)).verdict == "undecided"
    assert comparison(base, cand, policy=ADAPTIVE).verdict == "improved"


def test_a_contract_verdict_is_untouched_by_its_evidence() -> None:
    for seed in range(20):
        base, cand = stochastic(0.9, tasks=6, rounds=2, seed=seed), stochastic(0.9, tasks=6, rounds=2, seed=seed + 50)
        plain, outcome = compare(base, cand), comparison(base, cand)
        assert isinstance(plain, Comparison)
        assert dataclasses.replace(outcome, evidence=None, policy=plain.policy) == plain


def test_a_suite_that_varies_says_how_often_the_contract_is_fooled() -> None:
    varying = evidence(comparison(stochastic(0.9), stochastic(0.9, seed=2)))
    assert varying.fooled is not None and "regressed in more than 99%" in varying.fooled
    assert evidence(comparison(stochastic(1.0), stochastic(1.0))).fooled is None
    assert evidence(comparison(stochastic(0.9), stochastic(0.9, seed=2), policy=ADAPTIVE)).fooled is None


def test_what_is_shown_is_where_the_evidence_reaches_its_level() -> None:
    outcome = comparison(stochastic(0.9, rounds=10), stochastic(0.9, rounds=10, seed=2), policy=SAFE)
    result = evidence(outcome)
    rounds = observe(stochastic(0.9, rounds=10), stochastic(0.9, rounds=10, seed=2), outcome.tasks)
    assert rounds is not None and result.shown is not None
    means = rounds.observed.deltas.mean(axis=0)
    assert float(mean_evidence(means, -result.shown).gain) == pytest.approx(1 / 0.05, rel=1e-6)


def test_rounds_that_come_later_leave_the_path_as_it_was() -> None:
    base, cand = stochastic(0.9, rounds=9), stochastic(0.92, rounds=9, seed=2)
    whole = evidence(comparison(base, cand, policy=ADAPTIVE)).path
    early = [[run for run in runs if run.round <= 5] for runs in (base, cand)]
    assert evidence(comparison(*early, policy=ADAPTIVE)).path == whole[:4]


def test_the_order_of_runs_and_tasks_does_not_matter() -> None:
    base, cand = stochastic(0.9), stochastic(0.95, seed=2)
    random = Random(7)
    mixed_base, mixed_cand = (random.sample(runs, len(runs)) for runs in (base, cand))
    assert (
        as_json(weighed(mixed_base, mixed_cand, ADAPTIVE))["evidence"]
        == as_json(weighed(base, cand, ADAPTIVE))["evidence"]
    )


def test_cost_that_scatters_shows_no_loss_where_there_is_none() -> None:
    random = Random(5)

    def runs() -> list[Run]:
        return [
            Run(f"t{task}", 1, 1, checks={"c": True}, cost=Cost(tokens=random.lognormvariate(7, 0.6)), round=number)
            for number in range(1, 31)
            for task in range(10)
        ]

    base, cand = runs(), runs()
    outcome = comparison(base, cand)
    forward, back = observe(base, cand, outcome.tasks), observe(cand, base, outcome.tasks)
    assert forward is not None and back is not None
    assert forward.observed.deltas == pytest.approx(-back.observed.deltas)
    gain = evidence(outcome).net_gain
    assert gain is not None and gain.low < 0 < gain.high
    clamped = [compare([one], [other]) for one, other in zip(base, cand, strict=True)]
    assert sum(single.net_gain for single in clamped if isinstance(single, Comparison)) / len(clamped) < -0.02


def test_unequal_epochs_use_the_rounds_that_both_sides_have() -> None:
    base, cand = stochastic(0.9, rounds=6), stochastic(0.9, rounds=4, seed=2)
    single = [run for run in cand if run.task != "t000" or run.round == 1]
    assert evidence(comparison(base, cand)).design.rounds == 4
    assert evidence(comparison(base, single)).design.rounds == 1


def test_ten_thousand_tasks() -> None:
    base, cand = (stochastic(0.95, tasks=10_000, rounds=2, checks=1, seed=seed) for seed in (1, 2))
    assert evidence(comparison(base, cand, policy=FIXED)).design.tasks == 10_000


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (Policy("evidence"), "policy is evidence, registered was adaptive"),
        (Policy("adaptive", margin=0.1), "margin is 0.1, registered was 0.05"),
        (Policy("adaptive", max_rounds=40), "max_rounds is 40, registered was 20"),
    ],
)
def test_other_settings_than_the_registered_ones_are_exploratory(change: Policy, line: str) -> None:
    recorded = Registration(ADAPTIVE, dataclasses.asdict(Thresholds())).as_metadata()
    assert departures(recorded, ADAPTIVE, dataclasses.asdict(Thresholds())) == ()
    assert departures(recorded, change, dataclasses.asdict(Thresholds())) == (line,)
    looser = dataclasses.asdict(Thresholds(min_composite_gain=0.001))
    assert "min_composite_gain" in departures(recorded, ADAPTIVE, looser)[0]
    forged = {**recorded, "rounds": 3}
    assert departures(forged, ADAPTIVE, dataclasses.asdict(Thresholds())) == (
        "the registration in the logs was altered",
    )


def test_an_exploratory_comparison_is_never_promoted() -> None:
    outcome = comparison(stochastic(0.85, rounds=12), stochastic(0.97, rounds=12, seed=2), policy=ADAPTIVE)
    assert not should_promote(dataclasses.replace(outcome, exploratory=("margin differs",)))
    assert not should_promote(dataclasses.replace(outcome, evidence=None))
    path = evidence(outcome).path
    weak = dataclasses.replace(evidence(outcome), path=(*path[:-1], dataclasses.replace(path[-1], e_improve=19.9)))
    assert not should_promote(dataclasses.replace(outcome, evidence=weak))


Write = Callable[[str, Sequence[Run]], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def file(name: str, runs: Sequence[Run]) -> str:
        path = tmp_path / f"{name}.json"
        scores = [{"task": run.task, "passed": run.passed, "total": run.total} for run in runs]
        path.write_text(json.dumps({"label": name, "scores": scores}))
        return str(path)

    return file


@pytest.mark.parametrize(
    ("rate", "words", "code", "verdict"),
    [
        (0.99, ("--policy", "adaptive"), 0, "improved"),
        (0.99, ("--policy", "evidence"), 0, "improved"),
        (0.89, ("--policy", "adaptive"), 3, "undecided"),
        (0.6, ("--policy", "adaptive", "--question", "safe"), 1, "regressed"),
        (0.9, ("--policy", "evidence", "--question", "safe", "--margin", "0.2"), 0, "neutral"),
    ],
)
def test_the_command_decides_results_files(
    write: Write, tmp_path: Path, rate: float, words: tuple[str, ...], code: int, verdict: str
) -> None:
    files = write("base", stochastic(0.88, rounds=6)), write("cand", stochastic(rate, rounds=6, seed=2))
    out = tmp_path / "out.json"
    result = CliRunner().invoke(main, ["gate", "compare", *files, "--interleaved", *words, "--json", str(out)])
    assert result.exit_code == code, result.output
    data = json.loads(out.read_text())
    validate(data, "gate")
    assert (data["verdict"], data["policy"]) == (verdict, words[1])
    assert data["evidence"]["design"]["interleaved"] and data["rules"]["alpha"] == 0.05


@pytest.mark.parametrize(
    "words",
    [
        ("--policy", "sometimes"),
        ("--policy", "adaptive", "--margin", "0"),
        ("--policy", "adaptive", "--margin", "nan"),
        ("--policy", "adaptive", "--alpha", "1"),
        ("--policy", "adaptive", "--min-rounds", "9", "--max-rounds", "5"),
        ("--policy", "evidence", "--max-rounds", "5"),
    ],
)
def test_a_policy_that_makes_no_sense_is_one_line(write: Write, words: tuple[str, ...]) -> None:
    files = write("base", stochastic(0.9)), write("cand", stochastic(0.9, seed=2))
    result = CliRunner().invoke(main, ["gate", "compare", *files, "--interleaved", *words])
    assert result.exit_code == 2 and "Traceback" not in result.output


def test_an_undecided_verdict_is_no_pass_for_ci() -> None:
    result = weighed(stochastic(0.9, rounds=4), stochastic(0.9, rounds=4, seed=2), ADAPTIVE)
    assert isinstance(result.outcome, Comparison) and result.outcome.verdict == "undecided"
    assert 'errors="1"' in junit(result)
    assert "the agent said nothing (t001)</system-out>" in junit(
        dataclasses.replace(result, warnings=("the agent said nothing (t001)",))
    )
    assert '"undecided"' in sarif(result)
    assert headline(result.outcome).startswith("Undecided after 4 rounds")


@pytest.mark.parametrize(
    ("created", "words"),
    [
        ("2026-11-14T10:00:00+00:00", "2 days earlier"),
        ("2026-11-16T09:00:00+00:00", "1 hour earlier"),
        ("2026-11-16T10:00:00+00:00", "it was run earlier"),
        (None, "it was run earlier"),
    ],
)
def test_a_historical_baseline_has_its_age_in_the_report(created: str | None, words: str) -> None:
    base, cand = arm("base", stochastic(0.9)), arm("cand", stochastic(0.9, seed=2))
    base = dataclasses.replace(base, side=dataclasses.replace(base.side, created=created))
    cand = dataclasses.replace(cand, side=dataclasses.replace(cand.side, created="2026-11-16T10:00:30+00:00"))
    assert words in weigh(base, cand, Spec(historical=True), now=NOW).warnings[0]


def test_a_statement_of_the_user_is_shown() -> None:
    assert any("--interleaved" in line for line in weighed(stochastic(0.9), stochastic(0.9, seed=2)).warnings)
