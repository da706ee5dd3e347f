"""One value of a YAML text is changed; everything else stays, to the letter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import InputError
from steelyard.yamledit import appended, assigned, flow
from steelyard.yamlfile import parse

SHEET = """# top
schema_version: "1"
marked_by: ""   # who
runs:
  - run: a.md
    problems:
      # about P01
      P01: {mark: "?", finding: F02}  # ask Bo
      P02:
        mark: △
        quote: |
          two
          lines
      # after P02
      P03:
    findings: {}
  # the end
"""


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (["marked_by"], "me: # you", "marked_by: 'me: # you'   # who"),
        (
            ["runs", 0, "problems", "P01"],
            {"mark": "○", "quote": "a, {b}"},
            "      P01: {mark: ○, quote: 'a, {b}'}  # ask Bo",
        ),
        (["runs", 0, "problems", "P02"], {"mark": "×"}, "        {mark: ×}"),
        (["runs", 0, "problems", "P03"], {"mark": "×"}, "      P03: {mark: ×}"),
        (["runs", 0, "problems", "P04"], {"mark": "?"}, "      P04: {mark: '?'}"),
        (["runs", 0, "findings", "F07"], {"verdict": "bonus"}, "    findings: {F07: {verdict: bonus}}"),
        (["runs", 0, "merged", "F03"], "F02", "    merged: {F03: F02}"),
        (["runs", 0, "problems", "no"], {"mark": "yes"}, "      'no': {mark: 'yes'}"),
    ],
)
def test_a_value_is_set_and_comments_stay(path: list[str | int], value: Any, line: str) -> None:
    changed = assigned(SHEET, path, value, "s.yaml")
    assert line in changed.split("\n")
    comments = ["# top", "# who", "# about P01", "# ask Bo", "# after P02", "# the end"]
    assert [comment for comment in comments if comment not in changed] == []
    assert parse(changed, "s.yaml").at(path).data() == value


def test_a_place_in_a_list_that_is_none_is_bad_input() -> None:
    with pytest.raises(InputError, match="without rewriting it"):
        assigned("runs:\n", ["runs", 0, "problems"], "x", "s.yaml")


def test_a_run_is_appended() -> None:
    changed = appended(SHEET, ["runs"], ["- run: b.md", "  # more", "  problems: {}"], "s.yaml")
    assert [run["run"] for run in parse(changed, "s.yaml").data()["runs"]] == ["a.md", "b.md"]
    assert changed.replace("\n  - run: b.md\n    # more\n    problems: {}", "") == SHEET


@pytest.mark.parametrize("text", ["runs: []\n", "runs: [{run: a}]\n", "runs:\n", "a: 1\n"])
def test_what_cannot_be_appended_to_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="blank sheet"):
        appended(text, ["runs"], ["- run: b"], "s.yaml")


@given(st.text(max_size=40).filter(lambda text: "\ud800" not in text), st.sampled_from(["P01", "P02", "P03", "P09"]))
def test_any_text_survives(quote: str, problem: str) -> None:
    quote = quote.replace("\r", " ")  # YAML has one kind of line end
    value = {"mark": "○", "quote": quote}
    path = ["runs", 0, "problems", problem]
    once = assigned(SHEET, path, value, "s.yaml")
    assert parse(once, "s.yaml").at(path).data()["quote"] == quote
    assert "\n" not in flow(value)
