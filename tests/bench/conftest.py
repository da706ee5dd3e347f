"""Logs for board tests: rows made by hand, so that each rule of docs/scoring.md §1.2 meets exactly its case."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from steelyard.bench.model import CATEGORIES, Board, Spec
from steelyard.bench.read.selection import select
from steelyard.bench.weigh import board
from steelyard.outcome import Scored, Unscored
from steelyard.rows import LogRow, Logs, Problem, RunRow, ScoreRow
from steelyard.stamp import Fingerprint, Stamp

_number = itertools.count()


def run_row(
    item: str, value: float | None, *, scorer: str, epoch: int = 1, error: str | None = None, **more: Any
) -> RunRow:
    """One run; `value` None is unscored through the judge's fault."""
    outcome = Unscored("judge", "no verdict") if value is None else Scored(value)
    score = ScoreRow(float("nan") if value is None else value, outcome, metadata=more.pop("metadata", {}))
    scores = {} if error else {scorer: score}
    usage: Mapping[str, Any] = more.pop("usage", {})
    return RunRow(item, epoch, scores, error, None, 1.0, 1.0, usage, {})


def log_row(
    category: str,
    values: Sequence[float | None] | Mapping[str, float | None] | float,
    *,
    model: str = "maker/one",
    scorer: str | None = None,
    stamped: bool = True,
    **changes: Any,
) -> LogRow:
    """A log of `category`; a single number means a full run in which every item scored it."""
    known = CATEGORIES[category]
    scorer = scorer or known.scorers[0]
    number = next(_number)
    if isinstance(values, (int, float)):
        values = [float(values)] * known.sample_count
    by_item = values if isinstance(values, Mapping) else {f"{category}-{i:02d}": v for i, v in enumerate(values)}
    epochs: int = changes.get("epochs", 1)
    runs = [run_row(i, v, scorer=scorer, epoch=e + 1) for i, v in by_item.items() for e in range(epochs)]
    fingerprint = changes.pop("fingerprint", {})
    mark = Fingerprint(**{"dataset": "d1", "samples": "s1", "scorer": f"{scorer}@1", **fingerprint})
    stamp = Stamp("bench", category, mark, label=changes.pop("label", None)) if stamped else None
    fields: dict[str, Any] = {
        "path": f"logs/{number:04d}.eval",
        "status": "success",
        "task": known.task,
        "task_id": f"task-{number}",
        "run_id": f"run-{number}",
        "eval_id": f"eval-{number}",
        "created": f"2026-01-01T00:00:00.{number:06d}+00:00",
        "model": model,
        "model_args": {},
        "generate_config": {"temperature": 0.0},
        "task_args": {},
        "limited": False,
        "epochs": 1,
        "sample_ids": tuple(by_item),
        "stamp": stamp,
        "runs": tuple(runs),
        "usage": {},
        "versions": {},
        "error": None,
        "metadata": {},
    }
    return LogRow(**{**fields, **changes})


def make_board(*rows: LogRow, problems: Sequence[Problem] = (), **spec: Any) -> Board:
    chosen = Spec(**spec)
    selection = select(Logs(rows, tuple(problems)), chosen)
    return board(selection, chosen, generated_at="2026-01-07T00:00:00Z", run_id="local-test")


@pytest.fixture(name="log_row")
def _log_row() -> Callable[..., LogRow]:
    return log_row


@pytest.fixture(name="run_row")
def _run_row() -> Callable[..., RunRow]:
    return run_row


@pytest.fixture(name="make_board")
def _make_board() -> Callable[..., Board]:
    return make_board


@pytest.fixture(name="full")
def _full() -> Callable[..., tuple[LogRow, ...]]:
    """Full logs of all three categories for one subject."""

    def full(model: str, exam: Any, design: Any, cdk: Any, **more: Any) -> tuple[LogRow, ...]:
        values = {"practice_exam": exam, "architecture_design": design, "cdk_synth": cdk}
        return tuple(log_row(key, value, model=model, **more) for key, value in values.items())

    return full


EVIL = '<script>window.hacked=1</script><img src="https://example.invalid/x" onerror="window.hacked=2">'
"""A name and an answer that would like to be markup."""

SECRET = "the-right-answer-nobody-may-see"

SKILLS = {"maker/strong": 0.9, f"maker/{EVIL}": 0.5, "steelyard/floor": 0.1}


@pytest.fixture(scope="session")
def hostile_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real full logs of three subjects; questions, answers and one name are hostile, every target is SECRET."""
    from inspect_ai import eval as run_eval
    from inspect_ai.log import write_eval_log

    folder = tmp_path_factory.mktemp("logs")
    for key in CATEGORIES:
        scratch = tmp_path_factory.mktemp("scratch")
        [log] = run_eval(_hostile_task(key), model="steelyard/floor", log_dir=str(scratch), display="none")
        for number, (model, skill) in enumerate(SKILLS.items()):
            copy = log.model_copy(deep=True)
            copy.eval.model, copy.eval.eval_id, copy.eval.task_id = model, f"e{number}-{key}", f"t{number}-{key}"
            for place, sample in enumerate(copy.samples or []):
                for score in (sample.scores or {}).values():
                    score.value = float((place * 7) % 10 < 10 * skill)
            write_eval_log(copy, str(folder / f"{key}-{number}.eval"))
    return folder


def _hostile_task(key: str) -> Any:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score, mean, scorer
    from inspect_ai.solver import solver

    @solver
    def answering() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("x", f"an answer with {EVIL} inside")
            return state

        return solve

    @scorer(metrics=[mean()], name=CATEGORIES[key].scorers[0])
    def official() -> Any:
        async def score(state: Any, target: Any) -> Score:
            return Score(value=1.0, explanation=f"because {EVIL}", metadata={"class": "import_error"})

        return score

    count = CATEGORIES[key].sample_count
    samples = [Sample(id=f"{key}-{n:02d}", input=f"question {n} {EVIL}", target=SECRET) for n in range(count)]
    stamp = Stamp("bench", key, Fingerprint("d", "s", f"{CATEGORIES[key].scorers[0]}@1"))
    return Task(dataset=samples, solver=answering(), scorer=official(), metadata=stamp.as_metadata(), name=key)
