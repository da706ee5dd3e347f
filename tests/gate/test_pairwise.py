"""`judge: {mode: pairwise}`: the judge compares the results of both arms, by task and round."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from steelyard import api
from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.model import Comparison
from steelyard.gate.rescore import waits
from steelyard.gate.run import gate_run
from steelyard.gate.run.budget import spent_usd
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.run.session import Session
from steelyard.gate.settings import load_settings
from steelyard.gate.task_folder import load_task
from steelyard.judge.panel import Panel
from steelyard.logs.read import read_logs
from steelyard.models.prices import register_prices

from ..pairs import compared, fairly, is_pair

RUBRIC = "rubric: {name: Tone, about: Whether it says yes, criteria: [{id: yes_said, question: Does it say please}]}\n"
PAIRWISE = RUBRIC + "judge: {mode: pairwise}\n"
SOLVE = "grep -q new $STEELYARD_CONFIG/RULES && echo 'yes please' > answer.txt || echo yes > answer.txt"
ASKED: list[str] = []


@modelapi(name="pairtest")
class Referee(ModelAPI):
    """`pairtest/fair` compares, `pairtest/first` sees through decoys and always prefers the first, `mute` is silent."""

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None, **_: Any) -> None:
        super().__init__(model_name, base_url, api_key, [], GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        if self.model_name == "mute" or not is_pair(input[0].text):
            raise ConnectionError("I would rather not.")
        ASKED.append(input[-1].text)
        fair = fairly({"Does it say please": lambda text: "yes please" in text})

        def choose(about: str, first: str, second: str) -> str:
            biased = self.model_name == "first" and about == "Does it say please"
            return "first" if biased else fair(about, first, second)

        output = ModelOutput.from_content("pairtest", compared(input[-1].text).reply(choose))
        output.usage = ModelUsage(input_tokens=10, output_tokens=0, total_tokens=10, total_cost=1.0)
        return output


def by(name: str) -> Panel:
    return Panel((f"pairtest/{name}",), cache=False)


def outcome_of(weighed: Any) -> Comparison:
    assert isinstance(weighed.outcome, Comparison), weighed.outcome
    return weighed.outcome


def judges(outcome: Comparison) -> list[tuple[float | None, float | None]]:
    return [(task.baseline.judge, task.candidate.judge if task.candidate else None) for task in outcome.tasks]


@pytest.mark.parametrize(("judge", "score", "verdict"), [("fair", 1.0, "improved"), ("first", 0.5, "neutral")])
def test_a_win_counts_only_if_both_orders_agree(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path], judge: str, score: float, verdict: str
) -> None:
    ASKED.clear()
    outcome = outcome_of(gate_run(gate_spec(SOLVE, tasks=suite(more=PAIRWISE), panel=by(judge))))
    assert judges(outcome) == [(0.5, score)]
    assert (outcome.verdict, outcome.tasks[0].judge) == (verdict, "used")
    # 0.4 · (1 − 0.5) of the composite; costs may differ a little
    assert outcome.net_gain == pytest.approx(0.4 * (score - 0.5), abs=0.02)
    assert len(ASKED) == 2 and not any("candidate" in text or "baseline" in text for text in ASKED)


def test_the_mode_of_the_settings_holds_for_tasks_that_name_none_and_is_a_fingerprint(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path], tmp_path: Path
) -> None:
    tasks = suite(more=RUBRIC)
    spec = gate_spec(SOLVE, tasks=tasks, panel=by("fair"), judge_mode="pairwise")
    assert judges(outcome_of(gate_run(spec))) == [(0.5, 1.0)]
    graded = dataclasses.replace(spec, judge_mode=None)
    with pytest.raises(InputError, match="rubric differs"):
        gate_run(graded)


def test_rounds_and_looks_of_an_adaptive_run_are_compared_as_they_come(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]
) -> None:
    ASKED.clear()
    policy = Policy("adaptive", min_rounds=2, max_rounds=3)
    spec = gate_spec(SOLVE, tasks=suite("one", "two", more=PAIRWISE), panel=by("fair"), policy=policy)
    weighed = gate_run(spec)
    outcome = outcome_of(weighed)
    assert judges(outcome) == [(0.5, 1.0)] * 2
    assert len(ASKED) == 2 * 2 * weighed.candidate.rounds  # both orders of two tasks, each round


def test_a_run_killed_before_its_results_were_compared_is_finished_by_the_next_start(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = gate_spec(SOLVE, tasks=suite(more=PAIRWISE), panel=by("fair"))
    with monkeypatch.context() as patch:
        patch.setattr(Session, "_in_pairs", lambda self, rows, spent: [*rows])
        dropped = outcome_of(gate_run(spec))
    assert dropped.tasks[0].judge == "dropped" and "not compared yet" in dropped.ambiguities[0]
    assert any(map(waits, read_logs([spec.log_dir]).rows))
    assert judges(outcome_of(gate_run(spec))) == [(0.5, 1.0)]
    assert judges(outcome_of(api.compare([spec.log_dir]))) == [(0.5, 1.0)]


def test_comparisons_are_paid_from_the_budget_and_go_on_with_a_larger_one(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ASKED.clear()
    monkeypatch.setattr("steelyard.gate.scorer.AT_ONCE", 1)
    tasks = suite("one", "two", more=PAIRWISE)
    # Each call costs $1, so the first comparison, in both orders, spends all there is.
    spec = gate_spec(SOLVE, tasks=tasks, panel=by("fair"), budget_usd=2.0, allow_unknown_cost=True)
    outcome = outcome_of(gate_run(spec))
    assert len(ASKED) == 2 and sorted(task.judge for task in outcome.tasks) == ["dropped", "used"]
    assert any("not compared yet" in why and "the budget of $2.00 is spent" in why for why in outcome.ambiguities)
    ample = outcome_of(gate_run(dataclasses.replace(spec, budget_usd=10.0)))
    assert len(ASKED) == 4 and judges(ample) == [(0.5, 1.0)] * 2
    rows = read_logs([spec.log_dir]).rows
    assert spent_usd(rows)[0] == 4.0
    # An agent whose tokens have prices: $1 for each of the four runs, and the comparisons beside them.
    (prices := tmp_path / "prices.yaml").write_text("pairtest/agent: {input: 1000000, output: 0}\n")
    register_prices(prices)
    usage = {"pairtest/agent": {"input_tokens": 1, "output_tokens": 0, "total_tokens": 1}}
    agents = [
        dataclasses.replace(row, runs=[dataclasses.replace(run, usage=usage) for run in row.runs]) for row in rows
    ]
    assert spent_usd(agents)[0] == 4.0 + 4.0


def test_a_silent_judge_is_dropped_and_rescoring_compares_again(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path]
) -> None:
    spec = gate_spec(SOLVE, tasks=suite(more=PAIRWISE), panel=by("mute"))
    assert outcome_of(gate_run(spec)).tasks[0].judge == "dropped"
    again = ["rescore", str(spec.log_dir), "--all", "--judge", "pairtest/fair", "--no-judge-cache"]
    found = CliRunner().invoke(main, again)
    assert found.exit_code == 0, found.output
    assert judges(outcome_of(api.compare([spec.log_dir]))) == [(0.5, 1.0)]


def test_an_earlier_baseline_is_compared_with_from_its_logs(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path], tmp_path: Path
) -> None:
    first = gate_spec(SOLVE, tasks=suite(more=PAIRWISE), panel=by("fair"))
    gate_run(first)
    later = dataclasses.replace(
        first, baseline=None, baseline_log=str(first.log_dir), log_dir=tmp_path / "later", epochs=2
    )
    assert judges(outcome_of(gate_run(later))) == [(0.5, 1.0)]


def test_rescoring_without_the_baseline_leaves_the_run_open(
    gate_spec: Callable[..., RunSpec], suite: Callable[..., Path], tmp_path: Path
) -> None:
    spec = gate_spec(SOLVE, tasks=suite(more=PAIRWISE), panel=by("mute"))
    gate_run(spec)
    [path] = [row.path for row in read_logs([spec.log_dir]).rows if row.stamp and row.stamp.unit == "candidate"]
    alone = tmp_path / "alone" / "candidate.eval"
    alone.parent.mkdir()
    alone.write_bytes(Path(path).read_bytes())
    done = api.rescore(alone, judge="pairtest/fair", judge_cache=False, everything=True)
    assert not done.finished and "not compared yet" in done.reasons[0]
    done = api.rescore(
        alone, judge="pairtest/fair", judge_cache=False, everything=True, baseline_log=[str(spec.log_dir)]
    )
    assert done.finished


def test_a_task_needs_a_rubric_to_compare_by(write: Callable[..., Path]) -> None:
    text = "id: a\ntitle: A\nprompt: B\nchecks: [{kind: file_exists, path: x}]\njudge: {mode: pairwise}\n"
    with pytest.raises(InputError, match=r"line 5.*no rubric"):
        load_task(write("t/task.yaml", text))


@pytest.mark.parametrize(("line", "names", "mode"), [
    ("judge: [a/b, c/d]", ("a/b", "c/d"), None),
    ("judge: {mode: pairwise}", (), "pairwise"),
    ("judge: {mode: pairwise, names: [a/b]}", ("a/b",), "pairwise"),
])  # fmt: skip
def test_the_settings_name_judges_or_a_mode(
    write: Callable[..., Path], line: str, names: tuple[str, ...], mode: str | None
) -> None:
    settings = load_settings(write("steelyard.yaml", f"gate:\n  {line}\n"))
    assert (settings.judges, settings.judge_mode) == (names, mode)


@pytest.mark.parametrize("line", ["judge: {mode: pairs}", "judge: {modes: pairwise}", "judge: {names: ['']}"])
def test_a_mistake_in_the_settings_is_named_with_its_line(write: Callable[..., Path], line: str) -> None:
    with pytest.raises(InputError, match="line 2"):
        load_settings(write("steelyard.yaml", f"gate:\n  {line}\n"))
