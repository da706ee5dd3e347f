"""Reads nodes and edges from a Mermaid text.

Supports flowcharts, sequence, state, architecture and C4 diagrams; other kinds give an empty drawing. It does not
validate: mermaid's own parser does that (`mermaid.py`).
"""

from __future__ import annotations

import re

from steelyard.bench.architecture_design.diagram.drawing import Drawing, drawing

Edges = list[tuple[str, str]]

_FRONT = re.compile(r"\A\s*---\n.*?\n---[ \t]*\n", re.DOTALL)
_DIRECTIVE = re.compile(r"%%\{.{0,2000}?\}%%", re.DOTALL)
_COMMENT = re.compile(r"^[ \t]*%%[^\n]*$", re.MULTILINE)
_KIND = re.compile(r"\s*([\w-]+)[^\n;]*")

# Flowcharts
_SKIP = re.compile(r"(?:classDef|class|style|linkStyle|click|direction|accTitle|accDescr|end)\b[^\n;]*")
_SUBGRAPH = re.compile(r"subgraph[ \t]+(?P<id>[^\s\[\n;]+)?[ \t]*(?:\[\s*\"?(?P<label>[^\]\n\"]*)\"?\s*\])?[^\n;]*")
_NODE = re.compile(r"(?P<id>\w+(?:[.-](?![-.>])\w+)*)")
_QUOTED = r'\s{0,9}"(?P<q>[^"]{0,500})"\s{0,9}'
_SHAPES = tuple(
    re.compile(rf"{opening}(?:{_QUOTED}|(?P<t>(?:(?!{closing}).){{0,500}}?)){closing}", re.DOTALL)
    for opening, closing in (
        (r"\(\(\(", r"\)\)\)"),
        (r"\(\(", r"\)\)"),
        (r"\(\[", r"\]\)"),
        (r"\[\[", r"\]\]"),
        (r"\[\(", r"\)\]"),
        (r"\[[/\\]", r"[/\\]\]"),
        (r"\{\{", r"\}\}"),
        (r"\[", r"\]"),
        (r"\(", r"\)"),
        (r"\{", r"\}"),
        (r">", r"\]"),
    )
)
_ATTRIBUTES = re.compile(r"@\{(?P<body>[^}]{0,500})\}")
_LABEL = re.compile(r"label\s*:\s*\"?([^\",}]*)")
_CLASS = re.compile(r":::[\w-]+")
_LINK = re.compile(
    r"(?:\w+@)?(?P<back><|(?<=\s)[ox](?=[-=]{2}))?"
    r"(?:(?:-{2,}[>ox]|-{3,}|={2,}[>ox]|={3,}|-\.+-[>ox]?|~{3,})(?:[ \t]{0,9}\|[^|]{0,500}\|)?"
    r"|(?:--|==|-\.)(?![->=.])[^\n]{1,300}?(?:--+[>ox]?|==+[>ox]?|\.+-[>ox]?))"
)
_BLANKS = re.compile(r"[ \t]*")
_BREAK = re.compile(r"[\s;]*")
_LINE = re.compile(r"[^\n;]*")

# Other kinds
_PARTICIPANT = re.compile(
    r"^[ \t]*(?:create[ \t]+)?(?:participant|actor)[ \t]+(\S{1,200})(?:[ \t]+as[ \t]+([^\n]+))?", re.MULTILINE
)
_MESSAGE = re.compile(
    r"^[ \t]*([^\s:-][^:\n>-]{0,99}?)[ \t]?(?:<<)?--?(?:>>?|[x)])[ \t]?[+-]?[ \t]?([^\s:][^:\n]{0,99}?)[ \t]?:",
    re.MULTILINE,
)
_STATE = re.compile(r"^[ \t]*(\[\*\]|[\w.-]+)\s*-->\s*(\[\*\]|[\w.-]+)", re.MULTILINE)
_STATE_NAME = re.compile(r"^[ \t]*state\s+\"([^\"]*)\"\s+as\s+(\w+)", re.MULTILINE)
_SERVICE = re.compile(r"^[ \t]*(?:service|junction)\s+([\w-]+)(?:\([^)]*\))?(?:\[([^\]]*)\])?", re.MULTILINE)
_WIRE = re.compile(r"^[ \t]*([\w-]+)(?:\{group\})?:[LRTB]\s*(<)?--(>)?\s*[LRTB]:([\w-]+)", re.MULTILINE)
_C4_NODE = re.compile(r"^[ \t]*(?!\w*Rel|Boundary)[A-Z]\w*\(\s*(\w+)\s*,\s*\"([^\"]*)\"", re.MULTILINE)
_C4_EDGE = re.compile(r"^[ \t]*(?:Bi)?Rel\w*\(\s*(\w+)\s*,\s*(\w+)", re.MULTILINE)


def read_mermaid(text: str) -> Drawing:
    """The nodes and edges of a Mermaid text."""
    body = _COMMENT.sub("", _DIRECTIVE.sub("", _FRONT.sub("", text.replace("\r\n", "\n"))))
    header = _KIND.match(body)
    if header is None:
        return Drawing()
    kind, rest = header[1].lower(), body[header.end() :]
    if kind in ("flowchart", "graph", "flowchart-elk"):
        return _flowchart(rest)
    if kind == "sequencediagram":
        return drawing(
            {name: (label or name).strip() for name, label in _PARTICIPANT.findall(rest)}, _MESSAGE.findall(rest)
        )
    if kind.startswith("statediagram"):
        return drawing({node: label for label, node in _STATE_NAME.findall(rest)}, _STATE.findall(rest))
    if kind == "architecture-beta":
        return _architecture(rest)
    if kind.startswith("c4"):
        return drawing(dict(_C4_NODE.findall(rest)), _C4_EDGE.findall(rest))
    return Drawing()


def _architecture(text: str) -> Drawing:
    edges: Edges = []
    for left, backward, forward, right in _WIRE.findall(text):
        edges += [(right, left)] if backward and not forward else [(left, right)]
    return drawing({node: label or node for node, label in _SERVICE.findall(text)}, edges)


def _flowchart(text: str) -> Drawing:
    nodes: dict[str, str] = {}
    groups: dict[str, str] = {}
    edges: Edges = []
    position = 0
    while position < len(text):
        position = _end(_BREAK, text, position)
        subgraph = _SUBGRAPH.match(text, position)
        if subgraph is not None:
            if subgraph["id"]:
                groups[subgraph["id"]] = subgraph["label"] or subgraph["id"]
            position = subgraph.end()
        elif skipped := _SKIP.match(text, position):
            position = skipped.end()
        else:
            position = _end(_LINE, text, _statement(text, position, nodes, edges))
    # A group counts as a node only if an edge connects to it.
    nodes |= {end: groups[end] for edge in edges for end in edge if end in groups}
    return drawing(nodes, edges)


def _statement(text: str, position: int, nodes: dict[str, str], edges: Edges) -> int:
    """Read one chain such as `a --> b & c --> d`; returns the position after it."""
    left, position = _group(text, position, nodes)
    while left:
        link = _LINK.match(text, _end(_BLANKS, text, position))
        if link is None:
            break
        right, position = _group(text, _end(_BLANKS, text, link.end()), nodes)
        hidden = "~~~" in link.group()
        for source in left if not hidden else ():
            for target in right:
                edges.append((source, target))
                if link["back"]:
                    edges.append((target, source))
        left = right
    return position


def _group(text: str, position: int, nodes: dict[str, str]) -> tuple[list[str], int]:
    """Read nodes joined by `&`; returns their ids and the position after them."""
    ids: list[str] = []
    while node := _NODE.match(text, _end(_BLANKS, text, position)):
        label, position = _shape(text, node.end())
        if label is not None or node["id"] not in nodes:
            nodes[node["id"]] = node["id"] if label is None else label
        ids.append(node["id"])
        after = _end(_BLANKS, text, position)
        if text[after : after + 1] != "&":
            break
        position = after + 1
    return ids, position


def _shape(text: str, position: int) -> tuple[str | None, int]:
    """The label after a node's id, if there is one, and the position after it."""
    label: str | None = None
    if attributes := _ATTRIBUTES.match(text, position):
        attribute = _LABEL.search(attributes["body"])
        return (attribute[1].strip() if attribute else None), _end(_CLASS, text, attributes.end())
    for shape in _SHAPES:
        if match := shape.match(text, position):
            label = (match["q"] if match["q"] is not None else match["t"]).strip()
            position = match.end()
            break
    return label, _end(_CLASS, text, position)


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """The position after a match of `pattern` at `position`, or `position` itself."""
    match = pattern.match(text, position)
    return match.end() if match else position
