"""Is a submission what it says? Everything is found out from its logs and the data of this installation, offline.

    items         every run answers an item of the suite, as this installation asks it (no foreign items)
    fingerprint   dataset, sample ids, scorer and parameters are those of a run here
    answers       the answer that is graded is the one that is shown
    canary        no answer recites the canary of the data
    grades        every answer, graded again here, gets the score that its log has
    board         every number of the board follows from the logs

What cannot be found out here (a judge's grades, a verifier that is not installed, tasks that are not ours) is named,
and leaves the submission undecided. That an answer is the model's own cannot be found out from a log at all.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from steelyard import artifact
from steelyard.bench.board import make_board
from steelyard.bench.board_file import TaskCategory
from steelyard.bench.category import Category
from steelyard.bench.comparable import unlike
from steelyard.bench.model import Spec
from steelyard.bench.read.selection import category_of
from steelyard.bench.report.data import leaderboard
from steelyard.bench.run.plan import RunSpec
from steelyard.bench.run.task import make_task, official_scorer
from steelyard.bench.subjects import outcome_of_run
from steelyard.bench.submission.bundle import Unpacked, unpack
from steelyard.bench.suite import way_to
from steelyard.errors import InputError, SandboxError, SteelyardError, ToolchainError, one_line
from steelyard.logs.identity import environment, read_stamp
from steelyard.logs.read import read_log, read_samples
from steelyard.logs.rescore import rescore
from steelyard.logs.row import content_of
from steelyard.outcome import Scored, exact
from steelyard.report import numbers
from steelyard.rows import LogRow, Tabular

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSample

Verdict: TypeAlias = Literal["holds", "fails", "undecided"]

_CLAIMS = (
    *("overall", "strict", "complete", "missing", "coverage", "scorers", "judges", "baseline", "intervals", "rank"),
    *("tie_group", "incomparable", "unreadable", "fingerprints", "items"),
)
"""What a row of the board says, besides its categories; every version derives these from logs alike."""

_TOGETHER = ("suite", "model_count", "seed", "min_coverage", "overall_margin", "categories")
"""What the metadata says of all rows; time, run and what is known of judges are the submitter's own."""

_COMPUTED_BY = ("steelyard", "numpy", "scipy")
"""Packages whose other version may draw or compute differently."""

_NAMED = 3
"""Runs that are named one by one."""


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check of one part of the submission."""

    what: str
    """`items`, `fingerprint`, `answers`, `canary`, `grades` or `board`."""
    where: str
    """A log, by its model and category, or the board."""
    verdict: Verdict
    why: str = ""


@dataclass(frozen=True, slots=True)
class SubmissionCheck(Tabular):
    """A submission, checked."""

    LINES = "lines"

    lines: tuple[CheckLine, ...]
    models: tuple[str, ...]
    versions: Mapping[str, str]
    """Of the submitter's machine, as the submission says."""

    @property
    def verdict(self) -> Verdict:
        """`fails` if anything does, else `undecided` if anything is, else `holds`."""
        verdicts = {line.verdict for line in self.lines}
        return "fails" if "fails" in verdicts else "undecided" if "undecided" in verdicts else "holds"


def check_submission(path: Path, spec: Spec, tell: Callable[[str, int, int], None]) -> SubmissionCheck:
    """Check one submission to the board of `spec`; raises `InputError` if the file cannot be one."""
    with artifact.scratch_folder("steelyard-check-") as folder:
        found = unpack(path, folder)
        manifest = found.manifest
        if manifest.suite != spec.suite.name:
            name = one_line(manifest.suite, 60)
            raise InputError(f"{path} is a submission to the suite {name}, not to {spec.suite.name}", cure=way_to(name))
        # Use the submitter's choices; otherwise a different board would be recomputed.
        spec = replace(spec, scorer=manifest.scorer, diagrams=manifest.diagrams)
        lines = _board(found, spec)
        for number, log in enumerate(found.logs):
            tell("logs", number, len(found.logs))
            lines += _log(log, spec)
        models = [str(row.get("model")) for row in _rows(found.board)]
    return SubmissionCheck(tuple(lines), tuple(models), manifest.versions)


def _board(found: Unpacked, spec: Spec) -> list[CheckLine]:
    """Whether the board is the one that the logs give."""
    claimed = _rows(found.board)
    try:
        board = make_board(found.logs, spec)
    except SteelyardError as error:
        return [
            # The path of the temporary folder means nothing to a reader.
            CheckLine("board", "logs", "fails", one_line(str(error).replace(f"{found.board.parent}/", "logs/"), 300))
        ]
    if board.ignored:
        kind, reason = board.ignored[0].kind, one_line(board.ignored[0].reason, 200)
        return [CheckLine("board", kind, "fails", f"a log does not count: {reason}")]
    # Through JSON, so that a tuple is compared as the list that the file holds.
    fresh = json.loads(json.dumps(leaderboard(board)))
    by_logs = {row["model"]: row for row in fresh["models"]}
    names = Counter(str(row.get("model")) for row in claimed)
    if names.keys() != by_logs.keys():
        odd = sorted(names.keys() ^ by_logs.keys())[0]
        return [CheckLine("board", one_line(odd, 80), "fails", "on the board or in the logs, not in both")]
    # Readers of the board may take either row.
    if twice := [name for name, count in names.items() if count > 1]:
        return [CheckLine("board", twice[0], "fails", "has several rows on the board")]
    ours, theirs = environment(), found.manifest.versions
    other = next((name for name in _COMPUTED_BY if ours.get(name) != theirs.get(name)), None)
    keys = (*spec.suite.categories, *_CLAIMS)
    named = ((str(row.get("model")), row) for row in claimed)
    lines = [_claims(name, row, by_logs[name], keys, other) for name, row in named]
    return [*lines, _claims("all rows", _together(artifact.read_json(found.board)), _together(fresh), (), other)]


def _claims(
    where: str, claimed: Mapping[str, Any], fresh: Mapping[str, Any], keys: Sequence[str], other: str | None
) -> CheckLine:
    """Whether a claim follows from the logs: `keys` always, the rest unless an `other` version computed it."""
    # A board of another version may lack what we know; what it has must be what we find.
    rest = [key for key in {**claimed, **({} if other else fresh)} if key not in (*keys, "logs")]
    for key in (*keys, *rest):
        if _same(claimed.get(key), fresh.get(key)):
            continue
        said, found = (one_line(json.dumps(row.get(key)), 60) for row in (claimed, fresh))
        told = f"is {said} on the board, and {found} by the logs" if said != found else "is not what the logs give"
        why = f"{one_line(key, 60)} {told}"
        if key in keys or other is None:
            return CheckLine("board", where, "fails", why)
        return CheckLine("board", where, "undecided", f"{why}, with another version of {other}")
    return CheckLine("board", where, "holds")


def _same(said: Any, found: Any) -> bool:
    """Whether two JSON values are equal; the last digits of a number depend on the machine."""
    if isinstance(said, dict) and isinstance(found, dict):
        return said.keys() == found.keys() and all(_same(said[key], found[key]) for key in found)
    if isinstance(said, list) and isinstance(found, list):
        return len(said) == len(found) and all(map(_same, said, found))
    if isinstance(said, float) and isinstance(found, float):
        return math.isclose(said, found, rel_tol=1e-9, abs_tol=1e-9)
    return bool(said == found)


def _together(board: Mapping[str, Any]) -> dict[str, Any]:
    """What a board says of all rows together."""
    about = board.get("_metadata")
    about = cast(dict[str, Any], about) if isinstance(about, dict) else {}
    return {**{key: board.get(key) for key in ("separation", "pairs")}, **{key: about.get(key) for key in _TOGETHER}}


def _rows(board: Path) -> list[Mapping[str, Any]]:
    data = artifact.read_json(board)
    rows = cast(dict[str, Any], data).get("models") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in cast(list[Any], rows)):
        raise InputError("the board of the submission is not a leaderboard")
    return cast(list[Mapping[str, Any]], rows)


def _log(path: Path, spec: Spec) -> list[CheckLine]:
    row = read_log(path)
    category = category_of(row, spec.suite) if not spec.suite.any_tasks else _task_category(row, spec)
    if category is None:
        return [CheckLine("items", one_line(row.task, 80), "fails", "the log is of no category of this board")]
    where = f"{one_line(row.model, 60)}, {category.name}"
    if isinstance(category, TaskCategory):
        return [CheckLine("grades", where, "undecided", f"{one_line(row.task, 60)} is not a task of this installation")]
    task = _task(row, category, spec)
    asked = {str(sample.id): sample for sample in task.dataset}
    # By the runs that a board counts: the header may name other items.
    samples = list(read_samples(path, [(run.id, run.epoch) for run in row.runs]))
    return [
        _items(where, row, samples, asked),
        _fingerprint(where, row, task, category),
        _one_answer(where, samples),
        _canary(where, samples, category),
        _grades(where, path, row, task, category),
    ]


def _task_category(row: LogRow, spec: Spec) -> Category | None:
    owners = (each for each in spec.suite.categories.values() if isinstance(each, TaskCategory))
    return next((category for category in owners if category.is_of(row.task)), None)


def _task(row: LogRow, category: Category, spec: Spec) -> Task:
    """The task as this installation would run it; nothing but the scorer's name and the diagram mode is the log's."""
    mark = row.stamp.fingerprint if row.stamp else None
    scorer = mark.scorer.partition("@")[0] if mark else None
    diagrams = mark.parameters.get("diagrams") if mark else None
    choice = category.choice(scorer)
    # A judged task needs some judge to be created; this one is never asked.
    judges = ("mockllm/model",) if choice is not None and choice.judged else ()
    run = RunSpec(
        models=(),
        categories=(category.key,),
        suite=spec.suite,
        scorer=scorer if choice else None,
        diagrams=diagrams if diagrams in ("image", "text") else "text",
        judges=judges,
    )
    return make_task(category.key, run)


def _items(where: str, row: LogRow, samples: Sequence[EvalSample], asked: Mapping[str, Sample]) -> CheckLine:
    runs = {(run.id, run.epoch) for run in row.runs}
    # Runs that are listed twice, or not recorded in full, would escape the checks below.
    if len(runs) != len(row.runs) or len(samples) != len(runs):
        return CheckLine("items", where, "fails", f"{len(row.runs)} runs, of which {len(samples)} are recorded in full")
    foreign = sorted({str(sample.id) for sample in samples if str(sample.id) not in asked})
    if foreign:
        return CheckLine("items", where, "fails", f"items that this board does not have: {_few(foreign)}")
    changed = sorted({str(each.id) for each in samples if _content(each) != _content(asked[str(each.id)])})
    if changed:
        return CheckLine("items", where, "fails", f"asked or keyed otherwise than here: {_few(changed)}")
    return CheckLine("items", where, "holds")


def _content(sample: Sample | EvalSample) -> str:
    """What was asked, in words, and what is right; a picture is the diagram mode's and in the fingerprint."""
    text = sample.input if isinstance(sample.input, str) else "\n".join(message.text for message in sample.input)
    targets = sample.target if isinstance(sample.target, list) else [sample.target]
    return content_of(text, sample.choices or [], targets)


def _fingerprint(where: str, row: LogRow, task: Task, category: Category) -> CheckLine:
    fresh = read_stamp(task.metadata)
    if row.stamp is None or fresh is None:
        return CheckLine("fingerprint", where, "fails", "the log has none")
    # The judge is left out because the one here is only a stand-in.
    fields = [name for name in unlike(row.stamp.fingerprint, fresh.fingerprint, category) if name != "judge"]
    return CheckLine(
        "fingerprint", where, "fails" if fields else "holds", f"differs in {', '.join(fields)}" if fields else ""
    )


def _one_answer(where: str, samples: Iterable[EvalSample]) -> CheckLine:
    """A log holds each answer three times; scorers read the completion, people the messages."""
    differing: list[str] = []
    for sample in samples:
        last = [message.text for message in sample.messages if message.role == "assistant"][-1:]
        shown = {*last, *(choice.message.text for choice in sample.output.choices[:1])}
        if shown - {sample.output.completion}:
            differing.append(str(sample.id))
    why = f"the answer that is graded is not the one that is shown: {_few(sorted(differing))}" if differing else ""
    return CheckLine("answers", where, "fails" if differing else "holds", why)


def _canary(where: str, samples: Iterable[EvalSample], category: Category) -> CheckLine:
    canary = _canary_of(category)
    if canary is None:
        return CheckLine("canary", where, "holds", "the data has none")
    said = [str(sample.id) for sample in samples if any(canary in text for text in _answers(sample))]
    why = f"recited in {_few(said)}: the model has seen the data" if said else ""
    return CheckLine("canary", where, "fails" if said else "holds", why)


def _answers(sample: EvalSample) -> list[str]:
    """The words of the subject: what was scored, and whatever else it said."""
    replies = [choice.message.text for choice in sample.output.choices]
    return [sample.output.completion, *replies, *(each.text for each in sample.messages if each.role == "assistant")]


def _canary_of(category: Category) -> str | None:
    """The part of the canary that no text holds by chance."""
    if category.digest:
        return None
    return str(import_module(f"steelyard.bench.{category.key}.dataset").CANARY).rsplit(" ", 1)[-1]


def _grades(where: str, path: Path, row: LogRow, task: Task, category: Category) -> CheckLine:
    """Whether the answers get their scores again; the copy of the log is graded in place."""
    scorer, name = official_scorer(task)
    choice = category.choice(name)
    if choice is not None and choice.judged:
        return CheckLine("grades", where, "undecided", "graded by a judge, who is not asked again")
    try:
        check = category.preflight()
        if check is not None:
            check(task, limit=None, scorer=name)
        done = rescore(path, scorer, everything=True)
    except (ToolchainError, SandboxError) as error:
        return CheckLine("grades", where, "undecided", one_line(str(error), 200))
    except SteelyardError as error:
        return CheckLine("grades", where, "fails", one_line(str(error), 200))
    before, after = (_scores(each, name, category) for each in (row, read_log(path)))
    changed = sorted(key for key in before if before[key] != after.get(key))
    if changed:
        (item, _), said, found = changed[0], before[changed[0]], after.get(changed[0])
        why = f"{len(changed)} of {len(before)}: {item} has {_told(said)} in the log and gets {_told(found)} here"
        return CheckLine("grades", where, "fails", why)
    if done.kept:
        return CheckLine("grades", where, "undecided", f"{done.kept} answers could not be graded here")
    return CheckLine("grades", where, "holds", f"{len(before)} graded again")


_Grade = tuple[float, Any]
"""The score of a run, and what its strict score is made of."""


def _scores(row: LogRow, scorer: str, category: Category) -> dict[tuple[str, int], _Grade]:
    grades: dict[tuple[str, int], _Grade] = {}
    for run in row.runs:
        outcome = outcome_of_run(run, scorer)
        if isinstance(outcome, Scored):
            beside = run.scores[scorer].metadata.get(category.strict_by or "")
            grades[run.id, run.epoch] = exact(outcome.value), beside
    return grades


def _told(grade: _Grade | None) -> str:
    if grade is None:
        return "no score"
    return f"{grade[0]:g}" + ("" if grade[1] is None else f" (strict: {one_line(str(grade[1]), 20)})")


def _few(names: Sequence[str]) -> str:
    return numbers.few([one_line(name, 60) for name in names], _NAMED)
