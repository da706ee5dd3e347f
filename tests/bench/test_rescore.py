"""Grading existing answers again: what a judge left open, another judge, and the judged twin of a heuristic log."""

from __future__ import annotations

from pathlib import Path

import pytest

import steelyard.judge.scripted
from steelyard.bench.model import Spec
from steelyard.bench.moment import make_board
from steelyard.bench.plan import RunSpec
from steelyard.bench.rescore import rescore_log
from steelyard.bench.run import run
from steelyard.errors import IncomparableError, InputError
from steelyard.judge.panel import Panel
from steelyard.logs.read import find_logs, read_log

assert steelyard.judge.scripted  # importing it registers the judges used here

GENEROUS = Panel(("scripted/generous",), cache=False)


def architecture(folder: Path, **more: object) -> str:
    """A log of two answers."""
    fields = {"models": ("steelyard/ceiling",), "categories": ("architecture_design",), "limit": 2, **more}
    run(RunSpec(log_dir=folder, **fields))  # pyright: ignore[reportArgumentType]
    [path] = find_logs([folder])
    return path


def test_what_a_judge_left_open_is_graded_without_the_subject(tmp_path: Path) -> None:
    path = architecture(tmp_path, scorer="judge", judges=("scripted/empty",), judge_cache=False)
    before = read_log(path)
    assert make_board([path], Spec()).withheld  # the judge never answered: no number
    done = rescore_log(path, GENEROUS, everything=False)
    assert (done.graded, done.scored, done.open) == (2, 2, 0)
    after = read_log(path)
    assert after.stamp and after.stamp.fingerprint.judge == "scripted/generous"
    assert after.usage == before.usage  # the subject was not asked again
    [row] = make_board([path], Spec()).rows
    assert row.results["architecture_design"].score is not None


def test_a_heuristic_log_gets_a_judged_twin_and_the_board_refuses_the_mix(tmp_path: Path) -> None:
    path = architecture(tmp_path)
    done = rescore_log(path, GENEROUS, everything=False)
    assert done.path != path and done.scored == 2
    assert read_log(path).runs[0].scores.keys() == {"architecture_scorer"}
    with pytest.raises(IncomparableError, match="--scorer"):
        make_board([tmp_path], Spec())
    judged = make_board([tmp_path], Spec(scorer="judge")).rows[0].results["architecture_design"]
    assert judged.judge == "scripted/generous" and judged.scorer.startswith("llm_judge_scorer")


def test_a_judge_has_nothing_to_say_about_an_exam(tmp_path: Path) -> None:
    run(RunSpec(models=("steelyard/floor",), categories=("practice_exam",), limit=1, log_dir=tmp_path))
    with pytest.raises(InputError, match="without a judge"):
        rescore_log(find_logs([tmp_path])[0], GENEROUS, everything=True)


def test_the_board_says_whether_a_judge_is_calibrated(tmp_path: Path) -> None:
    path = architecture(tmp_path, scorer="judge", judges=("scripted/generous",), judge_cache=False)
    notes = make_board([path], Spec()).notes
    assert "Architecture Design judged by scripted/generous: uncalibrated" in notes
