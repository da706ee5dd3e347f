"""Commands that people are told to run: what is inserted in them is quoted."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import steelyard
from steelyard.errors import InputError, command
from steelyard.git import commit_of

SOURCE = Path(steelyard.__file__).parent
HOSTILE = "$(touch ran); x'y"
_WORDS = (
    "git (?!has |cannot )",
    "chmod ",
    "docker (?:pull|run)",
    "steelyard [a-z]+ ",
    "pip install",
    "rm ",
    "scancel ",
)
_COMMAND = re.compile(rf"(?:^|: |`)(?:{'|'.join(_WORDS)})")


def unquoted(code: str) -> list[int]:
    """The lines with a command into which something is inserted as it is."""
    found: list[int] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
            match = _COMMAND.search(text)
            if match and "\0" in text[match.end() :] and "failed" not in text and "gives" not in text:
                found.append(node.lineno)
    return found


def test_no_command_is_put_together_without_quotes() -> None:
    texts = {str(path.relative_to(SOURCE)): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    assert {name: lines for name, text in texts.items() if "cure" in text and (lines := unquoted(text))} == {}
    assert unquoted("cure = f'git fetch origin {ref}'") == [1]


def test_a_command_of_a_cure_runs_nothing_but_itself(tmp_path: Path) -> None:
    shown = command("echo", HOSTILE, tmp_path / "a b")
    assert shlex.split(shown) == ["echo", HOSTILE, str(tmp_path / "a b")]
    subprocess.run(["/bin/sh", "-c", shown], cwd=tmp_path, check=True, capture_output=True)
    assert not (tmp_path / "ran").exists()


def test_the_cure_for_an_unknown_commit_quotes_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    with pytest.raises(InputError) as raised:
        commit_of(tmp_path, HOSTILE)
    assert shlex.split(raised.value.cure or "") == ["git", "fetch", "origin", HOSTILE]
