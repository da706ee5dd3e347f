"""One task of the gate for each finding: the planted code and the finding, nothing else.

The files with hidden tests are in the fixture and protected, so the agent never sees them; they are laid over what it
leaves. `.steelyard` holds what the checks need: the names of the tests, the plugin that chooses them, and for
`bonus_by_test` the planted code as it was.
"""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from steelyard.audit.consequence.marks import OTHERS, OWN_GREEN, OWN_RED, finding_key
from steelyard.audit.model import Finding, Output
from steelyard.audit.plant.record import PlantedUnit
from steelyard.proof import suite
from steelyard.tree import File, lay_over, write_tree

OWN_TEST = "test_finding.py"
"""Where the agent puts a test of its own."""
_KEPT = ".steelyard"
_PROMPT = """A reviewer reports this about the code in the working folder:

{finding}

Repair what the report is about, and nothing else. If it is not a bug in this code, change nothing. Tests that you do
not see check the result; tests that pass now must go on passing."""
_BONUS = f"""

Also write {OWN_TEST} in the working folder: pytest tests that fail on the code as it is now because of what the report
is about, and pass with your repair."""
_TIMEOUT_S = 900


@dataclass(frozen=True, slots=True)
class Group:
    """Findings with the same words: one repair is tried for all of them."""

    key: str
    finding: Finding
    count: int
    """How often it was written, over all runs."""


def groups(outputs: Iterable[Output]) -> list[Group]:
    """The findings of all runs of a document, in the order of the text."""
    found: dict[str, list[Finding]] = {}
    for output in outputs:
        for finding in output.findings:
            found.setdefault(finding_key(finding), []).append(finding)
    return [Group(key, same[0], len(same)) for key, same in found.items()]


def write_tasks(
    folder: Path, unit: PlantedUnit, found: Sequence[Group], versions: Sequence[str], *, bonus: bool = False
) -> None:
    """Write the tasks of one document; what was there is replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    kept = _kept(unit, bonus)
    write_tree(folder / "fixture", lay_over(unit.planted, kept))
    protect = sorted([*unit.tests, _KEPT])
    packages = [line for line in versions if "==" in line]
    # One file for all tasks, so that the fixture is written once.
    (folder / "defaults.yaml").write_text(yaml.safe_dump({"fixture": "fixture", "packages": packages}), "utf-8")
    for group in found:
        data = {
            "id": group.key,
            "title": group.finding.title[:100] or group.key,
            "prompt": _PROMPT.format(finding=group.finding.text) + (_BONUS if bonus else ""),
            "protect": protect,
            "timeout_s": _TIMEOUT_S,
            "checks": _checks(unit, bonus),
        }
        place = folder / group.key
        place.mkdir()
        (place / "task.yaml").write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), "utf-8")


def _kept(unit: PlantedUnit, bonus: bool) -> dict[str, File]:
    plugin = Path(suite.__file__).with_name("inside") / "steelyard_proof.py"
    names = {name: list(proved.tests) for name, proved in unit.record.problems.items()}
    names["others"] = list(unit.record.steady)
    files = {f"{_KEPT}/{name}.json": File(json.dumps(tests).encode()) for name, tests in names.items()}
    files[f"{_KEPT}/steelyard_proof.py"] = File(plugin.read_bytes())
    if bonus:
        files |= {f"{_KEPT}/planted/{path}": file for path, file in unit.planted.items()}
    return files


def _checks(unit: PlantedUnit, bonus: bool) -> list[dict[str, Any]]:
    checks = [_check(name, name, proved.tests) for name, proved in unit.record.problems.items()]
    checks.append(_check(OTHERS, "others", unit.record.steady))
    if bonus:
        own = f"python -m pytest -q -p no:cacheprovider -o addopts= {OWN_TEST}"
        # In the copy of the planted code, which is protected from the agent.
        red = f"cp {OWN_TEST} {_KEPT}/planted/ && cd {_KEPT}/planted && PYTHONPATH=src:. {own}"
        # pytest ends with 1 if tests fail, and with 2 or more if they could not run, which proves nothing.
        checks.append({"kind": "command", "name": OWN_RED, "run": red, "exit_code": 1, "timeout_s": _TIMEOUT_S})
        green = f"PYTHONPATH=src:. {own}"
        checks.append({"kind": "command", "name": OWN_GREEN, "run": green, "timeout_s": _TIMEOUT_S})
    return checks


def _check(name: str, file: str, tests: Sequence[str]) -> dict[str, Any]:
    """A command that passes if all of these tests do."""
    files = sorted({test.partition("::")[0] for test in tests})
    variables = f"PYTHONPATH={_KEPT}:src:. STEELYARD_PROOF=/tmp/proof.json STEELYARD_TESTS={_KEPT}/{file}.json"
    words = f"{variables} python -m pytest -q -p steelyard_proof -p no:cacheprovider -o addopts= {shlex.join(files)}"
    return {"kind": "command", "name": name, "run": words, "timeout_s": _TIMEOUT_S}
