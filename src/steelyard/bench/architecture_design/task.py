"""The architecture tasks in Inspect: dataset, solver, and how a diagram is shown.

A task about a given architecture shows it as a picture (`image`) or in words (`text`); both name the same nodes. `mode`
decides which.
Expected elements, references and labels stay out of the samples, so a log can be shown without giving them away.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, GenerateConfig
from inspect_ai.solver import Solver, generate

from steelyard.bench.architecture_design.dataset import CANARY, DATASET_VERSION, diagram_png, diagram_text, load
from steelyard.bench.architecture_design.mode import Diagrams, resolve_diagrams
from steelyard.bench.architecture_design.model import DesignItem
from steelyard.logs.identity import sha256_of

CONFIG = GenerateConfig(temperature=0.0)
"""Generation settings of the official run."""


def design_dataset(diagrams: str = "auto", model: str | None = None) -> MemoryDataset:
    """All tasks, with their diagrams as `diagrams` says; `auto` is resolved for `model`."""
    mode = resolve_diagrams(diagrams, (model,))
    return MemoryDataset([sample(item, mode) for item in load()], name="architecture_design")


def design_solver() -> Solver:
    """Ask once; there are no tools and no second tries."""
    return generate()


def sample(item: DesignItem, diagrams: Diagrams) -> Sample:
    """One task as the subject sees it."""
    return Sample(id=item.id, input=_input(item, diagrams), metadata=_metadata(item, diagrams))


def prompt(item: DesignItem, diagrams: Diagrams) -> str:
    """The words the subject is given."""
    task = item.input.strip()
    if diagrams == "text" and item.metadata.diagram is not None:
        architecture = diagram_text(item.metadata.diagram).strip()
        task = _template("architecture").replace("{architecture}", architecture).replace("{task}", task)
    return _template("task").replace("{task}", task)


@cache
def sha256() -> str:
    """The hash of everything a subject can be shown, and of what its answers are held against."""
    pictures = {
        name: [hashlib.sha256(diagram_png(name)).hexdigest(), diagram_text(name)]
        for item in load()
        if (name := item.metadata.diagram) is not None
    }
    rows = [item.model_dump(mode="json") for item in load()]
    return sha256_of([rows, pictures, _template("task"), _template("architecture")])


def _input(item: DesignItem, diagrams: Diagrams) -> str | list[Any]:
    words = prompt(item, diagrams)
    if diagrams == "text" or item.metadata.diagram is None:
        return words
    picture = base64.b64encode(diagram_png(item.metadata.diagram)).decode()
    image = ContentImage(image=f"data:image/png;base64,{picture}")
    return [ChatMessageUser(content=[ContentText(text=words), image])]


def _metadata(item: DesignItem, diagrams: Diagrams) -> dict[str, Any]:
    known = item.metadata
    return {
        "subtype": known.subtype,
        "difficulty": known.difficulty,
        "domain": known.domain,
        "output_format": known.output_format,
        "diagram": known.diagram,
        "diagrams": diagrams if known.diagram is not None else None,
        "as_of": known.as_of,
        "canary": CANARY,
        "dataset_version": DATASET_VERSION,
    }


@cache
def _template(name: str) -> str:
    folder = files("steelyard.bench.architecture_design").joinpath("prompts")
    return folder.joinpath(f"{name}.txt").read_text(encoding="utf-8").strip()
