"""Keys, findings and the shipped suites, as the audit's tests use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from steelyard.audit.example import SUITES, suite_folder
from steelyard.audit.files import read_key, read_run, read_sheet, read_text
from steelyard.audit.findings import read_output
from steelyard.audit.marking.sheet import sheet_marks
from steelyard.audit.model import Criteria, Finding, Key, Marks, Output, Problem, RunResult, Severity
from steelyard.audit.score import weighed
from steelyard.audit.suite import read_suite

KEY_MARKDOWN = """# Answer key

### P01: Stock is oversold
- **Category**: Concurrency
- **Severity**: Critical
- **Location**: Section 2 `reserve`
- **Problem Description**: Two orders can take the last item.
- **Detection Criteria**:
  - ○ (Detected): Says that two orders can reserve the same last item.
  - △ (Partial): Mentions concurrency in general.
  - × (Not detected): Nothing.

### P02: Prices are rounded twice
- **Category**: Arithmetic
- **Severity**: Minor
- **Location**: line 7
- **Problem Description**: Each line and the total are rounded.
- **Detection Criteria**:
  - ○ (Detected): Says that rounding happens twice.
  - △ (Partial): Doubts the prices.
  - × (Not detected): Nothing.
"""


def problem(number: int, severity: Severity = "Medium") -> Problem:
    return Problem(f"P{number:02d}", f"title {number}", severity, Criteria("a", "b", "c"), category=f"cat {number}")


def problems(count: int) -> tuple[Problem, ...]:
    return tuple(problem(number + 1) for number in range(count))


def findings(texts: Sequence[str]) -> tuple[Finding, ...]:
    return tuple(Finding(index, text, text, index, index) for index, text in enumerate(texts, start=1))


def output(count: int, name: str = "run") -> Output:
    """An output of so many findings that all say something else."""
    texts = [f"finding number {index} of its own kind {index * 7}" for index in range(1, count + 1)]
    return Output(name, "\n".join(texts), findings(texts))


@dataclass(frozen=True)
class Recorded:
    """One recorded run of a shipped suite with the authors' marks."""

    where: str
    key: Key
    perspective: str
    output: Output
    marks: Marks
    result: RunResult


@cache
def recorded() -> tuple[Recorded, ...]:
    """All recorded runs on documents with a key."""
    found: list[Recorded] = []
    for name in SUITES:
        suite = read_suite(suite_folder(name))
        assert suite.perspective is not None
        scope = read_text(suite.perspective, "perspective")
        for runs in suite.sets.values():
            assert runs.marks is not None
            sheet = read_sheet(runs.marks)
            for unit in suite.units:
                if unit.key is None:
                    continue
                key = read_key(unit.key)
                for place, path in enumerate(runs.runs[unit.id]):
                    text = read_run(path)
                    marks = sheet_marks(sheet, text, place, key.problems)
                    where = f"{name}/{runs.name}/{path.name}"
                    found.append(Recorded(where, key, scope, text, marks, weighed(key.problems, text, marks)))
    return tuple(found)


def run_of(text: str) -> Output:
    return read_output(text, "run.md")
