"""`steelyard bench …` as a person types it: what comes out where, and how it ends."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, write_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from steelyard.bench.model import CATEGORIES
from steelyard.cli.main import main
from steelyard.stamp import Fingerprint, Stamp


@solver
def saying() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("x", f"answer to {state.sample_id}")
        return state

    return solve


@scorer(metrics=[mean()], name="choice")
def even() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=float(int(str(state.sample_id)[1:]) % 2 == 0))

    return score


def exam(**more: Any) -> Task:
    samples = [Sample(id=f"q{n}", input=f"question {n}") for n in range(CATEGORIES["practice_exam"].sample_count)]
    stamp = Stamp("bench", "practice_exam", Fingerprint("d", "s", "choice@1"))
    fields = {"dataset": samples, "solver": saying(), "scorer": even(), "metadata": stamp.as_metadata(), "name": "exam"}
    return Task(**{**fields, **more})


def evaluate(folder: Path, task: Task, **more: Any) -> EvalLog:
    [log] = run_eval(task, model="steelyard/smollm2", log_dir=str(folder), display="none", **more)
    return log


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One full log, and one of everything that must not count."""
    folder = tmp_path_factory.mktemp("logs")
    good = evaluate(folder, exam())
    evaluate(folder / "limited", exam(), limit=5)
    evaluate(folder / "foreign", exam(metadata={}, name="quiz"))
    write_eval_log(good, str(folder / "copy.eval"))
    (folder / "cut.eval").write_bytes(Path(good.location).read_bytes()[:3000])
    (folder / "empty.eval").write_bytes(b"")
    with zipfile.ZipFile(folder / "strange.eval", "w") as strange:
        strange.writestr("readme.txt", "no log at all")
    return folder


def steelyard(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_the_board_lists_what_does_not_count_and_ends_well(logs: Path, tmp_path: Path) -> None:
    done = steelyard("bench", "board", logs, "--json", tmp_path / "b.json", "--csv", tmp_path / "b.csv")
    assert done.exit_code == 0
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    for word in ("steelyard/smollm2", "50%", "not run", "corrupt", "foreign", "duplicate", "superseded", "±2–5%"):
        assert word in done.stdout
    data = json.loads((tmp_path / "b.json").read_text())
    [row] = data["models"]
    assert row["practice_exam"] == 0.5 and row["overall"] == 0.17 and row["missing"] and row["rank"] is None
    assert (tmp_path / "b.csv").read_text().startswith("rank,model,overall")


def test_dash_means_stdout_and_nothing_else(logs: Path) -> None:
    done = steelyard("bench", "board", logs, "--json", "-")
    assert json.loads(done.stdout)["_metadata"]["model_count"] == 1
    assert steelyard("bench", "board", logs, "--markdown", "-").stdout.startswith("# SA Bench")


def test_the_schema_is_the_shipped_one() -> None:
    assert json.loads(steelyard("bench", "check", "--schema", "leaderboard").stdout)["title"] == "Leaderboard"


def test_reproduce_ends_in_0_1_or_2(logs: Path, tmp_path: Path) -> None:
    path = tmp_path / "published.json"
    rows = {0: {"practice_exam": 0.5, "overall": 0.17}, 1: {"practice_exam": 0.7, "overall": 0.238}}
    for code, row in rows.items():
        path.write_text(json.dumps({"models": [{"model": "steelyard/smollm2", **row}]}))
        assert steelyard("bench", "compare", path, logs, "--reproduce").exit_code == code
    path.write_text(json.dumps({"models": [{"model": "maker/other", "overall": 0.5}]}))
    assert steelyard("bench", "compare", path, logs, "--reproduce").exit_code == 2


def test_diff_of_two_folders_shows_both_answers(logs: Path, tmp_path: Path) -> None:
    @scorer(metrics=[mean()], name="choice")
    def odd() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value=float(str(state.sample_id) == "q1"))

        return score

    evaluate(tmp_path / "other", exam(scorer=odd()))
    done = steelyard("bench", "compare", logs, tmp_path / "other", "--model", "steelyard/smollm2")
    assert done.exit_code == 0, done.output
    assert "26 of 50 items flipped" in done.stdout  # 25 even ones lost, q1 gained
    assert done.stdout.count("answer to q10") == 2


def test_diff_of_unknown_names(logs: Path) -> None:
    done = steelyard("bench", "compare", "maker/a", "maker/b", logs)
    assert done.exit_code == 2 and "maker/a" in done.stderr and "steelyard/smollm2" in done.stderr


def test_items(logs: Path) -> None:
    done = steelyard("bench", "board", logs, "--by", "item", "--csv", "-")
    assert done.exit_code == 0 and done.stdout.count("\n") == 51


def test_dry_run_runs_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    done = steelyard(
        "bench", "run", "--model", "steelyard/floor", "--category", "practice_exam", "--log-dir", folder, "--dry-run"
    )
    assert done.exit_code == 0 and "50 calls" in done.stdout and not folder.exists()


def test_a_dry_run_as_json_is_alone_on_stdout(tmp_path: Path) -> None:
    asked = ["run", "--model", "steelyard/floor", "--limit", "2", "--log-dir", tmp_path / "logs", "--dry-run"]
    done = steelyard("bench", *asked, "--json", "-")
    planned = json.loads(done.stdout)
    assert (planned["calls"], [unit["category"] for unit in planned["units"]]) == (6, list(CATEGORIES))
    assert steelyard("bench", *asked, "--csv", "-").exit_code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["board", "nowhere"], "nowhere"),
        (["board", "{empty}"], "no eval logs"),
        (["board", "{foreign}"], "none of 1 logs"),
        (["run", "--model", "steelyard/nobody"], "steelyard/nobody"),
        (["run", "--model", "steelyard/floor", "--category", "poetry"], "poetry"),
        (["run", "--model", "steelyard/floor", "-M", "nonsense"], "KEY=VALUE"),
        (["run"], "--model"),
        (["compare", "nowhere.json", "logs", "--reproduce"], "logs does not exist"),
        (["compare", "a", "b"], "a does not exist"),
        (["compare", "a", "b", "--reproduce", "--model", "m"], "every model"),
        (["try", "a.md", "b.md", "--item", "pe-001"], "several files"),
        (["try", "a.md", "--at-least", "0.5"], "--item ID"),
        (["check", "nowhere.zip"], "nowhere.zip"),
        (["check", "s.zip", "--pin"], "as a whole"),
        (["check", "--json", "-"], "FILE"),
        (["board", "{file}"], "none of 1 logs"),
        (["try", "nowhere.py"], "nowhere.py"),
        (["try", "{empty}"], "app.py"),
        (["try", "{file}", "--item", "5"], "'5'"),
        (["new", "{file}"], "is a file"),
        (["run", "--model", "5", "--limit", "1"], "model"),
        (["history", "{empty}"], "two boards"),
        (["history", "{file}"], "not valid JSON"),
        (["board", "{empty}", "--sort", "colour"], "one of overall, strict"),
        (["board", "{empty}", "--min-coverage", "7"], "range"),
        (["board", "{empty}", "--by", "item", "--sort", "strict"], "sort has no effect"),
    ],
)
def test_bad_input_is_one_line_and_2(words: list[str], message: str, logs: Path, tmp_path: Path) -> None:
    empty, file = tmp_path / "empty", tmp_path / "file.json"
    empty.mkdir()
    file.write_text("no JSON")
    known = {"{empty}": str(empty), "{foreign}": str(logs / "foreign"), "{file}": str(file)}
    done = steelyard("bench", *(known.get(word, word) for word in words))
    assert done.exit_code == 2 and message in done.stderr
    assert done.stderr.startswith("steelyard: ") and done.stderr.count("\n") == 1 and done.stdout == ""


def test_view_refuses_what_is_not_a_directory(tmp_path: Path) -> None:
    done = steelyard("view", tmp_path / "nothing")
    assert done.exit_code == 2 and "nothing does not exist" in done.stderr
