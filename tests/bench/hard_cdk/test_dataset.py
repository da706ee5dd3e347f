"""The forty hard tasks: complete, distinct, documented, and closed to a reader of the logs."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from steelyard.bench.cdk_synth.extract import extract
from steelyard.bench.hard_cdk import CATEGORY, embedded
from steelyard.bench.hard_cdk.dataset import CANARY, load, near_misses, original, reference
from steelyard.bench.hard_cdk.model import HardItem
from steelyard.bench.hard_cdk.task import hard_cdk
from steelyard.bench.jsonl import DatasetError, parse_rows

KINDS = ("wiring", "privilege", "repair", "migration", "limits")
DOCS = Path(__file__).parents[3] / "docs"


def test_forty_tasks_eight_of_each_kind() -> None:
    items = load()
    assert [item.id for item in items] == [f"hcdk-{number:03}" for number in range(1, 41)]
    assert Counter(item.metadata.kind for item in items) == dict.fromkeys(KINDS, 8)
    assert CATEGORY.sample_count == len(items)
    assert all(item.metadata.canary == CANARY for item in items)


def test_prompts_are_distinct_and_ask_for_one_file() -> None:
    prompts = [item.input for item in load()]
    words = [set(re.findall(r"\w+", prompt.lower())) for prompt in prompts]
    assert max(len(a & b) / len(a | b) for i, a in enumerate(words) for b in words[:i]) < 0.6
    for item in load():
        assert CANARY not in item.input and item.input.endswith("Give the whole file in one Python code block.")
        assert f"`cdk deploy {' '.join(item.metadata.stacks)}`" in item.input
        assert all(name in item.input for name in item.metadata.stacks)


def test_only_prompts_with_an_app_to_change_contain_code() -> None:
    for item in load():
        source = original(item)
        assert (source is not None) == ("```python" in item.input) == (item.metadata.kind in ("repair", "migration"))
        if source is not None:
            compile(source, item.id, "exec")
            assert source != reference(item.id)


def test_every_task_has_two_near_misses_of_different_assertions() -> None:
    broken = Counter((miss.item, miss.breaks) for miss in near_misses())
    per_item = Counter(item for item, _ in broken)
    assert all(per_item[item.id] >= 2 for item in load())


def test_every_binding_is_used() -> None:
    for item in load():
        text = json.dumps(item.model_dump(mode="json")["metadata"])
        unused = [name for name in item.metadata.bind if f"${{{name}." not in text]
        assert unused == [], item.id


def test_a_log_gives_nothing_away() -> None:
    for sample in hard_cdk().dataset:
        assert not {"assertions", "bind", "trap"} & set(sample.metadata or {})
        assert sample.target == ""


def test_the_ceiling_gives_the_reference_and_the_floor_something_else() -> None:
    for item in load():
        answer = embedded.reference(f"Please.\n\n{item.input}\n")
        assert answer is not None and extract(answer) == reference(item.id)
        guess = embedded.guess(item.input, random.Random(1))
        assert guess is not None and reference(item.id) not in guess
    assert embedded.reference("Write a poem.") is None and embedded.guess("Write a poem.", random.Random(1)) is None
    assert embedded.items().keys() == {item.id for item in load()}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"assertions": [{"id": "a", "message": "something", "wish": 1}] * 2}, "metadata.assertions"),
        ({"assertions": [{"id": "a", "message": "something", "order": ["A"]}] * 2}, "duplicate assertion: a"),
        ({"assertions": [{"id": i, "message": "something", "order": []} for i in "ab"]}, "metadata.assertions"),
        ({"kind": "poetry"}, "metadata.kind"),
        ({"canary": "none"}, "metadata.canary"),
    ],
)
def test_damaged_rows_name_the_field(change: dict[str, object], message: str) -> None:
    row = json.loads(load()[0].model_dump_json())
    row["metadata"] |= change
    with pytest.raises(DatasetError, match=rf"x:1: hcdk-001: .*{re.escape(message)}"):
        parse_rows("x", json.dumps(row), HardItem)


def test_the_documented_table_is_the_data() -> None:
    table = (DOCS / "datasets/hard_cdk.md").read_text().split("<!-- items -->\n")[1].split("<!-- /items -->")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    misses = Counter(miss.item for miss in near_misses())
    expected = [
        [
            item.id,
            item.metadata.kind,
            item.metadata.title,
            ", ".join(item.metadata.aws_services),
            str(len(item.metadata.assertions)),
            str(misses[item.id]),
        ]
        for item in load()
    ]
    assert [row[:6] for row in rows[2:-1]] == expected
    assert {row[6] for row in rows[2:-1]} <= {"1 of 1", "0 of 1", "not tried"}
