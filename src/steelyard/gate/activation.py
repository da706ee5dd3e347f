"""Which skills an agent used, read from what its client did. Pure.

A skill is activated when its instructions reach the model: the client's tool for skills was called with its name and
did not fail, the prompt names it as a command, or a tool printed its SKILL.md. A tool printed it if its output contains
three lines of the instructions below the front matter (all of them, if there are fewer) that no other skill has.
Listing the file, searching it, reading its front matter or talking about it is not activation, but a near miss.

A skill is known by its folder here. claude-code calls it so too; the other clients call it by its front matter.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from steelyard.gate.agents.tool_call import ToolCall, ToolUse
from steelyard.gate.model import Run
from steelyard.gate.steps import Activation, Confusion
from steelyard.markdown import FRONT_MATTER
from steelyard.tree import File, Tree

FILE = "SKILL.md"
SKILL_TOOLS = frozenset({"skill", "activate_skill"})
"""Names of the tools by which clients load a skill, in lower case."""
# Not read as YAML: clients also load skills whose front matter is none, for want of quotes.
_NAME = re.compile(r"^name:[ \t]*([\"']?)(.+?)\1[ \t]*(?:#.*)?\r?$", re.M)
ENOUGH = 3
"""Lines of a skill's instructions that show that they were read."""


@dataclass(frozen=True, slots=True)
class Activations:
    """What an agent did with the skills of a configuration."""

    names: tuple[str, ...] = ()
    """Skills that were activated."""
    near: Mapping[str, str] | None = None
    """Skill that was not → how close the agent came to it."""


def skills_in(tree: Tree) -> dict[str, tuple[str, ...]]:
    """Skill → the lines of its instructions that no other skill of the configuration has."""
    return own_lines({name: _text(file) for path, file in tree.items() if (name := _skill(path))})


def own_lines(texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Name → the lines of its text below the front matter that no other of the texts has."""
    bodies = {
        name: [line.strip() for line in FRONT_MATTER.sub("", text).splitlines() if line.strip()]
        for name, text in texts.items()
    }
    number = Counter(line for body in bodies.values() for line in {*body})
    return {name: tuple(dict.fromkeys(line for line in body if number[line] == 1)) for name, body in bodies.items()}


def named_in(tree: Tree) -> dict[str, str]:
    """What a client may call a skill → the skill: its folder or, unless that is another skill, its front matter."""
    folders = [name for path in tree if (name := _skill(path))]
    return {**_titles(tree), **{folder: folder for folder in folders}}


def called_skills(commands: Iterable[str], tree: Tree, *, by_title: bool) -> list[str]:
    """The skills that a prompt calls by these names; some clients take only those in the front matter."""
    known = _titles(tree) if by_title else named_in(tree)
    return [known[name] for name in commands if name in known]


def _titles(tree: Tree) -> dict[str, str]:
    """Name in the front matter of a skill → the skill."""
    found = [(name, file) for path, file in tree.items() if (name := _skill(path))]
    return {title: folder for folder, file in found if (title := front_name(_text(file)))}


def _skill(path: str) -> str:
    """The skill whose instructions are at a path: the name of their folder."""
    file = PurePosixPath(path)
    return file.parent.name if file.name == FILE else ""


def front_name(text: str) -> str | None:
    """The name in the front matter of a skill, if there is one."""
    front = FRONT_MATTER.match(text)
    name = _NAME.search(front[1]) if front else None
    return name[2] if name else None


def activations(
    skills: Mapping[str, Sequence[str]],
    uses: Iterable[ToolUse],
    commands: Iterable[str] = (),
    names: Mapping[str, str] | None = None,
) -> Activations:
    """The skills that were activated by tools, or by commands of the prompt, and those that nearly were; `names` are
    those of `named_in`."""
    known = {**{name: name for name in skills}, **(names or {})}
    activated = dict.fromkeys(known[name] for name in commands if name in known)
    near: dict[str, str] = {}
    for use in uses:
        if use.call.tool.lower() in SKILL_TOOLS:
            # Decided by the call alone, not by what it printed.
            called = _called(use.call, known)
            if called is not None and use.call.failed:
                near[called] = "its call failed"
            elif called is not None:
                activated[called] = None
            continue
        for name, lines in skills.items():
            # A skill without a line of its own cannot be recognized by its text.
            if lines and _contains(use.output, lines):
                activated[name] = None
            elif f"{name}/{FILE}" in f"{json.dumps(dict(use.call.arguments), default=str)} {use.output}":
                near.setdefault(name, f"{FILE} was seen and not read")
    return Activations(tuple(activated), {name: how for name, how in near.items() if name not in activated})


def activation_of(seen: Activations, skill: str | None, expected: bool | None) -> Activation:
    """The activation of the skill under test, or of any skill if none is named."""
    activated = bool(seen.names) if skill is None else skill in seen.names
    near = None
    if not activated:
        others = [name for name in seen.names if name != skill]
        how = next(iter((seen.near or {}).values()), None) if skill is None else (seen.near or {}).get(skill)
        near = f"{', '.join(others)} was activated instead" if others else how
    return Activation(expected, activated, near)


def confusion(runs: Iterable[Run]) -> Confusion | None:
    """Expected against real activations; None if no run says anything about them."""
    known = [(run, run.activation) for run in runs if run.activation is not None]
    if not known:
        return None
    cells = Counter((seen.expected, seen.activated) for _, seen in known)
    wrong = tuple(
        f"{run.task}: {'not activated' if seen.expected else 'activated unexpectedly'}"
        for run, seen in known
        if seen.expected is not None and seen.expected is not seen.activated
    )
    near = tuple(f"{run.task}: {seen.near_miss}" for run, seen in known if seen.near_miss)
    return Confusion(
        cells[True, True], cells[True, False], cells[False, True], cells[False, False],
        cells[None, True], cells[None, False], tuple(dict.fromkeys(wrong)), tuple(dict.fromkeys(near)),
    )  # fmt: skip


def _text(file: File) -> str:
    return file.data.decode("utf-8", "replace")


def _called(call: ToolCall, names: Mapping[str, str]) -> str | None:
    """The skill that a call of the tool for skills is about."""
    given = next((call.arguments[key] for key in ("skill", "name", "command") if call.arguments.get(key)), "")
    # A plugin's skill is called PLUGIN:NAME, a command /NAME with arguments behind it.
    whole = str(given).strip().lstrip("/").rpartition(":")[2]
    return names.get(whole) or names.get((whole.split() or [""])[0])


def _contains(output: str, lines: Sequence[str]) -> bool:
    """Whether enough of the lines are in the output, perhaps behind a line number."""
    printed = {line.strip() for line in output.splitlines()}
    # What stands behind the number of a line, as clients print it.
    printed |= {line.partition(mark)[2].strip() for line in printed for mark in "→\t" if mark in line}
    return sum(text in printed for text in lines) >= min(ENOUGH, len(lines))
