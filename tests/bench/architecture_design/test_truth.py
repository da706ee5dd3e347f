"""Falsehood costs, honest negations do not, and padding never pays (docs/architecture-scoring.md)."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.bench.architecture_design.dataset import load
from steelyard.bench.architecture_design.heuristic.claims import Facts
from steelyard.bench.architecture_design.heuristic.dimensions import NAMES, heuristic
from steelyard.bench.architecture_design.heuristic.discourse import continues, together
from steelyard.bench.architecture_design.heuristic.reading import LEFT_OUT, read, sentences_of
from steelyard.bench.architecture_design.heuristic.situation import DOUBTFUL, TIED, sorter
from steelyard.bench.architecture_design.heuristic.truth import Polarity, facts, figures
from steelyard.bench.architecture_design.model import DesignItem

from . import attacks
from .weighing import SHARED, item, reference, score, tier, weighed

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
import falsehood  # type: ignore[import-not-found]  # pyright: ignore[reportMissingImports]
import foreign_padding  # type: ignore[import-not-found]  # pyright: ignore[reportMissingImports]
import made_padding  # type: ignore[import-not-found]  # pyright: ignore[reportMissingImports]
import padding  # type: ignore[import-not-found]  # pyright: ignore[reportMissingImports]
import untruths  # type: ignore[import-not-found]  # pyright: ignore[reportMissingImports]

pytestmark = SHARED
ITEMS = load()


# Falsehood ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "mutation", "most"),
    [
        (falsehood, "negated", 0.5),
        (falsehood, "misnumbered", 0.7),
        (falsehood, "all_false", 0.3),
        (untruths, "negated", 0.5),
        (untruths, "denied", 0.5),
        (untruths, "misnumbered", 0.7),
        (untruths, "all_denied", 0.3),
        (untruths, "opposites", 0.3),
        (untruths, "exchanged", 0.3),
    ],
)
def test_falsehood_costs(module: Any, mutation: str, most: float) -> None:
    """The mean share of a reference's score that is left, on a third of the tasks; `make bench` measures all."""
    change = getattr(module, mutation)
    shares: list[float] = []
    for task in ITEMS[::3]:
        rng = random.Random(f"101 {task.id}")
        text = reference(task.id)
        false = change(text, falsehood.HELD_OUT, rng) if module is falsehood else change(text, rng)
        shares.append(weighed(task, false).score / score(task, text))
    assert fmean(shares) <= most


def test_references_are_the_ceiling() -> None:
    assert [task.id for task in ITEMS if score(task, reference(task.id)) < 0.98] == []


@pytest.mark.parametrize(
    ("sentence", "false"),
    [
        ("The export bucket keeps appointment lists for seven days.", False),
        ("Appointment lists are kept in the export bucket for seven days.", False),
        ("The export bucket does not keep appointment lists for seven days.", True),
        ("It is a myth that the export bucket keeps appointment lists for seven days.", True),
        ("The export bucket keeps appointment lists for nine days.", True),
        ("The export bucket keeps appointment lists for 7 weeks.", True),
        ("Lambda sends each paid order to SQS for the warehouse.", False),
        ("SQS sends each paid order to Lambda for the warehouse.", True),
        ("Lambda sends each paid order to Kinesis for the warehouse.", True),
        ("The storage of the patient database is not encrypted.", False),  # the fact says unencrypted
        ("The storage of the patient database is encrypted.", True),
        ("The web servers are in a private subnet beside the database.", True),
        ("The bucket is not versioned.", False),  # nothing is known about it
    ],
)
def test_a_sentence_is_compared_with_the_fact_it_resembles(sentence: str, false: bool) -> None:
    known = Facts(
        [
            "The export bucket keeps appointment lists for seven days.",
            "Lambda sends each paid order to SQS for the warehouse.",
            "The storage of the patient database is unencrypted.",
            "The web servers are in a public subnet beside the database.",
        ]
    )
    assert known.contradicted_by(sentence.lower()) is false


@pytest.mark.parametrize(
    ("sentence", "finding", "remedy"),
    [
        ("The queue has a redrive policy.", False, False),
        ("The queue does not have a redrive policy.", True, True),
        ("The queue doesn't lack anything but a redrive policy.", False, False),  # another clause
        ("It is false that the queue has a redrive policy.", True, True),
        ("The redrive policy is already there.", False, True),
        ("There is no need for a redrive policy.", False, True),
        ("It is a myth that the queue does not have a redrive policy.", False, False),  # denied twice
    ],
)
def test_what_is_denied_called_done_or_needless(sentence: str, finding: bool, remedy: bool) -> None:
    reading = read(sentence)
    place = reading.words.index("redrive")
    polarity = Polarity(reading)
    assert polarity.of([place], remedy=False) == [finding]
    assert polarity.of([place], remedy=True) == [remedy]


CLINIC = (
    "{0} Somebody who guesses the password reads every patient. {1} A stranger can try to log in there, so close that "
    "way and use Session Manager. {2} A thief of that key has won, so give the servers a role with only what they need."
)
FOUND = (
    "The whole internet reaches the RDS database of the clinic.",
    "The EC2 web servers of the clinic answer SSH from the world.",
    "A file on the clinic's servers holds the IAM access key of an admin.",
)
DENIED = (
    "The whole internet never reaches the RDS database of the clinic.",
    "The EC2 web servers of the clinic do not answer SSH from the world.",
    "It is false that a file on the clinic's servers holds the IAM access key of an admin.",
)


def test_a_finding_that_is_denied_is_not_found() -> None:
    clinic = item("ad-007")
    found, denied = (heuristic(clinic, CLINIC.format(*claims)) for claims in (FOUND, DENIED))
    assert sum(found.evidence.findings) > 2.5
    assert sum(denied.evidence.findings) < 0.5 * sum(found.evidence.findings)


def test_an_answer_that_contradicts_itself_loses_what_it_takes_back() -> None:
    clinic = item("ad-007")
    answer = CLINIC.format(*FOUND)
    assert score(clinic, f"{answer} {' '.join(DENIED)}") < 0.7 * score(clinic, answer)


def test_honest_negations_cost_nothing() -> None:
    """A review is full of them: the second answer says everything by what is missing."""
    clinic = item("ad-007")
    affirmed = (
        "The patient database is open to the internet on 3306, so an attacker can guess the password; move RDS to a "
        "private subnet. The S3 bucket with the appointment exports is public; turn on Block Public Access. The "
        "database storage is unencrypted; restore it from an encrypted snapshot. The load balancer has plain HTTP, so "
        "anyone on the way reads the patients' names; add a certificate and TLS."
    )
    negated = (
        "Nothing keeps the internet from the patient database on 3306, so an attacker can guess the password; RDS "
        "isn't in a private subnet and must be. The S3 bucket with the appointment exports is not private but public; "
        "there is no Block Public Access, so turn it on. The database storage is not encrypted; restore it from an "
        "encrypted snapshot. The load balancer has no HTTPS, only plain HTTP without TLS, so anyone on the way reads "
        "the patients' names; it lacks a certificate, so add one."
    )
    assert score(clinic, negated) >= score(clinic, affirmed) - 0.03


def test_a_role_of_another_component_is_no_evidence() -> None:
    shop = item("ad-001")
    right = "Cognito is where customers of the shop sign in with a password. SES sends the confirmation of an order."
    wrong = "SES is where customers of the shop sign in with a password. Cognito sends the confirmation of an order."
    assert sum(heuristic(shop, right).evidence.components) > 1.5 * sum(heuristic(shop, wrong).evidence.components)


def test_numbers_are_compared_with_their_units() -> None:
    known = facts(["The timeout is 30 seconds, the table has 400 GB, three of 12 shards are hot."])
    assert figures("after 30 seconds the 400 gb on 12 shards", known) == 1.0
    assert figures("after 35 seconds the 410 gb on 17 shards with 9 copies, 8 disks and 21 hosts", known) < 0.7
    assert figures("about 7 of them", known) == 1.0  # one number says little


# Padding --------------------------------------------------------------------------------------------------------------

HARBOUR = (
    "We walked along the harbour in the evening and looked at the boats, which were small and painted in colours that "
    "nobody could name, until the rain came."
)
PADDING = (
    HARBOUR,
    "First you peel the onions, because they take longest, and then you let the butter melt slowly while the bread is "
    "still in the oven.",
    "This is a really great question and I am happy to help you with it, so let us look at everything carefully before "
    "we come to any conclusion.",
    "Always encrypt data at rest and in transit, apply least privilege, and use several availability zones so that one "
    "failure does not stop the system.",
    attacks.TEXTBOOK,
)


@pytest.mark.parametrize("text", PADDING, ids=["harbour", "onions", "talk", "advice", "textbook"])
def test_no_padding_raises_a_score(text: str) -> None:
    """On every task: appended, put first, or after every sentence, in turn."""
    raised: list[str] = []
    for number, task in enumerate(ITEMS):
        answer = tier(task.id, "weak")
        sentences = re.split(r"(?<=[.!?]) +", answer)
        padded = (f"{answer}\n\n{text}", f"{text}\n\n{answer}", f" {text} ".join([*sentences, ""]))[number % 3]
        if weighed(task, padded).score > score(task, answer) + 1e-9:
            raised.append(task.id)
    assert raised == []


@pytest.mark.parametrize("task", ITEMS[::3], ids=lambda task: task.id)
def test_a_textbook_lifts_no_bad_answer(task: DesignItem) -> None:
    """It names most services that there are: a catalogue, whatever some of its sentences say."""
    answer = tier(task.id, "bad")
    assert weighed(task, f"{answer}\n\n{attacks.TEXTBOOK}").score <= score(task, answer) + 1e-9


@pytest.mark.parametrize(
    ("task", "kind"), [("ad-002", "checklist"), ("ad-011", "match"), ("ad-011", "restaurant"), ("ad-016", "checklist")]
)
@pytest.mark.parametrize("name", ["weak", "bad"])
def test_a_sentence_about_the_task_by_chance_lifts_nothing(task: str, kind: str, name: str) -> None:
    """Each of these texts has a sentence with words of the task, among others about something else."""
    answer, text = tier(task, name), foreign_padding.TUNED[kind]
    for padded in (f"{answer}\n\n{text}", f"{text}\n\n{answer}"):
        assert weighed(item(task), padded).score <= score(item(task), answer) + 1e-9


@pytest.mark.parametrize(
    ("lengths", "kept"),
    [
        ([30, -10, 15], {0, 2}),  # too little between to part anything
        ([30, -12, -10, 15], {0}),  # parted by more words than it has
        ([30, -12, -10, 25, 8], {0, 3, 4}),
        ([5, -20, 60, -20, 5, -20, 50], {2, 6}),
        ([-40], set()),
    ],
)
def test_stretches_that_are_parted_from_an_answer(lengths: list[int], kept: set[int]) -> None:
    """Negative lengths are those of sentences that are off topic."""
    bound = {index for index, length in enumerate(lengths) if length > 0}
    assert together([abs(length) for length in lengths], bound, set(range(len(lengths))) - bound) == kept


def test_the_task_restated_raises_no_score() -> None:
    restated = {task.id: f"{tier(task.id, 'weak')}\n\n{attacks.prompt_echo(task)}" for task in ITEMS}
    assert [
        task.id for task in ITEMS if weighed(task, restated[task.id]).score > score(task, tier(task.id, "weak"))
    ] == []


@pytest.mark.parametrize(
    ("sentence", "echo"),
    [
        ("patient names, numbers and reasons for visit are in", True),  # every fifth word or so left out
        ("web servers, appointment lists, access key, patients, mysql client", True),
        ("rds for mysql is publicly accessible", True),
        ("anyone on the internet may guess the password of the patient database", False),
        ("the s3 bucket hands the exports to everyone who finds its address", False),
    ],
)
def test_what_echoes_a_task(sentence: str, echo: bool) -> None:
    """An echo alone is left out, other sentences are not."""
    assert (sorter(item("ad-007"))([sentence])[0] in LEFT_OUT) is echo


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(ITEMS), st.sampled_from(["weak", "bad"]), st.integers(3, 7), st.randoms(use_true_random=False))
def test_an_echo_of_the_task_changes_nothing_before_or_after_an_answer(
    task: DesignItem, name: str, gap: int, rng: random.Random
) -> None:
    """Lines of the task with words left out, if they do not count alone, make context of no sentence of the answer."""
    sort = sorter(task)
    lines = rng.sample(told := sentences_of(attacks.prompt_echo(task)), min(4, len(told)))
    gaps = [" ".join(word for place, word in enumerate(line.split(), 1) if place % gap) for line in lines]
    echoes = [line for line in gaps if sort([line])[0] in LEFT_OUT and not continues([line], 0)]
    answer = sentences_of(tier(task.id, name))
    kinds = sort(answer)
    for padded, first in (([*echoes, *answer], len(echoes)), ([*answer, *echoes], 0)):
        after = sort(padded)
        lifted = [
            sentence
            for sentence, before, now in zip(answer, kinds, after[first:], strict=False)
            if now == "tied" != before
        ]
        assert lifted == []


def test_no_textbook_beats_an_honest_weak_answer() -> None:
    assert [task.id for task in ITEMS if score(task, attacks.TEXTBOOK) >= score(task, tier(task.id, "weak"))] == []


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("the patients' appointment lists are in a bucket that everyone can read", "tied"),
        ("it should be in a private subnet with a security group", "tied"),
        ("rds is a managed relational database service with automated backups", "off_topic"),
        ("always encrypt data at rest and in transit", "off_topic"),
        ("a walk along the harbour in the evening", "off_topic"),
        ("patient names, phone numbers and reasons for the visit are in the database", "off_topic"),  # the task's words
        ("rds for mysql is not publicly accessible and its security group admits 3306 from 0.0.0.0/0", "false"),
    ],
)
def test_what_a_sentence_is_to_a_task(sentence: str, kind: str) -> None:
    assert sorter(item("ad-007"))([sentence]) == [kind]


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ("ad-007", "nobody needs port 22 open to the whole internet"),
        ("ad-007", "the load balancer doesn't offer https, only http on port 80"),
        ("ad-010", "sessions can't stay on the ebs disk of one server"),
        ("ad-011", "reading the seat before writing it does not keep two fans from buying it"),
        ("ad-011", "400 connections are not enough for 1,000 concurrent lambda functions"),
        ("ad-013", "eighteen volumes are not attached to anything"),
        ("ad-013", "a development database does not need a standby"),
        ("ad-016", "no backup has ever been restored, so nobody knows whether one hour can be met"),
    ],
)
def test_honest_negations_are_tied_and_not_false(task: str, sentence: str) -> None:
    assert sorter(item(task))([sentence]) == ["tied"]


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ("ad-007", "the rds database does not encrypt its storage"),
        ("ad-016", "rds for sql server is not multi-az: it runs in one zone"),
    ],
)
def test_honest_negations_with_nothing_but_names_are_tied_by_them_and_not_false(task: str, sentence: str) -> None:
    assert sorter(item(task), by_name=True)([sentence]) == ["tied"]
    assert sorter(item(task))([sentence]) == ["loose"]


def test_doubtful_sentences_count_only_between_many_tied_ones() -> None:
    doubtful = "the logs should be kept for a year"
    points = sorter(item("ad-007")).points(doubtful).total
    assert DOUBTFUL <= points < TIED
    assert sorter(item("ad-007"))([doubtful]) == ["off_topic"]
    honest = [sentence for sentence in sentences_of(reference("ad-007")) if len(sentence.split()) > 3]
    assert sorter(item("ad-007"))([*honest[:9], doubtful, *honest[9:]])[9] == "tied"
    assert sorter(item("ad-007"))([*honest, doubtful])[-1] == "off_topic"


def test_a_sentence_that_fits_any_task_changes_nothing_before_or_after_an_answer() -> None:
    """By construction: it is left out, and what the other sentences are does not depend on it."""
    for number, task in enumerate(ITEMS):
        sort = sorter(task)
        general = [sentence.lower() for sentence in padding.HELD_OUT[number % 3 :: 3]]
        general = [sentence for sentence in general if not sort.points(sentence).firm]
        assert len(general) >= 10
        for name in ("weak", "good"):
            answer = sentences_of(tier(task.id, name))
            kinds = sort(answer)
            padded = sort([*general[:3], *answer, *general[3:]])
            assert padded[3 : 3 + len(answer)] == kinds
            assert {*padded[:3], *padded[3 + len(answer) :]} <= LEFT_OUT
            between = sort([part for sentence in answer for part in (sentence, general[0])])[1::2]
            assert set(between) <= LEFT_OUT


@pytest.mark.parametrize("name", ["weak", "good"])
def test_names_of_components_in_general_sentences_raise_no_score_above_what_names_earn(name: str) -> None:
    for task in ITEMS:
        names = [component.name for component in task.expected.components]
        told = [text.format(names[0], names[-1]) for text in made_padding.NAMING]
        padding = " ".join(text for text in told if not sorter(task).points(text.lower()).firm)
        answer = tier(task.id, name)
        before = score(task, answer)
        for padded in (f"{answer}\n\n{padding}", f"{padding}\n\n{answer}"):
            assert score(task, padded) <= max(before, NAMES) + 1e-9, task.id


def test_a_sentence_about_the_task_without_evidence_raises_nothing() -> None:
    clinic = item("ad-007")
    said = "The patients of the clinic booked their appointments by telephone before that."
    assert sorter(clinic)([said.lower()]) == ["tied"]
    for name in ("weak", "good"):
        answer = tier("ad-007", name)
        for padded in (f"{answer}\n\n{said}", f"{said}\n\n{answer}"):
            assert score(clinic, padded) <= score(clinic, answer)


@pytest.mark.parametrize(
    ("task", "opening", "closing"),
    [
        (
            "ad-008",
            "Patients and doctors trust each other, and that is worth a lot.",
            "I wish the doctors and the patients good health.",
        ),
        (
            "ad-009",
            "A laptop can be stolen anywhere, and I will look at it calmly.",
            "So much for the laptops of the developers.",
        ),
        ("ad-015", "Licences are a sad subject.", "I hope the licences are worth it."),
        (
            "ad-018",
            "Readers love articles, and articles love readers.",
            "May the next viral article find many readers.",
        ),
        ("ad-021", "Citizens have a right to a good portal.", "The ministry and its citizens will be happy."),
        (
            "ad-022",
            "A manufacturer has asked, and here is what I have to say.",
            "I hope the manufacturer and the technicians will like it.",
        ),
        (
            "ad-023",
            "Loyalty is a fine thing among customers.",
            "I hope that the loyalty of the customers will last.",
        ),
        ("ad-026", "Episodes from India are popular.", "I hope the subscribers will enjoy many more episodes."),
    ],
)
def test_an_opening_and_a_closing_that_show_nothing_make_no_context(task: str, opening: str, closing: str) -> None:
    """They have words of the task, but what is between them does not become an answer by that."""
    for name in ("bad", "weak", "good"):
        answer = tier(task, name)
        for framed in (f"{opening}\n\n{answer}\n\n{closing}", f"{opening}\n\n{answer}", f"{answer}\n\n{closing}"):
            assert weighed(item(task), framed).score <= score(item(task), answer) + 1e-9, (name, framed)


def test_context_counts_between_ends_that_are_named() -> None:
    sort = sorter(item("ad-007"))
    bound = "the patients of the clinic booked their appointments by telephone before that."
    answer = [
        bound,
        "the database should be encrypted.",
        "whoever guesses the password of mysql has every patient of the clinic.",
    ]
    assert sort(answer) == ["tied", "tied", "tied"]
    assert sort(answer, ends={0, 2}) == ["tied", "tied", "tied"]
    for ends in ({0}, {2}, set[int]()):
        assert sort(answer, ends=ends) == ["tied", "loose", "tied"]


def test_many_numbers_of_the_task_bind_a_sentence_with_strange_words() -> None:
    sentence = "18 loose disks (900), ancient snapshots (370), 8 idle ips (30)  →   1,300 usd."
    assert sorter(item("ad-013")).points(sentence).firm
    assert not sorter(item("ad-012")).points(sentence).firm


def test_a_label_without_a_full_stop_does_not_bind_the_sentence_after_it() -> None:
    assert sentences_of("Pupils and parents It should be replaced.") == ["pupils and parents", "it should be replaced."]


# What the architecture has --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "false"),
    [
        ("The existing Redshift cluster is open to the internet.", True),
        ("Your Redshift cluster should be encrypted.", True),
        ("Neptune is already deployed beside the patient database.", True),
        ("The Redshift cluster has no encryption at rest.", False),  # "no": might say what is missing
        ("The Redshift cluster stores the appointments of the patients.", True),
        ("Add Redshift for the reports, and move the exports there.", False),
        ("Once Macie is deployed, it finds patient names in the bucket.", False),
        ("There is no existing GuardDuty detector.", False),
        ("CloudTrail is not configured, so nobody sees who read the exports.", False),
        ("The RDS database is already open to the internet.", False),  # the diagram has it
    ],
)
def test_a_service_that_is_not_there_is_not_called_present(sentence: str, false: bool) -> None:
    assert (sorter(item("ad-007"))([sentence.lower()]) == ["false"]) is false


def test_a_service_that_the_answer_proposes_may_be_spoken_of() -> None:
    sentences = ["add redshift for the reports.", "the redshift cluster stores the appointments of the patients."]
    assert sorter(item("ad-007"))(sentences)[1] != "false"


def test_services_called_present_cost_a_reference() -> None:
    invented = (
        "The existing Redshift cluster copies every patient each night. Your Neptune database keeps the visits. The "
        "current MSK cluster sends the reminders of the clinic. Your EMR cluster counts the appointments."
    )
    clinic = item("ad-007")
    answer = tier("ad-007", "good")
    assert score(clinic, f"{answer}\n\n{invented}") < 0.9 * score(clinic, answer)


def test_a_finding_said_of_another_component_earns_nothing() -> None:
    orders = item("ad-005")
    place = [finding.id for finding in orders.expected.findings].index("waiting-place")
    told = "If the restaurant is down, {} will keep the order for up to four days and retry until it is taken."
    right, wrong = (heuristic(orders, told.format(name)).evidence.findings[place] for name in ("SQS", "EventBridge"))
    assert right > 0.5 and wrong == 0.0
