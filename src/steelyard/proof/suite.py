"""The tests of a revision in a sandbox without a network: names and outcomes."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import FiniteFloat, NonNegativeInt

from steelyard import process
from steelyard.errors import SandboxError
from steelyard.sandbox.choose import BUBBLEWRAP, Sandbox
from steelyard.sandbox.environment import PYTHON, Environment
from steelyard.sandbox.host import run
from steelyard.sandbox.jail import WORK, Jail
from steelyard.sandbox.limits import Limits
from steelyard.tree import File, Tree, to_tar
from steelyard.yamlfile import Strict

Outcome = Literal["passed", "failed", "skipped"]

INSIDE = "/run/steelyard/proof"
"""Where what reports is inside."""
REPORT = "/tmp/steelyard-proof.json"
"""Where it reports to."""
REPORTERS = Path(__file__).with_name("inside")
"""What reports, on the host."""
_WANTED = ".steelyard-tests.json"
"""In the working folder: the ids of the tests to run. Too many for a command line."""
_OUTPUT_LIMIT = 64_000_000
"""Bytes of the largest report, and of its lines when unpacked."""
_TESTS = f"""\
"$@" >/tmp/output 2>&1 </dev/null
code=$?
if [ -s {REPORT} ]; then cat {REPORT}; else tail -c 2000 /tmp/output >&2; fi
exit $code"""
# The project's own addopts may ask for plugins that are not there, or stop at the first failure.
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
    covered: Mapping[str, Mapping[int, frozenset[str]]] = field(default_factory=dict[str, Mapping[int, frozenset[str]]])
    """File → line → the tests that ran it, if that was asked for."""
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """Test id → file and first line of its function."""

    cpu_s: float = 0.0
    """Processor time of the tests and of what they started; 0 if there is no report."""

    def ended(self, outcome: Outcome) -> frozenset[str]:
        """The tests with this outcome."""
        return frozenset(name for name, found in self.outcomes.items() if found == outcome)


def run_tests(
    tree: Tree,
    packages: Environment,
    files: Sequence[str] = (),
    *,
    timeout_s: float,
    tests: Iterable[str] | None = None,
    coverage: bool = False,
    cpu_s: int | None = None,
    place: Sandbox = BUBBLEWRAP,
) -> TestRun:
    """Run test files of a tree, all that pytest finds if none is named; a run beyond the time is a `problem`.

    Args:
        tree: The files of the revision.
        packages: What it needs.
        files: Files or folders with tests.
        timeout_s: Seconds for all of it.
        tests: Ids of the tests to run; all in `files` if absent.
        coverage: Whether to find out which test runs which line.
        cpu_s: Processor time of one process, where an endless loop is likely.
        place: Where it runs.
    """
    own = {"STEELYARD_PROOF": REPORT} | ({"STEELYARD_COVERAGE": WORK} if coverage else {})
    if tests is not None:
        wanted = sorted(tests)
        files = files or sorted({name.partition("::")[0] for name in wanted})
        tree = {**tree, _WANTED: File(json.dumps(wanted).encode())}
        own["STEELYARD_TESTS"] = f"{WORK}/{_WANTED}"
    jail = Jail(
        read_only=(*packages.binds, (REPORTERS, INSIDE)),
        environment={
            **packages.variables,
            "PYTHONPATH": f"{INSIDE}:{WORK}/src:{WORK}",
            "PYTHONDONTWRITEBYTECODE": "1",
            # Otherwise a test that depends on the order of a set ends differently from run to run.
            "PYTHONHASHSEED": "0",
            **own,
        },
        limits=Limits(cpu_s=cpu_s),
        image=place.image,
    )
    return reported(jail, [PYTHON, *_PYTEST, *files], tree, timeout_s)


def run_on(
    tree: Tree, jail: Jail, script: str, command: Sequence[str], *, timeout_s: float, output_limit: int = _OUTPUT_LIMIT
) -> process.Finished:
    """Run a command on a tree, the way that a script for the shell says."""
    # 125 is kept for a tree that cannot be unpacked, which is not the tests' failure.
    words = ["/bin/sh", "-c", f"tar -xf - -C {WORK} || exit 125\n{script}", "sh", *command]
    done = run(jail, words, timeout_s=timeout_s, stdin=to_tar(tree), output_limit=output_limit)
    if done.returncode == 125:
        raise SandboxError(f"the sandbox of the tests could not be started: {done.stderr.strip()[:300]}")
    return done


def reported(jail: Jail, command: Sequence[str], tree: Tree, timeout_s: float) -> TestRun:
    """Run a command that runs the tests of a tree and writes a report."""
    done = run_on(tree, jail, _TESTS, command, timeout_s=timeout_s)
    if done.timed_out:
        return TestRun({}, {}, done.seconds, f"did not end within {timeout_s:g} s")
    return _report(done.stdout, done.stderr, done.returncode, done.seconds)


class _Report(Strict):
    """What a reporter writes, or the tests beside it in the sandbox."""

    outcomes: dict[str, Outcome]
    errors: dict[str, str]
    places: dict[str, tuple[str, int]]
    cpu_s: FiniteFloat
    lines: str | None = None


class _Lines(Strict):
    """The lines of a report, unpacked."""

    tests: list[str]
    covered: dict[str, dict[int, frozenset[NonNegativeInt]]]


def _report(text: str, spoken: str, code: int, seconds: float) -> TestRun:
    try:
        found = _Report.model_validate(json.loads(text) if code in _REPORTED else None)
        covered = {} if found.lines is None else _unpacked(found.lines)
        return TestRun(found.outcomes, found.errors, seconds, "", covered, _inside(found.places), found.cpu_s)
    # pydantic's errors are ValueErrors; the others are of JSON without end, and of numbers without a test.
    except (ValueError, RecursionError, IndexError, zlib.error):
        lines = [line for line in spoken.strip().splitlines() if line.strip()]
        return TestRun({}, {}, seconds, lines[-1][:300] if lines else f"the runner ended with {code}")


def _unpacked(text: str) -> dict[str, dict[int, frozenset[str]]]:
    unpacking = zlib.decompressobj()
    # Zeros pack a thousandfold, so a small report could fill the memory.
    data = unpacking.decompress(base64.b64decode(text), _OUTPUT_LIMIT)
    if not unpacking.eof:
        raise ValueError("more than the largest report, or only a part")
    found = _Lines.model_validate(json.loads(data))
    return {
        path: {line: frozenset(found.tests[number] for number in numbers) for line, numbers in lines.items()}
        for path, lines in found.covered.items()
    }


def _inside(places: Mapping[str, tuple[str, int]]) -> dict[str, tuple[str, int]]:
    start = f"{WORK}/"
    return {name: (path[len(start) :], line) for name, (path, line) in places.items() if path.startswith(start)}
