"""A board over any Inspect tasks: only what the file and the logs say is on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, match, mean, model_graded_qa, scorer
from inspect_ai.solver import TaskState

from steelyard import api
from steelyard.errors import IncomparableError, InputError

SAMPLES = [Sample(id=number, input=f"question {number}", target=str(number % 3)) for number in range(1, 13)]
"""Every third answer is 0."""


@scorer(metrics={"*": [mean()]})
def two_values() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        right = float(target.text in state.output.completion)
        return Score(value={"exact": right, "loose": 0.5 + right / 2})

    return score


@scorer(metrics=[mean()])
def out_of_ten() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=10 if target.text in state.output.completion else 4)

    return score


@task
def plain() -> Task:
    return Task(MemoryDataset(SAMPLES), scorer=match())


@task
def several() -> Task:
    return Task(MemoryDataset(SAMPLES), scorer=two_values(), config=GenerateConfig(temperature=0.3))


@task
def graded() -> Task:
    return Task(MemoryDataset(SAMPLES), scorer=out_of_ten())


BOARD = """\
title: Arithmetic
question: who counts best?
margin: 0.04
baselines: [mockllm/chance]
categories:
  plain: {task: plain, weight: 0.5, margin: 0.03}
  several: {task: several, weight: 0.25, scorer: two_values.loose}
  graded: {task: graded, weight: 0.25, range: [0, 10], title: Graded essays}
"""


def replies(model: str, text: str) -> Iterator[ModelOutput]:
    while True:
        output = ModelOutput.from_content(model, text)
        output.usage = ModelUsage(input_tokens=5, output_tokens=1, total_tokens=6)
        yield output


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("any") / "logs"
    for model, text in (("mockllm/zero", "0"), ("mockllm/all", "0 1 2"), ("mockllm/chance", "9")):
        for make in (plain, several, graded):
            subject = get_model(model, custom_outputs=replies(model, text))
            eval(make(), model=subject, log_dir=str(folder), display="none")
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "board.yaml"
    path.write_text(BOARD)
    return path


def test_scores_weights_and_margins_are_those_of_the_file(logs: Path, file: Path) -> None:
    board = api.leaderboard([logs], categories=file)
    rows = {row.model: row for row in board.rows}
    # 4 of 12 targets are 0: plain 1/3, loose 2/3, out of ten (4·10 + 8·4)/120 = 0.6
    scores = {key: result.score for key, result in rows["mockllm/zero"].results.items()}
    assert scores == pytest.approx({"plain": 1 / 3, "several": 2 / 3, "graded": 0.6})
    assert rows["mockllm/zero"].overall == pytest.approx(0.5 / 3 + 0.25 * 2 / 3 + 0.25 * 0.6)
    # `several` sets a temperature of its own: that makes no second subject.
    assert {name: (row.complete, row.rank, row.baseline) for name, row in rows.items()} == {
        "mockllm/zero": (True, 2, False),
        "mockllm/all": (True, 1, False),
        "mockllm/chance": (True, None, True),
    }
    categories = board.suite.categories
    assert {key: (each.sample_count, each.scoring, each.margin) for key, each in categories.items()} == {
        "plain": (12, "binary", 0.03),
        "several": (12, "rubric", 0.04),
        "graded": (12, "rubric", 0.04),
    }


def test_less_is_better_where_the_worst_score_is_the_higher_one(logs: Path, file: Path) -> None:
    file.write_text(BOARD.replace("range: [0, 10]", "range: [10, 0]"))
    rows = {row.model: row for row in api.leaderboard([logs], categories=file).rows}
    assert rows["mockllm/zero"].results["graded"].score == pytest.approx(1 - 0.6)


@pytest.mark.parametrize("first", ["mockllm/all", "mockllm/zero"])
def test_which_log_is_read_first_decides_nothing(first: str, logs: Path, file: Path, tmp_path: Path) -> None:
    # A model that is right throughout has full marks only; what the others get lies between.
    for path in logs.glob("*.eval"):
        model = read_eval_log(str(path), header_only=True).eval.model
        (tmp_path / f"{int(model != first)}-{path.name}").write_bytes(path.read_bytes())
    board = api.leaderboard([tmp_path], categories=file)
    scoring = {key: each.scoring for key, each in board.suite.categories.items()}
    assert scoring == {"plain": "binary", "several": "rubric", "graded": "rubric"}
    file.write_text(BOARD.replace(", range: [0, 10]", ""))
    with pytest.raises(IncomparableError, match=r"graded \(4 to 10\)"):
        api.leaderboard([tmp_path], categories=file)


def test_nothing_of_sa_bench_is_on_it(logs: Path, file: Path, tmp_path: Path) -> None:
    board = api.leaderboard([logs], categories=file, page=tmp_path / "page")
    data = json.loads(api.bench_report(board, "json"))
    assert data["_metadata"]["suite"] == "tasks:board" and list(data["_metadata"]["categories"]) == list(
        board.suite.categories
    )
    assert not any("items_hash" in each for each in data["_metadata"]["categories"].values())
    assert "strict" not in board.records()[0]
    assert {pair["declared"] for pair in data["pairs"]} == {None}
    texts = [api.bench_report(board, name) for name in ("json", "csv", "markdown")]
    texts += [path.read_text() for path in (tmp_path / "page").rglob("*.html")]
    for word in (
        "Architecture",
        "architect",
        "Intent",
        "intent",
        "SA Bench",
        "CDK",
        "Strict",
        "strict_",
        "By size",
        "definite",
    ):
        assert not any(word in text for text in texts), word
    assert "Arithmetic: who counts best?" in (tmp_path / "page" / "index.html").read_text()


def test_a_category_that_nobody_has_run_is_missing(logs: Path, file: Path, tmp_path: Path) -> None:
    file.write_text("title: Two\ncategories:\n  plain: {task: plain}\n  later: {task: later}\n")
    board = api.leaderboard([logs], categories=file, page=tmp_path / "page")
    assert {row.missing for row in board.rows} == {("later",)}
    assert json.loads(api.bench_report(board, "json"))["_metadata"]["categories"]["later"]["sample_count"] == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            ", scorer: two_values.loose",
            "",
            r"several \(two_values\.exact, two_values\.loose\).*scorer: .* below several",
        ),
        (".loose", "", r"several \(two_values\.exact, two_values\.loose\)"),
        (", range: [0, 10]", "", r"outside 0 to 1: graded \(4 to 10\).*range: \[worst, best\] below graded"),
    ],
)
def test_the_file_says_which_number_counts_and_what_it_means(
    logs: Path, file: Path, old: str, new: str, message: str
) -> None:
    file.write_text(BOARD.replace(old, new))
    with pytest.raises(IncomparableError, match=message):
        api.leaderboard([logs], categories=file)


def test_a_log_without_the_scorer_says_which_it_has(logs: Path, file: Path) -> None:
    file.write_text(BOARD.replace("task: plain,", "task: plain, scorer: exact,").replace("two_values.loose", "loose"))
    board = api.leaderboard([logs], categories=file)
    assert {entry.reason for entry in board.ignored} == {
        "holds no score by exact, only by match",
        "holds no score by loose, only by two_values.exact, two_values.loose",
    }


@pytest.mark.parametrize("called", [True, False])
def test_a_grader_that_was_never_called_did_not_judge(tmp_path: Path, called: bool) -> None:
    graders = model_graded_qa() if called else match()
    subject, grader = (
        get_model(f"mockllm/{name}", custom_outputs=list(islice(replies(name, "GRADE: C"), 2))) for name in "sg"
    )
    one = Task(MemoryDataset(SAMPLES[:2]), scorer=graders, name="one")
    eval(one, model=subject, model_roles={"grader": grader}, log_dir=str(tmp_path / "logs"), display="none")
    (tmp_path / "board.yaml").write_text("title: One\ncategories:\n  one: {task: one}\n")
    (row,) = api.leaderboard([tmp_path / "logs"], categories=tmp_path / "board.yaml").rows
    assert row.results["one"].judge == ("mockllm/g" if called else None)


def test_logs_of_other_tasks_are_listed(logs: Path, file: Path) -> None:
    file.write_text("title: One\ncategories:\n  plain: {task: plain}\n")
    board = api.leaderboard([logs], categories=file)
    assert {entry.kind for entry in board.ignored} == {"foreign"} and len(board.ignored) == 6
    assert [row.complete for row in board.rows] == [True] * 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("weight: 0.5", "weight: 0.4", "line 1: .*weights must sum to 1.*0.90"),
        ("weight: 0.5, ", "", "weights must sum to 1"),
        ("task: graded", "task: plain", "plain and graded have the same task plain; a log counts in one of them only"),
        ("task: graded", "task: pack/plain", "plain and graded have the same task"),
        ("  plain:", "  overall:", "uses the key overall for something else"),
        ("  plain:", "  size:", "uses the key size for something else"),
        ("range: [0, 10]", "range: [10, 10]", "line 8: .*worst and the best score are the same"),
        ("title: Graded", "colour: Graded", "line 8: .*colour: unknown key"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line(file: Path, old: str, new: str, message: str) -> None:
    file.write_text(BOARD.replace(old, new))
    with pytest.raises(InputError, match=message):
        api.bench_suite(categories=file)


def test_a_suite_and_a_file_exclude_each_other(file: Path) -> None:
    with pytest.raises(InputError, match="give one of them"):
        api.bench_suite("hard", categories=file)
