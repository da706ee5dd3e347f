"""What is bound into the sandbox for an agent: its client, and the tools of the bridge that its calls go through.

Clients are pinned in the cache by `steelyard setup --agent`, otherwise found on PATH. The tools come with Inspect.
"""

from __future__ import annotations

import hashlib
import platform
from importlib import resources
from pathlib import Path

from steelyard import toolchain
from steelyard.gate.agents.program import BIN, Program, find
from steelyard.logs.identity import sha256_of
from steelyard.toolchain.clients import client_program

TOOLS = "/run/steelyard/tools"
"""Where the bridge's tools are bound in the sandbox."""
LAUNCHER = "inspect-sandbox-tools"
"""The program among them."""
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


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


def tools_tree() -> Path | None:
    """The bridge's tools, unpacked in the cache; None if Inspect does not bring them for this machine."""
    pattern = f"{LAUNCHER}-{_ARCHITECTURES.get(platform.machine(), 'unknown')}-v*"
    with resources.as_file(resources.files("inspect_ai").joinpath("binaries")) as folder:
        packed = max(folder.glob(pattern), default=None)
        if packed is None:
            return None
        with packed.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
        target = toolchain.cache_folder() / f"bridge-{digest}"
        toolchain.unpack_once(packed, target)
        return target
