"""The fast check accepts what jsonschema accepts, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.schema_check import compiled

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["a"],
    "additionalProperties": False,
    "properties": {
        "a": {"type": ["integer", "null"], "minimum": 0, "maximum": 3},
        "b": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "#/$defs/name"}},
        "c": {"type": "object", "additionalProperties": {"$ref": "#/$defs/tree"}},
        "d": {"oneOf": [{"type": "boolean"}, {"const": "x"}]},
        "e": {"type": "number"},
        "f": {"enum": [1, "b"]},
        "g": {"minProperties": 1, "if": {"type": "object"}, "then": {"required": ["a"]}, "else": {"const": 1}},
        "h": {"enum": [True, None]},
    },
    "if": {"required": ["e"]},
    "then": {"required": ["d"]},
    "$defs": {
        "name": {"type": "string", "minLength": 1, "pattern": "^[ax]"},
        "tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
    },
}
LEAF = st.none() | st.booleans() | st.integers(-1, 4) | st.floats(-1, 4) | st.sampled_from(["", "x", "b"])
VALUE = st.recursive(LEAF, lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from("abc"), part))


@given(st.dictionaries(st.sampled_from("abcdefgh"), VALUE) | VALUE)
def test_it_decides_as_jsonschema_does(value: Any) -> None:
    assert compiled(SCHEMA)(value) == jsonschema.Draft202012Validator(SCHEMA).is_valid(value)


RECORDS: dict[str, Any] = {
    "type": "array",
    "items": {"$ref": "#/$defs/record"},
    "$defs": {
        "record": {
            "type": "object",
            "required": ["a"],
            "additionalProperties": False,
            "properties": {
                "a": {"type": ["integer", "string", "null"], "maximum": 3},
                "b": {"type": "array", "items": {"$ref": "#/$defs/record"}},
                "c": {"type": "boolean"},
            },
        }
    },
}
RECORD = st.fixed_dictionaries({"a": LEAF}, optional={"b": st.just([]) | LEAF, "c": LEAF, "z": LEAF})


@given(st.lists(RECORD, min_size=1, max_size=3), st.integers(1, 120))
def test_long_lists_of_records_are_decided_as_by_jsonschema(records: list[Any], times: int) -> None:
    value = [records[0]] * times + records
    assert compiled(RECORDS)(value) == jsonschema.Draft202012Validator(RECORDS).is_valid(value)


def test_a_boolean_among_equal_numbers_is_seen() -> None:
    assert not compiled(RECORDS)([{"a": 1}] * 150 + [{"a": True}])
    assert compiled(RECORDS)([{"a": 1}] * 150 + [{"a": 1.0}])
    assert compiled(RECORDS)([{"a": 1, "b": [{"a": "x"}] * 200}] * 150)


@pytest.mark.parametrize(
    "value", [{"a": 1}, {"a": 2.0, "b": ["x"], "c": {"k": [[], [[]]]}}, {"a": None, "d": "x", "e": 1}]
)
def test_good_documents_pass(value: Any) -> None:
    assert compiled(SCHEMA)(value)


@pytest.mark.parametrize(
    "value",
    [{}, {"a": True}, {"a": 4}, {"a": 1, "b": []}, {"a": 1, "b": ["q"]}, {"a": 1, "e": 1}, {"a": 1, "z": 1}, []],
)
def test_bad_documents_do_not(value: Any) -> None:
    assert not compiled(SCHEMA)(value)


def test_a_shipped_schema_of_large_documents_needs_no_jsonschema() -> None:
    program = """
import sys
from steelyard import artifact
artifact._fast_check("leaderboard")
assert "jsonschema" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
