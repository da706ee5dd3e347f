"""Grading existing answers again: what a judge left open, another judge, and the judged twin of a heuristic log."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import steelyard.judge.attack.scripted
from steelyard.bench.board import make_board
from steelyard.bench.model import Spec
from steelyard.bench.report.data import json_text, leaderboard
from steelyard.bench.rescore import rescore_log
from steelyard.bench.run import run
from steelyard.bench.run.plan import RunSpec
from steelyard.cli.main import main
from steelyard.errors import IncomparableError, InputError, LogError
from steelyard.judge.panel import Panel
from steelyard.logs.read import find_logs, read_log, read_samples

assert steelyard.judge.attack.scripted  # importing it registers the judges used here

GENEROUS = Panel(("scripted/generous",), cache=False)


def architecture(folder: Path, **more: object) -> str:
    """A log of two answers."""
    fields = {"models": ("steelyard/ceiling",), "categories": ("architecture_design",), "limit": 2, **more}
    run(RunSpec(log_dir=folder, **fields))
    [path] = find_logs([folder])
    return path


def test_unscored_runs_are_graded_without_calling_the_subject(tmp_path: Path) -> None:
    path = architecture(tmp_path, scorer="judge", judges=("scripted/silent",), judge_cache=False)
    before = read_log(path)
    assert make_board([path], Spec()).withheld  # the judge never answered: no number
    done = rescore_log(path, GENEROUS, everything=False)
    assert (done.graded, done.scored, done.open) == (2, 2, 0)
    after = read_log(path)
    assert after.stamp and after.stamp.fingerprint.judge == "scripted/generous"
    assert after.usage == before.usage  # the subject was not asked again
    [row] = make_board([path], Spec()).rows
    assert row.results["architecture_design"].score is not None


def test_a_heuristic_log_gets_a_judged_copy_and_the_board_refuses_the_mix(tmp_path: Path) -> None:
    path = architecture(tmp_path)
    done = rescore_log(path, GENEROUS, everything=False)
    assert done.path != path and done.scored == 2
    assert read_log(path).runs[0].scores.keys() == {"architecture_scorer"}
    with pytest.raises(IncomparableError, match="--scorer"):
        make_board([tmp_path], Spec())
    judged = make_board([tmp_path], Spec(scorer="judge")).rows[0].results["architecture_design"]
    assert judged.judge == "scripted/generous" and judged.scorer.startswith("llm_judge_scorer")


def values(path: str) -> list[list[float]]:
    """Per sample of a judged log: the earlier scores and the one that stands."""
    found: list[list[float]] = []
    for sample in read_samples(path):
        [score] = (sample.scores or {}).values()
        found.append([edit.value for edit in score.history] or [score.value])  # type: ignore[misc]
    return found


def test_a_judged_copy_keeps_its_scores_if_the_judge_gives_no_verdict(tmp_path: Path) -> None:
    path = architecture(tmp_path)
    first = rescore_log(path, GENEROUS, everything=False)
    before = Path(first.path).read_bytes()
    silent = Panel(("scripted/silent",), cache=False)
    # Nothing is open, so nothing is graded; another judge without --all is refused; with it, it has no verdict.
    again = rescore_log(path, GENEROUS, everything=False)
    assert (again.path, again.graded, again.open, again.finished) == (first.path, 0, 0, True)
    with pytest.raises(InputError, match="--all"):
        rescore_log(path, silent, everything=False)
    done = rescore_log(path, silent, everything=True)
    assert (done.graded, done.scored, done.open, done.kept, done.finished) == (2, 0, 0, 2, False)
    assert done.reasons
    assert Path(first.path).read_bytes() == before


def test_another_judge_keeps_the_earlier_scores_in_the_history(tmp_path: Path) -> None:
    path = architecture(tmp_path)
    twin = rescore_log(path, GENEROUS, everything=False).path
    [[first], *_] = values(twin)
    done = rescore_log(path, Panel(("scripted/honest",), cache=False), everything=True)
    assert (done.path, done.scored, done.kept) == (twin, 2, 0)
    [[old, new], *_] = values(twin)
    assert old == first and new != first
    stamp = read_log(twin).stamp
    assert stamp and stamp.fingerprint.judge == "scripted/honest"


def test_a_failed_grading_leaves_no_partial_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = architecture(tmp_path)

    def broken(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("inspect_ai.log.write_eval_log", broken)
    with pytest.raises(LogError, match="No space left"):
        rescore_log(path, GENEROUS, everything=False)
    assert find_logs([tmp_path]) == [path]


def test_a_folder_is_graded_once_per_target_and_logs_without_a_judge_are_skipped(tmp_path: Path) -> None:
    path = architecture(tmp_path)
    exam = tmp_path / "exam"
    run(RunSpec(models=("steelyard/floor",), categories=("practice_exam",), limit=1, log_dir=exam))
    ask = ["rescore", str(tmp_path), "--judge", "scripted/generous", "--no-judge-cache"]
    for extra in ([], ["--all"]):
        found = CliRunner().invoke(main, [*ask, *extra])
        assert found.exit_code == 0, found.output
        assert found.stdout.count("_judged.eval: ") == 1
        assert "skipped: " in found.stderr and "Practice Exam is scored" in found.stderr
    assert read_log(path).runs[0].scores.keys() == {"architecture_scorer"}
    # Without a judge the twin is left as it is: it is complete, and the heuristic has no business in it.
    assert CliRunner().invoke(main, ["rescore", str(tmp_path)]).exit_code == 0
    assert [set(row.runs[0].scores) for row in map(read_log, find_logs([tmp_path])) if "_judged" in row.path] == [
        {"llm_judge_scorer"}
    ]
    alone = CliRunner().invoke(main, ["rescore", str(exam), "--judge", "scripted/generous"])
    assert alone.exit_code == 2 and "without a judge" in alone.stderr


def test_an_exam_is_not_judged(tmp_path: Path) -> None:
    run(RunSpec(models=("steelyard/floor",), categories=("practice_exam",), limit=1, log_dir=tmp_path))
    with pytest.raises(InputError, match="without a judge"):
        rescore_log(find_logs([tmp_path])[0], GENEROUS, everything=True)


def test_an_exam_graded_again_has_the_same_scores(tmp_path: Path) -> None:
    run(RunSpec(models=("steelyard/ceiling",), categories=("practice_exam",), limit=3, log_dir=tmp_path))
    path = find_logs([tmp_path])[0]
    before = [run.scores["choice"].value for run in read_log(path).runs]
    assert rescore_log(path, None, everything=True).graded == 3
    assert [run.scores["choice"].value for run in read_log(path).runs] == before == ["C", "C", "C"]


def test_the_board_says_how_far_several_verdicts_agree(tmp_path: Path) -> None:
    judges = ("scripted/generous", "scripted/honest")
    path = architecture(tmp_path, scorer="judge", judges=judges, judge_repeats=2, judge_cache=False)
    board = make_board([path], Spec())
    [row] = board.rows
    found = row.results["architecture_design"].judge_agreement
    assert found is not None and (found["verdicts"], found["texts"]) == (4, 2)
    assert any("4 verdicts per text, mean spread" in note for note in board.notes)
    [model] = leaderboard(board)["models"]
    assert model["judge_agreement"] == {"architecture_design": dict(found)}
    json_text(board)  # holds its schema


def test_the_board_says_whether_a_judge_is_calibrated_and_could_be_used(tmp_path: Path) -> None:
    path = architecture(tmp_path, scorer="judge", judges=("scripted/poet",), judge_cache=False)
    notes = make_board([path], Spec()).notes
    assert "Architecture Design judged by scripted/poet: uncalibrated" in notes
    assert any("Architecture Design: 2 of 2 gradings" in note for note in notes)
