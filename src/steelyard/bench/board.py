"""Makes a board: reads and selects logs, weighs them, and adds the time, the run id and the judges' records.

The clock and the environment are read here and nowhere below.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from steelyard import __version__
from steelyard.bench import weigh
from steelyard.bench.model import Board, CategoryResult, ItemFacts, Spec
from steelyard.bench.read.adopt import adopted
from steelyard.bench.read.selection import select
from steelyard.bench.subjects import tally
from steelyard.bench.suite import shipped
from steelyard.bench.weigh.facts import FACTS
from steelyard.collector import rarely_collected
from steelyard.errors import LogError
from steelyard.logs.identity import sha256_of
from steelyard.logs.read import OpenLog, read_logs
from steelyard.rows import LogRow, Logs, RunRow, ScoreRow
from steelyard.stats.correction import Corrected, corrected_text, ppi

if TYPE_CHECKING:
    from steelyard.location import Location

_STRICT = {each.strict_by for each in shipped() if each.strict_by}
_KEPT = ("class", "reason", "judge_ratings", "judge_unusable", *_STRICT)
"""Metadata of a score that a board needs."""

_VIEW = f"board {__version__} {sha256_of([*sorted(_KEPT), *sorted(FACTS)])[:16]}"
"""Names in the index what `_light` leaves; the rows of another version are not used."""

Visit = Callable[[OpenLog], None]
"""Called with each log while it is open: `AnswerStore.keep` where the texts are needed later."""


def make_board(where: Sequence[str | Location], spec: Spec, visit: Visit | None = None) -> Board:
    """The board of the logs in `where`, made now; raises `LogError` if none of them belongs to it."""
    moment = datetime.now(UTC)
    generated_at = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    with rarely_collected():
        logs, spec = adopted(light_logs(where, visit), spec)
        selection = select(logs, spec)
        board = weigh.board(selection, spec, generated_at=generated_at, run_id=run_id(moment))
    if not board.rows:
        first = f": {board.ignored[0].path}: {board.ignored[0].reason}" if board.ignored else ""
        raise LogError(f"none of {len(board.ignored)} logs can be used for a board{first}")
    return replace(_veiled(board), notes=(*board.notes, *judge_notes(board)))


def _veiled(board: Board) -> Board:
    """The board without the words of private items: titles, domains and difficulties come from their texts."""
    if not board.suite.private:
        return board
    rows = tuple(
        replace(row, results={key: replace(part, facts=_ids(part), breakdowns={}) for key, part in row.results.items()})
        for row in board.rows
    )
    return replace(board, rows=rows)


def _ids(result: CategoryResult) -> dict[str, ItemFacts]:
    # The id takes the place of the title, which would reveal the item.
    return {item: ItemFacts(item) for item in result.facts}


def judge_notes(board: Board) -> list[str]:
    """Who judged, whether that judge was calibrated here, how far verdicts agree, and how many had no usable reply."""
    judges = {
        (board.suite.categories[key].name, result.judge, result.fingerprint.rubric)
        for row in board.rows
        for key, result in row.results.items()
        if result.judge and result.fingerprint is not None
    }
    if not judges:
        return []
    from steelyard.judge.calibration.record import calibration_status  # needed only if there was a judge
    from steelyard.judge.judgement import concord_text, unusable_text

    notes = [
        f"{name} judged by {judge}: {calibration_status(judge, rubric or '')}"
        for name, judge, rubric in sorted(judges, key=str)
    ]
    for row in board.rows:
        for key, result in row.results.items():
            said = [unusable_text(result.judge_unusable)] if result.judge_unusable else []
            said += [concord_text(result.judge_agreement)] if result.judge_agreement else []
            notes += [f"{row.model}, {board.suite.categories[key].name}: {text}" for text in said]
    return [*notes, *corrected_notes(board)]


JUDGE_ALONE = "own_judge_scorer"
"""The scorer whose score is the judge's and nothing else: only its mean can be corrected by labels of the judge."""


def corrected_notes(board: Board) -> list[str]:
    """The means of judges that have labels on record, raw and corrected, and whether the models keep their order."""
    from steelyard.judge.calibration.record import labelled_totals

    notes: list[str] = []
    for key, category in board.suite.categories.items():
        means: list[Corrected] = []
        for row in board.rows:
            result = row.results.get(key)
            if result is None or not result.judge or result.scorer != JUDGE_ALONE or result.fingerprint is None:
                continue
            labels = labelled_totals(result.judge, result.fingerprint.rubric or "")
            if (found := ppi(list(result.items.values()), labels)) is not None:
                means.append(found)
                notes.append(f"{row.model}, {category.name}: judge's {corrected_text(found)}")
        if len(means) > 1:
            order = sorted(means, key=lambda mean: mean.raw) == sorted(means, key=lambda mean: mean.value)
            notes.append(f"{category.name}: corrected, the order of the models is {'the same' if order else 'another'}")
    return notes


def light_logs(where: Sequence[str | Location], visit: Visit | None = None) -> Logs:
    """The logs without texts: a board of thousands of logs needs only numbers in memory.

    `visit` is not called with a log whose row is in the index.
    """
    return read_logs(where, _light, visit, view=_VIEW, packed=True)


def _light(log: LogRow) -> LogRow:
    runs = tuple(_light_run(run) for run in log.runs)
    return replace(log, runs=runs, metadata={}, usage={}, versions={}, tally=tally(log))


def _light_run(run: RunRow) -> RunRow:
    # Keep only what a board reads, because thousands of logs are in memory at once.
    scores = {name: _light_score(score) for name, score in run.scores.items()}
    facts = {name: run.metadata[name] for name in FACTS if name in run.metadata}
    # Interned: thousands of logs ask the same questions.
    return replace(run, scores=scores, metadata=facts, question=sys.intern(run.question), content="")


def _light_score(score: ScoreRow) -> ScoreRow:
    kept = {name: score.metadata[name] for name in _KEPT if name in score.metadata}
    return replace(score, answer=None, explanation=None, metadata=kept)


def run_id(moment: datetime) -> str:
    """`GITHUB_RUN_ID`, else `local-YYYYMMDD-HHMMSS`."""
    return os.environ.get("GITHUB_RUN_ID") or moment.strftime("local-%Y%m%d-%H%M%S")
