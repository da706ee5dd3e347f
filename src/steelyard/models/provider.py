"""The one Inspect model provider of this house: `steelyard/NAME` becomes the subject of that name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import click
from inspect_ai.model import GenerateConfig, ModelAPI, modelapi

from steelyard.errors import ModelError, SteelyardError
from steelyard.models.baseline import ceiling, floor
from steelyard.models.claude_cli import ClaudeCli
from steelyard.models.smollm2 import SmolLM2

PROVIDER = "steelyard"

SUBJECTS: Mapping[str, Callable[..., ModelAPI]] = {
    "ceiling": ceiling,
    "floor": floor,
    "smollm2": SmolLM2,
    "claude-cli": ClaudeCli,
}
"""Name → what makes the model. `claude-cli/NAME` passes NAME on."""


class Unusable(ModelError, click.ClickException):
    """A model that cannot be started.

    `inspect eval` shows foreign errors as a traceback, and its own kind of error is private. It is a click program,
    though, and click prints its exceptions as one line.
    """

    def format_message(self) -> str:
        return str(self)


def subject(
    model_name: str,
    base_url: str | None = None,
    api_key: str | None = None,
    config: GenerateConfig | None = None,
    **model_args: Any,
) -> ModelAPI:
    """The model `steelyard/<model_name>`."""
    make = SUBJECTS.get(model_name.split("/")[0])
    if make is None:
        known = ", ".join(f"{PROVIDER}/{name}" for name in SUBJECTS)
        raise Unusable(f"there is no model {PROVIDER}/{model_name}", cure=f"one of {known}")
    try:
        return make(model_name=model_name, config=config or GenerateConfig(), **model_args)
    except SteelyardError as error:
        raise Unusable(str(error.args[0]), cure=error.cure) from error


@modelapi(name=PROVIDER)
def steelyard() -> type[ModelAPI]:
    # Inspect calls what we return with the constructor's arguments; a function that picks the class will do.
    return cast(type[ModelAPI], subject)
