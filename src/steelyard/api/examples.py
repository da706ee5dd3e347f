"""The shipped examples as functions: run offline, and copied to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.api.gate import Notify, silent
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.audit.model import Result, SuiteResult
    from steelyard.gate.model import Weighed
    from steelyard.location import Location


def audit_example(
    suite: str = "code-review", runs: str | None = None, *, lexical: bool = False
) -> Result | SuiteResult:
    """Score recorded runs of a shipped suite, offline.

    Args:
        suite: `code-review`, `security-review`, `agent-review` or `planted`.
        runs: The set of recorded runs: `careful` or `hasty`; `bandit` or `ruff` for `planted`. The hasty ones, or the
            first ones, if absent.
        lexical: Mark by words instead of the authors' marks, or of file and line.

    Returns:
        The result of the suite's first document with an answer key; of all documents, pooled, for `planted`.

    Raises:
        InputError: There is no such suite or set.
    """
    from steelyard.audit.example import example_result

    return example_result(suite, runs, lexical=lexical)


def audit_example_copy(target: str | Path, suite: str = "code-review") -> Path:
    """Copy a shipped suite, to start your own from it.

    Args:
        target: The new folder.
        suite: `code-review`, `security-review`, `agent-review` or `planted`.

    Returns:
        The new folder.

    Raises:
        InputError: There is no such suite, or the folder exists already.
        ArtifactError: The folder cannot be written.
    """
    from steelyard.audit.example import copy_suite

    copy_suite(suite, Path(target))
    return Path(target)


def gate_example(
    candidate: Literal["better", "neutral", "risky"] = "better",
    *,
    log_dir: str | Location | None = None,
    notify: Notify = silent,
) -> Weighed:
    """Run the shipped example: five small tasks, a deterministic agent, no network.

    Args:
        candidate: Which of the example's candidates to compare with its baseline.
        log_dir: Where the logs go; `logs/gate-example-CANDIDATE` if absent.
        notify: Called with each line of progress.

    Returns:
        The comparison.

    Raises:
        SandboxError: No sandbox is available.
    """
    from steelyard.gate.example import run_example

    folder = location(log_dir) if log_dir is not None else Path(f"logs/gate-example-{candidate}")
    return run_example(folder, candidate, notify).weighed


def gate_example_copy(target: str | Path) -> Path:
    """Copy the shipped example, to start your own tasks and configurations from it.

    Args:
        target: The new folder.

    Returns:
        The new folder; its `steelyard.yaml` holds the settings of a run.

    Raises:
        InputError: The folder exists already or cannot be written.
    """
    from steelyard.gate.example import copy_example

    copy_example(Path(target))
    return Path(target)
