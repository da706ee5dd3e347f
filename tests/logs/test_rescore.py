from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from steelyard.errors import InputError, LogError
from steelyard.logs.identity import read_stamp
from steelyard.logs.read import read_log
from steelyard.logs.rescore import AUTHOR, rescore
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored
from steelyard.stamp import Fingerprint, Stamp

from ..judge.stub_judge import REPLIES, Reply

CALLS: list[str] = []


@scorer(metrics=[mean()])
def rescored_judge(values: dict[str, float] | None = None) -> Scorer:
    """Scores what it has a value for; the rest is left open by the judge."""

    async def score(state: TaskState, target: Target) -> Score:
        CALLS.append(str(state.sample_id))
        value = (values or {}).get(str(state.sample_id))
        if value is None:
            return to_score(Unscored("judge", "the judge was silent"), metadata={"attempt": len(CALLS)})
        return to_score(Scored(value), answer=state.output.completion, explanation="graded", metadata={"by": "judge"})

    return score


@scorer(metrics=[mean()])
def other_scorer() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return to_score(Scored(1.0))

    return score


def run(
    folder: Path,
    values: dict[str, float],
    judge: str | None = "judge/one",
    epochs: int = 1,
    reply: Reply = lambda _: "an answer",
) -> Path:
    stamp = Stamp(
        "bench", "unit", Fingerprint(dataset="d", samples="s", scorer="rescored_judge", judge=judge, rubric="r1")
    )
    task = Task(
        dataset=[Sample(id=name, input=f"say {name}") for name in ("a", "b", "c")],
        scorer=[rescored_judge(values), other_scorer()],
        metadata=stamp.as_metadata(),
        name="t",
    )
    REPLIES["subject"] = reply
    [log] = eval(task, model="stub/subject", log_dir=str(folder), display="none", epochs=epochs, fail_on_error=False)
    assert log.status == "success"
    return Path(log.location)


def scores(path: Path) -> dict[str, Any]:
    return {str(sample.id): sample.scores["rescored_judge"] for sample in read_eval_log(str(path)).samples or []}  # type: ignore[index]


def metric(log: EvalLog, name: str) -> float:
    assert log.results is not None
    return next(each.metrics["mean"].value for each in log.results.scores if each.name == name)


def test_only_open_runs_are_graded_and_the_old_score_stays_in_the_history(tmp_path: Path) -> None:
    path = run(tmp_path, {"a": 0.5})
    CALLS.clear()
    found = rescore(path, rescored_judge({"a": 0.9, "b": 0.7}), everything=False, judge="judge/one", rubric="r1")
    assert sorted(CALLS) == ["b", "c"]
    assert (found.graded, found.scored, found.open, found.reasons) == (2, 1, 1, ("the judge was silent",))
    now = scores(path)
    assert now["a"].value == 0.5
    assert now["a"].history == []
    assert now["b"].value == 0.7
    assert [math.isnan(edit.value) for edit in now["b"].history] == [True, False]
    assert now["b"].history[0].reason == "judge"
    assert now["b"].history[1].provenance.author == AUTHOR
    assert now["b"].reason is None
    assert now["b"].metadata == {"by": "judge"}
    # mean of .5 and .7; the other scorer's results are untouched
    log = read_eval_log(str(path))
    assert metric(log, "rescored_judge") == pytest.approx(0.6)
    assert metric(log, "other_scorer") == 1.0
    outcomes = {row.id: row.scores["rescored_judge"].outcome for row in read_log(path).runs}
    assert outcomes["b"] == Scored(0.7)
    assert isinstance(outcomes["c"], Unscored)


def test_the_subject_is_never_called_again(tmp_path: Path) -> None:
    path = run(tmp_path, {})
    del REPLIES["subject"]
    before = [sample.messages for sample in read_eval_log(str(path)).samples or []]
    rescore(path, rescored_judge({"a": 1.0}), everything=True, judge="judge/two")
    assert [sample.messages for sample in read_eval_log(str(path)).samples or []] == before


def test_everything_is_graded_with_another_judge_and_the_fingerprint_says_so(tmp_path: Path) -> None:
    path = run(tmp_path, {"a": 0.1, "b": 0.2, "c": 0.3})
    more = {"a": 0.9, "b": 0.8, "c": 0.7}
    found = rescore(path, rescored_judge(more), everything=True, judge="judge/two", rubric="r2")
    assert (found.graded, found.scored, found.open, found.kept) == (3, 3, 0, 0)
    assert [edit.value for edit in scores(path)["a"].history] == [0.1, 0.9]
    stamp = read_stamp(read_eval_log(str(path)).eval.metadata)
    assert stamp is not None
    assert (stamp.fingerprint.judge, stamp.fingerprint.rubric) == ("judge/two", "r2")


def test_a_number_never_gives_way_to_no_verdict(tmp_path: Path) -> None:
    path = run(tmp_path, {"a": 0.1, "b": 0.2})
    found = rescore(path, rescored_judge({"a": 0.9}), everything=True, judge="judge/one", rubric="r1")
    # a is graded anew, b keeps what it had, c never had a number.
    assert (found.graded, found.scored, found.open, found.kept) == (3, 1, 1, 1)
    assert not found.finished and found.reasons == ("the judge was silent",)
    now = scores(path)
    assert (now["a"].value, now["b"].value) == (0.9, 0.2)
    assert math.isnan(now["c"].value)
    assert metric(read_eval_log(str(path)), "rescored_judge") == pytest.approx(0.55)


def test_a_log_passes_to_another_judge_whole_or_not_at_all(tmp_path: Path) -> None:
    path = run(tmp_path, {"a": 0.1, "b": 0.2})
    before = path.read_bytes()
    # Without a verdict on b, a new number for a would stand beside the old judge's b.
    found = rescore(path, rescored_judge({"a": 0.9, "c": 0.3}), everything=True, judge="judge/two", rubric="r1")
    assert (found.graded, found.scored, found.open, found.kept) == (3, 0, 1, 2)
    assert path.read_bytes() == before
    found = rescore(path, rescored_judge({"a": 0.9, "b": 0.3}), everything=True, judge="judge/two", rubric="r1")
    assert (found.graded, found.scored, found.open, found.kept) == (3, 2, 1, 0)


def test_runs_without_anything_to_grade_are_neither_graded_nor_open(tmp_path: Path) -> None:
    path = run(tmp_path, {})
    CALLS.clear()
    judge = rescored_judge({"a": 0.9, "b": 0.8, "c": 0.7})
    found = rescore(path, judge, everything=True, judge="judge/one", gradable=lambda sample: sample.id != "c")
    assert sorted(CALLS) == ["a", "b"]
    assert (found.graded, found.scored, found.open, found.finished) == (2, 2, 0, True)


@pytest.mark.parametrize(
    ("failing", "why"),
    [
        (["b"], "1 run failed and holds no answer; run it again"),
        (["a", "b", "c"], "3 runs failed and hold no answer; run them again"),
    ],
)
def test_runs_that_failed_are_open_for_a_reason(tmp_path: Path, failing: list[str], why: str) -> None:
    def reply(messages: list[Any]) -> str:
        if messages[-1].text.removeprefix("say ") in failing:
            raise RuntimeError("the subject fell over")
        return "an answer"

    path = run(tmp_path, {"a": 0.1, "b": 0.2, "c": 0.3}, reply=reply)
    found = rescore(path, rescored_judge({}), everything=False, judge="judge/one", rubric="r1")
    assert (found.graded, found.open, found.reasons) == (0, len(failing), (why,))


def test_two_judges_are_never_mixed(tmp_path: Path) -> None:
    path = run(tmp_path, {"a": 0.1})
    before = path.read_bytes()
    for judge, rubric in (("judge/two", "r1"), ("judge/one", "r2")):
        with pytest.raises(InputError, match="--all"):
            rescore(path, rescored_judge({"b": 0.9}), everything=False, judge=judge, rubric=rubric)
    assert path.read_bytes() == before


def test_a_log_nobody_has_judged_yet_takes_any_judge(tmp_path: Path) -> None:
    path = run(tmp_path, {}, judge=None)
    assert rescore(path, rescored_judge({"a": 0.4}), everything=False, judge="judge/two", rubric="r1").scored == 1
    stamp = read_stamp(read_eval_log(str(path)).eval.metadata)
    assert stamp is not None
    assert stamp.fingerprint.judge == "judge/two"


def test_epochs_are_runs_of_their_own(tmp_path: Path) -> None:
    path = run(tmp_path, {}, epochs=2)
    assert rescore(path, rescored_judge({"a": 0.4}), everything=False, judge="judge/one").graded == 6
    assert sum(row.scores["rescored_judge"].outcome == Scored(0.4) for row in read_log(path).runs) == 2


def test_nothing_open_is_nothing_written(tmp_path: Path) -> None:
    path = run(tmp_path, {"a": 0.1, "b": 0.2, "c": 0.3})
    before = path.stat().st_mtime_ns
    assert rescore(path, rescored_judge({}), everything=False, judge="judge/one").graded == 0
    assert path.stat().st_mtime_ns == before


def test_a_failure_while_writing_leaves_the_log_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = run(tmp_path, {})
    before = path.read_bytes()

    def broken(log: Any, location: Any, **_: Any) -> None:
        Path(location).write_bytes(b"half a log")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("inspect_ai.log.write_eval_log", broken)
    with pytest.raises(LogError, match="No space left"):
        rescore(path, rescored_judge({"a": 0.4}), everything=False, judge="judge/one")
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_log_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = run(tmp_path, {})

    @scorer(metrics=[mean()], name="rescored_judge")
    def meddler() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            path.touch()
            return to_score(Scored(0.5))

        return score

    with pytest.raises(LogError, match="changed after it was read"):
        rescore(path, meddler(), everything=False, judge="judge/one")


def test_two_rescorings_at_once_have_a_file_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = run(tmp_path, {})

    def full(log: EvalLog, location: Any, **_: Any) -> None:
        Path(location).write_bytes(b"half a log")
        raise OSError(28, "No space left on device")

    def overtaken(_: Path) -> None:
        with monkeypatch.context() as meanwhile, pytest.raises(LogError, match="No space left"):
            meanwhile.setattr("inspect_ai.log.write_eval_log", full)
            rescore(path, rescored_judge({"a": 0.7}), everything=False, judge="judge/one")

    monkeypatch.setattr("steelyard.logs.write._flush", overtaken)
    # The second one fails while the first is about to take the log's place: the first has all it needs.
    rescore(path, rescored_judge({"a": 0.4}), everything=False, judge="judge/one")
    assert scores(path)["a"].value == 0.4
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("content", [b"", b"not a zip"])
def test_a_damaged_log_is_one_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.eval"
    path.write_bytes(content)
    with pytest.raises(LogError, match="cannot read"):
        rescore(path, rescored_judge({}), everything=False)
    with pytest.raises(LogError, match="cannot read"):
        rescore(tmp_path / "gone.eval", rescored_judge({}), everything=False)
