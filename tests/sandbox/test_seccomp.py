"""The filter of system calls: read by a small interpreter for both architectures, and tried for real on this one."""

from __future__ import annotations

import errno
import platform
import struct

import pytest

from steelyard.sandbox.jail import Jail
from steelyard.sandbox.seccomp import program

from .test_jail import inside

ALLOWED = 0
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
KEYCTL = {"x86_64": 250, "aarch64": 219}
BPF = {"x86_64": 321, "aarch64": 280}
PERF = {"x86_64": 298, "aarch64": 241}
PAGE_FAULTS = {"x86_64": 323, "aarch64": 282}
SOCKET = {"x86_64": 41, "aarch64": 198}
UNSHARE = {"x86_64": 272, "aarch64": 97}
MEMFD = {"x86_64": 319, "aarch64": 279}
SEMAPHORES = {"x86_64": 64, "aarch64": 190}
QUEUES = {"x86_64": 68, "aarch64": 186}
MMAP = {"x86_64": 9, "aarch64": 222}
MINCORE = {"x86_64": 27, "aarch64": 232}
PREADV2 = {"x86_64": 327, "aarch64": 286}
CACHESTAT, NO_WAIT = 451, 8
SHARED, PRIVATE, ANONYMOUS = 1, 2, 32
VSOCK = 40


def answer(code: bytes, architecture: int, number: int, argument: int = 0, fourth: int = 0, sixth: int = 0) -> int:
    """What the filter says to a call: an error number, or `ALLOWED`."""
    data = {0: number, 4: architecture, 16: argument, 40: fourth, 56: sixth}
    steps = list(struct.iter_unpack("=HBBI", code))
    place = accumulator = 0
    while True:
        kind, if_true, if_false, operand = steps[place]
        place += 1
        if kind == 0x20:
            accumulator = data[operand]
        elif kind == 0x06:
            return ALLOWED if operand == 0x7FFF0000 else operand & 0xFFFF
        else:
            met = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[kind]
            place += if_true if met else if_false


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_what_the_filter_says(machine: str) -> None:
    here = ARCHITECTURES[machine]
    nested = program(namespaces=True, shared_memory=True, machine=machine)
    closed = program(namespaces=False, shared_memory=False, machine=machine)
    for code in (nested, closed):
        assert {answer(code, here, call[machine]) for call in (KEYCTL, BPF, PERF, PAGE_FAULTS)} == {errno.EPERM}
        assert answer(code, here, SOCKET[machine], VSOCK) == errno.EAFNOSUPPORT
        assert {answer(code, here, SOCKET[machine], family) for family in (1, 2, 10, 16)} == {ALLOWED}
        assert answer(code, here, 0) == ALLOWED
        assert answer(code, here, MINCORE[machine]) == answer(code, here, CACHESTAT) == errno.ENOSYS
        assert answer(code, here, PREADV2[machine], sixth=NO_WAIT) == errno.EOPNOTSUPP
        assert answer(code, here, PREADV2[machine], sixth=1) == ALLOWED
        assert answer(code, 0x40000003, 0) == errno.ENOSYS  # a 32-bit program
    assert answer(nested, here, UNSHARE[machine], 0x10000000) == ALLOWED
    assert answer(closed, here, UNSHARE[machine], 0x10000000) == errno.EPERM
    assert answer(closed, here, UNSHARE[machine], 0x400) == ALLOWED
    for call in (MEMFD, SEMAPHORES, QUEUES):
        assert answer(nested, here, call[machine]) == ALLOWED
        assert answer(closed, here, call[machine]) == errno.ENOSYS
    assert answer(closed, here, 435) == errno.ENOSYS
    assert answer(closed, here, MMAP[machine], fourth=SHARED | ANONYMOUS) == errno.EPERM
    for flags in (SHARED, PRIVATE, PRIVATE | ANONYMOUS):
        assert answer(closed, here, MMAP[machine], fourth=flags) == ALLOWED
    assert answer(nested, here, MMAP[machine], fourth=SHARED | ANONYMOUS) == ALLOWED


def test_an_unknown_machine_has_no_filter() -> None:
    assert program(namespaces=False, shared_memory=False, machine="riscv64") == b""


TRIED = """
import ctypes, errno, socket, sys
library = ctypes.CDLL(None, use_errno=True)
key = library.syscall(int(sys.argv[1]), 0, -3, 0)
print(key, errno.errorcode[ctypes.get_errno()])
try:
    socket.socket(40, socket.SOCK_STREAM)
except OSError as error:
    print(errno.errorcode[error.errno])
print(library.unshare(0x10000000))
try:
    print(open("/proc/keys").read())
except OSError:
    print()
"""


@pytest.mark.skipif(platform.machine() not in KEYCTL, reason="no filter for this machine")
def test_keyrings_other_sockets_and_user_namespaces_are_out_of_reach() -> None:
    code = TRIED.replace("sys.argv[1]", str(KEYCTL[platform.machine()]))
    assert inside(code, Jail()).stdout.split() == ["-1", "EPERM", "EAFNOSUPPORT", "-1"]


ASKED = """
import ctypes, errno, os, sys
with open(os.__file__, "rb") as file:
    os.read(file.fileno(), 1)  # so it is in memory
    for flags in (0, os.RWF_NOWAIT):
        try:
            print(os.preadv(file.fileno(), [bytearray(1)], 0, flags))
        except OSError as error:
            print(error.errno == errno.EOPNOTSUPP)
library = ctypes.CDLL(None, use_errno=True)
print(library.mincore(0, 0, 0), errno.errorcode[ctypes.get_errno()])
"""


@pytest.mark.skipif(platform.machine() not in KEYCTL, reason="no filter for this machine")
def test_what_the_kernel_keeps_of_a_shared_file_is_not_told() -> None:
    assert inside(ASKED).stdout.split() == ["1", "True", "-1", "ENOSYS"]


LEFT = """
open("/dev/shm/x", "w").close()
try:
    open("/dev/x", "w")
except OSError as error:
    print(error.errno)
"""


def test_nothing_can_be_left_in_dev() -> None:
    assert inside(LEFT).stdout.split()[0] in (str(errno.EROFS), str(errno.EACCES))
