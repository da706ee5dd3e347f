"""Running on eval sets: resume, budget, and finishing what our own failures left open; with a small stand-in task."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from steelyard.bench.board import make_board
from steelyard.bench.model import CATEGORIES, Spec
from steelyard.bench.read.subject import SHAPES_ANSWERS
from steelyard.bench.run import diagram_mode, make_task, plan, run
from steelyard.bench.run.plan import RunSpec
from steelyard.errors import InputError, ModelError
from steelyard.logs.read import read_logs
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored
from steelyard.stamp import Fingerprint, Stamp


@dataclass
class World:
    """What the stand-in task does, and what was asked of it."""

    asked: Counter[str] = field(default_factory=Counter[str])
    """Sample id → how often the subject was called."""
    graded: Counter[str] = field(default_factory=Counter[str])
    dataset: str = "d"
    """Hash of its items."""
    breaks: Callable[[str, int], bool] = lambda item, time: False
    """Whether the subject's provider fails, on its nth call."""
    scores: Callable[[str, str, int], bool] = lambda item, answer, time: True
    """Whether the scorer gives a number for an answer, on its nth try."""


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()

    @solver
    def subject() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            item = str(state.sample_id)
            world.asked[item] += 1
            if world.breaks(item, world.asked[item]):
                raise ConnectionError("the provider went away")
            state.output = ModelOutput.from_content("x", f"answer {world.asked[item]}")
            return state

        return solve

    @scorer(metrics=[mean()], name="choice")
    def flaky() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            item = str(state.sample_id)
            world.graded[item] += 1
            if world.scores(item, state.output.completion, world.graded[item]):
                return to_score(Scored(1.0))
            return to_score(Unscored("judge", "no verdict"))

        return score

    @task
    def practice_exam(label: str | None = None) -> Task:
        samples = [Sample(id=name, input=f"question {name}") for name in "abc"]
        stamp = Stamp("bench", "practice_exam", Fingerprint(world.dataset, "s", "choice@1"), label)
        return Task(dataset=samples, solver=subject(), scorer=flaky(), metadata=stamp.as_metadata())

    monkeypatch.setattr("steelyard.bench.practice_exam.task.practice_exam", practice_exam)
    return world


def spec(folder: Path, **more: Any) -> RunSpec:
    return RunSpec(**{"models": ("steelyard/floor",), "categories": ("practice_exam",), "log_dir": folder, **more})


def scored(folder: Path) -> int:
    [row] = make_board([folder], Spec()).rows
    return row.results["practice_exam"].scored


def test_finished_work_is_not_repeated_and_a_limit_can_be_lifted(world: World, tmp_path: Path) -> None:
    assert run(spec(tmp_path, limit=2)).problems == ()
    assert dict(world.asked) == {"a": 1, "b": 1}
    run(spec(tmp_path))
    assert dict(world.asked) == {"a": 1, "b": 1, "c": 1} and scored(tmp_path) == 3
    run(spec(tmp_path))
    assert sum(world.asked.values()) == 3


def test_provider_errors_are_retried_within_a_run(world: World, tmp_path: Path) -> None:
    world.breaks = lambda item, time: item == "b" and time <= 2
    assert run(spec(tmp_path)).problems == ()
    assert world.asked["b"] == 3 and world.asked["a"] == 1 and scored(tmp_path) == 3


def test_a_run_that_keeps_failing_reports_it_and_continues_later(world: World, tmp_path: Path) -> None:
    world.breaks = lambda item, time: item == "b"
    done = run(spec(tmp_path))
    assert len(done.problems) == 1 and "provider went away" in done.problems[0]
    board = make_board([tmp_path], Spec())
    assert board.withheld == (("steelyard/floor", "practice_exam"),)  # 1 of 3 lost: no number
    world.breaks = lambda item, time: False
    before = world.asked["a"]
    assert run(spec(tmp_path)).problems == ()
    assert scored(tmp_path) == 3 and world.asked["a"] == before


def test_an_answer_left_unscored_is_graded_on_the_next_start_without_asking_again(world: World, tmp_path: Path) -> None:
    world.scores = lambda item, answer, time: item != "b" or time > 1
    assert run(spec(tmp_path)).unscored == {"judge: no verdict": 1}
    assert scored(tmp_path) == 2
    done = run(spec(tmp_path))
    assert done.unscored == {} and done.finished == 1 and scored(tmp_path) == 3
    assert dict(world.asked) == {"a": 1, "b": 1, "c": 1} and world.graded["a"] == 1


def test_only_samples_that_grading_cannot_finish_run_again(world: World, tmp_path: Path) -> None:
    world.scores = lambda item, answer, time: item != "b" or answer == "answer 2"
    run(spec(tmp_path))
    assert scored(tmp_path) == 2
    run(spec(tmp_path))
    assert dict(world.asked) == {"a": 1, "b": 2, "c": 1} and scored(tmp_path) == 3


def test_a_budget_stops_new_work_and_more_budget_continues(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from steelyard.bench.run import budget as meter

    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2, total_cost=0.4)

    async def count(state: TaskState) -> None:
        for each in meter._active:
            each.used("maker/one", usage)
            each.samples += 1

    monkeypatch.setattr("steelyard.bench.run.task.count", count)
    done = run(spec(tmp_path, budget_usd=0.1, max_connections=1))
    assert done.spent_usd >= 0.1 and any("budget" in each for each in done.problems)
    run(spec(tmp_path, budget_usd=100.0))
    assert scored(tmp_path) == 3 and all(times == 1 for times in world.asked.values())


def test_epochs(world: World, tmp_path: Path) -> None:
    run(spec(tmp_path, epochs=2))
    [row] = make_board([tmp_path], Spec()).rows
    result = row.results["practice_exam"]
    assert result.scored == 6 and result.expected == 100 and result.epochs == 2


def test_a_label_names_the_subject(world: World, tmp_path: Path) -> None:
    run(spec(tmp_path, label="ours"))
    assert [row.model for row in make_board([tmp_path], Spec()).rows] == ["ours"]


def test_temperature_is_zero_by_default(world: World, tmp_path: Path) -> None:
    run(spec(tmp_path / "cold", limit=1))
    [log] = read_logs([tmp_path / "cold"]).rows
    assert log.generate_config["temperature"] == 0.0
    run(spec(tmp_path / "free", limit=1, temperature=None))
    [log] = read_logs([tmp_path / "free"]).rows
    assert log.generate_config.get("temperature") is None


def test_progress_is_reported(world: World, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    run(spec(tmp_path), lambda what, done, total: told.append((what, done, total)))
    assert told[-1] == ("steelyard/floor · Practice Exam", 3, 3)


def test_the_plan_counts_what_is_left(world: World, tmp_path: Path) -> None:
    [unit] = plan(spec(tmp_path, epochs=2))
    assert (unit.items, unit.runs, unit.calls, unit.cost_usd) == (3, 6, 6, 0.0)
    run(spec(tmp_path, epochs=2))
    assert plan(spec(tmp_path, epochs=2))[0].calls == 0
    world.dataset = "another"
    assert plan(spec(tmp_path, epochs=2))[0].calls == 6, "other items are all to be run"
    assert not world.asked - Counter({"a": 2, "b": 2, "c": 2})


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"models": ("nonsense",)}, ModelError, "cannot use the model nonsense"),
        ({"models": ("steelyard/nobody",)}, ModelError, "there is no model steelyard/nobody"),
        ({"models": ()}, InputError, "no model"),
        ({"categories": ("poetry",)}, InputError, "poetry"),
        ({"models": ("steelyard/floor", "steelyard/ceiling"), "label": "x"}, InputError, "label"),
        ({"scorer": "judge"}, InputError, "judge"),
    ],
)
def test_bad_input(world: World, tmp_path: Path, changes: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        run(spec(tmp_path, **changes))
    assert not list(tmp_path.iterdir())


def test_unknown_prices_refuse_a_budget_unless_allowed(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "no-key-at-all")
    asked = spec(tmp_path, models=("anthropic/claude-of-tomorrow",), budget_usd=1.0)
    with pytest.raises(InputError, match="claude-of-tomorrow is unknown"):
        plan(asked)
    plan(replace(asked, allow_unknown_prices=True))
    prices = tmp_path / "prices.yaml"
    prices.write_text("anthropic/claude-of-tomorrow: {input: 3, output: 15}\n")
    [unit] = plan(replace(asked, prices=prices))
    # 3 prompts of 10 characters are 8 tokens (7.5, rounded); 3 answers of 250 tokens
    assert unit.cost_usd == pytest.approx((8 * 3 + 750 * 15) / 1e6)


@pytest.mark.parametrize("price", ["-3", ".nan", ".inf"])
def test_a_price_that_would_disarm_a_budget_is_refused(world: World, tmp_path: Path, price: str) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(f"mockllm/model: {{input: {price}, output: 15}}\n")
    with pytest.raises(InputError, match="price of mockllm/model"):
        plan(spec(tmp_path, prices=prices, budget_usd=1.0))


@pytest.mark.parametrize("text", ["[1]", "null", "{a: 1}", "{a: {output: 1}}"])
def test_a_price_list_of_another_shape_is_named(world: World, tmp_path: Path, text: str) -> None:
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(InputError, match="is not a price list"):
        plan(spec(tmp_path, prices=tmp_path / "prices.yaml"))


def test_one_model_is_one_subject_in_all_categories() -> None:
    # Settings that shape answers must not differ between the tasks, or a model would fall apart on the board.
    asked = RunSpec(models=("steelyard/floor",))
    configs = [make_task(key, asked).config.model_dump(exclude_none=True) for key in CATEGORIES]
    assert all(
        {name: each[name] for name in each if name in SHAPES_ANSWERS} == {"temperature": 0.0} for each in configs
    )


@pytest.mark.parametrize(
    ("models", "asked", "mode"),
    [
        (("anthropic/claude-sonnet-4-5", "openai/gpt-4o"), "auto", "image"),
        (("anthropic/claude-sonnet-4-5", "steelyard/ceiling"), "auto", "image"),  # a baseline has no say
        (("anthropic/claude-sonnet-4-5", "openai/o3-mini"), "auto", "text"),
        (("anthropic/claude-sonnet-4-5", "steelyard/smollm2"), "auto", "text"),
        (("steelyard/ceiling", "steelyard/floor"), "auto", "text"),
        (("steelyard/smollm2",), "image", "image"),
    ],
)
def test_one_diagram_mode_for_all_subjects_of_a_run(models: tuple[str, ...], asked: str, mode: str) -> None:
    assert diagram_mode(RunSpec(models=models, diagrams=asked)) == mode


def test_ctrl_c_ends_the_run(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What Inspect's eval set gives back after an interrupt: success, and no log.
    monkeypatch.setattr("inspect_ai.eval_set", lambda *args, **options: (True, []))
    with pytest.raises(KeyboardInterrupt):
        run(spec(tmp_path))


def test_one_eval_set_holds_every_model_and_its_parts_can_be_run_by_others(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, manifest, selection = tmp_path / "logs", tmp_path / "tasks.json", tmp_path / "selection.json"
    whole = spec(logs, models=("steelyard/floor", "steelyard/ceiling", "steelyard/floor"))
    with monkeypatch.context() as environment:
        environment.setenv("INSPECT_EVAL_SET_CAPTURE", str(manifest))
        with pytest.raises(SystemExit) as ended:
            run(whole)
    captured = json.loads(manifest.read_text())["tasks"]
    assert ended.value.code == 0 and not logs.exists() and not world.asked
    assert [each["model"] for each in captured] == ["steelyard/floor", "steelyard/ceiling"]  # each once

    chosen = {"version": 7, "eval_set_id": "runner", "tasks": [{"identifier": captured[1]["identifier"]}]}
    selection.write_text(json.dumps(chosen))
    with monkeypatch.context() as environment:
        environment.setenv("INSPECT_EVAL_SET_SELECTION", str(selection))
        assert run(whole).problems == ()
    [log] = read_logs([logs]).rows
    assert log.model == "steelyard/ceiling" and [path.suffix for path in logs.iterdir()] == [".eval"]

    steps: list[tuple[str, int, int]] = []
    run(whole, lambda *step: steps.append(step))
    assert dict(world.asked) == {"a": 2, "b": 2, "c": 2}  # the selected task is not repeated
    assert {step for step in steps if step[1] == 3} == {
        ("steelyard/floor · Practice Exam", 3, 3),
        ("steelyard/ceiling · Practice Exam", 3, 3),
    }


def test_a_task_that_a_spent_budget_kept_from_starting_leaves_no_log(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from steelyard.bench.run import budget as meter

    monkeypatch.setattr(meter.Meter, "exhausted", True)
    done = run(spec(tmp_path, budget_usd=0.1))
    assert done.problems == ("the budget of $0.1 is spent; run again with a larger one to continue",)
    assert not world.asked and not list(tmp_path.glob("*.eval"))
