# Plain calls on purpose: this code is forked and loads nothing it does not need.
# ruff: noqa: SIM115
"""Runs one app: forked from the warm kernel, executed as by `python app.py`.

Three processes: the first enters new namespaces, the second is process 1 in them and only waits, the third is the app.
Only the third runs untrusted code. The kernel gets its wait status from Linux.
"""

from __future__ import annotations

import atexit
import builtins
import gc
import os
import random
import runpy
import signal
import socket
import sys
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, cast

from . import imports, namespace, node

WORK = "/work"
"""The working folder."""
_LONG = 1 << 63
_leave = os._exit
"""Bound here because the app may put another into `os`."""


@dataclass(frozen=True)
class Program:
    """What to run: `python TARGET ARGUMENTS`, or with `-m` if it is a module."""

    target: str
    module: bool
    arguments: tuple[str, ...]

    @property
    def script(self) -> str:
        """The path of the script."""
        return os.path.join(WORK, self.target)


@dataclass(frozen=True)
class Terms:
    """An app, its environment and its limits."""

    program: Program
    environment: dict[str, str]
    limits: dict[str, int]
    private_mb: int
    calls: str
    """The filter of its system calls, in hexadecimal."""
    group: int | None = None
    """A descriptor by which it enters its memory control group."""


class CatchAll:
    """Passes any exception to `handle` and suppresses it, because a forked process must not return to its caller."""

    def __init__(self, handle: Callable[[BaseException], object]) -> None:
        self._handle = handle

    def __enter__(self) -> CatchAll:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if error is not None:
            self._handle(error)
        return True


def start(terms: Terms, channel: socket.socket, relay_end: socket.socket, status: int) -> int:
    """Fork an app; returns the first process. `status` receives the app's outer pid, then its wait status."""
    first = os.fork()
    if first:
        return first
    relay_end.close()  # otherwise the app would not notice when the relay hangs up
    with CatchAll(lambda error: os.write(status, b"failed %b\n" % str(error).encode()[:500])):
        # The kernel's watch handles alarms; the app starts without handlers, as in stock Python.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        namespace.die_with_parent()
        if terms.group is not None:
            # "0" is the process that writes; what it forks is in the group too.
            os.write(terms.group, b"0")
            os.close(terms.group)
        namespace.enter(namespace.READ_ONLY, ("/dev/shm", "/var/tmp", "/home/sandbox"), terms.private_mb)
        second = os.fork()
        if second == 0:
            _wait_as_init(terms, channel, status)
        os.write(status, b"%d\n" % second)
        channel.close()
        os.waitpid(second, 0)
    os._exit(0)


def _wait_as_init(terms: Terms, channel: socket.socket, status: int) -> None:
    try:
        namespace.die_with_parent()
        namespace.drop_capabilities()
        namespace.filter_calls(bytes.fromhex(terms.calls))
        child = os.fork()
        if child == 0:
            # Otherwise the app could report a wait status of its own making.
            os.close(status)
            _run(terms, channel)
        channel.close()
        while True:
            ended, how = os.wait()
            if ended == child:
                # Then process 1 ends, and with it everything that the app left running.
                os.write(status, b"status %d\n" % how)
                os._exit(0)
    finally:
        os._exit(71)


def _run(terms: Terms, channel: socket.socket) -> None:
    code = 1
    try:
        _settle(terms, channel)
        code = _main(terms.program)
        code = _finish(code)
    finally:
        _leave(code)


def _settle(terms: Terms, channel: socket.socket) -> None:
    os.setsid()
    # Otherwise the app's own files in /proc would belong to root.
    namespace.set_dumpable(True)
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    kept = os.dup2(channel.fileno(), 3, inheritable=False)
    # The rest is the kernel's: its frames, its end of Node's socket, the control group.
    os.closerange(4, 4096)
    node.redirect(socket.socket(fileno=kept))
    channel.detach()
    os.environ.clear()
    os.environ.update(terms.environment)
    os.chdir(WORK)
    program = terms.program
    sys.argv = [program.target, *program.arguments]
    sys.path.remove("/synthesizer")
    # In front of the packages: the kernel was started with -P, so there is no entry of a script to replace.
    sys.path.insert(0, WORK if program.module else os.path.dirname(program.script))
    sys.stdin = open(0, closefd=False)
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    given = terms.environment
    imports.Withheld(lambda: node.announce(_changed(given)))
    # The app must not find our own code among its modules.
    for name in [name for name in sys.modules if name.split(".")[0] == __package__]:
        del sys.modules[name]
    sys.exit = _exit
    # All apps of a kernel would otherwise draw the same numbers.
    random.seed()
    namespace.limit(terms.limits)
    gc.enable()


def _changed(given: dict[str, str]) -> dict[str, str | None]:
    """The CLI's variables that the app has set since it started, or removed (None)."""
    names = {name for name in (*given, *os.environ) if name.startswith("CDK_")}
    return {name: os.environ.get(name) for name in names if os.environ.get(name) != given.get(name)}


def _main(program: Program) -> int:
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins)
    sys.modules["__main__"] = module
    codes: list[int] = []
    with CatchAll(lambda error: codes.append(_exit_code(error))):
        if program.module:
            runpy._run_module_as_main(program.target)  # type: ignore[attr-defined]
        else:
            module.__dict__.update(__file__=program.script)
            with open(program.script, "rb") as file:
                source = file.read()
            if b"\0" in source:
                raise _null_byte(source, program.script)  # here: the first frame of a traceback is not shown
            # `dont_inherit`: the `from __future__` of this file must not hold for the app.
            exec(compile(source, program.script, "exec", dont_inherit=True), module.__dict__)
    return codes[0] if codes else 0


def _null_byte(source: bytes, script: str) -> SyntaxError:
    """What `python app.py` says; `compile` raises another error before 3.11.4, and names no line after it."""
    line = source[: source.index(b"\0")].count(b"\n") + 1
    return SyntaxError("source code cannot contain null bytes", (script, line, None, None))


def _exit(status: object = None, /) -> NoReturn:
    """Exit the interpreter by raising SystemExit(status).

    A tuple is a failure, as it is to 3.11; since 3.12, the first item of one would be the exit code.
    """
    raise SystemExit(status)


def _exit_code(error: BaseException) -> int:
    """What the interpreter does with an uncaught exception."""
    # By their types throughout: `isinstance` believes an object that says it is something else.
    if not issubclass(type(error), SystemExit):
        # The first frame is ours.
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        return _shown(error.with_traceback(trace))
    code: object = cast("SystemExit", error).code
    if code is None:
        return 0
    if issubclass(type(code), int):
        code = cast(int, code)
        # The methods of `int` itself: a subclass may have its own. What is too large for a C long is -1.
        fits = int.__ge__(code, -_LONG) and int.__lt__(code, _LONG)
        return int.__and__(code, 0xFF) if fits else 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def _shown(error: BaseException) -> int:
    """Have the app's own hook show an error; the exit code, which the hook may choose by an exit of its own."""
    raised: list[BaseException] = []
    with CatchAll(raised.append):
        sys.excepthook(type(error), error, error.__traceback__)
    if not raised:
        return 1
    if issubclass(type(raised[0]), SystemExit):
        return _exit_code(raised[0])
    sys.__excepthook__(type(error), error, error.__traceback__)
    return 1


def _finish(code: int) -> int:
    """What the interpreter does at exit, except tearing down modules."""
    # Waits for the threads that are no daemons, which the interpreter does before it runs exit functions.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    failed: list[BaseException] = []
    for name in ("stdout", "stderr"):
        with CatchAll(failed.append):
            stream = getattr(sys, name, None)
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
    # The interpreter's own exit code where it cannot flush its output.
    return 120 if failed else code
