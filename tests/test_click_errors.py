"""Errors of ours under `inspect eval` are one line with the cure, and stay what they are for everybody else."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

import click
import pytest
from inspect_ai import eval as inspect_eval

from steelyard.bench.cdk_synth.task import cdk_synth
from steelyard.click_errors import as_click_error, one_line_errors
from steelyard.errors import InputError, Refused, SteelyardError


def test_it_is_of_both_kinds_and_says_the_same() -> None:
    error = as_click_error(InputError("no such thing", cure="name another"))
    assert isinstance(error, InputError) and isinstance(error, click.ClickException)
    assert str(error) == error.format_message() == "no such thing (name another)"
    assert as_click_error(error) is error


def test_the_exit_code_stays() -> None:
    assert as_click_error(Refused("no")).exit_code == 1
    assert as_click_error(InputError("no")).exit_code == 2


def test_a_kind_with_arguments_of_its_own_is_told_too() -> None:
    class Numbered(InputError):
        def __init__(self, number: int) -> None:
            super().__init__(f"number {number} is taken")

    @one_line_errors
    def make() -> None:
        raise Numbered(7)

    with pytest.raises(SteelyardError, match="number 7 is taken") as raised:
        make()
    assert isinstance(raised.value, click.ClickException)


def test_a_task_keeps_its_signature_and_its_error() -> None:
    with pytest.raises(InputError, match="unknown verifier"):
        cdk_synth(verifier="magic")  # type: ignore[arg-type]


def test_inspect_says_it_in_one_line(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("inspect")), "eval", "steelyard/cdk_synth", "-T", "verifier=magic"]
    words = ["--model", "steelyard/floor", "--log-dir", str(tmp_path / "logs")]
    done = subprocess.run([*command, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr + done.stdout
    assert "unknown verifier" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("task", "arguments"),
    [
        ("steelyard/audit", {"key": "missing.md", "document": "missing.md"}),
        ("steelyard/gate", {"tasks": "missing", "config": "missing"}),
    ],
)
def test_so_do_the_other_tasks(tmp_path: Path, task: str, arguments: dict[str, str]) -> None:
    """Inspect's command line prints an error of click's kind as one line, and ends with its exit code."""
    with contextlib.chdir(tmp_path), pytest.raises(click.ClickException, match="missing") as raised:
        inspect_eval(task, task_args=arguments, model="steelyard/floor", log_dir="logs", display="none")
    assert raised.value.exit_code == 2 and len(raised.value.format_message().splitlines()) == 1
