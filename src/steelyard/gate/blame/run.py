"""Runs pairs of halves until every part is answered, or the budget ends (docs/scoring.md §3.7).

A look is 20 pairs in one eval set. The draw of a look follows from the seed and from the looks before it, so a start
that continues goes through the same looks again and runs only what neither the log folder nor the store has. A half
that `gate check` would refuse although the candidate loads is never run: another one is drawn in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from steelyard import artifact
from steelyard.errors import InputError
from steelyard.gate.blame.answer import Blame, PairRun, Record, answers, together
from steelyard.gate.blame.design import PAIRS, drawn_halves, drawn_tasks
from steelyard.gate.blame.looks import asking
from steelyard.gate.blame.parts import PartRules
from steelyard.gate.blame.plan import BlameSpec, Forecast, forecast, registration
from steelyard.gate.blame.recipe import Lines, Recipe
from steelyard.gate.blame.report import SCHEMA, as_json
from steelyard.gate.config.validation import inspect_config
from steelyard.gate.metadata import position_of
from steelyard.gate.model import Run
from steelyard.gate.read.arm import lone_run
from steelyard.gate.run.budget import Budget, spent_usd
from steelyard.gate.run.engine import on_engine
from steelyard.gate.run.evaluation import Execute, evaluate, require_whole
from steelyard.gate.run.plan import Name, RunSpec, Unit
from steelyard.gate.run.session import Listener, exclusive
from steelyard.gate.store.arms import Store
from steelyard.gate.tasks import Round
from steelyard.logs.folder import ready_for_logs
from steelyard.logs.read import read_log
from steelyard.report.numbers import things
from steelyard.rows import LogRow

if TYPE_CHECKING:
    from steelyard.engine.protocol import EngineOptions

_DRAWS = 200
"""Halves that are drawn for one pair before we give up."""

_SIDES: tuple[Name, Name] = ("baseline", "candidate")


def blame_on(spec: BlameSpec, options: EngineOptions | None = None, listener: Listener | None = None) -> Blame:
    """Run what is missing, on an engine if there is one; the answer is also in `blame.json` beside the logs."""
    listener, planned = listener or Listener(), forecast(spec)
    with on_engine(planned.run, options, listener.progress) as execute:
        # Workers of an earlier start may have written logs since the forecast.
        found = _blame(planned if execute is None else forecast(spec), listener, execute)
    artifact.write_json(spec.run.log_dir / "blame.json", as_json(found), schema=SCHEMA)
    return found


def _blame(planned: Forecast, listener: Listener, execute: Execute | None) -> Blame:
    run = planned.run
    with exclusive(run.log_dir):
        course = _Course(run, planned, listener, execute)
        stopped = course.complete()
    total, unknown = spent_usd(course.rows)
    record = course.record
    return Blame(
        label=planned.recipe.config.label,
        parts=answers(record, planned.recipe.parts),
        margin=planned.margin,
        alpha=record.standing.alpha,
        runs=2 * len(record.pairs),
        unscored=record.unscored,
        looks=record.looks,
        seed=planned.seed,
        usd=None if unknown else total,
        stopped=stopped,
        together=together(record, planned.recipe.parts),
        files=tuple(piece for piece in planned.recipe.pieces if isinstance(piece, Lines)),
        origin={
            "candidate": run.candidate,
            "candidate_sha": planned.recipe.config.sha,
            "baseline": run.baseline,
            "rules": asdict(run.parts or PartRules()),
        },
        notes=tuple(course.notes()),
    )


class _Course:
    """A blame in progress. Mutable."""

    def __init__(self, run: RunSpec, planned: Forecast, listener: Listener, execute: Execute | None) -> None:
        self.run, self.planned, self.listener, self._execute = run, planned, listener, execute
        self.tasks = [task.id for task in planned.arms["candidate"].suite.tasks]
        self.record = Record(len(planned.recipe.parts), len(self.tasks), planned.margin, run.policy.alpha)
        self.rows: list[LogRow] = []
        self._scored: dict[tuple[int, str], tuple[str, Run]] = {}
        """(pair, arm) → its configuration and its run, as far as it has a score; of several the newest counts."""
        self._last = 0
        """The last pair of which any run was begun."""
        # The store first, so that runs of this folder replace those that the store has of the same pair.
        self._take(planned.stored)
        self._from_store = len(self._scored)
        self._add(planned.rows)
        self._refused = 0
        self._budget = Budget(run, self.rows)
        self._loads = _Loading(planned.recipe)
        self._registration = registration(planned)
        self._asking = asking(planned)

    def notes(self) -> Iterator[str]:
        """What a reader should know beside the answers."""
        if self._refused:
            yield f"{things(self._refused, 'half', 'halves')} that would not load stepped around"
        if self._from_store:
            yield f"{things(self._from_store, 'run')} came from the store ({self.run.store})"
        if (times := self._asking.number) > 1:
            alpha = self.record.standing.alpha
            yield (f"asked {times} times, at other margins or with other seeds: each time errs with up to {alpha:.0%}, "
                   f"all of them together with up to {min(1.0, times * alpha):.0%}")  # fmt: skip

    def complete(self) -> str:
        """Look after look; why it ended."""
        parts = len(self.planned.recipe.parts)
        for look in count(1):
            if self.record.looks and self.record.answered == parts:
                return "every part is answered"
            if 2 * PAIRS * look > self.planned.most_runs:
                return f"the budget of {things(self.planned.most_runs, 'run')} is spent"
            if (reason := self._look(look)) is not None:
                return reason
            runs, answered = 2 * len(self.record.pairs), self.record.answered
            self._asking.look(look, runs, answered)
            self.listener.notify(f"look {look}: {things(runs, 'run')}, {answered} of {things(parts, 'part')} answered")
        raise AssertionError

    def _look(self, look: int) -> str | None:
        """Run what is left of a look and weigh it; why that is not possible, or None."""
        drawn = self._drawn(look)
        # Once a later look has begun, a new score here would change what that look should have drawn.
        closed = self._last > look * PAIRS
        for _ in range(0 if closed else 2):  # what a fault left without a score gets a second chance
            if left := [missing for unit in drawn if (missing := self._missing(unit)) is not None]:
                if (reason := self._budget.exhausted()) is not None:
                    return reason
                self._evaluate(left, look)
        seen = [self._seen(unit) for unit in drawn]
        if all(pair.runs is None for pair in seen):
            return f"no pair of look {look} has a score"
        self.record.look(seen)
        return None

    def _drawn(self, look: int) -> list[Unit]:
        # A generator per look: a start that continues draws the same pairs without repeating the draws before.
        rng = np.random.default_rng([self.planned.seed, look])
        chosen = drawn_tasks(self.record.shares, rng, PAIRS)
        units: list[Unit] = []
        for number, task in enumerate(map(int, chosen), (look - 1) * PAIRS + 1):
            first = self._half(rng)
            kept: dict[Name, tuple[bool, ...]] = dict(zip(_SIDES, (first, _others(first)), strict=True))
            round = Round(number, number, self.planned.seed, interleaved=True, registration=self._registration)
            units.append(Unit(round, dict.fromkeys(_SIDES, (self.tasks[task],)), kept))
        return units

    def _half(self, rng: np.random.Generator) -> tuple[bool, ...]:
        parts = len(self.planned.recipe.parts)
        for _ in range(_DRAWS):
            first = tuple(bool(sign > 0) for sign in drawn_halves((parts,), rng))
            if self._loads(first) and self._loads(_others(first)):
                return first
            self._refused += 1
        raise InputError(
            f"none of {_DRAWS} halves of the parts loads: {self._loads.last}",
            cure="say with --together which parts need each other, or --pin what must stay",
        )

    def _evaluate(self, units: Sequence[Unit], look: int) -> None:
        ready_for_logs(self.run.log_dir)
        begun = [self._restarted(unit) for unit in units]
        arms, total = self.planned.arms, sum(unit.runs for unit in units)
        done = count(1)

        def ended() -> None:
            self.listener.progress(f"look {look}", min(next(done), total), total)

        spent = self._budget.total_usd
        if self._execute is None:
            logs = evaluate(self.run, arms, begun, lambda unit: ended, spent)
        else:
            logs = self._execute(begun, lambda share: evaluate(self.run, arms, share, spent_usd=spent))
        require_whole(logs)
        rows = [read_log(log.location) for log in logs]
        self._add(rows)
        self._budget.add(rows)
        if self.run.store is not None:
            Store(self.run.store).keep(rows)

    def _restarted(self, unit: Unit) -> Unit:
        """The unit as a task that no log in the folder belongs to."""
        # To Inspect, the same task in the same folder would be done already.
        earlier = sum(position_of(row).round == unit.round.number for row in self.rows)
        return replace(unit, round=replace(unit.round, start=earlier))

    def _add(self, rows: Sequence[LogRow]) -> None:
        """Keep logs of the folder, each read once."""
        self.rows += rows
        self._take(rows)

    def _take(self, rows: Sequence[LogRow]) -> None:
        for row in sorted(rows, key=position_of):
            number = position_of(row).round
            self._last = max(self._last, number)
            if row.stamp is not None and row.runs and isinstance(one := lone_run(row), Run) and one.sound():
                self._scored[number, row.stamp.unit] = (str(row.stamp.extra["config"]), one)

    def _run(self, unit: Unit, side: Name) -> Run | None:
        """The run of one side of a pair; None until it has a score."""
        assert unit.kept is not None
        config, one = self._scored.get((unit.round.number, side), ("", None))
        wanted = self.planned.recipe.configuration(unit.kept[side]).sha
        # Only a run of what is drawn now: where earlier logs were removed, its look may have drawn something else.
        return one if one is not None and config == wanted and one.task == unit.tasks[side][0] else None

    def _missing(self, unit: Unit) -> Unit | None:
        """What is left to run of a pair; None if nothing is."""
        left = {side: tasks for side, tasks in unit.tasks.items() if self._run(unit, side) is None}
        return replace(unit, tasks=left) if left else None

    def _seen(self, unit: Unit) -> PairRun:
        assert unit.kept is not None
        signs = tuple(1 if has else -1 for has in unit.kept[_SIDES[0]])
        first, second = (self._run(unit, side) for side in _SIDES)
        runs = None if first is None or second is None else (first, second)
        return PairRun(self.tasks.index(unit.tasks[_SIDES[0]][0]), signs, runs)


def _others(half: Sequence[bool]) -> tuple[bool, ...]:
    return tuple(not has for has in half)


class _Loading:
    """Whether halves load; what the candidate itself is refused for does not count. Remembers the last reason."""

    def __init__(self, whole: Recipe) -> None:
        self._recipe = whole
        self._known = set(_errors(whole, [True] * len(whole.parts)))
        self.last = ""

    def __call__(self, kept: Sequence[bool]) -> bool:
        new = [error for error in _errors(self._recipe, kept) if error not in self._known]
        self.last = " ".join(new[0]) if new else self.last
        return not new


def _errors(whole: Recipe, kept: Sequence[bool]) -> Iterator[tuple[str, str]]:
    findings = inspect_config(whole.configuration(kept)).findings
    return ((one.path, one.message) for one in findings if one.level == "error")
