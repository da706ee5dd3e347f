"""Logs into frozen rows.

`read_logs` takes folders, globs, single files and whatever else Inspect can read (remote paths), and gives back rows
and problems: a broken log is reported by name and never stops the others. Local `.eval` files are read straight from
the zip (header and summaries, no samples), which is many times faster than the public calls; design/0004 says why,
and a test holds both ways equal. Full samples are read on demand (`read_samples`), one log at a time.
"""

from __future__ import annotations

import glob
import importlib
import json
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from steelyard.errors import LogError, boundary, one_line, redact
from steelyard.logs.identity import Stamp, read_stamp
from steelyard.logs.scores import outcome_of
from steelyard.outcome import Outcome

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

MEMBER_LIMIT = 512_000_000
"""Bytes that one member of a log's zip may unpack to; a bomb is refused before it is unpacked."""

_JSON = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score of one run."""

    value: Any
    """As it stands in the log; NaN for unscored."""
    outcome: Outcome
    answer: str | None = None
    explanation: str | None = None
    """Cut to 1,000 characters by Inspect in summaries."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Only what is small: Inspect drops fields over 1 kB from summaries."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One sample × epoch."""

    id: str
    epoch: int
    scores: Mapping[str, ScoreRow]
    error: str | None
    """Why the sample ended without a result, when it did."""
    limit: str | None
    """Which of Inspect's limits ended it, when one did."""
    total_time_s: float | None
    working_time_s: float | None
    usage: Mapping[str, Mapping[str, Any]]
    """Token usage by model name, as Inspect records it."""
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LogRow:
    """One eval log without its samples."""

    path: str
    status: str
    """`success`, `error`, `cancelled` or `started`."""
    task: str
    """The registered name when there is one (`steelyard/practice_exam`), else the task's own."""
    task_id: str
    run_id: str
    eval_id: str
    created: str
    """ISO 8601."""
    model: str
    model_args: Mapping[str, Any]
    generate_config: Mapping[str, Any]
    """The generation settings that held: those of the task, and over them those of the command line."""
    task_args: Mapping[str, Any]
    limited: bool
    """Made with a sample limit or a choice of samples."""
    epochs: int
    sample_ids: tuple[str, ...]
    """The samples this eval set out to run."""
    stamp: Stamp | None
    runs: tuple[RunRow, ...]
    usage: Mapping[str, Mapping[str, Any]]
    versions: Mapping[str, str]
    error: str | None
    metadata: Mapping[str, Any]


class Problem(NamedTuple):
    """A log that could not be read, and why."""

    path: str
    reason: str


class Logs(NamedTuple):
    """What `read_logs` found."""

    rows: tuple[LogRow, ...]
    problems: tuple[Problem, ...]


def read_logs(where: Sequence[str | Path]) -> Logs:
    """All logs behind `where`; nothing found at all is a `LogError`."""
    rows: list[LogRow] = []
    problems: list[Problem] = []
    for path in find_logs(where):
        try:
            rows.append(read_log(path))
        except LogError as error:
            problems.append(Problem(path, str(error)))
    if not rows and not problems:
        raise LogError(f"no eval logs in {', '.join(map(str, where)) or 'an empty list'}")
    return Logs(tuple(rows), tuple(problems))


def find_logs(where: Sequence[str | Path]) -> list[str]:
    """The log files behind folders (searched recursively), globs, files and remote paths; each once, sorted."""
    found: dict[str, None] = {}
    for each in where:
        for path in _expand(str(each)):
            found[path] = None
    return sorted(found)


def read_log(path: str | Path) -> LogRow:
    """One log as a row; `LogError` when it is damaged, unfinished beyond reading, or not a log."""
    name = str(path)
    with boundary(LogError, f"cannot read {name}"):
        header, summaries = _members(name) if _is_local_eval(name) else _public(name)
        return _row(name, header, summaries)


def read_samples(path: str | Path) -> Iterator[EvalSample]:
    """The full samples of one log, one at a time."""
    from inspect_ai.log import read_eval_log_samples

    with boundary(LogError, f"cannot read the samples of {path}"):
        yield from read_eval_log_samples(str(path), all_samples_required=False, resolve_attachments=True)


def _expand(each: str) -> Iterator[str]:
    local = Path(each)
    if not each:
        raise LogError("an empty name is no place to look for logs")
    if "://" in each:
        yield from _remote(each)
    elif local.is_dir():
        yield from (str(path) for path in local.rglob("*.eval") if path.is_file() or _dangles(path))
        yield from (str(path) for path in local.rglob("*.json") if _looks_like_log(path))
    elif local.exists():
        yield each
    elif matches := glob.glob(each, recursive=True):
        yield from (path for match in matches for path in _expand(match))
    else:
        raise LogError(f"{each} does not exist")


def _remote(each: str) -> Iterator[str]:
    from inspect_ai.log import list_eval_logs

    with boundary(LogError, f"cannot list {each}"):
        if each.endswith((".eval", ".json")):
            yield each
        else:
            yield from (info.name for info in list_eval_logs(each))


def _dangles(path: Path) -> bool:
    """A link to a log that is gone: named among the broken ones. Pipes and devices are left alone; they could block."""
    return path.is_symlink() and not path.exists()


def _looks_like_log(path: Path) -> bool:
    """Inspect names its logs `<time>_<task>_<id>.json`; other JSON files in a folder are none of our business."""
    return path.name[:4].isdigit() and path.name.count("_") >= 2


def _is_local_eval(name: str) -> bool:
    return "://" not in name and name.endswith(".eval")


def _members(name: str) -> tuple[_JSON, list[_JSON]]:
    if sys.version_info < (3, 14):
        importlib.import_module("zipfile_zstd")  # teaches `zipfile` the compression Inspect writes with
    with zipfile.ZipFile(name) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        if "header.json" in sizes:
            header = cast(_JSON, _load(archive, "header.json", sizes))
        else:  # still being written, or cut off: the start record is all there is
            header = cast(_JSON, _load(archive, "_journal/start.json", sizes))
            header["status"] = "started"
        if "summaries.json" in sizes:
            return header, cast(list[_JSON], _load(archive, "summaries.json", sizes))
        parts = sorted((each for each in sizes if each.startswith("_journal/summaries/")), key=_part_number)
        return header, [row for part in parts for row in cast(list[_JSON], _load(archive, part, sizes))]


def _part_number(member: str) -> int:
    stem = member.rsplit("/", 1)[-1].removesuffix(".json")
    return int(stem) if stem.isdigit() else 0


def _load(archive: zipfile.ZipFile, member: str, sizes: Mapping[str, int]) -> Any:
    if member not in sizes:
        raise LogError(f"{archive.filename} holds no {member}: not an eval log, or cut off")
    if sizes[member] > MEMBER_LIMIT:
        raise LogError(f"{archive.filename}: {member} would unpack to {sizes[member] // 1_000_000} MB")
    return json.loads(archive.read(member))


def _public(name: str) -> tuple[_JSON, list[_JSON]]:
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

    header = read_eval_log(name, header_only=True).model_dump(mode="json", exclude_none=True)
    return header, [row.model_dump(mode="json") for row in read_eval_log_sample_summaries(name)]


def _row(path: str, header: _JSON, summaries: list[_JSON]) -> LogRow:
    spec = _spec_of(path, header, summaries)
    config = cast(_JSON, spec.get("config") or {})
    dataset = cast(_JSON, spec.get("dataset") or {})
    error = header.get("error")
    return LogRow(
        path=path,
        status=str(header.get("status", "started")),
        task=str(spec.get("task_registry_name") or spec["task"]),
        task_id=str(spec.get("task_id", "")),
        run_id=str(spec.get("run_id", "")),
        eval_id=str(spec.get("eval_id", "")),
        created=str(spec["created"]),
        model=str(spec["model"]),
        model_args=spec.get("model_args") or {},
        generate_config={**_asked(header), **(spec.get("model_generate_config") or {})},
        task_args=spec.get("task_args") or {},
        limited=config.get("limit") is not None or config.get("sample_id") is not None,
        epochs=int(config.get("epochs") or 1),
        sample_ids=tuple(str(each) for each in dataset.get("sample_ids") or ()),
        stamp=read_stamp(spec.get("metadata")),
        runs=tuple(_run(row) for row in summaries),
        usage=cast(_JSON, header.get("stats") or {}).get("model_usage") or {},
        versions=spec.get("packages") or {},
        error=one_line(redact(str(cast(_JSON, error).get("message", error)))) if error else None,
        metadata=spec.get("metadata") or {},
    )


def _spec_of(path: str, header: Any, summaries: Any) -> _JSON:
    """What was to be run; anything can call itself a log, so its shape is looked at before it is used."""
    spec = cast(_JSON, header).get("eval") if isinstance(header, dict) else None
    if not isinstance(spec, dict) or not isinstance(summaries, list):
        raise LogError(f"{path} is not an eval log: its header describes no run")
    lacking = [name for name in ("task", "model", "created") if name not in spec]
    if lacking:
        raise LogError(f"{path} is not an eval log: its header names no {', '.join(lacking)}")
    return cast(_JSON, spec)


def _asked(header: _JSON) -> _JSON:
    """What the task itself asked of the model; it holds wherever the command line said nothing."""
    plan = cast(_JSON, header.get("plan") or {})
    return {name: value for name, value in cast(_JSON, plan.get("config") or {}).items() if value is not None}


def _run(row: _JSON) -> RunRow:
    scores = cast(dict[str, _JSON], row.get("scores") or {})
    return RunRow(
        id=str(row["id"]),
        epoch=int(row["epoch"]),
        scores={name: _score(score) for name, score in scores.items()},
        error=one_line(redact(str(row["error"]))) if row.get("error") else None,
        limit=row.get("limit"),
        total_time_s=row.get("total_time"),
        working_time_s=row.get("working_time"),
        usage=row.get("model_usage") or {},
        metadata=row.get("metadata") or {},
    )


def _score(score: _JSON) -> ScoreRow:
    metadata = cast(_JSON, score.get("metadata") or {})
    reason, explanation = score.get("reason"), score.get("explanation")
    outcome = outcome_of(score.get("value"), reason=reason, explanation=explanation, fault=metadata.get("fault"))
    return ScoreRow(score.get("value"), outcome, score.get("answer"), explanation, metadata)
