"""The pure core stays pure in a fresh process: importing it loads neither Inspect nor click."""

from __future__ import annotations

import subprocess
import sys

PURE = [
    "steelyard",
    "steelyard.outcome",
    "steelyard.stats.interval",
    "steelyard.bench",
    "steelyard.bench.model",
    "steelyard.bench.score",
    "steelyard.bench.cdk_synth.extract",
    "steelyard.bench.cdk_synth.classify",
    "steelyard.bench.cdk_synth.intent",
    "steelyard.audit",
    "steelyard.audit.score",
    "steelyard.audit.match",
    "steelyard.audit.key",
    "steelyard.gate",
    "steelyard.gate.score",
    "steelyard.gate.compare",
    "steelyard.judge",
    "steelyard.judge.parse",
]


def test_importing_the_core_does_not_load_inspect() -> None:
    # One process for all: the first module that loads one of them is named.
    program = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(name)\n"
        "    if loaded := {'inspect_ai', 'click'} & set(sys.modules):\n"
        "        sys.exit(f'{name} loads {loaded}')"
    )
    done = subprocess.run([sys.executable, "-c", program, *PURE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_help_loads_no_wing() -> None:
    program = (
        "import sys, steelyard.cli.main as m\n"
        "try: m.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'inspect_ai', 'numpy', 'scipy', 'pydantic', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_the_help_of_no_command_loads_inspect() -> None:
    # From one group to the next: the first command that loads it is named.
    program = (
        "import contextlib, io, sys\n"
        "from steelyard.cli.main import main\n"
        "def shown(*words):\n"
        "    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "        main([*words, '--help'])\n"
        "    if 'inspect_ai' in sys.modules:\n"
        "        sys.exit(f'{words} loads it')\n"
        "def below(group, *words):\n"
        "    for name in group.list_commands(None):\n"
        "        command = group.get_command(None, name)\n"
        "        shown(*words, name)\n"
        "        below(command, *words, name) if hasattr(command, 'list_commands') else print(*words, name)\n"
        "below(main)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 30
