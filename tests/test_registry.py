"""Everything Inspect must find, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys

NAMES = {
    "task": {
        *("practice_exam", "architecture_design", "cdk_synth", "audit", "gate"),
        *("hard_exam", "hard_architecture", "hard_cdk"),
        *("own_exam", "own_text", "own_architecture", "own_cdk"),
    },
    "modelapi": {"steelyard"},
    "sandboxenv": {"bubblewrap", "docker_run"},
    "scorer": {
        *("choice", "architecture_scorer", "llm_judge_scorer", "cdk_verify", "cdk_verify_local"),
        *("facts_scorer", "cdk_behaviour", "cdk_behaviour_local", "audit_scorer", "gate", "gate_judge"),
        *("own_facts_scorer", "own_judge_scorer", "own_architecture_scorer", "own_cdk_scorer"),
    },
    "solver": {"exam_solver", "gate_agent"},
    "tool": {"editor"},
}
"""Kind → the names this package registers. A broken import in `_registry` is a mere warning in Inspect: this is not."""

_PROGRAM = """
import json
from inspect_ai._util.registry import registry_find
from inspect_ai.model import get_model
assert str(get_model("steelyard/floor")) == "steelyard/floor"  # Inspect finds the entry point, which loads the rest
found = {}
for item in registry_find(lambda info: info.name.startswith("steelyard/")):
    info = item.__registry_info__
    found.setdefault(info.type, []).append(info.name.removeprefix("steelyard/"))
print(json.dumps(found))
"""


def test_the_entry_point_registers_exactly_these_names() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    found = {kind: set(names) for kind, names in json.loads(done.stdout).items()}
    assert found == NAMES
