"""What the sandboxes of a task contain beside its files: Python packages, and what its setup commands made.

    packages, requirements    Python packages, of the task or of the settings: one environment, read-only
    setup                     commands for other languages: what they add to the working folder, read-only

Both are made once per content, with a network; the sandboxes that get them have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steelyard.sandbox.choose import Sandbox
from steelyard.sandbox.environment import PYTHON, Packages, Say, environment
from steelyard.sandbox.prepared import prepared
from steelyard.sandbox.tools import find_tools


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What to install for one task."""

    packages: Packages | None = None
    setup: tuple[str, ...] = ()
    """Commands for a shell."""
    start: bytes = field(default=b"", repr=False)
    """The folder that the setup commands run in, as a tar archive; empty without such commands."""
    tools: tuple[str, ...] = ()
    """Programs of the host that they may use."""


NOTHING = Dependencies()


@dataclass(frozen=True, slots=True)
class Furnished:
    """What a sandbox gets."""

    binds: tuple[tuple[Path, str], ...] = ()
    """(host path, path inside), read-only."""
    variables: dict[str, str] = field(default_factory=dict[str, str])
    python: str | None = None
    """The Python that has the packages; None for that of the sandbox."""
    names: tuple[str, ...] = ()
    """Entries of the working folder that are not the agent's."""


def installed(dependencies: Dependencies, place: Sandbox, say: Say = lambda line: None) -> Furnished:
    """Install what is not installed yet; `ToolchainError` with the cause if that fails."""
    binds: tuple[tuple[Path, str], ...] = ()
    variables: dict[str, str] = {}
    names: tuple[str, ...] = ()
    if dependencies.packages is not None:
        made = environment(dependencies.packages, place, say)
        binds, variables = made.binds, made.variables
    if dependencies.setup:
        tools = find_tools(dependencies.tools)
        kept = prepared(dependencies.setup, dependencies.start, place, tools.binds, tools.path, say)
        binds, names = (*binds, *kept.binds), kept.names
    return Furnished(binds, variables, PYTHON if dependencies.packages is not None else None, names)


def packages(files: Sequence[str], names: Sequence[str], *, pytest: bool) -> Packages | None:
    """The packages of requirements files and of single names; None if there are none.

    A suite for pytest needs pytest, whether it is named or not.
    """
    lines = [*(line for text in files for line in text.splitlines()), *names]
    if not any(line.strip() and not line.strip().startswith("#") for line in lines):
        return None
    # A plugin such as pytest-cov brings pytest along, so the beginning of the name is enough.
    if pytest and not any(line.strip().lower().startswith("pytest") for line in lines):
        lines.append("pytest")
    return Packages("".join(f"{line}\n" for line in lines))
