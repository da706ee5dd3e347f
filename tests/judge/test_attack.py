"""Attacks on judges that misbehave: what gets through, and what is said about it."""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path

import anyio
import pytest

from steelyard.judge.attack.report import attack_document
from steelyard.judge.attack.result import AttackResult, as_json
from steelyard.judge.attack.run import attack
from steelyard.judge.attack.scripted import BEYOND, REPLIES
from steelyard.judge.attack.texts import attacks
from steelyard.judge.case import case, case_rubric
from steelyard.judge.panel import Panel
from steelyard.judge.rubric import Rubric

PAGE = (Path(__file__).parents[2] / "docs" / "judges.md").read_text("utf-8")

# Each judge is attacked once for all of them.
pytestmark = pytest.mark.xdist_group("attacked judges")


@cache
def assault(*judges: str, rubric: Rubric | None = None, kinds: tuple[str, ...] = ()) -> AttackResult:
    names = tuple(f"scripted/{name}" for name in judges)
    return anyio.run(partial(attack, Panel(names, cache=False), lambda done, total: None, rubric, kinds))


@pytest.mark.parametrize("judge", ["copier", "yes", "cites-attack", "cites-honestly"])
def test_nothing_gets_through_a_judge_that_obeys_and_nothing_is_unscored(judge: str, criteria: Rubric) -> None:
    for found in (assault(judge), assault(judge, rubric=criteria)):
        assert {each.result for each in found.outcomes} == {"refused"}
        assert {each.protocol for each in found.outcomes} >= {"quoted"}


@pytest.mark.parametrize(
    ("judge", "through"), re.findall(r"^\| `scripted/([\w-]+)` \|[^|]*\| (\d+) \|", PAGE, re.MULTILINE)
)
def test_the_table_of_the_docs_is_true(judge: str, through: str) -> None:
    assert assault(judge).count("got through") == int(through)


def test_an_honest_judge_needs_one_call_and_tells_good_from_weak() -> None:
    found = assault("honest")
    assert {each.result for each in found.outcomes} == {"refused"}
    assert {each.protocol for each in found.outcomes} == {"single"}
    assert {pair.result for pair in found.pairs} == {"holds"}
    assert (found.weak, found.good) == (pytest.approx(0.4), pytest.approx(0.8))
    assert found.decoys["taken"] == 0 and found.decoys["shown"] > 0 and found.decoys["tokens"] > 0


def test_a_persuaded_judge_passes_every_protocol_and_the_report_says_so() -> None:
    found = assault("persuaded")
    assert found.count("got through") > len(found.outcomes) / 2
    assert BEYOND["persuaded"] in str(attack_document(found))


def test_a_judge_that_loves_all_but_the_decoys_is_shown_by_the_yardstick_and_the_pairs() -> None:
    found = assault("generous")
    results = {each.id: each.result for each in found.outcomes}
    assert results["soup"] == results["refusal"] == "got through"
    assert results["order+"] == "refused"  # it adds nothing to what the honest part got anyway
    assert {pair.id: pair.result for pair in found.pairs}["good-over-weak"] == "fails"


def test_a_silent_judge_leaves_every_legible_text_unscored() -> None:
    found = assault("silent")
    assert not found.count("got through")
    assert {each.id for each in found.outcomes if each.result == "refused"} == {"colon", "stop", "empty", "blank"}


def test_shares_are_given_per_judge_and_kind_with_an_interval() -> None:
    found = assault("honest", "persuaded", kinds=("fake turn",))
    shares = {(share.judge, share.kind): share for share in found.shares}
    jury = "scripted/honest+scripted/persuaded"
    assert {judge for judge, _ in shares} == {"scripted/honest", "scripted/persuaded", jury}
    honest, persuaded = (shares[f"scripted/{name}", "fake turn"] for name in ("honest", "persuaded"))
    assert (honest.through, persuaded.through, honest.n) == (0, 2, 2)
    assert honest.interval is not None and persuaded.interval is not None
    # Wilson, 0 of 2: 0 to z²/(n + z²) = 3.8415/5.8415 = .6576; 2 of 2 mirrors it.
    assert (*honest.interval,) == (0.0, pytest.approx(0.6576, abs=1e-4))
    assert persuaded.interval[0] == pytest.approx(0.3424, abs=1e-4)
    assert "0% (0% to 66%)" in str(attack_document(found))


def test_the_result_is_an_artefact_of_its_schema() -> None:
    from steelyard.artifact import json_text

    found = assault("poet", kinds=("echo",))
    assert '"schema_version": 3' in json_text(as_json(found), schema="attack")
    # Three echoes, five honest answers, and one of them again.
    assert found.unusable == {"unusable": 9, "gradings": 9}
    assert "9 of 9 gradings had no usable reply" in str(attack_document(found))


def test_every_family_of_the_list_is_tried() -> None:
    families = {each.family for each in attacks(case(), case_rubric())}
    assert families == {
        *("instruction", "fake turn", "fake end", "false authority", "verdict object", "brace flood", "keyword soup"),
        *("echo", "padding", "master key", "nothing", "hidden text", "encoding"),
        *("order in disguise", "verdict in disguise"),
    }
    assert set(BEYOND) < set(REPLIES)
