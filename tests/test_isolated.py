"""What we start is not steered by the folder that it is started in: a repository may hold anything."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import steelyard
from steelyard import process
from steelyard.demo.background import MODULE as BESIDE
from steelyard.process import isolated
from tests.waiting import HANG_S

SOURCE = Path(steelyard.__file__).parent
DOORS = {"process/__init__.py"}
"""The only module of the host that starts processes."""
INSIDE = (
    "sandbox/launch.py",
    "sandbox/supervisor.py",
    "gate/checks/suite_runner/",
    "bench/cdk_synth/synthesizer/inside/",
)
"""What runs in a sandbox, or becomes one; its processes are the sandbox's."""
PLANTED = "examples/audit/planted/"
"""What auditors read; nothing of it is imported."""
STARTERS = {
    "subprocess": {"Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"},
    "os": {name for name in dir(os) if name.startswith(("exec", "spawn", "posix_spawn", "fork", "system", "popen"))},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"},
    "anyio": {"run_process", "open_process"},
    "trio": {"run_process"},
    "concurrent.futures": {"ProcessPoolExecutor"},
    "inspect_ai.util": {"subprocess"},
    "sys": {"executable"},
}
"""Module → what of it starts a process, or names a Python to start."""
WHOLE = {
    *("multiprocessing", "pty", "posix", "_posixsubprocess", "asyncio.subprocess", "concurrent.futures.process"),
    *("inspect_ai.util._subprocess", "anyio.to_process", "ctypes", "webbrowser", "venv", "ensurepip", "pdb"),
}
"""Modules that start processes, or can, by most of what they have."""
UNMISTAKABLE = {name for used in STARTERS.values() for name in used} - {
    *("run", "call", "system", "fork", "executable", "subprocess"),
}
"""Names that nothing else has: they count on whatever they are looked up."""
BY_NAME = {"getattr", "import_module", "__import__", "attrgetter", "methodcaller"}
"""What looks up a module or a function by a text."""


def starters(code: str) -> set[str]:
    """What a module uses that starts a process, whatever it calls it, or looks up by a text."""
    tree = ast.parse(code)
    imports = [each for node in ast.walk(tree) for each in _imported(node)]
    names = dict(imports)
    annotations = {id(part) for node in ast.walk(tree) for each in _annotations(node) for part in ast.walk(each)}
    nodes = [node for node in ast.walk(tree) if id(node) not in annotations]
    used = [_dotted(node, names) for node in nodes if isinstance(node, ast.Name | ast.Attribute)]
    used += [full for _, full in imports]
    used += [full for node in nodes if isinstance(node, ast.Call) for full in _by_name(node, names)]
    return {full for full in used if _starts(full)}


def _starts(full: str) -> bool:
    module, _, name = full.rpartition(".")
    whole = any(full == each or module == each or module.startswith(f"{each}.") for each in WHOLE)
    starred = name == "*" and module in STARTERS
    return whole or starred or name in STARTERS.get(module, ()) or (name in UNMISTAKABLE and bool(module))


def _imported(node: ast.AST) -> list[tuple[str, str]]:
    """The names that an import gives, each with what it means."""
    if isinstance(node, ast.Import):
        each = [(alias.asname, alias.name) if alias.asname else (_first(alias.name),) * 2 for alias in node.names]
        return [*each, *(("", alias.name) for alias in node.names)]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [(alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names]
    return []


def _by_name(node: ast.Call, names: dict[str, str]) -> list[str]:
    """What a call looks up by a text: `*` for what cannot be known."""
    function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if function not in BY_NAME:
        return []
    owner = _dotted(node.args[0], names) if function == "getattr" else ""
    text = node.args[-1 if function != "getattr" else 1]
    name = text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else "*"
    if function in ("import_module", "__import__"):
        return [f"{name}.*"] if name != "*" else []
    return [f"{owner or '?'}.{name}"]


def _first(name: str) -> str:
    return name.split(".")[0]


def _annotations(node: ast.AST) -> list[ast.expr]:
    return [each for each in (getattr(node, "annotation", None), getattr(node, "returns", None)) if each is not None]


def _dotted(node: ast.AST, names: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, names)}.{node.attr}"
    return names.get(node.id, "?") if isinstance(node, ast.Name) else "?"


def test_every_process_goes_through_the_one_door() -> None:
    found = {
        str(path.relative_to(SOURCE)): used
        for path in sorted(SOURCE.rglob("*.py"))
        if not (name := str(path.relative_to(SOURCE))).startswith((*INSIDE, PLANTED))
        and "/references/" not in name
        and (used := starters(path.read_text("utf-8")))
    }
    assert found.pop("process/isolated.py") == {"sys.executable"}
    assert found.pop("cli/marking.py") == {"webbrowser", "webbrowser.open"}  # the user's own, on a page of ours
    assert found == {door: {"subprocess.Popen"} for door in DOORS}


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess as s\ns.Popen(['x'])",
        "from subprocess import run as go\ngo(['x'])",
        "import os\nos.execv('x', [])",
        "from os import posix_spawn\nposix_spawn('x', [], {})",
        "import asyncio\nasyncio.create_subprocess_exec('x')",
        "import multiprocessing",
        "from multiprocessing.context import SpawnProcess",
        "from concurrent.futures import ProcessPoolExecutor\nProcessPoolExecutor()",
        "import sys\ncommand = [sys.executable, '-m', 'x']",
        "import asyncio.subprocess as s\ns.create_subprocess_exec('x')",
        "from asyncio import subprocess\nsubprocess.create_subprocess_shell('x')",
        "import asyncio\nasyncio.get_running_loop().subprocess_exec(x, 'x')",
        "from subprocess import *\nrun(['x'])",
        "from os import *\nsystem('x')",
        "import os\ngetattr(os, 'system')('x')",
        "import os\nname = 'sys' + 'tem'\ngetattr(os, name)('x')",
        "from importlib import import_module\nimport_module('subprocess').run(['x'])",
        "__import__('subprocess').call(['x'])",
        "from operator import attrgetter\nattrgetter('Popen')(library)(['x'])",
        "import _posixsubprocess\n_posixsubprocess.fork_exec()",
        "import posix\nposix.system('x')",
        "import pty\npty.spawn('x')",
        "import concurrent.futures.process as p\np.ProcessPoolExecutor()",
        "from inspect_ai.util._subprocess import subprocess",
        "from anyio.to_process import run_sync",
        "import ctypes\nctypes.CDLL(None).system(b'x')",
        "import subprocess\nclass Own(subprocess.Popen): ...",
        "def f(library):\n    return library.os.posix_spawn('x', [], {})",
        "import webbrowser\nwebbrowser.open('x')",
    ],
)
def test_a_process_past_the_door_is_found(code: str) -> None:
    assert starters(code)


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess\ndef f(started: subprocess.Popen[bytes]) -> None: ...",
        "import platform\nplatform.system()",
        "def f(file):\n    return file.executable, getattr(file, 'name')",
        "import anyio\nanyio.run(f)",
    ],
)
def test_what_starts_nothing_is_left_alone(code: str) -> None:
    assert not starters(code)


HOSTILE = ("click", "yaml", "json", "inspect_ai", "steelyard", "sitecustomize", "usercustomize", "encodings", "pip")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a repository with modules that shadow ours, programs in its settings, and an `.env`."""
    folder, sign = tmp_path / "hostile", tmp_path / "ran"
    (folder / "hooks").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    script = folder / "hooks" / "run"
    script.write_text(f"#!/bin/sh\necho git $ANTHROPIC_API_KEY >> {sign}\n")
    script.chmod(0o755)
    for hook in ("post-index-change", "pre-commit", "reference-transaction"):
        (folder / "hooks" / hook).symlink_to("run")
    for name, value in (("fsmonitor", script), ("hooksPath", folder / "hooks")):
        subprocess.run(["git", "-C", str(folder), "config", f"core.{name}", str(value)], check=True)
    text = (
        f"import os\nwith open({str(sign)!r}, 'a') as f: print(__file__, os.environ.get('ANTHROPIC_API_KEY'), file=f)\n"
    )
    for name in HOSTILE:
        (folder / f"{name}.py").write_text(text)
    (folder / ".env").write_text("STEELYARD_TEST_DOTENV=1\nANTHROPIC_BASE_URL=http://127.0.0.1:9\n")
    git = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", str(SOURCE.parent)]))
    monkeypatch.delenv("PYTEST_CURRENT_TEST")  # Inspect asks git only outside tests
    sign.unlink(missing_ok=True)
    return folder


def ran(repository: Path) -> str:
    """What the repository got to run."""
    sign = repository.parent / "ran"
    return sign.read_text() if sign.exists() else ""


def steelyard_here(*words: str, code: int = 0) -> None:
    command = [sys.executable, "-P", "-c", "import sys; sys.path[:] = [p for p in sys.path if p not in ('', '.')];"
               "from steelyard.cli.main import main; main()", *words]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent), "PYTHONNOUSERSITE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, env=environment)
    assert done.returncode == code, done.stderr


def test_a_python_of_ours_searches_neither_the_working_folder_nor_the_users_packages(repository: Path) -> None:
    code = "import json, os, site, sys; seen = sys.path, site.ENABLE_USER_SITE, os.getcwd(), dict(os.environ)\n"
    code += "print(json.dumps(seen))"
    done = process.run(isolated.python("-c", code), timeout_s=HANG_S)
    searched, user, folder, environment = json.loads(done.stdout)
    assert all(os.path.isabs(entry) and not entry.startswith(str(repository)) for entry in searched)
    assert (user, folder) == (False, "/") and "ANTHROPIC_API_KEY" not in environment
    again = process.run(isolated.python("-c", code), timeout_s=HANG_S, cwd=repository, env=isolated.own_environment())
    searched, user, _, environment = json.loads(again.stdout)
    assert all(os.path.isabs(entry) and not entry.startswith(str(repository)) for entry in searched) and not user
    assert environment["ANTHROPIC_API_KEY"] == "sk-ant-secret"  # only where a provider is called
    assert ran(repository) == ""


@pytest.mark.parametrize("engine", ["local", "processes"])
def test_a_run_in_a_hostile_repository_runs_nothing_of_it(repository: Path, engine: str) -> None:
    bench = ["bench", "run", "--model", "steelyard/floor", "--category", "practice_exam", "--limit", "1"]
    steelyard_here(*bench, "--log-dir", "logs", "--engine", engine)
    assert list((repository / "logs").glob("*.eval")) and ran(repository) == ""


def test_the_process_beside_the_demo_runs_nothing_of_a_hostile_repository(repository: Path) -> None:
    done = process.run(isolated.python("-m", BESIDE), timeout_s=HANG_S, stdin=b"", env=isolated.own_environment())
    assert "EOFError" in done.stderr and ran(repository) == ""


def test_no_env_file_of_the_working_folder_is_read(repository: Path) -> None:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample

    from steelyard.logs.evaluate import evaluate

    [log] = evaluate(Task([Sample("?")]), model="mockllm/model", log_dir="logs", log_level="error")
    assert log.eval.revision is None and "STEELYARD_TEST_DOTENV" not in os.environ
    assert Path.cwd() == repository and list((repository / "logs").glob("*.eval"))
