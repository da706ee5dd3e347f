"""The figures the heuristic has to reach, over all twenty-eight tasks (docs/architecture-scoring.md prints them).

The agreement with the labels is computed on the held-out tasks alone, which nobody looked at while it was tuned.
`pytest -s` shows the figures."""

from __future__ import annotations

from statistics import fmean

import pytest

from steelyard.bench.architecture_design.dataset import load, responses
from steelyard.bench.architecture_design.model import HELD_OUT

from . import attacks
from .weighing import SHARED, bullets, prose, reference, score, tier

pytestmark = SHARED
ITEMS = load()


def shown(name: str, figure: float, bound: str) -> None:
    print(f"{name:<58} {figure:6.3f}  ({bound})")


def test_every_reference_reaches_085() -> None:
    scores = {item.id: score(item, reference(item.id)) for item in ITEMS}
    shown("references: lowest", min(scores.values()), ">= 0.85")
    shown("references: mean", fmean(scores.values()), "the ceiling")
    assert [item_id for item_id, value in scores.items() if value < 0.85] == []


def test_good_weak_and_bad_are_in_order_for_every_task() -> None:
    values = {name: {item.id: score(item, tier(item.id, name)) for item in ITEMS} for name in ("good", "weak", "bad")}
    for name, each in values.items():
        shown(f"{name} responses: mean", fmean(each.values()), "good > weak > bad, task by task")
    disordered = [
        item.id for item in ITEMS if not values["good"][item.id] > values["weak"][item.id] > values["bad"][item.id]
    ]
    assert disordered == []


def test_agreement_with_the_labels_of_the_held_out_tasks() -> None:
    by_id = {item.id: item for item in ITEMS}
    rows = [row for row in responses() if row.id in HELD_OUT]
    assert len(rows) == 30
    from scipy.stats import spearmanr  # takes a second to load

    rho = float(spearmanr([score(by_id[row.id], row.response) for row in rows], [row.labels.mean for row in rows])[0])
    shown("held-out tasks: Spearman with the labels", rho, ">= 0.80")
    assert rho >= 0.80


@pytest.mark.parametrize("name", attacks.SOUPS)
def test_one_keyword_soup_for_all_tasks(name: str) -> None:
    mean = fmean(score(item, attacks.SOUPS[name]) for item in ITEMS)
    shown(f"soup for all tasks: {name}", mean, "<= 0.25")
    assert mean <= 0.25


def test_echo_of_the_prompt() -> None:
    whole = [score(item, attacks.prompt_echo(item)) for item in ITEMS]
    pieces = [score(item, attacks.prompt_in_pieces(item, drop=5)) for item in ITEMS]
    shuffled = [score(item, attacks.prompt_in_pieces(item, shuffle=True)) for item in ITEMS]
    for name, values in {"whole": whole, "every fifth word missing": pieces, "shuffled": shuffled}.items():
        shown(f"prompt echo, {name}: highest", max(values), "<= 0.20")
        assert max(values) <= 0.20


def test_expected_elements_as_a_bare_list() -> None:
    kinds = {
        "names": attacks.bare_list,
        "in the key's words": attacks.key_list,
        "with all signals": attacks.key_words,
        "signals shuffled": attacks.shuffled_key_words,
        "signals joined by 'and the'": lambda item: attacks.shuffled_key_words(item, " and the "),
        "as JSON": attacks.key_as_json,
    }
    for name, kind in kinds.items():
        values = [score(item, kind(item)) for item in ITEMS]
        shown(f"key as a list, {name}: highest", max(values), "<= 0.45")
        assert max(values) <= 0.45


@pytest.mark.parametrize("padding", ["itself", "generic talk", "the prompt", "a list of names", "textbook sentences"])
def test_a_good_answer_padded_threefold_never_gains(padding: str) -> None:
    gains: list[float] = []
    for item in ITEMS:
        good = tier(item.id, "good")
        added = {
            "itself": good,
            "generic talk": attacks.FILLER,
            "the prompt": attacks.prompt_echo(item),
            "a list of names": attacks.LIST_OF_NAMES,
            "textbook sentences": attacks.TEXTBOOK,
        }[padding]
        gains.append(score(item, attacks.threefold(good, added)) - score(item, good))
    shown(f"good answer padded threefold with {padding}: best gain", max(gains), "<= 0")
    assert max(gains) <= 0


def test_prose_and_bullets_with_the_same_words() -> None:
    answers = [(item, text) for item in ITEMS for text in (reference(item.id), tier(item.id, "good"))]
    distances = [abs(score(item, prose(text)) - score(item, bullets(text))) for item, text in answers]
    changes = [abs(score(item, prose(text)) - score(item, text)) for item, text in answers]
    shown("prose against bullets: largest difference", max(distances), "<= 0.05")
    assert max(distances) <= 0.05
    assert max(changes) <= 0.05
