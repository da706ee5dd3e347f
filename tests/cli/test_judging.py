"""The judge's options mean the same in every command, in whatever order they are typed."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner

from steelyard.bench.run import run
from steelyard.bench.run.plan import RunSpec
from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.judge import panel as judge_panel
from steelyard.judge.attack.scripted import REPLIES, Seen
from steelyard.logs.read import find_logs, read_log

COMMANDS = {
    "bench run": ["--model", "steelyard/floor"],
    "audit score": ["--key", "key.md", "--run", "run.md"],
    "rescore": ["logs", "--all"],
    "judge attack": [],
    "judge calibrate": [],
}
OPTIONS = (
    ("--judge", "scripted/generous"),
    ("--judge-repeats", "2"),
    ("--no-judge-cache",),
    ("--require-judge",),
    ("--judge-protocol", "quoted"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_order_of_the_options_makes_no_other_panel(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, ...]] = []

    def caught(names: tuple[str, ...], *, default: str = "none", require: bool, repeats: int, cache: bool) -> None:
        seen.append((names, repeats, cache, require))
        raise InputError("far enough")

    monkeypatch.setattr(judge_panel, "panel", caught)
    words = [*command.split(), *COMMANDS[command]]
    for order in itertools.permutations(OPTIONS):
        done = CliRunner().invoke(main, [*words, *itertools.chain(*order)])
        assert "far enough" in done.stderr, done.output
    assert set(seen) == {(("quoted:scripted/generous",), 2, False, True)}
    assert len(seen) == 120


@pytest.mark.parametrize("first", [True, False])
def test_a_rescoring_asks_as_often_as_it_was_told(first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    categories = ("architecture_design",)
    run(RunSpec(models=("steelyard/ceiling",), categories=categories, limit=1, log_dir=tmp_path))
    asked: list[Seen] = []
    reply = REPLIES["generous"]
    monkeypatch.setitem(cast(Any, REPLIES), "generous", lambda seen: (asked.append(seen), reply(seen))[1])
    repeats, rest = ["--judge-repeats", "2"], ["--no-judge-cache", "--all", "--judge", "scripted/generous"]
    words = [*repeats, *rest] if first else [*rest, *repeats]
    done = CliRunner().invoke(main, ["rescore", str(tmp_path), *words])
    assert done.exit_code == 0, done.output
    assert len(asked) == 2
    [twin] = [path for path in find_logs([tmp_path]) if "_judged" in path]
    stamp = read_log(twin).stamp
    assert stamp is not None and stamp.fingerprint.judge == "scripted/generous x2"
