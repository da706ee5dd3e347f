"""Everything Inspect must find, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys

NAMES = {
    "task": {"practice_exam", "architecture_design", "cdk_synth", "audit", "gate"},
    "modelapi": {"steelyard"},
    "sandboxenv": {"bubblewrap"},
    "scorer": {
        *("choice", "architecture_scorer", "llm_judge_scorer", "cdk_verify", "cdk_verify_local"),
        *("audit_scorer", "gate", "gate_judge"),
    },
    "solver": {"exam_solver", "gate_agent"},
    "tool": {"editor"},
}
"""Kind → the names this package registers. A broken import in `_registry` is a mere warning in Inspect: this is not."""

_PROGRAM = """
import json
import steelyard._registry
from inspect_ai._util.registry import registry_find
found = {}
for item in registry_find(lambda info: info.name.startswith("steelyard/")):
    info = item.__registry_info__
    found.setdefault(info.type, []).append(info.name.removeprefix("steelyard/"))
print(json.dumps(found))
"""


def test_the_exact_set_of_registered_names() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    found = {kind: set(names) for kind, names in json.loads(done.stdout).items()}
    assert found == NAMES


def test_inspect_finds_the_entry_point() -> None:
    program = "from inspect_ai.model import get_model; print(get_model('steelyard/floor'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "steelyard/floor"
