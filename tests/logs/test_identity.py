"""docs/scoring.md §0: the fingerprint names what forbids a comparison; the stamp survives a round trip through JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from steelyard.errors import LogError
from steelyard.logs.identity import environment, read_stamp, samples_hash, sha256_of
from steelyard.stamp import STAMP_KEY, Fingerprint, Stamp, differences

ONE = Fingerprint("d1", "s1", "choice@1", None, None, {"seed": 0, "diagrams": "text"})


def test_equal_fingerprints_may_be_compared() -> None:
    assert differences(ONE, replace(ONE)) == ()


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (replace(ONE, dataset="d2"), ("dataset",)),
        (replace(ONE, scorer="choice@2", judge="m"), ("scorer", "judge")),
        (replace(ONE, parameters={"seed": 0, "diagrams": "image"}), ("parameters.diagrams",)),
        (replace(ONE, parameters={"seed": 0}), ("parameters.diagrams",)),
        # A parameter that is there with None is not a parameter that is absent.
        (replace(ONE, parameters={**ONE.parameters, "extra": None}), ("parameters.extra",)),
    ],
)
def test_the_field_that_differs_is_named(other: Fingerprint, named: tuple[str, ...]) -> None:
    assert differences(ONE, other) == named == differences(other, ONE)


def test_a_stamp_survives_the_log() -> None:
    stamp = Stamp("bench", "practice_exam", ONE, "my model", {"python": "3.11"}, {"seed": 1})
    assert read_stamp(json.loads(json.dumps(stamp.as_metadata()))) == stamp


@pytest.mark.parametrize("foreign", [None, {}, {STAMP_KEY: 1}, {STAMP_KEY: {"schema_version": 99}}])
def test_a_foreign_stamp_is_no_stamp(foreign: dict[str, object] | None) -> None:
    assert read_stamp(foreign) is None


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"fingerprint": None}, "stamp.fingerprint"),
        ({"fingerprint": {"parameters": None}}, "stamp.fingerprint.parameters"),
        ({"fingerprint": {"parameters": [1]}}, "stamp.fingerprint.parameters"),
        ({"fingerprint": {"scorer": 5}}, "stamp.fingerprint.scorer"),
        ({"fingerprint": {"judge": ["a"]}}, "stamp.fingerprint.judge"),
        ({"fingerprint": {"colour": "red"}}, "colour"),
        ({"unit": [1]}, "stamp.unit"),
        ({"wing": {}}, "stamp.wing"),
        ({"label": 7}, "stamp.label"),
        ({"environment": None}, "stamp.environment"),
        ({"environment": {"python": 3}}, "stamp.environment.python"),
        ({"extra": [1]}, "stamp.extra"),
        ({"more": 1}, "more"),
    ],
)
def test_a_damaged_stamp_names_the_field(changed: dict[str, Any], field: str) -> None:
    whole = Stamp("bench", "practice_exam", ONE).as_metadata()[STAMP_KEY]
    damaged = {**whole, **changed}
    if isinstance(inner := changed.get("fingerprint"), dict):
        damaged["fingerprint"] = {**whole["fingerprint"], **inner}
    with pytest.raises(LogError, match=re.escape(field)):
        read_stamp({STAMP_KEY: damaged})


def test_the_order_of_samples_does_not_matter_but_their_names_do() -> None:
    assert samples_hash(["a", "b"]) == samples_hash(["b", "a"]) != samples_hash(["a", "c"])


def test_hash_is_stable_over_key_order() -> None:
    assert sha256_of({"a": 1, "b": 2}) == sha256_of({"b": 2, "a": 1})


def test_versions_are_recorded() -> None:
    found = environment(cdk="2.1147.0")
    assert found["cdk"] == "2.1147.0" and {"python", "inspect-ai", "steelyard"} <= set(found)
