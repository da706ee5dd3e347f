"""Shards: parts of one log that workers wrote to `NAME.shards/K/`, beside the merged log `NAME.eval`.

Beside its merged log a shard does not count, so that no sample counts twice. A shard of another run, one that the
ledger of the merged log does not list, one whose samples the merged log lacks, and two shards with the same sample are
problems, each under its own name. So are a shard that is missing between others, if there is no merged log, and a
merged log whose ledger lists more runs than it holds: some of its shards overlap, or were lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.rows import LogRow, Logs, Problem


def without_shards(logs: Logs) -> Logs:
    """The logs without the shards that a merged log covers, and a problem for each shard that cannot be right."""
    groups: dict[str, list[LogRow]] = {}
    for row in logs.rows:
        if merged := _place(row)[0]:
            groups.setdefault(merged, []).append(row)
    short = [problem for row in logs.rows if row.shards and (problem := _short(row)) is not None]
    if not groups and not short:
        return logs
    by_path = {row.path: row for row in logs.rows}
    dropped = {problem.path for problem in short}
    problems = [*logs.problems, *short]
    for name, shards in groups.items():
        # Inspect recovers an unfinished log under the second name.
        merged = by_path.get(f"{name}.eval") or by_path.get(f"{name}-recovered.eval")
        wrong = _uncovered(merged, shards) if merged else [*_inconsistent(shards), *_missing(name, shards)]
        problems += wrong
        dropped |= {row.path for row in shards} if merged else {problem.path for problem in wrong}
    return Logs(tuple(row for row in logs.rows if row.path not in dropped), tuple(problems))


def _uncovered(merged: LogRow, shards: Sequence[LogRow]) -> list[Problem]:
    problems: list[Problem] = []
    covered = _samples(merged)
    for shard in shards:
        if _identity(shard) != _identity(merged):
            problems.append(Problem(shard.path, f"a foreign shard: it is not of the run in {merged.path}"))
        elif merged.shards and _number(shard) not in merged.shards:
            problems.append(
                Problem(shard.path, f"the ledger of {merged.path} does not list this shard; merge it again")
            )
        elif missing := sorted(_samples(shard) - covered):
            reason = f"{merged.path} lacks {missing[0][0]} (epoch {missing[0][1]}) of this shard; merge it again"
            problems.append(Problem(shard.path, reason))
    return problems


def _short(merged: LogRow) -> Problem | None:
    """Each run of a shard is one of the merged log, so a ledger with more runs counted some of them twice."""
    listed, held = sum(merged.shards.values()), len(merged.runs)
    if listed <= held:
        return None
    reason = f"its ledger lists {listed} runs of its shards, but it holds {held}: shards overlap or are missing"
    return Problem(merged.path, f"{reason}; merge them again")


def _inconsistent(shards: Sequence[LogRow]) -> list[Problem]:
    problems: list[Problem] = []
    owners: dict[tuple[str, int], LogRow] = {}
    first = shards[0]
    for shard in shards:
        if _identity(shard) != _identity(first):
            problems.append(Problem(shard.path, f"a foreign shard: it is not of the run in {first.path}"))
            continue
        other = next((owners[sample] for sample in sorted(_samples(shard)) if sample in owners), None)
        if other is not None and _number(other) != _number(shard):
            problems.append(Problem(shard.path, f"overlaps with the shard {other.path}"))
            continue
        owners.update(dict.fromkeys(_samples(shard), shard))
    return problems


def _missing(name: str, shards: Sequence[LogRow]) -> list[Problem]:
    """Numbers that are left out between shards: what those workers wrote is lost, or was not copied."""
    numbers = {int(number) for shard in shards if (number := _number(shard)).isdecimal()}
    # Counting may begin at 0 or at 1.
    absent = sorted(set(range(1, max(numbers, default=0))) - numbers)
    reason = "this shard is missing, and there is no merged log; copy it here, or merge what is there"
    return [Problem(f"{name}.shards/{number}", reason) for number in absent]


def _identity(row: LogRow) -> tuple[object, ...]:
    return row.task, row.model, row.stamp and (row.stamp.wing, row.stamp.unit, row.stamp.fingerprint)


def _samples(row: LogRow) -> set[tuple[str, int]]:
    # Without those that failed: another shard may have repeated them.
    return {(run.id, run.epoch) for run in row.runs if run.error is None}


def _number(row: LogRow) -> str:
    return _place(row)[1]


def _place(row: LogRow) -> tuple[str, str]:
    """The path of the merged log without its ending, and the number of the shard; both are empty for other logs."""
    merged, _, rest = row.path.rpartition(".shards/")
    return (merged, rest.split("/")[0]) if merged and rest.count("/") == 1 else ("", "")
