"""The shipped tasks are what the script computes, their diagrams show the same data, and bad rows are refused."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from steelyard.bench.architecture_design.dataset import load as official
from steelyard.bench.hard_architecture import CATEGORY
from steelyard.bench.hard_architecture.dataset import ITEMS as FILE
from steelyard.bench.hard_architecture.dataset import PACKAGE, diagram_png, diagram_text, load, parse
from steelyard.bench.hard_architecture.embedded import guess, items, reference, reference_answer
from steelyard.bench.hard_architecture.model import CANARY
from steelyard.bench.hard_architecture.task import prompt, sample
from steelyard.bench.jsonl import read_text
from steelyard.errors import InputError

DATASETS = Path(__file__).resolve().parents[3] / "datasets"
sys.path[:0] = [str(DATASETS / "hard_architecture"), str(DATASETS / "architecture_diagrams")]
import draw  # noqa: E402  # pyright: ignore[reportMissingImports]
import source  # noqa: E402  # pyright: ignore[reportMissingImports]

ITEMS = load()


@pytest.fixture(scope="module")
def made() -> list[tuple[dict[str, Any], Any]]:
    # `write` is also the name of the exam's script, so it is loaded by its path
    import importlib.util

    spec = importlib.util.spec_from_file_location(
        "hard_architecture_write", DATASETS / "hard_architecture" / "write.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.tasks()


def test_the_shipped_tasks_are_what_the_script_computes(made: list[tuple[dict[str, Any], Any]]) -> None:
    shipped = [json.loads(line) for line in read_text(PACKAGE, FILE).splitlines()]
    assert shipped == [row for row, _ in made], "run: python datasets/hard_architecture/write.py"


def test_sources_of_the_diagrams_are_what_the_script_computes(made: list[tuple[dict[str, Any], Any]]) -> None:
    for _, diagram in made:
        path = DATASETS / "architecture_diagrams" / "hard" / f"{diagram.name}.yaml"
        assert yaml.safe_load(path.read_bytes()) == diagram.as_source()
    assert sorted(diagram.name for _, diagram in made) == source.names(source.HARD)


def test_pictures_and_texts_were_made_from_these_sources() -> None:
    for name in source.names(source.HARD):
        architecture = source.read(name, source.HARD)
        assert diagram_text(name) == source.text(architecture)
        png = diagram_png(name)
        assert architecture.sha256.encode() in png, "run: python datasets/architecture_diagrams/draw.py"
        assert draw.KEYWORD in png and len(png) < 300_000


def test_fifteen_tasks_of_five_kinds() -> None:
    assert len(ITEMS) == CATEGORY.sample_count == 15
    kinds = {"capacity": 6, "resilience": 5, "security": 2, "network": 1, "cost": 1}
    assert Counter(item.metadata.subtype for item in ITEMS) == kinds
    assert all(item.metadata.canary == CANARY for item in ITEMS)
    assert official()[0].metadata.canary != CANARY
    texts = [item.input for item in ITEMS]
    assert not [(a, b) for a in texts for b in texts if a is not b and a in b]


def test_no_set_of_statements_is_right_often() -> None:
    counts = Counter(
        tuple(item.values["contradicted"]) for item in ITEMS if isinstance(item.values["contradicted"], list)
    )
    assert counts.total() == 15 and max(counts.values()) <= 2


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_samples_hold_the_question_but_not_the_values(item: Any) -> None:
    shown, picture = sample(item, "text"), sample(item, "image")
    assert all(fact.name in str(shown.input) for fact in item.facts)
    assert "value" not in (shown.metadata or {}) and "facts" not in (shown.metadata or {})
    assert not shown.target and not picture.target
    content = picture.input[0].content  # type: ignore[union-attr]
    assert content[1].image.startswith("data:image/png;base64,")  # type: ignore[union-attr]
    assert "Connections:" not in content[0].text and "Connections:" in prompt(item, "text")  # type: ignore[union-attr]


def test_embedded_answers_only_to_their_own_prompts() -> None:
    import random

    item = ITEMS[3]
    assert reference(prompt(item, "text")) == reference_answer(item)
    assert reference("Which?") is None and guess("Which?", random.Random(1)) is None
    assert json.loads((guess(item.input, random.Random(1)) or "").strip("`").removeprefix("json"))
    assert set(items()) == {task.id for task in ITEMS}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("id", "ad-001", "id"),
        ("metadata.canary", "other", "metadata.canary"),
        ("metadata.facts.0.value", ["D99"], "does not fit a set"),
        ("metadata.facts.0.kind", "number", "does not fit a number"),
        ("metadata.facts.1.name", "contradicted", "names must be unique"),
        ("metadata.near_misses.0.changes", {"nowhere": 1}, "nowhere is not a wrong fact"),
        ("metadata.extra", 1, "extra"),
    ],
)
def test_a_bad_row_is_refused(path: str, value: Any, message: str) -> None:
    row = json.loads(ITEMS[0].model_dump_json())
    place: Any = row
    *parents, last = path.split(".")
    for name in parents:
        place = place[int(name)] if name.isdigit() else place[name]
    place[last] = value
    with pytest.raises(InputError, match=rf"dataset.jsonl:1: .*{re.escape(message)}"):
        parse(json.dumps(row))
