"""What models cost: a price list that a person passes, the prices of the package `genai-prices` if it is installed, and
the models that are free.

    usd = (input · p_input + output · p_output + cache_write · p_write + cache_read · p_read) / 1,000,000

A list without prices for the cache charges cached tokens as input. Prices that rise with the length of a request count
at their highest.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from inspect_ai.model import ModelCost, ModelInfo, ModelUsage, get_model_info, set_model_info

from steelyard import artifact
from steelyard.errors import InputError, boundary
from steelyard.models.tokens import CACHE_READ, CACHE_WRITE, weighed
from steelyard.yamlfile import read as read_yaml

FREE = ("steelyard/ceiling", "steelyard/floor", "steelyard/partial-", "steelyard/smollm2", "mockllm/", "none/")
"""Prefixes of models that run inside this process."""
_UNIT = 1_000_000
"""Tokens that a price is for."""
_KNOWN: dict[str, ModelCost] = {}
"""Prices that this process has read. Inspect has them too, but to ask it may start a model's server."""


def priced(model: str) -> bool:
    """Whether the price of a model is known."""
    if model.startswith(FREE):
        return True
    return _cost(model) is not None


def price(model: str) -> tuple[float, float] | None:
    """USD per million input and output tokens; None if unknown."""
    cost = None if model.startswith("steelyard/") else _cost(model)
    if cost is not None:
        return cost.input, cost.output
    return (0.0, 0.0) if priced(model) else None


def usage_usd(model: str, usage: ModelUsage | None) -> float | None:
    """What the tokens of one call cost; None if that is unknown."""
    if model.startswith(FREE):
        return 0.0
    cost = _cost(model)
    if cost is None or usage is None:
        return None
    cached = (usage.input_tokens_cache_write or 0) * cost.input_cache_write
    cached += (usage.input_tokens_cache_read or 0) * cost.input_cache_read
    return (usage.input_tokens * cost.input + usage.output_tokens * cost.output + cached) / _UNIT


def weighed_tokens(model: str, usage: ModelUsage) -> float:
    """The tokens of one call, cached ones by their price."""
    cost = None if model.startswith(FREE) else _cost(model)
    read, write = CACHE_READ, CACHE_WRITE
    if cost is not None and cost.input > 0:
        write = cost.input_cache_write / cost.input
        # A list that names no price of the cache charges cached tokens as input, which is no reason to count them so.
        read = cost.input_cache_read / cost.input if cost.input_cache_read < cost.input else CACHE_READ
    cached = (usage.input_tokens_cache_read, usage.input_tokens_cache_write)
    return weighed(usage.total_tokens, *cached, read, write)


def _cost(model: str) -> ModelCost | None:
    if model not in _KNOWN and (fields := _packaged(model)) is not None:
        _register(model, fields, Path("genai-prices"))
    return _KNOWN.get(model)


@functools.cache
def _packaged(model: str) -> dict[str, float] | None:
    """The prices that `genai-prices` has for a model; None if it is not installed or does not know it."""
    try:
        prices: Any = import_module("genai_prices")
    except ImportError:
        return None
    provider, _, name = model.partition("/")
    kinds = {
        "input": {"input_tokens": _UNIT},
        "output": {"input_tokens": _UNIT, "output_tokens": _UNIT},
        "input_cache_write": {"input_tokens": _UNIT, "cache_write_tokens": _UNIT},
        "input_cache_read": {"input_tokens": _UNIT, "cache_read_tokens": _UNIT},
    }
    try:
        found = {
            kind: float(prices.calc_price(prices.Usage(**tokens), name, provider_id=provider).total_price)
            for kind, tokens in kinds.items()
        }
    except (LookupError, ValueError):
        return None
    # Asked for beside as much input, because the length of a request may raise the price of its output too.
    return {**found, "output": found["output"] - found["input"]}


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
    # A negative price, or NaN, would disarm a budget.
    if not all(math.isfinite(amount) and amount >= 0 for amount in cost.model_dump(exclude_none=True).values()):
        raise InputError(f"{path}: the price of {model} is not a number from 0 up")
    _KNOWN[model] = cost
    # Inspect's own cost limits and reports read the price from there.
    info = get_model_info(model) or ModelInfo()
    set_model_info(model, info.model_copy(update={"cost": cost}))
