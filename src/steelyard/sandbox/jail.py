"""What a sandboxed process can see and do, as a bubblewrap command line.

No network unless requested; the system is read-only; home, temp, process tree, host name and IPC are private; no
capabilities and no way to gain one; only the named environment variables; a session keyring of its own, and none of the
system calls in `seccomp` that reach past namespaces. For an ordinary user it is rootless (user
namespaces). For root, bubblewrap sets the sandbox up as root and the command starts under an unprivileged user id of
its own, because RLIMIT_NPROC does not apply to root and a remount would write to the host.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from steelyard.errors import SandboxError, command
from steelyard.sandbox.limits import Limits
from steelyard.sandbox.seccomp import program

Network = Literal["none", "host"]

WORK = "/work"
"""The working folder inside the sandbox."""
HOME = "/home/sandbox"
SETPRIV = "/usr/bin/setpriv"
INSTALL = "apt-get install bubblewrap"

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ssl", "ca-certificates", "localtime")
_ETC_RELEASE = ("os-release", "debian_version", "kali_version", "alpine-release")
"""Identify the distribution: Inspect needs them to pick the right build of its tools (`bash_session`)."""
_ETC_NETWORK = ("resolv.conf", "hosts", "nsswitch.conf", "gai.conf")
_SHELL = "/bin/sh"
_LAUNCH = Path(__file__).with_name("launch.py")
"""Passes the account files and the filter on descriptors 3 to 5, which bubblewrap reads."""
OFFLINE = Path(__file__).with_name("offline")
"""Files of `/etc` for a sandbox without a network: `localhost` has an address, other names fail at once."""
_KEYS = ("/proc/keys", "/proc/key-users")
"""Lists of the user's keys, which no namespace covers."""
OWN = ("/tmp", "/var/tmp", HOME, WORK)
"""The sandbox's own folders: private, in memory."""
_MB = 1_000_000
# Above every real account and below the kernel's ceiling: no file of the host belongs to such an id.
_FIRST_UID, _UID_SPAN = 1_000_000_000, 1_000_000_000
_ROOTLESS_UID = 1000


@dataclass(frozen=True, slots=True)
class Jail:
    """What a sandbox contains and allows."""

    read_only: tuple[tuple[Path, str], ...] = ()
    """(host path, path inside), in addition to the system itself."""
    writable: tuple[tuple[Path, str], ...] = ()
    """(host path, path inside); rarely needed, because the sandbox has writable folders of its own."""
    hide: tuple[str, ...] = ()
    """Paths inside that appear as empty folders, whatever was bound there."""
    network: Network = "none"
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    cwd: str = WORK
    limits: Limits = field(default_factory=Limits)
    python: bool = True
    """Whether this process's Python (without its virtual environment) can be used inside."""
    pid1: bool = False
    """Run the command as process 1, which nothing inside can kill; it must then reap orphans itself."""
    folders: tuple[str, ...] = ()
    """Further folders in memory, each a writable mount of its own."""
    nested: bool = False
    """Whether code inside may create user namespaces, for a smaller sandbox within this one."""
    path: tuple[str, ...] = ()
    """Further folders inside where programs are looked up by name, after those of the system."""
    whole_system: bool = True
    """Whether all of `/usr` can be read, or only its programs, its libraries and this process's Python."""
    image: str | None = None
    """The Docker image that is the system inside; None if it is this machine's own, by bubblewrap."""

    @property
    def interpreter(self) -> str:
        """The Python inside."""
        return python_command() if self.image is None else "python3"


def bubblewrap() -> str:
    """The path of the bubblewrap binary; raises with the cure when it is not installed."""
    binary = shutil.which("bwrap")
    if binary is None:
        raise SandboxError("bubblewrap is not installed", cure=INSTALL)
    return binary


def argv(jail: Jail, command: Sequence[str], entrance: int | None = None) -> list[str]:
    """The command line that runs `command` inside `jail`, in the control group with this `entrance` if there is one."""
    root = os.geteuid() == 0
    user = _FIRST_UID + secrets.randbelow(_UID_SPAN) if root else _ROOTLESS_UID
    return [
        *_launch(user, calls := program(namespaces=jail.nested, shared_memory=True), entrance),
        bubblewrap(),
        *(["--seccomp", "5"] if calls else []),
        *_isolation(jail, root),
        *_filesystem(jail),
        *_environment(jail),
        "--",
        *jail.limits.command(),
        *(_drop(user) if root else ()),
        *command,
    ]


def python_command() -> str:
    """The Python that can be used inside a sandbox."""
    return str(Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")


def _launch(user: int, calls: bytes, entrance: int | None) -> list[str]:
    """The command that starts bubblewrap, with the accounts inside: the sandbox's own user, and none of the host's."""
    passwd = (
        "root:x:0:0:root:/root:/usr/sbin/nologin",
        f"sandbox:x:{user}:{user}:sandbox:{HOME}:{_SHELL}",
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
    )
    group = ("root:x:0:", f"sandbox:x:{user}:", "nogroup:x:65534:")
    words = ["" if entrance is None else str(entrance), "\n".join(passwd), "\n".join(group), calls.hex()]
    return [python_command(), "-I", "-S", str(_LAUNCH), *words]


def _isolation(jail: Jail, root: bool) -> list[str]:
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"]
    # --new-session: code that shared the user's terminal could type commands into it.
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    # Root keeps only what it takes to change the user and to kill its processes; `_drop` gives that up too.
    kept = [word for name in ("SETUID", "SETGID", "KILL") for word in ("--cap-add", f"CAP_{name}")]
    words += kept if root else ["--unshare-user", "--uid", str(_ROOTLESS_UID), "--gid", str(_ROOTLESS_UID)]
    # This option needs --unshare-user. For root, the filter of system calls refuses user namespaces.
    words += [] if root or jail.nested else ["--disable-userns"]
    words += ["--as-pid-1"] if jail.pid1 else []
    words += ["--unshare-net"] if jail.network == "none" else []
    return words


def _filesystem(jail: Jail) -> list[str]:
    size = str(jail.limits.disk_mb * _MB)
    words = [word for path in _SYSTEM if Path(path).exists() for word in _system(Path(path), jail.whole_system)]
    names = (*_ETC, *_ETC_RELEASE, *(_ETC_NETWORK if jail.network == "host" else ()))
    words += ["--perms", "0755", "--dir", "/etc"]
    # `launch` has opened the descriptors 3 and 4.
    words += ["--perms", "0444", "--file", "3", "/etc/passwd", "--perms", "0444", "--file", "4", "/etc/group"]
    words += [word for name in names for word in ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")]
    if jail.network == "none":
        words += [word for path in sorted(OFFLINE.iterdir()) for word in ("--ro-bind", str(path), f"/etc/{path.name}")]
    words += ["--proc", "/proc", "--dev", "/dev"]
    # /dev/shm is a mount of its own, because the rest of /dev becomes read-only below.
    for folder in (*OWN, "/dev/shm", *jail.folders):
        words += ["--perms", "1777", "--size", size, "--tmpfs", folder]
    words += [word for path in _KEYS if Path(path).exists() for word in ("--ro-bind", "/dev/null", path)]
    # Without root the sandbox's user owns it: what one program put there, the next would find.
    words += ["--remount-ro", "/dev"]
    python = ((Path(sys.base_prefix), sys.base_prefix),) if _python_outside(jail) else ()
    read_only, writable = (*python, *jail.read_only), jail.writable
    words += _parents([inside for _, inside in (*read_only, *writable)])
    for host, inside in read_only:
        _check_readable(host)
        words += ["--ro-bind", str(host.absolute()), inside]
    for host, inside in writable:
        words += ["--bind", str(host.absolute()), inside]
    for path in jail.hide:
        words += ["--tmpfs", path, "--remount-ro", path]
    # The root of the file system is memory of the sandbox's own, and nothing needs to write to it.
    return [*words, "--remount-ro", "/", "--chdir", jail.cwd]


def _check_readable(host: Path) -> None:
    """Raise if the sandbox's user, whom root makes up, could not read what is bound; a program would only fail."""
    if os.geteuid() == 0 and host.exists():
        needed = 0o005 if host.is_dir() else 0o004
        if host.stat().st_mode & needed != needed:
            raise SandboxError(
                f"the user of the sandbox cannot read {host}: its permissions let only its owner",
                cure=command("chmod", "-R", "o+rX", host),
            )


def _system(path: Path, whole: bool) -> list[str]:
    if path.is_symlink():
        return ["--symlink", os.readlink(path), str(path)]
    if whole or path != Path("/usr"):
        return ["--ro-bind", str(path), str(path)]
    needed = [str(path) for path in _needed() if path.exists()]
    return [*_folders(_above(needed)), *(word for path in needed for word in ("--ro-bind", path, path))]


def _needed() -> list[Path]:
    """What programs need of `/usr`: themselves, libraries of this architecture, time zones; Python if it is there."""
    libraries = [path for path in Path("/usr/lib").glob("*-linux-*") if path.is_dir()] or [Path("/usr/lib")]
    libraries += [path for name in ("lib32", "lib64", "libx32") if not (path := Path("/usr", name)).is_symlink()]
    libraries += [path for pattern in ("ld-*", "python3*") for path in Path("/usr/lib").glob(pattern)]
    needed = [Path("/usr/bin"), *libraries, Path("/usr/share/zoneinfo")]
    if inside_system(sys.base_prefix):
        needed += [Path(python_command()), Path(sysconfig.get_path("stdlib"))]
        needed += Path(sysconfig.get_config_var("LIBDIR") or "/usr/lib").glob("libpython3.*")
    outermost = sorted(set(needed))
    return [path for path in outermost if not any(other in path.parents for other in outermost)]


def _parents(targets: Sequence[str]) -> list[str]:
    """The parent folders of binds outside the system."""
    return _folders(folder for folder in _above(targets) if not inside_system(folder) and folder not in OWN)


def _above(targets: Sequence[str]) -> list[str]:
    """The folders that contain the targets, outer ones first."""
    return sorted({str(parent) for target in targets for parent in PurePosixPath(target).parents if str(parent) != "/"})


def _folders(paths: Iterable[str]) -> list[str]:
    """Empty folders that all can read: bubblewrap itself would create them for its own user only."""
    return [word for path in paths for word in ("--perms", "0755", "--dir", path)]


def _python_outside(jail: Jail) -> bool:
    return jail.python and not inside_system(sys.base_prefix)


def inside_system(path: str) -> bool:
    """Whether every sandbox can read `path` anyway."""
    return any(path == system or path.startswith(system + "/") for system in _SYSTEM)


def _environment(jail: Jail) -> list[str]:
    python = (f"{sys.base_prefix}/bin",) if _python_outside(jail) else ()
    words = ["--clearenv"]
    for name, value in variables(jail, *python).items():
        words += ["--setenv", name, value]
    return words


def variables(jail: Jail, *path: str) -> dict[str, str]:
    """The environment inside; `path` are further folders of programs. Those of a virtual environment come first."""
    own = (f"{home}/bin",) if (home := jail.environment.get("VIRTUAL_ENV")) else ()
    folders = ":".join((*own, "/usr/local/bin:/usr/bin:/bin", *path, *jail.path))
    return {"PATH": folders, "HOME": HOME, "LANG": "C.UTF-8", "TMPDIR": "/tmp", **jail.environment}


def _drop(user: int) -> list[str]:
    """Switch for good to an unprivileged user that only this sandbox has."""
    words = [SETPRIV, f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--no-new-privs"]
    # Changing the user clears the death signal that --die-with-parent set; set it again.
    return [*words, "--pdeathsig=KILL", "--"]
