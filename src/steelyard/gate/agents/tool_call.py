"""Tool calls of an agent: what checks on the transcript look at.

A call counts as a reading of a file if a tool for reading names its path, or a shell command does in a word of its own
that is neither redirected to nor an argument of a program that does not read, such as `rm`.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any, cast

from steelyard.artifact import table
from steelyard.secrets import redact

WORK = "/work"
"""The folder in which an agent works."""

_READERS = re.compile(r"(?i)^(.*[_.])?(read|view|open|cat)(_?(files?|text|notebook|many_files))?$|^NotebookRead$")
"""Names of tools that read a file: `Read`, `read_file`, `view`, `mcp__files__read_text`."""
_EDITORS = ("edit", "str_replace")
"""Names of tools with a command, which read if the command is `view`."""
_SHELLS = ("bash", "shell", "exec", "terminal", "command")
"""Names of tools that run a command line."""
_PATHS = ("path", "file_path", "filename", "file", "notebook_path", "target_file", "absolute_path")
_COMMANDS = ("command", "cmd", "script", "code", "input")
_NOT_READING = frozenset(
    ["rm", "mv", "touch", "mkdir", "rmdir", "chmod", "chown", "ls", "echo", "printf", "test", "stat", "ln", "cd", "git"]
)
"""Programs that name files without reading them."""
_SEPARATORS = frozenset({";", "&&", "||", "|", "&", "(", ")", "\n"})
_REDIRECTED = frozenset({">", ">>", "&>", ">|"})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    failed: bool = False
    """Whether the tool answered with an error."""

    @property
    def text(self) -> str:
        """The arguments as one line of JSON, for patterns."""
        return json.dumps(dict(self.arguments), ensure_ascii=False, sort_keys=True)

    def as_json(self) -> dict[str, Any]:
        """The call as data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call of a tool by an agent, or by one of its subagents, with what it printed."""

    call: ToolCall
    output: str = ""
    server: str = ""
    """The MCP server it is a tool of, where the client names that beside the tool."""


def from_json(value: Any) -> ToolCall:
    """The call in its data; `ValueError` if it is none."""
    fields = table(value)
    tool, arguments = fields.get("tool"), fields.get("arguments", {})
    if not isinstance(tool, str) or not tool or not isinstance(arguments, dict):
        raise ValueError("a tool call is an object with `tool`, a name, and `arguments`, an object")
    return ToolCall(tool, table(arguments), fields.get("failed") is True)


def redacted(call: ToolCall) -> ToolCall:
    """The call without secrets in its arguments."""
    try:
        arguments = table(json.loads(redact(call.text)))
    except ValueError:  # redaction has cut into the syntax
        arguments = {}
    return ToolCall(call.tool, arguments, call.failed)


def reads(call: ToolCall, path: str) -> bool:
    """Whether a call reads the file at `path`, which is relative to the work folder."""
    if call.failed:
        return False
    command, tool = str(call.arguments.get("command") or ""), call.tool.lower()
    if _READERS.search(call.tool) or (command == "view" and any(word in tool for word in _EDITORS)):
        return any(_same(str(call.arguments.get(name) or ""), path) for name in _PATHS)
    if not any(word in tool for word in _SHELLS):
        return False
    lines = (call.arguments.get(name) for name in _COMMANDS)
    return any(_same(word, path) for line in lines for word in _words_read(line))


def _words_read(line: Any) -> Iterator[str]:
    """The words of a command line that may name a file which is read."""
    words = _split(line)
    program, before = "", ""
    for word in words:
        if word in _SEPARATORS:
            program = ""
        elif before in _REDIRECTED or word in _REDIRECTED or word == "<":
            pass
        # Assignments may stand before the program (`A=1 cat x`).
        elif not program and "=" not in word:
            program = posixpath.basename(word)
        elif program not in _NOT_READING:
            yield word
        # A file behind `<` is read, whatever the program is.
        if before == "<":
            yield word
        before = word


def _split(line: Any) -> list[str]:
    if isinstance(line, list):  # program and arguments, often `bash -lc LINE`
        words = [str(word) for word in cast(list[Any], line)]
        return _split(words[-1]) if len(words) > 2 and words[1] in ("-c", "-lc") else words
    lexer = shlex.shlex(str(line or "").replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        # A quotation mark that is never closed.
        return str(line).split()


def _same(written: str, path: str) -> bool:
    """Whether a word names the path: relative to the work folder or absolute, also as a pattern."""
    if not written:
        return False
    plain = posixpath.normpath(posixpath.join(WORK, written))
    return fnmatchcase(f"{WORK}/{path}", plain)
