"""How often the interval of `--lexical` covers the score that somebody else gave: per group of runs.

    python benchmarks/audit_intervals.py            the shipped suites, against their authors' marks
    python benchmarks/audit_intervals.py FOLDER     runs that others scored; FOLDER holds `cases.jsonl`, a run per line:

    {"group": "payments", "key": "k1.md", "run": "r1.md", "document": "d1.md", "perspective": "p.md", "score": 7.5}

Paths are relative to FOLDER. The real reviews that the rates of bonuses and penalties were fitted to are public but not
ours, so they are not part of this repository; docs/audit.md has what was measured on them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from steelyard.audit.example import SUITES, sheet_of, suite_folder, suite_result
from steelyard.audit.files import read_key, read_run, read_text
from steelyard.audit.marking import ByWords
from steelyard.audit.marking.lexical import lexical_marks
from steelyard.audit.model import Estimate
from steelyard.audit.score import weighed
from steelyard.audit.suite import read_suite


class Case(NamedTuple):
    """One run: what the marker expects and what was given."""

    group: str
    estimate: Estimate
    score: float


def shipped() -> Iterator[Case]:
    for name in SUITES:
        suite = read_suite(suite_folder(name))
        for chosen in suite.sets.values():
            given = suite_result(suite, chosen, sheet_of(chosen), 1, None)
            by_words = suite_result(suite, chosen, ByWords(), 1, None)
            for real, guess in zip(given.keyed, by_words.keyed, strict=True):
                for run, other in zip(real.runs, guess.runs, strict=True):
                    assert other.estimate is not None
                    yield Case(name, other.estimate, run.score)


def foreign(folder: Path) -> Iterator[Case]:
    for line in (folder / "cases.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        key, run = read_key(folder / entry["key"]), read_run(folder / entry["run"])
        document, scope = (
            read_text(folder / entry[what], what) if entry.get(what) else "" for what in ("document", "perspective")
        )
        estimate = weighed(key.problems, run, lexical_marks(key, run, scope, document)).estimate
        assert estimate is not None
        yield Case(entry["group"], estimate, float(entry["score"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    folder = parser.parse_args().folder
    cases = list(foreign(folder) if folder else shipped())
    print("| group | runs | covered | width | expected off by |\n|---|---|---|---|---|")
    for group in [*sorted({case.group for case in cases}), "all"]:
        part = [case for case in cases if group in ("all", case.group)]
        inside = sum(case.estimate.low - 1e-9 <= case.score <= case.estimate.high + 1e-9 for case in part)
        width = sum(case.estimate.high - case.estimate.low for case in part) / len(part)
        off = sum(abs(case.estimate.expected - case.score) for case in part) / len(part)
        print(f"| {group} | {len(part)} | {inside / len(part):.0%} | {width:.1f} | {off:.1f} |")


if __name__ == "__main__":
    main()
