"""A text editor for the `model` agent that uses only the sandbox's own file access.

Inspect's text editor first copies a program of tens of megabytes into every sandbox; this one copies nothing.
"""

from __future__ import annotations

from typing import Literal

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import sandbox

_SHOWN = 30_000
"""Characters of a file that are shown."""


@tool
def editor() -> Tool:
    """View, create and change text files."""

    async def execute(
        command: Literal["view", "create", "replace"], path: str, text: str = "", replacement: str = ""
    ) -> str:
        """View, create or change a text file.

        Args:
            command: `view` shows the file with line numbers; `create` writes `text` as the whole file; `replace`
                puts `replacement` in the place of `text`, which must occur exactly once.
            path: The file, relative to /work or absolute.
            text: The whole content for `create`, the old passage for `replace`.
            replacement: The new passage for `replace`.

        Returns:
            The file's content, or a word about what was done.
        """
        if command == "create":
            await _write(path, text)
            return f"wrote {path}"
        content = await _read(path)
        if command == "view":
            lines = [f"{number:6}  {line}" for number, line in enumerate(content.splitlines(), 1)]
            return "\n".join(lines)[:_SHOWN]
        occurrences = content.count(text) if text else 0
        if occurrences != 1:
            raise ToolError(f"the old passage occurs {occurrences} times in {path}; it must occur exactly once")
        await _write(path, content.replace(text, replacement))
        return f"changed {path}"

    return execute


async def _read(path: str) -> str:
    try:
        return await sandbox().read_file(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(f"cannot read {path}: {error}") from error


async def _write(path: str, text: str) -> None:
    try:
        await sandbox().write_file(path, text)
    except OSError as error:
        raise ToolError(f"cannot write {path}: {error}") from error
