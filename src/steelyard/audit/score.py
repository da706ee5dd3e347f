"""The law of the audit (docs/scoring.md §2.1–2.2).

    run_score = Σ points(○ 1.0, △ 0.5, × 0.0) + 0.5 · min(bonus, 5) − 0.5 · penalty        not clamped; empty run: 0
    mean      = Σ run_score / n
    sd        = sample SD (n − 1), for two runs |r1 − r2| / √2; one run has none
    stability = high (sd ≤ 0.5), medium (≤ 1.0), low, unknown (one run); on the unrounded sd

A finding that addresses a planted problem is neither bonus nor penalty, even if the problem is credited to another
finding; so one more correct finding never turns an earlier one against the run. Repeated words count as one finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from steelyard.audit.match import assignment, representatives
from steelyard.audit.model import (
    BONUS_LIMIT,
    BONUS_POINTS,
    PENALTY_POINTS,
    POINTS,
    SEVERITY_WEIGHT,
    Cell,
    Claim,
    Estimate,
    Extra,
    Finding,
    Marks,
    Output,
    Probabilities,
    Problem,
    Rates,
    Ruled,
    Ruling,
    RunResult,
    Stability,
)
from steelyard.outcome import exact

HIGH_SD, MEDIUM_SD = 0.5, 1.0


def run_score(points: Iterable[float], bonus: int, penalty: int) -> float:
    """The score of one run from its detection points and its bonus and penalty counts."""
    return math.fsum(points) + BONUS_POINTS * min(bonus, BONUS_LIMIT) - PENALTY_POINTS * penalty


def mean(scores: Sequence[float]) -> float:
    """The arithmetic mean of at least one score."""
    return math.fsum(scores) / len(scores)


def spread(scores: Sequence[float]) -> float | None:
    """The sample standard deviation; None for one run."""
    if len(scores) < 2:
        return None
    middle = mean(scores)
    return math.sqrt(math.fsum((score - middle) ** 2 for score in scores) / (len(scores) - 1))


def stability(sd: float | None) -> Stability:
    """How stable the agent is, from the unrounded sd."""
    if sd is None:
        return "unknown"
    if exact(sd) <= HIGH_SD:
        return "high"
    return "medium" if exact(sd) <= MEDIUM_SD else "low"


def weighed(problems: Sequence[Problem], output: Output, marks: Marks) -> RunResult:
    """One run, scored: the cell of each problem, the extra findings, and the score."""
    drawn = output.findings if marks.redrawn is None else marks.redrawn
    findings = {finding.index: finding for finding in (*drawn, *marks.added)}
    same = representatives(findings.values())
    texts = {index: finding.text for index, finding in findings.items()}
    chosen = _given(marks) if marks.binding else assignment(marks.claims, same, texts)
    cells = tuple(_cell(problem, chosen, marks) for problem in problems)
    addressing = {same.get(claim.finding, claim.finding) for claim in marks.claims}
    extras = tuple(_extras(findings, same, addressing, marks))
    bonus = sum(extra.verdict == "bonus" for extra in extras)
    penalty = sum(extra.verdict == "penalty" for extra in extras)
    score = run_score((POINTS[cell.mark] for cell in cells), bonus, penalty)
    # A repeated point can earn nothing.
    others = sum(same[extra.finding] == extra.finding for extra in extras)
    estimate = None if marks.probabilities is None else _estimate(marks.probabilities.values(), others)
    whole = replace(output, findings=tuple(findings.values()))
    return RunResult(whole, cells, extras, score, (*output.flags, *marks.flags), marks.record, estimate)


def _estimate(cells: Iterable[Probabilities], others: int) -> Estimate:
    from steelyard.audit.marking.estimate import score_estimate  # numpy is slow to import, so only for estimates

    return score_estimate(cells, others)


def _given(marks: Marks) -> dict[str, Claim]:
    """The claims as they were made: a person's mark is not overruled."""
    return {claim.problem: claim for claim in marks.claims}


def _cell(problem: Problem, chosen: Mapping[str, Claim], marks: Marks) -> Cell:
    claim, note = chosen.get(problem.id), marks.notes.get(problem.id, "")
    chances = None if marks.probabilities is None else marks.probabilities.get(problem.id)
    if claim is None:
        return Cell(problem.id, "missed", note=note, probabilities=chances)
    return Cell(problem.id, claim.mark, claim.finding, claim.quote, claim.note or note, chances)


def _extras(
    findings: Mapping[int, Finding], same: Mapping[int, int], addressing: set[int], marks: Marks
) -> list[Extra]:
    rulings: dict[int, Ruling] = {}
    for ruling in marks.rulings:
        rulings.setdefault(same.get(ruling.finding, ruling.finding), ruling)
    bonuses = 0
    extras: list[Extra] = []
    for index, finding in findings.items():
        if index in addressing:
            continue
        verdict, reason = _ruled(index, same, rulings)
        bonuses += verdict == "bonus"
        counted = verdict == "penalty" or (verdict == "bonus" and bonuses <= BONUS_LIMIT)
        extras.append(Extra(index, verdict, finding.title, reason, counted))
    return extras


def _ruled(index: int, same: Mapping[int, int], rulings: Mapping[int, Ruling]) -> tuple[Ruled, str]:
    first = same.get(index, index)
    if first != index:
        return "neither", f"the same point as F{first:02d}"
    ruling = rulings.get(index)
    return (ruling.verdict, ruling.reason) if ruling else ("neither", "")


def rates(problems: Sequence[Problem], runs: Sequence[RunResult]) -> Rates:
    """Precision and recall over all runs; they do not enter the points.

    recall = Σ points / planted problems; weighted by severity for `weighted_recall`.
    precision = (Σ points + bonuses) / distinct claims, including bonuses beyond the fifth: they are correct. A further
    finding on a problem that is credited already is no further claim.
    """
    tally = Tally()
    for run in runs:
        tally = tally.plus(problems, run)
    return tally.rates()


@dataclass(frozen=True, slots=True)
class Tally:
    """The sums behind rates; the tallies of several documents add up to the pooled one."""

    points: float = 0.0
    planted: int = 0
    weighted: float = 0.0
    weight: float = 0.0
    bonuses: int = 0
    claims: int = 0
    """Problems credited, and distinct findings that address none."""

    def plus(self, problems: Sequence[Problem], run: RunResult) -> Tally:
        """This tally plus one more run."""
        marks = {cell.problem: POINTS[cell.mark] for cell in run.cells}
        weights = {problem.id: SEVERITY_WEIGHT[problem.severity] for problem in problems}
        return Tally(
            self.points + math.fsum(marks.values()),
            self.planted + len(problems),
            self.weighted + math.fsum(marks[name] * weights[name] for name in marks),
            self.weight + math.fsum(weights.values()),
            self.bonuses + len(run.extra("bonus")),
            self.claims + _claimed(run),
        )

    def rates(self) -> Rates:
        """The rates of these sums; None if the denominator is 0."""
        recall = self.points / self.planted if self.planted else None
        precision = min((self.points + self.bonuses) / self.claims, 1.0) if self.claims else None
        weighted = self.weighted / self.weight if self.weight else None
        return Rates(precision, recall, _harmonic(precision, recall), weighted)


def _claimed(run: RunResult) -> int:
    """What a run claims: the problems it is credited for, and every other point, each once."""
    others = {extra.finding for extra in run.extras}
    first = representatives(run.output.findings)
    credited = sum(cell.mark != "missed" for cell in run.cells)
    return credited + len({first[index] for index in others if first.get(index, index) in others})


def _harmonic(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
