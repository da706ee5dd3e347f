"""Decoys look like the real items, and their answers are known (docs/scoring.md §4)."""

from __future__ import annotations

import re
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.bench.architecture_design.labels import rubrics, shipped_labels
from steelyard.judge import Rubric, parse_rubric
from steelyard.judge.calibration.labels import read_labels
from steelyard.judge.case import case_rubric
from steelyard.judge.decoys import entries, met, shipped_items, stems, unmet
from steelyard.judge.protocol import drawn_ids
from steelyard.judge.text import clean, legible

from .stub_judge import TEXT

OWN = """
name: incident report
about: A report on an outage of the ferry booking, written for engineers of other teams.
criteria:
  - {id: cause, question: "Does it name the cause of the outage, not only its symptoms?"}
  - {id: clear, question: "Is everything explained clearly?"}
"""


def test_a_text_that_holds_every_id_of_the_usual_length_is_asked_about_all_the_same() -> None:
    text = "".join(map("".join, product("bcdfghjklmnpqrstvwxz", repeat=4)))
    ids = drawn_ids(entries(case_rubric()), text, Random(1))
    assert len(ids) == len(case_rubric().items) and not any(name in text for name in ids)


def test_the_shipped_items_are_of_subjects_that_no_shipped_answer_has() -> None:
    # An honest answer that spoke of what a decoy asks for would trip it.
    answers = [stems(row.response) for row in read_labels(shipped_labels())]
    assert len(shipped_items()) == 30
    for rubric, item in shipped_items():
        subject = stems(item.about) & stems(f"{rubric.name} {rubric.about}")
        assert subject, item.about
        assert not any(subject <= answer for answer in answers), item.about


def test_every_shipped_item_can_be_a_question_or_a_statement() -> None:
    assert all(re.fullmatch(r"Does it [a-z]+ .+\?", item.about) for _, item in shipped_items())
    assert {item.about.split()[2] for _, item in shipped_items()} <= {
        *("list", "give", "say", "name", "describe", "tell", "praise", "explain", "state", "recommend", "compare"),
        *("show", "mention", "warn", "end", "recall"),
    }  # a verb that takes an s


@pytest.mark.parametrize("rubric", [*rubrics().rubrics.values(), case_rubric()], ids=lambda rubric: rubric.name)
def test_they_look_like_the_real_items(rubric: Rubric) -> None:
    real = entries(rubric)
    for seed in range(5):
        drawn = [*met(rubric, TEXT, Random(seed)), *unmet(rubric, TEXT, (), Random(seed))]
        assert [entry.known for entry in drawn] == [1.0, 0.0, 0.0]
        for entry in drawn:
            assert entry.about.endswith("?") and entry.bands is not None
            assert list(entry.bands) == list(real[0].bands or {})
            shortest, longest = min(len(each.about) for each in real), max(len(each.about) for each in real)
            assert 0.5 * shortest <= len(entry.about) <= 1.5 * longest


def test_they_are_statements_among_statements_and_bare_among_the_bare(criteria: Rubric) -> None:
    stated = parse_rubric("name: n\nabout: a\ncriteria:\n  - {id: a, question: Names the queue.}\n", "r")
    for entry in (*met(stated, TEXT, Random(1)), *unmet(stated, TEXT, (), Random(1))):
        assert entry.bands is None
        assert re.fullmatch(r"[A-Z][a-z]+s .+\.", entry.about)
    assert not any(entry.bands for entry in unmet(criteria, TEXT, (), Random(1)))


def test_what_is_drawn_differs_from_call_to_call(dimensions: Rubric) -> None:
    drawn = {entry.about for seed in range(60) for entry in unmet(dimensions, TEXT, (), Random(seed))}
    assert len(drawn) >= 10


def test_an_item_on_the_subject_of_the_text_is_not_drawn(dimensions: Rubric) -> None:
    text = "A recipe: the ingredients of the dish in grams, and the oven temperature for baking; it serves four people."
    drawn = {entry.about for seed in range(60) for entry in unmet(dimensions, text, (), Random(seed))}
    assert not any(re.search("ingredient|oven|dish", about) for about in drawn)


def test_the_users_own_rubrics_give_decoys_if_they_name_their_subject() -> None:
    own, used = parse_rubric(OWN, "own.yaml"), parse_rubric(USED, "used.yaml")
    drawn = {entry.about for seed in range(200) for entry in unmet(used, TEXT, (own, used), Random(seed))}
    assert "Does it name the cause of the outage, not only its symptoms?" in drawn
    assert not drawn & {"Is everything explained clearly?", "Does it say where the messages wait until they are taken?"}
    told = f"{TEXT} The outage lasted two hours."
    drawn = {entry.about for seed in range(200) for entry in unmet(used, told, (own,), Random(seed))}
    assert not any("outage" in about for about in drawn)


USED = """
name: messages
about: An explanation.
criteria:
  - {id: where, question: "Does it say where the messages wait until they are taken?"}
"""


@given(st.text(min_size=1, max_size=80).map(lambda text: clean(text).text).filter(legible), st.integers(0, 99))
def test_the_met_one_names_words_that_are_there_and_no_order(text: str, seed: int) -> None:
    named = re.findall("“(.+?)”", met(case_rubric(), text, Random(seed))[0].about)
    assert 1 <= len(named) <= 2
    assert all(word in text and not re.search(r"\s", word) for word in named)
