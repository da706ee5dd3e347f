"""The pinned command-line clients of coding agents, installed from npm into the cache by `steelyard setup --agent`.

Each client has a lock file in `node/agents/NAME`; npm checks the integrity hash of every package against it, and no
package may run code of its own during the installation. The folder in the cache is named after the hash of the lock
file. Both clients are self-contained programs for the machine at hand, so no Node is needed to run them.
"""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path

from steelyard import process, toolchain
from steelyard.errors import ToolchainError

PROGRAMS = {
    "claude-code": "@anthropic-ai/claude-code-linux-*/claude",
    "codex": "@openai/codex-linux-*/vendor/*/bin/codex",
}
"""Agent → its program below `node_modules`, as a pattern: the package's name contains the machine's architecture."""

_TRIAL_TIMEOUT_S = 60


def install_client(agent: str, say: toolchain.Say) -> str:
    """Install the pinned client of an agent unless it is there and starts; its version."""
    if agent not in PROGRAMS:
        raise ToolchainError(f"there is no client to install for the agent {agent!r}", cure=f"one of {_names()}")
    with toolchain.cache_lock(".lock"):
        if client_program(agent) is not None:
            try:
                return check_client(agent)
            except ToolchainError as error:
                say(f"{agent}: {error.args[0]}; installing again")
        say(f"{agent}: installing from npm")
        toolchain.install_packages(_home(agent), _manifests(agent), f"the client of {agent}")
        return check_client(agent)


def client_program(agent: str) -> Path | None:
    """The program of the pinned client; None if it is not installed."""
    if agent not in PROGRAMS or not toolchain.is_complete(_home(agent)):
        return None
    # A package for another C library may be beside it; the plain one comes first.
    return min((_home(agent) / "node_modules").glob(PROGRAMS[agent]), key=lambda path: len(str(path)), default=None)


def check_client(agent: str) -> str:
    """The version that the pinned client prints; raises with the cure unless it starts."""
    cure = f"steelyard setup --agent {agent}"
    program = client_program(agent)
    if program is None:
        raise ToolchainError(f"the client of {agent} is not installed", cure=cure)
    home = {"HOME": "/nonexistent", "CI": "true"}
    done = process.run([program, "--version"], env=home, timeout_s=_TRIAL_TIMEOUT_S)
    if not done.ok or not done.stdout.strip():
        raise ToolchainError(f"the client of {agent} does not start: {toolchain.complaint(done)}", cure=cure)
    return done.stdout.strip().splitlines()[0]


def _home(agent: str) -> Path:
    lock = hashlib.sha256(_manifests(agent)["package-lock.json"]).hexdigest()[:12]
    return toolchain.cache_folder() / f"agent-{agent}-{lock}"


def _manifests(agent: str) -> dict[str, bytes]:
    folder = resources.files("steelyard").joinpath("node", "agents", agent)
    return {name: folder.joinpath(name).read_bytes() for name in toolchain.MANIFESTS}


def _names() -> str:
    return ", ".join(PROGRAMS)
