"""A skill as the thing under test: evals as tasks, and the configurations it is installed in."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import InputError
from steelyard.gate.activation import skills_in
from steelyard.gate.agents import AgentSpec
from steelyard.gate.config import load_config
from steelyard.gate.config.artifacts import plugins
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.skill import prepare
from steelyard.gate.skill.evals import read_cases
from steelyard.gate.task_folder import load_suite
from steelyard.git import git

Write = Callable[..., Path]
SKILL = "---\nname: count-herons\ndescription: Counts herons.\n---\n# Herons\n\nCount each heron once.\n"
EVALS = {
    "skill_name": "count-herons",
    "evals": [
        {"id": 1, "prompt": "How many herons?", "expected_output": "The number 3", "files": ["evals/files/marsh.txt"],
         "expectations": ["Names the number", {"text": "Stays calm"}], "other": 1},
        {"id": "two", "query": "Paint the door.", "should_trigger": False},
    ],
}  # fmt: skip
OWN = ("skills/count-herons/SKILL.md", "skills/count-herons/scripts/count.sh")


@pytest.fixture
def skill(write: Write) -> Path:
    write("plugin/skills/herons/evals/files/marsh.txt", "h h h")
    write("plugin/skills/herons/evals/evals.json", json.dumps(EVALS))
    write("plugin/skills/herons/scripts/count.sh", "echo 3", 0o755)
    write("plugin/skills/doors/SKILL.md", SKILL.replace("count-herons", "paint-doors"))
    write("plugin/commands/paint.md", "Paint.")
    return write("plugin/skills/herons/SKILL.md", SKILL).parent


def test_evals_become_tasks_with_a_rubric_and_an_expected_activation(skill: Path, tmp_path: Path) -> None:
    inputs = prepare(skill, tmp_path / "inputs", "claude-code")
    first, second = load_suite(inputs.tasks).tasks
    assert (inputs.name, inputs.baseline) == ("count-herons", "none")
    assert (first.id, first.file.expect_activation, list(first.checks)) == ("eval-1", True, ["activation"])
    assert first.visible["marsh.txt"].data == b"h h h" and first.rubric is not None
    assert [item.id for item in first.rubric.criteria] == ["expectation_1", "expectation_2", "expectation_3"]
    assert (second.id, second.file.expect_activation, second.rubric) == ("eval-two", False, None)


@pytest.mark.parametrize(
    ("agent", "scope", "paths"),
    [
        ("claude-code", "isolated", {f".claude/{path}" for path in OWN}),
        ("codex", "isolated", {f".agents/{path}" for path in OWN}),
        ("claude-code", "whole", {*(f".claude/{path}" for path in OWN), ".claude/skills/paint-doors/SKILL.md",
                                  ".claude/commands/paint.md"}),
        ("codex", "whole", {*(f".agents/{path}" for path in OWN), ".agents/skills/paint-doors/SKILL.md"}),
    ],
)  # fmt: skip
def test_a_skill_is_installed_where_the_agent_looks_without_its_evals(
    skill: Path, tmp_path: Path, agent: str, scope: Any, paths: set[str]
) -> None:
    config = load_config(prepare(skill / "SKILL.md", tmp_path / "inputs", agent, scope=scope).candidate)
    assert config.tree.keys() == paths
    assert config.tree[next(path for path in paths if path.endswith(".sh"))].executable
    assert "count-herons" in skills_in(config.tree)
    again = load_config(prepare(skill, tmp_path / "inputs", agent, scope=scope).candidate)
    assert again.sha == config.sha  # so that a run can be continued


def test_a_plugin_is_installed_whole_but_for_what_tests_it(skill: Path, tmp_path: Path, write: Write) -> None:
    write("plugin/.claude-plugin/plugin.json", '{"name": "birds", "mcpServers": {}}')
    write("plugin/hooks/hooks.json", "{}")
    write("plugin/scripts/hook.sh", "exit 0", 0o755)
    write("plugin/tests/one/task.yaml", "id: one")
    inputs = prepare(skill, tmp_path / "plugin/logs/skill-inputs", "claude-code", scope="whole")
    config = load_config(inputs.candidate)
    assert {path.removeprefix(".plugins/plugin/") for path in config.tree} == {
        ".claude-plugin/plugin.json", "skills/herons/SKILL.md", "skills/herons/scripts/count.sh",
        "skills/doors/SKILL.md", "commands/paint.md", "hooks/hooks.json", "scripts/hook.sh",
    }  # fmt: skip
    assert plugins(config.tree) == [".plugins/plugin"]
    assert inputs.name == "herons" and inputs.name in skills_in(config.tree)
    note, _ = prepare(skill, tmp_path / "inputs", "codex", scope="whole").notes
    assert note.endswith("but not: commands, hooks, mcpServers")


def test_a_project_is_installed_with_its_artifacts(skill: Path, tmp_path: Path, write: Write) -> None:
    for path in ("CLAUDE.md", "main.py", ".agents/skills/x/SKILL.md", ".agents/skills/x/evals.json"):
        write(f"project/{path}", "x")
    shutil.copytree(skill, tmp_path / "project/.claude/skills/herons")
    expected = {"CLAUDE.md", ".agents/skills/x/SKILL.md", *(f".claude/{path}" for path in OWN)}
    for repository in (False, True):
        if repository:
            git(tmp_path / "project", "init", "-q")
        inputs = prepare(tmp_path / "project/.claude/skills/herons", tmp_path / "inputs", "claude-code", scope="whole")
        assert load_config(inputs.candidate).tree.keys() == expected


@pytest.mark.parametrize("home", [".", "link"])
def test_the_own_home_is_not_a_project(skill: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / home))
    shutil.copytree(skill, tmp_path / ".claude/skills/herons")
    with pytest.raises(InputError, match="belongs to your home"):
        prepare(tmp_path / ".claude/skills/herons", tmp_path / "inputs", "claude-code", scope="whole")


def test_tasks_evals_and_logs_in_the_folder_of_the_skill_are_not_installed(skill: Path, write: Write) -> None:
    write("plugin/skills/herons/logs/old.eval", "x")
    write("plugin/skills/herons/tasks/shared.txt", "x")
    write("plugin/skills/herons/mine.json", "[{}]")
    inputs = prepare(
        skill, skill / "logs" / "skill-inputs", "claude-code", tasks=skill / "tasks", evals=skill / "mine.json"
    )
    assert load_config(inputs.candidate).tree.keys() == {f".claude/{path}" for path in OWN}


def test_both_versions_of_a_skill_are_installed_in_the_same_way(skill: Path, tmp_path: Path) -> None:
    shutil.copytree(skill.parents[1], tmp_path / "older")
    inputs = prepare(
        skill, tmp_path / "inputs", "claude-code", scope="whole", baseline=str(tmp_path / "older/skills/herons")
    )
    assert load_config(inputs.baseline).tree == load_config(inputs.candidate).tree


def test_a_name_that_no_folder_can_have_gives_way_to_the_folder(write: Write, tmp_path: Path) -> None:
    home = write("odd/SKILL.md", SKILL.replace("count-herons", "Count all herons")).parent
    write("odd/evals.json", '[{"prompt": "x"}]')
    assert prepare(home, tmp_path / "inputs", "codex").name == "odd"


def test_another_version_of_the_skill_can_be_the_baseline(skill: Path, tmp_path: Path, write: Write) -> None:
    older = write("older/SKILL.md", SKILL.replace("once", "twice")).parent
    inputs = prepare(skill, tmp_path / "inputs", "claude-code", baseline=str(older))
    assert b"twice" in load_config(inputs.baseline).tree[".claude/skills/count-herons/SKILL.md"].data


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not valid JSON"),
        ("[]", "has no list of evals"),
        ('{"evals": {}}', "has no list of evals"),
        ('{"evals": [{"prompt": ""}]}', "eval 1: prompt: must not be empty"),
        ('[{"prompt": " "}]', "eval 1: prompt: must not be empty"),
        ('[{"prompt": 5}]', "eval 1: prompt: must be text"),
        ('[{"query": "x"}, {"id": 2}]', "eval 2: prompt: is missing"),
        ("[1]", "eval 1: must be an object or a text"),
        ('[{"prompt": "x", "prompt": "y"}]', "duplicate key 'prompt'"),
        ('[{"prompt": "x", "should_trigger": "maybe"}]', 'should_trigger: must be true, false or "any"'),
        ('[{"prompt": "x", "should_trigger": "any"}]', "eval 1: expects nothing: add expectations"),
        ('[{"prompt": "x", "id": {}}]', "id: must be a number or a text"),
    ],
)
def test_evals_that_cannot_be_used_are_named(write: Write, text: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        read_cases(write("evals.json", text))


@pytest.mark.parametrize(
    "text",
    [
        '{"skills": ["s"], "query": "x", "files": ["a.pdf"], "expected_behavior": ["one", "two"]}',
        '[{"query": "x", "files": [{"path": "a.pdf", "purpose": "p"}], "expected_behavior": ["one", "two"]}]',
        '{"test_cases": [{"prompt": "x", "files": "a.pdf", "assertions": [{"text": "one"}, {"name": "two"}]}]}',
        '\ufeff{"prompt": "About the file", "cases": [{"input": "x", "files": "a.pdf", "assertions": ["one", "two"]}]}',
    ],
)
def test_evals_are_read_in_the_forms_in_which_people_write_them(write: Write, text: str) -> None:
    (case,) = read_cases(write("evals.json", text))
    assert (case.prompt, case.files, case.expectations, case.unread) == ("x", ("a.pdf",), ("one", "two"), set())


def test_a_prompt_is_given_as_it_is_written(write: Write) -> None:
    (case,) = read_cases(write("evals.json", '[{"prompt": "    x = 1\\nExplain.\\n"}]'))
    assert case.prompt == "    x = 1\nExplain.\n"


def test_prompts_can_be_grouped_by_whether_they_must_activate_the_skill(write: Write) -> None:
    text = '{"skill": "s", "positive": ["x", {"query": "y"}], "negative": ["z"]}'
    cases = read_cases(write("evals.json", text))
    assert [(case.prompt, case.should_trigger) for case in cases] == [("x", True), ("y", True), ("z", False)]


def test_every_eval_becomes_a_task_whatever_its_id(skill: Path, tmp_path: Path, write: Write) -> None:
    entries = [{"prompt": "x", "id": name} for name in (2, None, "一", "二")]
    write("plugin/skills/herons/evals/evals.json", json.dumps(entries))
    names = [task.id for task in load_suite(prepare(skill, tmp_path / "inputs", "codex").tasks).tasks]
    assert names == ["eval--", "eval---4", "eval-2", "eval-2-2"]
    write("plugin/skills/herons/evals/evals.json", json.dumps([{"prompt": "x", "id": 1}, {"prompt": "y", "id": "1"}]))
    with pytest.raises(InputError, match="have the id '1'"):
        prepare(skill, tmp_path / "inputs", "codex")


def test_files_of_an_eval_are_where_the_prompt_expects_them_and_the_skill_is_not_among_them(
    skill: Path, tmp_path: Path, write: Write
) -> None:
    write("plugin/skills/herons/evals/files/north/marsh.txt", "h")
    write("plugin/skills/herons/data/south.txt", "h h")
    (skill / "evals/files/link.md").symlink_to("../../SKILL.md")
    files = ["evals/files/marsh.txt", "files/north/marsh.txt", "SKILL.md", "../SKILL.md", "files/link.md", "data"]
    for prompt, first in (("Count.", "marsh.txt"), ("Read evals/files/marsh.txt.", "evals/files/marsh.txt")):
        write("plugin/skills/herons/evals/evals.json", json.dumps([{"prompt": prompt, "files": files}]))
        (task,) = load_suite(prepare(skill, tmp_path / "inputs", "codex").tasks).tasks
        second = "evals/files/north/marsh.txt" if first == "marsh.txt" else "marsh.txt"
        assert task.visible.keys() == {first, second, "data/south.txt"}
        assert task.visible[first].data == b"h h h" and task.visible[second].data == b"h"


def test_a_file_with_a_detour_in_its_path_stays_in_the_fixture(skill: Path, tmp_path: Path, write: Write) -> None:
    name = "../../herons/evals/files/marsh.txt"
    write("plugin/skills/herons/evals/evals.json", json.dumps([{"prompt": f"Read {name}.", "files": [name]}]))
    inputs = prepare(skill, tmp_path / "inputs", "codex")
    (task,) = load_suite(inputs.tasks).tasks
    assert task.visible.keys() == {"evals/files/marsh.txt"}
    assert {path.name for path in (inputs.tasks / task.id).iterdir()} == {"task.yaml", "fixture"}


def test_links_to_files_of_the_plugin_are_copied_and_others_are_refused(
    skill: Path, tmp_path: Path, write: Write
) -> None:
    write("plugin/shared/deep/count.sh", "echo 3", 0o755)
    (skill / "shared").symlink_to("../../shared")
    (skill / "count.sh").symlink_to("../../shared/deep/count.sh")
    with pytest.raises(InputError, match="leads outside"):
        prepare(skill, tmp_path / "inputs", "codex")
    write("plugin/.claude-plugin/plugin.json", '{"name": "birds"}')
    tree = load_config(prepare(skill, tmp_path / "inputs", "codex").candidate).tree
    for name in ("count.sh", "shared/deep/count.sh"):
        assert tree[f".agents/skills/count-herons/{name}"].data == b"echo 3"
        assert tree[f".agents/skills/count-herons/{name}"].executable
    (skill / "secret").symlink_to(write("secret", "key"))
    with pytest.raises(InputError, match="secret is a symbolic link"):
        prepare(skill, tmp_path / "inputs", "codex")


def test_nothing_that_evals_expect_is_lost(write: Write) -> None:
    entry = {
        "prompt": "x", "id": None, "files": [{"description": "A marsh.", "path": "a.txt"}], "should_trigger": "any",
        "expected_output": ["three", "herons"], "assertions": [{"type": "contains", "value": 3}, "calm"],
    }  # fmt: skip
    (case,) = read_cases(write("evals.json", json.dumps([entry])))
    assert (case.files, case.should_trigger, case.expected_output) == (("a.txt",), "any", "three\nherons")
    assert case.expectations == ("type: contains, value: 3", "calm")


def test_fields_of_evals_that_are_not_read_are_named(skill: Path, tmp_path: Path) -> None:
    (note,) = prepare(skill, tmp_path / "inputs", "claude-code").notes
    assert note == "fields of evals.json that are not read: other"


def test_a_folder_without_a_skill_or_evals_is_refused(tmp_path: Path, write: Write) -> None:
    with pytest.raises(InputError, match=r"has no SKILL\.md"):
        prepare(tmp_path, tmp_path / "inputs", "codex")
    alone = write("alone/SKILL.md", SKILL).parent
    with pytest.raises(InputError, match=r"no evals/evals\.json"):
        prepare(alone, tmp_path / "inputs", "codex")
    with pytest.raises(InputError, match="comes in no plugin"):
        prepare(alone, tmp_path / "inputs", "codex", scope="whole")


def test_a_file_outside_the_skill_is_not_copied(skill: Path, tmp_path: Path, write: Write) -> None:
    write("plugin/skills/herons/evals/evals.json", json.dumps([{"prompt": "x", "files": ["../../../secret.txt"]}]))
    write("secret.txt", "key")
    with pytest.raises(InputError, match="is not in the skill's folder"):
        prepare(skill, tmp_path / "inputs", "codex")


def test_the_cost_of_a_skill_decides_only_where_that_is_asked_for(skill: Path, tmp_path: Path) -> None:
    inputs = prepare(skill, tmp_path / "inputs", "claude-code")
    spec = RunSpec(inputs.tasks, "none", "none", AgentSpec("claude-code"), tmp_path / "logs")
    assert not inputs.applied(spec).thresholds.cost_counts
    assert inputs.applied(spec, count_cost=True).thresholds.cost_counts
