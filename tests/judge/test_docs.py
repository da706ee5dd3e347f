"""What docs/judges.md shows is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.judge import parse_rubric, question
from steelyard.judge.calibration.labels import Label, check, read_labels
from steelyard.judge.parse import fitting, read_object

PAGE = (Path(__file__).parents[2] / "docs" / "judges.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_rubrics_are_rubrics() -> None:
    names = [parse_rubric(text, "docs/judges.md").name for text in blocks("yaml")]
    assert names == ["incident report", "architecture answer"]


def test_the_verdict_has_the_form_and_the_label_is_a_label() -> None:
    rubric = parse_rubric(blocks("yaml")[0], "docs/judges.md")
    verdict, label = blocks("json")
    asked = question(rubric, task="", text="The cause was a full disk.").single("The cause was a full disk.", Random(1))
    answer = fitting(read_object(verdict), asked.schema)
    assert [row["id"] for row in answer["grades"]] == ["hbtk", "wqsv", "mzrd"]
    assert len(answer["grades"]) == len(rubric.items)
    check([Label.model_validate_json(label)], rubric, "docs/judges.md")


@pytest.mark.parametrize("command", [line[2:] for block in blocks("console") for line in block.splitlines()])
def test_the_commands_run(command: str) -> None:
    assert CliRunner().invoke(main, shlex.split(command)[1:]).exit_code == 0


def test_the_size_of_the_shipped_set_is_true() -> None:
    from steelyard.bench.architecture_design.labels import shipped_labels

    assert f"{len(read_labels(shipped_labels()))} in all" in PAGE
