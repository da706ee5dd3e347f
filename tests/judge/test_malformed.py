"""A reply that is no verdict is worth nothing, however good the text is."""

from __future__ import annotations

import anyio
import pytest

from steelyard.judge import Rubric, question
from steelyard.judge.case import case, case_rubric
from steelyard.judge.grade import Judgement, grade, mean_verdict
from steelyard.judge.panel import Panel, by_protocol

from .malformed import MALFORMED


@pytest.mark.parametrize("judge", MALFORMED)
@pytest.mark.parametrize("protocol", ["single", "quoted"])
def test_a_malformed_reply_never_earns_anything(judge: str, protocol: str, criteria: Rubric) -> None:
    for rubric in (case_rubric(), criteria):
        panel = Panel(by_protocol([f"stub/{judge}"], protocol), cache=False)
        found = anyio.run(grade, question(rubric, task=case().task, text=case().good), panel)
        assert isinstance(found, Judgement) and mean_verdict(found).score == 0.0
        assert found.calls[0].lost and found.calls[0].unusable
