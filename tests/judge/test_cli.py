from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from steelyard.bench.architecture_design.labels import shipped_labels
from steelyard.cli.main import main
from steelyard.judge.calibration.labels import check, controls, read_labels
from steelyard.judge.case import case_rubric
from tests.bench.architecture_design.labelled import label_lines

from .test_calibrate import fair, rows

Make = Callable[[Any], str]


def steelyard(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["judge", *map(str, words)])


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(f"{row.model_dump_json()}\n" for row in rows()))
    return path


def test_a_calibrated_judge_ends_in_0_and_every_format_is_written(
    labels: Path, tmp_path: Path, judge_named: Make
) -> None:
    paths = {name: tmp_path / f"out.{name}" for name in ("json", "markdown", "html")}
    options = [word for name, path in paths.items() for word in (f"--{name}", path)]
    done = steelyard("calibrate", labels, "--judge", judge_named(fair()), "--judge-repeats", "2", *options)
    assert done.exit_code == 0, done.output
    # 20 of 100 in each band: 1 − p_e = 2·2/16 = .25, u = 1 − .05^(1/100) = .0295, lower end 1 − .0295/.25 = .88
    assert "Calibrated (κ 1.00, 90% interval 0.88 to 1.00)." in done.stdout
    assert "control/bait" in done.stdout
    assert "calibration record: " in done.stderr
    data = json.loads(paths["json"].read_text())
    assert (data["schema_version"], data["passed"], data["n"], data["repeats"]) == (1, True, 100, 2)
    assert "<svg" in paths["html"].read_text()
    assert "| accuracy |" in paths["markdown"].read_text()


def test_a_judge_that_is_off_ends_in_1(labels: Path, judge_named: Make) -> None:
    done = steelyard("calibrate", labels, "--judge", judge_named(fair(-0.4)))
    assert done.exit_code == 1
    assert "Not calibrated" in done.stdout


def test_a_judge_that_says_nothing_ends_in_2(labels: Path) -> None:
    # A text without a word is graded without the judge: that is no verdict of its own.
    blank = json.loads(labels.read_text().splitlines()[0]) | {"id": "blank", "response": ": ."}
    labels.write_text(f"{labels.read_text()}{json.dumps(blank)}\n")
    done = steelyard("calibrate", labels, "--judge", "scripted/silent")
    assert done.exit_code == 2
    assert "could not be measured" in done.stdout


def test_control_answers_alone_are_nothing_to_measure_by(tmp_path: Path, judge_named: Make) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(f"{row.model_dump_json()}\n" for row in controls(case_rubric())[:2]))
    done = steelyard("calibrate", path, "--judge", judge_named(fair()), "--html", tmp_path / "page.html")
    assert done.exit_code == 2
    assert "There are no responses besides control answers" in done.stdout
    assert "no verdict at all" not in done.stdout
    assert "control/bait" in done.stdout
    assert not {"By tier", "0 responses are few"} & set(done.stdout.splitlines())


def test_json_on_stdout_stands_alone(labels: Path, judge_named: Make) -> None:
    done = steelyard("calibrate", labels, "--judge", judge_named(fair()), "--json", "-")
    assert json.loads(done.stdout)["passed"] is True


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["calibrate"], "a judge is required"),
        (["attack"], "a judge is required"),
        (["attack", "--judge", "none"], "a judge is required"),
        (["attack", "--judge", "scripted/unheard-of"], "there is no scripted judge"),
        (["attack", "--judge", "scripted/copier", "--kind", "charm"], "no attack of the kind charm"),
        (["attack", "--judge", "scripted/copier", "--rubric", "gone.yaml"], "gone.yaml"),
        (["calibrate", "gone.jsonl", "--judge", "scripted/copier"], "gone.jsonl"),
        (["attack", "--judge", "scripted/copier", "--judge-repeats", "0"], "judge-repeats"),
    ],
)
def test_bad_input_is_one_line_and_2(
    words: list[str], says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no claude binary
    done = steelyard(*words)
    assert done.exit_code == 2
    assert says in done.output
    assert "Traceback" not in done.output


def test_the_table_of_attacks_and_its_exit_codes(tmp_path: Path) -> None:
    caught = steelyard(
        "attack", "--judge", "scripted/persuaded", "--json", tmp_path / "a.json", "--html", tmp_path / "a.html"
    )
    assert caught.exit_code == 1
    assert "got through" in caught.stdout
    data = json.loads((tmp_path / "a.json").read_text())
    assert data["counts"]["got through"] == sum(each["result"] == "got through" for each in data["outcomes"])
    assert steelyard("attack", "--judge", "scripted/copier", "--kind", "verdict object").exit_code == 0
    assert steelyard("attack", "--judge", "scripted/silent", "--kind", "fake turn").exit_code == 2


@pytest.mark.parametrize("words", [[], ["calibrate"], ["attack"]])
def test_help_has_an_example(words: list[str]) -> None:
    done = steelyard(*words, "--help")
    assert done.exit_code == 0
    assert "Example" in done.stdout


def test_the_shipped_set_is_what_the_builder_makes() -> None:
    # When this fails: python -m tests.bench.architecture_design.labelled
    assert shipped_labels().read_text("utf-8") == label_lines()


def test_the_shipped_set_is_large_enough_and_says_who_graded() -> None:
    shipped = read_labels(shipped_labels())
    check(shipped, case_rubric(), "the shipped set")
    assert len(shipped) >= 100
    assert {row.labelled_by for row in shipped} == {"construction"}
    assert {row.tier for row in shipped} == {"true", "false", "attack"}
    assert all(row.task and row.canary for row in shipped)


def test_importing_the_judge_imports_neither_inspect_nor_click() -> None:
    code = (
        "import sys, steelyard.judge, steelyard.judge.parse, steelyard.judge.judgement;"
        "import steelyard.judge.calibration.measure, steelyard.judge.attack.texts;"
        "sys.exit(bool({'inspect_ai', 'click'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
