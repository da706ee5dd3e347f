"""Configurations: found by kind, read from folders and git refs, validated with the line that is wrong."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.agents.claude_code import plugin_options
from steelyard.gate.config import Config, kind_of, load_config
from steelyard.gate.config.artifacts import AGENTS, ARTIFACTS
from steelyard.gate.config.inspect import Finding, inspect_config
from steelyard.gate.git import tree_at
from steelyard.gate.tree import File

Write = Callable[..., Path]


def git(repo: Path, *words: str) -> str:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    return subprocess.run(
        ["git", *identity, "-C", str(repo), *words], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("CLAUDE.md", "instructions"),
        ("AGENTS.md", "instructions"),
        (".cursorrules", "instructions"),
        (".claude/skills/pdf/SKILL.md", "skill"),
        (".claude/hooks/pre.sh", "hook"),
        (".claude/commands/fix.md", "command"),
        (".claude/agents/reviewer.md", "agent"),
        (".claude/settings.json", "settings"),
        (".cursor/rules/style.mdc", "rule"),
        (".codex/config.toml", "codex"),
        ("GEMINI.md", "instructions"),
        (".github/copilot-instructions.md", "instructions"),
        (".agents/skills/pdf/SKILL.md", "skill"),
        (".opencode/agents/reviewer.md", "agent"),
        (".opencode/plugins/own.ts", "plugin"),
        (".opencode/themes/own.json", "opencode"),
        (".claude/output-styles/own.md", "claude"),
        (".claude-plugin/plugin.json", "plugin"),
        ("pack/.claude-plugin/plugin.json", "plugin"),
        (".gemini/settings.json", "settings"),
        (".mcp.json", "mcp"),
        ("web/CLAUDE.md", "instructions"),
        ("web/api/AGENTS.md", "instructions"),
        ("web/.cursor/rules/style.mdc", "rule"),
        ("src/main.py", "other"),
        ("web/NOT-CLAUDE.md", "other"),
    ],
)
def test_artifacts_are_known_by_their_path(path: str, kind: str) -> None:
    assert kind_of(path) == kind


@pytest.mark.parametrize(
    ("agent", "ignored"),
    [
        ("claude-code", {"GEMINI.md", ".agents/skills/pdf/SKILL.md", ".github/copilot-instructions.md"}),
        ("gemini-cli", {"CLAUDE.md", ".github/copilot-instructions.md"}),
        ("opencode", {"GEMINI.md", ".github/copilot-instructions.md"}),
        (None, {".github/copilot-instructions.md"}),
        ("command", set[str]()),
    ],
)
def test_what_an_agent_does_not_load_is_a_warning(
    agent: str | None, ignored: set[str], write: Write, tmp_path: Path
) -> None:
    for path in ("CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", "notes.txt"):
        write(f"c/{path}", "Be brief.\n")
    write("c/.agents/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: d\n---\n")
    found = inspect_config(load_config(str(tmp_path / "c")), agent=agent)
    assert found.valid and {finding.path for finding in found.findings} == ignored


def test_a_skill_with_two_names_is_a_warning(write: Write, tmp_path: Path) -> None:
    for folder in ("pdf", "pages"):
        write(f"c/.agents/skills/{folder}/SKILL.md", "---\ndescription: d\nname: pdf\n---\n")
    (finding,) = inspect_config(load_config(str(tmp_path / "c")), agent="codex").findings
    assert str(finding).startswith(".agents/skills/pages/SKILL.md:3 is named 'pdf' in a folder 'pages'")


@pytest.mark.parametrize(
    ("agent", "warned"),
    [
        ("claude-code", {"CLAUDE.md:5", "GEMINI.md", ".github/copilot-instructions.md"}),
        ("gemini-cli", {"CLAUDE.md", "AGENTS.md"}),
        (None, {"CLAUDE.md:5"}),
    ],
)
def test_what_instructions_import_or_link_to_is_loaded(agent: str | None, warned: set[str]) -> None:
    claude = b"Ask @ada.\n```\n@no.md\n```\n@AGENTS.md and @docs/style.md, `@not.md`\n"
    link = File(link=".github/copilot-instructions.md")
    tree = {
        "CLAUDE.md": File(claude),
        "AGENTS.md": File(b"x"),
        "GEMINI.md": link,
        ".github/copilot-instructions.md": File(b"y"),
    }
    found = inspect_config(Config("c", tree), agent=agent).findings
    assert {str(finding).split(" ")[0] for finding in found} == warned
    assert all("style.md" in finding.message for finding in found if finding.line)


def test_what_needs_a_home_or_an_installation_is_a_warning_with_the_reason(write: Write, tmp_path: Path) -> None:
    for path in (".gemini/GEMINI.md", ".gemini/settings.json", "gemini-extension.json", ".config/opencode/AGENTS.md"):
        write(f"c/{path}", "{}")
    found = inspect_config(load_config(str(tmp_path / "c")), agent="gemini-cli")
    assert {finding.path: finding.message.partition(": ")[2] for finding in found.findings} == {
        ".gemini/GEMINI.md": "it is read in a home only, and the home of a run is empty",
        ".config/opencode/AGENTS.md": "it is read in a home only, and the home of a run is empty",
        "gemini-extension.json": "the client installs it before it loads it, and a run installs nothing",
    }


@pytest.mark.parametrize(("folder", "option"), [("", "/work"), ("pack/", "/work/pack")])
def test_a_plugin_belongs_to_a_configuration_with_its_parts(
    folder: str, option: str, write: Write, tmp_path: Path
) -> None:
    parts = {f"{folder}{name}" for name in (".claude-plugin/plugin.json", "skills/pdf/SKILL.md", "hooks/hooks.json")}
    for path in (*parts, f"{folder}src/main.py", "agents/worker.py"):
        write(f"c/{path}", "---\nname: pdf\ndescription: d\n---\n" if path.endswith("md") else "{}")
    git(tmp_path / "c", "init", "-q")
    config = load_config(str(tmp_path / "c"))
    # Hooks and servers of a plugin may call any file of its folder; at the root, that is the whole project.
    assert set(config.tree) == parts | {f"{folder}src/main.py" if folder else "agents/worker.py"}
    assert plugin_options(config.tree) == ["--plugin-dir", option]
    ignored = {finding.path for finding in inspect_config(config, agent="codex").findings}
    assert parts <= ignored and not inspect_config(config, agent="claude-code").findings


def test_the_documentation_has_the_table_of_artifacts() -> None:
    page = Path("docs/gate.md").read_text("utf-8")
    heads = f"| artifact | {' | '.join(f'`{agent}`' for agent in AGENTS)} |"
    cells = [["✓" if agent in row.readers else "" for agent in AGENTS] for row in ARTIFACTS]
    rows = [f"| `{row.pattern}` | {' | '.join(marks)} |" for row, marks in zip(ARTIFACTS, cells, strict=True)]
    assert "\n".join([heads, f"|:--|{':-:|' * len(AGENTS)}", *rows]) in page


def test_a_folder_is_a_configuration_as_a_whole_but_a_repository_is_not(write: Write, tmp_path: Path) -> None:
    write("c/AGENTS.md", "a")
    write("c/notes.txt", "b")
    assert set(load_config(str(tmp_path / "c")).tree) == {"AGENTS.md", "notes.txt"}
    git(tmp_path / "c", "init", "-q")
    assert set(load_config(str(tmp_path / "c")).tree) == {"AGENTS.md"}


@pytest.fixture
def repository(write: Write, tmp_path: Path) -> Path:
    """A repository whose artifacts are links: to a file, to a file that is no artifact, and a whole folder."""
    write("r/AGENTS.md", "rules")
    write("r/docs/style.md", "style")
    write("r/tools/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: d\n---\n")
    write("r/tools/skills/pdf/run.sh", "#!/bin/sh", 0o755)
    write("r/README.md", "not an artifact")
    repo = tmp_path / "r"
    (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    (repo / ".cursorrules").symlink_to("docs/style.md")
    (repo / ".claude").symlink_to("tools")
    git(repo, "init", "-q")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "one")
    return repo


def test_a_clean_tree_is_its_commit_with_links_that_stay_links(repository: Path) -> None:
    here, there = load_config(str(repository)), load_config("git:HEAD", repo=repository)
    assert here.tree == there.tree and here.sha == there.sha
    assert here.tree["CLAUDE.md"] == File(link="AGENTS.md") and here.tree[".claude"] == File(link="tools")
    assert set(here.tree) == {
        *("AGENTS.md", "CLAUDE.md", ".cursorrules", "docs/style.md", ".claude"),
        *("tools/skills/pdf/SKILL.md", "tools/skills/pdf/run.sh"),
    }
    assert here.tree["tools/skills/pdf/run.sh"].executable


def test_a_configuration_knows_its_folder_in_the_repository(
    repository: Path, tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_config(str(repository)).folder == "" and load_config("git:HEAD", repo=repository).folder == ""
    assert load_config(str(repository / "tools" / "skills")).folder == "tools/skills"
    assert load_config("git:HEAD:./tools", repo=repository).folder == "tools"
    write("loose/.rules/CLAUDE.md", "x")
    monkeypatch.chdir(tmp_path / "loose")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert load_config(".rules").folder == ".rules" and load_config(str(tmp_path / "loose" / ".rules")).folder == ""


def test_instructions_of_folders_belong_to_a_repository_but_not_those_of_tasks(repository: Path, write: Write) -> None:
    write("r/web/CLAUDE.md", "for the web")
    write("r/gate/tasks/one/task.yaml", "id: one")
    write("r/gate/tasks/one/fixture/CLAUDE.md", "of a task")
    write("r/.gitignore", "node_modules\n")
    write("r/node_modules/lib/CLAUDE.md", "of a package")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two")
    here, there = load_config(str(repository)), load_config("git:HEAD", repo=repository)
    assert here.tree == there.tree and "web/CLAUDE.md" in here.tree
    assert not any(path.startswith(("gate/", "node_modules/")) for path in here.tree) and here.left_out == ()


@pytest.mark.parametrize("target", ["/etc/hostname", "../outside.md", "docs/nowhere.md", "CLAUDE.md"])
def test_a_link_that_leads_outside_or_nowhere_is_refused(repository: Path, target: str) -> None:
    (repository.parent / "outside.md").write_text("secret")
    (repository / "CLAUDE.md").unlink()
    (repository / "CLAUDE.md").symlink_to(target)
    with pytest.raises(InputError, match=r"CLAUDE\.md is a symbolic link"):
        load_config(str(repository))
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two")
    with pytest.raises(InputError, match=r"CLAUDE\.md is a symbolic link"):
        load_config("git:HEAD", repo=repository)


def test_an_artifact_that_git_ignores_is_left_out_and_named(repository: Path) -> None:
    (repository / ".gitignore").write_text("/.codex\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two")
    (repository / ".codex").mkdir()
    (repository / ".codex" / "config.toml").write_text("x = 1")
    config = load_config(str(repository))
    assert config.tree == load_config("git:HEAD", repo=repository).tree
    assert config.left_out == (".codex/config.toml",)
    assert any("is left out" in finding.message for finding in inspect_config(config).findings)


@pytest.mark.parametrize("where", ["nowhere", "empty"])
def test_nothing_there_is_an_error(tmp_path: Path, where: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError):
        load_config(str(tmp_path / where))


NASTY = {
    "AGENTS.md": b"line\r\nno end",
    "--force": b"option",
    "$(touch pwned)": b"shell",
    "a b/;rm -rf x": b"\x00\xff",
    "new\nline": b"x",
}


def test_a_git_ref_gives_the_bytes_whatever_the_names(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    for name, data in NASTY.items():
        path = repo / "agent" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (repo / "agent" / "run.sh").write_text("#!/bin/sh\n")
    (repo / "agent" / "run.sh").chmod(0o755)
    (repo / "agent" / ".gitattributes").write_text("* text eol=crlf\n*.md export-ignore\n")
    git(repo, "init", "-q")
    git(repo, "-c", "core.autocrlf=false", "add", "-A")
    git(repo, "commit", "-qm", "x")
    tree = load_config("git:main:agent", repo=repo).tree
    assert tree["--force"] == File(b"option") and tree["run.sh"] == File(b"#!/bin/sh\n", True)
    assert set(NASTY) <= set(tree)
    assert tree["a b/;rm -rf x"].data == b"\x00\xff"
    assert not (repo / "pwned").exists()


@pytest.mark.parametrize("ref", ["--upload-pack=x", "-h", "nope", "main; touch pwned", ""])
def test_a_ref_is_only_ever_a_name(tmp_path: Path, ref: str) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-qm", "x", "--allow-empty")
    with pytest.raises(InputError, match="has no commit"):
        tree_at(tmp_path, ref, ".")
    assert not (tmp_path / "pwned").exists()


def test_a_path_at_a_ref_stays_inside(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-qm", "x", "--allow-empty")
    with pytest.raises(InputError, match="not a path inside"):
        tree_at(tmp_path, "main", "../x")


@pytest.mark.parametrize(
    ("path", "text", "line", "said"),
    [
        (".claude/settings.json", '{\n "a": 1,\n}', 3, "is not JSON"),
        (".codex/config.toml", "a = 1\nb = = 2\n", 2, "is not TOML"),
        (".claude/skills/x/SKILL.md", "---\nname: x\ndescription: [\n---\n", 3, "is not YAML"),
        (".claude/skills/x/SKILL.md", "---\nname: x\n---\nBody", 1, "lacks description"),
        (".claude/skills/x/SKILL.md", "Body", 1, "has no front matter"),
        (".claude/agents/x.md", "---\nname: x\n", 1, "does not end with ---"),
        (".claude/hooks/x.py", "import os\ndef f(:\n", 2, "is not Python"),
        ("CLAUDE.md", "a\nkey: sk-abcdefghijklmnop1234\n", 2, "contains an API key"),
        ("CLAUDE.md", "hf_" + "a" * 34, 1, "contains an API key"),
        ("CLAUDE.md", "AKIAABCDEFGHIJKLMNOP", 1, "contains an AWS access key"),
        ("CLAUDE.md", "-----BEGIN RSA PRIVATE KEY-----", 1, "contains a private key"),
        (".claude/settings.json", '{"env": {"DB_PASSWORD": "hunter2hunter2hunter2"}}', 1, "looks like a secret"),
        ("CLAUDE.md", "see\nrun /home/ada/tools/x.sh", 2, "absolute path: /home/ada/tools/x.sh"),
        ("CLAUDE.md", "C:\\Users\\ada\\x", 1, "absolute path"),
    ],
)
def test_what_is_wrong_is_found_with_its_line(path: str, text: str, line: int, said: str) -> None:
    found = [each for each in inspect_config(Config("c", {path: File(text.encode())})).findings if said in each.message]
    assert [(each.path, each.line) for each in found] == [(path, line)]


@pytest.mark.parametrize(
    "text", ["Use ${API_KEY} and $TOKEN.", "token: <your token here>", "See /docs and https://a/home/x"]
)
def test_innocent_text_is_left_alone(text: str) -> None:
    assert inspect_config(Config("c", {"CLAUDE.md": File(text.encode())})).findings == ()


def test_bytes_that_are_no_text_are_named_not_crashed_over() -> None:
    found = inspect_config(Config("c", {"CLAUDE.md": File(b"\xff\xfe"), "logo.png": File(b"\xff")})).findings
    assert found == (Finding("error", "CLAUDE.md", None, "is not UTF-8 text"),)


def test_validate_shows_what_changed_and_ends_in_1_for_errors(write: Write, tmp_path: Path) -> None:
    write("a/AGENTS.md", "one")
    write("a/gone.md", "x")
    write("b/AGENTS.md", "two")
    write("b/new.md", "x")
    words = ["gate", "validate", str(tmp_path / "b"), "--baseline", str(tmp_path / "a")]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0
    assert all(each in found.output for each in ("changed: AGENTS.md", "removed: gone.md", "added: new.md", "Valid."))
    write("b/.claude/settings.json", "{")
    assert CliRunner().invoke(main, words).exit_code == 1
    assert CliRunner().invoke(main, ["gate", "validate", str(tmp_path / "nowhere")]).exit_code == 2
