"""Starts bubblewrap: run as a program of its own, with nothing but the standard library.

    python -I -S launch.py ENTRANCE PASSWD GROUP FILTER bwrap …

The account files and the filter of system calls (in hexadecimal) reach bubblewrap on descriptors 3, 4 and 5, so that no
file is left behind. The sandbox gets a session keyring of its own instead of the user's. ENTRANCE is the descriptor by
which it enters a memory control group, or empty.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import sys

KEYCTL = {"x86_64": 250, "aarch64": 219}
JOIN_SESSION_KEYRING = 1
FIRST = 3
"""Descriptor of the first file."""


def main(entrance: str, passwd: str, group: str, calls: str, command: list[str]) -> None:
    """Become `command`."""
    if entrance:
        # 0 stands for the writing process itself.
        os.write(int(entrance), b"0")
        os.close(int(entrance))
    if platform.machine() in KEYCTL:
        # Fails where the kernel has no keyrings or forbids them; there is nothing to protect then.
        ctypes.CDLL(None).syscall(KEYCTL[platform.machine()], JOIN_SESSION_KEYRING, None, None, None, None)
    contents = (f"{passwd}\n".encode(), f"{group}\n".encode(), bytes.fromhex(calls))
    # First above the descriptors they will get, so that none overwrites another.
    files = [fcntl.fcntl(in_memory(content), fcntl.F_DUPFD_CLOEXEC, 10) for content in contents]
    for number, file in enumerate(files, FIRST):
        os.dup2(file, number)
    os.execv(command[0], command)


def in_memory(content: bytes) -> int:
    """A file in memory with this content, to be read from its beginning."""
    file = os.memfd_create("steelyard")
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    return file


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
