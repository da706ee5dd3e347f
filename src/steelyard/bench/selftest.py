"""Checks that data, references and scorers are consistent, before anyone spends money.

Per category: the files are those of the manifest; as many items load as the registry says, each id once; every
reference passes its own scorer (the ceiling: 1.0 on binary items, 0.85 on rubric ones); floor answers fail (no CDK app
passes; the mean stays at or below 0.2 for rubric items, and below 0.35, which is guessing, on the exam). Everything
runs through the real tasks in a throw-away folder. Scorers other than the one that runs all references are tried with
answers whose score is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steelyard.artifact import scratch_folder
from steelyard.bench.category import Category
from steelyard.bench.model import CEILING, FLOOR
from steelyard.bench.run import make_task, official_scorer, run
from steelyard.bench.run.plan import RunSpec
from steelyard.bench.score import category_score, item_means
from steelyard.bench.subjects import outcome_of_run
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.errors import SandboxError, SteelyardError, ToolchainError
from steelyard.logs.read import read_logs
from steelyard.outcome import Scored, exact
from steelyard.report import numbers
from steelyard.rows import LogRow


@dataclass(frozen=True, slots=True)
class Defect:
    """One failed check."""

    category: str
    what: str
    """An item's id, or what was checked."""
    why: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a self test."""

    findings: tuple[Defect, ...]
    figures: tuple[str, ...]
    """The mean scores of references and floor answers, one line per category."""
    unanswered: tuple[Defect, ...] = ()
    """Checks that could not run for lack of a tool; they say nothing about data or scorers."""


def selftest(
    categories: Sequence[str],
    tell: Callable[[str, int, int], None],
    scorer: str | None = None,
    suite: Suite = OFFICIAL,
) -> Checked:
    """Check these categories with their default scorer or `scorer`; a category that cannot be checked is a defect."""
    findings: list[Defect] = []
    figures: list[str] = []
    unanswered: list[Defect] = []
    for key in categories:
        try:
            defects, figure = _category(suite.categories[key], tell, scorer, suite)
        # A missing tool says nothing about the data, so it is no finding.
        except (ToolchainError, SandboxError) as error:
            defects, figure = [], f"{suite.categories[key].name}: did not run"
            unanswered.append(Defect(key, "tools", str(error)))
        findings += defects
        figures.append(figure)
    return Checked(tuple(findings), tuple(figures), tuple(unanswered))


def _category(
    category: Category, tell: Callable[[str, int, int], None], scorer: str | None, suite: Suite
) -> tuple[list[Defect], str]:
    findings = [Defect(category.key, "files", line) for line in category.changed_files()]
    with scratch_folder("steelyard-selftest-") as scratch:
        spec = RunSpec(
            models=(CEILING, FLOOR),
            categories=(category.key,),
            log_dir=scratch,
            diagrams="text",
            scorer=scorer if category.choice(scorer) else None,
            suite=suite,
        )
        try:
            findings += _items(category, spec)
            findings += [Defect(category.key, name, why) for name, why in category.broken_scorers().items()]
            findings += [Defect(category.key, "run", problem) for problem in run(spec, tell).problems]
            logs = {row.model: row for row in read_logs([scratch]).rows}
        except (ToolchainError, SandboxError):
            raise
        except SteelyardError as error:
            return [*findings, Defect(category.key, "load", str(error))], f"{category.name}: did not run"
        official = official_scorer(make_task(category.key, spec))[1]
    return _judge(category, logs, official, findings)


def _judge(
    category: Category, logs: dict[str, LogRow], scorer: str, findings: list[Defect]
) -> tuple[list[Defect], str]:
    ceiling, floor = (_scores(logs.get(name), scorer) for name in (CEILING, FLOOR))
    findings += references(category, ceiling)
    findings += floors(category, floor)
    high, low = category_score(ceiling), category_score(floor)
    figure = f"{category.name}: {len(ceiling)} references mean {numbers.score(high)}, floor mean {numbers.score(low)}"
    return findings, figure


def references(category: Category, scores: dict[str, float]) -> list[Defect]:
    """References that do not pass their own scorer."""
    needed = category.reference_at_least
    missing = category.sample_count - len(scores)
    short = (
        [Defect(category.key, "references", f"{missing} of {category.sample_count} have no score")] if missing else []
    )
    failed = [item for item, value in sorted(scores.items()) if exact(value) < needed]
    return short + [
        Defect(category.key, item, f"its reference scores {numbers.score(scores[item])}, not {needed:g}")
        for item in failed
    ]


def floors(category: Category, scores: dict[str, float]) -> list[Defect]:
    """Floor answers that do too well: an item that a guess solves measures nothing."""
    most = category.floor_at_most
    mean = category_score(scores)
    if mean is None or exact(mean) <= most:
        return []
    if most == 0.0:
        return [
            Defect(category.key, item, "a floor answer passes") for item, value in sorted(scores.items()) if value > 0
        ]
    return [Defect(category.key, "floor", f"floor answers reach {numbers.score(mean)}, more than {most:g}")]


def _items(category: Category, spec: RunSpec) -> list[Defect]:
    ids = [str(sample.id) for sample in make_task(category.key, spec).dataset]
    findings = [Defect(category.key, item, "duplicate id") for item in sorted({i for i in ids if ids.count(i) > 1})]
    if len(ids) != category.sample_count:
        findings.append(Defect(category.key, "items", f"{len(ids)} load, the registry says {category.sample_count}"))
    return findings


def _scores(log: LogRow | None, scorer: str) -> dict[str, float]:
    if log is None:
        return {}
    outcomes = ((run.id, outcome_of_run(run, scorer)) for run in log.runs)
    return item_means((item, outcome.value) for item, outcome in outcomes if isinstance(outcome, Scored))
