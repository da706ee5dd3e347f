# Plain calls on purpose: this code is forked and loads nothing it does not need.
"""Puts an app into its own user, mount, process and IPC namespaces, without capabilities, between fork and run.

An app cannot address anything outside its process namespace, so it can neither signal nor trace the kernel or
Node; when the namespace's first process ends, Linux ends every other process in it. Folders that only Node may
write to (its own modules) are read-only for the app.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct

_libc = ctypes.CDLL(None, use_errno=True)

# Python has `os.unshare` and these numbers only from 3.12 on.
_NEW_NS, _NEW_IPC, _NEW_USER, _NEW_PID = 0x00020000, 0x08000000, 0x10000000, 0x20000000
READ_ONLY = ("/kernel", "/proc")
"""Folders that an app may only read: Node's modules, and the settings of other processes in `/proc`."""
_KEPT_FLAGS = {os.ST_NOSUID: 2, os.ST_NODEV: 4, os.ST_NOEXEC: 8, os.ST_NOATIME: 1024, os.ST_NODIRATIME: 2048,
               os.ST_RELATIME: 1 << 21}  # fmt: skip
"""Flags of a mount that a user namespace must keep: as `statvfs` reports them → as `mount` takes them."""
_RDONLY, _NOSUID, _NODEV, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_PR_SET_SECCOMP, _SECCOMP_FILTER = 22, 2
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}
_LAST_CAP = 63
_INODES = 4_096
"""Files and folders in each private folder: every one costs memory of Linux's own that no size limit counts."""


def enter(read_only: tuple[str, ...], private: tuple[str, ...], private_mb: int) -> None:
    """Leave the kernel's namespaces; the next child is process 1 of a new process namespace."""
    user, group = os.getuid(), os.getgid()
    set_dumpable(True)  # /proc/self/uid_map belongs to root otherwise
    _check(_libc.unshare(_NEW_USER | _NEW_NS | _NEW_PID | _NEW_IPC), "unshare")
    # Linux accepts a gid_map of an ordinary user only after this.
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    set_dumpable(False)
    # Otherwise the mounts below would appear in the kernel's namespace too.
    _mount(None, "/", None, _REC | _PRIVATE, None)
    for folder in read_only:
        _mount(None, folder, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV | _flags(folder), None)
    # Reads the same, and cannot be mapped: what is mapped from /dev/zero is memory that no limit counts.
    _mount("/dev/full", "/dev/zero", None, _BIND, None)
    for folder in private:
        _mount("tmpfs", folder, "tmpfs", _NOSUID | _NODEV, f"size={private_mb}m,nr_inodes={_INODES},mode=0700")


def _flags(folder: str) -> int:
    present = os.statvfs(folder).f_flag
    return sum(flag for reported, flag in _KEPT_FLAGS.items() if present & reported)


def drop_capabilities() -> None:
    """Give up the capabilities of a new user namespace, and every way to regain them."""
    for capability in range(_LAST_CAP + 1):
        # Unchecked: Linux does not know the highest numbers yet.
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    # Version 3 of the call: two words each for the effective, permitted and inheritable set.
    header = ctypes.create_string_buffer(struct.pack("II", 0x20080522, 0))
    empty = ctypes.create_string_buffer(24)
    _check(_libc.syscall(_SYS_CAPSET[os.uname().machine], header, empty), "capset")


def filter_calls(program: bytes) -> None:
    """Have Linux refuse system calls by this filter, for this process and everything it starts."""
    # Empty on a machine whose calls are not known.
    if program:
        code = ctypes.create_string_buffer(program, len(program))
        # `struct sock_fprog`: how many instructions of eight bytes, and where they are.
        whole = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code)))
        _check(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_FILTER, whole, 0, 0), "seccomp")


def die_with_parent() -> None:
    """Have this process killed when its parent ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "pdeathsig")


def set_dumpable(allowed: bool) -> None:
    """Set whether processes of the same user may inspect this one."""
    _check(_libc.prctl(_PR_SET_DUMPABLE, int(allowed), 0, 0, 0), "dumpable")


def limit(limits: dict[str, int]) -> None:
    """Lower resource limits: names as in `resource.RLIMIT_…`."""
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(kind)
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (ceiling, ceiling))


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None) -> None:
    def raw(text: str | None) -> bytes | None:
        return None if text is None else text.encode()

    _check(_libc.mount(raw(source), raw(target), raw(kind), ctypes.c_ulong(flags), raw(data)), f"mount {target}")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _check(result: int, doing: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{doing}: {os.strerror(code)}")
