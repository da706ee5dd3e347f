"""Classifies a failed app by its first cause, with the few lines that matter (docs/scoring.md §1.5). Pure.

A run passes if and only if it ended with exit code 0, left an assembly that needs no context from an account, has
no error annotation, and holds at least one stack with at least one resource. Otherwise it gets exactly one class, in
the order of events: limits and refusals, then how the program ended, then what the assembly lacks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from steelyard.bench.cdk_synth.assembly import Assembly, annotated
from steelyard.sandbox.jail import WORK
from steelyard.text import visible

FailureClass: TypeAlias = Literal[
    "no_response",
    "refusal",
    "no_code",
    "syntax_error",
    "import_error",
    "construct_error",
    "runtime_error",
    "no_stack",
    "empty_template",
    "annotation_error",
    "context_lookup",
    "timeout",
    "resource_limit",
    "forbidden",
    "engine_error",
]
"""In the order of docs/scoring.md; `engine_error` is our own failure and unscored."""

Stopped: TypeAlias = Literal["time", "memory", "output", "files"]


@dataclass(frozen=True, slots=True)
class Ending:
    """How an app ended."""

    exit_code: int | None
    """None if a signal ended it or a limit stopped it."""
    signal: int | None = None
    stopped: Stopped | None = None
    """The limit that stopped it."""
    refused: tuple[str, ...] = ()
    """Requests refused by the relay."""
    output: str = ""
    """Its stdout and stderr together; at least the end."""


class Failure(NamedTuple):
    """Why an app failed."""

    klass: FailureClass
    message: str
    """A few lines for a person."""


class Raised(NamedTuple):
    """The last traceback of an output."""

    kind: str
    """Exception class without its module."""
    text: str
    frames: tuple[tuple[str, int], ...]
    """(file, line), outermost first."""
    bare: bool
    """Without a `Traceback` line: Python could not compile the program itself."""


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# At most nine digits: a hostile app may print thousands of them, and `int` raises on those.
_FRAME = re.compile(r'^\s+File "([^"\n]+)", line (\d{1,9})(?:, in .*)?$')
_ERROR_LINE = re.compile(r"^((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?:: (.*))?$", re.DOTALL)
_LIBRARY = ("/aws_cdk/", "/constructs/", "/jsii/")
_FOREIGN = ("/site-packages/", "/site/", "/lib/python3")
# As Python and as Node word them. The numbers: disk full, file too large, too many open files (of a process, in all),
# no memory, no further process.
_LIMIT_WORDS = (
    *("[Errno 28]", "[Errno 27]", "[Errno 24]", "[Errno 23]", "[Errno 12]", "[Errno 11]"),
    *("ENOSPC", "EFBIG", "EMFILE", "ENOMEM", "No space left on device"),
    *("can't start new thread", "Cannot allocate memory", "heap out of memory"),
)
# EBUSY too: `cdk.out` is a mount, so whoever tries to replace the folder gets that.
_REFUSAL_WORDS = (
    *("[Errno 1]", "[Errno 13]", "[Errno 30]", "[Errno 16]", "[Errno 101]", "[Errno 111]", "[Errno 113]", "[Errno -2]"),
    *("[Errno -3]", "EROFS", "EACCES", "EPERM", "ENETUNREACH", "EBUSY", "refused by the sandbox"),
    *("Read-only file system", "Temporary failure in name resolution", "Network is unreachable"),
)
_UNREADABLE = re.compile(r"^SyntaxError: ((?:source code|encoding|\(unicode error\)|Non-UTF-8).*)$", re.MULTILINE)
_COMPILE_KINDS = ("SyntaxError", "IndentationError", "TabError")
# SIGXCPU and SIGXFSZ, by their numbers on Linux.
_LIMIT_SIGNALS = {24: "more CPU time than allowed", 25: "a larger file than allowed"}
_MESSAGE_LINES, _LINE_WIDTH = 6, 300
_WORK = f"{WORK}/"
"""The app's folder in the synthesizer's sandbox."""
_TAIL = 60_000
"""Characters at the end of an output that are searched for a traceback."""
_END = 2_000
"""Characters at the end of an output that are used if there is no traceback."""


def classify(ending: Ending, assembly: Assembly | None, unresolved: tuple[str, ...] = ()) -> Failure | None:
    """None if the app passes. `unresolved` holds the context keys that an earlier run asked for without success."""
    # Before the assembly: one that a failed app left behind does not help it.
    if ending.stopped is not None or ending.exit_code != 0:
        return _program_failure(ending)
    if assembly is not None:
        return _assembly_failure(assembly, unresolved)
    if ending.refused:
        return Failure("forbidden", _lines("refused by the sandbox, and no assembly came out:", *ending.refused[:3]))
    return Failure("no_stack", "the app ended without an assembly: was app.synth() called?")


def _program_failure(ending: Ending) -> Failure:
    if ending.stopped == "time":
        return Failure("timeout", "the app did not end within its time limit")
    if ending.stopped is not None:
        return Failure("resource_limit", f"the app used more {ending.stopped} than allowed")
    raised = last_raised(ending.output)
    if ending.signal in _LIMIT_SIGNALS:
        return Failure("resource_limit", f"the app used {_LIMIT_SIGNALS[ending.signal]}")
    if ending.signal is not None:
        return Failure("runtime_error", _lines(f"the app was ended by signal {ending.signal}", _tail(ending.output)))
    if raised is not None:
        return Failure(_cause(raised, ending.refused), _message(raised))
    # Processes that hit a limit together interleave their tracebacks.
    limit = _in_any(ending.output[-_END:], _LIMIT_WORDS)
    klass = "resource_limit" if limit else "forbidden" if ending.refused else "runtime_error"
    return Failure(klass, _lines(f"exit code {ending.exit_code}", *ending.refused[:2], _tail(ending.output)))


def _cause(raised: Raised, refused: tuple[str, ...]) -> FailureClass:
    error = f"{raised.kind}: {raised.text}"
    # With a traceback, the app itself ran, and something else did not compile: a module that it wrote, say.
    if raised.bare and raised.kind in _COMPILE_KINDS:
        return "syntax_error"
    if raised.kind == "MemoryError" or _in_any(error, _LIMIT_WORDS):
        return "resource_limit"
    if raised.kind == "PermissionError" or _in_any(error, _REFUSAL_WORDS):
        return "forbidden"
    if raised.kind in ("ImportError", "ModuleNotFoundError"):
        return "import_error"
    # A name that a module of the library does not have is invented, like one that cannot be imported.
    if raised.kind == "AttributeError" and re.search(r"module '(?:aws_cdk|constructs)\b", raised.text):
        return "import_error"
    if _in_library(raised.frames):
        return "construct_error"
    # What the relay refuses comes back to the app as an error of jsii.
    return "forbidden" if refused and raised.kind in ("JSIIError", "JavaScriptError") else "runtime_error"


def _in_library(frames: tuple[tuple[str, int], ...]) -> bool:
    """Whether aws_cdk, constructs or jsii raised the error: one of their frames is deeper than any of the app."""
    # Frames of other packages do not decide: jsii checks arguments with typeguard, whose frame is then the deepest.
    for file, _ in reversed(frames):
        if _in_any(file, _LIBRARY):
            return True
        if not _is_foreign(file):
            return False
    return False


def _is_foreign(file: str) -> bool:
    """Whether a file is none of the app's own."""
    return file.startswith("<frozen ") or _in_any(file, _FOREIGN)


def _in_any(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)


def _assembly_failure(assembly: Assembly, unresolved: tuple[str, ...]) -> Failure | None:
    missing = tuple(key for key in assembly.missing if key not in unresolved)
    errors = annotated(assembly)
    # Like the CLI, which runs the app again after a failed lookup: that counts only if an error follows.
    if missing or (unresolved and errors):
        return Failure("context_lookup", _lines("needs values from an AWS account:", *(missing or unresolved)[:3]))
    if not assembly.stacks:
        return Failure("no_stack", "the assembly holds no stack")
    if errors:
        return Failure("annotation_error", _lines(*errors[:4]))
    if not any(stack.resources for stack in assembly.stacks):
        return Failure("empty_template", "no stack holds a resource")
    return None


def last_raised(output: str) -> Raised | None:
    """The last traceback in `output`, even if the program prints more after it."""
    # Programs are asked for plain tracebacks; one that sets FORCE_COLOR itself gets coloured ones from 3.13 on.
    output = _COLOUR.sub("", output[-_TAIL:])
    lines = output.split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("Traceback (most recent call last)")]
    # Chained exceptions have a traceback each; the last one ended the program.
    begin = starts[-1] + 1 if starts else 0
    frames: list[tuple[str, int]] = []
    for number in range(begin, len(lines)):
        if frame := _FRAME.match(lines[number]):
            frames.append((frame[1], int(frame[2])))
        elif frames and lines[number] and not lines[number].startswith((" ", "\t")):
            match = _ERROR_LINE.match(lines[number])
            if match is None:
                return None if not starts else Raised("", lines[number], tuple(frames), False)
            text = "\n".join([match[2] or "", *_following(lines[number + 1 :])])
            return Raised(match[1].rpartition(".")[2], text.strip(), tuple(frames), not starts)
    # Python names no line for a file that it cannot decode.
    bare = _UNREADABLE.search(output)
    return Raised("SyntaxError", bare[1], (), True) if bare and not starts else None


def _following(lines: list[str]) -> list[str]:
    """The remaining lines of a message, up to the first blank or unrelated one."""
    kept: list[str] = []
    for line in lines[:_MESSAGE_LINES]:
        if not line.strip() or line.startswith(("Traceback", "During handling", "The above exception")):
            break
        kept.append(line)
    return kept


def _message(raised: Raised) -> str:
    own = [frame for frame in raised.frames if not _is_foreign(frame[0]) and not _in_any(frame[0], _LIBRARY)]
    # The app may also have compiled a text of its own.
    where = (
        f"{file.removeprefix(_WORK) if file.startswith(_WORK) else 'app.py'} line {line}" for file, line in own[-1:]
    )
    return _lines(*where, f"{raised.kind}: {raised.text}" if raised.kind else raised.text)


def _tail(output: str) -> str:
    return "\n".join(output[-_END:].strip().split("\n")[-3:])


def _lines(*parts: str) -> str:
    """At most six printable lines."""
    lines = [line.rstrip() for part in parts for line in part.split("\n") if line.strip()]
    cut = (line if len(line) <= _LINE_WIDTH else line[: _LINE_WIDTH - 1] + "…" for line in lines[:_MESSAGE_LINES])
    return visible("\n".join(cut))
