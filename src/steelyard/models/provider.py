"""The Inspect model provider of Steelyard: `steelyard/NAME` is the embedded model of that name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from inspect_ai.model import GenerateConfig, ModelAPI, modelapi

from steelyard.click_errors import one_line_errors
from steelyard.errors import ModelError
from steelyard.models.baseline import ceiling, floor
from steelyard.models.claude_cli import ClaudeCli
from steelyard.models.partial import Partial, is_partial
from steelyard.models.smollm2 import SmolLM2

PROVIDER = "steelyard"

SUBJECTS: Mapping[str, Callable[..., ModelAPI]] = {
    "ceiling": ceiling,
    "floor": floor,
    "smollm2": SmolLM2,
    "claude-cli": ClaudeCli,
}
"""Name → the function that creates the model. `claude-cli/NAME` passes NAME on."""


@one_line_errors
def subject(
    model_name: str,
    base_url: str | None = None,
    api_key: str | None = None,
    config: GenerateConfig | None = None,
    **model_args: Any,
) -> ModelAPI:
    """The model `steelyard/<model_name>`."""
    make = Partial if is_partial(model_name) else SUBJECTS.get(model_name.split("/")[0])
    if make is None:
        known = ", ".join(f"{PROVIDER}/{name}" for name in (*SUBJECTS, "partial-N"))
        raise ModelError(f"there is no model {PROVIDER}/{model_name}", cure=f"use one of {known}")
    return make(model_name=model_name, config=config or GenerateConfig(), **model_args)


@modelapi(name=PROVIDER)
def steelyard() -> type[ModelAPI]:
    # Inspect calls the returned object with the constructor's arguments, so a function that picks the class works too.
    return cast(type[ModelAPI], subject)
