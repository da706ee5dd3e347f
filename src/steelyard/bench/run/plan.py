"""A run is a plan first: which subject does which category, how many calls that is, and what it may cost.

The estimate counts four characters of a prompt as one token and takes the usual length of an answer per category; it is
an estimate and says so. What the log folder already holds in full is not run again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from steelyard.bench.category import Category
from steelyard.bench.model import CATEGORIES
from steelyard.report import numbers
from steelyard.report.document import Column, Document, Paragraph, Table, table

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What a person asked `bench run` for."""

    models: tuple[str, ...]
    categories: tuple[str, ...] = tuple(CATEGORIES)
    log_dir: Path = Path("logs/bench")
    limit: int | None = None
    epochs: int = 1
    label: str | None = None
    temperature: float | None = 0.0
    """None: leave it to the provider."""
    scorer: str | None = None
    diagrams: str = "auto"
    """`image`, `text`, or `auto`: pictures when every ranked model reads images."""
    images: str | None = None
    """`yes` or `no`: whether the models read images, when `auto` should not look it up."""
    judges: tuple[str, ...] = ()
    judge_repeats: int = 1
    judge_cache: bool = True
    max_connections: int | None = None
    budget_usd: float | None = None
    allow_unknown_prices: bool = False
    prices: Path | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    model_roles: Mapping[str, str] = field(default_factory=dict[str, str])
    generate_config: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Unit:
    """One subject in one category."""

    model: str
    category: Category
    items: int
    epochs: int
    prompt_characters: int
    """Of one epoch."""
    judged: int = 0
    """Judge calls per answer."""
    done: int = 0
    """Runs the log folder already holds with a score."""
    price: tuple[float, float] | None = None
    """USD per million input and output tokens; None is unknown."""

    @property
    def runs(self) -> int:
        """Samples × epochs."""
        return self.items * self.epochs

    @property
    def calls(self) -> int:
        """Calls of the subject that are left."""
        return max(0, self.runs - self.done)

    @property
    def tokens(self) -> tuple[int, int]:
        """Estimated input and output tokens of the calls that are left."""
        share = self.calls / self.items if self.items else 0.0
        given = round(share * self.prompt_characters / CHARACTERS_PER_TOKEN)
        return given, self.calls * self.category.output_tokens

    @property
    def cost_usd(self) -> float | None:
        """Estimated cost of the calls that are left; None when the price is unknown."""
        if self.price is None:
            return None
        given, made = self.tokens
        return (given * self.price[0] + made * self.price[1]) / 1_000_000


State = Literal["complete", "partial", "unfinished", "unscored"]


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a run."""

    log_dir: Path
    problems: tuple[str, ...]
    """Why it is not finished, one line each; empty when it is."""
    spent_usd: float
    tokens: int
    unpriced: tuple[str, ...]
    finished: int = 0
    """Runs left unscored by an earlier start that have a number now."""
    unscored: Mapping[str, int] = field(default_factory=dict[str, int])
    """Why runs have no number → how many of them."""


def as_json(units: Sequence[Unit], spec: RunSpec) -> dict[str, Any]:
    """What would run, as JSON data."""
    return {
        "schema_version": 1,
        "log_dir": str(spec.log_dir),
        "calls": sum(unit.calls for unit in units),
        "units": [
            {
                "model": unit.model,
                "category": unit.category.key,
                "runs": unit.runs,
                "done": unit.done,
                "calls": unit.calls,
                "judge_calls": unit.calls * unit.judged,
                "input_tokens": unit.tokens[0],
                "output_tokens": unit.tokens[1],
                "cost_usd": unit.cost_usd,
            }
            for unit in units
        ],
    }


def document(units: Sequence[Unit], spec: RunSpec) -> Document:
    """What would run."""
    total = sum(unit.calls for unit in units)
    judge = sum(unit.calls * unit.judged for unit in units)
    costs = [unit.cost_usd for unit in units if unit.calls]
    cost = sum(each for each in costs if each is not None) if None not in costs else None
    lines = [
        f"{numbers.count(total)} calls of the subjects" + (f", {numbers.count(judge)} of the judge" if judge else "")
    ]
    known = f"about {numbers.usd(cost)}" if cost is not None else "cost unknown: give prices with --prices"
    lines.append(f"estimate: {known}, judge not included" if judge else f"estimate: {known}")
    lines.append(f"logs go to {spec.log_dir}; nothing was run")
    return Document("SA Bench: what would run", (_table(units), Paragraph("; ".join(lines) + ".")))


def _table(units: Sequence[Unit]) -> Table:
    figures = [Column(name, "right") for name in ("Runs", "Done", "Calls", "Tokens in", "out", "USD")]
    return table([Column("Model", shrink=True), Column("Category"), *figures], [_row(unit) for unit in units])


def _row(unit: Unit) -> list[str]:
    given, made = unit.tokens
    figures = (unit.runs, unit.done, unit.calls, given, made)
    return [
        unit.model,
        unit.category.short,
        *(numbers.count(each) for each in figures),
        numbers.usd(unit.cost_usd),
    ]
