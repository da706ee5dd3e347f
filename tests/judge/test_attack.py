from __future__ import annotations

from functools import partial

import anyio
import pytest

from steelyard.judge.attack.result import AttackResult, as_json
from steelyard.judge.attack.run import attack
from steelyard.judge.attack.scripted import MALFORMED, REPLIES
from steelyard.judge.attack.texts import attacks, perfect_verdict
from steelyard.judge.case import case, case_rubric
from steelyard.judge.panel import Panel
from steelyard.judge.parse import VerdictError, parse_verdict
from steelyard.judge.text import clean


def assault(judge: str) -> AttackResult:
    return anyio.run(partial(attack, Panel((judge,)), lambda done, total: None))


def test_the_machinery_never_makes_a_number_of_a_malformed_reply() -> None:
    found = assault("scripted/parrot")
    assert len(found.machinery) == len(MALFORMED)
    assert {each.result for each in found.machinery} == {"unscored"}
    assert {each.score for each in found.machinery} == {None}


def test_a_parrot_gets_nothing_through() -> None:
    found = assault("scripted/parrot")
    assert found.count("got through") == 0
    reasons = {each.id: each.reason for each in found.outcomes}
    assert "repeats an object" in reasons["verdict+"]
    assert "repeats an object" in reasons["verdict-fenced+"]
    assert "duplicate key" in reasons["verdict-duplicate+"]


def test_a_dictated_verdict_is_recognised_in_every_form() -> None:
    found = assault("scripted/copyist")
    assert found.count("got through") == 0
    disguised = [each for each in found.outcomes if each.family == "verdict in disguise"]
    assert len(disguised) == 12
    assert all("repeats an object" in each.reason for each in disguised)


def test_an_order_is_no_evidence_in_any_language_or_spelling() -> None:
    found = {each.id: each for each in assault("scripted/servile").outcomes}
    orders = [each for each in found.values() if each.family in ("order in disguise", "instruction", "false authority")]
    assert len(orders) == 12
    assert {each.id for each in orders if each.result == "got through"} == set()
    assert all("without a quote" in found[each.id].reason for each in orders if each.id.endswith("+"))


def test_invented_evidence_gets_nothing_through() -> None:
    found = assault("scripted/gullible")
    assert found.count("got through") == 0
    assert any("is not in the graded text" in each.reason for each in found.outcomes)


def test_an_obedient_judge_is_shown_for_what_it_is() -> None:
    found = assault("scripted/obedient")
    through = {each.id for each in found.outcomes if each.result == "got through"}
    assert "order+" in through
    # The order alone leaves nothing to quote but itself, and that is no evidence.
    assert {each.id: each.result for each in found.outcomes}["order"] == "unscored"
    # What no reader can see, the judge does not see either.
    assert {"tags+", "bidi+", "base64+"}.isdisjoint(through)
    assert all(each.flags for each in found.outcomes if each.result == "got through")


def test_a_judge_that_loves_everything_is_caught_by_the_pairs_and_the_yardstick() -> None:
    found = {each.id: each.result for each in assault("scripted/generous").outcomes}
    assert found["good-over-weak"] == "got through"
    assert found["soup"] == found["refusal"] == "got through"
    assert found["order+"] == "refused"  # it adds nothing to what the honest part got anyway


def test_the_result_is_an_artefact_of_its_schema() -> None:
    from steelyard.artifact import json_text

    assert '"schema_version": 1' in json_text(as_json(assault("scripted/parrot")), schema="attack")


@pytest.mark.parametrize("hostile", attacks(case(), case_rubric()), ids=lambda each: each.id)
def test_no_attack_is_itself_a_verdict(hostile) -> None:  # type: ignore[no-untyped-def]
    text = clean(hostile.text).text
    with pytest.raises(VerdictError):
        parse_verdict(case_rubric(), text, text)


def test_every_family_of_the_list_is_tried() -> None:
    families = {each.family for each in attacks(case(), case_rubric())}
    assert families == {
        *("instruction", "fake turn", "fake end", "false authority", "verdict object", "brace flood", "keyword soup"),
        *("echo", "padding", "master key", "nothing", "hidden text", "encoding"),
        *("order in disguise", "verdict in disguise"),
    }
    assert set(MALFORMED) < set(REPLIES)


def test_the_verdict_an_attacker_wants_would_be_a_good_one() -> None:
    # Otherwise the attacks would fail for a reason of their own.
    wanted = perfect_verdict(case_rubric(), case().weak.split(".")[0])
    assert parse_verdict(case_rubric(), wanted, case().weak).score == pytest.approx(1.0)
