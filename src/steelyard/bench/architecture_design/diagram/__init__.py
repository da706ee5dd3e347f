"""Diagrams that a task asks for: found, read, and judged valid or not.

Law (docs/scoring.md §1.4, docs/structured-outputs.md):
- Candidates are the blocks tagged with the format asked for. Only where there is none, blocks whose content is of that
  format although their tag is missing or another one (flagged `wrong_fence`).
- A candidate is valid when it is at most 50,000 characters, its language's check accepts it, and it has at least two
  nodes and one edge between different nodes. Mermaid is accepted by mermaid's own parser, and by nothing else.
- Of several candidates (at most `CANDIDATES` are looked at) the valid one that shows most of the expected components
  counts, the earlier on a tie; without a valid one, the first candidate's error.
- Expected components that the counted diagram does not show are named; they do not make it invalid.
Everything here is the answer's own doing. A parser that is not there is the caller's problem, not the answer's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from steelyard.bench.architecture_design.diagram.blocks import Block, parts
from steelyard.bench.architecture_design.diagram.drawing import LIMIT, Drawing, joined
from steelyard.bench.architecture_design.diagram.json_form import ArchitectureJSONError, read_json
from steelyard.bench.architecture_design.diagram.mermaid_text import read_mermaid
from steelyard.bench.architecture_design.diagram.plantuml import PlantUMLError, read_plantuml
from steelyard.bench.architecture_design.heuristic.evidence import meaning
from steelyard.bench.architecture_design.model import OutputFormat

CANDIDATES = 5
"""Diagrams of one answer that are checked."""
MIN_NODES, MIN_EDGES = 2, 1

Status = Literal["valid", "invalid", "absent"]
Check = Callable[[str], str | None]
"""A text to the parser's own complaint, or None when it has none."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """What became of the diagram a task asked for."""

    format: OutputFormat
    status: Status
    error: str | None = None
    """Why it is not valid; the parser's own words where there is a parser."""
    missing: tuple[str, ...] = ()
    """Expected components that it does not show."""
    nodes: int = 0
    edges: int = 0
    candidates: int = 0
    wrong_fence: bool = False


def candidates(answer: str, wanted: OutputFormat) -> tuple[Block, ...]:
    """The blocks of an answer that may be the diagram."""
    blocks = [block for block in parts(answer).blocks if block.content.strip()]
    tagged = [block for block in blocks if block.declared == wanted]
    return tuple(tagged or [block for block in blocks if block.format == wanted or _other_tag(block, wanted)])


def judged(answer: str, wanted: OutputFormat, expected: Sequence[str], mermaid: Check) -> Diagram:
    """The diagram of an answer; `mermaid` is asked about Mermaid texts that are not too long."""
    found = candidates(answer, wanted)
    if not found:
        return Diagram(wanted, "absent", f"no {wanted} diagram in the answer", tuple(expected))
    results = [_one(block, wanted, expected, mermaid) for block in found[:CANDIDATES]]
    valid = [result for result in results if result.status == "valid"]
    best = min(valid, key=lambda result: len(result.missing)) if valid else results[0]
    return Diagram(
        wanted, best.status, best.error, best.missing, best.nodes, best.edges, len(found), found[0].declared != wanted
    )


def sketched(blocks: Sequence[Block]) -> Drawing:
    """Everything that the diagrams of an answer connect, as far as it can be read; what cannot be read is left out."""
    drawings: list[Drawing] = []
    for block in blocks[:CANDIDATES]:
        kind = block.format
        if kind is None or len(block.content) > LIMIT:
            continue
        try:
            drawings.append(_read(block.content, kind))
        except (PlantUMLError, ArchitectureJSONError):
            continue
    return joined(drawings)


def _other_tag(block: Block, wanted: OutputFormat) -> bool:
    """A JSON diagram is recognised by its content alone under any tag; the others announce themselves."""
    return wanted == "json" and block.declared is None and block.content.lstrip().startswith("{")


def _one(block: Block, wanted: OutputFormat, expected: Sequence[str], mermaid: Check) -> Diagram:
    text = block.content.strip()
    if len(text) > LIMIT:
        return Diagram(wanted, "invalid", f"{len(text):,} characters; the limit is {LIMIT:,}", tuple(expected))
    if wanted == "mermaid" and (complaint := mermaid(text)) is not None:
        return Diagram(wanted, "invalid", complaint, tuple(expected))
    try:
        drawn = _read(text, wanted)
    except (PlantUMLError, ArchitectureJSONError) as error:
        return Diagram(wanted, "invalid", str(error), tuple(expected))
    missing = tuple(name for name in expected if not drawn.shows(meaning(name)))
    nodes, edges = len(drawn.nodes), len(drawn.edges)
    if nodes < MIN_NODES or edges < MIN_EDGES:
        reason = f"{nodes} node(s) and {edges} edge(s); at least {MIN_NODES} and {MIN_EDGES} are needed"
        return Diagram(wanted, "invalid", reason, missing, nodes, edges)
    return Diagram(wanted, "valid", None, missing, nodes, edges)


def _read(text: str, kind: OutputFormat) -> Drawing:
    if kind == "mermaid":
        return read_mermaid(text)
    return read_plantuml(text) if kind == "plantuml" else read_json(text)
