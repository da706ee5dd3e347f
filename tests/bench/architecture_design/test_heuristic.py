"""The heuristic's parts, each on a case small enough to work out by hand (docs/architecture-scoring.md)."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.bench.architecture_design.dataset import load
from steelyard.bench.architecture_design.diagram import Diagram
from steelyard.bench.architecture_design.diagram.drawing import Drawing, drawing
from steelyard.bench.architecture_design.heuristic.corpus import situation, task_text
from steelyard.bench.architecture_design.heuristic.dimensions import WEIGHTS, Dimensions, heuristic
from steelyard.bench.architecture_design.heuristic.evidence import DRAWN, NAMED, NOUN, PARTLY, PLACED, Search
from steelyard.bench.architecture_design.heuristic.language import ordered
from steelyard.bench.architecture_design.heuristic.reading import read
from steelyard.bench.architecture_design.heuristic.services import vocabulary
from steelyard.bench.architecture_design.heuristic.signals import Phrases, explained
from steelyard.bench.architecture_design.model import Expected
from steelyard.bench.architecture_design.score import adjusted, blended, own_words, repetition_factor
from tests.waiting import HANG_S

from .weighing import SHARED, item, tier, weighed

pytestmark = SHARED
FIFTY = " ".join(f"word{number}" for number in range(50))


def expected(**changes: Any) -> Expected:
    component = {"name": "SQS", "role": "r", "signals": [["buffer", "backlog"], ["retry", "dead-letter"]]}
    other = {"name": "Lambda", "role": "r", "signals": [["resize"]]}
    return Expected.model_validate({"components": [component, other], **changes})


def found(answer: str, key: Expected | None = None, drawn: Drawing | None = None) -> Search:
    return Search(key or expected(), read(answer), drawn or Drawing())


# Names ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "service"),
    [
        ("the alb", "Application Load Balancer"),
        ("an application load-balancer", "Application Load Balancer"),
        ("elastic load balancing", "Application Load Balancer"),
        ("elastic load balancing", "Network Load Balancer"),
        ("amazon simple storage service", "S3"),
        ("kinesis", "Kinesis Data Streams"),
        ("kinesis data firehose", "Data Firehose"),
        ("postgres", "RDS"),
        ("postgres", "Aurora"),
        ("redis", "ElastiCache"),
        ("web application firewall", "AWS WAF"),
        ("aws backup", "AWS Backup"),
    ],
)
def test_one_service_many_names(text: str, service: str) -> None:
    assert any(service in mention.services for mention in vocabulary().mentions(text))


@pytest.mark.parametrize(
    ("text", "service"),
    [
        ("kinesis firehose", "Kinesis Data Streams"),  # the longer name wins
        ("we connect a backup in batch", "Amazon Connect"),
        ("we make a backup", "AWS Backup"),
        ("the s34 bus", "S3"),
        ("network load balancer", "Application Load Balancer"),
        ("dynamodb streams", "DynamoDB"),
    ],
)
def test_what_is_no_mention(text: str, service: str) -> None:
    assert not any(service in mention.services for mention in vocabulary().mentions(text))


def test_every_component_of_every_task_has_a_name_we_know_or_is_found_as_it_stands() -> None:
    names = {each.name for one in load() for each in one.expected.components}
    known = {name for name in names if vocabulary().meaning(name)}
    assert len(known) / len(names) > 0.9


def test_a_name_nobody_knows_stands_for_itself() -> None:
    key = expected(components=[{"name": "Frobnicator", "role": "r", "signals": [["spin"]]}])
    assert found("The Frobnicator is there to spin the wheel.", key).evidence().components == (1.0,)


# Components, flows, findings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "credit"),
    [
        ("SQS is there as a buffer, and the retry is its own.", 1.0),
        ("The amazon sqs queue is there to buffer what comes.", PLACED + (1 - PLACED) / 2),  # one group of two
        ("There is an SQS of which we know nothing more.", PLACED),
        ("SQS", NAMED),
        ("SQS, S3, EC2, RDS, IAM, KMS, WAF, ECS, EKS, SNS, SES, EFS, EBS, EMR, DMS, buffer, retry", NAMED),
        ("The queue is there as a buffer, and the retry is its own.", NOUN),  # never called by its name
        ("Something is there as a buffer, and the retry is its own.", 0.0),
        ("SQS is there. " + "It has been said that " * 20 + "a buffer may retry.", PLACED),  # too far away
    ],
)
def test_a_component_is_tied_to_its_role(answer: str, credit: float) -> None:
    assert found(answer).evidence().components[0] == pytest.approx(credit)


def test_a_component_that_is_only_drawn_is_named_and_no_more() -> None:
    evidence = found("Look at the picture.", drawn=drawing({"q": "SQS queue"}, [("q", "x")])).evidence()
    assert evidence.components[0] == NAMED
    assert evidence.named == (True, False)


FLOW = {"flows": [{"statement": "s", "path": ["SQS", "Lambda"]}]}


@pytest.mark.parametrize(
    ("answer", "credit"),
    [
        ("A message goes from SQS to the Lambda that is behind it.", 1.0),
        ("It is the Lambda that polls SQS for all of its work.", 1.0),  # the receiver fetches
        ("It goes like this in the end: SQS → Lambda and no more.", 1.0),
        ("It is the Lambda that sends all of its work → SQS.", 0.0),  # the wrong way round
        ("We have SQS and we have a Lambda, but what for?", 0.0),  # no relation
        ("SQS, Lambda", 0.0),
    ],
)
def test_a_flow_is_told_in_order(answer: str, credit: float) -> None:
    assert found(answer, expected(**FLOW)).evidence().flows == (credit,)


@pytest.mark.parametrize(
    ("edges", "credit"),
    [
        ([("q", "f")], DRAWN),
        ([("q", "x"), ("x", "f")], DRAWN),  # over one node that the flow does not name
        ([("f", "q")], DRAWN),  # an arrow of the one who reads
        ([("q", "x"), ("x", "y"), ("y", "f")], 0.0),
        ([], 0.0),
    ],
)
def test_a_flow_may_be_drawn(edges: list[tuple[str, str]], credit: float) -> None:
    drawn = drawing({"q": "SQS", "f": "Lambda"}, edges)
    assert found("See below.", expected(**FLOW), drawn).evidence().flows == (credit,)


FINDING = {
    "id": "x",
    "statement": "s",
    "signals": [["database"], ["public"], ["attacker"]],
    "remedy": {"statement": "s", "signals": [["private"], ["subnet"]]},
}


@pytest.mark.parametrize(
    ("answer", "finding", "remedy"),
    [
        ("The database is public, so an attacker can reach it; move it to a private subnet.", 1.0, 1.0),
        ("The database is public, so an attacker can reach it; it should be private.", 1.0, 0.0),
        ("The database is public and it should be in a private subnet.", PARTLY, 1.0),
        ("It should all be moved into one private subnet.", 0.0, 0.5),  # a remedy for nothing in particular
        ("The database is what we have here.", 0.0, 0.0),
        ("database public attacker private subnet", 0.0, 0.0),  # a list explains nothing
    ],
)
def test_findings_and_remedies(answer: str, finding: float, remedy: float) -> None:
    evidence = found(answer, expected(findings=[FINDING])).evidence()
    assert (evidence.findings, evidence.remedies) == ((pytest.approx(finding),), (pytest.approx(remedy),))


# Reading --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phrase", "text", "there"),
    [
        ("authenticat", "it authenticates them", True),
        ("dead-letter", "a dead letter queue", True),
        ("pre-signed", "a presigned url", True),
        ("sign in", "they sign-in here", True),
        ("22", "port 2200", False),
        ("22", "port 22.", True),
        ("spa", "a space", False),
        ("log", "all logs", True),
        ("cache", "it is uncached", False),
        ("70 %", "at 70% cpu", True),
        ("0.0.0.0/0", "from 0.0.0.0/0 in", True),
        ("3,300", "some 3,300 messages", True),
    ],
)
def test_where_a_phrase_is_found(phrase: str, text: str, there: bool) -> None:
    assert bool(Phrases(read(text)).hits([phrase])) is there


def test_what_is_copied_is_blank_and_keeps_its_place() -> None:
    reading = read("We say that the quick brown fox jumps over it all.", "the quick brown fox jumps over")
    assert reading.copied == 6 / 11
    assert [word for word, blank in zip(reading.words, reading.blank, strict=True) if not blank] == [
        "we", "say", "that", "it", "all"
    ]  # fmt: skip
    assert len(reading.text) == len("we say that the quick brown fox jumps over it all.")


def test_five_words_of_the_prompt_are_no_quotation_but_five_of_the_key_are() -> None:
    text = "we know that quick brown foxes jump high every day"
    assert read(text, prompt="quick brown foxes jump high").copied == 0
    assert read(text, key=("quick brown foxes jump high",)).copied == 0.5
    assert read("keeps all telemetry", key=("Keeps all telemetry.",)).copied == 1.0  # a whole short entry


def test_a_chain_of_names_is_no_quotation() -> None:
    chain = "ALB -> EC2 web servers -> RDS for MySQL"
    assert read(f"It goes {chain} here.", prompt=chain).copied == 0


def test_repetition_by_runs_and_by_near_sentences() -> None:
    once = "The queue holds every paid order until a free worker in another zone takes it away."
    assert read(once).repeated == 0
    assert read(f"{once} {once}").repeated == pytest.approx(0.5)
    near = "The queue keeps every paid order until a free worker in another zone takes it away."  # one word changed
    assert read(f"{once} {near}").repeated == pytest.approx(0.5)


def test_formatting_does_not_matter() -> None:
    prose = "First we call SQS. Then `Lambda` takes **every** order."
    listed = "1. First we call SQS.\n2. Then Lambda takes *every* order."
    assert read(prose).words == read(listed).words


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("it is what we do with the queue so that nothing is lost on the way", 1.0, 1.0),
        ("queue buffer retry alarm metric lambda bucket event table stream", 0.0, 0.0),
        ("queue and buffer and retry and alarm and metric and lambda and bucket", 0.1, 0.4),
    ],
)
def test_how_far_a_passage_explains(text: str, low: float, high: float) -> None:
    reading = read(text)
    assert low <= explained(reading, 0, len(reading.words) - 1) <= high


def test_shuffled_words_are_out_of_order() -> None:
    text = "the order of the day is with the people of the town and for the good of the state from the start " * 2
    assert ordered(text.split()) == 1.0
    assert ordered(sorted(text.split())) < 1.0
    assert ordered(["the", "of", "the", "is", "with", "and"] * 4) == 0.0


def test_situation_words_are_the_task_s_own() -> None:
    words = situation(task_text(item("ad-012")))
    assert {"tenant", "invoic"} <= words
    assert not {"architecture", "below", "component", "the"} & words


def test_weights_of_every_subtype_add_up_to_one() -> None:
    assert {round(sum(weights.values()), 9) for weights in WEIGHTS.values()} == {1.0}


# The law --------------------------------------------------------------------------------------------------------------

RAW = Dimensions(0.9, 0.6, 0.99)
VALID, INVALID, ABSENT = (Diagram("mermaid", status) for status in ("valid", "invalid", "absent"))  # type: ignore[arg-type]


def test_a_valid_diagram_adds_to_quality_and_the_sum_is_clamped_last() -> None:
    final = adjusted(RAW, read(FIFTY), VALID)
    assert final.dimensions == Dimensions(0.9, 0.6, 1.0)  # 0.99 + 0.05, clamped
    assert final.score == pytest.approx(2.5 / 3)


@pytest.mark.parametrize("diagram", [INVALID, ABSENT])
def test_an_invalid_or_absent_diagram_costs_a_fifth_of_all_three(diagram: Diagram) -> None:
    final = adjusted(RAW, read(FIFTY), diagram)
    assert final.dimensions.accuracy == pytest.approx(0.72)
    assert final.dimensions.completeness == pytest.approx(0.48)
    assert final.dimensions.quality == pytest.approx(0.792)


def test_the_bonus_comes_before_the_factors() -> None:
    short = read("only a few words of text")
    assert adjusted(RAW, short, VALID).dimensions.quality == pytest.approx((0.99 + 0.05) * 0.8)


def test_fifty_words_are_enough_and_forty_nine_are_not() -> None:
    assert adjusted(RAW, read(FIFTY), None).factors == {}
    assert adjusted(RAW, read(FIFTY.rsplit(" ", 1)[0]), None).factors == {"short": 0.8}


def test_diagrams_copies_and_repetitions_are_not_words() -> None:
    chart = "\n```mermaid\nflowchart LR\n" + "a --> b\n" * 60 + "```"
    assert own_words(read("three own words" + chart)) == 3
    prompt = " ".join(f"prompt{number}" for number in range(60))
    assert own_words(read(f"three own words {prompt}", prompt)) == 3


@pytest.mark.parametrize(
    ("share", "factor"),
    [(0.0, 1.0), (0.1, 1.0), (0.1000001, 1.0), (0.55, 0.65), (1.0, 0.4)],  # 0.9 − 0.5 · (0.55 − 0.1) / 0.9 = 0.65
)
def test_repetition_factor(share: float, factor: float) -> None:
    assert repetition_factor(share) == pytest.approx(factor)


def test_repetition_starts_at_nine_tenths_and_falls() -> None:
    assert repetition_factor(0.101) == pytest.approx(0.9, abs=0.001)
    factors = [repetition_factor(step / 100) for step in range(101)]
    assert factors == sorted(factors, reverse=True)


def test_judge_and_heuristic_are_blended_raw() -> None:
    blend = blended(Dimensions(1.0, 0.5, 0.0), Dimensions(0.0, 0.5, 1.0))
    assert (blend.accuracy, blend.completeness, blend.quality) == (
        pytest.approx(0.7), pytest.approx(0.5), pytest.approx(0.3)
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.sampled_from([one.id for one in load()]))
def test_any_text_gets_the_same_score_in_range_twice(text: str, item_id: str) -> None:
    one = item(item_id)
    final = weighed(one, text)
    assert 0.0 <= final.score <= 1.0
    assert weighed(one, text) == final


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([one.id for one in load()]), st.integers(0, 8))
def test_leaving_out_sentences_never_makes_an_answer_much_better(item_id: str, left: int) -> None:
    """More of a good answer is more, up to what concision and focus give back."""
    answer = tier(item_id, "good")
    sentences = answer.split(". ")
    shorter = ". ".join(sentences[: max(len(sentences) - left, 1)])
    assert (
        heuristic(item(item_id), shorter).raw.completeness <= heuristic(item(item_id), answer).raw.completeness + 0.05
    )


def test_the_heuristic_is_pure() -> None:
    """Neither Inspect nor a process is loaded by it: scoring is a function on plain data."""
    code = (
        "import sys, steelyard.bench.architecture_design.score;"
        "print([name for name in ('inspect_ai', 'click') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=HANG_S, check=True)
    assert done.stdout.strip() == "[]"
