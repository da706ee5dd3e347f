"""What is made of a report that tests wrote in the sandbox, where they can write anything."""

from __future__ import annotations

import base64
import importlib.util
import json
import zlib
from types import SimpleNamespace
from typing import Any

import pytest

from steelyard.proof.suite import REPORTERS, TestRun, reported
from steelyard.sandbox.jail import WORK, Jail

GOOD: dict[str, Any] = {"outcomes": {"t.py::a": "passed"}, "errors": {}, "places": {}, "cpu_s": 0.5}


def packed(data: Any) -> str:
    return base64.b64encode(zlib.compress(json.dumps(data).encode())).decode()


LINES = packed({"tests": ["t.py::a"], "covered": {"a.py": {"3": [0]}}})


def told(monkeypatch: pytest.MonkeyPatch, text: str) -> TestRun:
    """The run whose sandbox gives this report, and `E no` beside it."""
    done = SimpleNamespace(returncode=0, timed_out=False, stdout=text, stderr="E no\n", seconds=1.0)
    monkeypatch.setattr("steelyard.proof.suite.run", lambda *_, **__: done)
    return reported(Jail(), ["true"], {}, 60)


def test_a_report_has_outcomes_lines_and_places_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    places = {"t.py::a": [f"{WORK}/t.py", 7], "u::b": ["/usr/u.py", 1]}
    found = told(monkeypatch, json.dumps({**GOOD, "places": places, "lines": LINES}))
    assert (found.problem, found.cpu_s, found.ended("passed")) == ("", 0.5, {"t.py::a"})
    assert (found.covered, found.places) == ({"a.py": {3: {"t.py::a"}}}, {"t.py::a": ("t.py", 7)})


@pytest.mark.parametrize(
    "report",
    [
        [],
        {**GOOD, "places": []},
        {**GOOD, "places": {"t.py::a": ["t.py"]}},
        {**GOOD, "outcomes": ["x"]},
        {**GOOD, "outcomes": {"t.py::a": "rerun"}},
        {**GOOD, "errors": {"t.py": 1}},
        {**GOOD, "cpu_s": float("nan")},
        {**GOOD, "lines": 3},
        {**GOOD, "lines": packed([])},
        {**GOOD, "lines": packed({"tests": [], "covered": {"a.py": {"3": [0]}}})},
        {**GOOD, "lines": packed({"tests": ["a"], "covered": {"a.py": {"3": [-1]}}})},
        {**GOOD, "lines": LINES[:-8]},
    ],
)
def test_a_report_of_another_form_is_none(monkeypatch: pytest.MonkeyPatch, report: Any) -> None:
    found = told(monkeypatch, json.dumps(report))
    assert (found.problem, found.outcomes, found.covered) == ("E no", {}, {})


def test_lines_that_unpack_to_more_than_a_report_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = packed({"tests": ["a"] * 1000, "covered": {}})
    assert told(monkeypatch, json.dumps({**GOOD, "lines": lines})).problem == ""
    monkeypatch.setattr("steelyard.proof.suite._OUTPUT_LIMIT", 1000)
    assert told(monkeypatch, json.dumps({**GOOD, "lines": lines})).problem == "E no"


def test_a_report_nested_without_end_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, "[" * 200_000).problem == "E no"


def test_attempts_that_are_run_again_do_not_count() -> None:
    spec = importlib.util.spec_from_file_location("proof_plugin", REPORTERS / "steelyard_proof.py")
    assert spec is not None and spec.loader is not None
    plugin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plugin)
    # As pytest-rerunfailures reports: setup and call of each attempt, all but the last call with an outcome of its own.
    for test, ends in {"a": ("rerun", "passed"), "b": ("rerun", "rerun", "failed")}.items():
        for end in ends:
            for outcome in ("passed", end):
                plugin.pytest_runtest_logreport(SimpleNamespace(nodeid=test, outcome=outcome))
    assert plugin.outcomes == {"a": "passed", "b": "failed"}
