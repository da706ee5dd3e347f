"""Regular expressions of checks, searched in a process of their own.

A pattern and a hostile text together can keep a regular expression busy forever, so the process has a limit of
processor time: how busy the machine is must not decide a check.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from steelyard import process
from steelyard.gate.checks.check import Assessment
from steelyard.process import isolated

SEARCH_CPU_S = 10
"""Seconds of processor time for one search."""
# Reached only by a process that hangs: what decides is processor time.
_TIMEOUT_S = 600.0
_SEARCH = """
import re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]), int(sys.argv[2]) + 1))
text = sys.stdin.buffer.read().decode("utf-8", "replace")
parts = text.split(chr(0)) if sys.argv[3] == "several" else [text]
print(sum(re.search(sys.argv[1], part, re.M) is not None for part in parts))
"""


def _expression(pattern: str) -> str:
    try:
        re.compile(pattern, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{pattern[:80]!r} is not a regular expression: {error}") from error
    return pattern


Pattern = Annotated[str, StringConstraints(min_length=1), AfterValidator(_expression)]
"""Python regular expression, searched with `^` and `$` at each line."""


def as_bytes(text: str) -> bytes:
    """What an agent wrote, to be searched: half of a surrogate pair, which JSON allows, matches no letter."""
    return text.encode("utf-8", "surrogatepass")  # the process that searches reads it as U+FFFD


def search(pattern: str, text: bytes, what: str) -> bool | Assessment:
    """Whether a pattern occurs in a text; an assessment if that could not be found out. `what` names the text."""
    count = count_matches(pattern, [text], what)
    return count if isinstance(count, Assessment) else count > 0


def count_matches(pattern: str, texts: Sequence[bytes], what: str) -> int | Assessment:
    """In how many of the texts a pattern occurs; several texts must not contain a null byte."""
    # A single text is not split, because a file may contain null bytes.
    mode = "several" if len(texts) > 1 else "one"
    command = isolated.python("-I", "-c", _SEARCH, pattern, str(SEARCH_CPU_S), mode)
    done = process.run(command, timeout_s=_TIMEOUT_S, stdin=b"\0".join(texts), env={})
    # The kernel sends SIGXCPU at the soft limit, and SIGKILL at the hard one a second later.
    if done.timed_out or done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Assessment(False, f"matching {what} took too long")
    if not done.ok or not done.stdout.strip().isdecimal():
        return Assessment(False, f"the pattern cannot be used: {done.stderr.strip().splitlines()[-1:]}")
    return int(done.stdout)
