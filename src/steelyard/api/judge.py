"""Measuring and attacking judges, and grades for runs that have none, in logs of every wing."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.api.groups import Judges
from steelyard.api.spec import argument, named, option, parameter, rare, spec, takes
from steelyard.api.values import path, silent, sources, texts
from steelyard.errors import JudgeError, LogError

if TYPE_CHECKING:
    from steelyard.judge.attack.result import AttackResult
    from steelyard.judge.calibration.labels import Catalogue
    from steelyard.judge.calibration.measure import Calibration
    from steelyard.judge.panel import Panel
    from steelyard.logs.rescore import Rescored

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
        "An Inspect model, or auto; several are measured as one jury. scripted/NAME works offline.", "NAME", default=(),
        converter=texts,
    )  # fmt: skip
    _: KW_ONLY
    rubric: Path | None = option(
        "A rubric file, or for calibrate also a folder of rubrics; default: the shipped rubric.", "FILE", default=None,
        converter=path,
    )  # fmt: skip
    progress: Counted = parameter("Called with (done, total) after each graded text.", default=silent)

    def measured(self) -> Panel:
        """The panel; an error if no judge is named or available."""
        importlib.import_module("steelyard.judge.attack.scripted")  # registers scripted/NAME
        return self.required_panel()


@spec
class JudgeCalibrate(JudgeMeasure):
    """A judge, and labelled responses."""

    labels: Path | None = argument(
        "A JSONL file of labelled responses; default: the set that ships with the architecture tasks.", default=None,
        converter=path,
    )  # fmt: skip
    _: KW_ONLY
    record: Path | None = rare(
        "Where to store the record; default: in the cache.", "PATH", default=None, converter=path
    )


@takes(JudgeCalibrate)
def calibrate(spec: JudgeCalibrate) -> CalibratedJudge:
    """Measure a judge against labelled responses, and store the result.

    From then on every report that used this judge with this rubric says whether it is calibrated.

    Returns: The measurement, its record, and where the record was stored.
    """
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


@named
class JudgeAttack(JudgeMeasure):
    """A judge, and the attacks on it."""

    kinds: tuple[str, ...] = option(
        "Only attacks of this kind; repeatable.", "--kind", "KIND", default=(), converter=texts
    )


@takes(JudgeAttack)
def attack(spec: JudgeAttack) -> AttackResult:
    """Run every known attack against a judge.

    Returns: What got through, what was refused and what was unscored.
    """
    import anyio

    from steelyard.judge.attack.run import attack as run
    from steelyard.judge.rubric import load_rubric

    loaded = None if spec.rubric is None else load_rubric(spec.rubric)
    return anyio.run(partial(run, spec.measured(), spec.progress, loaded, spec.kinds))


def labels() -> str:
    """Read the labelled set for architecture answers: true and false answers to every task, and attacks on them.

    Returns: One JSON object per line.
    """
    from steelyard.bench.architecture_design.labels import shipped_labels

    return shipped_labels().read_text("utf-8")


@spec
class Rescoring(Judges):
    """A log, and who grades what it leaves open."""

    log: tuple[str, ...] = option("The log, which is rewritten.", default=(), converter=sources)
    _: KW_ONLY
    everything: bool = option("Grade every run again, not only those without a score.", "--all", default=False)
    baseline_log: tuple[str, ...] = rare(
        "For pairwise judging [default: beside each log].", "LOGS", default=(), converter=sources
    )


@takes(Rescoring)
def rescore(spec: Rescoring) -> Rescored:
    """Grade the runs of one log that have no score, without asking a model or an agent again.

    With a judge, a log of the bench that the heuristic scored is kept, and the judged copy is written beside it.

    Returns: How many runs were graded, and why some still have no score.

    Raises:
        NothingToJudge: Nothing in the log needs a judge (`steelyard.logs.rescore.NothingToJudge`).
    """
    found = rescorer(spec)(*spec.log)
    assert found is not None  # the first log of a rescorer is never a repetition
    return found


@takes(Rescoring)
def rescorer(spec: Rescoring) -> Callable[[str], Rescored | None]:
    """Make a function that grades one log after the other; `log` does not matter.

    Returns: A function of a log's path; it returns None for a log that was already graded under another path.
    """
    from steelyard.audit.rescore import rescore_log as audit
    from steelyard.bench.rescore import rescore_log as bench
    from steelyard.bench.rescore import target_of
    from steelyard.gate.rescore import rescore_log as gate
    from steelyard.logs.read import read_log

    panel, graded = spec.panel(), set[str]()

    def grade(path: str) -> Rescored | None:
        stamp = read_log(path).stamp
        wing = None if stamp is None else stamp.wing
        if wing == "bench":
            target = os.path.realpath(target_of(path, panel))
            if target in graded:  # a heuristic log and its judged copy have one target
                return None
            done = bench(path, panel, everything=spec.everything)
            graded.add(target)
            return done
        if wing == "audit":
            if panel is None:
                raise JudgeError("no judge is named", cure="--judge NAME")
            return audit(path, panel, everything=spec.everything)
        if wing == "gate":
            return gate(path, spec.required_panel("auto"), everything=spec.everything, baseline=spec.baseline_log)
        raise LogError(f"{path} is not a log of Steelyard, or has no stamp")

    return grade


def _rubrics(path: Path | None, *, shipped: bool) -> Catalogue:
    """One rubric, a folder of rubrics, or for the shipped labels the rubrics of the architecture tasks."""
    from steelyard.judge.calibration.labels import folder, single
    from steelyard.judge.case import case_rubric
    from steelyard.judge.rubric import load_rubric

    if path is None and shipped:
        from steelyard.bench.architecture_design.labels import rubrics

        return rubrics()
    if path is not None and path.is_dir():
        return folder(path)
    return single(case_rubric() if path is None else load_rubric(path))
