"""What can be taken away: differences, sections, lines, files; what stands together, and what stays (§3.7)."""

from __future__ import annotations

import json

import pytest

from steelyard.errors import InputError
from steelyard.gate.blame.parts import PartRules, recipe
from steelyard.gate.blame.recipe import Recipe
from steelyard.gate.config import Config
from steelyard.tree import File

CLAUDE = b"""---
x: 1
---
# Title

intro

## Testing
- run it
  with care
- twice

```
# not a heading
```
## Style
see @docs/style.md
"""
HOOKS = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "$D/.claude/hooks/a.sh"}]}]}
FULL = {
    "CLAUDE.md": File(CLAUDE),
    "docs/style.md": File(b"be brief\n"),
    ".claude/settings.json": File(json.dumps({"permissions": {"deny": ["Read"]}, "hooks": HOOKS}).encode()),
    ".claude/hooks/a.sh": File(b"#!/bin/sh\n", True),
    ".claude/rules/one.md": File(b"a rule\n"),
    ".mcp.json": File(b'{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}'),
    ".claude/skills/k/SKILL.md": File(b"---\nname: k\ndescription: d\n---\n"),
    ".claude/skills/k/data.bin": File(b"\0\xff"),
}


def names(found: Recipe) -> list[str]:
    return [part.name for part in found.parts]


def without(found: Recipe, *gone: str) -> dict[str, File]:
    assert {*gone} <= {*names(found)}
    return found.configuration([part.name not in gone for part in found.parts]).tree


def taken(grain: str, **rules: object) -> Recipe:
    return recipe(Config("c", FULL), None, PartRules(grain, **rules))  # type: ignore[arg-type]


@pytest.mark.parametrize("grain", ["sections", "lines", "files"])
def test_with_all_parts_the_configuration_is_the_candidate_byte_for_byte(grain: str) -> None:
    found = taken(grain)
    assert found.configuration([True] * len(found.parts)).tree == FULL


def test_sections_are_cut_at_headings_outside_code_and_front_matter_stays() -> None:
    found = taken("sections")
    hook = next(name for name in names(found) if name.startswith(".claude/hooks/a.sh"))
    assert names(found) == [hook, ".claude/rules/one.md", ".claude/skills/k/", ".mcp.json mcpServers.a",
                            ".mcp.json mcpServers.b", "CLAUDE.md § Title", "CLAUDE.md § Testing",
                            "CLAUDE.md § Style + docs/style.md"]  # fmt: skip
    left = without(found, "CLAUDE.md § Testing", "CLAUDE.md § Title")["CLAUDE.md"].data
    assert left == b"---\nx: 1\n---\n## Style\nsee @docs/style.md\n"


def test_lines_are_list_items_with_what_hangs_on_them_and_paragraphs() -> None:
    found = taken("lines")
    own = [name for name in names(found) if name.startswith("CLAUDE.md")]
    assert own == ["CLAUDE.md:6", "CLAUDE.md:9", "CLAUDE.md:11", "CLAUDE.md:13", "CLAUDE.md:17 + docs/style.md"]
    assert b"with care" not in without(found, "CLAUDE.md:9")["CLAUDE.md"].data
    assert b"- twice" in without(found, "CLAUDE.md:9")["CLAUDE.md"].data
    assert b"not a heading" not in without(found, "CLAUDE.md:13")["CLAUDE.md"].data


def test_a_hook_goes_with_the_settings_entry_that_names_it_and_other_settings_stay() -> None:
    found = taken("files")
    hook = next(name for name in names(found) if name.startswith(".claude/hooks/a.sh"))
    left = without(found, hook)
    assert ".claude/hooks/a.sh" not in left
    assert json.loads(left[".claude/settings.json"].data) == {
        "permissions": {"deny": ["Read"]},
        "hooks": {"PreToolUse": []},
    }


def test_one_server_goes_and_the_rest_is_still_json() -> None:
    left = without(taken("files"), ".mcp.json mcpServers.a")
    assert json.loads(left[".mcp.json"].data) == {"mcpServers": {"b": {"command": "y"}}}


def test_a_skill_is_its_whole_folder_binary_files_too() -> None:
    left = without(taken("files"), ".claude/skills/k/")
    assert not [path for path in left if path.startswith(".claude/skills")]


def test_what_is_pinned_is_no_part_and_what_stands_together_is_one() -> None:
    found = taken("sections", pin=("Title",), together=(("Testing", ".mcp.json mcpServers.a"),))
    assert not [name for name in names(found) if "Title" in name]
    assert ".mcp.json mcpServers.a + CLAUDE.md § Testing" in names(found)
    left = without(found, ".mcp.json mcpServers.a + CLAUDE.md § Testing")
    assert b"Testing" not in left["CLAUDE.md"].data and b'"a"' not in left[".mcp.json"].data


def test_a_heading_names_the_lines_below_it() -> None:
    found = taken("lines", pin=("Testing",), together=(("Title", "Style"),))
    own = [name for name in names(found) if name.startswith("CLAUDE.md")]
    assert own == ["CLAUDE.md:6 + CLAUDE.md:17 + docs/style.md"]


@pytest.mark.parametrize("rules", [{"pin": ("Nonsense",)}, {"together": (("Testing", "Nonsense"),)}])
def test_a_name_that_no_part_has_is_refused_with_the_names_there_are(rules: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(InputError, match=r"no part is called Nonsense"):
        taken("sections", **rules)


def test_everything_pinned_leaves_nothing_to_ask() -> None:
    with pytest.raises(InputError, match="every part is pinned"):
        taken("sections", pin=("*",))


OLD = {
    "CLAUDE.md": File(b"a\nb\nc\nd\ne\n"),
    "gone.md": File(b"x"),
    "pic.bin": File(b"\0one"),
    ".mcp.json": File(b'{"mcpServers": {"a": {"command": "x"}}}'),
}
NEW = {
    "CLAUDE.md": File(b"A\nb\nc\nd\ne\nf\n"),
    "new.md": File(b"y"),
    "pic.bin": File(b"\0two"),
    ".mcp.json": File(b'{"mcpServers": {"a": {"command": "z"}, "b": {"command": "y"}}}'),
}


def test_differences_are_hunks_entries_and_whole_files() -> None:
    found = recipe(Config("new", NEW), Config("old", OLD), PartRules())
    assert names(found) == [".mcp.json mcpServers.a.command", ".mcp.json mcpServers.b", "CLAUDE.md:1", "CLAUDE.md:6",
                            "gone.md", "new.md", "pic.bin"]  # fmt: skip
    assert found.configuration([True] * 7).tree == NEW
    assert found.configuration([False] * 7).tree == OLD
    assert without(found, "CLAUDE.md:1")["CLAUDE.md"].data == b"a\nb\nc\nd\ne\nf\n"
    mixed = json.loads(without(found, ".mcp.json mcpServers.a.command")[".mcp.json"].data)
    assert mixed == {"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}


@pytest.mark.parametrize("removed", [False, True])
def test_a_block_of_new_lines_is_cut_at_its_items_and_paragraphs(removed: bool) -> None:
    short, long = b"# A\n\nx\n", b"# A\n\nx\n\n## B\n\n- one\n  more\n- two\n\ntext\n"
    old, new = (long, short) if removed else (short, long)
    sides = [Config(name, {"AGENTS.md": File(data)}) for name, data in (("new", new), ("old", old))]
    found = recipe(*sides, PartRules())
    assert len(found.parts) == 3
    assert found.configuration([True] * 3).tree == sides[0].tree
    assert found.configuration([False] * 3).tree == sides[1].tree
    lines = found.configuration([not removed, removed, not removed]).tree["AGENTS.md"].data
    assert lines == b"# A\n\nx\n\n## B\n\n- one\n  more\n\ntext\n"


def test_equal_configurations_have_no_parts_and_say_so() -> None:
    with pytest.raises(InputError, match="nothing differs"):
        recipe(Config("one", OLD), Config("two", dict(OLD)), PartRules())


def test_an_empty_file_has_no_sections() -> None:
    with pytest.raises(InputError, match="nothing to take away"):
        recipe(Config("c", {"AGENTS.md": File(b"")}), None, PartRules("sections"))


def test_an_instruction_file_that_is_not_text_is_one_part() -> None:
    found = recipe(Config("c", {"AGENTS.md": File(b"\xff\xfe\0x")}), None, PartRules("lines"))
    assert names(found) == ["AGENTS.md"]


def test_500_items_are_500_parts() -> None:
    text = "".join(f"- rule {number}\n" for number in range(500)).encode()
    found = recipe(Config("c", {"AGENTS.md": File(text)}), None, PartRules("lines"))
    assert len(found.parts) == 500
    assert found.configuration([number % 2 == 0 for number in range(500)]).tree["AGENTS.md"].data.count(b"\n") == 250


def test_parts_with_one_heading_have_names_of_their_own() -> None:
    text = b"# X\na\n# X\nb\n# X (2)\nc\n# X\nd\n"
    found = recipe(Config("c", {"AGENTS.md": File(text)}), None, PartRules("sections"))
    # The second X takes `X (2)`, so the section of that heading is its second, and the third X goes on with 3.
    assert names(found) == [f"AGENTS.md § {name}" for name in ("X", "X (2)", "X (2) (2)", "X (3)")]


def test_true_is_not_one() -> None:
    new, old = (Config(name, {"a.json": File(b'{"a": %s}' % value)}) for name, value in (("n", b"true"), ("o", b"1")))
    found = recipe(new, old, PartRules())
    assert names(found) == ["a.json a"] and found.configuration([False]).tree == old.tree
