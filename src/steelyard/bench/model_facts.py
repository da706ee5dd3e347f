"""What is known of the models on a board beside their scores: a file that its maintainer writes.

    models:
      openai/gpt-5:
        maker: OpenAI
        release: 2025-08-07
        licence: proprietary
        size: 70                  # billions of parameters
        price: {input: 1.25, output: 10}     # USD per million tokens

A name is that of a row of the board, or of the model behind it. With a price, the cost of a row is that of its tokens
at this price, so that all rows are compared by one price list; without one it is what the runs recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, StringConstraints

from steelyard.errors import InputError
from steelyard.yamlfile import Strict, read

if TYPE_CHECKING:
    from steelyard.bench.model import Board, BoardRow, Usage

_TOKENS = 1_000_000
"""Tokens that a price is for."""

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80, pattern=r"^[^\r\n]*$")]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Price(Strict):
    """USD per million tokens."""

    input: Amount
    output: Amount
    cache_read: Amount | None = None
    """Of input that the provider had cached; that of other input without it."""
    cache_write: Amount | None = None

    def of(self, usage: Usage) -> float | None:
        """What these tokens cost; None if their number is unknown."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        read = self.input if self.cache_read is None else self.cache_read
        written = self.input if self.cache_write is None else self.cache_write
        cached = usage.cache_read_tokens * read + usage.cache_write_tokens * written
        return (usage.input_tokens * self.input + usage.output_tokens * self.output + cached) / _TOKENS


class ModelFacts(Strict):
    """One model."""

    maker: Line | None = None
    release: date | None = None
    licence: Line | None = None
    size: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Billions of parameters."""
    price: Price | None = None


class ModelsFile(Strict):
    """The whole file."""

    models: Annotated[dict[Line, ModelFacts], Field(min_length=1)]


def read_facts(path: str | Path) -> Mapping[str, ModelFacts]:
    """The facts in a file; raises `InputError` with the line of a mistake."""
    place = Path(path)
    if place.is_dir():
        raise InputError(f"{path} is a folder", cure="give the file with the facts (docs/maintaining-a-board.md)")
    return read(place).validated(ModelsFile).models


def with_facts(board: Board, facts: Mapping[str, ModelFacts]) -> Board:
    """The board with what is known of its models; a note names entries of models that it does not have."""
    known = {name for row in board.rows for name in _names(row)}
    unused = [name for name in facts if name not in known]
    notes = (f"model facts of no row on this board: {', '.join(unused)}",) if unused else ()
    rows = tuple(replace(row, about=_facts_of(row, facts)) for row in board.rows)
    return replace(board, rows=rows, notes=(*board.notes, *notes))


def _facts_of(row: BoardRow, facts: Mapping[str, ModelFacts]) -> ModelFacts | None:
    return next((facts[name] for name in _names(row) if name in facts), None)


def _names(row: BoardRow) -> tuple[str, ...]:
    """The name shown comes first: two settings of one model may have prices of their own."""
    return row.model, str(row.details.get("model"))
