"""Programs of the host that checks may use although no sandbox has them: `tools:` of a task or of the settings.

A tool is a name, looked up in the PATH of the host (the file alone is bound, of Rust's the toolchain that rustup would
start), or an absolute path of a file or folder.
A folder is bound where it is, and its `bin`, or the folder itself, is searched for programs. Everything is read-only.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from steelyard import process
from steelyard.errors import SandboxError, ToolchainError
from steelyard.sandbox.jail import inside_system

FOLDER = "/run/steelyard/tools"
"""Where single programs are inside."""
_PROXY = "rustup"


class Tools(NamedTuple):
    """What a sandbox needs in order to contain the tools."""

    binds: tuple[tuple[Path, str], ...] = ()
    """(host path, path inside)."""
    path: tuple[str, ...] = ()
    """Folders inside where programs are looked up."""


def find_tools(names: Sequence[str]) -> Tools:
    """The tools of the host by name or path; `SandboxError` if one does not exist here."""
    binds: dict[str, Path] = {}
    path: dict[str, None] = {}
    for name in names:
        real = _real(name)
        if inside_system(str(real)):
            continue
        if real.is_dir():
            binds[str(real)] = real
            path[str(real / "bin" if (real / "bin").is_dir() else real)] = None
        else:
            binds[f"{FOLDER}/{Path(name).name}"] = real
            path[FOLDER] = None
    return Tools(tuple((host, inside) for inside, host in binds.items()), tuple(path))


def _real(name: str) -> Path:
    place = Path(name).expanduser() if "/" in name else Path(shutil.which(name) or "")
    if ("/" not in name and place == Path()) or not place.exists():
        raise SandboxError(f"the tool {name!r} is not installed here", cure="install it, or change tools:")
    real = place.resolve()
    # rustup's `cargo` and `rustc` are links to one program that looks at the name it is called by.
    if real.name == _PROXY != place.name:
        real = _toolchain(place)
    if Path.home().resolve().is_relative_to(real):
        raise SandboxError(
            f"the tool {name!r} would show {real} to the code under test", cure="name the folder of the tool"
        )
    return real


def _toolchain(proxy: Path) -> Path:
    """The folder of the toolchain that a proxy of rustup starts; inside, the proxy itself would find none."""
    try:
        done = process.run([proxy.with_name("rustc"), "--print", "sysroot"], timeout_s=60)
        folder = Path(done.stdout.strip())
    except ToolchainError:
        folder = Path()
    if not folder.is_absolute() or not (folder / "bin" / proxy.name).exists():
        raise SandboxError(
            f"the tool {proxy.name!r} is only a proxy of rustup",
            cure="name its toolchain: the folder of `rustc --print sysroot`",
        )
    return folder.resolve()
