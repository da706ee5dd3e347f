"""Finds the diagram that a task requires, reads it, and decides whether it is valid.

Law (docs/scoring.md §1.4, docs/structured-outputs.md):
- Candidates are the blocks tagged with the required format. If there are none, blocks with content in that format but a
  missing or different tag are candidates (flagged `wrong_fence`).
- A candidate is valid if it has at most 50,000 characters, its language's check accepts it, and it has at least two
  nodes and one edge between different nodes. For Mermaid, only mermaid's own parser decides.
- Of several candidates (at most `CANDIDATES` are checked), the valid one that shows the most expected components
  counts, the earlier on a tie; if none is valid, the first candidate's error is reported.
- Expected components that the chosen diagram does not show are listed; they do not make it invalid.
Every error reported here is the answer's fault. The caller handles a parser that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from steelyard.bench.architecture_design.diagram.blocks import Block, parts
from steelyard.bench.architecture_design.diagram.drawing import LIMIT, DiagramError, Drawing, read_json
from steelyard.bench.architecture_design.diagram.plantuml import read_plantuml
from steelyard.bench.architecture_design.model import OutputFormat
from steelyard.bench.architecture_design.services import meaning

CANDIDATES = 5
"""Diagrams checked per answer."""
MIN_NODES, MIN_EDGES = 2, 1

ReadMermaid = Callable[[str], Drawing | str]
"""Takes a text and returns what it draws, or the parser's error message."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """The result of checking an answer for the required diagram."""

    format: OutputFormat
    status: Literal["valid", "invalid", "absent"]
    error: str | None = None
    """Why it is not valid; the parser's own message if there is one."""
    missing: tuple[str, ...] = ()
    """Expected components that it does not show."""
    expected: int = 0
    """How many components it was expected to show."""
    candidates: int = 0
    """Blocks of the answer that may be the diagram."""
    wrong_fence: bool = False
    """Whether the candidates lack the tag of the required format."""


def candidates(answer: str, required: OutputFormat) -> tuple[Block, ...]:
    """The blocks of an answer that may be the required diagram."""
    blocks = [block for block in parts(answer).blocks if block.content.strip()]
    tagged = [block for block in blocks if block.declared == required]
    # A tagged diagram counts even if it is broken: it says what the answer meant.
    return tuple(tagged or [block for block in blocks if block.format == required or _may_be(block, required)])


def _may_be(block: Block, required: OutputFormat) -> bool:
    """Whether a block may be the required JSON under some other tag; the other formats start with a keyword."""
    return required == "json" and block.declared is None and block.content.lstrip().startswith("{")


def judged(answer: str, required: OutputFormat, expected: Sequence[str], mermaid: ReadMermaid) -> Diagram:
    """Check the diagram of an answer; `mermaid` reads Mermaid texts within the size limit."""
    blocks = candidates(answer, required)
    if not blocks:
        return Diagram(required, "absent", f"no {required} diagram in the answer", tuple(expected))
    results = [_checked(block, required, expected, mermaid) for block in blocks[:CANDIDATES]]
    valid = [result for result in results if result.status == "valid"]
    # On a tie, `min` returns the earlier one.
    best = min(valid, key=lambda result: len(result.missing)) if valid else results[0]
    return replace(best, expected=len(expected), candidates=len(blocks), wrong_fence=blocks[0].declared != required)


def _checked(block: Block, required: OutputFormat, expected: Sequence[str], mermaid: ReadMermaid) -> Diagram:
    drawn = _read(block.content.strip(), required, mermaid)
    if isinstance(drawn, str):
        return Diagram(required, "invalid", drawn, tuple(expected))
    missing = tuple(name for name in expected if not drawn.shows(meaning(name)))
    nodes, edges = len(drawn.nodes), len(drawn.edges)
    if nodes >= MIN_NODES and edges >= MIN_EDGES:
        return Diagram(required, "valid", missing=missing)
    reason = f"{nodes} node(s) and {edges} edge(s); at least {MIN_NODES} and {MIN_EDGES} are needed"
    return Diagram(required, "invalid", reason, missing)


def _read(text: str, required: OutputFormat, mermaid: ReadMermaid) -> Drawing | str:
    if len(text) > LIMIT:
        return f"{len(text):,} characters; the limit is {LIMIT:,}"
    try:
        return {"mermaid": mermaid, "plantuml": read_plantuml, "json": read_json}[required](text)
    except DiagramError as error:
        return str(error)
