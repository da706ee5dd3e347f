"""What has been read of a Markdown key so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from steelyard.audit.key.check import Draft, Faults
from steelyard.audit.key.columns import BonusColumns
from steelyard.audit.model import BonusEntry

DEEP = 6
"""A line with this many leading spaces belongs to the text above it, whatever it looks like."""


@dataclass(slots=True)
class KeyReader:
    """What has been read so far, and where the next line goes."""

    faults: Faults
    drafts: list[Draft] = field(default_factory=list[Draft])
    bonuses: list[tuple[BonusEntry, int]] = field(default_factory=list[tuple[BonusEntry, int]])
    title: str = ""
    notes: list[tuple[str, list[str]]] = field(default_factory=lambda: [("", list[str]())])
    draft: Draft | None = None
    """The problem being read."""
    level: int = 0
    """The level of its heading; 0 for a bold line."""
    criteria_indent: int | None = None
    """Indent of the problem's first criterion."""
    continuing: bool = False
    """Whether further lines continue the last of `texts`."""
    heading: str = ""
    """The heading of the section being read, outside of problems."""
    bonus_columns: BonusColumns | None = None
    """Columns of the bonus table being read."""
    named_bonuses: bool = False
    """Whether a bonus entry has an id of its own, or is a row of a table."""
    bonus_open: bool = False
    """Whether the next lines may be fields of the last bonus entry."""
    criteria_columns: dict[int, str] | None = None
    """Columns of the table of criteria being read, below a problem."""
    problem_columns: dict[int, str] | None = None
    """Columns of the table of problems being read."""
    rows: list[Draft] = field(default_factory=list[Draft])
    """Problems in tables."""
    overview: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """(note, line) of those tables: in a key that has headings they are an overview, which is a note."""
    fenced_until: int = 0
    """The line that closes the fenced block being read."""
    texts: list[tuple[Draft, str, str, list[str]]] = field(default_factory=list[tuple[Draft, str, str, list[str]]])
    """(problem, kind, name, lines) of every text."""

    def close(self) -> None:
        """End the problem, the table and the bonus entry being read."""
        self.draft, self.continuing, self.bonus_open = None, False, False
        self.bonus_columns, self.problem_columns, self.criteria_columns = None, None, None

    def open_problem(self, draft: Draft, level: int) -> None:
        """Begin a problem below a heading of this level."""
        self.close()
        self.draft, self.heading, self.level, self.criteria_indent = draft, "", level, None
        self.drafts.append(draft)

    def add_bonus(self, entry: BonusEntry, line: int, *, named: bool = True) -> None:
        """One more bonus entry, whose fields may follow."""
        self.bonuses.append((entry, line))
        self.bonus_open = True
        self.named_bonuses = self.named_bonuses or named

    def keep_overview(self, line: str) -> None:
        """A line of a table of problems."""
        self.overview.append((len(self.notes) - 1, line))
        self.notes[-1][1].append(line)

    def finish(self) -> list[tuple[str, str]]:
        """Give every problem its texts; the notes of the key, without the tables that hold its problems."""
        for draft, kind, name, lines in self.texts:
            _store(draft, kind, name, _joined(lines))
        for note, line in self.overview if not self.drafts else ():
            self.notes[note][1].remove(line)
        notes = [(heading, _joined(lines)) for heading, lines in self.notes]
        return [(heading, body) for heading, body in notes if body]


def _store(draft: Draft, kind: str, name: str, text: str) -> None:
    if kind == "fields":
        draft.fields[name] = text
    elif kind == "criteria":
        draft.criteria[name] = text
    elif text:
        draft.extra.append((name, text))


def _joined(lines: list[str]) -> str:
    """The lines as one text, with the common indent of the continuation lines removed."""
    rest = [line for line in lines[1:] if line.strip()]
    indent = min((len(line) - len(line.lstrip(" ")) for line in rest), default=0)
    # No more than `write` adds: deeper indentation belongs to the text.
    cut = min(indent, DEEP)
    return "\n".join([lines[0].strip(), *(line[cut:].rstrip() for line in lines[1:])]).strip() if lines else ""
