"""What a sandboxed process can see and do, as a `docker run` command line.

The same as in `jail`, with a Docker image as the system inside. Nothing of the host is in it but what is bound
read-only; the root is read-only, and work, home and temp folders are in memory. The user is unprivileged, cannot gain a
privilege, and Docker's own filter of system calls holds. Memory and processes are also limited for the container.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steelyard.sandbox.jail import OFFLINE, OWN, Jail, variables

_USER = 60_100
"""Above every account of a machine, and below what an engine without root can map; `accounts` names it."""
_ACCOUNTS = Path(__file__).with_name("accounts")
"""Files of `/etc` with the sandbox's own user."""

WEAK = "a container has one limit of memory, which leaves room for its files: shared memory is counted by that alone"
"""Beside the limit of each process, which does not count it."""


def argv(jail: Jail, command: Sequence[str]) -> list[str]:
    """The command line that runs `command` inside `jail`, as process 1 of a container."""
    assert jail.image is not None
    # --interactive: the supervisor ends with its input, so the container ends with the process that started it.
    # --log-driver=none: otherwise Docker would keep all that passes through the pipe in a file on the host.
    words = ["docker", "run", "--rm", "--interactive", "--pull=never", "--log-driver=none", f"--network={jail.network}"]
    words += ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", f"--user={_USER}:{_USER}"]
    words += ["--hostname=sandbox", f"--workdir={jail.cwd}", *_limits(jail)]
    # An engine gives a folder that the image has the mode it has there; so its owner must be the user inside.
    options = f"rw,exec,nosuid,nodev,mode=1777,uid={_USER},gid={_USER},size={jail.limits.disk_mb}000000"
    words += [word for folder in _folders(jail) for word in ("--tmpfs", f"{folder}:{options}")]
    files = [*_ACCOUNTS.iterdir(), *(OFFLINE.iterdir() if jail.network == "none" else ())]
    etc = tuple((path, f"/etc/{path.name}") for path in sorted(files))
    words += [
        word for host, inside in (*etc, *jail.read_only) for word in ("--mount", f"{_bind(host, inside)},readonly")
    ]
    words += [word for host, inside in jail.writable for word in ("--mount", _bind(host, inside))]
    words += [word for name, value in variables(jail).items() for word in ("--env", f"{name}={value}")]
    # The image's own entry point would take our command for its arguments.
    return [*words, f"--entrypoint={command[0]}", jail.image, *command[1:]]


def _limits(jail: Jail) -> list[str]:
    limits = jail.limits
    words = [f"--ulimit={name}={value}" for name, value in limits.per_process().items()]
    # Not a ulimit, which counts by user: all containers run under the same user id.
    words += [] if limits.processes is None else [f"--pids-limit={limits.processes}"]
    if limits.memory_mb is not None:
        # What is in memory as files counts too, and no process that is killed would free it: it must fit beside them.
        memory = 2 * limits.memory_mb + len(_folders(jail)) * limits.disk_mb
        words += [f"--memory={memory}000000", f"--memory-swap={memory}000000"]
    return words


def _folders(jail: Jail) -> tuple[str, ...]:
    return (*OWN, *jail.folders)


def _bind(host: Path, inside: str) -> str:
    """A bind as a line of CSV, which Docker reads it as."""
    fields = (f"source={host.resolve()}", f"target={inside}")
    return ",".join(("type=bind", *('"' + field.replace('"', '""') + '"' for field in fields)))
