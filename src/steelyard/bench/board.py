"""When and where a board was made: the clock and the environment, kept out of everything that computes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from steelyard.bench.model import CATEGORIES, Board, Spec
from steelyard.bench.weigh import board
from steelyard.errors import LogError
from steelyard.logs.read import LogRow, Logs, RunRow, ScoreRow, read_logs


def make_board(where: Sequence[str | Path], spec: Spec) -> Board:
    """The board of the logs behind `where`, made now; a `LogError` when not one of them belongs to SA Bench."""
    moment = datetime.now(UTC)
    made = board(light_logs(where), spec, generated_at=moment.strftime("%Y-%m-%dT%H:%M:%SZ"), run_id=run_id(moment))
    if not made.rows:
        first = f": {made.ignored[0].path}: {made.ignored[0].reason}" if made.ignored else ""
        raise LogError(f"none of {len(made.ignored)} logs can stand on a board{first}")
    return replace(made, notes=(*made.notes, *judge_notes(made)))


def judge_notes(made: Board) -> list[str]:
    """Who judged, whether that judge was held against labels on this machine, and how far several verdicts agree."""
    found = {
        (CATEGORIES[key].name, result.judge, result.fingerprint.rubric)
        for row in made.rows
        for key, result in row.results.items()
        if result.judge and result.fingerprint is not None
    }
    if not found:
        return []
    from steelyard.judge.calibration.record import calibration_status  # only where somebody judged
    from steelyard.judge.judgement import concord_text

    named = sorted(found, key=str)
    notes = [f"{name} judged by {judge}: {calibration_status(judge, rubric or '')}" for name, judge, rubric in named]
    several = [
        (row.model, CATEGORIES[key].name, result.judge_agreement)
        for row in made.rows
        for key, result in row.results.items()
        if result.judge_agreement
    ]
    return notes + [f"{model}, {name}: {concord_text(agreement)}" for model, name, agreement in several]


def light_logs(where: Sequence[str | Path]) -> Logs:
    """The logs without the texts of their runs: a board of thousands of logs holds numbers, not answers."""
    return read_logs(where, _light)


def _light(log: LogRow) -> LogRow:
    return replace(log, runs=tuple(_light_run(run) for run in log.runs), metadata={}, usage={}, versions={})


def _light_run(run: RunRow) -> RunRow:
    scores = {name: _light_score(score) for name, score in run.scores.items()}
    return replace(run, scores=scores, metadata={})


def _light_score(score: ScoreRow) -> ScoreRow:
    kept = {name: score.metadata[name] for name in ("class", "reason", "judge_ratings") if name in score.metadata}
    return replace(score, answer=None, explanation=None, metadata=kept)


def run_id(moment: datetime) -> str:
    """`GITHUB_RUN_ID`, else `local-YYYYMMDD-HHMMSS`."""
    return os.environ.get("GITHUB_RUN_ID") or moment.strftime("local-%Y%m%d-%H%M%S")
