"""The self test finds what does not hold, and names it."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.bench import manifest, selftest
from steelyard.bench.model import CATEGORIES

EXAM, DESIGN, CDK = CATEGORIES["practice_exam"], CATEGORIES["architecture_design"], CATEGORIES["cdk_synth"]


def nobody(what: str, done: int, total: int) -> None:
    pass


def test_the_exam_passes_its_self_test() -> None:
    checked = selftest.selftest(["practice_exam"], nobody)
    assert checked.findings == ()
    assert "50 references mean 1.000" in checked.figures[0]


def test_a_reference_that_fails_is_named() -> None:
    scores = {f"i{n}": 1.0 for n in range(40)} | {"i7": 0.0}
    [finding] = selftest.references(CDK, scores)
    assert finding.what == "i7" and "0.000" in finding.why


def test_rubric_references_need_085() -> None:
    scores = {f"i{n}": 0.85 for n in range(28)} | {"i3": 0.8499}
    assert [finding.what for finding in selftest.references(DESIGN, scores)] == ["i3"]


def test_missing_scores_are_reported() -> None:
    assert "10 of 50 have no score" in selftest.references(EXAM, {f"i{n}": 1.0 for n in range(40)})[0].why


@pytest.mark.parametrize(
    ("category", "scores", "named"),
    [
        (CDK, {"a": 0.0, "b": 1.0}, ["b"]),
        (CDK, {"a": 0.0}, []),
        (DESIGN, {"a": 0.1, "b": 0.3}, []),
        (DESIGN, {"a": 0.2, "b": 0.4}, ["floor"]),
        (EXAM, {"a": 1.0, "b": 0.0}, ["floor"]),
    ],
)
def test_floor_answers_must_fail(category: Any, scores: dict[str, float], named: list[str]) -> None:
    assert [finding.what for finding in selftest.floors(category, scores)] == named


def test_changed_missing_and_new_files_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    known = manifest.current("practice_exam")
    name = "practice_exam/aws_sa.jsonl"
    assert name in known
    changes = {**known, name: "0" * 64, "practice_exam/gone.jsonl": "0" * 64}
    monkeypatch.setattr(manifest, "recorded", lambda: changes)
    lines = manifest.changed("practice_exam")
    assert f"{name} has changed" in lines and "practice_exam/gone.jsonl is missing" in lines
    monkeypatch.setattr(manifest, "recorded", dict)
    assert f"{name} is not in the manifest" in manifest.changed("practice_exam")


def test_a_category_that_does_not_load_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    from steelyard.errors import InputError

    def broken(**_: object) -> None:
        raise InputError("line 3 of aws_sa.jsonl is no question")

    monkeypatch.setattr("steelyard.bench.practice_exam.task.practice_exam", broken)
    findings = selftest.selftest(["practice_exam"], nobody).findings
    assert any("line 3" in finding.why for finding in findings)


def test_the_registry_counts_what_loads() -> None:
    from steelyard.bench.run import make_task
    from steelyard.bench.run.plan import RunSpec

    for key, category in CATEGORIES.items():
        assert len(make_task(key, RunSpec(models=("steelyard/floor",))).dataset) == category.sample_count
