"""What is bound into the sandbox for an agent: its client, and the tools of the bridge that its calls go through.

Clients are pinned in the cache by `steelyard setup --agent`, otherwise found on PATH. The tools come with Inspect.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from steelyard import toolchain
from steelyard.errors import command
from steelyard.gate.agents.program import BIN, Program, find
from steelyard.logs.identity import sha256_of
from steelyard.toolchain import installing
from steelyard.toolchain.clients import (
    CLIENTS,
    check_client_files,
    client_command,
    client_helpers,
    client_integrity,
    client_program,
    install_client,
)

TOOLS = "/run/steelyard/tools"
"""Where the bridge's tools are bound in the sandbox."""
LAUNCHER = "inspect-sandbox-tools"
"""The program among them."""
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def find_client(agent: str, program: str, cure: str, version: str | None = None) -> Program:
    """The client in the wanted version, installed if need be; without one the pinned client if it is installed, else
    the program on PATH. `AgentError` with the cure if there is none."""
    if version is not None and agent in CLIENTS:
        install_client(agent, lambda _: None, version)
    installed = client_program(agent, version)
    if installed is None:
        ours = command("steelyard", "setup", "--agent", agent)
        return find(program, f"{ours}, or {cure}" if agent in CLIENTS else cure)
    # The failures of a damaged client would be laid to the agent.
    check_client_files(agent, version)
    return _bound(installed, client_helpers(agent, installed))


def _bound(path: Path, helpers: Sequence[Path]) -> Program:
    """An installed client with the files it needs: the folder it came in, or all packages and the pinned Node."""
    *node, _ = client_command(path)
    if node:
        folder = Path(*path.parts[: path.parts.index("node_modules") + 1])
    else:
        folder = path.parent.parent if path.parent.name == "bin" else path.parent
    inside = f"{BIN}/{folder.name}/{path.relative_to(folder)}"
    binds = {f"{BIN}/{folder.name}": str(folder), **{f"{BIN}/node": str(binary) for binary in node}}
    binds |= {f"{BIN}/{helper.name}": str(helper) for helper in helpers}
    words = (*(f"{BIN}/node" for _ in node), inside)
    sha = sha256_of([path.name, path.stat().st_size])
    return Program(words, binds, sha=sha, integrity=client_integrity(path))


def tools_tree() -> Path | None:
    """The bridge's tools, unpacked in the cache; None if Inspect does not bring them for this machine."""
    pattern = f"{LAUNCHER}-{_ARCHITECTURES.get(platform.machine(), 'unknown')}-v*"
    with resources.as_file(resources.files("inspect_ai").joinpath("binaries")) as folder:
        packed = max(folder.glob(pattern), default=None)
        if packed is None:
            return None
        with packed.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
        # Named after the content, so that another release of Inspect gets a folder of its own.
        target = toolchain.cache_folder() / f"bridge-{digest}"
        installing.unpack_once(packed, target)
        return target
