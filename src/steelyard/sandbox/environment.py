"""Python packages for code in a sandbox: installed once per content, then read-only and without a network.

    key = hash of the requirements, the last day that counts, the Python inside, the image and the machine

Installing a package may run its code, so that happens in a sandbox too: one with a network and the folder to fill, and
with nothing else of the host. The same folder is then bound read-only into every sandbox that asks for it.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import SandboxError, ToolchainError, boundary
from steelyard.sandbox.choose import BUBBLEWRAP, Sandbox
from steelyard.sandbox.host import run
from steelyard.sandbox.jail import Jail, python_command
from steelyard.sandbox.limits import Limits
from steelyard.toolchain import cache_folder, cache_lock, require

INSIDE = "/opt/environment"
"""Where the packages are in a sandbox."""
PYTHON = f"{INSIDE}/bin/python"
INSTALL_S = 1_800.0
"""Time limit of an installation."""
_UV = "/run/steelyard/uv"
_ASKED = "/run/steelyard/requirements.txt"
_DONE = "steelyard.json"
"""In a complete environment: what was asked for and what was installed."""
NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
_LINKS = "UV_FIND_LINKS"
"""Folders with wheels; those of this machine can be read by the installation."""
_INDEX = ("UV_INDEX", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", _LINKS, "UV_NATIVE_TLS", "UV_NO_INDEX", "UV_OFFLINE")
"""Variables of the host that say where packages come from; they reach the installation and nothing else."""
# copy: uv's cache is on another file system, in the sandbox's own /tmp. compile-bytecode: later the folder is
# read-only, and Python could not keep what it compiles. allow-existing: the folder is a mount point.
_INSTALL = f"""set -e
python=$1; shift
"$0" venv --quiet --python "$python" --allow-existing {INSIDE}
"$0" pip install --quiet --python {PYTHON} --link-mode copy --compile-bytecode -r {_ASKED} "$@"
exec "$0" pip freeze --python {PYTHON}
"""

Say = Callable[[str], None]
"""Receives one line per step."""


@dataclass(frozen=True, slots=True)
class Packages:
    """What to install."""

    text: str
    """Lines as in a requirements file."""
    until: str | None = None
    """Nothing that was published after this day (ISO 8601) is installed; None for the newest."""

    @property
    def sha(self) -> str:
        """Equal for equal requirements."""
        return hashlib.sha256(json.dumps([self.text, self.until]).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Environment:
    """Installed packages."""

    folder: Path
    """On the host."""
    versions: tuple[str, ...]
    """`name==version` of everything in it."""

    @property
    def binds(self) -> tuple[tuple[Path, str], ...]:
        """What a sandbox needs in order to contain it."""
        return ((self.folder, INSIDE),)

    @property
    def variables(self) -> dict[str, str]:
        """What a sandbox needs in its environment; `jail.variables` then puts its programs first."""
        return {"VIRTUAL_ENV": INSIDE}


def environment(packages: Packages, place: Sandbox = BUBBLEWRAP, say: Say = lambda line: None) -> Environment:
    """The environment with these packages, installed if it is not there yet; `ToolchainError` with the cause if not."""
    if place.foreign:
        raise SandboxError(
            f"packages cannot be installed for the sandbox {place.name}", cure="install them in its image"
        )
    folder = cache_folder() / "environments" / _key(packages, place)
    with cache_lock(f"environment-{folder.name}.lock"):
        if not (folder / _DONE).is_file():
            say(f"installing packages: {_shown(packages.text)}")
            _install(packages, place, folder)
    return Environment(folder, tuple(_record(folder)["versions"]))


def _key(packages: Packages, place: Sandbox) -> str:
    parts = [packages.sha, python_command(), platform.python_version(), platform.machine(), place.image]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _record(folder: Path) -> Mapping[str, list[str]]:
    with boundary(ToolchainError, f"cannot read {folder / _DONE}", cure=f"remove {folder}"):
        return json.loads((folder / _DONE).read_text("utf-8"))


def _install(packages: Packages, place: Sandbox, folder: Path) -> None:
    with boundary(ToolchainError, f"cannot write to {folder}", cure="set STEELYARD_CACHE to a writable folder"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        # For root, the sandbox runs under a user id that nobody has.
        folder.chmod(0o777)
        asked = folder.with_suffix(".txt")
        asked.write_text(packages.text, "utf-8")
        asked.chmod(0o644)
    try:
        python = python_command() if place.image is None else "python3"
        newest = [] if packages.until is None else ["--exclude-newer", packages.until]
        # One sandbox for all of it: for root, the next one has another user, who may not write here.
        done = run(_jail(place, folder, asked), ["/bin/sh", "-c", _INSTALL, _UV, python, *newest], timeout_s=INSTALL_S)
        if not done.ok:
            cause = "it took too long" if done.timed_out else _cause(done.stderr or done.stdout)
            raise ToolchainError(f"cannot install {_shown(packages.text)}: {cause}", cure="correct the requirements")
        versions = done.stdout.splitlines()
        folder.chmod(0o755)
        # Written last: a folder without it is installed again.
        (folder / _DONE).write_text(json.dumps({"asked": packages.text.splitlines(), "versions": versions}), "utf-8")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        asked.unlink(missing_ok=True)


def _jail(place: Sandbox, folder: Path, asked: Path) -> Jail:
    # Some programs read these in capitals, others in small letters.
    names = [*_INDEX, *NETWORK, *(name.lower() for name in NETWORK)]
    passed = {name: os.environ[name] for name in names if name in os.environ}
    links = [Path(word) for word in re.split(r"[\s,]+", passed.get(_LINKS, "")) if word and Path(word).is_dir()]
    return Jail(
        read_only=((_uv(), _UV), (asked, _ASKED), *((path, str(path)) for path in links)),
        writable=((folder, INSIDE),),
        network="host",
        environment={**passed, "UV_NO_CONFIG": "1", "UV_PYTHON_DOWNLOADS": "never", "UV_CACHE_DIR": "/tmp/uv"},
        limits=Limits(memory_mb=None, processes=1_024, file_mb=4_096, disk_mb=8_192, open_files=8_192),
        image=place.image,
    )


def _uv() -> Path:
    require("repository", "uv")
    from uv import find_uv_bin

    return Path(find_uv_bin())


def _cause(text: str) -> str:
    """What uv says went wrong, on one line."""
    lines = [line.strip(" ×│╰─▶├") for line in text.splitlines() if line.strip()]
    kept = [line for line in lines if line and not line.startswith(("Using Python", "warning:"))]
    return " ".join(kept)[:500] or "no output"


def _shown(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith(("#", "--"))]
    # A requirement with hashes continues after a backslash.
    names = [line.split(" \\")[0] for line in lines]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "") if names else "nothing"
