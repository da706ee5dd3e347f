"""The tests run the same for everybody, whatever their variables and their files at home say."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests import environment

ROOT = Path(__file__).parent.parent

SETTINGS = """[user]
	useConfigOnly = true
[commit]
	gpgSign = true
[gpg]
	program = false
[core]
	autocrlf = true
	hooksPath = {hooks}
[init]
	defaultBranch = trunk
[protocol "file"]
	allow = never
"""

NOWHERE = "http://127.0.0.1:9"
HOSTILE = {
    **dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "ANTHROPIC_BASE_URL"), NOWHERE),
    **{"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "PYTHONWARNINGS": "error", "FORCE_COLOR": "1"},
    **{"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "/dev/full", "GIT_DIR": "/nowhere"},
    **{"STEELYARD_JUDGE": "anthropic/x", "ANTHROPIC_API_KEY": "sk-none", "SSL_CERT_FILE": "/nowhere", "COLUMNS": "17"},
}

PROBE = """
import os, signal, subprocess, sys, tempfile, time
from tests import environment
environment.settle()
heeded = signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
print(sorted(set(os.environ) & set(sys.argv[1].split())), time.localtime(0).tm_hour, heeded)
with tempfile.TemporaryDirectory() as folder:
    for words in (["init", "-q", "-b", "main"], ["commit", "-qm", "one", "--allow-empty"]):
        subprocess.run(["git", "-C", folder, *words], check=True)
"""


def test_hostile_settings_reach_no_test(tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    (tmp_path / ".gitconfig").write_text(SETTINGS.format(hooks=hooks))
    env = {**os.environ, **HOSTILE, "HOME": str(tmp_path)}
    words = [sys.executable, "-c", PROBE, " ".join(HOSTILE)]
    # Started as by `make test &` in a script: interrupts are ignored.
    done = subprocess.run(
        words, cwd=ROOT, env=env, capture_output=True, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # The two of them that the tests set themselves; it was midnight in Greenwich, and Ctrl-C counts again.
    assert done.stdout == "['LC_ALL', 'TZ'] 0 True\n"


def test_a_temporary_folder_without_programs_is_replaced_by_one_with() -> None:
    noexec = {"/tmp"}
    assert environment.temporary_folder("/tmp", "/var/tmp", runs=lambda folder: folder not in noexec) == "/var/tmp"
    assert environment.temporary_folder("/x", "/var/tmp", runs=lambda folder: folder not in noexec) == "/x"
    assert environment.temporary_folder("/tmp", runs=lambda folder: False) == "/tmp"
