"""One answer to one item, scored as a run would score it.

The answer goes through the category's own task: a scripted model gives it, and the task's solver and scorer do the
rest, in a throw-away folder. So the score is that of a real run, for every category of every suite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from steelyard.artifact import scratch_folder
from steelyard.bench.category import Category
from steelyard.bench.run.plan import RunSpec
from steelyard.bench.run.preflight import preflight
from steelyard.bench.run.task import make_task, official_scorer
from steelyard.bench.subjects import outcome_of_run
from steelyard.bench.suite import SUITES, Suite
from steelyard.errors import InputError, LogError, one_line
from steelyard.logs.evaluate import evaluate
from steelyard.logs.read import read_log, read_samples
from steelyard.outcome import Scored

LIMIT = 2_000_000
"""Bytes of the largest answer."""


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The score of one answer, and why."""

    suite: str
    category: str
    item: str
    scorer: str
    score: float | None
    """None: it has no score, for a reason that is not the answer's."""
    fault: str | None = None
    """Whose failure it is that there is no score."""
    explanation: str = ""
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the scorer recorded: dimensions, facts, class of failure, …"""
    answer: str = ""
    """What the scorer read from the reply: letters, code, or the text itself."""
    choices: tuple[str, ...] = ()
    """Of an exam: the choices in the order in which a subject sees them, A first."""


def score_item(item: str, answer: str, suites: tuple[Suite, ...] = (), spec: RunSpec | None = None) -> ItemScore:
    """Score `answer` as an answer to the item of this id; it is looked up in `suites`, or in all shipped ones."""
    options = spec or RunSpec(models=("mockllm/model",), diagrams="text")
    for suite in suites or tuple(SUITES.values()):
        for category in suite.categories.values():
            chosen = _spec(options, suite, category)
            if item in category.item_ids():
                return _scored(item, answer, category, chosen)
    cure = "ids are in the dataset, on the pages of a board, and in `steelyard bench board LOGS --by item`"
    raise InputError(f"there is no item {one_line(item, 80)!r}", cure=cure)


def _spec(spec: RunSpec, suite: Suite, category: Category) -> RunSpec:
    scorer = spec.scorer if category.choice(spec.scorer) else None
    return replace(spec, suite=suite, categories=(category.key,), scorer=scorer)


def _scored(item: str, answer: str, category: Category, spec: RunSpec) -> ItemScore:
    task = make_task(category.key, spec)
    sample = next(sample for sample in task.dataset if str(sample.id) == item)
    task.dataset = MemoryDataset([sample])
    preflight(spec, {category.key: task})
    name = official_scorer(task)[1]
    reply = ModelOutput.from_content("mockllm/model", answer)
    reply.usage = ModelUsage()  # given, so that Inspect does not fetch a tokenizer to count it
    # Not memoized, because each answer needs a model of its own.
    model = get_model("mockllm/model", memoize=False, custom_outputs=[reply])
    with scratch_folder("steelyard-score-") as scratch:
        [log] = evaluate(task, model=model, log_dir=str(scratch), log_level="error", ctl_server=False)
        row = read_log(log.location)
        if not row.runs:
            raise LogError(f"{item} was not scored: {row.error or row.status}")
        [full] = read_samples(log.location)  # the row holds no long texts
    outcome, score = outcome_of_run(row.runs[0], name), (full.scores or {}).get(name)
    explanation = (score.explanation or "") if score else ""
    details = dict(score.metadata or {}) if score else {}
    choices = tuple(sample.choices or ())
    if isinstance(outcome, Scored):
        fields = (outcome.value, None, explanation)
    else:
        fields = (None, outcome.fault, outcome.reason)
    answer_read = (score.answer or "") if score else ""
    return ItemScore(spec.suite.name, category.key, item, name, *fields, details, answer_read, choices)
