"""Indented JSON is what `json.dumps` writes, to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.indented import indented_json

TEXT = st.text('aé\n"\\\\', max_size=3)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
LEAF = st.none() | st.booleans() | st.integers() | FLOAT | TEXT
KEY = TEXT | st.integers() | st.booleans() | st.none() | FLOAT
VALUE = st.recursive(LEAF, lambda part: st.lists(part) | st.dictionaries(KEY, part) | st.tuples(part), max_leaves=8)


@given(VALUE)
def test_it_writes_what_json_writes(value: Any) -> None:
    assert indented_json(value) == json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


@pytest.mark.parametrize("value", [float("nan"), {"a": [{"b": float("inf")}]}, {"a": {(1, 2): 1}}, [[{1, 2}]]])
def test_what_json_does_not_have_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        indented_json(value)
