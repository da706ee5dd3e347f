"""System calls that a sandbox refuses, as a filter for the kernel.

Namespaces do not cover everything: the keyrings of the user are shared with the host, some socket families (such as
the one to the host of a virtual machine) ignore network namespaces, and a new user namespace brings back file systems
in memory that no limit counts. Programs, counters and page faults of the kernel (bpf, perf_event_open, userfaultfd)
need no privilege on some machines. What the kernel keeps in memory of files that sandboxes share (mincore, cachestat, a
read that does not wait) would tell one sandbox what another has read. Everything else stays allowed. Calls of another
architecture are refused altogether, and so is io_uring, which makes calls that no filter sees.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable

_NUMBERS = {
    "x86_64": {"add_key": 248, "request_key": 249, "keyctl": 250, "socket": 41, "unshare": 272, "clone": 56,
               "setns": 308, "shmget": 29, "semget": 64, "msgget": 68, "memfd_create": 319, "bpf": 321,
               "perf_event_open": 298, "userfaultfd": 323, "mmap": 9, "mincore": 27, "preadv2": 327},
    "aarch64": {"add_key": 217, "request_key": 218, "keyctl": 219, "socket": 198, "unshare": 97, "clone": 220,
                "setns": 268, "shmget": 194, "semget": 190, "msgget": 186, "memfd_create": 279, "bpf": 280,
                "perf_event_open": 241, "userfaultfd": 282, "mmap": 222, "mincore": 232, "preadv2": 286},
}  # fmt: skip
_EVERYWHERE = {"clone3": 435, "io_uring_setup": 425, "memfd_secret": 447, "cachestat": 451}
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
"""From this number on, x86-64 knows a second set of calls."""
_FAMILIES = (1, 2, 10, 16)
"""Socket families that namespaces cover: Unix, IPv4, IPv6 and netlink."""
_NEW_USER = 0x10000000
_NO_WAIT = 0x08
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _FOURTH_ARGUMENT, _SIXTH_ARGUMENT = 0, 4, 16, 40, 56
_SHARED, _ANONYMOUS = 0x01, 0x20
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000

Step = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand."""


def program(*, namespaces: bool, shared_memory: bool, machine: str | None = None) -> bytes:
    """The filter for this machine; empty if its calls are not known.

    Args:
        namespaces: Whether user namespaces may be created.
        shared_memory: Whether there may be memory that no limit counts (memfd; shared memory, semaphores and queues of
            System V; shared memory without a file, which stays when no process has it in its own).
        machine: The architecture; None means that of this machine.
    """
    machine = machine or platform.machine()
    if machine not in _NUMBERS:
        return b""
    call = _NUMBERS[machine] | _EVERYWHERE
    # The architecture is checked first: on another one, the same numbers mean other calls.
    steps: list[Step] = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, _ARCHITECTURES[machine]), _refuse(errno.ENOSYS)]
    steps += [(_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _X32), _refuse(errno.ENOSYS)]
    kernel = ("bpf", "perf_event_open", "userfaultfd")
    steps += _always([call[name] for name in ("add_key", "request_key", "keyctl", *kernel)], errno.EPERM)
    # ENOSYS looks like an older kernel, so libraries fall back to what such a kernel has.
    steps += _always([call[name] for name in ("io_uring_setup", "mincore", "cachestat")], errno.ENOSYS)
    steps += _without_flag(call["preadv2"], _NO_WAIT, errno.EOPNOTSUPP, _SIXTH_ARGUMENT)
    steps += _only_families(call["socket"])
    if not namespaces:
        steps += [step for name in ("unshare", "clone") for step in _without_flag(call[name], _NEW_USER, errno.EPERM)]
        # Its flags are out of a filter's reach; the C library then uses `clone`.
        steps += _always([call["clone3"]], errno.ENOSYS) + _always([call["setns"]], errno.EPERM)
    if not shared_memory:
        uncounted = ("shmget", "semget", "msgget", "memfd_create", "memfd_secret")
        steps += _always([call[name] for name in uncounted], errno.ENOSYS) + _without_shared(call["mmap"])
    steps += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _refuse(code: int) -> Step:
    return (_RETURN, 0, 0, _ERROR | code)


def _always(numbers: Iterable[int], code: int) -> list[Step]:
    return [step for number in numbers for step in ((_EQUAL, 0, 1, number), _refuse(code))]


def _only_families(number: int) -> list[Step]:
    count = len(_FAMILIES)
    allowed = [(_EQUAL, count - place, 0, family) for place, family in enumerate(_FAMILIES)]
    # The argument has replaced the call's number in the register, so every path must end here, and likewise below.
    end = [_refuse(errno.EAFNOSUPPORT), (_RETURN, 0, 0, _ALLOW)]
    return [(_EQUAL, 0, count + 3, number), (_LOAD, 0, 0, _FIRST_ARGUMENT), *allowed, *end]


def _without_flag(number: int, flag: int, code: int, argument: int = _FIRST_ARGUMENT) -> list[Step]:
    checked = [(_LOAD, 0, 0, argument), (_ANY_BIT, 0, 1, flag)]
    return [(_EQUAL, 0, 4, number), *checked, _refuse(code), (_RETURN, 0, 0, _ALLOW)]


def _without_shared(number: int) -> list[Step]:
    checked = [(_LOAD, 0, 0, _FOURTH_ARGUMENT), (_ANY_BIT, 0, 2, _ANONYMOUS), (_ANY_BIT, 0, 1, _SHARED)]
    return [(_EQUAL, 0, 5, number), *checked, _refuse(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
