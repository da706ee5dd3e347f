from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.errors import InputError
from steelyard.judge import load_rubric, parse_rubric
from steelyard.judge.case import case_rubric
from steelyard.judge.rubric import BANDS, band

HEAD = "name: n\nabout: a\n"


def criteria(*weights: str) -> str:
    return HEAD + "criteria:\n" + "".join(
        f"  - id: c{place}\n    question: q\n    weight: {weight}\n" for place, weight in enumerate(weights)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "empty"),
        ("name: [", 1, "stream end"),
        ("- a\n- b\n", 1, "mapping"),
        (HEAD, 1, "either criteria or dimensions"),
        (HEAD + "colour: red\ncriteria:\n  - {id: a, question: q}\n", 3, "unknown key"),
        (HEAD + "criteria:\n  - id: a\n    question: q\n    wieght: 1\n", 6, "unknown key"),
        (HEAD + "\ncriteria: []\n", 4, "must not be empty"),
        (HEAD + "criteria:\n  - id: a\n    question: ''\n", 5, "must not be empty"),
        (HEAD + "criteria:\n  - id: a\n    question: '   '\n", 5, "must not be empty"),
        (HEAD + "criteria:\n  - question: q\n", 4, "criteria.0.id: is missing"),
        (HEAD + "criteria:\n  - {id: a, question: q}\n  - {id: a, question: q}\n", 5, "duplicate id 'a'"),
        (HEAD + "criteria:\n  - {id: Not An Id, question: q}\n", 4, "pattern"),
        (HEAD + "criteria:\n  - {id: a, question: q}\ndimensions:\n  - {id: b, about: x}\n", 5, "not both"),
        (criteria("0.5", "0.4"), 3, "add up to 0.9, not 1"),
        (criteria("0.7", "0.300000002"), 3, "add up to 1.000000002, not 1"),
        (criteria("1", "0"), 9, "greater than 0"),
        (criteria("1.5", "-0.5"), 6, "less than or equal to 1"),
        (criteria(".nan", "1"), 6, "finite"),
        (criteria("0x1"), 6, "not a plain number"),
        (criteria("heavy"), 6, "weight"),
        (HEAD + "criteria:\n  - {id: a, question: q, weight: 1}\n  - {id: b, question: q}\n", 3, "every item"),
        (HEAD + "dimensions:\n  - id: a\n    about: x\n    bands: {0-29: bad}\n", 4, "bands lacks 30-49"),
        (HEAD + "dimensions:\n  - id: a\n    about: x\n    bands: {0-28: bad}\n", 6, "0-29"),
        (HEAD + "criteria:\n", 3, "criteria: must not be empty"),
        (HEAD + "criteria: yes\n", 3, "criteria: must be a list"),
        ("name:\nabout: a\n", 1, "name: must not be empty"),
        (HEAD + "criteria:\n  - id: a\n    question:\n", 5, "must not be empty"),
        ("name: n\nabout: a\x00\n", 2, "U+0000 is not allowed"),
        ("name: n\n# \x1b[31m\n", 2, "U+001B is not allowed"),
        ("name: n\nabout: !!bool foo\n", 2, "the tag '!!bool' is not allowed"),
        ("name: n\nabout:\n  " + "- " * 5_000 + "a\n", 3, "nested too deeply"),
        ("name: a\nname: b\n", 2, "duplicate key 'name'"),
        ("name: &x a\nabout: *x\n", 2, "aliases"),
        ("name: !!python/object:os.system a\n", 1, "not allowed"),
        ("name: !foo:str a\n", 1, "'!foo:str' is not allowed"),
        ("name: n\n!foo about: a\n", 2, "'!foo' is not allowed"),
        (HEAD + "criteria: !foo\n  - {id: a, question: q}\n", 3, "'!foo' is not allowed"),
        (HEAD + "criteria: !!set\n  - {id: a, question: q}\n", 3, "'!!set' is not allowed"),
        (
            HEAD + "criteria:\n  - !!python/object/apply:os.system {id: a, question: q}\n",
            4,
            "'!!python/object/apply:os.system' is not allowed",
        ),
        ("!bar\n" + HEAD + "criteria:\n  - {id: a, question: q}\n", 1, "'!bar' is not allowed"),
        (HEAD + "criteria:\n  - id: a\n    question: '\u200b \u2060'\n", 5, "question: must hold something to read"),
        ("name: n\nabout: \u200b\ncriteria:\n  - {id: a, question: q}\n", 2, "about: must hold something to read"),
        (HEAD + "criteria:\n  - id: \u200b\n    question: q\n", 4, "criteria.0.id"),
        (HEAD + "dimensions:\n  - {id: a, about: \u3164}\n", 4, "about: must hold something to read"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_rubric(text, "r.yaml")
    assert str(caught.value).startswith(f"r.yaml, line {line}: ")
    assert says in str(caught.value)


@pytest.mark.parametrize("text", ["[" * 20_000, "a: \x00", "x" * 300_000, "{{{{{{"])
def test_hostile_files_are_one_clear_error(text: str) -> None:
    with pytest.raises(InputError, match=r"^r\.yaml"):
        parse_rubric(text, "r.yaml")


def test_weights_are_decimal_and_within_a_billionth() -> None:
    # Ten times 0.1 is not 1 in binary arithmetic; here it is.
    assert sum(parse_rubric(criteria(*["0.1"] * 10), "r").weights.values()) == pytest.approx(1)
    assert parse_rubric(criteria("0.333333333", "0.333333333", "0.333333334"), "r").weights["c0"] == 0.333333333


def test_without_weights_all_weigh_the_same() -> None:
    rubric = parse_rubric(HEAD + "criteria:\n  - {id: a, question: q}\n  - {id: b, question: q}\n", "r")
    assert rubric.weights == {"a": 0.5, "b": 0.5}


def test_the_hash_follows_the_content_and_not_the_layout() -> None:
    one = parse_rubric(HEAD + "criteria:\n  - {id: a, question: q}\n", "r")
    same = parse_rubric("# a comment\nabout: a\nname: n\ncriteria:\n  - id: a\n    question: q\n", "r")
    other = parse_rubric(HEAD + "criteria:\n  - {id: a, question: r}\n", "r")
    assert one.sha == same.sha != other.sha


def test_files_are_read_and_missing_ones_named(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(HEAD + "criteria:\n  - {id: a, question: q}\n")
    assert load_rubric(tmp_path / "r.yaml").name == "n"
    with pytest.raises(InputError, match=r"gone\.yaml"):
        load_rubric(tmp_path / "gone.yaml")


@pytest.mark.parametrize(
    ("score", "place"),
    # The bands of docs/scoring.md §1.4: 0–29, 30–49, 50–69, 70–89, 90–100 %; compared on six decimals.
    [
        *((0, 0), (0.29, 0), (0.2999994, 0), (0.2999996, 1), (0.3, 1), (0.49, 1)),
        *((0.5, 2), (0.69, 2), (0.7, 3), (0.89, 3), (0.9, 4), (1, 4)),
    ],
)
def test_bands(score: float, place: int) -> None:
    assert band(score) == place


def test_the_shipped_rubric_describes_every_band() -> None:
    for dimension in case_rubric().dimensions:
        assert dimension.bands is not None
        assert set(dimension.bands) == set(BANDS)
