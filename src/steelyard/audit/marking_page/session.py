"""A marking session: the runs to mark, and the sheet on disk that holds every mark.

The file is the truth. Before every change it is read again: what another program changed meanwhile is taken over and
the page says so, and a file that cannot be read is not overwritten. Every change is written at once, whole or not at
all; the lock on the folder keeps two sessions on one sheet from losing each other's marks.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from steelyard import artifact
from steelyard.audit.files import read_text
from steelyard.audit.marking.blank_sheet import blank_run, blank_sheets
from steelyard.audit.marking.lexical import Proposal, proposals
from steelyard.audit.marking.questions import Brief
from steelyard.audit.marking.sheet import NoMarks, Sheet, SheetRun, entry_for, parse_sheet, sheet_run
from steelyard.audit.marking_page.edits import RunEdit, UndoEdit, changed
from steelyard.audit.model import Finding, Output
from steelyard.errors import ArtifactError, InputError, boundary
from steelyard.yamledit import appended, assigned

CHANGED = "The sheet was changed on disk; its marks were taken over."
GONE = "The sheet was gone from disk and was written again."


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run to mark."""

    document: str
    """Id or file name of the document it is about."""
    brief: Brief
    output: Output


@dataclass(frozen=True, slots=True)
class Progress:
    """How many cells (problem × run) are marked."""

    done: int
    total: int

    def __str__(self) -> str:
        return f"{self.done} of {self.total} cells"


class Session:
    """The runs and their sheet."""

    def __init__(self, runs: Sequence[OpenRun], sheet: Path, marked_by: str = "", *, blind: bool = False) -> None:
        self.runs = tuple(run for run in runs if run.brief.key.problems)
        """The runs with something to mark; a clean control has no problems."""
        self.sheet = sheet
        self.blind = blind
        """Whether a proposal is shown only once its cell is marked."""
        if not self.runs:
            raise InputError("there is nothing to mark: no document has problems in its key")
        self._lock = threading.RLock()
        self._proposals: dict[tuple[int, tuple[Finding, ...]], tuple[Proposal, ...]] = {}
        self._undo: list[tuple[str, str]] = []
        self._text = self._opened(marked_by)
        self._sheet_runs = self._read(self._text)

    def sheet_runs(self) -> tuple[tuple[SheetRun, ...], str]:
        """What the sheet says about each run now, and a notice if it changed on disk."""
        with self._lock:
            notice = self._refreshed()
            return self._sheet_runs, notice

    def progress(self) -> Progress:
        """Of all runs together."""
        parts = [self.run_progress(place) for place in range(len(self.runs))]
        return Progress(sum(part.done for part in parts), sum(part.total for part in parts))

    def run_progress(self, place: int) -> Progress:
        """Of one run."""
        marked = sum(cell.mark is not None for cell in self._sheet_runs[place].cells.values())
        return Progress(marked, len(self.runs[place].brief.key.problems))

    def proposals(self, place: int) -> tuple[Proposal, ...]:
        """The lexical marker's opinion on the problems of a run, the least certain first."""
        run, output = self.runs[place], self._sheet_runs[place].output
        # Findings that are merged or split are read anew.
        known = (place, output.findings)
        if known not in self._proposals:
            self._proposals[known] = tuple(proposals(run.brief.key, output, run.brief.document))
        return self._proposals[known]

    def apply(self, edit: RunEdit | UndoEdit) -> str:
        """Make a change and save it; a notice if the sheet had changed on disk."""
        with self._lock, _locked(self.sheet.parent):
            notice = self._refreshed()
            before = self._text
            after = self._undone() if isinstance(edit, UndoEdit) else self._edited(edit)
            # Before it is written: a sheet that cannot be read must not replace one that can.
            sheet_runs = self._read(after)
            artifact.write_text(self.sheet, after)
            self._text, self._sheet_runs = after, sheet_runs
            if isinstance(edit, UndoEdit):
                self._undo.pop()
            else:
                self._undo.append((before, after))
            return notice

    def _edited(self, edit: RunEdit) -> str:
        if edit.run >= len(self.runs):
            raise InputError(f"there is no run {edit.run}")
        problems = self.runs[edit.run].brief.key.problems
        return changed(self._text, str(self.sheet), self._sheet_runs[edit.run], problems, edit)

    def _undone(self) -> str:
        if not self._undo:
            raise InputError("there is nothing to undo")
        before, after = self._undo[-1]
        if after != self._text:
            self._undo.clear()
            raise InputError("the sheet was changed on disk since, so the last change cannot be undone")
        return before

    def _refreshed(self) -> str:
        """Take over what is on disk; the notice says what happened, and is empty if nothing did."""
        if not self.sheet.exists():
            artifact.write_text(self.sheet, self._text)
            return GONE
        text = read_text(self.sheet, "sheet")
        if text == self._text:
            return ""
        self._sheet_runs = self._read(text)
        self._text = text
        return CHANGED

    def _read(self, text: str) -> tuple[SheetRun, ...]:
        sheet = parse_sheet(text, str(self.sheet))
        return tuple(sheet_run(sheet, run.output, place, run.brief.key.problems) for place, run in enumerate(self.runs))

    def _opened(self, marked_by: str) -> str:
        """The text of the sheet with an entry for every run; a new sheet is written at once."""
        source = str(self.sheet)
        scope = next((run.brief.perspective for run in self.runs if run.brief.perspective), "")
        if self.sheet.exists():
            text = before = read_text(self.sheet, "sheet")
            for place, run in enumerate(self.runs):
                if not _has(parse_sheet(text, source), run.output, place):
                    entry = list(blank_run(run.brief.key, run.output, scope, blind=self.blind))
                    text = appended(text, ["runs"], entry, source)
        else:
            pairs = [(run.brief.key, run.output) for run in self.runs]
            text, before = blank_sheets(pairs, scope, blind=self.blind), ""
        if marked_by:
            text = assigned(text, ["marked_by"], marked_by, source)
        self._read(text)  # before anything is written
        if text != before:
            artifact.write_text(self.sheet, text)
        return text


def _has(sheet: Sheet, output: Output, place: int) -> bool:
    try:
        entry_for(sheet, output, place)
    except NoMarks:
        return False
    return True


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    """Only one session at a time changes a sheet in this folder, on systems that can lock a folder."""
    if os.name != "posix":
        yield
        return
    import fcntl

    with boundary(ArtifactError, f"cannot open {folder}"):
        # The folder, because every change replaces the sheet itself, and a lock on it with it.
        handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
