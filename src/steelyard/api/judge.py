"""Measuring and attacking judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.api.options import one_or_several

if TYPE_CHECKING:
    from steelyard.judge.attack.result import AttackResult
    from steelyard.judge.calibration.catalogue import Catalogue
    from steelyard.judge.calibration.measure import Calibration
    from steelyard.judge.panel import Panel

Progress = Callable[[int, int], None]
"""Called with (done, total) after each graded text."""


@dataclass(frozen=True, slots=True)
class CalibratedJudge:
    """A judge measured against labels."""

    calibration: Calibration
    """Agreement per item of the rubric, and every graded response."""
    record: dict[str, Any]
    """The same as JSON data (schema `calibration`)."""
    path: Path | None
    """Where the record was stored; None if the judge gave no verdict at all."""


@one_or_several("judge")
def calibrate(
    judge: Sequence[str],
    labels: str | Path | None = None,
    *,
    rubric: str | Path | None = None,
    record: str | Path | None = None,
    repeats: int = 1,
    cache: bool = True,
    progress: Progress | None = None,
) -> CalibratedJudge:
    """Measure a judge against labelled responses, and store the result.

    From then on every report that used this judge with this rubric says whether it is calibrated.

    Args:
        judge: Names of Inspect models (`auto` picks one); several are measured as one jury.
        labels: A JSONL file of labelled responses; by default the set that ships with the architecture tasks.
        rubric: A rubric file, or a folder of rubrics with the same items; by default the one the labels were made for.
        record: Where to store the record; by default in the cache.
        repeats: Verdicts per judge and response.
        cache: Whether stored verdicts may be reused.
        progress: Called after each graded response.

    Returns:
        The measurement, its record, and where the record was stored.

    Raises:
        InputError: The labels or the rubric cannot be used.
        JudgeError: The judge is not available.
    """
    from functools import partial

    import anyio

    from steelyard.bench.architecture_design.labels import shipped_labels
    from steelyard.judge.calibration import record as records
    from steelyard.judge.calibration.labels import read_labels
    from steelyard.judge.calibration.run import calibrate as run

    panel, rubrics = _panel(judge, repeats, cache), _rubrics(rubric, shipped=labels is None)
    rows = read_labels(labels if labels is not None else shipped_labels())
    result = anyio.run(partial(run, rows, rubrics, panel, progress or _silent))
    data = records.record(result, rows, rubrics, panel)
    path = records.save(data, None if record is None else Path(record)) if result.scored else None
    return CalibratedJudge(result, data, path)


@one_or_several("judge", "kinds")
def attack(
    judge: Sequence[str],
    *,
    rubric: str | Path | None = None,
    kinds: Sequence[str] = (),
    repeats: int = 1,
    cache: bool = True,
    progress: Progress | None = None,
) -> AttackResult:
    """Run every known attack against a judge.

    Args:
        judge: Names of Inspect models (`auto` picks one, `scripted/NAME` works offline).
        rubric: A rubric file; by default the one for architecture answers.
        kinds: Only attacks of these kinds.
        repeats: Verdicts per judge and text.
        cache: Whether stored verdicts may be reused.
        progress: Called after each graded text.

    Returns:
        What got through, what was refused and what was unscored.

    Raises:
        InputError: The rubric cannot be used, or there is no attack of these kinds.
        JudgeError: The judge is not available.
    """
    from functools import partial

    import anyio

    from steelyard.judge.attack.run import attack as run
    from steelyard.judge.rubric import load_rubric

    panel = _panel(judge, repeats, cache)
    loaded = None if rubric is None else load_rubric(rubric)
    return anyio.run(partial(run, panel, progress or _silent, loaded, kinds))


def labels() -> str:
    """Build the labelled set for architecture answers: true and false answers to every task, and attacks on them.

    Returns:
        One JSON object per line.
    """
    from steelyard.bench.architecture_design.labels import label_lines

    return label_lines()


def _panel(judge: Sequence[str], repeats: int, cache: bool) -> Panel:
    import importlib

    from steelyard.judge.panel import panel

    importlib.import_module("steelyard.judge.attack.scripted")  # registers scripted/NAME
    chosen = panel(judge, default="none", require=True, repeats=repeats, cache=cache)
    assert chosen is not None  # `require` raises instead
    return chosen


def _rubrics(path: str | Path | None, *, shipped: bool) -> Catalogue:
    """One rubric, a folder of rubrics, or for the shipped labels the rubrics of the architecture tasks."""
    from steelyard.judge.calibration.catalogue import folder, single
    from steelyard.judge.case import case_rubric
    from steelyard.judge.rubric import load_rubric

    if path is None and shipped:
        from steelyard.bench.architecture_design.labels import rubrics

        return rubrics()
    if path is not None and Path(path).is_dir():
        return folder(Path(path))
    return single(case_rubric() if path is None else load_rubric(path))


def _silent(done: int, total: int) -> None:
    pass
