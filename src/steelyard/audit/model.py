"""The data of an audit: keys, findings, marks and results. Frozen dataclasses with little behaviour.

○ detected 1.0    △ partial 0.5    × missed 0.0        (docs/scoring.md §2.1)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from steelyard.rows import Tabular

Mark: TypeAlias = Literal["detected", "partial", "missed"]
"""How far one run got with one planted problem."""

MARKS: tuple[Mark, ...] = ("detected", "partial", "missed")
POINTS: Mapping[Mark, float] = {"detected": 1.0, "partial": 0.5, "missed": 0.0}
BONUS_POINTS = 0.5
BONUS_LIMIT = 5
"""Bonuses counted per run; further ones are listed only."""
PENALTY_POINTS = 0.5
SYMBOLS: Mapping[Mark, str] = {"detected": "○", "partial": "△", "missed": "×"}

Severity: TypeAlias = Literal["Critical", "Medium", "Minor"]
SEVERITIES: tuple[Severity, ...] = ("Critical", "Medium", "Minor")

SEVERITY_WEIGHT: Mapping[Severity, float] = {"Critical": 3.0, "Medium": 2.0, "Minor": 1.0}
"""Weights of severity-weighted recall; they do not enter the points."""

Ruled: TypeAlias = Literal["bonus", "penalty", "neither"]
"""The verdict on a finding that is not credited to a planted problem."""

Stability: TypeAlias = Literal["high", "medium", "low", "unknown"]

MarkerKind: TypeAlias = Literal["judge", "marks", "lexical", "located", "consequence"]
"""Who marked: a judge model, a person with a sheet, the word matcher, whose marks are estimates, the rule for file and
line, or what repairs made of the findings."""


@dataclass(frozen=True, slots=True)
class Probabilities:
    """How likely each mark is; they sum to 1."""

    detected: float
    partial: float
    missed: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """Points that were estimated and not marked."""

    expected: float
    low: float
    high: float
    level: float
    """Chance that `low` to `high` covers the points that a person or a good judge would give."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """When a problem counts as detected, partial or missed, in the key author's words."""

    detected: str
    partial: str
    missed: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One planted problem of an answer key."""

    id: str
    """`P01` … `P99`, `P100` …"""
    title: str
    severity: Severity
    criteria: Criteria
    category: str = ""
    location: str = ""
    """Where it is in the document, in words: a section, a function, line numbers."""
    description: str = ""
    extra: tuple[tuple[str, str], ...] = ()
    """Further fields (name, text), kept as they are."""
    line: int = field(default=0, compare=False)
    """Line in the key file."""


@dataclass(frozen=True, slots=True)
class BonusEntry:
    """A finding beyond the planted problems that the key accepts as a bonus."""

    id: str
    category: str
    content: str
    condition: str


@dataclass(frozen=True, slots=True)
class Key:
    """An answer key. Problems are sorted by id, regardless of their order in the file."""

    problems: tuple[Problem, ...]
    bonuses: tuple[BonusEntry, ...] = ()
    title: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    """(heading, text) of the prose around the problems."""
    warnings: tuple[str, ...] = field(default=(), compare=False)


EMPTY_KEY = Key(())
"""The key of a control document."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the reviewed material that a text names: a file, lines, or both."""

    path: str = ""
    """As written, with forward slashes; empty if only line numbers are named."""
    line: int | None = None
    """First line, from 1; None if only a file is named."""
    end: int | None = None
    """Last line; None if no line is named."""

    def __str__(self) -> str:
        last = "" if self.end in (None, self.line) else f"-{self.end}"
        lines = "" if self.line is None else f"{self.line}{last}"
        return f"{self.path}:{lines}" if self.path and lines else self.path or f"line {lines}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Lines of an output that belong to no finding."""

    line: int
    """First line in the output, from 1."""
    end: int
    """Last line."""
    reason: str
    """Why no finding was read from them, in a few words: `frames the report`, `praise`, …"""
    text: str
    """How they begin, on one line."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim in an agent's output."""

    index: int
    """From 1, in the order of the text."""
    text: str
    title: str
    line: int
    """First line in the output, from 1."""
    end: int
    """Last line."""
    locations: tuple[Location, ...] = ()
    """The places it names, in the order of the text; a scanner names exactly one."""
    group: str = ""
    """Headings it was listed under, which name its subject or severity: `Critical issues`."""

    @property
    def id(self) -> str:
        return f"F{self.index:02d}"


@dataclass(frozen=True, slots=True)
class Output:
    """One run's text as the agent wrote it, and the findings in it."""

    name: str
    text: str
    """Normalised: NFKC, `\\n` line ends, no invisible characters."""
    findings: tuple[Finding, ...]
    flags: tuple[str, ...] = ()
    """Suspicious properties of the text."""
    left_out: tuple[LeftOut, ...] = ()
    """What is not part of any finding, with the reason; nothing is left out silently."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A marker's opinion that a finding addresses a planted problem."""

    problem: str
    finding: int
    mark: Literal["detected", "partial"]
    quote: str = ""
    """Verbatim from the finding."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """A marker's opinion on a finding that addresses no planted problem."""

    finding: int
    verdict: Ruled
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """A marker's opinions on one run; `match` and `score` turn them into points."""

    claims: tuple[Claim, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Remarks, by problem."""
    flags: tuple[str, ...] = ()
    added: tuple[Finding, ...] = ()
    """Passages a person quoted that the parser had not recognised as findings."""
    redrawn: tuple[Finding, ...] | None = None
    """The findings as a person merged and split them; None if they are as they were read."""
    record: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What to record about the marking: calls, tokens, agreement."""
    binding: bool = False
    """Whether every claim counts as it is: a person's marks are not overruled, conflicts are warnings."""
    probabilities: Mapping[str, Probabilities] | None = None
    """By problem; None if the marks are no estimates."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One problem in one run, decided."""

    problem: str
    mark: Mark
    finding: int | None = None
    """The finding credited for it; None if missed."""
    quote: str = ""
    note: str = ""
    probabilities: Probabilities | None = None
    """Set if the mark is an estimate."""


@dataclass(frozen=True, slots=True)
class Extra:
    """A finding that is not credited to a problem, decided."""

    finding: int
    verdict: Ruled
    title: str
    reason: str
    counted: bool
    """False for a bonus beyond the fifth, and for a finding that is neither."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run, scored."""

    output: Output
    cells: tuple[Cell, ...]
    extras: tuple[Extra, ...]
    score: float
    """Not clamped; may be negative."""
    flags: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict[str, Any])
    estimate: Estimate | None = None
    """Of the score, if the marks are estimates."""

    def extra(self, verdict: Ruled) -> tuple[Extra, ...]:
        """The extras with one verdict, in the order of the text."""
        return tuple(extra for extra in self.extras if extra.verdict == verdict)

    def counted(self, verdict: Ruled) -> int:
        """How many extras with this verdict entered the score."""
        return sum(extra.counted for extra in self.extra(verdict))


@dataclass(frozen=True, slots=True)
class Marker:
    """Who marked the runs."""

    kind: MarkerKind
    who: str
    standing: str = ""
    """For a judge: `calibrated (κ …)` or `uncalibrated`."""

    def __str__(self) -> str:
        tail = f", {self.standing}" if self.standing else ""
        return {"judge": f"judge {self.who}", "marks": f"person ({self.who})"}.get(self.kind, self.who) + tail


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares in [0, 1], reported next to the points; None if nothing was claimed or nothing planted."""

    precision: float | None
    recall: float | None
    f1: float | None
    weighted_recall: float | None
    """Recall with critical 3, medium 2, minor 1."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far several runs marked the same problems alike."""

    share: float
    """Share of the problems with the same mark in every run, in [0, 1]."""
    kappa: float | None
    """Beyond chance, in [−1, 1]; None where every run gives one and the same mark to everything."""
    problems: int


@dataclass(frozen=True, slots=True)
class Source:
    """The audited document as a file."""

    path: str
    """Relative to the working directory if it is inside it, as code hosts expect."""
    text: str


@dataclass(frozen=True, slots=True)
class Result(Tabular):
    """One agent on one document over its runs."""

    name: str
    round: int
    problems: tuple[Problem, ...]
    runs: tuple[RunResult, ...]
    mean: float
    sd: float | None
    """Sample SD (n − 1); None for one run."""
    stability: Stability
    marker: Marker
    key_hash: str
    document: str = ""
    """Id or file name of the document."""
    sd_interval: tuple[float, float] | None = None
    """95% interval of the true SD behind `sd`."""
    judge_agreement: Mapping[str, Any] | None = None
    """How far several verdicts on a run agree (`judge.judgement.concord`); None for a single verdict."""
    warnings: tuple[str, ...] = ()
    source: Source | None = field(default=None, compare=False, repr=False)
    """The document itself, if it was read; SARIF needs its lines."""
    estimate: Estimate | None = None
    """Of the mean, if the marks are estimates."""
    agreement: Agreement | None = None
    """Between the runs; None for one run, and for a clean document."""

    @property
    def control(self) -> bool:
        """Whether this is a clean document: nothing is planted, so every claim is a false alarm."""
        return not self.problems

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """What each run found: equal for the same runs, in whatever order they are listed."""
        return tuple(sorted(tuple(finding.text for finding in run.output.findings) for run in self.runs))

    def records(self) -> list[dict[str, Any]]:
        """One line per problem, with its mark in each run."""
        marks = [{cell.problem: cell.mark for cell in run.cells} for run in self.runs]
        return [
            {"problem": problem.id, "title": problem.title, "severity": problem.severity}
            | {f"run{number}": found.get(problem.id) for number, found in enumerate(marks, 1)}
            for problem in self.problems
        ]

    def count(self, mark: Mark) -> int:
        """Cells with this mark over all runs."""
        return sum(cell.mark == mark for run in self.runs for cell in run.cells)


@dataclass(frozen=True, slots=True)
class SuiteResult(Tabular):
    """One agent on all documents of a suite."""

    suite: str
    name: str
    """The agent, or the set of recorded runs."""
    round: int
    results: tuple[Result, ...]
    points: float
    sd: float | None
    sd_interval: tuple[float, float] | None
    stability: Stability
    rates: Rates
    false_alarms: int
    """Claims on clean documents, over all runs."""
    absent: tuple[str, ...] = ()
    """Documents without a run, clean controls included; the pooled numbers are about the others."""
    estimate: Estimate | None = None
    """Of the points, if marks are estimates."""
    agreement: Agreement | None = None
    """Between the runs of each document, over all problems; None if every document has one run."""

    @property
    def keyed(self) -> tuple[Result, ...]:
        """The documents with planted problems."""
        return tuple(result for result in self.results if not result.control)

    def records(self) -> list[dict[str, Any]]:
        """The lines of all documents, each with its document."""
        return [{"document": result.document, **line} for result in self.results for line in result.records()]
