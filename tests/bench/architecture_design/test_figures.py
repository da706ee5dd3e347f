"""The figures that the scorer has to reach over all twenty-eight tasks (docs/architecture-scoring.md prints them).

`pytest -s` shows the figures."""

from __future__ import annotations

import random
from collections.abc import Iterable
from importlib.resources import files
from statistics import fmean

import pytest

from steelyard.bench.architecture_design.dataset import load
from steelyard.bench.architecture_design.embedded import GENERIC, guessed
from steelyard.bench.architecture_design.model import DesignItem
from steelyard.outcome import exact
from steelyard.yamlfile import parse

from .labelled import Version, versions
from .weighing import HONEST, SHARED, item, prose, reference, score, shown, slips, with_facts

pytestmark = SHARED
ITEMS = load()
SERVICES = files("steelyard.bench.architecture_design").joinpath("services.yaml")
CLOSING = (
    "In summary, a well-designed architecture balances cost, performance, security and reliability. It should be "
    "reviewed regularly against the Well-Architected Framework, monitored with suitable metrics and alarms, documented "
    "for the team, and adapted as requirements change. Start small, measure the results, and improve step by step."
)
SOUPS = {
    "every service": ", ".join(sorted(parse(SERVICES.read_text(encoding="utf-8"), "services").data()["services"])),
    "keywords": "RDS, S3, EC2, IAM, KMS, WAF, encryption at rest, least privilege, private subnets, MFA, Multi-AZ, "
    "Auto Scaling, CloudFront, cache, read replica, queue, SQS, idempotent, dead-letter queue, Savings Plans, "
    "lifecycle, Spot, schedule, backup, failover, point-in-time recovery, DynamoDB, Lambda, Step Functions, SNS.",
}


def report(name: str, values: Iterable[float], bound: str) -> None:
    each = list(values)
    print(f"{name:<44} mean {fmean(each):5.3f}  lowest {min(each):5.3f}  highest {max(each):5.3f}  ({bound})")


def three(one: DesignItem, seed: int) -> tuple[str, ...]:
    """Three facts of a task, drawn."""
    return tuple(fact.name for fact in random.Random(seed).sample(one.facts, 3))


def pairs_of(false: str) -> list[tuple[Version, Version]]:
    """The pairs whose false version is false in `all` its facts, or in `three` places."""
    found = versions()
    both = list(zip(found[::2], found[1::2], strict=True))
    return [(true, lie) for true, lie in both if (lie.share == 0) == (false == "all")]


def test_references() -> None:
    scores = {one.id: score(one, reference(one.id)) for one in ITEMS}
    report("references", scores.values(), ">= 0.97 each")
    assert [item_id for item_id, value in scores.items() if value < 0.97] == []


def test_honest_answers_written_without_the_keys() -> None:
    scores = {name: score(item(name), text) for name, text in HONEST.items()}
    report("honest answers", scores.values(), ">= 0.85 on average, >= 0.7 each")
    report("honest answers, one fact wrong", slips(), ">= 0.85 on average, >= 0.7 each")
    assert scores.keys() == {one.id for one in ITEMS}
    assert fmean(scores.values()) >= 0.85 and min(scores.values()) >= 0.7
    assert fmean(slips()) >= 0.85 and min(slips()) >= 0.7


def test_true_mediocre_answers_are_above_all_false_ones_in_every_task() -> None:
    kinds = {"all": pairs_of("all"), "three": pairs_of("three")}
    assert {true.id for true, _ in kinds["all"]} == {one.id for one in ITEMS}
    for name, found in kinds.items():
        report(f"true, short ({name})", (score(item(true.id), true.answer) for true, _ in found), "above the false one")
        report(f"false in {name} places", (score(item(lie.id), lie.answer) for _, lie in found), "below the true one")
    assert all(score(item(lie.id), lie.answer) <= 0.2 for _, lie in kinds["all"])
    beaten = [
        true.id
        for found in kinds.values()
        for true, lie in found
        if not score(item(true.id), true.answer) > score(item(lie.id), lie.answer)
    ]
    assert beaten == []


def test_three_errors_cost_a_tenth_each_time() -> None:
    pairs = [score(item(true.id), true.answer) - score(item(lie.id), lie.answer) for true, lie in pairs_of("three")]
    references = [
        score(one, reference(one.id)) - score(one, with_facts(one, prose(reference(one.id)), three(one, seed)))
        for one in ITEMS
        for seed in range(2)
    ]
    honest = [
        score(item(name), text) - score(item(name), with_facts(item(name), prose(text), three(item(name), seed)))
        for name, text in HONEST.items()
        for seed in range(2)
    ]
    for name, values in {"pairs": pairs, "references": references, "honest answers": honest}.items():
        report(f"three errors in {name} cost", values, ">= 0.1 each time")
        assert min(map(exact, values)) >= 0.1


def test_a_generic_closing_paragraph_costs_next_to_nothing() -> None:
    answers = {one.id: prose(reference(one.id)) for one in ITEMS}
    costs = [
        score(item(name), with_facts(item(name), text))
        - score(item(name), with_facts(item(name), f"{text}\n\n{CLOSING}"))
        for texts in (answers, {name: prose(text) for name, text in HONEST.items()})
        for name, text in texts.items()
    ]
    report("a generic closing paragraph costs", costs, "<= 0.05")
    assert max(costs) <= 0.05


def _gaps(text: str, every: int) -> str:
    return " ".join(word for number, word in enumerate(text.split(), 1) if number % every)


def _shuffled(text: str) -> str:
    words = text.split()
    random.Random(1).shuffle(words)
    return " ".join(words)


def test_soup_and_echo() -> None:
    kinds = {f"soup: {name}": [score(one, soup) for one in ITEMS] for name, soup in SOUPS.items()}
    kinds["echo of the prompt"] = [score(one, shown(one.id)) for one in ITEMS]
    kinds["echo, every fifth word left out"] = [score(one, _gaps(shown(one.id), 5)) for one in ITEMS]
    kinds["echo, shuffled"] = [score(one, _shuffled(shown(one.id))) for one in ITEMS]
    kinds["hidden reference"] = [score(one, f"Yes.<!-- {prose(reference(one.id))} -->") for one in ITEMS]
    for name, values in kinds.items():
        report(name, values, "<= 0.1")
        assert max(values) <= 0.1


def test_prose_cannot_pay_for_facts_nor_facts_for_prose() -> None:
    without = [score(one, prose(reference(one.id))) for one in ITEMS]
    alone = [score(one, with_facts(one, "")) for one in ITEMS]
    talk = [score(one, with_facts(one, " ".join(GENERIC))) for one in ITEMS]
    report("references without their facts", without, "<= 0.1")
    report("right facts alone", alone, "<= 0.35")
    report("right facts under general talk", talk, "<= 0.45")
    assert max(without) <= 0.1 and max(alone) <= 0.35 and max(talk) <= 0.45


def test_guesses() -> None:
    values = [score(one, guessed(one.facts, random.Random(seed))) for one in ITEMS for seed in range(3)]
    report("general talk with guessed facts", values, "<= 0.1 on average")
    assert fmean(values) <= 0.1


def test_agreement_with_the_labels_where_length_says_nothing() -> None:
    from scipy.stats import spearmanr  # takes a second to load

    labels = [one.share for one in versions()]
    rho = float(spearmanr([score(item(one.id), one.answer) for one in versions()], labels)[0])
    words = float(spearmanr([len(one.prose.split()) for one in versions()], labels)[0])
    print(f"Spearman with the labels {rho:.2f}, of the number of words {words:.2f}")
    assert rho >= 0.8
    assert abs(words) <= 0.15


@pytest.mark.parametrize("true", versions()[::2], ids=lambda one: f"{one.id}{one.pair}")
def test_the_versions_of_a_pair_have_equal_length(true: Version) -> None:
    lie = next(one for one in versions() if (one.id, one.pair, one.side) == (true.id, true.pair, "false"))
    assert len(lie.prose.split()) == len(true.prose.split()) >= 50
    assert lie.prose != true.prose and lie.facts.keys() == true.facts.keys()
    assert true.false == () and len(lie.false) >= 3
