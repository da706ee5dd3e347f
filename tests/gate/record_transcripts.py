"""Records what the real clients print when a scripted model uses skills, or does not.

    python -m tests.gate.record_transcripts claude-code codex

Writes `tests/gate/transcripts/AGENT.jsonl`: one scenario per line with the skills that were truly activated, which the
script decides, and the client's output with long texts cut. Clients come from the cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.toolchain.clients import check_client, client_program
from tests.provider import Provider, Reply, Say, Use

FOLDER = Path(__file__).parent / "transcripts"
SKILLS = {
    "count-herons": ("Counts herons in a marsh of cobalt reeds.", "# Herons\n\nWalk the marsh from the north.\n"
                     "Count each heron once.\nWrite the sum into answer.txt.\n"),
    "paint-doors": ("Paints doors of any material.", "# Doors\n\nSand the door first.\nPaint it twice.\nLet it dry.\n"),
}  # fmt: skip
HERONS, DOORS = SKILLS
DROPPED = {
    "usage", "modelUsage", "tools", "slash_commands", "plugins", "uuid", "session_id", "memory_paths", "timestamp",
}  # fmt: skip
"""Fields that say nothing about tools."""
LONGEST = 400
"""Characters of a text that are kept."""


@dataclass(frozen=True)
class Scenario:
    """What the model does, and which skills that activates."""

    name: str
    steps: tuple[Use, ...]
    activated: tuple[str, ...]
    prompt: str = "MAIN: look after the marsh."
    subagent: tuple[Use, ...] = ()
    answer: str = "Done."


def read_ways(folder: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """(name, shell command, skills it activates)."""
    one, other = f"{folder}/{HERONS}/SKILL.md", f"{folder}/{DOORS}/SKILL.md"
    yield from (
        ("cat", f"cat {one}", (HERONS,)),
        ("cat-other", f"cat {other}", (DOORS,)),
        ("cat-both", f"cat {folder}/*/SKILL.md", (DOORS, HERONS)),
        ("sed", f"sed -n '1,40p' {one}", (HERONS,)),
        ("change-folder", f"cd {folder}/{HERONS} && cat SKILL.md", (HERONS,)),
        ("absolute", f'cat "$PWD/{one}"', (HERONS,)),
        ("list", f"ls -la {folder}", ()),
        ("list-file", f"ls {one}", ()),
        ("find", "find . -name SKILL.md", ()),
        ("search", f"grep -rl herons {folder}", ()),
        ("front-only", f"head -n 3 {one}", ()),
        ("count-lines", f"wc -l {one}", ()),
        ("missing", f"cat {folder}/{HERONS}/skill.txt", ()),
        ("say-description", f"echo '{SKILLS[HERONS][0]}'", ()),
        ("own-file", "echo 'Count each heron once.' > SKILL.md; cat SKILL.md", ()),
        ("copy-unread", f"cp {one} copy.md", ()),
    )


def claude_scenarios() -> Iterator[Scenario]:
    def shell(command: str) -> Use:
        return Use("Bash", {"command": command, "description": "look"})

    def skill(name: str) -> Use:
        return Use("Skill", {"skill": name})

    def task(name: str) -> Use:
        return Use("Task", {"description": name, "prompt": f"SUB: {name}", "subagent_type": "general-purpose"})

    for name, command, activated in read_ways(".claude/skills"):
        yield Scenario(f"shell-{name}", (shell(command),), activated)
    file = f".claude/skills/{HERONS}/SKILL.md"
    yield from (
        Scenario("tool", (skill(HERONS),), (HERONS,)),
        Scenario("tool-other", (skill(DOORS),), (DOORS,)),
        Scenario("another-skill-first", (skill(DOORS), skill(HERONS)), (DOORS, HERONS)),
        Scenario("tool-twice", (skill(HERONS), skill(HERONS)), (HERONS,)),
        Scenario("shell-first", (shell("ls"), skill(HERONS)), (HERONS,)),
        Scenario("tool-unknown", (skill("count-cranes"),), ()),
        Scenario("read", (Use("Read", {"file_path": f"$WORK/{file}"}),), (HERONS,)),
        Scenario("read-missing", (Use("Read", {"file_path": "$WORK/.claude/skills/none/SKILL.md"}),), ()),
        Scenario("command", (), (HERONS,), prompt=f"/{HERONS} MAIN"),
        Scenario("command-other", (shell("ls"),), (DOORS,), prompt=f"/{DOORS} MAIN"),
        Scenario("nothing", (), ()),
        Scenario("talk", (), (), answer=f"I used the skill {HERONS}."),
        Scenario("subagent-tool", (task("herons"),), (HERONS,), subagent=(skill(HERONS),)),
        Scenario("subagent-shell", (task("list"),), (), subagent=(shell("ls .claude/skills"),)),
        Scenario("subagent-read", (task("read"),), (HERONS,), subagent=(shell(f"cat {file}"),)),
        Scenario("subagent-then-tool", (task("list"), skill(DOORS)), (DOORS,), subagent=(shell("ls"),)),
    )


def codex_scenarios() -> Iterator[Scenario]:
    def shell(command: str) -> Use:
        return Use("exec_command", {"cmd": command})

    for name, command, activated in read_ways(".agents/skills"):
        yield Scenario(f"shell-{name}", (shell(command),), activated)
    cat = {name: shell(f"cat .agents/skills/{name}/SKILL.md") for name in SKILLS}
    yield from (
        Scenario("another-skill-first", (cat[DOORS], cat[HERONS]), (DOORS, HERONS)),
        Scenario("shell-first", (shell("ls"), cat[HERONS]), (HERONS,)),
        Scenario("shell-first-other", (shell("pwd"), shell("ls -a"), cat[DOORS]), (DOORS,)),
        Scenario("twice", (cat[HERONS], cat[HERONS]), (HERONS,)),
        Scenario("command", (), (HERONS,), prompt=f"MAIN: use ${HERONS} now."),
        Scenario("command-other", (shell("ls"),), (DOORS,), prompt=f"MAIN: ${DOORS}"),
        Scenario("nothing", (), ()),
        Scenario("talk", (), (), answer=f"I used the skill {HERONS}."),
        Scenario("list-then-other", (shell("ls .agents/skills"), cat[DOORS]), (DOORS,)),
        Scenario("search-then-nothing", (shell("grep -r marsh . | head -1"),), ()),
        Scenario("failed-then-read", (shell("cat skills/SKILL.md"), cat[HERONS]), (HERONS,)),
        Scenario("tail", (shell(f"tail -n 4 .agents/skills/{HERONS}/SKILL.md"),), (HERONS,)),
    )


SCENARIOS = {"claude-code": (".claude/skills", claude_scenarios), "codex": (".agents/skills", codex_scenarios)}


def recorded(agent: str, scenario: Scenario) -> dict[str, Any]:
    """The client's output in one scenario."""
    folder = SCENARIOS[agent][0]
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as work:
        for name, (about, body) in SKILLS.items():
            path = Path(work, folder, name, "SKILL.md")
            path.parent.mkdir(parents=True)
            path.write_text(f"---\nname: {name}\ndescription: {about}\n---\n{body}", "utf-8")
        provider = Provider(lambda path, body: _answer(scenario, body, work))
        try:
            command, environment = _command(agent, provider.url)
            done = subprocess.run(
                command, input=scenario.prompt, text=True, capture_output=True, cwd=work, timeout=300, check=False,
                env={"PATH": os.environ["PATH"], "HOME": home, **environment},
            )  # fmt: skip
        finally:
            provider.close()
    lines = [json.loads(line.replace(work, "/project")) for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stderr
    # The truth is on the wire: a skill is activated if the last line of its instructions was sent to the model.
    sent = json.dumps(
        [request["body"].get("messages") or request["body"].get("input") for request in provider.requests]
    )
    assert {name for name, (_, body) in SKILLS.items() if body.splitlines()[-1] in sent} == {*scenario.activated}
    return {"scenario": scenario.name, "prompt": scenario.prompt, "activated": sorted(scenario.activated),
            "lines": [_small(line) for line in lines]}  # fmt: skip


def _command(agent: str, url: str) -> tuple[list[str], dict[str, str]]:
    program = str(client_program(agent))
    if agent == "claude-code":
        words = ["-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
        return [program, *words], {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "IS_SANDBOX": "1",
                                   "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}  # fmt: skip
    own = f'model_providers.own={{name="own",wire_api="responses",base_url="{url}/v1",env_key="OPENAI_API_KEY"}}'
    words = ["-c", 'model_provider="own"', "-c", own, "exec", "--json", "--skip-git-repo-check",
             "--dangerously-bypass-approvals-and-sandbox", "-"]  # fmt: skip
    return [program, *words], {"OPENAI_API_KEY": "none"}


def _answer(scenario: Scenario, body: dict[str, Any], work: str) -> Reply:
    """The next step of the main agent or of the subagent, counted by the results that the request carries."""
    messages: list[Any] = body.get("messages") or body["input"]
    sent, first = json.dumps(messages), json.dumps(messages[0])
    steps = scenario.subagent if '"SUB: ' in first else scenario.steps
    number = sent.count('"tool_result"') + sent.count('"function_call_output"')
    if number >= len(steps):
        return Say(scenario.answer)
    arguments = {name: value.replace("$WORK", work) for name, value in steps[number].arguments.items()}
    return Use(steps[number].tool, arguments)


def _small(value: Any) -> Any:
    if isinstance(value, dict):
        dropped = (
            "usage",
            "modelUsage",
            "tools",
            "slash_commands",
            "plugins",
            "uuid",
            "session_id",
            "memory_paths",
            "timestamp",
        )
        return {name: _small(part) for name, part in value.items() if name not in dropped}
    if isinstance(value, list):
        return [_small(part) for part in value]
    return value[:LONGEST] if isinstance(value, str) else value


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for agent in sys.argv[1:]:
        version = check_client(agent)
        with (FOLDER / f"{agent}.jsonl").open("w", encoding="utf-8") as file:
            for scenario in SCENARIOS[agent][1]():
                entry = {"client": version, **recorded(agent, scenario)}
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
                file.flush()
                print(agent, scenario.name, len(entry["lines"]), "lines")


if __name__ == "__main__":
    main()
