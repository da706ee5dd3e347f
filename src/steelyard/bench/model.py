"""The categories of SA Bench (docs/scoring.md §1.1) and the types a board is made of.

    overall = 0.34·practice_exam + 0.33·architecture_design + 0.33·cdk_synth

The weights must sum to exactly 1.0; importing this module checks it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True, slots=True)
class Category:
    """One row of the registry."""

    key: str
    name: str
    description: str
    dataset: str
    """Path below `bench/`."""
    sample_count: int
    """Items a full run scores; a test counts them from the dataset as loaded."""
    scoring: Literal["binary", "rubric"]
    scorers: tuple[str, ...]
    """Registered scorer names; the first is the default."""
    weight: float
    confidence: Literal["high", "medium", "low"]
    margin: float
    """Declared margin, as a share."""
    expected_variance: str
    """Expected variance between runs, as printed with every board."""

    @property
    def task(self) -> str:
        """The registered task name."""
        return f"steelyard/{self.key}"


CATEGORIES: Mapping[str, Category] = MappingProxyType(
    {
        category.key: category
        for category in (
            Category(
                "practice_exam",
                "Practice Exam",
                "Certification-style questions: choosing services, applying best practices, deciding between designs",
                "practice_exam/aws_sa.jsonl",
                50,
                "binary",
                ("choice",),
                0.34,
                "high",
                0.05,
                "±2–5%",
            ),
            Category(
                "architecture_design",
                "Architecture Design",
                "Reading diagrams and designing systems: services, data flows, security, scale and cost",
                "architecture_design/architecture_interpretation.jsonl",
                28,
                "rubric",
                ("architecture_scorer", "llm_judge_scorer"),
                0.33,
                "medium",
                0.10,
                "±5–10%",
            ),
            Category(
                "cdk_synth",
                "CDK Synthesis",
                "Writing AWS CDK apps in Python that really synthesize",
                "cdk_synth/cdk_synth.jsonl",
                40,
                "binary",
                ("cdk_verify_local", "cdk_verify"),
                0.33,
                "high",
                0.05,
                "±5%",
            ),
        )
    }
)
"""Key → category, in the order of the board."""

OVERALL_MARGIN = 0.05
"""Declared margin of the overall score, and the tolerance of a reproduction."""

# Decimal on the written digits: 0.34 + 0.33 + 0.33 must be 1, not 1 within a float's error.
if sum(Decimal(str(category.weight)) for category in CATEGORIES.values()) != 1:
    raise AssertionError("the category weights of SA Bench must sum to exactly 1.0")
