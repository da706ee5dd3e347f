"""A room: what a sandboxed process can see, as a bubblewrap command line.

Law: no network unless asked for; the system read-only; a private home, temp, process tree, host name and IPC; no
capability and no way to gain one; an environment of exactly what is named. Rootless where the caller is an ordinary
user (user namespaces); where the caller is root, bubblewrap builds the room and the command starts under an
unprivileged user id of its own, because RLIMIT_NPROC does not bind root and a remount would write to the host.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from steelyard.errors import SandboxError
from steelyard.sandbox.limits import Limits

Network = Literal["none", "host"]

WORK = "/work"
"""The working folder inside."""
HOME = "/home/sandbox"
SETPRIV = "/usr/bin/setpriv"
INSTALL = "apt-get install bubblewrap"

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ssl", "ca-certificates", "localtime")
_ETC_RELEASE = ("os-release", "debian_version", "kali_version", "alpine-release")
"""What names the distribution: without it Inspect does not know which of its tools to bring (`bash_session`)."""
_ETC_NETWORK = ("resolv.conf", "hosts", "nsswitch.conf", "gai.conf")
_SHELL = "/bin/sh"
_WITH_ACCOUNTS = """passwd=$1 group=$2
shift 2
exec "$@" 3<<PASSWD 4<<GROUP
$passwd
PASSWD
$group
GROUP"""
"""Starts a room with its accounts on descriptors 3 and 4, from where bubblewrap copies them: no file is left behind."""
_OWN = ("/tmp", "/var/tmp", HOME, WORK)
"""The room's own folders: private, in memory."""
_MB = 1_000_000
# Above every real account and below the kernel's ceiling: no file of the host belongs to such an id.
_FIRST_UID, _UID_SPAN = 1_000_000_000, 1_000_000_000
_ROOTLESS_UID = 1000


@dataclass(frozen=True, slots=True)
class Jail:
    """What is inside."""

    read_only: tuple[tuple[Path, str], ...] = ()
    """(host path, path inside), beside the system itself."""
    writable: tuple[tuple[Path, str], ...] = ()
    """(host path, path inside); a room needs none, its own folders vanish with it."""
    hide: tuple[str, ...] = ()
    """Paths inside that show an empty folder instead of what was bound there."""
    network: Network = "none"
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    cwd: str = WORK
    limits: Limits = field(default_factory=Limits)
    python: bool = True
    """Whether this process's Python (without its virtual environment) can be used inside."""
    pid1: bool = False
    """Run the command as process 1, which nothing inside can kill; it must then reap orphans itself."""
    folders: tuple[str, ...] = ()
    """Further folders of the room's own, each a writable mount in memory."""
    nested: bool = False
    """Whether what runs inside may make user namespaces of its own, to put something smaller into."""


def bubblewrap() -> str:
    """The bubblewrap binary, or the cure."""
    found = shutil.which("bwrap")
    if found is None:
        raise SandboxError("bubblewrap is not installed", cure=INSTALL)
    return found


def argv(jail: Jail, command: Sequence[str]) -> list[str]:
    """The whole command line that runs `command` inside `room`."""
    root = os.geteuid() == 0
    user = _FIRST_UID + secrets.randbelow(_UID_SPAN) if root else _ROOTLESS_UID
    return [
        *_accounts(user),
        bubblewrap(),
        *_isolation(jail, root),
        *_filesystem(jail),
        *_environment(jail),
        "--",
        *jail.limits.command(),
        *(_drop(user) if root else ()),
        *command,
    ]


def python_command() -> str:
    """The Python that can be used inside a jail."""
    return str(Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")


def _accounts(user: int) -> list[str]:
    """The accounts of a room: its own user by name. Those of the host are nobody's business."""
    passwd = (
        "root:x:0:0:root:/root:/usr/sbin/nologin",
        f"sandbox:x:{user}:{user}:sandbox:{HOME}:{_SHELL}",
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
    )
    group = ("root:x:0:", f"sandbox:x:{user}:", "nogroup:x:65534:")
    return [_SHELL, "-c", _WITH_ACCOUNTS, "sh", "\n".join(passwd), "\n".join(group)]


def _isolation(jail: Jail, root: bool) -> list[str]:
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"]
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    # Root keeps just enough to become somebody else, and to kill it; `_drop` gives it up before the command starts.
    kept = [word for name in ("SETUID", "SETGID", "KILL") for word in ("--cap-add", f"CAP_{name}")]
    words += kept if root else ["--unshare-user", "--uid", str(_ROOTLESS_UID), "--gid", str(_ROOTLESS_UID)]
    words += [] if root or jail.nested else ["--disable-userns"]
    words += ["--as-pid-1"] if jail.pid1 else []
    words += ["--unshare-net"] if jail.network == "none" else []
    return words


def _filesystem(jail: Jail) -> list[str]:
    size = str(jail.limits.disk_mb * _MB)
    words = [word for path in _SYSTEM if Path(path).exists() for word in _system(Path(path))]
    names = (*_ETC, *_ETC_RELEASE, *(_ETC_NETWORK if jail.network == "host" else ()))
    words += ["--perms", "0755", "--dir", "/etc"]
    words += ["--perms", "0444", "--file", "3", "/etc/passwd", "--perms", "0444", "--file", "4", "/etc/group"]
    words += [word for name in names for word in ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for folder in (*_OWN, *jail.folders):
        words += ["--perms", "1777", "--size", size, "--tmpfs", folder]
    python = ((Path(sys.base_prefix), sys.base_prefix),) if _python_outside(jail) else ()
    read_only, writable = (*python, *jail.read_only), jail.writable
    words += _parents([inside for _, inside in (*read_only, *writable)])
    for host, inside in read_only:
        words += ["--ro-bind", str(host), inside]
    for host, inside in writable:
        words += ["--bind", str(host), inside]
    for path in jail.hide:
        words += ["--tmpfs", path, "--remount-ro", path]
    # What holds the mount points together is memory of the room's own, but nobody needs to write to it.
    return [*words, "--remount-ro", "/", "--chdir", jail.cwd]


def _system(path: Path) -> tuple[str, ...]:
    if path.is_symlink():
        return ("--symlink", os.readlink(path), str(path))
    return ("--ro-bind", str(path), str(path))


def _parents(targets: Sequence[str]) -> list[str]:
    """Folders on the way to a bind, open to everybody: bubblewrap itself would make them for its own user alone."""
    folders = {str(parent) for target in targets for parent in PurePosixPath(target).parents if str(parent) != "/"}
    made = (folder for folder in sorted(folders) if not _inside_system(folder) and folder not in _OWN)
    return [word for folder in made for word in ("--perms", "0755", "--dir", folder)]


def _python_outside(jail: Jail) -> bool:
    return jail.python and not _inside_system(sys.base_prefix)


def _inside_system(path: str) -> bool:
    return any(path == system or path.startswith(system + "/") for system in _SYSTEM)


def _environment(jail: Jail) -> list[str]:
    path = "/usr/local/bin:/usr/bin:/bin"
    if _python_outside(jail):
        path = f"{path}:{sys.base_prefix}/bin"
    named = {"PATH": path, "HOME": HOME, "LANG": "C.UTF-8", "TMPDIR": "/tmp", **jail.environment}
    words = ["--clearenv"]
    for name, value in named.items():
        words += ["--setenv", name, value]
    return words


def _drop(user: int) -> list[str]:
    """Become an unprivileged user of this room alone, for good."""
    words = [SETPRIV, f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--no-new-privs"]
    # Changing the user clears the death signal that --die-with-parent set; set it again.
    return [*words, "--pdeathsig=KILL", "--"]
