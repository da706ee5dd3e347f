"""Results of SkillCI are compared as they are."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard import api
from steelyard.errors import InputError
from steelyard.gate.model import Comparison, NoVerdict

Write = Callable[..., Path]


def score(task: str, passed: int, composite: float | None, **more: Any) -> dict[str, Any]:
    """A score with two checks, of which the first `passed` ones passed."""
    checks = [{"kind": "command", "cmd": "npm test"}, {"kind": "fileExists", "path": "a.ts"}]
    details = [{"check": check, "passed": place < passed} for place, check in enumerate(checks)]
    cost = {"tokens": 1200, "toolCalls": 5, "steps": 4, "wallClockMs": 8000, "costUsd": 0.02}
    objective = {"passed": passed, "total": 2, "details": details}
    return {"taskId": task, "objective": objective, "cost": cost, "composite": composite, **more}


def outcome(label: str, *scores: dict[str, Any]) -> dict[str, Any]:
    return {"configLabel": label, "scores": list(scores)}


BEFORE = outcome("baseline", score("one", 1, 0.5), score("two", 2, 1.0, judge={"score0to1": 0.8, "rationale": "fine"}))
AFTER = outcome("candidate", score("one", 2, 1.0), score("two", 2, 1.0, judge={"score0to1": 0.9, "rationale": "fine"}))


def compared(write: Write, before: Any, after: Any = None) -> Comparison:
    files = [write(f"{place}.json", json.dumps(data)) for place, data in enumerate((before, after)) if data]
    result = api.compare([files[0]], [files[1]] if len(files) == 2 else None).outcome
    assert isinstance(result, Comparison)
    return result


def test_one_file_per_side(write: Write) -> None:
    comparison = compared(write, BEFORE, AFTER)
    assert (comparison.verdict, comparison.net_gain) == ("improved", 0.5)
    one, two = comparison.tasks
    assert [flip.check for flip in one.flips] == ["fileExists a.ts"]
    assert one.baseline.cost.tool_calls == 5 and two.candidate is not None and two.candidate.judge == 0.9


def test_a_whole_evaluation_is_one_file(write: Write) -> None:
    evaluation = {"comparison": {"verdict": "improved", "perTaskDeltas": []}, "reportMarkdown": "# Report"}
    sides = {
        "baselineOutcome": AFTER | {"configLabel": "baseline"},
        "candidateOutcome": BEFORE | {"configLabel": "candidate"},
    }
    assert compared(write, evaluation | sides).verdict == "regressed"
    file = write("both.json", json.dumps(evaluation | sides))
    assert not any("same file" in warning for warning in api.compare([file]).warnings)


def test_a_composite_that_was_not_finite_is_a_regression(write: Write) -> None:
    comparison = compared(write, BEFORE, outcome("candidate", score("one", 2, None), score("two", 2, 1.0)))
    assert [regression.kind for regression in comparison.regressions] == ["non_finite"]


def test_telemetry_that_is_not_finite_is_no_verdict(write: Write) -> None:
    """§3.1: a fault of the harness, as in a plain results file; it was a regression."""
    cost = {"tokens": float("inf"), "toolCalls": 5, "steps": 4, "wallClockMs": 8000, "costUsd": 0.02}
    after = outcome("candidate", score("one", 2, 1.0, cost=cost), score("two", 2, 1.0))
    files = [write(name, json.dumps(data)) for name, data in (("a.json", BEFORE), ("b.json", after))]
    found = api.compare([files[0]], [files[1]]).outcome
    assert isinstance(found, NoVerdict) and "one (round 1) is unscored because of the harness" in found.reasons[0]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"configLabel": "other", "scores": []}, "`configLabel` must be baseline or candidate"),
        ({"configLabel": "baseline", "scores": {}}, "`scores` must be a list"),
        (outcome("baseline", score("one", 1, 1.5)), "outside"),
        (outcome("baseline", score("one", 1, 0.5), score("one", 1, 0.5)), "'one' has two scores"),
        (outcome("baseline", score("one", 2, 1.0) | {"objective": {"passed": 3, "total": 2}}), "passed 3 > total 2"),
        (
            outcome("baseline", score("one", 1, 1.0, objective={"passed": 2, "total": 2, "details": [{}, {}]})),
            "its details contradict 2 of 2 checks passed",
        ),
        ({"promotable": True, "tasks": [], "schemaVersion": 1}, "is a report of SkillCI, which holds differences only"),
        ({"configLabel": "baseline", "scores": [1]}, "expected an object"),
        ({"baselineOutcome": BEFORE, "candidateOutcome": None}, "candidateOutcome: expected an object"),
        ({"baselineOutcome": AFTER, "candidateOutcome": BEFORE}, "contradicts the side it is on"),
    ],
)
def test_what_cannot_be_used_is_named(write: Write, data: dict[str, Any], said: str) -> None:
    file = write("a.json", json.dumps(data))
    with pytest.raises(InputError, match=said):
        api.compare([file], None if "baselineOutcome" in data else [write("b.json", json.dumps(AFTER))])
