"""Whether the runs found the same problems (docs/scoring.md §2.2)."""

from __future__ import annotations

from typing import Literal

import pytest

from steelyard.audit.agreement import agreement, pooled_agreement
from steelyard.audit.model import Claim, Key, Marker, Marks, Result, RunResult
from steelyard.audit.report import to_html, to_json, to_markdown
from steelyard.audit.score import weighed
from steelyard.audit.weigh import Spec, weigh

from .material import output, problems

SIGNS: dict[str, Literal["detected", "partial"]] = {"o": "detected", "-": "partial"}


def marks(signs: str) -> Marks:
    """Marks such as `ox-`: the first problem detected, the second missed, the third partial."""
    return Marks(
        tuple(Claim(f"P{n:02d}", n, SIGNS[sign]) for n, sign in enumerate(signs, start=1) if sign in SIGNS),
        binding=True,
    )


def run(signs: str) -> RunResult:
    return weighed(problems(len(signs)), output(len(signs)), marks(signs))


def result(*runs: str) -> Result:
    size = len(runs[0])
    outputs = [output(size, f"run {number}") for number, _ in enumerate(runs, start=1)]
    return weigh(
        Spec("agent", 1, Key(problems(size))), outputs, [marks(signs) for signs in runs], Marker("marks", "me")
    )


@pytest.mark.parametrize(
    ("runs", "share", "kappa"),
    [
        (("ooxx", "ooxx"), 1.0, 1.0),
        # Disjoint halves: nothing alike, chance 1/2, so (0 − 1/2) / (1 − 1/2).
        (("ooxx", "xxoo"), 0.0, -1.0),
        # Three of four alike. Marginals: detected 1/2 and 3/4, missed 1/2 and 1/4, so chance is 3/8 + 1/8 = 1/2.
        (("ooxx", "ooox"), 0.75, 0.5),
        # Three runs: P01 and P04 alike in all. Pairs: κ 1/2 (above), κ 1/2, and for ooox against oxxx chance is
        # 3/4 · 1/4 + 1/4 · 3/4 = 3/8, observed 1/2: (1/8) / (5/8) = 1/5.
        (("ooxx", "ooox", "oxxx"), 0.5, (0.5 + 0.2 + 0.5) / 3),
        # One mark for everything says nothing beyond chance.
        (("oooo", "oooo"), 1.0, None),
    ],
)
def test_share_and_kappa(runs: tuple[str, ...], share: float, kappa: float | None) -> None:
    found = agreement([run(signs) for signs in runs])
    assert found is not None
    assert found.share == share
    assert found.kappa == (None if kappa is None else pytest.approx(kappa))


def test_one_run_or_nothing_planted_has_no_agreement() -> None:
    assert agreement([run("ox")]) is None
    assert agreement([run(""), run("")]) is None


def test_a_suite_pools_the_problems_of_documents_with_several_runs() -> None:
    found = pooled_agreement([[run("oo"), run("oo")], [run("oxo"), run("xox")], [run("oooo")]])
    assert found is not None
    assert (found.share, found.problems) == (2 / 5, 5)


def test_stable_totals_with_different_findings_are_said_in_one_line() -> None:
    disjoint = result("ooxx", "xxoo")
    assert disjoint.stability == "high"
    assert [line for line in disjoint.warnings if "different findings" in line and "0%" in line]
    # The bound itself is not below it: 7 of 10.
    assert not [line for line in result("ooooooooxx", "oooooooxox").warnings if "different findings" in line]
    # A low stability needs no such line.
    assert not [line for line in result("oooo", "xxxx").warnings if "different findings" in line]


@pytest.mark.parametrize("render", [to_html, to_markdown, to_json])
def test_every_format_but_the_block_shows_agreement(render: object) -> None:
    assert callable(render)
    text = render(result("ooxx", "ooox"), "2026-01-01T00:00:00+00:00")
    assert "agreement" in text.lower()
    assert "75%" in text or '"share": 0.75' in text
