"""Measuring and attacking judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.api.groups import Judges
from steelyard.api.spec import option, path, silent, spec, takes, texts

if TYPE_CHECKING:
    from steelyard.judge.attack.result import AttackResult
    from steelyard.judge.calibration.catalogue import Catalogue
    from steelyard.judge.calibration.measure import Calibration
    from steelyard.judge.panel import Panel

Counted = Callable[[int, int], None]
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


@spec
class JudgeMeasure(Judges):
    """A judge to be measured."""

    judge: tuple[str, ...] = option(
        "An Inspect model, or auto; several are measured as one jury. scripted/NAME works offline.",
        metavar="NAME", default=(), converter=texts,
    )  # fmt: skip
    _: KW_ONLY
    rubric: Path | None = option(
        "A rubric file, or for calibrate also a folder of rubrics; default: the shipped rubric.",
        metavar="FILE", default=None, converter=path,
    )  # fmt: skip
    progress: Counted = option("Called with (done, total) after each graded text.", default=silent, programs=True)

    def measured(self) -> Panel:
        """The panel; an error if no judge is named or available."""
        import importlib

        importlib.import_module("steelyard.judge.attack.scripted")  # registers scripted/NAME
        chosen = replace(self, require_judge=True).panel()
        assert chosen is not None  # it is required
        return chosen


@spec
class JudgeCalibrate(JudgeMeasure):
    """A judge, and labelled responses."""

    labels: Path | None = option(
        "A JSONL file of labelled responses; default: the set that ships with the architecture tasks.",
        argument=True, default=None, converter=path,
    )  # fmt: skip
    _: KW_ONLY
    record: Path | None = option(
        "Where to store the record; default: in the cache.", metavar="PATH", default=None, converter=path, rare=True
    )


@takes(JudgeCalibrate)
def calibrate(spec: JudgeCalibrate) -> CalibratedJudge:
    """Measure a judge against labelled responses, and store the result.

    From then on every report that used this judge with this rubric says whether it is calibrated.

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

    panel, rubrics = spec.measured(), _rubrics(spec.rubric, shipped=spec.labels is None)
    rows = read_labels(spec.labels if spec.labels is not None else shipped_labels())
    result = anyio.run(partial(run, rows, rubrics, panel, spec.progress))
    data = records.record(result, rows, rubrics, panel)
    return CalibratedJudge(result, data, records.save(data, spec.record) if result.answered else None)


@spec
class JudgeAttack(JudgeMeasure):
    """A judge, and the attacks on it."""

    _: KW_ONLY
    kinds: tuple[str, ...] = option(
        "Only attacks of this kind; repeatable.", "--kind", metavar="KIND", default=(), converter=texts
    )


@takes(JudgeAttack)
def attack(spec: JudgeAttack) -> AttackResult:
    """Run every known attack against a judge.

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

    loaded = None if spec.rubric is None else load_rubric(spec.rubric)
    return anyio.run(partial(run, spec.measured(), spec.progress, loaded, spec.kinds))


def labels() -> str:
    """Build the labelled set for architecture answers: true and false answers to every task, and attacks on them.

    Returns:
        One JSON object per line.
    """
    from steelyard.bench.architecture_design.labels import label_lines

    return label_lines()


def _rubrics(path: Path | None, *, shipped: bool) -> Catalogue:
    """One rubric, a folder of rubrics, or for the shipped labels the rubrics of the architecture tasks."""
    from steelyard.judge.calibration.catalogue import folder, single
    from steelyard.judge.case import case_rubric
    from steelyard.judge.rubric import load_rubric

    if path is None and shipped:
        from steelyard.bench.architecture_design.labels import rubrics

        return rubrics()
    if path is not None and path.is_dir():
        return folder(path)
    return single(case_rubric() if path is None else load_rubric(path))
