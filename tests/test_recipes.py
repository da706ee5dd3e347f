"""The recipes of CONTRIBUTING are true: each is followed on a scratch copy of the source, with the code shown there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import HANG_S

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "steelyard"
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")

RECIPE = re.compile(r"^### (Add .*?)\n(.*?)(?=^###? |\Z)", re.MULTILINE | re.DOTALL)
MODULE = re.compile(r"^```python\n# (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
EDITS = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
EDIT = re.compile(r"^(\S+): (.*) → (.*)$")

RECIPES = {title: text for title, text in RECIPE.findall(PAGE) if MODULE.search(text)}

PROOFS = {
    "Add a check kind": """
from pydantic import TypeAdapter
from steelyard.gate.checks import Check, check_input, run_checks
from steelyard.tree import File
check = TypeAdapter(Check).validate_python({"kind": "line_limit", "path": "a.txt", "most": 1})
tree = {"a.txt": File(b"one\\ntwo\\n")}
(result,) = run_checks({"short": check}, check_input(tree, tree, {}, ()))
print(result.passed, result.message)
""",
    "Add an output format": """
import json
from pathlib import Path
for name, passed in (("before", 1), ("after", 2)):
    Path(f"{name}.json").write_text(json.dumps({"scores": [{"task": "t1", "passed": passed, "total": 2}]}))
import sys
from steelyard.cli.main import main
sys.argv = ["steelyard", "gate", "compare", "before.json", "after.json", "--oneline", "-"]
main()
""",
    "Add an agent": """
from steelyard.gate.agents import AgentSpec, find_agent
print(find_agent(AgentSpec("idle")).version)
""",
    "Add an engine": """
from steelyard.engine import find_engine
from steelyard.engine.protocol import EngineOptions
print(find_engine(EngineOptions("one-by-one")).preview([]))
""",
    "Add a reader": """
from pathlib import Path
from steelyard import api
for name, passed in (("before", 1), ("after", 2)):
    Path(f"{name}.csv").write_text(f"task,passed,total\\nt1,{passed},2\\n")
print(api.compare(["before.csv"], ["after.csv"]).outcome.verdict)
""",
    "Add a bench category": """
from inspect_ai import eval as inspect_eval
import steelyard._registry
from steelyard.bench.model import CATEGORIES
(log,) = inspect_eval("steelyard/greeting", model="steelyard/ceiling", display="none", log_dir="logs")
print(list(CATEGORIES)[-1], log.status, log.results.scores[0].metrics["accuracy"].value)
""",
}
EXPECTED = {
    "Add a check kind": "False a.txt has 2 lines",
    "Add an output format": "improved +0.500",
    "Add an agent": "1",
    "Add an engine": "0 workers, one after the other",
    "Add a reader": "improved",
    "Add a bench category": "greeting success 1.0",
}


def test_every_recipe_has_a_proof() -> None:
    assert set(RECIPES) == set(PROOFS) == set(EXPECTED)


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder per recipe with a scratch copy that follows it and what its proof has printed.

    One process loads what is not ours, and then runs each proof in a fork of itself: loading it takes longer than all
    proofs together.
    """
    folder = tmp_path_factory.mktemp("recipes")
    for title, recipe in RECIPES.items():
        copy = folder / title / "src" / "steelyard"
        shutil.copytree(SOURCE, copy)  # with times and bytecode, so that only what a recipe changes is compiled again
        follow(recipe, copy)
        (folder / title / "work").mkdir()
        (folder / title / "proof.py").write_text(PROOFS[title], "utf-8")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-c", FORKS, *(str(folder / title) for title in RECIPES)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    return folder


FORKS = """
import os, runpy, sys
import inspect_ai, scipy.stats
assert "steelyard" not in sys.modules
for place in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(f"{place}/{name}", os.O_WRONLY | os.O_CREAT), number)
        os.chdir(f"{place}/work")
        sys.path.insert(0, f"{place}/src")
        runpy.run_path(f"{place}/proof.py", run_name="__main__")
        sys.exit()
    os.waitpid(child, 0)
"""


@pytest.mark.parametrize("title", sorted(RECIPES))
def test_a_recipe_works_on_a_scratch_copy(title: str, kitchen: Path) -> None:
    printed, complained = ((kitchen / title / name).read_text("utf-8") for name in ("stdout", "stderr"))
    assert printed.strip().splitlines()[-1:] == [EXPECTED[title]], printed + complained


def follow(recipe: str, copy: Path) -> None:
    """Write the modules of a recipe and make its edits."""
    for name, code in MODULE.findall(recipe):
        path = copy / name
        assert not path.exists(), name
        path.parent.mkdir(exist_ok=True)
        path.write_text(code, "utf-8")
    for line in (line for block in EDITS.findall(recipe) for line in block.splitlines()):
        edit = EDIT.match(line)
        assert edit is not None, line
        name, old, new = edit.groups()
        text = (copy / name).read_text("utf-8")
        assert text.count(old) == 1, f"{name} does not hold this text exactly once: {old}"
        (copy / name).write_text(text.replace(old, new.replace("\\n", "\n")), "utf-8")
