"""What models cost: Inspect's prices, a price list that a person passes, and the models that are free."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info

from steelyard import artifact
from steelyard.bench.model import CEILING, FLOOR, STAND_INS
from steelyard.errors import InputError, boundary
from steelyard.yamlfile import read as read_yaml

FREE = (CEILING, FLOOR, STAND_INS, "steelyard/smollm2", "mockllm/", "none/")
"""Prefixes of models that run inside this process."""


def priced(model: str) -> bool:
    """Whether the price of a model is known."""
    if model.startswith(FREE):
        return True
    info = get_model_info(model)
    return info is not None and info.cost is not None


def price(model: str) -> tuple[float, float] | None:
    """USD per million input and output tokens; None if unknown."""
    info = None if model.startswith("steelyard/") else get_model_info(model)
    if info and info.cost:
        return info.cost.input, info.cost.output
    return (0.0, 0.0) if priced(model) else None


def register_prices(path: Path) -> None:
    """Make the prices of a JSON or YAML file known to Inspect; raises `InputError` for anything but a price list."""
    with boundary(InputError, f"cannot read {path}"):
        data = artifact.read_json(path) if path.suffix == ".json" else read_yaml(path).data()
        if not _is_price_list(data):
            raise InputError(f"{path} is not a price list", cure="per model: {input: USD, output: USD}")
        for model, fields in cast(Mapping[str, Mapping[str, Any]], data).items():
            _register(model, fields, path)


def _is_price_list(data: object) -> bool:
    if not isinstance(data, dict):
        return False
    entries = cast(dict[str, Any], data).values()
    return all(isinstance(fields, dict) and {"input", "output"} <= {*fields} for fields in entries)


def _register(model: str, fields: Mapping[str, Any], path: Path) -> None:
    # A list without cache prices charges cached tokens as input.
    cost = ModelCost.model_validate(
        {"input_cache_write": fields["input"], "input_cache_read": fields["input"], **fields}
    )
    if not all(math.isfinite(amount) and amount >= 0 for amount in cost.model_dump(exclude_none=True).values()):
        raise InputError(f"{path}: the price of {model} is not a number from 0 up")
    info = get_model_info(model) or ModelInfo()
    set_model_info(model, info.model_copy(update={"cost": cost}))
