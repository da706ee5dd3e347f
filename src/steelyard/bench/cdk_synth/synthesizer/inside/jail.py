# Plain calls on purpose: a program of its own that loads nothing it does not need.
"""Runs programs that Node starts for an app (a build command, a bundler) with the same restrictions as the app.

    jail.main([TERMS, PROGRAM, ARGUMENT, …])

Node is trusted and outside the app's namespaces; a program it starts belongs to the app and must not be. The program
gets its own user, mount, process and IPC namespaces, no capabilities, the app's limits and filter of system calls
(TERMS, in JSON), and Node's modules read-only: it can address neither Node nor the kernel, and when it ends, everything
it left running ends with it.
"""

from __future__ import annotations

import json
import os
from typing import Any

from . import namespace

PRIVATE_MB = 16
NOT_FOUND = 127


def main(words: list[str]) -> int:
    """Run the command under the terms before it; returns its exit code as a shell would report it."""
    namespace.die_with_parent()
    namespace.enter(namespace.READ_ONLY, ("/dev/shm", "/var/tmp", "/home/sandbox"), PRIVATE_MB)
    first = os.fork()
    if first == 0:
        _wait_as_init(json.loads(words[0]), words[1:])
    return _code(os.waitpid(first, 0)[1])


def _wait_as_init(terms: dict[str, Any], command: list[str]) -> None:
    """Process 1 of the new namespace: when it ends, Linux ends everything else in it."""
    code = NOT_FOUND
    try:
        namespace.die_with_parent()
        namespace.drop_capabilities()
        namespace.filter_calls(bytes.fromhex(terms["calls"]))
        child = os.fork()
        if child == 0:
            namespace.limit(terms["limits"])
            _become(command)
        ended, how = os.wait()
        # What the command leaves behind is handed to process 1, and its end does not count.
        while ended != child:
            ended, how = os.wait()
        code = _code(how)
    finally:
        os._exit(code)


def _become(command: list[str]) -> None:
    try:
        namespace.set_dumpable(True)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(NOT_FOUND)


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
