"""It works installed as a wheel, outside the repo: everything it needs is inside, and Inspect finds what is ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

NAMES = {
    "task": {
        *("practice_exam", "architecture_design", "cdk_synth", "audit", "gate"),
        *("hard_exam", "hard_cdk"),
        *("own_exam", "own_text", "own_architecture", "own_cdk"),
    },
    "modelapi": {"steelyard"},
    "sandboxenv": {"bubblewrap", "docker_run"},
    "scorer": {
        *("choice", "architecture_scorer", "llm_judge_scorer", "cdk_verify", "cdk_verify_local"),
        *("cdk_behaviour", "cdk_behaviour_local", "audit_scorer", "gate", "gate_judge"),
        *("own_facts_scorer", "own_judge_scorer", "own_architecture_scorer", "own_cdk_scorer"),
    },
    "solver": {"exam_solver", "gate_agent"},
    "tool": {"editor"},
}
"""Kind → the names this package registers. A broken import in `_registry` is a mere warning in Inspect: this is not."""

RUN = """
import json
from inspect_ai import eval
from inspect_ai._util.registry import registry_find
from inspect_ai.model import get_model
assert str(get_model("steelyard/floor")) == "steelyard/floor"  # Inspect finds the entry point, which loads the rest
found = {}
for item in registry_find(lambda info: info.name.startswith("steelyard/")):
    info = item.__registry_info__
    found.setdefault(info.type, []).append(info.name.removeprefix("steelyard/"))
print(json.dumps(found))
log = eval("steelyard/practice_exam", model="steelyard/ceiling", limit=3, display="none")[0]
print(log.status, log.results.scores[0].metrics["accuracy"].value)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def test_package_data_is_inside(wheel: Path) -> None:
    inside = {name.removeprefix("steelyard/") for name in zipfile.ZipFile(wheel).namelist()}
    for path in (ROOT / "src" / "steelyard").rglob("*"):
        name = str(path.relative_to(ROOT / "src" / "steelyard"))
        if path.is_file() and "__pycache__" not in name:
            assert name in inside, f"{name} is missing from the wheel"


def test_it_runs_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """An environment of its own that borrows the dependencies, but not this checkout."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    site = next(venv.glob("lib/python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site)
    borrowed = Path(sysconfig.get_paths()["purelib"])
    # The editable install of this checkout is a .pth file; naming the folder itself leaves it out.
    for item in borrowed.iterdir():
        if "steelyard" not in item.name and item.suffix != ".pth" and not (site / item.name).exists():
            (site / item.name).symlink_to(item)
    python = venv / "bin" / "python"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV_"))}
    look = "import steelyard; print(steelyard.__file__)"
    where = subprocess.run([python, "-c", look], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert str(site) in where.stdout, where.stderr
    done = subprocess.run([python, "-c", RUN], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    registered, outcome = done.stdout.strip().splitlines()
    assert {kind: set(names) for kind, names in json.loads(registered).items()} == NAMES
    assert outcome == "success 1.0"
    helped = subprocess.run(
        [python, "-m", "steelyard", "--help"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert helped.returncode == 0 and "Commands:" in helped.stdout, helped.stderr
