"""The command-line clients of agents: pinned in the cache by `steelyard setup --agent`, otherwise found on PATH."""

from __future__ import annotations

from pathlib import Path

from steelyard.clients import client_program
from steelyard.gate.agents.program import BIN, Program, find
from steelyard.logs.identity import sha256_of


def find_client(agent: str, program: str, cure: str) -> Program:
    """The pinned client if it is installed, else the program on PATH; `AgentError` with the cure if there is none."""
    pinned = client_program(agent)
    if pinned is None:
        return find(program, f"steelyard setup --agent {agent}, or {cure}")
    return _bound(pinned)


def _bound(path: Path) -> Program:
    """A self-contained program with the folder it came in, which may hold files that it needs."""
    folder = path.parent.parent if path.parent.name == "bin" else path.parent
    inside = f"{BIN}/{folder.name}/{path.relative_to(folder)}"
    return Program((inside,), {f"{BIN}/{folder.name}": str(folder)}, sha=sha256_of([path.name, path.stat().st_size]))
