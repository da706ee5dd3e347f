"""What the real clients load of a configuration, seen in the requests that leave them, against the table."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import eval as evaluate

from steelyard import toolchain
from steelyard.gate.agents import AgentSpec, find_agent
from steelyard.gate.config import load_config
from steelyard.gate.config.artifacts import artifacts_of
from steelyard.gate.config.imports import IMPORTING
from steelyard.gate.skill import prepare
from steelyard.gate.task_folder import load_suite
from steelyard.gate.tasks import ArmSpec, Round, arm_task
from tests.clients import installed
from tests.gate.scripted import REQUESTS

_SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    version = (asked.get("params") or {}).get("protocolVersion")
    tool = {"name": "WORD", "description": "A tool.", "inputSchema": {"type": "object", "properties": {}}}
    about = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    result = {"initialize": about, "tools/list": {"tools": [tool]}}.get(asked["method"], {})
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
"""An MCP server with one tool."""


def _server(word: str) -> dict[str, object]:
    return {"command": "python3", "args": ["-c", _SERVER.replace("WORD", word)]}


def _described(name: str, word: str, more: str = "") -> str:
    return f"---\nname: {name}\ndescription: The {word} way to count herons.\n{more}---\nCount them.\n"


def _plugin(name: str, description: str = "", **fields: object) -> str:
    return json.dumps({"name": name, "version": "1.0.0", "description": description, **fields})


_MARKET = json.dumps(
    {
        "name": "m",
        "plugins": [{"name": "cp", "description": "ebonymarket", "source": {"source": "local", "path": "./"}}],
    }
)
_CLAUDE_HOOK = {"matcher": "*", "hooks": [{"type": "command", "command": "touch hooked.txt"}]}
_PLUGIN_HOOK = {"matcher": "*", "hooks": [{"type": "command", "command": "touch /work/plugged.txt"}]}
_CODEX_HOOK = {"matcher": "*", "hooks": [{"type": "command", "command": "touch hooked.txt"}]}
_GEMINI_HOOK = {"matcher": ".*", "hooks": [{"name": "h", "type": "command", "command": "touch hooked.txt"}]}
ARTIFACTS = {
    "CLAUDE.md": ("ambermd", "Mention ambermd."),
    "AGENTS.md": ("bronzemd", "Mention bronzemd."),
    "GEMINI.md": ("coppermd", "Mention coppermd."),
    ".cursorrules": ("cursormd", "Mention cursormd."),
    ".github/copilot-instructions.md": ("copilotmd", "Mention copilotmd."),
    ".claude/skills/sa/SKILL.md": ("amberskill", _described("sa", "amberskill")),
    ".agents/skills/sb/SKILL.md": ("bronzeskill", _described("sb", "bronzeskill")),
    ".gemini/skills/sc/SKILL.md": ("copperskill", _described("sc", "copperskill")),
    ".opencode/skills/sd/SKILL.md": ("denimskill", _described("sd", "denimskill")),
    ".codex/skills/se/SKILL.md": ("ebonyskill", _described("se", "ebonyskill")),
    ".claude/agents/aa.md": ("amberagent", _described("aa", "amberagent")),
    ".gemini/agents/ab.md": ("copperagent", _described("ab", "copperagent")),
    ".opencode/agents/ac.md": ("denimagent", _described("ac", "denimagent", "mode: subagent\n")),
    ".opencode/agents/ad.md": ("denimless", "---\ndescription: The denimless way.\nmode: subagent\n---\nCount.\n"),
    ".claude/commands/ca.md": ("ambercommand", "---\ndescription: The ambercommand way.\n---\nCount.\n"),
    ".mcp.json": ("ambertool", json.dumps({"mcpServers": {"m": _server("ambertool")}})),
    ".gemini/settings.json": (
        "coppertool",
        json.dumps({"mcpServers": {"m": _server("coppertool")}, "hooks": {"BeforeTool": [_GEMINI_HOOK]}}),
    ),
    "opencode.json": (
        "denimtool",
        json.dumps({"mcp": {"m": {"type": "local", "command": ["python3", *_server("denimtool")["args"]]}}}),  # type: ignore[misc]
    ),
    ".codex/config.toml": (
        "ebonytool",
        f'[mcp_servers.m]\ncommand = "python3"\nargs = ["-c", {json.dumps(_SERVER.replace("WORD", "ebonytool"))}]\n',
    ),
    "pack/.claude-plugin/plugin.json": ("packtool", _plugin("pack", mcpServers={"m": _server("packtool")})),
    "pack/skills/pa/SKILL.md": ("packskill", _described("pa", "packskill")),
    "pack/agents/pb.md": ("packagent", _described("pb", "packagent")),
    "pack/commands/pc.md": ("packcommand", "---\ndescription: The packcommand way.\n---\nCount.\n"),
    ".codex-plugin/plugin.json": ("ebonyplugin", _plugin("cp", "ebonyplugin", skills="./pack/skills/")),
    ".agents/plugins/marketplace.json": ("ebonymarket", _MARKET),
    "gemini-extension.json": ("copperext", _plugin("gx", mcpServers={"m": _server("copperext")})),
    ".gemini/extensions/gy/gemini-extension.json": (
        "copperhome",
        _plugin("gy", mcpServers={"m": _server("copperhome")}),
    ),
    ".gemini/GEMINI.md": ("copperuser", "Mention copperuser."),
    ".config/opencode/AGENTS.md": ("denimuser", "Mention denimuser."),
    ".codex/AGENTS.md": ("ebonyuser", "Mention ebonyuser."),
    ".codex/prompts/p.md": ("ebonyprompt", "---\ndescription: The ebonyprompt way.\n---\nCount.\n"),
}
"""Path → a word of its own, and the text that brings it to the model."""
PLUGGED = {
    "pack/hooks/hooks.json": json.dumps({"hooks": {"PreToolUse": [_PLUGIN_HOOK]}}),
    ".opencode/plugins/p.js": "import fs from 'fs'\n"
    "export const P = async () => { fs.writeFileSync('/work/plugged.txt', ''); return {} }\n",
}
"""Parts of plugins that create a file."""
AT_HOME = {
    ".claude/CLAUDE.md": "Mention homeword.",
    ".claude/skills/h/SKILL.md": _described("h", "homeword"),
    ".claude/agents/h.md": _described("h", "homeword"),
    ".claude/commands/h.md": "---\ndescription: The homeword way.\n---\nCount.\n",
    ".claude/settings.json": json.dumps({"hooks": {"PreToolUse": [_CLAUDE_HOOK]}}),
    ".agents/skills/h/SKILL.md": _described("h", "homeword"),
    ".codex/AGENTS.md": "Mention homeword.",
    ".gemini/GEMINI.md": "Mention homeword.",
    ".gemini/extensions/gz/gemini-extension.json": _plugin("gz", mcpServers={"m": _server("homeword")}),
    ".config/opencode/AGENTS.md": "Mention homeword.",
}
"""What a user has in the home of this machine."""
RULES = json.dumps({"permissions": {"deny": ["Bash(echo:*)"]}})
UNSEEN = {"opencode": {"CLAUDE.md"}}
"""Artifacts that yield to another one here: opencode takes CLAUDE.md only where there is no AGENTS.md."""


@pytest.fixture
def sent(write: Callable[..., Path], suite: Callable[..., Path], tmp_path: Path) -> Callable[..., tuple[str, str]]:
    """Run a client with files, or with a folder of them; what it sent, and the change that it left."""

    def run(agent: str, files: dict[str, str], folder: str | None = None) -> tuple[str, str]:
        for path, text in files.items():
            write(f"config/{path}", text)
        spec = AgentSpec(agent, model="puppet/solve")
        config = load_config(folder or str(tmp_path / "config"))
        arm = ArmSpec("candidate", load_suite(suite(timeout_s=600)), config, find_agent(spec), spec)
        REQUESTS.clear()
        (log,) = evaluate(arm_task(arm, Round()), model=spec.model, log_dir=str(tmp_path / "logs"), display="none")
        assert log.status == "success" and log.samples, log.error
        details = (log.samples[0].scores or {})["gate"].metadata or {}
        parts = [part for messages, tools in REQUESTS for part in (*messages, *tools)]
        return "\n".join(str(part.model_dump()) for part in parts), str(details.get("diff"))

    return run


@pytest.mark.clients
def test_a_client_loads_what_the_table_says(
    client: str, sent: Callable[..., tuple[str, str]], write: Callable[..., Path], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("STEELYARD_CACHE", str(toolchain.cache_folder()))
    for path, content in AT_HOME.items():
        write(f"home/{path}", content)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    settings = {"enableAllProjectMcpServers": True, "hooks": {"PreToolUse": [_CLAUDE_HOOK]}}
    files = {path: content for path, (_, content) in ARTIFACTS.items()} | PLUGGED
    files |= {path: f"{files[path]}\n@docs/more.md\n" for path in ("CLAUDE.md", "AGENTS.md", "GEMINI.md")}
    files |= {"docs/more.md": "Mention importword."}
    files |= {".codex/hooks.json": json.dumps({"hooks": {"SessionStart": [_CODEX_HOOK], "PreToolUse": [_CODEX_HOOK]}})}
    text, left = sent(client, {**files, ".claude/settings.json": json.dumps(settings)})
    seen = {path for path, (word, _) in ARTIFACTS.items() if word in text}
    table = artifacts_of(ARTIFACTS)
    assert seen == {path for path in ARTIFACTS if client in table[path].readers} - UNSEEN.get(client, set())
    assert "homeword" not in text
    first, _ = REQUESTS[0]
    skill = ARTIFACTS[".codex/skills/se/SKILL.md"][0]
    assert "\n".join(str(part.model_dump()) for part in first).count(skill) == (1 if client == "codex" else 0)
    assert ("importword" in text) is (client in IMPORTING)
    assert ("plugged.txt" in left) is (client in ("claude-code", "opencode"))
    # The hooks of both clients create a file before a tool runs.
    assert ("hooked.txt" in left) is (client in ("claude-code", "gemini-cli"))


@pytest.mark.clients
def test_a_permission_rule_of_claude_code_holds(sent: Callable[..., tuple[str, str]]) -> None:
    installed("claude-code")
    text, left = sent("claude-code", {"CLAUDE.md": "Be brief.", ".claude/settings.json": RULES})
    assert "denied" in text and "answer.txt" not in left


@pytest.mark.clients
def test_claude_code_loads_the_whole_plugin_that_a_skill_comes_in(
    sent: Callable[..., tuple[str, str]], write: Callable[..., Path], tmp_path: Path
) -> None:
    installed("claude-code")
    write("pack/scripts/mark.sh", "touch /work/plugged.txt\n", 0o755)
    hook = {"type": "command", "command": "sh ${CLAUDE_PLUGIN_ROOT}/scripts/mark.sh"}
    write("pack/hooks/hooks.json", json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}}))
    write("pack/skills/pa/evals/evals.json", '[{"prompt": "x"}]')
    parts = {path: pair for path, pair in ARTIFACTS.items() if path.startswith("pack/")}
    for path, (_, text) in parts.items():
        write(path, text)
    inputs = prepare(tmp_path / "pack/skills/pa", tmp_path / "logs/skill-inputs", "claude-code", scope="whole")
    text, left = sent("claude-code", {}, inputs.candidate)
    assert [word for word, _ in parts.values() if word not in text] == []
    assert "plugged.txt" in left and f"pack:{inputs.name}" in text
