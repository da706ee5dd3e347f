"""PlantUML: a strict structural check.

Law: one `@startuml … @enduml`; every line is a declaration, a container with balanced braces, a relation, a note, a
setting or a comment as listed below; anything else is an error that names the line. Preprocessor lines other than
`!pragma`, `!theme NAME` and includes of the AWS icons are rejected, because their effect depends on files, the network
and the version of PlantUML. The AWS icons are part of PlantUML's standard library (`!include <awslib/…>`) or come from
their published address, written out or under the name `AWSPuml`; after such an include, their macros
(`Lambda(id, "Label", "note")`, `VPCGroup(id) {`, `Rel(a, b, "label")`) are declarations, containers and relations.
Names used in a relation need not be declared, as in PlantUML itself.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field

from steelyard.bench.architecture_design.diagram.drawing import DiagramError, Drawing, drawing

LINE_LIMIT = 1_000
"""Maximum characters of a line."""

_KINDS = (
    "abstract|action|actor/?|agent|annotation|artifact|boundary/?|card|circle|class|cloud|collections|component|control"
    "|database|entity|enum|file|folder|frame|hexagon|interface|label|node|object|package|participant|person|process"
    "|queue|rectangle|stack|state|storage|usecase/?|create|box|partition"
)
_NAME = r"(?:\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)|:[^:]+:|[\w.@$/]+)"
_STYLE = r"(?:\s*<<[^>]*>>)*(?:\s*#[\w\\/;:.|-]+)?(?:\s+order\s+-?\d+)?"
_DECLARATION = re.compile(
    rf"(?:(?:(?:{_KINDS})\s+|\(\)\s*)(?P<one>{_NAME})|(?P<two>\[[^\]]*\]|\([^)]*\)|:[^:]+:)){_STYLE}"
    rf"(?:\s+as\s+(?P<alias>{_NAME}))?{_STYLE}\s*(?P<open>\{{|\[)?",
    re.IGNORECASE,
)
_ARROW = (
    r"(?P<left><<?\|?|[ox*#+^0](?=[-.=~])|0?\))?"
    r"(?:-+|\.+|=+|~+)(?:(?:\[[^\]]*\])?(?:left|right|up|down|le|ri|do|[lrud])?(?:\[[^\]]*\])?)(?:-+|\.+|=+|~+)?"
    r"(?P<right>\|?>>?|[ox*#+^0](?=\s)|\\\\?|//?|\(0?)?(?:[ox](?=\s))?"
)
_RELATION = re.compile(
    rf"(?P<source>{_NAME}){_STYLE}\s*(?:\"[^\"]*\"\s*)?{_ARROW}\s*(?:\"[^\"]*\"\s*)?(?P<target>{_NAME})"
    rf"(?:\s+as\s+\w+)?{_STYLE}\s*(?:[+*!-]{{2}})?\s*(?::.*)?"
)
_SETTING = re.compile(
    r"(?:skinparam|title|caption|(?:(?:center|left|right)\s+)?(?:header|footer)|hide|show"
    r"|(?:left to right|top to bottom) direction$"
    r"|remove|scale|autonumber|autoactivate|activate|deactivate|destroy|return|newpage|allowmixing|allow_mixing|mainframe"
    r"|set\s+\w+|alt|else|opt|loop|par|break|critical|group|end(?:\s+(?:box|group|ref))?$|ref\s+over|\.\.\.|==|\|\||sprite|legend|!pragma\b"
    r"|!theme\s+[\w-]+\s*$|note\s+(?:left|right|top|bottom|over|on\s+link)?)\b.*|---+|==.*==|\.\.\.+.*|\|\|.*",
    re.IGNORECASE,
)
_ADDRESS = r"https://raw\.githubusercontent\.com/awslabs/aws-icons-for-plantuml/[\w./-]+"
_ICONS = re.compile(
    rf"!include(?:sub|url|_once|_many)?\s+(?:<awslib(?:14|10)?/[\w./-]+>|AWSPuml/[\w./-]+|{_ADDRESS})"
    rf"|!define\s+AWSPuml\s+{_ADDRESS}",
    re.IGNORECASE,
)
_TEXT = r"(?:\s*\"[^\"]*\"\s*|[^,\"()]*)"
_MACRO = re.compile(rf"(?P<macro>[A-Za-z]\w*)\(\s*(?P<words>{_TEXT}(?:,{_TEXT})*)\)\s*(?P<open>\{{)?")
_LAYOUT = ("layout_", "hide_", "show_", "awssimplified")
"""How the names of macros begin that draw nothing."""
_NOTE = re.compile(
    r"(?:note\s+(?:(?:left|right|top|bottom|over)\b[^:]*|as\s+\w+|on\s+link)|legend\b[^:]*|header|footer|title)\s*$",
    re.IGNORECASE,
)
_NOTE_LINE = re.compile(
    r"note\s+(?:\"[^\"]*\"\s+as\s+\w+|(?:left|right|top|bottom|over|on\s+link)\b[^:]*:.*)", re.IGNORECASE
)
_ENDS = {"end note": r"end ?(?:note|legend|header|footer|title)", "]": r".*\]", "</style>": "</style>"}
"""What ends free text, by the name used in errors."""


@dataclass(slots=True)
class _Page:
    """The diagram read so far."""

    nodes: dict[str, str] = field(default_factory=dict[str, str])
    edges: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    closing: str | None = None
    """Key in `_ENDS` of what ends the current free text; None outside free text."""
    icons: bool = False
    """Whether the AWS icons are included."""
    braces: list[bool] = field(default_factory=list[bool])
    """Per open brace: whether it encloses settings."""


def read_plantuml(text: str) -> Drawing:
    """The nodes and edges of a PlantUML text; raises `DiagramError` if it is not well formed."""
    lines = text.replace("\r\n", "\n").split("\n")
    starts = [number for number, line in enumerate(lines) if "@startuml" in line.lower()]
    ends = [number for number, line in enumerate(lines) if "@enduml" in line.lower()]
    if len(starts) != 1 or len(ends) != 1 or starts[0] >= ends[0]:
        raise DiagramError("a diagram needs exactly one @startuml and one @enduml after it")
    page = _Page()
    last = lines[ends[0]].lower().partition("@enduml")[0]
    body = "\n".join([*lines[starts[0] + 1 : ends[0]], lines[ends[0]][: len(last)]])
    # After the last end, no comment is closed: a row of beginnings would take time with the square of its length.
    last_end = body.rfind("'/") + 2
    # Keep a comment's line ends, so that errors name the right line.
    read = re.sub("/'.*?'/", lambda comment: "\n" * comment.group().count("\n"), body[:last_end], flags=re.DOTALL)
    body = read + body[last_end:]
    # Line 1 is the one with @startuml.
    for number, line in enumerate(body.split("\n"), start=2):
        _line(page, line.strip(), number)
    if page.closing is not None:
        raise DiagramError(f"the text before the end is never closed by '{page.closing}'")
    if page.braces:
        raise DiagramError(f"{len(page.braces)} opening brace(s) without a closing one")
    return drawing(page.nodes, page.edges)


def _line(page: _Page, line: str, number: int) -> None:
    if page.closing is not None:
        # Checked first: inside a note any line is allowed, even one that looks like a brace or a relation.
        page.closing = None if re.fullmatch(_ENDS[page.closing], line.lower()) else page.closing
    elif not line or line.startswith("'"):
        return
    elif len(line) > LINE_LIMIT:
        raise DiagramError(f"line {number}: longer than {LINE_LIMIT} characters")
    elif line == "}":
        if not page.braces:
            raise DiagramError(f"line {number}: a closing brace without an opening one")
        page.braces.pop()
    elif page.braces and page.braces[-1]:
        return
    elif _NOTE.match(line) or (line.lower().startswith("note ") and not _NOTE_LINE.match(line)):
        page.closing = "end note"
    elif line.lower() == "<style>":
        page.closing = "</style>"
    elif _ICONS.fullmatch(line):
        page.icons = True
    elif page.icons and _macro(page, line):
        return
    elif line.startswith("!") and not _SETTING.fullmatch(line):
        raise DiagramError(f"line {number}: preprocessor lines such as '{line[:40]}' are not allowed")
    elif not (_relation(page, line) or _declaration(page, line) or _other(page, line)):
        raise DiagramError(f"line {number}: not understood: '{line[:80]}'")


def _macro(page: _Page, line: str) -> bool:
    """A call of a macro of the AWS icons; the service is in its name, so the node's label is both."""
    if line.lower().startswith(_LAYOUT):
        return True
    call = _MACRO.fullmatch(line)
    if call is None:
        return False
    words = [word.strip() for word in next(csv.reader([call["words"]], skipinitialspace=True), list[str]())]
    if not words or not words[0]:
        return False
    if call["macro"].lower().removeprefix("bi").partition("_")[0] == "rel":
        if len(words) < 2:
            return False
        page.edges.append((_node(page, words[0]), _node(page, words[1])))
    elif call["open"]:
        page.braces.append(False)
    else:
        service = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", call["macro"])
        page.nodes[words[0]] = f"{words[1]} ({service})" if len(words) > 1 and words[1] else service
    return True


def _relation(page: _Page, line: str) -> bool:
    relation = _RELATION.fullmatch(line)
    if relation is None:
        return False
    source, target = _node(page, relation["source"]), _node(page, relation["target"])
    back = (relation["left"] or "").startswith("<")
    # A line without arrowheads connects from left to right.
    if relation["right"] or not back:
        page.edges.append((source, target))
    if back:
        page.edges.append((target, source))
    return True


def _declaration(page: _Page, line: str) -> bool:
    declaration = _DECLARATION.fullmatch(line)
    if declaration is None:
        return False
    name = _bare(declaration["one"] or declaration["two"])
    alias = _bare(declaration["alias"]) if declaration["alias"] else name
    # PlantUML allows both `component "Label" as x` and `component x as "Label"`.
    if declaration["alias"] and declaration["alias"].startswith('"'):
        name, alias = alias, name
    if declaration["open"] == "{":
        page.braces.append(False)
        return True
    page.nodes[alias] = name
    page.closing = "]" if declaration["open"] else None
    return True


def _other(page: _Page, line: str) -> bool:
    if line.endswith("{"):
        opening = line.removesuffix("{").strip().lower()
        if not opening.startswith(("skinparam", "together", "box")):
            return False
        page.braces.append(opening.startswith("skinparam"))
        return True
    return bool(_SETTING.fullmatch(line) or _NOTE_LINE.fullmatch(line))


def _node(page: _Page, name: str) -> str:
    """The id of a node used in a relation, added if it is not declared."""
    bare = _bare(name)
    page.nodes.setdefault(bare, bare)
    return bare


def _bare(name: str) -> str:
    return name.strip().strip('"').removeprefix("[").removesuffix("]").strip("():").strip()
