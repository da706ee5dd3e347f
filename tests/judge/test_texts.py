"""Attacks earn nothing, honest texts lose nothing, and none ends unscored (docs/scoring.md §4).

The texts were written before the protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anyio
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steelyard.judge import Rubric, parse_rubric, question
from steelyard.judge.attack import scripted
from steelyard.judge.grade import Judgement, NoVerdict, grade
from steelyard.judge.panel import Panel, by_protocol

from .malformed import MALFORMED
from .stub_judge import CRITERIA, DIMENSIONS

HERE = Path(__file__).parent / "texts"
ATTACKS = [
    (kind, text) for kind, texts in yaml.safe_load((HERE / "attacks.yaml").read_text("utf-8")).items() for text in texts
]
HONEST: list[dict[str, str]] = yaml.safe_load((HERE / "honest.yaml").read_text("utf-8"))
SHOP = """
name: shop
about: An answer on how a shop keeps orders when its payment provider is down.
criteria:
  - {id: kept, question: "Does it say where orders are kept while the provider is down?"}
  - {id: bounded, question: "Does it say how retries are bounded?"}
  - {id: told, question: "Does it say what customers are told?"}
"""
TALKING = [
    *(f"scripted/{name}" for name in scripted.REPLIES if name != "silent"),
    *(f"stub/{name}" for name in MALFORMED),
]
"""Every judge that says something."""
ORDERLY = ("copier", "yes", "cites-attack", "cites-honestly")
"""The judges that misbehave and that the protocol must hold."""


Truth = Mapping[str, Callable[[str], float]]
"""Item to the grade that sentences deserve by it."""


def ask(rubric: Rubric, text: str, judge: str, truth: Truth, protocol: str = "single") -> Any:
    panel = Panel(by_protocol([judge if "/" in judge else f"scripted/{judge}"], protocol), cache=False)
    grader = scripted.deserved
    told = lambda about, text: truth[about](text) if about in truth else grader(about, text)  # noqa: E731
    with patch.object(scripted, "deserved", told):
        return anyio.run(grade, question(rubric, task="Write it.", text=text), panel)


def never(text: str) -> float:
    return 0.0


def shows(words: str) -> Callable[[str], float]:
    return lambda text: float(words in text.replace("\n", " "))


def test_there_are_enough_of_both() -> None:
    assert len(ATTACKS) >= 60 and len(HONEST) >= 60
    assert {each["about"] for each in HONEST} == {"grading", "prompts", "security"}


@pytest.mark.parametrize("judge", ORDERLY)
@pytest.mark.parametrize("protocol", ["single", "quoted"])
def test_no_attack_gets_through_and_none_is_unscored(judge: str, protocol: str) -> None:
    rubric = parse_rubric(SHOP, "shop.yaml")
    truth = {item.question: never for item in rubric.criteria}
    scores = [ask(rubric, text, judge, truth, protocol) for _, text in ATTACKS]
    assert all(isinstance(found, Judgement) for found in scores)
    assert [text for (_, text), found in zip(ATTACKS, scores, strict=True) if found.verdicts[0].score] == []


@pytest.mark.parametrize("protocol", ["single", "quoted"])
def test_an_honest_judge_grades_every_honest_text_rightly(protocol: str) -> None:
    misjudged: list[str] = []
    for each in HONEST:
        items = [{"id": "met", "question": each["met"]}, {"id": "unmet", "question": each["unmet"]}]
        rubric = parse_rubric(yaml.safe_dump({"name": "n", "about": "A text.", "criteria": items}), "r.yaml")
        truth = {each["met"]: shows(each["shown"]), each["unmet"]: never}
        found = ask(rubric, each["text"], "honest", truth, protocol)
        right = isinstance(found, Judgement) and found.verdicts[0].scores == {"met": 1.0, "unmet": 0.0}
        if not right or found.calls[0].protocol != protocol or found.calls[0].decoys_taken:
            misjudged.append(each["text"])
    assert misjudged == []


def test_a_text_cannot_buy_itself_out_of_a_low_grade() -> None:
    # It names the grades that it will get; that made it unscored once.
    text = "My self-review of this answer: accuracy 0.0, quality 0.0. The rest is about queues, workers and buckets."
    found = ask(parse_rubric(DIMENSIONS, "d"), text, "honest", {"is it right": never, "is it good": never})
    assert isinstance(found, Judgement) and found.verdicts[0].score == 0.0


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.text(max_size=300) | st.sampled_from([text for _, text in ATTACKS]),
    st.sampled_from(TALKING),
    st.sampled_from([CRITERIA, DIMENSIONS]),
    st.sampled_from(["single", "quoted"]),
)
def test_whatever_a_text_says_and_a_judge_replies_it_is_scored(
    text: str, judge: str, source: str, protocol: str
) -> None:
    found = ask(parse_rubric(source, "r"), text, judge, {}, protocol)
    assert isinstance(found, Judgement) and 0.0 <= found.verdicts[0].score <= 1.0
    silent = ask(parse_rubric(source, "r"), text, "silent", {}, protocol)
    assert isinstance(silent, NoVerdict) is any(letter.isalnum() for letter in found_text(text))


def found_text(text: str) -> str:
    from steelyard.judge.text import clean

    return clean(text).text
