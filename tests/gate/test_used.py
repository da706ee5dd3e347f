"""Which parts of a configuration came into play, read from what the real clients do."""

import json
from collections.abc import Callable
from pathlib import Path

from inspect_ai import eval as evaluate

from steelyard.gate.agents import AgentSpec, claude_code, find_agent
from steelyard.gate.agents.attempt import Attempt
from steelyard.gate.agents.tool_call import ToolCall, ToolUse
from steelyard.gate.config import load_config
from steelyard.gate.config.used import from_marks, marks, parts_in, parts_used
from steelyard.gate.model import Run
from steelyard.gate.read.arm import read_arm
from steelyard.gate.steps import PartUse
from steelyard.gate.task_folder import load_suite
from steelyard.gate.tasks import ArmSpec, Round, arm_task
from steelyard.tree import File
from tests.gate.scripted import REQUESTS

SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    version = (asked.get("params") or {}).get("protocolVersion")
    about = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    tool = {"name": "next_tide", "description": "A tide.", "inputSchema": {"type": "object", "properties": {}}}
    told = {"content": [{"type": "text", "text": "at noon"}]}
    result = {"initialize": about, "tools/list": {"tools": [tool]}, "tools/call": told}.get(asked["method"], {})
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
MUTE = SERVER.replace("next_tide", "other")
WORDS = {"command": "python3", "args": ["-c", SERVER]}
SILENT = {"command": "python3", "args": ["-c", MUTE]}
TEXT = "Name the harbour.\nCount the boats twice.\nNever guess a tide.\n"
SCOPED = "---\npaths: '*.tsx'\n---\nWrite components.\nOnly small ones.\nIn one file each.\n"
HOOK = [{"hooks": [{"type": "command", "command": "true"}]}]
REVIEWER = "---\nname: reviewer\ndescription: Looks at it.\nmode: subagent\n---\nLook at it.\n"
FILES = {
    "claude-code": {
        "CLAUDE.md": TEXT,
        ".claude/rules/components.md": SCOPED,
        ".claude/agents/reviewer.md": REVIEWER,
        ".claude/agents/idler.md": REVIEWER.replace("reviewer", "idler"),
        ".claude/settings.json": json.dumps({"hooks": {"Stop": HOOK, "PreCompact": HOOK}}),
        ".mcp.json": json.dumps({"mcpServers": {"tides": WORDS, "silent": SILENT}}),
    },
    "codex": {
        "AGENTS.md": TEXT,
        ".codex/config.toml": "".join(
            f'[mcp_servers.{name}]\ncommand = "python3"\nargs = ["-c", {json.dumps(code)}]\n'
            for name, code in (("tides", SERVER), ("silent", MUTE))
        ),
    },
    "gemini-cli": {
        "GEMINI.md": TEXT,
        ".gemini/settings.json": json.dumps({"mcpServers": {"tides": WORDS, "silent": SILENT}}),
    },
    "opencode": {
        "AGENTS.md": TEXT,
        ".opencode/agents/reviewer.md": REVIEWER,
        "opencode.json": json.dumps(
            {"mcp": {name: {"type": "local", "command": ["python3", "-c", code]}
                     for name, code in (("tides", SERVER), ("silent", MUTE))}}
        ),
    },
}  # fmt: skip
SEEN = {
    "claude-code": {
        "instructions CLAUDE.md": True, "rule .claude/rules/components.md": False, "subagent reviewer": True,
        "subagent idler": False, "hook Stop": True, "hook PreCompact": False, "MCP server tides": True,
        "MCP server silent": False,
    },
    "codex": {"instructions AGENTS.md": True, "MCP server tides": True, "MCP server silent": False},
    "gemini-cli": {"instructions GEMINI.md": True, "MCP server tides": True, "MCP server silent": False},
    "opencode": {
        "instructions AGENTS.md": True, "subagent reviewer": True, "MCP server tides": True, "MCP server silent": False,
    },
}  # fmt: skip


def test_a_run_says_which_parts_its_client_used(
    client: str, write: Callable[..., Path], suite: Callable[..., Path], tmp_path: Path
) -> None:
    for path, text in FILES[client].items():
        write(f"config/{path}", text)
    spec = AgentSpec(client, model="puppet/parts")
    config = load_config(str(tmp_path / "config"))
    arm = ArmSpec("candidate", load_suite(suite()), config, find_agent(spec), spec)
    REQUESTS.clear()
    (log,) = evaluate(arm_task(arm, Round()), model=spec.model, log_dir=str(tmp_path / "logs"), display="none")
    assert log.status == "success", log.error
    (run,) = read_arm([str(tmp_path / "logs")], "candidate").runs
    assert run.passed == run.total and run.parts == SEEN[client]


def tree(files: dict[str, str]) -> dict[str, File]:
    return {path: File(text.encode()) for path, text in files.items()}


def test_what_a_client_does_not_show_is_unknown_and_not_unused() -> None:
    found = tree(FILES["claude-code"])
    parts = parts_in(found, "claude-code")
    assert set(parts) == set(SEEN["claude-code"])
    assert from_marks(parts, marks(parts, found, "claude-code", Attempt(), None)) == {}
    assert parts_in(found, "model") == () and parts_in(tree({".mcp.json": "{"}), "claude-code") == ()


def test_a_failed_call_and_a_part_of_another_agent_do_not_count() -> None:
    found = tree(FILES["claude-code"])
    parts = ("MCP server tides", "subagent reviewer")
    calls = (
        ToolUse(ToolCall("mcp__tides__next_tide", {}, failed=True)),
        ToolUse(ToolCall("mcp__tides2__next_tide")),
        ToolUse(ToolCall("Agent", {"subagent_type": "Explore"})),
    )
    assert marks(parts, found, "claude-code", Attempt(uses=calls), ()) == "00"
    plugged = (
        ToolUse(ToolCall("mcp__plugin_pack_tides__next_tide")),
        ToolUse(ToolCall("Task", {"subagent_type": "pack:reviewer"})),
    )
    assert marks(parts, found, "claude-code", Attempt(uses=plugged), ()) == "11"


def test_only_a_configuration_with_hooks_asks_the_client_to_show_them() -> None:
    assert claude_code.part_options(tree({"CLAUDE.md": "Use hooks."})) == []
    assert claude_code.part_options(tree(FILES["claude-code"])) == ["--include-hook-events"]


def test_parts_are_counted_over_the_runs_that_show_them() -> None:
    before = [Run("a", 1, 1, parts={"hook Stop": False}), Run("b", 1, 1)]
    after = [Run("a", 1, 1, parts={"hook Stop": True, "skill s": False}), Run("b", 1, 1, parts={"hook Stop": False})]
    assert parts_used(before, after) == (PartUse("hook Stop", (0, 1), (1, 2)), PartUse("skill s", None, (0, 1)))
    assert parts_used([], [Run("a", 1, 1)]) == ()
