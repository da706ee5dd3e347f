"""Writes a task: the parent as its fixture, the commit as its reference, the commit's tests hidden."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from steelyard.gate.task_folder import DELETED, FILE
from steelyard.proof.candidates import Candidate
from steelyard.proof.history import Commit
from steelyard.proof.prove import Proof
from steelyard.tree import File, Tree, changes, lay_over, without, write_tree

Needs = Mapping[str, Sequence[str]]
"""Fields of a task that ask for what its tests need: `packages`, `setup` or `tools`."""
CARD = "card.md"
_TAIL = (
    "\n\nThe repository is in the working folder. Tests that you do not see check the result; "
    "the tests that are there must go on passing."
)
_LEAST_TIMEOUT_S = 120
_MARGIN = 10
"""Times the measured time that a suite may take."""
_PER_TEST_S = 3
"""More for each test, because every one gets a process of its own."""


@dataclass(frozen=True, slots=True)
class Harvested:
    """A task that was written."""

    id: str
    commit: str
    subject: str
    date: str
    lines: int
    """Of source that the commit changed."""
    turned: int
    """Tests that turned green."""
    steady: int
    """Tests that must stay green."""
    seconds: float
    """Of one run of its tests."""

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Harvested | None:
        """As it was kept; None if that cannot be read."""
        try:
            return TypeAdapter(Harvested).validate_python({name: data.get(name) for name in Harvested.__slots__})
        except ValidationError:
            return None


def task_name(commit: Commit) -> str:
    """The id of the task and the name of its folder."""
    words = re.findall(r"[a-z0-9]+", commit.subject.lower())
    return "-".join([commit.sha[:8], *words])[:50].rstrip("-")


def write_task(
    folder: Path, candidate: Candidate, proof: Proof, prompt: str, old: Tree, new: Tree, needs: Needs
) -> Harvested:
    """Write the folder of a task; what was there is replaced."""
    commit, hidden = candidate.commit, tuple(path for path in candidate.tests if path in new)
    shutil.rmtree(folder, ignore_errors=True)
    # The fixture holds the hidden tests too: `protect` keeps them from the agent.
    fixture = lay_over(without(old, candidate.tests), {path: new[path] for path in hidden})
    # A reference must not contain what is protected.
    changed = {path: how for path, how in changes(old, new).items() if path not in candidate.tests}
    reference = {path: new[path] for path, how in changed.items() if how != "removed"}
    gone = [path for path, how in changed.items() if how == "removed"]
    reference |= {DELETED: File("".join(f"{path}\n" for path in gone).encode())} if gone else {}
    write_tree(folder / "fixture", fixture)
    write_tree(folder / "reference", reference)
    suites = [path for path in candidate.suites if path in new]
    made = Harvested(
        task_name(commit),
        commit.sha,
        commit.subject,
        commit.date,
        candidate.lines,
        len(proof.turned),
        len(proof.steady),
        round(proof.seconds, 1),
    )
    # Frozen, because the hidden tests may need them as they are.
    shared = [path for path in _shared(suites, old, new) if path not in hidden]
    text = _task(made, prompt, hidden, shared, _checks(candidate, proof, suites), needs)
    (folder / FILE).write_text(text, "utf-8")
    (folder / CARD).write_text(_card(made, candidate, proof), "utf-8")
    return made


def _checks(candidate: Candidate, proof: Proof, suites: Sequence[str]) -> list[dict[str, Any]]:
    limit = _LEAST_TIMEOUT_S + round(_MARGIN * proof.seconds) + _PER_TEST_S * (len(proof.turned) + len(proof.steady))
    common = {"kind": "test_suite", "runner": candidate.runner, "allow_skips": True, "timeout_s": limit}
    if candidate.runner == "pytest":
        return [{**common, "path": path} for path in suites]
    tests = Counter(name.partition("::")[0] for name in (*proof.turned, *proof.steady))
    # Cargo and Go run all tests each time, whatever the path of a suite is.
    least = {path: tests[path] if candidate.runner == "node" else tests.total() for path in suites}
    return [{**common, "path": path, "min_tests": least[path]} for path in suites if tests[path]]


def _shared(suites: Sequence[str], old: Tree, new: Tree) -> list[str]:
    """The `conftest.py` above the suites that the commit leaves as they are; the agent sees them, too."""
    above = sorted({f"{folder / 'conftest.py'}" for path in suites for folder in PurePosixPath(path).parents})
    return [path for path in above if path in old and old[path] == new.get(path)]


def _task(
    made: Harvested, prompt: str, hidden: Sequence[str], shared: Sequence[str], checks: Sequence[Any], needs: Needs
) -> str:
    data = {
        "id": made.id,
        "title": made.subject[:100],
        "prompt": prompt + _TAIL,
        "fixture": "fixture",
        "reference": "reference",
        "protect": list(hidden),
        **({"freeze": list(shared)} if shared else {}),
        **{name: list(lines) for name, lines in needs.items() if lines},
        "timeout_s": 600,
        "checks": list(checks),
    }
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)


def _card(made: Harvested, candidate: Candidate, proof: Proof) -> str:
    lines = [
        f"# {made.subject}",
        "",
        f"Commit {made.commit} of {made.date[:10]}; {made.lines} lines in {len(candidate.source)} files of source.",
        f"Kept because {made.turned} tests are red on its parent and green on it, every time:",
        "",
        *(f"- `{name}`" for name in proof.turned[:50]),
        *([f"- and {len(proof.turned) - 50} more"] if len(proof.turned) > 50 else []),
        "",
        f"{made.steady} tests must stay green. One run of them takes {made.seconds} s.",
        "",
        *_set_aside("flaky", proof.flaky),
        *_set_aside("red after the commit, too", proof.broken),
    ]
    return "\n".join(lines)


def _set_aside(why: str, names: Sequence[str]) -> list[str]:
    return (
        [
            f"Left out of the hidden tests, with what shares their functions, because they are {why}:",
            "",
            *(f"- `{name}`" for name in names),
            "",
        ]
        if names
        else []
    )
