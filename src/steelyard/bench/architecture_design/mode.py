"""How diagrams are shown: as a picture (`image`) or as text (`text`).

`auto` is resolved before a run starts and never enters a fingerprint: `image` if every model of the run reads images
(`models.vision`), else `text`. Scores of the two modes are not comparable, so `steelyard bench run` and `inspect eval`
both resolve it here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from steelyard.errors import InputError
from steelyard.models.vision import sees_images

Diagrams: TypeAlias = Literal["image", "text"]
"""A resolved diagram mode."""

_ANSWERS = {"yes": True, "no": False, True: True, False: False}
"""Allowed values of `images`; `inspect eval -T images=yes` passes a boolean."""


def resolve_diagrams(diagrams: str, models: Sequence[str | None], images: str | bool | None = None) -> Diagrams:
    """`image` or `text`; what `images` says about the models overrides what is known about them."""
    if diagrams != "image" and diagrams != "text" and diagrams != "auto":
        raise InputError(f"unknown diagram mode {diagrams!r}", cure="image, text or auto")
    if images is not None and images not in _ANSWERS:
        raise InputError(f"images is {images!r}", cure="yes or no")
    if diagrams == "image" and images is not None and not _ANSWERS[images]:
        raise InputError("diagrams as images, for models that do not read images", cure="drop one of the two options")
    if diagrams != "auto":
        return diagrams
    known = bool(models) and all(map(sees_images, models))
    return "image" if (known if images is None else _ANSWERS[images]) else "text"
