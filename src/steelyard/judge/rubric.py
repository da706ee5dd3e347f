"""Rubrics: YAML files with the criteria or dimensions a judge grades by.

A rubric has a `name`, an `about`, and either `criteria` (yes or no, each answered with quoted evidence) or
`dimensions` (a number in [0, 1] on five bands). Either all items have a weight or none has; weights are positive
and add up to exactly 1 (decimal arithmetic, within 1e-9); without weights, all items count the same. Ids are unique.
Score = Σ weight · value. Anything else in the file is an error that names its line.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator
from pydantic_core import PydanticCustomError

from steelyard.artifact import read_text
from steelyard.errors import InputError
from steelyard.judge.text import fold
from steelyard.yamlfile import Strict, parse

SHIPPED = Path(str(resources.files("steelyard.judge")))
"""The judge's own prompts, rubrics and cases."""


def _readable(text: str) -> str:
    """Refuse text that looks empty to a person and to a judge."""
    if not fold(text):
        raise ValueError("must hold something to read, not only invisible characters")
    return text


Text: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_readable)]
Id: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
# A decimal as it is written: ten times 0.1 is not 1 in floating point.
Weight: TypeAlias = Annotated[Decimal, Field(gt=0, le=1, allow_inf_nan=False)]


BandName: TypeAlias = Literal["0-29", "30-49", "50-69", "70-89", "90-100"]
BANDS: Mapping[BandName, float] = {"0-29": 0.0, "30-49": 0.3, "50-69": 0.5, "70-89": 0.7, "90-100": 0.9}
"""From worst to best, in percent as a judge reads them, each with the lowest score inside (docs/scoring.md §1.4)."""


def band(score: float) -> int:
    """The index of the band a score in [0, 1] falls into, 0 to 4, on the value rounded to 6 decimals."""
    return sum(round(score, 6) >= low for low in BANDS.values()) - 1


class Criterion(Strict):
    """One yes-or-no question."""

    id: Id
    question: Text
    """Answered by `met: true` or `met: false`."""
    weight: Weight | None = None
    bands: ClassVar[None] = None

    @property
    def about(self) -> str:
        """The question."""
        return self.question


class Dimension(Strict):
    """One number in [0, 1]."""

    id: Id
    about: Text
    weight: Weight | None = None
    bands: Mapping[BandName, Text] | None = None
    """What each of the five bands means here; all five or none."""

    @model_validator(mode="after")
    def _all_bands(self) -> Dimension:
        if missing := [name for name in BANDS if self.bands is not None and name not in self.bands]:
            raise ValueError(f"bands lacks {', '.join(missing)}")
        return self


Item = TypeVar("Item", Criterion, Dimension)


class Rubric(Strict):
    """The criteria or dimensions a judge grades by."""

    name: Text
    about: Text
    """What is graded, in a sentence or two."""
    criteria: tuple[Criterion, ...] = ()
    dimensions: tuple[Dimension, ...] = ()

    @field_validator("criteria", "dimensions")
    @classmethod
    def _consistent(cls, items: tuple[Item, ...]) -> tuple[Item, ...]:
        if not items:
            raise ValueError("must not be empty")
        ids = [item.id for item in items]
        for index, item_id in enumerate(ids):
            if item_id in ids[:index]:
                # `at` leads to the line of the id; pydantic knows only that of the list.
                raise PydanticCustomError("twice", "duplicate id '{id}'", {"id": item_id, "at": (index, "id")})
        weights = [item.weight for item in items if item.weight is not None]
        if weights and len(weights) != len(items):
            raise ValueError("give every item a weight, or none")
        if weights and abs((total := sum(weights, Decimal(0))) - 1) > Decimal("1e-9"):
            raise ValueError(f"the weights add up to {total}, not 1")
        return items

    @model_validator(mode="after")
    def _one_kind(self) -> Rubric:
        if self.criteria and self.dimensions:
            message = "a rubric has either criteria or dimensions, and not both"
            raise PydanticCustomError("both", message, {"at": ("dimensions",)})
        if not self.items:
            raise ValueError("a rubric needs either criteria or dimensions")
        return self

    def __hash__(self) -> int:
        # A rubric holds mappings, which have no hash, and is the key of caches.
        return hash(self.sha)

    @property
    def items(self) -> Sequence[Criterion | Dimension]:
        """The criteria or the dimensions."""
        return self.criteria or self.dimensions

    @property
    def weights(self) -> dict[str, float]:
        """Id to weight; equal shares when the file gives none."""
        share = 1 / len(self.items)
        return {item.id: share if item.weight is None else float(item.weight) for item in self.items}

    def total(self, grades: Mapping[str, float]) -> float:
        """Σ weight · value."""
        return math.fsum(weight * grades[item] for item, weight in self.weights.items())

    @cached_property
    def sha(self) -> str:
        """A hash of the content: neither comments nor layout change it."""
        content = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def load_rubric(path: str | Path) -> Rubric:
    """The rubric in a YAML file; `InputError` names the file and the line."""
    return parse_rubric(read_text(Path(path)), str(path))


def parse_rubric(text: str, source: str) -> Rubric:
    """The rubric in `text`; `source` names it in errors."""
    if len(text) > 200_000:
        raise InputError(f"{source}: a rubric of more than 200,000 characters")
    return parse(text, source).validated(Rubric)
