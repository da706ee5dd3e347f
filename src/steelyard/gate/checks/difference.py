"""What differs between two trees, line by line, for people and judges.

An agent may leave any file, and comparing lines that repeat takes the third power of their number: a file of 200 kB
could take an hour. So the lines are compared in a process of its own with limits of memory and processor time. One file
gets no more than a share of the time, and so cannot hide what was done to the others. A file that was not compared is
only named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from steelyard import process
from steelyard.process import isolated
from steelyard.tree import File, Tree, changes

LIMIT = 60_000
"""Characters of a whole diff."""
_FILE_LIMIT = 20_000
"""Characters of the diff of one file."""
CPU_S = 20
"""Seconds of processor time for a whole diff; the largest honest ones take one."""
_SHARES = 5
"""A file gets one part in so many of the time."""
# Reached only by a process that hangs: what decides is processor time.
_TIMEOUT_S = 600.0
_COMPARE = f"""
import difflib, json, resource, signal, sys
seconds, length = int(sys.argv[1]), 0
for kind, wanted in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, 2_000_000_000)):
    most = resource.getrlimit(kind)[1]  # what this machine allows may be less
    resource.setrlimit(kind, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))
def stop(*_):
    raise TimeoutError
signal.signal(signal.SIGPROF, stop)
for path, old, new in json.load(sys.stdin):
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds / {_SHARES})
        lines = difflib.unified_diff(old.splitlines(), new.splitlines(), f"a/{{path}}", f"b/{{path}}", lineterm="")
        text = "\\n".join(lines)
        signal.setitimer(signal.ITIMER_PROF, 0)
    except (TimeoutError, MemoryError):
        print("null", flush=True)
        continue
    text = text if len(text) <= {_FILE_LIMIT} else text[:{_FILE_LIMIT}] + "\\n[cut]"
    print(json.dumps(text), flush=True)
    length += len(text)
    # What comes after is cut anyway.
    if length > {LIMIT}:
        break
"""


def unified(before: Tree, after: Tree) -> str:
    """A unified diff of two trees; binary files are only named, and a long diff is cut with a note."""
    changed = changes(before, after)
    sides = {path: (_text(before.get(path)), _text(after.get(path))) for path in changed}
    texts = {path: (path, old, new) for path, (old, new) in sides.items() if old is not None and new is not None}
    found = zip(texts, _compared([*texts.values()]), strict=False)
    compared = {path: text for path, text in found if text is not None}
    parts: list[str] = []
    for path, how in changed.items():
        why = " (binary)" if path not in texts else "" if path in compared else " (too much to compare)"
        parts.append(compared.get(path) or f"{how}: {path}{why}")
    text = "\n".join(parts)
    return text if len(text) <= LIMIT else f"{text[:LIMIT]}\n[cut: the diff is longer]"


def _compared(texts: Sequence[tuple[str, str, str]]) -> Iterator[str | None]:
    """The diffs of texts, each with its path, as far as the limits let it come; None for one that took too long."""
    if not texts:
        return
    command = isolated.python("-I", "-c", _COMPARE, str(CPU_S))
    done = process.run(command, timeout_s=_TIMEOUT_S, stdin=json.dumps(texts), env={})
    # The last line may be cut, or the end of a traceback.
    yield from (json.loads(line) for line in done.stdout.split("\n")[:-1])


def _text(file: File | None) -> str | None:
    if file is None:
        return ""
    if file.link is not None:
        return f"link to {file.link}"
    try:
        return file.data.decode("utf-8")
    except UnicodeDecodeError:
        return None
