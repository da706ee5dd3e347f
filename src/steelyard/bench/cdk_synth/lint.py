"""Runs cfn-lint on the templates as a diagnostic that never changes the score, in a sandbox: templates are hostile too.

If it does not answer in time or is not installed, there is no diagnostic.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from steelyard import process
from steelyard.bench.cdk_synth.synthesizer import packages
from steelyard.bench.cdk_synth.synthesizer.prepare import INSIDE, SITE
from steelyard.errors import SteelyardError
from steelyard.sandbox.jail import Jail, argv, python_command

TIMEOUT_S = 300.0
"""Seconds for all templates of one app."""
_FIRST = 3
"""Number of findings quoted."""
_KEPT = 256
"""Answers kept in memory."""


@dataclass(frozen=True, slots=True)
class Lint:
    """What cfn-lint found in all templates of one app."""

    errors: int
    warnings: int
    first: tuple[str, ...]
    """The first few, `rule message`, errors before warnings."""

    def as_metadata(self) -> dict[str, Any]:
        """For a score's metadata."""
        return {"errors": self.errors, "warnings": self.warnings, "first": list(self.first)}


def lint(templates: Mapping[str, Any]) -> Lint | None:
    """Lint all templates of an app; None without an answer."""
    if not templates:
        return None
    with _lock:
        findings = _findings(json.dumps(templates))
    if findings is None:
        return None
    rules = [(str(finding.get("rule", "")), str(finding.get("message", ""))) for finding in findings]
    ranked = sorted((rule for rule in rules if rule[0][:1] in "EW"), key=lambda rule: rule[0][:1])
    return Lint(
        errors=sum(rule.startswith("E") for rule, _ in rules),
        warnings=sum(rule.startswith("W") for rule, _ in rules),
        first=tuple(f"{rule} {message}"[:120] for rule, message in ranked[:_FIRST]),
    )


def _findings(request: str) -> list[dict[str, Any]] | None:
    """The linter's answer to these templates; the same ones come again when several subjects give the reference."""
    key = hashlib.sha256(request.encode()).hexdigest()
    findings = _known.get(key)
    if findings is None and (findings := _server.ask(request)) is not None:
        if len(_known) >= _KEPT:
            _known.pop(next(iter(_known)))
        _known[key] = findings
    return findings


class _Server:
    """The linter process, started on first use and restarted after a failure."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()

    def ask(self, request: str) -> list[dict[str, Any]] | None:
        try:
            child = self._started()
            assert child.stdin and child.stdout
            child.stdin.write(request.encode() + b"\n")
            child.stdin.flush()
            answer = _line(child.stdout.fileno(), time.monotonic() + TIMEOUT_S)
            return cast("list[dict[str, Any]]", json.loads(answer))
        except (OSError, ValueError, SteelyardError):
            self.close()
            return None

    def close(self) -> None:
        child, self._child = self._child, None
        if child is not None and self._owner == os.getpid():
            process.kill_group(child)
            child.wait()
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    stream.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._owner != os.getpid():
            self._owner = os.getpid()
            # The starting thread may end first; the sandbox must outlive it until `close`.
            words = [word for word in _command() if word not in ("--die-with-parent", "--pdeathsig=KILL")]
            self._child = process.start(words, env={}, errors=subprocess.DEVNULL)
        return self._child


def _command() -> list[str]:
    entries = packages.installed(("cfn-lint",)).entries
    read_only = tuple((host, f"{SITE}/{name}") for host, name in entries)
    environment = {"PYTHONPATH": f"{SITE}:/synthesizer", "PYTHONDONTWRITEBYTECODE": "1"}
    jail = Jail(read_only=(*read_only, (INSIDE, "/synthesizer/inside")), environment=environment)
    return argv(jail, [python_command(), "-P", "-s", "-m", "inside.linter"])


def _line(handle: int, deadline: float) -> bytes:
    kept = bytearray()
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    while not kept.endswith(b"\n"):
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise OSError("the linter did not answer in time")
        data = os.read(handle, 1 << 16)
        if not data:
            raise OSError("the linter ended")
        kept += data
    return bytes(kept)


_lock = threading.Lock()
_known: dict[str, list[dict[str, Any]]] = {}
"""Hash of the templates → findings, the oldest first."""
_server = _Server()
atexit.register(_server.close)
