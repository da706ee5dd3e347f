"""`audit plant` and `audit check --prove` as functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard.audit.plant import Planting, PlantSpec, Tell
    from steelyard.audit.plant.reprove import Reproved


def audit_plant(spec: PlantSpec, notify: Tell | None = None) -> Planting:
    """Plant problems into the code of a repository, each proved by a test that fails with it and passes without it.

    Args:
        spec: The repository, the folder for the suite, and the limits.
        notify: Called with what is tried, the number of problems so far, and the number that is wanted.

    Returns:
        The documents that were written, and what was thrown out.

    Raises:
        InputError: There is no repository, it has no tests, or none of them passes.
        SandboxError: No sandbox is available.
    """
    from steelyard.audit.plant import plant
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    return plant(spec) if notify is None else plant(spec, notify)


def audit_prove(where: str | Path, notify: Callable[[str], None] = lambda line: None) -> tuple[Reproved, ...]:
    """Prove the planted problems of a suite again: red with them, green without, three times out of three.

    Args:
        where: Folder of a planted suite, or the key of one of its documents.
        notify: Called with each step.

    Returns:
        Every problem, proved or not.

    Raises:
        InputError: It is no planted suite.
        SandboxError: No sandbox is available.
    """
    from steelyard.audit.plant.record import PlantedUnit
    from steelyard.audit.plant.reprove import reprove
    from steelyard.audit.suite import read_suite
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    path = Path(where)
    if path.is_dir() or path.name == "suite.yaml":
        folders = [unit.key.parent for unit in read_suite(path).units if unit.key is not None]
    else:
        folders = [path.parent]
    units = [PlantedUnit(folder) for folder in folders]
    return tuple(found for unit in units for found in reprove(unit, notify))
