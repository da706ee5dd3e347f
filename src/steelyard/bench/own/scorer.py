"""Scorers of your own items: the scorers of SA Bench with items from a folder instead of the shipped ones.

Each takes the folder and the category, so that `inspect score` and `steelyard rescore` can make it again. An empty
answer scores 0; what an answer cannot cause (no judge, no parser, no sandbox, an item that is gone) is unscored.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from steelyard.bench.architecture_design.scorer import read_answer, scored
from steelyard.bench.cdk_synth import intent
from steelyard.bench.cdk_synth.control import ControlApps
from steelyard.bench.cdk_synth.extract import extract
from steelyard.bench.cdk_synth.scorer import no_code
from steelyard.bench.cdk_synth.verify import Verdict, verify_app
from steelyard.bench.own.facts import FactScore, fact_score
from steelyard.bench.own.model import AppItem, ArchitectureItem, OwnItem, TextItem
from steelyard.bench.own.read import OwnCategoryData, read_bench
from steelyard.errors import InputError
from steelyard.judge import question
from steelyard.judge.grade import Judgement, grade, mean_verdict
from steelyard.judge.panel import panel
from steelyard.logs.scores import empty, to_score
from steelyard.outcome import Scored, Unscored
from steelyard.text import normalised

SCORER_VERSION = "3"
"""Raised whenever the same answer could score differently. 2: architectures have facts. 3: texts are read as
architectures are."""
_ANSWER_KEPT = 20_000

Item = TypeVar("Item", bound=OwnItem)


@scorer(metrics=[mean(), stderr()])
def own_facts_scorer(dataset: str, category: str) -> Scorer:
    """The share of an item's facts that the answer states, less the wrong claims it makes; no model.

    Args:
        dataset: The folder with `bench.yaml`.
        category: The key of the category.
    """
    items = _items(category_data(dataset, category), TextItem)

    async def graded(item: TextItem, state: TaskState) -> Score:
        found = await anyio.to_thread.run_sync(fact_score, item, _answer(state), state.input_text)
        return _fact_score(item, found, state)

    return _scorer(items, graded)


@scorer(metrics=[mean(), stderr()])
def own_judge_scorer(
    dataset: str, category: str, judge: str | list[str] | None = None, repeats: int = 1, cache: bool = True
) -> Scorer:
    """A judge's verdict by the rubric of the category.

    Args:
        dataset: The folder with `bench.yaml`.
        category: The key of the category.
        judge: A judge, or several; by default those in STEELYARD_JUDGE.
        repeats: Verdicts requested from each judge.
        cache: Whether earlier verdicts may be reused.
    """
    data = category_data(dataset, category)
    items, rubric = _items(data, TextItem), data.rubric
    # The rubrics of the other categories serve as decoys in the judge's question.
    own = (other.rubric for key, other in read_bench(dataset).categories.items() if key != category)
    others = tuple(other for other in own if other is not None)
    judges = panel(judge, repeats=repeats, cache=cache)

    async def graded(item: TextItem, state: TaskState) -> Score:
        if judges is None or rubric is None:
            return to_score(Unscored("judge", "no judge is named"), answer=_answer(state))
        context = f"{item.input.strip()}\n\nAn answer that earns full marks:\n{item.reference.strip()}"
        judgement = await grade(question(rubric, task=context, text=_answer(state), others=others), judges)
        if not isinstance(judgement, Judgement):
            return to_score(judgement, answer=_answer(state), metadata=judgement.metadata())
        verdict = mean_verdict(judgement)
        value = sum(rubric.weights[name] * share for name, share in verdict.scores.items())
        fields = {**{name: round(share, 4) for name, share in verdict.scores.items()}, **judgement.metadata()}
        why = judgement.verdicts[0].rationale
        return to_score(Scored(value), answer=_answer(state), explanation=f"Judge: {why}", metadata=fields)

    return _scorer(items, graded)


@scorer(metrics=[mean(), stderr()])
def own_architecture_scorer(dataset: str, category: str) -> Scorer:
    """Accuracy by facts, completeness and quality by plain matching, as in Architecture Design; no model.

    Args:
        dataset: The folder with `bench.yaml`.
        category: The key of the category.
    """
    items = _items(category_data(dataset, category), ArchitectureItem)

    async def graded(item: ArchitectureItem, state: TaskState) -> Score:
        found = await read_answer(item, _answer(state), state.input_text)
        return to_score(found, answer=_answer(state)) if isinstance(found, Unscored) else scored(*found, _answer(state))

    return _scorer(items, graded)


@scorer(metrics=[mean(), stderr()])
def own_cdk_scorer(dataset: str, category: str) -> Scorer:
    """1.0 if the answer's app synthesizes, and meets all requirements where the category asks for it; else 0.0.

    Args:
        dataset: The folder with `bench.yaml`.
        category: The key of the category.
    """
    data = category_data(dataset, category)
    items, strict = _items(data, AppItem), data.entry.require_intent
    control = ControlApps(verify_app)

    async def graded(item: AppItem, state: TaskState) -> Score:
        code = extract(_answer(state))
        verdict = no_code(state.output) if code is None else await control.verify(code)
        return await anyio.to_thread.run_sync(_app_score, item, verdict, code, strict, abandon_on_cancel=True)

    return _scorer(items, graded, empty_too=True)


def category_data(dataset: str, category: str | None, kind: str | None = None) -> OwnCategoryData:
    """A category of the bench in a folder; it may be left out where the bench has only one of its kind."""
    bench = read_bench(dataset)
    able = {key: data for key, data in bench.categories.items() if kind is None or data.entry.kind == kind}
    if category is None and len(able) == 1:
        return next(iter(able.values()))
    if category is None or category not in able:
        none = f"no {kind or 'such'} category {category or ''}".strip()
        what = none if category or not able else "several categories"
        raise InputError(f"{dataset} has {what}", cure=f"one of {', '.join(able or bench.categories)}")
    return able[category]


def _items(data: OwnCategoryData, kind: type[Item]) -> Mapping[str, Item]:
    return {item.id: item for item in data.items if isinstance(item, kind)}


def _scorer(
    items: Mapping[str, Item], graded: Callable[[Item, TaskState], Awaitable[Score]], *, empty_too: bool = False
) -> Scorer:
    """Scores what answers an item of the folder; `empty_too` hands empty answers on as well."""

    async def score(state: TaskState, target: Target) -> Score:
        if (item := items.get(str(state.sample_id))) is None:
            return to_score(Unscored("harness", f"the bench has no item {str(state.sample_id)[:40]!r} any more"))
        if not empty_too and not normalised(_answer(state)).text.strip():
            return empty(state.output.stop_reason)
        return await graded(item, state)

    return score


def _fact_score(item: TextItem, result: FactScore, state: TaskState) -> Score:
    statements = {fact.id: fact.statement for fact in (*item.facts, *item.wrong)}
    lines = [f"{len(result.facts) - len(result.missed)} of {len(result.facts)} facts stated"]
    lines += [f"missing: {statements[name]}" for name in result.missed]
    lines += [f"wrong: {statements[name]}" for name in result.false]
    fields = {"facts": dict(result.facts), "wrong": dict(result.wrong)}
    return to_score(Scored(result.score), answer=_answer(state), explanation="\n".join(lines), metadata=fields)


def _app_score(item: AppItem, verdict: Verdict, code: str | None, strict: bool) -> Score:
    answer = None if code is None else code[:_ANSWER_KEPT]
    fields: dict[str, Any] = {"class": verdict.klass or "passed", "seconds": round(verdict.seconds, 3)}
    if verdict.engine_error is not None:
        return to_score(Unscored("sandbox", verdict.engine_error), answer=answer, metadata=fields)
    results = intent.evaluate(item.intent, verdict.templates) if verdict.passed else ()
    failed = [result for result in results if not result.held]
    fields["cdk_intent"] = round(intent.share(results), 4) if verdict.passed else 0.0
    fields["intent_failed"] = [result.id for result in failed]
    passed = verdict.passed and not (strict and failed)
    # The app itself synthesizes, so none of the verifier's classes fits.
    if verdict.passed and not passed:
        fields["class"] = "requirement"
    lines = ["synthesizes" if verdict.passed else f"{verdict.klass}: {verdict.message}"]
    lines += [f"not met: {result.message} ({result.detail})" for result in failed]
    return to_score(Scored(float(passed)), answer=answer, explanation="\n".join(lines), metadata=fields)


def _answer(state: TaskState) -> str:
    return state.output.completion
