"""One side of a comparison, read from Inspect logs of any task.

A score is an objective check if every value on both sides is C, I, N, a boolean, 0 or 1; otherwise it is a composite,
which must be a number in [0, 1] (`weigh` decides, because it knows both sides). The cost of such logs is shown and not
counted: their samples were not run side by side, so it mostly measures waiting time.

Both sides must have the same task in the same version, dataset, scorer with the same options, grader, limits and
epochs; and a sample that both have must ask the same and have the same target. Model, generation settings and solvers
are the subject; a task argument may be (`gate.under_test`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from steelyard.errors import InputError
from steelyard.gate.model import UNKNOWN_COST, Arm, Cost, Gap, Run, Side
from steelyard.gate.read.consistency import part_of, refuse_other_results, refuse_repeated
from steelyard.gate.read.origin import origins_of
from steelyard.logs.identity import sha256_of
from steelyard.logs.read import read_samples
from steelyard.logs.row import SHORTENED, content_of
from steelyard.models.tokens import weighed
from steelyard.outcome import Scored, Unscored
from steelyard.rows import LogRow, RunRow

NO_TRACE = "no trace of this run in the log"

_WIRE = frozenset(
    {
        *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections"),
        *("adaptive_connections", "batch", "cache"),
    }
)
"""Settings of generation that say how a provider is reached, not what is asked of it."""

_BY_MODEL = "model_graded"
"""How the names of Inspect's scorers begin in which a model grades."""
_GRADING_ROLES = ("grader", "grading", "judge", "scorer", "evaluator")
"""Names of roles that models have who grade, in scorers of whatever package."""


def foreign_arm(rows: Sequence[LogRow], name: str, scorer: str | None) -> Arm:
    """The arm in logs of any task; of several logs of one task the newest finished one counts."""
    chosen = _newest_per_task(rows)
    several = len(chosen) > 1
    runs: list[Run] = []
    gaps: list[Gap] = []
    questions: dict[str, str] = {}
    identity: dict[str, object] = {"task": tuple(sorted(chosen))}
    for task, row in sorted(chosen.items()):
        refuse_repeated(row)
        picked, key = _scorer(row, name, scorer)
        refuse_other_results(row, picked, key)
        prefix = f"{task}:" if several else ""
        identity |= _foreign_identity(row, prefix, picked if key is None else f"{picked}.{key}")
        _collect(row, prefix, picked, key, runs, gaps)
        questions |= {f"{prefix}{name}": content for name, content in _questions(row).items()}
    # By name, so that both sides speak of the same task in whatever order their logs were made.
    first = chosen[min(chosen)]
    subject = _subject(first)
    side = Side(
        label=name,
        kind="log",
        sources=tuple(row.path for row in chosen.values()),
        runs=len(runs) + len(gaps),
        rounds=max(row.epochs for row in chosen.values()),
        model=first.model,
        created=min(chosen.values(), key=lambda row: row.began).created,
        environment={**first.versions, **_others(first)},
    )
    return Arm(
        side,
        tuple(runs),
        tuple(gaps),
        {**subject, **identity},
        questions=questions,
        origins=origins_of(chosen.values()),
        subject=frozenset(subject),
    )


def _subject(row: LogRow) -> dict[str, object]:
    """What the log says of the subject: its model with its arguments and settings, and the solvers."""
    settings = {name: value for name, value in row.generate_config.items() if value is not None and name not in _WIRE}
    return {
        "model": row.model,
        **{f"model_args.{name}": value for name, value in row.model_args.items()},
        **{f"generate.{name}": value for name, value in settings.items()},
        **{f"solver {step}": params for step, params in row.solvers.items()},
    }


def _questions(row: LogRow) -> dict[str, str]:
    """Sample → hashes of its input and target, from the samples themselves where the summaries have not all of it."""
    known = {run.id: run.content for run in row.runs if run.content}
    cut = {run.id: (run.id, run.epoch) for run in row.runs if run.content.startswith(SHORTENED)}
    for sample in read_samples(row.path, cut.values()) if cut else ():
        data = sample.model_dump(mode="json", include={"input", "choices", "target"})
        targets = [sample.target] if isinstance(sample.target, str) else sample.target
        known[str(sample.id)] = content_of(data["input"], sample.choices or [], targets)
    return known


def _others(row: LogRow) -> dict[str, str]:
    """How the log ended, and the models beside the subject: whether they belong to it or grade it, it does not say."""
    models = ", ".join(sorted({*row.usage} - {row.model}))
    return {"the status of the log": row.status, **({"the list of other models": models} if models else {})}


def _newest_per_task(rows: Sequence[LogRow]) -> dict[str, LogRow]:
    """One log per task: the newest finished one, else the newest."""
    newest: dict[str, LogRow] = {}
    for row in sorted(rows, key=lambda row: (row.status == "success", row.began)):
        # Finished logs sort last, so they replace unfinished ones.
        newest[row.task] = row
    return newest


def _scorer(row: LogRow, name: str, chosen: str | None) -> tuple[str, str | None]:
    """The score to weigh, as (scorer, key of a many-valued score)."""
    known = sorted({scorer for run in row.runs for scorer in run.scores})
    if chosen is not None:
        scorer, _, key = chosen.partition(".")
        # The name of a scorer may itself contain a dot.
        if chosen not in known and scorer in known and key:
            return scorer, key
        if chosen not in known:
            offered = ", ".join(_choices(row, known)) or "none"
            raise InputError(f"{name}: {row.path} has no scorer {chosen!r}", cure=f"it has {offered}")
    if chosen is None and len(known) > 1:
        raise InputError(
            f"{name}: {row.path} has several scorers",
            cure=f"choose one with --scorer: {', '.join(_choices(row, known))}",
        )
    picked = chosen or (known[0] if known else "")
    if keys := _keys(row, picked):
        raise InputError(
            f"{name}: {row.path}: the scorer {picked} gives several values per sample",
            cure=f"choose one with --scorer: {', '.join(f'{picked}.{key}' for key in keys)}",
        )
    return picked, None


def _choices(row: LogRow, known: Sequence[str]) -> list[str]:
    """What --scorer can choose: NAME, or NAME.KEY for a scorer with several values."""
    return [choice for name in known for choice in ([f"{name}.{key}" for key in _keys(row, name)] or [name])]


def _keys(row: LogRow, scorer: str) -> list[str]:
    """The keys of a many-valued score."""
    values: list[Any] = [run.scores[scorer].value for run in row.runs if scorer in run.scores]
    return sorted({str(key) for value in values if isinstance(value, dict) for key in cast(dict[Any, Any], value)})


def _foreign_identity(row: LogRow, prefix: str, scorer: str) -> dict[str, object]:
    # Without a single score there is no scorer to compare, and the gaps say more.
    fields: dict[str, object] = {f"{prefix}scorer": scorer} if scorer else {}
    fields |= {f"{prefix}task_args.{key}": value for key, value in row.task_args.items()}
    fields |= {f"{prefix}dataset": row.dataset, f"{prefix}task_version": row.task_version}
    fields |= {f"{prefix}epochs": row.epochs, **{f"{prefix}{name}": value for name, value in row.limits.items()}}
    if scorer:
        fields |= {f"{prefix}{key}": value for key, value in _grading(row, scorer).items()}
    if row.stamp is not None:
        known = row.stamp.fingerprint
        fields |= {f"{prefix}{key}": getattr(known, key) for key in ("dataset", "judge", "rubric")}
        fields |= {f"{prefix}parameters.{key}": value for key, value in known.parameters.items()}
    return fields


def _grading(row: LogRow, scorer: str) -> dict[str, object]:
    """The options of the scorer, and who grades if a model does: its option, the role `grader`, or the model itself."""
    fields: dict[str, object] = {
        f"role {role}": model
        for role, model in row.roles.items()
        if any(word in role.lower() for word in _GRADING_ROLES)
    }
    named = {name.rpartition("/")[2]: name for name in row.scorers}
    name = named.get(scorer.partition(".")[0])
    if name is None:
        # The log names its scores differently: then nothing may differ.
        return fields | ({"scorer options": sha256_of(row.scorers)} if row.scorers else {})
    options, package = row.scorers[name], name.rpartition("/")[0]
    fields |= {f"scorer.{key}": value for key, value in options.items() if value is not None}
    fields |= {"scorer package": package} if package not in ("", "inspect_ai") else {}
    if scorer.startswith(_BY_MODEL):
        role = str(options.get("model_role") or "grader")
        fields["grader"] = options.get("model") or row.roles.get(role) or row.model
    return fields


def _collect(row: LogRow, prefix: str, scorer: str, key: str | None, runs: list[Run], gaps: list[Gap]) -> None:
    seen: set[tuple[str, int]] = set()
    binary = all(_binary(run, scorer) for run in row.runs) if key is None else False
    for run in row.runs:
        seen.add((run.id, run.epoch))
        result = _foreign_run(run, prefix, scorer, key, row.path, binary)
        (runs if isinstance(result, Run) else gaps).append(result)  # type: ignore[arg-type]
    # A planned run of which the log has no trace is a gap too.
    expected = {(sample, epoch) for epoch in range(1, row.epochs + 1) for sample in row.sample_ids}
    for sample, epoch in sorted(expected - seen):
        gaps.append(Gap(f"{prefix}{sample}", epoch, "missing", row.error or NO_TRACE, row.path))


def _binary(run: RunRow, scorer: str) -> bool:
    score = run.scores.get(scorer)
    return score is None or not isinstance(score.outcome, Scored) or score.outcome.value in (0.0, 1.0)


def _foreign_run(run: RunRow, prefix: str, scorer: str, key: str | None, path: str, binary: bool) -> Run | Gap:
    task = prefix + run.id
    score = run.scores.get(scorer)
    # What a scorer made of a run that broke off (`score_on_error`) says nothing about the subject.
    if score is None or run.error is not None:
        return Gap(task, run.epoch, "harness", run.error or "the run has no score", path)
    outcome = part_of(score, key)
    if isinstance(outcome, Unscored):
        return Gap(task, run.epoch, outcome.fault, outcome.reason, path)
    # A check if every value of this side is 0 or 1; `weigh` undoes that if the other side disagrees.
    passed, total = (outcome.value, 1) if binary else (0, 0)
    return Run(task, passed, total, cost=_usage(run), composite=outcome.value, round=run.epoch)


def _usage(run: RunRow) -> Cost:
    if not run.usage and run.total_time_s is None:
        return UNKNOWN_COST
    known = [usage for usage in run.usage.values() if usage.get("total_tokens") is not None]
    weights = [
        weighed(usage["total_tokens"], usage.get("input_tokens_cache_read"), usage.get("input_tokens_cache_write"))
        for usage in known
    ]
    seconds = run.total_time_s
    # A model without a number makes the sum unknown: a partial sum would look cheap.
    complete = bool(known) and len(known) == len(run.usage)
    return Cost(tokens=sum(weights) if complete else None, wall_clock_ms=None if seconds is None else seconds * 1000)
