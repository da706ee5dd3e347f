"""The command-line clients of coding agents, installed from npm into the cache by `steelyard setup --agent`.

This release pins one version of each client with a lock file in `node/agents/NAME`; npm checks the integrity hash of
every package against it. Any other version has no lock file here: npm writes one when it is installed, and the hash
of the package that holds the program is recorded with every run. No package may run code of its own during the
installation. Folders in the cache are named after the hash of the lock file, or after the version.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from steelyard import toolchain
from steelyard.errors import ToolchainError, command
from steelyard.toolchain import installing


@dataclass(frozen=True, slots=True)
class Client:
    """Where the client of an agent comes from."""

    package: str
    """Its package on npm."""
    program: str
    """Its name on PATH."""
    file: str
    """The program below `node_modules`, as a pattern: a package's name may contain the machine's architecture."""
    helpers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Packages of programs that the client would otherwise download while it works → their versions."""
    helper_files: str = ""
    """Those programs, as a pattern."""


CLIENTS = {
    "claude-code": Client("@anthropic-ai/claude-code", "claude", "@anthropic-ai/claude-code-linux-*/claude"),
    "codex": Client("@openai/codex", "codex", "@openai/codex-linux-*/vendor/*/bin/codex"),
    "gemini-cli": Client("@google/gemini-cli", "gemini", "@google/gemini-cli/bundle/gemini.js"),
    "opencode": Client(
        "opencode-ai", "opencode", "opencode-linux-*/bin/opencode",
        helpers={f"@vscode/ripgrep-linux-{machine}": "1.18.0" for machine in ("arm64", "x64")},
        helper_files="@vscode/ripgrep-linux-*/bin/rg",
    ),
}  # fmt: skip
"""Agent → its client. All but gemini-cli, which runs on the pinned Node, are programs for the machine at hand."""

_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?")


def install_client(agent: str, say: toolchain.Say, version: str | None = None) -> str:
    """Install a client unless it is there and starts; the version that it prints."""
    _refuse_unknown(agent, version)
    with toolchain.cache_lock(".lock"):
        if client_program(agent, version) is not None:
            try:
                return check_client(agent, version)
            except ToolchainError as error:
                say(f"{agent}: {error.args[0]}; installing again")
        say(f"{agent}: installing from npm")
        wanted = f"the client of {agent}{'' if version is None else f' {version}'}"
        try:
            installing.install_packages(_home(agent, version), _manifests(agent, version), wanted)
        except ToolchainError as error:
            # npm's code for a version that does not exist.
            if "ETARGET" not in str(error):
                raise
            missing = f"npm has no version {version} of {CLIENTS[agent].package}"
            raise ToolchainError(missing, cure=_example(agent)) from error
        return check_client(agent, version)


def client_program(agent: str, version: str | None = None) -> Path | None:
    """The program of the client in that version, by default the pinned one; None if it is not installed."""
    if agent not in CLIENTS or not toolchain.is_complete(_home(agent, version)):
        return None
    found = (_home(agent, version) / "node_modules").glob(CLIENTS[agent].file)
    # A package for another C library may be beside it; the plain one comes first.
    return min(found, key=lambda path: len(str(path)), default=None)


def client_helpers(agent: str, program: Path) -> list[Path]:
    """The programs that came with an installed client for it to call."""
    pattern = CLIENTS[agent].helper_files
    return sorted(_packages(program).glob(pattern)) if pattern else []


def client_command(program: Path) -> list[Path]:
    """The command line that starts a client: a script needs the pinned Node."""
    return [toolchain.node(), program] if program.suffix == ".js" else [program]


def check_client(agent: str, version: str | None = None) -> str:
    """The version that the client prints; raises with the cure unless its files are intact and it starts."""
    cure = _cure(agent, version)
    program = client_program(agent, version)
    if program is None:
        raise ToolchainError(f"the client of {agent} is not installed", cure=cure)
    check_client_files(agent, version)
    done = toolchain.tried([*client_command(program), "--version"])
    if not done.ok or not done.stdout.strip():
        raise ToolchainError(f"the client of {agent} does not start: {toolchain.complaint(done)}", cure=cure)
    return done.stdout.strip().splitlines()[0]


def check_client_files(agent: str, version: str | None = None) -> None:
    """Raise with the cure if files of an installed client are missing or changed: its failures would be the agent's."""
    toolchain.check_files(_home(agent, version), f"the client of {agent} is damaged", _cure(agent, version))


def _cure(agent: str, version: str | None) -> str:
    return command("steelyard", "setup", "--agent", agent, *(() if version is None else ("--agent-version", version)))


def client_integrity(program: Path) -> str:
    """npm's integrity hash of the package that holds an installed program."""
    home = _packages(program).parent
    lock: dict[str, Any] = json.loads((home / "package-lock.json").read_bytes())
    inside = program.relative_to(home).as_posix()
    # The longest match, because packages may be nested.
    holder = max((name for name in lock["packages"] if name and inside.startswith(f"{name}/")), key=len)
    return str(lock["packages"][holder]["integrity"])


def pinned_version(agent: str) -> str:
    """The version that this release pins."""
    manifest: dict[str, Any] = json.loads(_shipped(agent)["package.json"])
    wanted: dict[str, str] = manifest.get("dependencies") or manifest["optionalDependencies"]
    (version,) = {version for name, version in wanted.items() if name not in CLIENTS[agent].helpers}
    return version


def _packages(program: Path) -> Path:
    """The folder of packages that an installed program is in."""
    return Path(*program.parts[: program.parts.index("node_modules") + 1])


def _refuse_unknown(agent: str, version: str | None) -> None:
    if agent not in CLIENTS:
        names = ", ".join(CLIENTS)
        raise ToolchainError(f"there is no client to install for the agent {agent!r}", cure=f"one of {names}")
    if version is not None and not _VERSION.fullmatch(version):
        raise ToolchainError(f"{version!r} is not an exact version", cure=_example(agent))


def _example(agent: str) -> str:
    return f"--agent-version {pinned_version(agent)}, for example"


def _home(agent: str, version: str | None) -> Path:
    if version in (None, pinned_version(agent)):
        name = hashlib.sha256(_shipped(agent)["package-lock.json"]).hexdigest()[:12]
    else:
        name = f"version-{version}"
    return toolchain.cache_folder() / f"agent-{agent}-{name}"


def _manifests(agent: str, version: str | None) -> dict[str, bytes]:
    if version in (None, pinned_version(agent)):
        return _shipped(agent)
    client = CLIENTS[agent]
    # Optional, because each helper is for one kind of machine, and npm would fail on the others.
    wanted = {"private": True, "dependencies": {client.package: version}, "optionalDependencies": dict(client.helpers)}
    return {"package.json": json.dumps(wanted).encode()}


def _shipped(agent: str) -> dict[str, bytes]:
    folder = resources.files("steelyard").joinpath("node", "agents", agent)
    return {name: folder.joinpath(name).read_bytes() for name in toolchain.MANIFESTS}
