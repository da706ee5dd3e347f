"""What is drawn in a test depends on its name alone, not on the tests before it or the modules they have loaded."""

from __future__ import annotations

import importlib
import random
import secrets
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.judge import grade

CONSTANT = "loaded"


@pytest.fixture(scope="module")
def shared() -> float:
    return random.random()


@pytest.fixture
def own(shared: float) -> float:
    return random.random()


def drawn() -> list[str]:
    examples: list[str] = []

    @given(st.text())
    def collect(text: str) -> None:
        examples.append(text)

    collect()
    return examples


def test_fixtures_and_tests_draw_the_same_in_every_run(pytestconfig: pytest.Config, shared: float, own: float) -> None:
    def first(name: str) -> float:
        return random.Random(f"{getattr(pytestconfig.option, 'randomly_seed', 1)} {name}").random()

    here = "test_fixtures_and_tests_draw_the_same_in_every_run"
    assert random.random() == first(f"test_draws.py {here}")
    assert (own, Path(__file__).name) == (first(f"{here} own"), "test_draws.py")
    assert shared in (first("test_draws.py shared"), first("tests/test_draws.py shared"))


def test_the_product_draws_from_the_same_numbers() -> None:
    random.seed(3)
    expected = random.getrandbits(48)
    random.seed(3)
    assert grade.secrets is secrets and grade.secrets.randbits(48) == expected


def test_examples_do_not_depend_on_modules_that_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = drawn()
    (tmp_path / "another_module.py").write_text("".join(f"A{n} = {CONSTANT + str(n)!r}\n" for n in range(500)))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("hypothesis.internal.conjecture.providers.is_local_module_file", lambda path: True)
    importlib.import_module("another_module")
    assert drawn() == before and not any(CONSTANT in text for text in before)
