"""The hard architecture tasks in Inspect: dataset, prompt, and how a diagram is shown.

Samples hold what is asked but not the right values, so logs can be shared without revealing them.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from steelyard.bench.architecture_design.mode import Diagrams, resolve_diagrams
from steelyard.bench.architecture_design.task import CONFIG, active_model, design_solver, in_words, with_picture
from steelyard.bench.hard_architecture.dataset import DATASET_VERSION, PACKAGE, diagram_png, diagram_text, load
from steelyard.bench.hard_architecture.model import CANARY, Fact, FactsItem
from steelyard.bench.hard_architecture.scorer import SCORER_VERSION, facts_scorer
from steelyard.bench.identity import stamp
from steelyard.bench.jsonl import read_text
from steelyard.click_errors import one_line_errors
from steelyard.logs.identity import samples_hash, sha256_of
from steelyard.stamp import Fingerprint

_FORMS = {"number": "a number", "yes_no": "true or false"}


@task
@one_line_errors
def hard_architecture(diagrams: str = "auto", label: str | None = None, images: str | bool | None = None) -> Task:
    """Fifteen architectures with traps, scored on the facts that an answer states (docs/hard.md).

    Args:
        diagrams: `image`, `text`, or `auto` (depends on the model); the log records how `auto` was resolved.
        label: The subject's name on the board, if it differs from the model's.
        images: Whether the model reads images, `yes` or `no`; overrides what `auto` would look up.
    """
    mode = resolve_diagrams(diagrams, (active_model(),), images)
    fingerprint = Fingerprint(
        dataset=sha256(),
        samples=samples_hash(item.id for item in load()),
        scorer=f"facts_scorer@{SCORER_VERSION}",
        parameters={"diagrams": mode},
    )
    return Task(
        dataset=MemoryDataset([sample(item, mode) for item in load()], name="hard_architecture"),
        solver=design_solver(),
        scorer=facts_scorer(),
        config=CONFIG,
        version=DATASET_VERSION,
        metadata=stamp("hard_architecture", fingerprint, label, DATASET_VERSION),
    )


def sample(item: FactsItem, diagrams: Diagrams) -> Sample:
    """One task as the subject sees it."""
    text, name = prompt(item, diagrams), item.metadata.diagram
    shown = text if name is None or diagrams == "text" else with_picture(text, diagram_png(name))
    return Sample(id=item.id, input=shown, metadata=_metadata(item, diagrams))


def prompt(item: FactsItem, diagrams: Diagrams) -> str:
    """The prompt text for the subject."""
    name = item.metadata.diagram
    task = item.input if name is None or diagrams == "image" else in_words(item.input, diagram_text(name))
    facts = "\n".join(f"- `{fact.name}` ({_form(fact)}): {fact.ask}" for fact in item.facts)
    return _template().replace("{facts}", facts).replace("{task}", task)


@cache
def sha256() -> str:
    """Hash of everything a subject can be shown and of the right values."""
    names = [item.metadata.diagram for item in load() if item.metadata.diagram is not None]
    pictures = {name: [hashlib.sha256(diagram_png(name)).hexdigest(), diagram_text(name)] for name in names}
    return sha256_of([[item.model_dump(mode="json") for item in load()], pictures, _template()])


def _form(fact: Fact) -> str:
    if fact.kind in _FORMS:
        return _FORMS[fact.kind]
    return f"{'a list of any of' if fact.kind == 'set' else 'one of'}: {', '.join(fact.options)}"


def _metadata(item: FactsItem, diagrams: Diagrams) -> dict[str, Any]:
    known = item.metadata
    return {
        "subtype": known.subtype,
        "difficulty": known.difficulty,
        "domain": known.domain,
        "aws_services": list(known.aws_services),
        "diagram": known.diagram,
        "diagrams": diagrams if known.diagram is not None else None,
        "as_of": known.as_of,
        "canary": CANARY,
        "dataset_version": DATASET_VERSION,
    }


@cache
def _template() -> str:
    return read_text(PACKAGE, "prompts/task.txt").strip()
