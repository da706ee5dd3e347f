"""Logs of any Inspect tasks as logs of a board: each gets the stamp that a run of the bench would have written.

What must be equal before two logs may be compared is taken from the logs themselves: dataset, scorer with its options
and the task's version, task arguments, the model that graded. Who scored, how many samples a full run has and whether
every score is 0 or 1 are found out here, because only the logs say it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, cast

from steelyard.bench.board_file import TaskCategory
from steelyard.bench.category import Category, ScorerChoice, listed
from steelyard.bench.model import Spec
from steelyard.bench.subjects import scored_runs, scorers_of, tally
from steelyard.errors import IncomparableError
from steelyard.logs.scores import number_of, numbers_of, outcome_of
from steelyard.outcome import Scored
from steelyard.rows import LogRow, Logs, RunRow, ScoreRow
from steelyard.stamp import Fingerprint, Stamp

_LOOKED_AT = 200
"""Runs that tell whether scores are 0 or 1."""


def adopted(logs: Logs, spec: Spec) -> tuple[Logs, Spec]:
    """The logs and the spec of a board over any tasks; those of other boards stay as they are."""
    owners = [category for category in spec.suite.categories.values() if isinstance(category, TaskCategory)]
    if not owners:
        return logs, spec
    found: dict[str, list[LogRow]] = {category.key: [] for category in owners}
    owned = [(row, next((category for category in owners if category.is_of(row.task)), None)) for row in logs.rows]
    _refuse_undecided((row, owner) for row, owner in owned if owner is not None)
    rows: list[LogRow] = []
    for row, owner in owned:
        adapted = replace(row, stamp=None) if owner is None else _adapted(row, owner)
        rows.append(adapted)
        if owner is not None:
            found[owner.key].append(adapted)
    settled = _one_subject(rows)
    categories = listed(*(_settled(category, found[category.key]) for category in owners))
    return Logs(settled, logs.problems), replace(spec, suite=replace(spec.suite, categories=categories))


def _one_subject(rows: Sequence[LogRow]) -> tuple[LogRow, ...]:
    """The rows, where settings that tasks bring along do not make several subjects of one model.

    A task may set a temperature that another does not; a log does not say who set it. Only a model that ran one task
    with several settings is several subjects.
    """
    variants: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        if row.stamp is not None:
            variants.setdefault((_model(row), row.stamp.unit), set()).add(json.dumps(row.generate_config, default=str))
    several = {model for (model, _), settings in variants.items() if len(settings) > 1}
    return tuple(row if _model(row) in several else replace(row, generate_config={}) for row in rows)


def _model(row: LogRow) -> str:
    return json.dumps([row.model, row.model_args], sort_keys=True, default=str)


def _settled(category: TaskCategory, rows: Sequence[LogRow]) -> Category:
    """The category with what its logs say about it."""
    scorers = dict.fromkeys(row.stamp.fingerprint.scorer.partition("@")[0] for row in rows if row.stamp)
    # A log made with a limit does not show the size of a full run.
    full = [row for row in rows if not row.limited] or rows
    return replace(
        category,
        choices={name: ScorerChoice(name) for name in scorers or ("score",)},
        sample_count=category.sample_count or max((len(row.sample_ids) for row in full), default=0),
        # One log of each model is looked at: reading the runs of thousands takes long, and a model that is right
        # throughout has full marks only, on any scale.
        scoring="binary" if rows and all(map(_binary, {_model(row): row for row in rows}.values())) else "rubric",
    )


def _adapted(row: LogRow, category: TaskCategory) -> LogRow:
    scorer = _scorer(row, category)
    if scorer is not None and (category.entry.range is not None or "." in scorer):
        runs = tuple(_rescored(run, scorer, category) for run in row.runs)
        row = replace(row, runs=runs)
        row = replace(row, tally=tally(row))
    return replace(row, stamp=_stamp(row, category, scorer or "score"))


def _refuse_undecided(owned: Iterable[tuple[LogRow, TaskCategory]]) -> None:
    """Raise where the file leaves open what the scores of a task mean; names all such categories at once."""
    several: dict[str, str] = {}
    outside: dict[str, list[float]] = {}
    for row, category in owned:
        scorer = _scorer(row, category)
        if scorer is None and (present := offered(row)):
            several.setdefault(category.key, f"{category.key} ({', '.join(present)})")
        elif scorer is not None and category.entry.range is None:
            # Reading the runs takes time; where all are scored, none lies outside.
            values = _values(row, scorer) if scored_runs(row, scorer) < len(row.sample_ids) else []
            if any(not 0 <= value <= 1 for value in values):
                outside.setdefault(category.key, []).extend(values)
    if several:
        raise IncomparableError(
            f"a category counts one score, and these tasks give several: {'; '.join(several.values())}",
            cure=f"write scorer: and one of them below {' and '.join(several)}",
        )
    if outside:
        spans = (f"{key} ({min(values):g} to {max(values):g})" for key, values in outside.items())
        raise IncomparableError(
            f"scores lie outside 0 to 1: {'; '.join(spans)}",
            cure=f"write range: [worst, best] below {' and '.join(outside)}; what lies outside it counts as lost",
        )


def _values(row: LogRow, scorer: str) -> list[float]:
    """The numbers of the first runs of a log, as they were given."""
    name, _, key = scorer.partition(".")
    values: list[float] = []
    for run in islice(row.runs, _LOOKED_AT):
        if (score := run.scores.get(scorer) or run.scores.get(name)) is not None:
            parts = _parts(score)
            number = number_of(score.value if parts is None else parts.get(key))
            values += [] if number is None else [number]
    return values


def _scorer(row: LogRow, category: TaskCategory) -> str | None:
    """The scorer whose numbers count: the one that the file names, or the only one; None if that decides nothing."""
    wanted = category.entry.scorer
    present = offered(row)
    if wanted is None:
        return present[0] if len(present) == 1 else None
    if wanted not in present and any(name.startswith(f"{wanted}.") for name in present):
        return None
    return wanted  # a log without it is listed as one that holds no such score


def offered(row: LogRow) -> list[str]:
    """The names of all numbers in a log: a scorer, or `SCORER.KEY` for each value of one that gives several."""
    # If every scorer gave plain numbers, there are no keys to look for and the runs need not be read.
    if row.tally and all(row.tally.values()):
        return sorted(row.tally)
    keys: dict[str, None] = {}
    for run in islice(row.runs, _LOOKED_AT):
        for name, score in run.scores.items():
            keys |= dict.fromkeys(numbers_of(name, score.value))
    return sorted(keys or scorers_of(row))


def _parts(score: ScoreRow) -> Mapping[str, Any] | None:
    """The values of a score that has several."""
    value: Any = score.value
    return cast(Mapping[str, Any], value) if isinstance(value, dict) else None


def _rescored(run: RunRow, scorer: str, category: TaskCategory) -> RunRow:
    """The run with the one number that counts, between 0 and 1."""
    name, _, key = scorer.partition(".")
    score = run.scores.get(scorer) or run.scores.get(name)
    if score is None:
        return run
    parts = _parts(score)
    value = score.value if parts is None else parts.get(key)
    outcome = outcome_of(value)
    if isinstance(outcome, Scored):
        outcome = Scored(category.scaled(outcome.value))
    return replace(run, scores={scorer: ScoreRow(value, outcome, score.answer, score.explanation, score.metadata)})


def _stamp(row: LogRow, category: TaskCategory, scorer: str) -> Stamp:
    parameters: dict[str, Any] = {**row.task_args}
    options = row.scorers.get(scorer.partition(".")[0])
    if options:
        parameters["scorer options"] = dict(options)
    fingerprint = Fingerprint(
        dataset=row.dataset or "",
        samples="",  # complete runs are compared item by item
        scorer=f"{scorer}@{row.task_version}",
        judge=row.roles.get("grader"),
        parameters=parameters,
    )
    return Stamp("bench", category.unit, fingerprint, row.stamp.label if row.stamp else None)


def _binary(row: LogRow) -> bool:
    scorer = row.stamp.fingerprint.scorer.partition("@")[0] if row.stamp else ""
    outcomes = [run.scores[scorer].outcome for run in islice(row.runs, _LOOKED_AT) if scorer in run.scores]
    return bool(outcomes) and all(outcome.value in (0, 1) for outcome in outcomes if isinstance(outcome, Scored))
