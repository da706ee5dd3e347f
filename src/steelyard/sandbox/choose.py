"""Which sandbox to use: bubblewrap if it works here, else Docker; without either nothing runs."""

from __future__ import annotations

import shutil
from functools import cache
from typing import NamedTuple

from steelyard import process
from steelyard.errors import SandboxError, ToolchainError
from steelyard.sandbox.jail import INSTALL, Jail, argv, python_command

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


def choose(provider: str = "auto") -> str:
    """The sandbox provider to use: `bubblewrap` or `docker`."""
    if provider in ("auto", "bubblewrap"):
        trial = try_bubblewrap()
        if trial.works:
            return "bubblewrap"
        if provider == "bubblewrap":
            raise SandboxError(trial.detail, cure=trial.cure)
    if provider in ("auto", "docker"):
        if docker_works():
            return "docker"
        raise SandboxError(
            "no sandbox works here: neither bubblewrap nor a Docker engine", cure=f"{INSTALL}, or start Docker"
        )
    raise SandboxError(f"unknown sandbox {provider!r}", cure="use auto, bubblewrap or docker")


@cache
def try_bubblewrap() -> Trial:
    """Start a sandbox and try to escape: network, writing outside, capabilities, processes of the host."""
    try:
        words = argv(Jail(), [python_command(), "-I", "-S", "-c", _PROBE])
        done = process.run(words, timeout_s=_PROBE_S)
    except (SandboxError, ToolchainError) as error:
        return Trial(False, str(error.args[0]), getattr(error, "cure", None) or INSTALL)
    if done.ok and done.stdout.strip() == "isolated":
        return Trial(True, "no network, no writing outside, no capabilities", None)
    lines = (done.stderr or done.stdout).strip().splitlines()
    cure = "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1), or run as root"
    return Trial(False, f"bubblewrap does not isolate here: {lines[-1] if lines else 'no output'}", cure)


@cache
def docker_works() -> bool:
    """Whether a Docker engine answers; the client alone is not enough."""
    if shutil.which("docker") is None:
        return False
    return process.run(["docker", "info"], timeout_s=20).ok
