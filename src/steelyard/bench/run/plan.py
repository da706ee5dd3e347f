"""The plan of a run: which subject runs which category, how many calls that takes, and roughly what it costs.

The estimate counts four characters of a prompt as one token and uses the typical length of an answer per category.
Runs that the log folder already holds with a score are not repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.bench.category import Category
from steelyard.bench.model import CATEGORIES
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.report import numbers
from steelyard.report.document import Column, Document, Paragraph, Table, table

if TYPE_CHECKING:
    from steelyard.location import Location

CHARACTERS_PER_TOKEN = 4

MAX_TASKS = 4
"""Categories and models that run side by side unless a person says otherwise."""


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The options of `bench run`."""

    models: tuple[str, ...]
    categories: tuple[str, ...] = tuple(CATEGORIES)
    log_dir: Location = Path("logs/bench")
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
    max_tasks: int = MAX_TASKS
    """Tasks, each a category on a model, that run side by side."""
    budget_usd: float | None = None
    allow_unknown_prices: bool = False
    prices: Path | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    model_roles: Mapping[str, str] = field(default_factory=dict[str, str])
    generate_config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    suite: Suite = OFFICIAL
    """Whose categories run."""

    @property
    def sampling_temperature(self) -> float | None:
        """The temperature in effect: that of `generate_config` if it has one."""
        return self.generate_config.get("temperature", self.temperature)


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
        # In epochs, because `prompt_characters` is that of a single one.
        share = self.calls / self.items if self.items else 0.0
        prompts = round(share * self.prompt_characters / CHARACTERS_PER_TOKEN)
        return prompts, self.calls * self.category.output_tokens

    @property
    def cost_usd(self) -> float | None:
        """Estimated cost of the calls that are left; None when the price is unknown."""
        if self.price is None:
            return None
        tokens_in, tokens_out = self.tokens
        return (tokens_in * self.price[0] + tokens_out * self.price[1]) / 1_000_000


@dataclass(frozen=True, slots=True)
class Done:
    """The outcome of a run."""

    log_dir: Location
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
        "suite": spec.suite.name,
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
    # Unknown is not 0: one missing price makes the sum unknown.
    cost = sum(known for known in costs if known is not None) if None not in costs else None
    lines = [
        f"{numbers.count(total)} calls of the subjects" + (f", {numbers.count(judge)} of the judge" if judge else "")
    ]
    price = f"about {numbers.usd(cost)}" if cost is not None else "cost unknown: give prices with --prices"
    lines.append(f"estimate: {price}, judge not included" if judge else f"estimate: {price}")
    lines.append(f"logs go to {spec.log_dir}; nothing was run")
    return Document(f"{spec.suite.title}: what would run", (_table(units), Paragraph("; ".join(lines) + ".")))


def _table(units: Sequence[Unit]) -> Table:
    figures = [Column(name, "right") for name in ("Runs", "Done", "Calls", "Tokens in", "out", "USD")]
    return table([Column("Model", shrink=True), Column("Category"), *figures], [_row(unit) for unit in units])


def _row(unit: Unit) -> list[str]:
    figures = (unit.runs, unit.done, unit.calls, *unit.tokens)
    return [
        unit.model,
        unit.category.short,
        *(numbers.count(figure) for figure in figures),
        numbers.usd(unit.cost_usd),
    ]
