"""The gate run that says whether a pruned configuration is no worse, and what counts as that (§3.7)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.gate.blame.prune import confirmation, no_worse
from steelyard.gate.evidence.policy import AUTO, CONTRACT, Policy
from steelyard.gate.model import Comparison, Thresholds
from tests.gate.blame.world import run_spec

SAFE = Policy("adaptive", question="safe")
SHOWN = Comparison("neutral", 0.0, (), (), (), (), Thresholds(), policy=SAFE, contract="neutral")


@pytest.mark.parametrize("verdict", ["neutral", "improved"])
def test_what_evidence_shows_to_be_no_worse_is_enough_after_a_blame(verdict: Any) -> None:
    assert no_worse(replace(SHOWN, verdict=verdict))


@pytest.mark.parametrize(
    "doubt",
    [
        {"verdict": "undecided"},
        {"verdict": "mixed"},
        {"contract": None},  # the contract rule decided: neutral there only means that nothing was seen
        {"policy": Policy("adaptive", question="better")},
        {"ambiguities": ("a run is missing",)},
        {"exploratory": ("the margin differs",)},
    ],
)
def test_anything_less_is_not(doubt: dict[str, Any]) -> None:
    assert not no_worse(replace(SHOWN, **doubt))


@pytest.mark.parametrize(("asked", "used"), [(AUTO, "adaptive"), (SAFE, "adaptive"), (CONTRACT, "contract")])
def test_the_whole_configuration_is_the_baseline_and_the_question_is_safe(
    tmp_path: Path, asked: Policy, used: str
) -> None:
    run = confirmation(run_spec(tmp_path, policy=asked), {"origin": {"candidate": "whole"}}, tmp_path / "pruned")
    assert (run.baseline, run.candidate, run.parts) == ("whole", str(tmp_path / "pruned"), None)
    assert (run.policy.name, run.policy.question) == (used, "safe")
