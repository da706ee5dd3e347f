"""How often the interval of `--lexical` covers the score that somebody else gave: per group of runs.

    python benchmarks/audit_intervals.py            the shipped suites, against their authors' marks
    python benchmarks/audit_intervals.py FOLDER     runs that others scored, with the shipped numbers
    python benchmarks/audit_intervals.py FOLDER --fit   each group with what was fitted on the others, then the fit

FOLDER holds `cases.jsonl`, a run per line, with paths relative to it; `bonus` and `penalty` are counts, if known:

    {"group": "payments", "key": "k1.md", "run": "r1.md", "document": "d1.md", "perspective": "p.md", "score": 7.5}

The real reviews that the shipped numbers were fitted to are public but not ours, so they are not part of this
repository; docs/audit/lexical.md has what was measured on them. The fit is by maximum likelihood: a beta-binomial for
bonuses and penalties in which every group weighs the same, then a normal error of each run and of each group.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from steelyard.audit.example import SUITES, sheet_of, suite_folder, suite_result
from steelyard.audit.files import read_key, read_run, read_text
from steelyard.audit.marking import ByWords
from steelyard.audit.marking.estimate import SHIPPED, Fit, Frequency, count_chance, score_estimate, score_points
from steelyard.audit.marking.lexical import lexical_marks
from steelyard.audit.model import BONUS_LIMIT, Probabilities, RunResult
from steelyard.audit.score import weighed
from steelyard.audit.suite import read_suite


class Case(NamedTuple):
    """One run: what the marker saw and what was given."""

    group: str
    cells: list[Probabilities]
    others: int
    """Findings that address no problem."""
    score: float
    bonus: int | None = None
    penalty: int | None = None


class Tried(NamedTuple):
    """One interval that was tried."""

    group: str
    covers: bool
    width: float
    off: float


def shipped() -> Iterator[Case]:
    for name in SUITES:
        suite = read_suite(suite_folder(name))
        for chosen in suite.sets.values():
            given = suite_result(suite, chosen, sheet_of(chosen), 1, None)
            by_words = suite_result(suite, chosen, ByWords(), 1, None)
            for real, guess in zip(given.keyed, by_words.keyed, strict=True):
                for run, other in zip(real.runs, guess.runs, strict=True):
                    yield case(name, other, run.score)


def foreign(folder: Path) -> Iterator[Case]:
    for line in (folder / "cases.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        if entry["score"] is None:
            continue
        key, run = read_key(folder / entry["key"]), read_run(folder / entry["run"])
        document, scope = (
            read_text(folder / entry[what], what) if entry.get(what) else "" for what in ("document", "perspective")
        )
        marked = weighed(key.problems, run, lexical_marks(key, run, scope, document))
        yield case(entry["group"], marked, entry["score"])._replace(
            bonus=entry.get("bonus"), penalty=entry.get("penalty")
        )


def case(group: str, run: RunResult, score: float) -> Case:
    return Case(group, [cell.probabilities for cell in run.cells if cell.probabilities], len(run.extras), score)


def frequency(cases: Sequence[Case], count: Callable[[Case], int | None], most: int | None = None) -> Frequency:
    """How often people gave a bonus or a penalty; with `most`, that many may be more."""
    counts = Counter((case.group, case.others, count(case)) for case in cases if case.others)
    known = {seen: times for seen, times in counts.items() if seen[2] is not None}
    sizes = Counter[str]()
    for (group, _, _), times in known.items():
        sizes[group] += times

    def loss(at: Sequence[float]) -> float:
        given = Frequency(1 / (1 + math.exp(-at[0])), math.exp(at[1]))
        total = 0.0
        for (group, others, seen), times in known.items():
            low = min(seen or 0, others, others if most is None else most)
            high = others if low == most else low
            chance = math.fsum(count_chance(value, others, given) for value in range(low, high + 1))
            total -= times / sizes[group] * math.log(max(chance, 1e-6))
        return total

    best = minimize(loss, [-1.0, 1.0], method="Nelder-Mead").x
    return Frequency(1 / (1 + math.exp(-best[0])), math.exp(best[1]))


def fitted(cases: Sequence[Case]) -> Fit:
    """The numbers of `estimate.SHIPPED` for these runs."""
    bonus = frequency(cases, lambda case: case.bonus, BONUS_LIMIT)
    fit = SHIPPED._replace(bonus=bonus, penalty=frequency(cases, lambda case: case.penalty))
    groups = [errors([case for case in cases if case.group == group], fit) for group in named(cases)]

    def loss(at: Sequence[float]) -> float:
        runs, shared = math.exp(at[0]), math.exp(2 * at[1])
        return sum(unlikeliness(*group, runs, shared) for group in groups)

    best = minimize(loss, [0.0, -2.5], method="Nelder-Mead").x
    return fit._replace(runs=math.exp(best[0]), groups=math.exp(best[1]))


def errors(cases: Sequence[Case], fit: Fit) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Error, variance by the probabilities, and number of problems of each run."""
    points = [score_points(case.cells, case.others, fit) for case in cases]
    off = [case.score - one.expected for case, one in zip(cases, points, strict=True)]
    return np.array(off), np.array([one.variance for one in points]), np.array([len(case.cells) for case in cases])


def unlikeliness(off: np.ndarray, variance: np.ndarray, problems: np.ndarray, runs: float, shared: float) -> float:
    """−log density of the errors of one group, whose shared error per problem is normal (Sherman–Morrison)."""
    own = runs * variance
    known = (problems**2 / own).sum() + 1 / shared
    square = (off**2 / own).sum() - (problems * off / own).sum() ** 2 / known
    return float(np.log(own).sum() + math.log(shared * known) + square) / 2


def named(cases: Sequence[Case]) -> list[str]:
    return sorted({case.group for case in cases})


def tried(cases: Sequence[Case], fit: Fit) -> Iterator[Tried]:
    for one in cases:
        found = score_estimate(one.cells, one.others, fit)
        covers = found.low - 1e-9 <= one.score <= found.high + 1e-9
        yield Tried(one.group, covers, found.high - found.low, abs(found.expected - one.score))


def left_out(cases: Sequence[Case]) -> Iterator[Tried]:
    """Each group with what was fitted on the others."""
    for group in named(cases):
        fit = fitted([case for case in cases if case.group != group])
        yield from tried([case for case in cases if case.group == group], fit)


def table(results: Sequence[Tried]) -> None:
    print("| group | runs | covered | width | expected off by |\n|---|---|---|---|---|")
    for group in [*sorted({one.group for one in results}), "all"]:
        part = [one for one in results if group in ("all", one.group)]
        covered, width, off = (sum(one[place] for one in part) / len(part) for place in (1, 2, 3))
        print(f"| {group} | {len(part)} | {covered:.1%} | {width:.1f} | {off:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    cases = list(foreign(options.folder) if options.folder else shipped())
    table(list(left_out(cases) if options.fit else tried(cases, SHIPPED)))
    if options.fit:
        print(fitted(cases))


if __name__ == "__main__":
    main()
