"""Activation of skills, read from recorded outputs of the real clients (`record_transcripts.py`)."""

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.gate.activation import (
    Activations,
    activation_of,
    activations,
    called_skills,
    confusion,
    named_in,
    skills_in,
)
from steelyard.gate.agents import claude_code, codex
from steelyard.gate.agents.tool_call import ToolCall, ToolUse
from steelyard.gate.model import Run
from steelyard.gate.steps import Activation
from steelyard.tree import File
from tests.gate.record_transcripts import SKILLS

FOLDER = Path(__file__).parent / "transcripts"
LINES = {"claude-code": claude_code.LINE, "codex": codex.LINE}
TREE = {
    f".claude/skills/{name}/SKILL.md": File(f"---\nname: {name}\ndescription: {about}\n---\n{body}".encode())
    for name, (about, body) in SKILLS.items()
}


def transcripts() -> list[Any]:
    return [
        pytest.param(agent, entry, id=f"{agent}-{entry['scenario']}")
        for agent in LINES
        for entry in map(json.loads, (FOLDER / f"{agent}.jsonl").read_text("utf-8").splitlines())
    ]


def test_there_are_sixty_recorded_transcripts() -> None:
    assert len(transcripts()) >= 60


@pytest.mark.parametrize(("agent", "entry"), transcripts())
def test_activation_is_read_from_what_the_client_did(agent: str, entry: dict[str, Any]) -> None:
    line = LINES[agent]
    assert line.uses is not None and line.command is not None
    seen = activations(skills_in(TREE), line.uses(entry["lines"]), line.command.findall(entry["prompt"]))
    assert sorted(seen.names) == entry["activated"]


def test_a_skill_that_failed_or_was_only_seen_is_a_near_miss() -> None:
    skills = skills_in(TREE)
    failed = ToolUse(ToolCall("Skill", {"skill": "count-herons"}, failed=True))
    listed = ToolUse(ToolCall("Bash", {"command": "ls .claude/skills/paint-doors/SKILL.md"}))
    assert activations(skills, [failed, listed]) == Activations(
        (), {"count-herons": "its call failed", "paint-doors": "SKILL.md was seen and not read"}
    )
    again = ToolUse(ToolCall("skill", {"name": "birds:count-herons"}))
    assert activations(skills, [failed, again]) == Activations(("count-herons",), {})


@pytest.mark.parametrize("front", ["paint-doors", "'paint doors' # in red", "Paint: doors"])
def test_a_skill_is_known_by_its_folder_and_by_its_front_matter(front: str) -> None:
    text = f"---\nname: {front}\ndescription: d\n---\nPaint.\nname: other\n"
    tree = {".agents/skills/doors/SKILL.md": File(text.encode())}
    title = front.partition(" #")[0].strip("'")
    assert named_in(tree) == {"doors": "doors", title: "doors"}
    for called in ("doors", title):
        use = ToolUse(ToolCall("activate_skill", {"name": called}))
        assert activations(skills_in(tree), [use], names=named_in(tree)).names == ("doors",)
    assert activations(skills_in(tree), (), [title], named_in(tree)).names == ("doors",)


def test_a_prompt_calls_a_skill_by_the_names_that_the_client_takes() -> None:
    tree = {".agents/skills/doors/SKILL.md": File(b"---\nname: paint-doors\ndescription: d\n---\nPaint.\n")}
    for agent, mark, expected in (("codex", "$", [[], ["doors"]]), ("claude-code", "/", [["doors"], ["doors"]])):
        line = LINES[agent]
        assert line.command is not None
        calls = [line.command.findall(f"{mark}{name} in red") for name in ("doors", "paint-doors")]
        assert [called_skills(call, tree, by_title=line.by_title) for call in calls] == expected
        if agent == "claude-code":
            assert line.command.findall("/house:doors in red, not /windows") == ["doors"]


def test_another_skill_instead_is_a_near_miss_of_the_one_under_test() -> None:
    seen = Activations(("paint-doors",), {})
    assert activation_of(seen, "count-herons", True) == Activation(True, False, "paint-doors was activated instead")
    assert activation_of(seen, None, True) == Activation(True, True)
    assert activation_of(seen, "paint-doors", False) == Activation(False, True)


def test_lines_that_several_skills_share_show_nothing() -> None:
    shared = "Read this.\nThen that.\nThen stop.\n"
    tree = {f"skills/{name}/SKILL.md": File(f"---\nname: {name}\n---\n{shared}{name}!\n".encode()) for name in "ab"}
    assert skills_in(tree) == {"a": ("a!",), "b": ("b!",)}
    assert activations(skills_in(tree), [ToolUse(ToolCall("Bash"), f"{shared}b!\n")]).names == ("b",)


@pytest.mark.parametrize("form", ["{}", "    {}", "     7→{}", "     7→    {}", "7\t{}"])
def test_lines_are_known_behind_the_numbers_that_clients_print(form: str) -> None:
    tree = {"skills/a/SKILL.md": File(b"---\nname: a\n---\nFirst.\n    - a \xe2\x86\x92 b\n")}
    printed = "\n".join(form.format(line) for line in ("First.", "- a → b"))
    assert activations(skills_in(tree), [ToolUse(ToolCall("Read"), printed)]).names == ("a",)


def test_runs_are_counted_by_expectation_and_activation() -> None:
    cells = [(True, True), (True, False), (False, True), (False, False), (None, True), (None, False), (True, True)]
    runs = [Run(f"t{number}", 1, 1, activation=Activation(*cell)) for number, cell in enumerate(cells)]
    matrix = confusion([*runs, Run("without", 1, 1)])
    assert matrix is not None
    counts = (matrix.expected_activated, matrix.expected_silent, matrix.unexpected_activated, matrix.unexpected_silent)
    assert (counts, matrix.free_activated, matrix.free_silent) == ((2, 1, 1, 1), 1, 1)
    assert matrix.mistakes == ("t1: not activated", "t2: activated unexpectedly")
    assert confusion([Run("without", 1, 1)]) is None
