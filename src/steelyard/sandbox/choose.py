"""Which sandbox to use, and whether it works here; without one nothing runs.

auto          bubblewrap if it works here, else docker
bubblewrap    this machine's own system, read-only
docker        a Docker image with Python 3: `docker:IMAGE`, or the official one of this Python's version
NAME          any other Inspect sandbox: `NAME`, or `NAME:FILE` with its configuration
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from steelyard import process
from steelyard.errors import SandboxError, ToolchainError, command
from steelyard.process import isolated
from steelyard.sandbox.host import run
from steelyard.sandbox.jail import INSTALL, Jail, python_command

IMAGE = f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
"""The system inside a `docker` sandbox if no other image is named."""

_PROBE_S = 120.0
_PROBE = """
import os, socket, sys
try:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
except ConnectionRefusedError:
    pass  # a loopback interface of its own: nobody listens
except OSError:
    pass
links = [line.split(":")[0].strip() for line in open("/proc/net/dev").read().splitlines()[2:]]
assert set(links) <= {"lo"}, f"network interfaces inside: {links}"
for path in ("/usr/steelyard-probe", "/etc/steelyard-probe"):
    try:
        open(path, "w").close()
    except OSError:
        continue
    sys.exit(f"could write {path}")
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
assert int(status["CapEff"], 16) == 0, "capabilities are left"
assert len([name for name in os.listdir("/proc") if name.isdigit()]) < 10, "sees processes of the host"
open("probe", "w").write("ok")
print("isolated")
"""


class Trial(NamedTuple):
    """The result of really trying a sandbox."""

    works: bool
    detail: str
    cure: str | None


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A sandbox that works here."""

    name: str = "bubblewrap"
    """`bubblewrap`, `docker`, or the name of another Inspect sandbox."""
    image: str | None = None
    """`docker`: the id of the image."""
    config: str | None = None
    """Another Inspect sandbox: the file that configures it, if any."""

    @property
    def foreign(self) -> bool:
        """Whether only Inspect can start it."""
        return self.name not in ("bubblewrap", "docker")

    @property
    def python(self) -> str:
        """The Python inside."""
        return python_command() if self.name == "bubblewrap" else "python3"

    @property
    def identity(self) -> str:
        """Equal for two sandboxes if the same programs are inside."""
        # The content counts, not the path: otherwise an edited file would still find what was prepared for the old one.
        config = self.config and hashlib.sha256(Path(self.config).read_bytes()).hexdigest()[:12]
        return " ".join(part for part in (self.name, self.image, config) if part)


BUBBLEWRAP = Sandbox()
"""The sandbox that is used unless another one is named."""


def choose(wanted: str = "auto") -> Sandbox:
    """The sandbox of that name; `SandboxError` with the cure if it does not work here."""
    name, _, detail = wanted.partition(":")
    if wanted in ("auto", "bubblewrap"):
        trial = try_bubblewrap()
        if trial.works:
            return BUBBLEWRAP
        if wanted == "bubblewrap":
            raise SandboxError(trial.detail, cure=trial.cure)
    if wanted == "auto" and not docker_works():
        raise SandboxError(
            "no sandbox works here: neither bubblewrap nor a Docker engine", cure=f"{INSTALL}, or start Docker"
        )
    if wanted == "auto" or name == "docker":
        trial = try_docker(detail or IMAGE)
        if not trial.works:
            raise SandboxError(trial.detail, cure=trial.cure)
        return Sandbox("docker", image=trial.detail)
    return _foreign(name, detail or None)


def _foreign(name: str, config: str | None) -> Sandbox:
    from inspect_ai.util._sandbox.registry import registry_find_sandboxenv

    if name == "local":
        raise SandboxError("the sandbox 'local' isolates nothing", cure="bubblewrap or docker")
    cure = "bubblewrap, docker, docker:IMAGE, or an Inspect sandbox that is installed"
    if name == "bubblewrap":
        raise SandboxError(f"the sandbox bubblewrap has no configuration {config!r}", cure=cure)
    try:
        registry_find_sandboxenv(name)
    except ValueError as error:
        raise SandboxError(f"unknown sandbox {name!r}", cure=cure) from error
    if config is not None and not Path(config).is_file():
        raise SandboxError(f"the configuration {config} of the sandbox {name} does not exist")
    return Sandbox(name, config=config)


@cache
def try_bubblewrap() -> Trial:
    """Start a sandbox and try to escape: network, writing outside, capabilities, processes of the host."""
    problem = _problem(Jail())
    if problem is None:
        return Trial(True, "no network, no writing outside, no capabilities", None)
    cure = "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1), or run as root"
    if problem.cure is not None:
        return Trial(False, problem.text, problem.cure)
    return Trial(False, f"bubblewrap does not isolate here: {problem.text}", cure)


@cache
def try_docker(image: str) -> Trial:
    """The same with a container of that image; the detail is the id of the image if it works."""
    if not docker_works():
        return Trial(False, "no Docker engine answers", "start Docker, or use --sandbox bubblewrap")
    found = process.run(
        # The id, because a tag may move in the middle of a run.
        ["docker", "image", "inspect", "--format={{.Id}}", "--", image],
        env=isolated.environment("DOCKER_"),
        timeout_s=_PROBE_S,
    )
    if not found.ok:
        cure = f"{command('docker', 'pull', image)}, or --sandbox docker:IMAGE"
        return Trial(False, f"the Docker engine has no image {image}", cure)
    number = found.stdout.strip()
    problem = _problem(Jail(image=number))
    if problem is None:
        return Trial(True, number, None)
    return Trial(
        False, f"no sandbox can be made of the image {image}: {problem.text}", "an image with Python 3 and tar"
    )


class _Problem(NamedTuple):
    text: str
    cure: str | None = None


def _problem(jail: Jail) -> _Problem | None:
    """Why a sandbox does not start or does not isolate; None if it does both."""
    try:
        done = run(jail, [jail.interpreter, "-I", "-S", "-c", _PROBE], timeout_s=_PROBE_S)
    except (SandboxError, ToolchainError) as error:
        return _Problem(str(error.args[0]), getattr(error, "cure", None) or INSTALL)
    if done.ok and done.stdout.strip() == "isolated":
        return None
    lines = (done.stderr or done.stdout).strip().splitlines()
    # The last line of a traceback is the error itself.
    return _Problem(lines[-1] if lines else "no output")


@cache
def docker_works() -> bool:
    """Whether a Docker engine answers; the client alone is not enough."""
    if shutil.which("docker") is None:
        return False
    return process.run(["docker", "info"], env=isolated.environment("DOCKER_"), timeout_s=20).ok
