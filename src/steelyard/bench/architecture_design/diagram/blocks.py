"""Splits an answer into prose and blocks of diagrams or code.

Law: a fence is three or more backticks or tildes at the start of a line, closed by a line of the same kind at least as
long, or by the end of the answer. Fenced text without a tag, or tagged as text or Markdown, is prose unless it begins
like a diagram; all other fenced text is a block. `@startuml … @enduml` outside a fence is a block too. Blocks do not
count as words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from steelyard.bench.architecture_design.model import OutputFormat
from steelyard.markdown import FRONT_MATTER, blocks
from steelyard.text import line_ends

_TAGS: dict[str, OutputFormat] = {
    **{"mermaid": "mermaid", "mmd": "mermaid", "plantuml": "plantuml", "puml": "plantuml"},
    **{"json": "json", "json5": "json", "jsonc": "json"},
}
_PROSE_TAGS = frozenset({"", "text", "txt", "markdown", "md", "plaintext", "plain"})
_FENCE_INDENT = 3
"""Columns a fence may be indented."""
_MERMAID = re.compile(
    r"(?:flowchart|graph|sequencediagram|statediagram(?:-v2)?|architecture-beta|classdiagram|erdiagram|c4\w+"
    r"|block(?:-beta)?|mindmap|journey|gantt|pie)\b",
    re.IGNORECASE,
)
_UML = re.compile(r"@startuml\b.*?(?:@enduml\b|\Z)", re.DOTALL | re.IGNORECASE)
_JSON_KEYS = ("components", "connections", "nodes", "edges", "schema_version", "title", "name")
"""Of which a JSON diagram has one first."""


class Block(NamedTuple):
    """A fenced block, or a diagram without a fence."""

    tag: str
    """In lower case; empty if the fence has no tag."""
    content: str

    @property
    def declared(self) -> OutputFormat | None:
        """The format named by the tag."""
        return _TAGS.get(self.tag)

    @property
    def format(self) -> OutputFormat | None:
        """The format named by the tag, else the one suggested by the first words."""
        return self.declared or _looks_like(self.content)


class Parts(NamedTuple):
    """The prose and the blocks of one answer."""

    prose: str
    blocks: tuple[Block, ...]
    """Diagrams and code, in order."""


def parts(answer: str) -> Parts:
    prose: list[str] = []
    found: list[Block] = []
    for piece in _pieces(line_ends(answer).split("\n")):
        if isinstance(piece, str):
            found += [Block("", diagram) for diagram in _UML.findall(piece)]
            prose.append(_UML.sub("\n", piece))
        elif piece.tag in _PROSE_TAGS and piece.format is None:
            prose.append(piece.content)
        else:
            found.append(piece)
    return Parts("\n".join(prose), tuple(found))


def _looks_like(content: str) -> OutputFormat | None:
    if re.match(r"\s*@startuml\b", content, re.IGNORECASE):
        return "plantuml"
    # A Mermaid text may begin with front matter and with comments.
    lines = FRONT_MATTER.sub("", content.lstrip()).splitlines()
    first = next((line.strip() for line in lines if line.strip() and not line.strip().startswith("%%")), "")
    if _MERMAID.match(first):
        return "mermaid"
    return "json" if "".join(content.split()).startswith(tuple(f'{{"{key}":' for key in _JSON_KEYS)) else None


def _pieces(lines: list[str]) -> Iterator[str | Block]:
    rest = 0
    for block in blocks(lines, _FENCE_INDENT):
        yield "\n".join(lines[rest : block.opening.line])
        yield Block(block.opening.tag, block.text(lines))
        rest = len(lines) if block.end is None else block.end + 1
    yield "\n".join(lines[rest:])
