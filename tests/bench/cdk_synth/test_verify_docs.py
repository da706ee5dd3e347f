"""docs/cdk-failure-modes.md: every class has its section, and every example ends in the class and words it shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from steelyard.bench.cdk_synth.classify import FailureClass
from steelyard.bench.cdk_synth.extract import extract
from steelyard.bench.cdk_synth.synthesizer.pool import Pool
from tests.waiting import HANG_S

DOCS = Path(__file__).parents[3] / "docs"
SECTIONS = dict(
    re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", (DOCS / "cdk-failure-modes.md").read_text("utf-8"), re.M | re.S)
)

CODE, SHOWN = re.compile(r"```python\n(.*?)```", re.S), re.compile(r"```text\n(.*?)\n```", re.S)
EXAMPLES = {
    klass: (CODE.findall(text)[0], SHOWN.findall(text)[0]) for klass, text in SECTIONS.items() if CODE.search(text)
}


def test_every_class_of_the_law_has_its_section() -> None:
    assert tuple(SECTIONS) == get_args(FailureClass)
    assert set(get_args(FailureClass)) - set(EXAMPLES) == {"no_response", "refusal", "no_code", "engine_error"}


@pytest.mark.parametrize("klass", EXAMPLES)
def test_an_example_is_what_the_page_says(pool: Pool, klass: str) -> None:
    code, shown = EXAMPLES[klass]
    # The limit is 60 s everywhere else; the endless loop is not worth a minute.
    result = pool.submit(code.encode(), 2.0 if klass == "timeout" else HANG_S).result()
    assert result.finding is not None
    assert (result.finding.klass, result.finding.message) == (klass, shown)


def test_the_answer_without_code_has_none() -> None:
    assert extract(SHOWN.findall(SECTIONS["no_code"])[0]) is None
