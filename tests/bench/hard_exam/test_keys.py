"""The shipped questions are what the simulations make, and the simulations hold on cases worked out by hand."""

from __future__ import annotations

import json
import sys
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from steelyard.bench.hard_exam.dataset import EXAM

FOLDER = Path(__file__).resolve().parents[3] / "datasets" / "hard_exam"
sys.path.insert(0, str(FOLDER))
import access  # noqa: E402
import network  # noqa: E402
import prices  # noqa: E402
import scenario  # noqa: E402
import write  # noqa: E402

ROWS = write.rows()


def test_the_shipped_file_is_what_the_simulations_make() -> None:
    shipped = [json.loads(line) for line in EXAM.text().splitlines()]
    assert shipped == ROWS, "run: python datasets/hard_exam/write.py"


def test_excluded_scenarios_leave_their_numbers_unused() -> None:
    numbers = [int(str(row["id"]).removeprefix("hx-")) for row in ROWS]
    count = sum(len(scenario.SCENARIOS[module.__name__]) for module in write.MODULES)
    assert not write.EXCLUDED & set(numbers)
    assert sorted({*numbers, *write.EXCLUDED}) == list(range(write.FIRST, write.FIRST + count))


def test_tiers_are_priced_one_after_the_other() -> None:
    # 100 free, 10,140 at 0.09, 500 at 0.085: 912.60 + 42.50
    tiers = [(100, 0.0), (10_140, 0.09), (40_960, 0.085)]
    assert prices.tiered(10_740, tiers) == pytest.approx(955.10)
    assert prices.tiered(60, tiers) == 0


@pytest.mark.parametrize(
    ("operator", "values", "context", "matches"),
    [
        ("StringEquals", ["a"], {}, False),
        ("StringEqualsIfExists", ["a"], {}, True),
        ("StringNotEquals", ["a"], {}, True),
        ("StringNotEqualsIfExists", ["a"], {"k": "a"}, False),
        ("Bool", ["false"], {}, False),
        ("BoolIfExists", ["false"], {}, True),
        ("BoolIfExists", ["false"], {"k": "true"}, False),
        ("Null", ["true"], {}, True),
        ("Null", ["false"], {}, False),
        ("ForAllValues:StringEquals", ["a"], {}, True),
        ("ForAllValues:StringEquals", ["a"], {"k": ["a", "b"]}, False),
        ("ForAnyValue:StringEquals", ["a"], {}, False),
        ("ForAnyValue:StringEquals", ["a"], {"k": ["a", "b"]}, True),
    ],
)
def test_condition_operators_and_absent_keys(
    operator: str, values: list[str], context: dict[str, object], matches: bool
) -> None:
    assert access._condition((operator, "k", values), context) is matches


def test_a_request_needs_every_layer_and_no_deny() -> None:
    allowed, why = access.allowed(access.LAKE, "kms:GenerateDataKey", "key-1", {"aws:RequestedRegion": "us-east-1"})
    assert (allowed, why) == (False, "Statement 2 denies it.")
    assert access.allowed(access.LAKE, "dynamodb:Scan", "runs", {"aws:RequestedRegion": "eu-west-1"}) == (
        False,
        "No statement of the boundary allows it.",
    )
    assert access.allowed(access.LAKE, "kms:Decrypt", "key-1", {"aws:RequestedRegion": "us-east-1"})[0]


def test_routes_are_nested_and_every_claim_can_be_slipped() -> None:
    made = network.routes((11, 16, "an inspection VPC"))
    prefixes = [line.split(" -> ")[0] for line in made.text.splitlines() if " -> " in line]
    assert len(prefixes) >= 20
    assert all(IPv4Network(prefix).subnet_of(IPv4Network("10.0.0.0/8")) for prefix in prefixes)
    assert all(value != claim.right for claim in made.claims for value, _ in claim.slips)
