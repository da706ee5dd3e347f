"""A category is one thing: its folder says everything, and everybody asks it."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal

import pytest

from steelyard.bench import manifest
from steelyard.bench.category import Category
from steelyard.bench.model import CATEGORIES


@pytest.mark.parametrize("category", CATEGORIES.values(), ids=list(CATEGORIES))
def test_a_folder_holds_what_its_category_promises(category: Category) -> None:
    assert (manifest.folder() / category.dataset).is_file()
    assert category.make_task().__name__ == category.key
    assert callable(category.embedded().reference) and callable(category.embedded().guess)
    assert (category.preflight() is not None) == category.needs_tools
    assert category.scorers and category.choice(category.scorers[0]) is not None


def test_the_weights_sum_to_one() -> None:
    assert sum(Decimal(str(category.weight)) for category in CATEGORIES.values()) == 1


def test_a_scorer_is_found_under_both_of_its_names() -> None:
    design = CATEGORIES["architecture_design"]
    assert design.choice("judge") == design.choice("llm_judge_scorer") and design.judge_scorer == "llm_judge_scorer"
    assert design.choice("cdk_verify") is None and design.choice(None) is None


def test_listing_the_categories_imports_no_inspect() -> None:
    program = "import sys, steelyard.bench.model; sys.exit('inspect_ai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
