"""Decoys of one document may come from the keys of the user's other documents."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from inspect_ai.scorer import Target

from steelyard.audit.files import other_keys
from steelyard.audit.marking.questions import Brief
from steelyard.audit.scorer import audit_scorer
from steelyard.outcome import Unscored


def units(folder: Path) -> dict[str, dict[str, str | None]]:
    examples = resources.files("steelyard").joinpath("examples", "audit")
    places = {"refunds": ("agent-review", "refunds"), "portal": ("security-review", "portal")}
    for name, place in places.items():
        (folder / f"{name}.md").write_text(examples.joinpath(*place, "key.md").read_text("utf-8"), "utf-8")
    return {
        **{name: {"key": str(folder / f"{name}.md"), "document": None} for name in places},
        "clean": {"key": None, "document": None},
        "gone": {"key": str(folder / "gone.md"), "document": None},
    }


def test_keys_that_cannot_be_read_and_clean_documents_are_left_out(tmp_path: Path) -> None:
    every = units(tmp_path)
    assert [len(other_keys(every, name)) for name in every] == [1, 1, 2, 2]
    (portal,) = other_keys(every, "refunds")
    assert portal.problems and portal != other_keys(every, "portal")[0]


def test_the_scorer_hands_them_to_the_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    briefs: list[Brief] = []

    async def marked(brief: Brief, output: Any, way: Any) -> Unscored:
        briefs.append(brief)
        return Unscored("judge", "not today")

    monkeypatch.setattr("steelyard.audit.scorer.marks_of_run", marked)
    scorer = audit_scorer(units(tmp_path), marking="judge", judges=["scripted/silent"])
    state: Any = SimpleNamespace(sample_id="refunds", epoch=1, output=SimpleNamespace(completion="- A finding."))
    anyio.run(scorer, state, Target(""))
    assert briefs[0].others == other_keys(units(tmp_path), "refunds") != ()
