"""`gate plan`: what a budget can show, from the store, a record or what real agents vary by, before it is spent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.cli.main import main
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.noise.plan import PlanSpec, SuiteNoise, from_rates, plan_suite
from steelyard.gate.noise.plan_report import document
from steelyard.gate.run import gate_run
from steelyard.report import markdown
from tests.gate.simulated import simulated


def test_a_budget_buys_rounds_and_the_margin_they_can_show() -> None:
    # 20 tasks, s = .1: 400 runs are 10 rounds of both arms. MDE = (2.262 + .883)·.1/√10 = .0995.
    # Against 60 runs a task: 20 rounds, variance .005·(1/20 + 1/60) + .03² = .001233, MDE 2.802·.03512 = .0984.
    suite = SuiteNoise("x", 20, 0.1, usd_per_round=8.0, recorded=60)
    bought = plan_suite(suite, PlanSpec(budget_runs=400)).affordable
    assert bought is not None and (bought.rounds, bought.stored_rounds, bought.usd) == (10, 20, 80.0)
    assert bought.margin == pytest.approx(0.0995, abs=2e-4)
    assert bought.stored_margin == pytest.approx(0.0984, abs=2e-4)
    # $8 a round of 40 runs is $.20 a run: $20 pay for 100 runs.
    cheaper = plan_suite(suite, PlanSpec(budget_runs=400, budget_usd=20.0)).affordable
    assert cheaper is not None and (cheaper.runs, cheaper.rounds, cheaper.stored_rounds) == (100, 2, 5)
    assert plan_suite(suite, PlanSpec()).affordable is None


def test_what_costs_next_to_nothing_or_too_much_gives_no_infinite_number() -> None:
    # 1e308 / 1e-300 overflows to infinity: what is asked about are a billion runs at most.
    bought = plan_suite(SuiteNoise("x", 20, 0.1, usd_per_round=4e-299), PlanSpec(budget_usd=1e308)).affordable
    assert bought is not None and bought.runs == 10**9
    done = CliRunner().invoke(main, ["gate", "plan", "--usd-per-run", "1e308", "--json", "-"])
    assert (done.exit_code, done.stdout) == (2, "") and "'--usd-per-run'" in done.stderr


def test_one_round_shows_nothing_and_says_so() -> None:
    bought = plan_suite(SuiteNoise("x", 20, 0.1), PlanSpec(budget_runs=40)).affordable
    assert bought is not None and bought.margin is None and bought.stored_margin is None


def test_rates_of_real_agents_give_the_spread_of_a_round() -> None:
    # p(1 − p) of .5 and 1 is .25 and 0, .125 on average: s² = 2·.125/20.
    assert from_rates(20, [0.5, 1.0]).round_sd == pytest.approx((2 * 0.125 / 20) ** 0.5)


def test_tasks_that_tell_nothing_are_named_with_what_thinning_saves_and_costs() -> None:
    suite = SuiteNoise("x", 12, 0.1, idle=("a (always passes)", "b (always fails)", "c (always passes)"))
    # Three of twelve tasks, two rounds of three left out: 3·(2/3)/12 = 17% of the runs, 4 of 24 a round.
    text = " ".join(markdown.render(document(plan_suite(suite, PlanSpec()))).split())
    assert "would save 17% of the runs" in text and "after three rounds" in text


def test_the_command_reads_the_store_or_else_real_rates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate_spec: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    rate = lambda arm, check: 1.0 if check.startswith("t0") else 0.6  # noqa: E731
    options = {"policy": Policy("contract"), "epochs": 3, "store": str(tmp_path / "store")}
    spec, _ = simulated(tmp_path, monkeypatch, gate_spec, rate, **options)
    gate_run(spec)
    words = ["gate", "plan", "--store", str(tmp_path / "store"), "--baseline", str(spec.baseline)]
    found = CliRunner().invoke(main, [*words, "--budget-runs", "80", "--json", "-"])
    data = json.loads(found.stdout)
    assert found.exit_code == 0 and data["tasks"] == 4 and data["recorded"] == 3 and "store" in data["source"]
    assert data["idle"] == ["t0 (always passes)"] and data["affordable"]["stored_rounds"] == 20
    real = CliRunner().invoke(main, ["gate", "plan", "--json", "-"])
    assert "pass rates of real agents" in json.loads(real.stdout)["source"]
    stated = CliRunner().invoke(main, ["gate", "plan", "--pass-rate", "0.9", "--json", "-"])
    assert "assumption of 4 checks" in json.loads(stated.stdout)["source"]
    # The function reads the settings as the command does.
    Path("steelyard.yaml").write_text(f"gate: {{store: {tmp_path / 'store'}, margin: 0.1}}\n")
    planned = api.gate_power()
    assert (planned.tasks, planned.margin) == (4, 0.1) and "store" in planned.source
    assert "assumption of 4 checks" in api.gate_power(pass_rate=0.9).source
