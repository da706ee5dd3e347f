"""The tests of a revision in a sandbox without a network: names and outcomes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal, cast

from steelyard.errors import SandboxError, ToolchainError
from steelyard.proof.requirements import Project
from steelyard.sandbox.choose import BUBBLEWRAP, Sandbox
from steelyard.sandbox.environment import PYTHON, Environment, Packages, Say, environment
from steelyard.sandbox.host import run
from steelyard.sandbox.jail import WORK, Jail
from steelyard.tree import File, Tree, to_tar

Outcome = Literal["passed", "failed", "skipped"]

_INSIDE = "/run/steelyard/proof"
_REPORT = "/tmp/steelyard-proof.json"
_TESTS = f"""tar -xf - -C {WORK} || exit 125
"$@" >/tmp/output 2>&1 </dev/null
code=$?
if [ -f {_REPORT} ]; then cat {_REPORT}; else tail -c 2000 /tmp/output >&2; fi
exit $code"""
_PYTEST = ("-m", "pytest", "-q", "--tb=short", "-p", "steelyard_proof", "-p", "no:cacheprovider", "-o", "addopts=")
_REPORTED = (0, 1, 2, 5)
"""How pytest ends that has a report: passed, failed, interrupted by errors of collection, no tests."""


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of some test files."""

    __test__ = False  # not a test of ours, whatever its name

    outcomes: Mapping[str, Outcome]
    """Test id → how it ended."""
    errors: Mapping[str, str]
    """What could not be collected, and why."""
    seconds: float
    problem: str = ""
    """Why there is no report at all; empty if there is one."""


def surroundings(found: Project, day: str, say: Say = lambda line: None) -> Environment:
    """The packages of a revision as they were on its day: with its own requirements, and pytest.

    Days are rounded up to the end of their quarter, so that neighbouring revisions share an environment. What can no
    longer be installed as it was (no wheel for this Python) is tried once more as it is today.
    """
    lines = [*found.requirements]
    if not any(line.lower().startswith("pytest") for line in lines):
        lines.append("pytest")
    text = "".join(f"{line}\n" for line in lines)
    try:
        return environment(Packages(text, quarter_end(day)), say=say)
    except ToolchainError:
        return environment(Packages(text), say=say)


def quarter_end(day: str) -> str:
    """The first day after the quarter of a date, both ISO 8601."""
    when = date.fromisoformat(day[:10])
    first = date(when.year, 3 * ((when.month - 1) // 3) + 1, 1)
    return (first + timedelta(days=93)).replace(day=1).isoformat()


def metadata(found: Project) -> dict[str, File]:
    """What `importlib.metadata` must find for a project that asks for its own version."""
    if not found.name:
        return {}
    text = f"Metadata-Version: 2.1\nName: {found.name}\nVersion: {found.version or '0'}\n"
    folder = found.name.replace("-", "_")
    return {f"{folder}-{found.version or '0'}.dist-info/METADATA": File(text.encode())}


def run_tests(
    tree: Tree, packages: Environment, files: Sequence[str], *, timeout_s: float, place: Sandbox = BUBBLEWRAP
) -> TestRun:
    """Run test files of a tree; a test that ran beyond the time is no outcome but a `problem`."""
    jail = Jail(
        read_only=(*packages.binds, (Path(__file__).with_name("inside"), _INSIDE)),
        environment={
            **packages.variables,
            "PYTHONPATH": f"{_INSIDE}:{WORK}/src:{WORK}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "STEELYARD_PROOF": _REPORT,
        },
        image=place.image,
    )
    command = ["/bin/sh", "-c", _TESTS, "sh", PYTHON, *_PYTEST, *files]
    done = run(jail, command, timeout_s=timeout_s, stdin=to_tar(tree))
    if done.returncode == 125:
        raise SandboxError(f"the sandbox of the tests could not be started: {done.stderr.strip()[:300]}")
    if done.timed_out:
        return TestRun({}, {}, done.seconds, f"did not end within {timeout_s:g} s")
    return _report(done.stdout, done.stderr, done.returncode, done.seconds)


def _report(text: str, spoken: str, code: int, seconds: float) -> TestRun:
    try:
        data = cast(dict[str, dict[str, Any]], json.loads(text)) if code in _REPORTED else {}
        return TestRun(cast(Mapping[str, Outcome], data["outcomes"]), data["errors"], seconds)
    except (ValueError, KeyError, TypeError):
        lines = [line for line in spoken.strip().splitlines() if line.strip()]
        return TestRun({}, {}, seconds, lines[-1][:300] if lines else f"pytest ended with {code}")
