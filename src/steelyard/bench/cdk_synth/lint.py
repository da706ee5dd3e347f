"""Runs cfn-lint on the templates as a diagnostic that never changes the score, in a sandbox: templates are hostile too.

If it does not answer in time or is not installed, there is no diagnostic.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from steelyard.bench.cdk_synth.synthesizer import packages
from steelyard.bench.cdk_synth.synthesizer.prepare import INSIDE, SITE
from steelyard.errors import SteelyardError
from steelyard.sandbox.jail import Jail, argv, python_command
from steelyard.sandbox.line_server import LineServer, NoReply

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
    # Scorers come from several threads; the linter answers one line at a time.
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
    # A missing answer is not kept: the next time the linter may work.
    if findings is None and (findings := _asked(request)) is not None:
        if len(_known) >= _KEPT:
            _known.pop(next(iter(_known)))
        _known[key] = findings
    return findings


def _asked(request: str) -> list[dict[str, Any]] | None:
    """What the linter finds; it is started on first use, and again after a failure."""
    global _server
    try:
        if _server is None or not _server.alive:
            _server = LineServer("the linter", _command())
        return cast("list[dict[str, Any]]", json.loads(_server.reply(request.encode())))
    except (NoReply, OSError, ValueError, SteelyardError):
        return None


def _command() -> list[str]:
    entries = packages.installed(("cfn-lint",)).entries
    read_only = tuple((host, f"{SITE}/{name}") for host, name in entries)
    environment = {"PYTHONPATH": f"{SITE}:/synthesizer", "PYTHONDONTWRITEBYTECODE": "1"}
    jail = Jail(read_only=(*read_only, (INSIDE, "/synthesizer/inside")), environment=environment)
    return argv(jail, [python_command(), "-P", "-s", "-m", "inside.linter"])


_lock = threading.Lock()
_known: dict[str, list[dict[str, Any]]] = {}
"""Hash of the templates → findings, the oldest first."""
_server: LineServer | None = None
