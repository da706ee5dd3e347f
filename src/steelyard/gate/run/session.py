"""A gate run in progress: starts one eval set at a time and keeps what its logs say, each read once.

An eval set writes its samples as they finish, so a run that was killed continues where it stopped. One task's timeout
or error never ends the others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.collector import rarely_collected
from steelyard.errors import InputError, LogError, ToolchainError, boundary
from steelyard.gate.ledger.book import Book, place_in, place_name
from steelyard.gate.ledger.chain import digest, digests
from steelyard.gate.metadata import position_of
from steelyard.gate.model import Arm
from steelyard.gate.purse import purse
from steelyard.gate.read import Arms
from steelyard.gate.read.history import history_arm
from steelyard.gate.rescore import rescore_log, waits
from steelyard.gate.run.budget import Budget, spent_usd
from steelyard.gate.run.evaluation import Execute, evaluate, require_whole
from steelyard.gate.run.plan import Earlier, Plan, Unit, log_files
from steelyard.logs.folder import ready_for_logs
from steelyard.logs.identity import sha256_of
from steelyard.logs.read import read_log, read_logs
from steelyard.report.numbers import things
from steelyard.rows import LogRow, Logs
from steelyard.toolchain import cache_folder

if TYPE_CHECKING:
    from steelyard.location import Location

LOCK = ".lock"
"""File in the log folder that the one process which adds runs to it holds."""

Notify = Callable[[str], None]
"""Called with one line of progress."""

Progress = Callable[[str, int, int], None]
"""Called with a step, how many of its runs have ended, and how many it has."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Who hears of progress."""

    notify: Notify = lambda _: None
    progress: Progress = lambda what, done, total: None


@contextmanager
def exclusive(folder: Location) -> Generator[None]:
    """Hold the log folder: a second process that would add runs to it is refused. A killed one leaves no lock.

    Behind a URL there are no such locks; there a second process on the same machine is refused.
    """
    import filelock

    ready_for_logs(folder)
    lock = filelock.FileLock(_lock_file(folder), timeout=0)
    try:
        with boundary(LogError, f"cannot lock {folder}"):
            try:
                lock.acquire()
            except filelock.Timeout as error:
                raise InputError(
                    f"another process is adding runs to {folder}", cure="wait for it, or choose another --log-dir"
                ) from error
        yield
    finally:
        lock.release()


def _lock_file(folder: Location) -> Path:
    if isinstance(folder, Path):
        return folder / LOCK
    locks = cache_folder() / "gate" / "locks"
    with boundary(ToolchainError, f"cannot write {locks}", cure="set STEELYARD_CACHE to a writable folder"):
        locks.mkdir(parents=True, exist_ok=True)
    return locks / sha256_of(str(folder))


class Session:
    """What a run has so far. Mutable: it grows with every evaluation."""

    def __init__(
        self,
        planned: Plan,
        listener: Listener,
        execute: Execute | None = None,
        book: Book | None = None,
        beside: Sequence[LogRow] = (),
        begun: float | None = None,
    ) -> None:
        """`beside` are runs in the log folder that count for the budget alone; `begun` is when the start was."""
        self.planned = planned
        self._book = book
        self._execute = execute
        self.notify = listener.notify
        self.budget = Budget(planned.spec, planned.rows, beside=beside, begun=begun)
        self._progress = listener.progress
        self._rows: list[LogRow] = list(planned.rows)
        self._read: Earlier | None = None
        """What the rows say, until there are more."""

    def left(self, number: int, watch: int = 0, only: tuple[str, ...] | None = None) -> Unit | None:
        """What is left of a round, or of an extra round for the tasks `only`; None if nothing is."""
        return self.planned.unit(self._earlier(), number, watch, only)

    def complete(self, number: int, watch: int = 0, only: tuple[str, ...] | None = None) -> bool:
        """Run what is left of a round, or of an extra round for the tasks `only`; False if nothing was."""
        unit = self.left(number, watch, only)
        return unit is not None and self.run([unit])

    def run(self, units: Sequence[Unit]) -> bool:
        """Run units as one eval set; False if there are none."""
        if not units:
            return False
        begun = [self._restarted(unit) for unit in units]
        # Entered before it runs, so that a round whose logs are thrown away is missed.
        for unit in begun:
            self._enter("begun", unit, ())
        before = {*log_files(self.planned.spec.log_dir)}
        try:
            rows = self._evaluated(begun)
        except BaseException:
            self._void(begun, {*log_files(self.planned.spec.log_dir)} - before)
            raise
        for unit in begun:
            self._enter("round", unit, rows)
        # These rows are not in the budget yet.
        rows = self._in_pairs(rows, self.budget.total_usd + spent_usd(rows)[0])
        self._rows += rows
        self._read = None
        self.budget.add(rows)
        return True

    @property
    def rows(self) -> tuple[LogRow, ...]:
        """Every log so far."""
        return tuple(self._rows)

    def look(self, verdict: str, rounds: int) -> None:
        """Enter into the ledger that somebody looked."""
        if self._book is not None and self.planned.attempt is not None:
            facts = {"round": rounds, "verdict": verdict, "confirms": self.planned.spec.confirms}
            self._book.write("look", self.planned.attempt.id, facts)

    def _enter(self, kind: str, unit: Unit, rows: Sequence[LogRow]) -> None:
        """Enter that a round begins, or that it ended in these logs."""
        if self._book is None or self.planned.attempt is None:
            return
        place, confirms = self._place(unit), self.planned.spec.confirms
        own = sorted(digest(row) for row in rows if row.stamp is not None and place_in(row) == place)
        facts = {"round": unit.round.number, "place": place, "confirms": confirms, **({"logs": own} if rows else {})}
        self._book.write(kind, self.planned.attempt.id, facts)

    def _place(self, unit: Unit) -> str:
        round = unit.round
        return place_name(round.number, round.watch, round.start, self.planned.spec.confirms)

    def _void(self, units: Sequence[Unit], logs: set[str]) -> None:
        """Enter the units that have none of the logs of an evaluation that broke off: nobody can have seen anything."""
        found = read_logs(sorted(logs)) if logs else Logs((), ())
        seen = {place_in(row) for row in found.rows if row.stamp is not None}
        # A log that cannot be read may be that of any unit.
        for unit in () if found.problems else units:
            if self._place(unit) not in seen:
                self._enter("void", unit, ())

    def _evaluated(self, units: Sequence[Unit]) -> list[LogRow]:
        spec, arms = self.planned.spec, self.planned.arms
        if self._execute is None:
            logs = evaluate(spec, arms, units, self._meter, self.budget.total_usd)
        else:
            logs = self._execute(units, lambda share: evaluate(spec, arms, share, spent_usd=self.budget.total_usd))
        require_whole(logs)
        return [read_log(log.location) for log in logs]

    def _in_pairs(self, rows: Sequence[LogRow], spent: float) -> list[LogRow]:
        """The logs after the judge compared results that still wait for it with those of the baseline.

        What the rest of the budget does not pay for, `spent` being gone, waits for a start with a larger one.
        """
        panel, history = self.planned.arms["candidate"].panel, self.planned.spec.history
        rivals = history or [row.path for row in (*self._rows, *rows) if row.stamp and row.stamp.unit == "baseline"]
        if panel is None or not rivals:
            return [*rows]
        with purse(self.planned.spec.budget_usd, spent):
            for row in filter(waits, rows):
                rescore_log(row.path, panel, everything=False, baseline=rivals)
        return [read_log(row.path) if waits(row) else row for row in rows]

    def _restarted(self, unit: Unit) -> Unit:
        """The unit as a task that no log in the folder belongs to: what is left is decided here, not by Inspect."""
        round = unit.round
        earlier = sum(position_of(row)[:2] == (round.number, round.watch) for row in self._rows)
        before: dict[str, Sequence[str]] = {name: digests(self._rows, name) for name in self.planned.arms}
        return dataclasses.replace(unit, round=dataclasses.replace(round, start=earlier, before=before))

    def arms(self) -> Arms:
        """Both arms as the logs have them."""
        if any(map(waits, self._rows)):  # an earlier start was killed before its last results were compared
            rows = self._in_pairs(self._rows, self.budget.total_usd)
            self.budget.compared(self._rows, rows)
            self._rows, self._read = rows, None
        earlier, history = self._earlier(), self.planned.spec.history
        before = history_arm(history) if history else earlier.get("baseline")
        after = earlier.get("candidate")
        if before is None or after is None:
            raise LogError(f"no eval logs in {self.planned.spec.log_dir}")
        return Arms(before, after)

    def _earlier(self) -> Earlier:
        if self._read is None:
            with rarely_collected():
                self._read = self.planned.earlier(self._rows)
        return self._read

    def _meter(self, unit: Unit) -> Callable[[], None]:
        what = f"round {unit.round.number}" + (f", watching {things(_tasks(unit), 'task')}" if unit.round.watch else "")
        done = count(1)
        self._progress(what, 0, unit.runs)
        # A run that Inspect tries again ends twice.
        return lambda: self._progress(what, min(next(done), unit.runs), unit.runs)


def upto(arms: Arms, number: int, *, watched: bool) -> Arms:
    """Both arms as they were after a round, before or after its watched tasks ran again."""
    return Arms(*(_upto(arm, number, watched) for arm in arms))


def _upto(arm: Arm, number: int, watched: bool) -> Arm:
    def seen(round: int, watch: int) -> bool:
        return round < number or (round == number and (watched or not watch))

    return dataclasses.replace(
        arm,
        side=dataclasses.replace(arm.side, rounds=min(number, arm.side.rounds)),
        runs=tuple(run for run in arm.runs if run.round <= number),
        gaps=tuple(gap for gap in arm.gaps if seen(gap.epoch, gap.watch)),
        extra=tuple(run for run in arm.extra if seen(run.round, run.watch)),
    )


def _tasks(unit: Unit) -> int:
    return len({task for tasks in unit.tasks.values() for task in tasks})
