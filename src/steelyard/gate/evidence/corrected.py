"""The judge's means of both arms, corrected for the errors that labels on record show. Pure.

Law (docs/scoring.md §4): where every judged task has labels, each arm has a raw mean and a corrected one (PPI++, with
an interval), over all its runs with a verdict. The verdict is asked for once more with every score of the judge turned
into what people would be expected to say (`rectified`); the report says whether it is the same. Neither decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from steelyard.gate.model import Arm, Run
from steelyard.stats.correction import Corrected, corrected_text, ppi_over, rectified


@dataclass(frozen=True, slots=True)
class JudgeCorrection:
    """What labels say about a judge's scores in a comparison."""

    baseline: Corrected
    candidate: Corrected
    verdict: str | None
    """The verdict with rectified scores; None if there is none."""
    same: bool
    """Whether it is the verdict of the comparison."""

    @property
    def text(self) -> str:
        """The correction in words."""
        sides = f"baseline {corrected_text(self.baseline)}; candidate {corrected_text(self.candidate)}"
        outcome = "the same" if self.same else self.verdict or "missing"
        return f"Judge: {sides}. With corrected scores the verdict is {outcome}."


def correction(
    baseline: Arm, candidate: Arm, verdict: str, again: Callable[[Arm, Arm], str | None]
) -> JudgeCorrection | None:
    """Both means and the verdict `again` on rectified arms; None unless every judged task has labels."""
    means = [_mean(arm) for arm in (baseline, candidate)]
    if means[0] is None or means[1] is None:
        return None
    # Tasks with the same rubric have the same labels: one fit for all of them.
    # A single label gives no line: its task is one without a verdict here, or there would be no means.
    labels = {task: tuple(known) for task, known in baseline.labels.items() if len(known) > 1}
    lines = {known: rectified(known) for known in {*labels.values()}}
    by_task = {task: lines[known] for task, known in labels.items()}
    found = again(_rectified(baseline, by_task), _rectified(candidate, by_task))
    return JudgeCorrection(means[0], means[1], found, found == verdict)


def _mean(arm: Arm) -> Corrected | None:
    """The arm's mean; None if a score has no labels to be corrected by."""
    groups: dict[tuple[tuple[float, float], ...], list[float]] = {}
    for run in arm.runs:
        if run.judge is not None:
            # Tasks without labels form a group of their own, for which `ppi_over` gives None.
            groups.setdefault(tuple(arm.labels.get(run.task, ())), []).append(run.judge)
    return ppi_over([(scores, known) for known, scores in groups.items()])


def _rectified(arm: Arm, lines: Mapping[str, Callable[[float], float]]) -> Arm:
    def one(run: Run) -> Run:
        return run if run.judge is None or run.task not in lines else replace(run, judge=lines[run.task](run.judge))

    return replace(arm, runs=tuple(map(one, arm.runs)), extra=tuple(map(one, arm.extra)))
