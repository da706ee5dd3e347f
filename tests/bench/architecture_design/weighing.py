"""How the tests weigh an answer: the whole law, without a model."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

import pytest

from steelyard.bench.architecture_design.dataset import load, references
from steelyard.bench.architecture_design.diagram import judged
from steelyard.bench.architecture_design.diagram.mermaid import parser
from steelyard.bench.architecture_design.facts import Value, fenced
from steelyard.bench.architecture_design.model import DesignItem
from steelyard.bench.architecture_design.score import Adjusted, adjusted, reading
from steelyard.bench.architecture_design.task import prompt

from .labelled import wrong_value

SHARED = pytest.mark.xdist_group("weighing")
"""One worker for the tests that weigh shipped answers: three would read each task, and score each answer thrice."""
HONEST = {path.stem: path.read_text("utf-8") for path in sorted((Path(__file__).parent / "honest").glob("ad-*.md"))}
"""Answers with their facts, by a writer who saw the prompts and nothing else; none was changed afterwards."""


def weighed(item: DesignItem, answer: str) -> Adjusted:
    result = reading(item, answer, shown(item.id))
    wanted = item.metadata.output_format
    diagram = judged(result.rest, wanted, item.metadata.expected_components, parser().read) if wanted else None
    return adjusted(result.raw(diagram), result.prose, diagram)


def score(item: DesignItem, answer: str) -> float:
    """The score of a shipped item; remembered, because several tests ask for the same ones."""
    return _score(item.id, answer)


@lru_cache(maxsize=5_000)
def _score(item_id: str, answer: str) -> float:
    return weighed(item(item_id), answer).score


@cache
def shown(item_id: str) -> str:
    """The prompt in words."""
    return prompt(item(item_id), "text")


def item(item_id: str) -> DesignItem:
    return next(each for each in load() if each.id == item_id)


def reference(item_id: str) -> str:
    return references()[item_id]


def prose(answer: str) -> str:
    """An answer without its facts."""
    return re.sub(r"\n*```facts.*?```", "", answer, flags=re.DOTALL)


def with_facts(item: DesignItem, text: str, wrong: tuple[str, ...] = ()) -> str:
    """A text, and all facts, of which some are wrong."""
    values: dict[str, Value] = {
        fact.name: wrong_value(fact) if fact.name in wrong else fact.answer for fact in item.facts
    }
    return f"{text}\n\n{fenced(values)}"


def slips() -> list[float]:
    """The scores of the honest answers with one fact wrong: every fourth fact, in turn."""
    return [
        score(item(name), with_facts(item(name), prose(text), (fact.name,)))
        for name, text in HONEST.items()
        for fact in item(name).facts[::4]
    ]
