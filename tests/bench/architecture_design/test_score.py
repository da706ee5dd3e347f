"""docs/scoring.md §1.4: prose, elements, bounds and adjustments, each on a small key of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from steelyard.bench.architecture_design.diagram import Diagram
from steelyard.bench.architecture_design.elements import Elements, Search, phrase
from steelyard.bench.architecture_design.facts import Assessment, Fact
from steelyard.bench.architecture_design.model import Expected, unlinked
from steelyard.bench.architecture_design.prose import Prose, is_language, read
from steelyard.bench.architecture_design.score import (
    Dimensions,
    Reading,
    adjusted,
    blended,
    bounded,
    repetition_factor,
)

EXPECTED = Expected.model_validate(
    {
        "components": [
            {"name": "SQS", "role": "r", "signals": [["wait", "buffer"]], "fact": "waits"},
            {"name": "Lambda", "role": "r", "signals": [["poll"], ["batch"]]},
        ],
        "flows": [{"statement": "s", "path": ["SQS", "Lambda"]}],
        "findings": [
            {
                "id": "lost",
                "statement": "s",
                "signals": [["message"], ["lost", "lose"]],
                "fact": "lost",
                "remedy": {"statement": "s", "signals": [["dead-letter queue", "dlq"]]},
            }
        ],
    }
)
GOOD = (
    "Orders wait in SQS until they are handled. The Lambda function polls it and takes a batch at a time. "
    "As it is drawn, a message that fails is lost. I would add a dead-letter queue for it."
)


def found(text: str, *wrong: str, prompt: str = "") -> Elements:
    return Search(EXPECTED, read(text, prompt)).elements(wrong)


def test_a_full_answer_states_every_element() -> None:
    elements = found(GOOD)
    assert (elements.components, elements.flows) == ((1.0, 1.0), (1.0,))
    assert (elements.findings, elements.remedies) == ((1.0,), (1.0,))
    assert (elements.share, elements.explained, elements.ordered) == (1.0, 1.0, 1.0)


def test_an_element_whose_own_fact_is_wrong_does_not_count() -> None:
    elements = found(GOOD, "waits", "lost")
    assert (elements.components, elements.findings, elements.remedies) == ((0.0, 1.0), (0.0,), (1.0,))
    assert elements.share == 3 / 5  # Lambda, the flow and the remedy of five elements


def test_a_name_without_its_role_is_named_and_not_stated() -> None:
    elements = found("The system of the shop has SQS in it, as far as I can see.")
    assert elements.components == (0.0, 0.0)
    assert elements.explained == 0.0


def test_signals_that_stand_far_apart_state_nothing() -> None:
    between = "This is what the team has told us about it. " * 1 + "We think that it is so. " + "It is not new to us. "
    assert found(f"A message is sent to us by the shop. {between}What is lost is lost for good.").findings == (0.0,)


def test_a_list_of_keywords_states_nothing() -> None:
    soup = "SQS, wait, buffer, Lambda, poll, batch, message, lost, dead-letter queue, DLQ, Orders, Payments, Retention"
    assert found(soup).share == 0.0
    assert not is_language([soup]) and is_language([GOOD])


def test_words_copied_from_the_prompt_state_nothing() -> None:
    assert found(GOOD, prompt=f"Task. {GOOD}").share == 0.0
    assert read(GOOD, f"Task. {GOOD}").words == 0


@pytest.mark.parametrize("hidden", [f"<!-- {GOOD} -->", f"```text2\n{GOOD}\n```"])
def test_what_no_reader_takes_for_prose_states_nothing(hidden: str) -> None:
    assert found(f"This is what I think of it.\n{hidden}").share == 0.0


def test_invisible_characters_neither_hide_nor_help() -> None:
    assert found("\u200b".join(GOOD)) == found(GOOD)
    assert read("\u200b".join(GOOD)).hidden and not read(GOOD).hidden


def test_a_remedy_before_its_finding_and_a_step_backwards_are_out_of_order() -> None:
    backwards = (
        "I would add a dead-letter queue for it. That is my first point, and it is the main one. "
        "It is a matter of a few lines. As it is drawn, a message that fails is lost. "
        "The Lambda function is what I would look at. Orders wait for it in SQS."
    )
    assert found(backwards).ordered == 0.0


@pytest.mark.parametrize(
    ("text", "whole", "matches"),
    [
        ("asynchron", "it is asynchronous", True),
        ("multi-az", "use multi az for it", True),
        ("multi-az", "use multiaz for it", True),
        ("s3", "the s3 bucket", True),
        ("s3", "two s3s", True),
        ("s3", "an s3x thing", False),
    ],
)
def test_phrases(text: str, whole: str, matches: bool) -> None:
    assert bool(phrase(text).search(whole)) == matches


def test_a_phrase_begins_a_word() -> None:
    assert found("What the rewait in SQS is for, I do not know at all.").components[0] == 0.0


def test_repeated_words_are_counted_once() -> None:
    twice = read(f"{GOOD}\n{GOOD}")
    assert twice.words == read(GOOD).words
    assert twice.repeated == pytest.approx(0.5)


@pytest.mark.parametrize(("share", "factor"), [(0.0, 1.0), (0.1, 1.0), (0.1000001, 1.0), (0.55, 0.65), (1.0, 0.4)])
def test_repetition_costs_more_when_it_is_heavier(share: float, factor: float) -> None:
    # 0.9 - 0.5 * (0.55 - 0.1) / 0.9 = 0.65
    assert repetition_factor(share) == pytest.approx(factor)


def prose(words: int = 100, repeated: float = 0.0) -> Prose:
    return Prose((), (), words, repeated, False)


def made(right: int, share: float, explained: float = 1.0, ordered: float = 1.0) -> Reading:
    names = tuple(f"f{number}" for number in range(10))
    elements = Elements((share,), (), (), (), explained, ordered)
    return Reading(Assessment(right=names[:right], missing=names[right:]), elements, prose(), "")


def test_completeness_and_quality_stay_within_a_fifth_of_accuracy() -> None:
    assert made(3, 1.0).raw(None) == Dimensions(0.3, 0.5, 0.5)
    assert bounded(Dimensions(0.5, 0.6, 0.9)) == Dimensions(0.5, 0.6, 0.7)


def test_quality_is_order_and_reasons_of_half_of_the_elements() -> None:
    assert made(10, 0.5, explained=0.8, ordered=0.6).raw(None).quality == pytest.approx(0.7)
    assert made(10, 0.25, explained=0.8, ordered=0.6).raw(None).quality == pytest.approx(0.35)
    assert made(0, 1.0).raw(None) == Dimensions(0.0, 0.2, 0.0)


def test_the_diagram_is_a_third_of_quality_by_the_components_it_shows() -> None:
    half = Diagram("mermaid", "valid", missing=("S3",), expected=2)
    assert made(10, 1.0, explained=1.0, ordered=0.5).raw(half).quality == pytest.approx((1.0 + 0.5 + 0.5) / 3)
    assert made(10, 1.0).raw(Diagram("mermaid", "invalid")).quality == pytest.approx(2 / 3)


def test_a_judge_gives_half_of_accuracy_and_all_of_the_rest() -> None:
    assert blended(Dimensions(1.0, 0.6, 0.7), 0.4) == Dimensions(0.7, 0.6, 0.7)
    assert blended(Dimensions(1.0, 1.0, 1.0), 0.0) == Dimensions(0.5, 0.7, 0.7)  # the bound holds here too


RAW = Dimensions(0.8, 0.8, 0.8)


@pytest.mark.parametrize(
    ("text", "diagram", "factors", "final"),
    [
        (prose(), None, {}, (0.8, 0.8, 0.8)),
        (prose(), Diagram("json", "valid"), {"bonus": 0.05}, (0.8, 0.8, 0.85)),
        (prose(), Diagram("json", "absent"), {"structured": 0.8}, (0.64, 0.64, 0.64)),
        (prose(49), None, {"short": 0.8}, (0.64, 0.64, 0.64)),
        (prose(50), None, {}, (0.8, 0.8, 0.8)),
        # Bonus first, then the factor: 0.85 * 0.8; 0.8 * 0.8 * 0.65 = 0.416 for both factors.
        (prose(49), Diagram("json", "valid"), {"bonus": 0.05, "short": 0.8}, (0.64, 0.64, 0.68)),
        (prose(49, 0.55), None, {"short": 0.8, "repetition": 0.65}, (0.416, 0.416, 0.416)),
    ],
)
def test_adjustments_in_their_order(
    text: Prose, diagram: Diagram | None, factors: dict[str, float], final: tuple[float, float, float]
) -> None:
    result = adjusted(RAW, text, diagram)
    assert dict(result.factors) == pytest.approx(factors)
    dimensions = result.dimensions
    assert (dimensions.accuracy, dimensions.completeness, dimensions.quality) == pytest.approx(final)
    assert result.score == pytest.approx(sum(final) / 3)


def test_dimensions_are_clamped() -> None:
    assert adjusted(Dimensions(1.0, 1.0, 1.0), prose(), Diagram("json", "valid")).score == 1.0


def test_elements_rest_on_facts_that_exist() -> None:
    fact = Fact(name="waits", ask="?", kind="truth", answer=True, why="w")
    assert unlinked(EXPECTED, [fact]) == ["lost"]


def test_the_law_needs_neither_inspect_nor_a_model() -> None:
    code = (
        "import sys, steelyard.bench.architecture_design.score;"
        "print([name for name in ('inspect_ai', 'click', 'anyio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
