"""Configurations: found by kind, read from folders and git refs, validated with the line that is wrong."""

import base64
import json
import os
import random
import string
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.agents.claude_code import part_options
from steelyard.gate.config import Config, kind_of, load_config
from steelyard.gate.config.artifacts import AGENTS, ARTIFACTS
from steelyard.gate.config.validation import Finding, inspect_config
from steelyard.git import git as product_git
from steelyard.git import tree_at
from steelyard.tree import File

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
    assert part_options(config.tree) == ["--plugin-dir", option]
    ignored = {finding.path for finding in inspect_config(config, agent="codex").findings}
    assert parts <= ignored and not inspect_config(config, agent="claude-code").findings


def test_the_documentation_has_the_table_of_artifacts() -> None:
    page = Path("docs/gate/configurations.md").read_text("utf-8")
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


def recommit(repo: Path) -> None:
    git(repo, "add", "-A")
    git(repo, "add", "--renormalize", ".")  # or git would pass over files that look unchanged since the last commit
    git(repo, "commit", "-qm", "more")


@pytest.mark.parametrize(
    ("settings", "attributes", "sparse"),
    [
        (["core.autocrlf=true"], "", None),
        ([], "*.md text eol=crlf ident\n", None),
        (["filter.loud.clean=tr a-z A-Z", "filter.loud.smudge=tr A-Z a-z"], "*.md filter=loud\n", None),
        (["core.symlinks=false"], "", None),
        (["core.fileMode=false"], "", None),
        ([], "", "docs"),
    ],
)
def test_a_clean_tree_is_its_commit_whatever_the_settings_of_the_clone(
    repository: Path, settings: list[str], attributes: str, sparse: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / ".gitattributes").write_text(attributes)
    for name, _, value in (setting.partition("=") for setting in settings):
        git(repository, "config", name, value)
    if attributes.endswith("filter=loud\n"):  # a filter counts if the user has set it up, not the repository alone
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(repository.parent / "user.gitconfig"))
        for name, _, value in (setting.partition("=") for setting in settings):
            git(repository, "config", "--global", name, value)
    recommit(repository)
    for path in git(repository, "ls-files").splitlines():
        (repository / path).unlink()
    git(repository, "checkout", "-q", ".")
    if "core.fileMode=false" in settings:
        (repository / "AGENTS.md").chmod(0o755)
    if sparse is not None:
        git(repository, "sparse-checkout", "set", sparse)
        assert not (repository / "tools").exists()
    before = git(repository, "count-objects")
    assert git(repository, "status", "--short") == ""
    assert load_config(str(repository)).tree == load_config("git:HEAD", repo=repository).tree
    folder = "docs" if sparse else "tools/skills"
    assert load_config(str(repository / folder)).tree == load_config(f"git:HEAD:{folder}", repo=repository).tree
    assert git(repository, "count-objects") == before and git(repository, "status", "--short") == ""


def test_a_folder_of_a_repository_is_what_a_commit_would_have(repository: Path, write: Write) -> None:
    write("r/.gitignore", "*.local.json\n")
    write("r/tools/__pycache__/run.pyc", "compiled")
    recommit(repository)
    clean = load_config("git:HEAD:tools", repo=repository)
    write("r/tools/settings.local.json", "{}")
    git(repository, "init", "-q", "tools/skills/cloned")
    write("r/tools/skills/cloned/SKILL.md", "not ours")
    here = load_config(str(repository / "tools"))
    assert here.tree == clean.tree and here.left_out == ("settings.local.json", "skills/cloned")
    write("r/tools/new.md", "new")
    assert load_config(str(repository / "tools")).tree.keys() - clean.tree.keys() == {"new.md"}
    # A folder that git ignores as a whole is nobody's commit.
    write("r/.gitignore", "/out\n")
    write("r/out/CLAUDE.md", "x")
    assert set(load_config(str(repository / "out")).tree) == {"CLAUDE.md"}


def test_a_folder_that_is_a_link_is_what_it_leads_to_and_never_outside(repository: Path, tmp_path: Path) -> None:
    (repository / "agent").symlink_to("tools")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "CLAUDE.md").write_text("secret")
    (repository / "stray").symlink_to("../outside")
    recommit(repository)
    assert load_config(str(repository / "agent")).tree == load_config("git:HEAD:agent", repo=repository).tree
    for where in (str(repository / "stray"), "git:HEAD:stray", "git:HEAD:stray/CLAUDE.md"):
        with pytest.raises(InputError, match="leads outside the repository"):
            load_config(where, repo=repository)


def test_a_file_behind_a_folder_that_became_a_link_is_not_read(repository: Path, tmp_path: Path, write: Write) -> None:
    write("r/web/CLAUDE.md", "ours")
    recommit(repository)
    write("outside/CLAUDE.md", "secret")
    (repository / "web" / "CLAUDE.md").unlink()
    (repository / "web").rmdir()
    (repository / "web").symlink_to("../outside")
    assert "web/CLAUDE.md" not in load_config(str(repository)).tree


def test_submodules_are_left_out_and_named(repository: Path, write: Write, tmp_path: Path) -> None:
    write("sub/SKILL.md", "---\nname: sub\ndescription: d\n---\n")
    git(tmp_path / "sub", "init", "-q")
    recommit(tmp_path / "sub")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "../sub", "tools/skills/sub")
    git(repository, "commit", "-qm", "sub")
    here, there = load_config(str(repository)), load_config("git:HEAD", repo=repository)
    assert here.tree == there.tree and "tools/skills/sub/SKILL.md" not in here.tree
    commit = git(tmp_path / "sub", "rev-parse", "HEAD")[:12]
    assert here.submodules == there.submodules == (f"tools/skills/sub at {commit}",)
    assert load_config("git:HEAD:tools/skills", repo=repository).submodules == (f"sub at {commit}",)
    assert any(finding.path == "tools/skills/sub" for finding in inspect_config(here).findings)


def test_an_object_that_the_repository_has_lost_is_an_error_and_not_a_file_less(repository: Path) -> None:
    blob = git(repository, "rev-parse", "HEAD:AGENTS.md").strip()
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(InputError, match=f"lacks the object {blob}"):
        load_config("git:HEAD", repo=repository)


def test_a_pointer_of_git_lfs_is_a_warning() -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    findings = inspect_config(Config("c", {"CLAUDE.md": File(pointer)})).findings
    assert any("Git LFS pointer" in str(finding) for finding in findings)


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


def test_a_change_in_the_second_of_the_commit_is_seen(repository: Path) -> None:
    """Git takes times in seconds: a change of the same length shows only because the file is as young as the index."""
    git(repository, "config", "core.checkStat", "minimal")
    git(repository, "config", "core.trustctime", "false")
    rules, then = repository / "AGENTS.md", 1_700_000_000
    os.utime(rules, (then, then))
    git(repository, "update-index", "--refresh")
    rules.write_text("RULES")
    for path in (rules, repository / ".git" / "index"):
        os.utime(path, (then, then))
    assert load_config(str(repository)).tree["AGENTS.md"].data == b"RULES"


@pytest.mark.parametrize(
    "settings",
    [
        "update-index --assume-unchanged AGENTS.md",
        "update-index --skip-worktree AGENTS.md",
        "update-index --split-index",
        "update-index --index-version 4",
        "config core.untrackedCache true",
        "config feature.manyFiles true",
        "config core.trustctime false",
        "config core.checkStat minimal",
    ],
)
def test_a_change_is_seen_whatever_the_clone_does_to_be_fast(repository: Path, settings: str) -> None:
    rules, then = repository / "AGENTS.md", 1_700_000_000
    os.utime(rules, (then, then))
    git(repository, "update-index", "--refresh")
    git(repository, *settings.split(" "))
    git(repository, "status")
    clean = load_config(str(repository))
    assert clean.tree == load_config("git:HEAD", repo=repository).tree
    # A file of the same length and time that took the place of the other one.
    (repository / "other").write_text("RULES")
    os.utime(repository / "other", (then, then))
    (repository / "other").replace(rules)
    index = (repository / ".git" / "index").read_bytes()
    assert load_config(str(repository)).tree["AGENTS.md"].data == b"RULES"
    assert (repository / ".git" / "index").read_bytes() == index


def test_settings_in_the_environment_are_settings_of_the_clone(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "settings").write_text("[core]\n\tautocrlf = true\n")
    (repository / "AGENTS.md").write_bytes(b"rules\r\n")
    git(repository, "-c", "core.autocrlf=true", "commit", "-qam", "two")
    os.utime(repository / "AGENTS.md", (0, 0))  # git has to look at it again, however slow the machine is
    there = load_config("git:HEAD", repo=repository).tree
    assert there["AGENTS.md"].data == b"rules\n" and load_config(str(repository)).tree != there
    with monkeypatch.context() as here:
        here.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
        assert load_config(str(repository)).tree == there
    for name, value in (("COUNT", "1"), ("KEY_0", "core.autocrlf"), ("VALUE_0", "true")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert load_config(str(repository)).tree == there


def test_a_repository_without_files_of_its_own_is_said(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    with pytest.raises(InputError, match="is a bare repository"):
        load_config(str(tmp_path / "bare.git"))
    there = load_config("git:HEAD", repo=tmp_path / "bare.git")
    assert there.tree == load_config("git:HEAD", repo=repository).tree
    git(repository, "config", "core.worktree", str(tmp_path))
    with pytest.raises(InputError, match=r"has the files of .* elsewhere"):
        load_config(str(repository))


def test_what_git_cannot_read_is_not_a_missing_commit(repository: Path) -> None:
    git(repository, "config", "core.repositoryFormatVersion", "1")
    git(repository, "config", "extensions.unheardOf", "true")
    with pytest.raises(InputError, match=r"git cannot read .*unheardof"):
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
        (".claude/settings.json", '{\n "a": 1,\n}', 2, "is not JSON"),
        (".codex/config.toml", "a = 1\nb = = 2\n", 2, "is not TOML"),
        (".claude/skills/x/SKILL.md", "---\nname: x\ndescription: [\n---\n", 3, "is not YAML"),
        (".claude/skills/x/SKILL.md", "---\nname: x\n---\nBody", 1, "lacks description"),
        (".claude/skills/x/SKILL.md", "Body", 1, "has no front matter"),
        (".claude/agents/x.md", "---\nname: x\n", 1, "does not end with ---"),
        (".claude/hooks/x.py", "import os\ndef f(:\n", 2, "is not Python"),
        ("CLAUDE.md", "see\nrun /home/ada/tools/x.sh", 2, "absolute path: /home/ada/tools/x.sh"),
        ("CLAUDE.md", "C:\\Users\\ada\\x", 1, "absolute path"),
    ],
)
def test_what_is_wrong_is_found_with_its_line(path: str, text: str, line: int, said: str) -> None:
    found = [each for each in inspect_config(Config("c", {path: File(text.encode())})).findings if said in each.message]
    assert [(each.path, each.line) for each in found] == [(path, line)]


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (".claude/settings.json", "[" * 100_000, "is not JSON: nested too deeply"),
        (".claude/settings.json", "1" * 5_000, "is not JSON: Exceeds the limit (4300 digits)"),
        (".codex/config.toml", "a=" + "[" * 100_000, "is not TOML: nested too deeply"),
        (".codex/config.toml", "a=" + "1" * 5_000, "is not TOML: Exceeds the limit (4300 digits)"),
        (".claude/hooks/x.py", "-" * 200_000 + "1", "is not Python: nested too deeply"),
        (".claude/hooks/x.py", "a" + "+a" * 100_000, "is not Python: nested too deeply"),
        (".codex/config.yaml", "[" * 100_000, "is not YAML: nested too deeply"),
    ],
    ids=lambda text: text[-20:],
)
def test_what_no_parser_can_take_is_an_error_of_the_file(path: str, text: str, said: str) -> None:
    (found,) = inspect_config(Config("c", {path: File(text.encode())})).findings
    assert (found.level, found.path) == ("error", path) and found.message.startswith(said)


def drawn(length: int, letters: str = string.ascii_letters + string.digits) -> str:
    """Letters as a machine draws them: a key has no words in it. The first is a letter, the second a digit."""
    draw = random.Random(length)
    return f"q7{''.join(draw.choices(letters, k=length - 2))}"[:length]


HEX = string.hexdigits[:16]


@pytest.mark.parametrize(
    ("path", "text", "line", "rule"),
    [
        ("CLAUDE.md", f"a\nask sk-{drawn(20)}\n", 2, "model-provider-key"),
        ("CLAUDE.md", f"ANTHROPIC_API_KEY=sk-ant-api03-{drawn(93)}AA", 1, "anthropic-api-key"),
        ("CLAUDE.md", f"hf_{drawn(34, string.ascii_letters).replace('7', 'x')}", 1, "huggingface-access-token"),
        ("CLAUDE.md", "AKIAQW4ZX7PLM2RT6VKD", 1, "aws-access-token"),
        ("CLAUDE.md", f"-----BEGIN RSA PRIVATE KEY-----\n{drawn(64)}", 1, "private-key-begin"),
        ("CLAUDE.md", f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{drawn(64)}", 1, "private-key-begin"),
        (".claude/settings.json", json.dumps({"env": {"DB_PASSWORD": drawn(21)}}), 1, "generic-api-key"),
        ("CLAUDE.md", f"proxy\nhttps://user:{drawn(12)}@host/v1", 2, "credential-in-address"),
        ("CLAUDE.md", f"redis://:{drawn(12)}@localhost:6379", 1, "credential-in-address"),
        ("CLAUDE.md", f"https://{drawn(32, HEX)}@o1.ingest.example/1", 1, "credential-in-address"),
        ("CLAUDE.md", f"https://maps.example/?key={drawn(24)}", 1, "generic-api-key"),
        ("CLAUDE.md", f"https://hooks.slack.com/services/T0/B0/{drawn(24)}", 1, "webhook-address"),
        ("CLAUDE.md", f"https://hooks.example.com/catch/{drawn(24)}", 1, "webhook-address"),
        ("CLAUDE.md", f"curl -H 'Authorization: Bearer {drawn(24)}' https://x", 1, "credential-in-header"),
        ("CLAUDE.md", f"curl -s -u admin:{drawn(12)} https://x", 1, "curl-user"),
        ("CLAUDE.md", f"X-Auth-Key: {drawn(36, HEX)}", 1, "generic-api-key"),
        ("CLAUDE.md", f"gsk_{drawn(52)}", 1, "model-provider-key"),
        ("CLAUDE.md", f"glrt-{drawn(20)}", 1, "gitlab-runner-authentication-token"),
        ("CLAUDE.md", f"aws_secret_access_key = {drawn(40)}", 1, "generic-api-key"),
        ("CLAUDE.md", f"FERNET_KEY={drawn(43)}=", 1, "generic-api-key"),
        (".docker/config.json", json.dumps({"auths": {"ghcr.io": {"auth": drawn(24)}}}), 1, "generic-api-key"),
        ("CLAUDE.md", f"dp.st.dev.{drawn(43)}", 1, "doppler-token"),
        ("CLAUDE.md", f"key-{drawn(32, HEX)}", 1, "stripe-or-mailgun-key"),
        ("CLAUDE.md", f"secret: abc8Q~{drawn(31)}", 1, "azure-ad-client-secret"),
        ("CLAUDE.md", f"AccountKey={drawn(86)}==", 1, "generic-api-key"),
        ("CLAUDE.md", f"AZURE_OPENAI_KEY_2={drawn(32, HEX)}", 1, "generic-api-key"),
        (".mcp.json", json.dumps({"args": ["--api-key", drawn(24)]}), 1, "generic-api-key"),
        ("secret.yaml", f"data: {base64.b64encode(f'sk-{drawn(40)}'.encode()).decode()}", 1, "model-provider-key"),
        ("pod.yaml", f"- name: API_KEY\n  value: {drawn(24)}", 2, "named-value"),
        (".mcp.json", json.dumps({"env": [{"name": "API_KEY", "value": drawn(24)}]}), 1, "named-value"),
        ("a.ipynb", json.dumps({"source": [f'key = "x"; api_key="{drawn(24)}"\n']}), 1, "generic-api-key"),
        ("a.json", json.dumps({"env": json.dumps({"API_KEY": drawn(24)})}), 1, "generic-api-key"),
        ("settings.xml", f"<password>{drawn(16)}</password>", 1, "secret-element"),
        ("CLAUDE.md", f"ann:$apr1${drawn(8)}${drawn(22)}", 1, "hash-of-a-password"),
        ("CLAUDE.md", f"tskey-auth-{drawn(15)}-{drawn(24)}", 1, "tailscale-key"),
    ],
)
def test_a_secret_is_found_with_its_line_and_its_rule(path: str, text: str, line: int, rule: str) -> None:
    found = inspect_config(Config("c", {path: File(text.encode())})).findings
    assert [(each.line, each.message) for each in found] == [(line, f"contains a secret (rule {rule})")]


def test_an_example_is_allowed_by_the_mark_of_gitleaks() -> None:
    text = f"token: {drawn(24)} # gitleaks:allow"
    assert inspect_config(Config("c", {"CLAUDE.md": File(text.encode())})).findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "Use ${API_KEY} and $TOKEN.",
        "qpdf --password=secret123 --decrypt in.pdf out.pdf",
        "docker login -u ann -p hunter2, or mysql -u root -pexample1",
        "token: <your token here>",
        "See /docs and https://a/home/x",
        "https://$USER:$TOKEN@host, https://<user>:<token>@host, postgres://USER:PASSWORD@HOST/db",
        "https://x-access-token:${{ github.token }}@github.com/a/b",
        "ssh://git@github.com/a/b.git, git@github.com:a/b.git, redis://localhost:6379, https://a.example/@b/c@1.2.3",
        '"Authorization": "Bearer ${TOKEN}", or the header Authorization: Bearer with your token',
        "password: required, at least 12 characters; passwords are hashed",
        "max_tokens: 4096, tokenizer: bert-base-uncased-whole-word-masking, keyboard: de",
        f"sha256:{'0a' * 32} sha512-{'aZ9' * 28}== actions/checkout@{'0a' * 20}",
        "arn:aws:networkmanager::111122223333:global-network/global-network-0a1b2c3d4e5f67890",
        "password=read_password(3), token = secrets.token_urlsafe(32)",
        "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "export OPENAI_API_KEY=sk-your-key-here-please, ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxx",
        '<div class="sk-fading-circle-spinner">, token = get_token_from_keychain(service)',
        "The password is base64-encoded2 at rest; a token is sha256-hashed-and-salted-twice.",
        "postgres://postgres:postgres@localhost:5432/test, https://user:password@host",
        "- name: LOG_LEVEL\n  value: debug\n- name: API_KEY\n  value: ${API_KEY}",
        f"public_key: {'aZ9' * 15}, cache_key: users-by-name-and-region-of-the-last-order",
    ],
)
def test_innocent_text_is_left_alone(text: str) -> None:
    assert inspect_config(Config("c", {"CLAUDE.md": File(text.encode())})).findings == ()


@pytest.mark.parametrize(
    "flood",
    [
        "a-",
        "aA1_",
        "x://a:",
        "password ",
        "curl -u ",
        "?a-",
        "https://",
        "QUFB",
        "1:",
        "https://hook/",
        "\\\\",
        "name: x ",
    ],
)
def test_a_long_line_is_searched_in_linear_time(flood: str) -> None:
    assert inspect_config(Config("c", {"CLAUDE.md": File(flood.encode() * 10_000)})).findings == ()


def test_bytes_that_are_no_text_are_named_not_crashed_over() -> None:
    found = inspect_config(Config("c", {"CLAUDE.md": File(b"\xff\xfe"), "logo.png": File(b"\xff")})).findings
    assert found == (Finding("error", "CLAUDE.md", None, "is not UTF-8 text"),)


def test_a_secret_is_found_in_bytes_that_are_no_text_in_a_name_and_in_a_link() -> None:
    key = f"sk-{drawn(40)}"
    tree = {
        "notes.txt": File(f"it is {key}".encode("utf-16")),
        "blob": File(b"\xff" + key.encode()),
        key: File(b"x"),
        "a.md": File(b"", link=f"notes/{key}"),
    }
    found = {each.path: each.message for each in inspect_config(Config("c", tree)).findings if each.level == "error"}
    rule = "a secret (rule model-provider-key)"
    assert found == {
        "notes.txt": f"contains {rule}",
        "blob": f"contains {rule}",
        key: f"has a name that contains {rule}",
        "a.md": f"leads to a name that contains {rule}",
    }


def test_validate_shows_what_changed_and_ends_in_1_for_errors(write: Write, tmp_path: Path) -> None:
    write("a/AGENTS.md", "one")
    write("a/gone.md", "x")
    write("b/AGENTS.md", "two")
    write("b/new.md", "x")
    words = ["gate", "check", str(tmp_path / "b"), "--baseline", str(tmp_path / "a")]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0
    assert all(each in found.output for each in ("changed: AGENTS.md", "removed: gone.md", "added: new.md", "Valid."))
    write("b/.claude/settings.json", "{")
    assert CliRunner().invoke(main, words).exit_code == 1
    assert CliRunner().invoke(main, ["gate", "check", str(tmp_path / "nowhere")]).exit_code == 2


@pytest.mark.parametrize("setting", ["clean", "smudge", "process"])
def test_a_filter_that_the_repository_brings_along_does_not_run(repository: Path, setting: str, tmp_path: Path) -> None:
    (repository / ".gitattributes").write_text("*.md filter=own diff=own\n")
    recommit(repository)
    program = f"sh -c 'touch {tmp_path}/ran; cat'"
    (repository / ".git" / "more").write_text(f'[filter "own"]\n{setting} = "{program}"\nrequired = true\n')
    git(repository, "config", "include.path", "more")
    for name in ("diff.own.textconv", "diff.own.command", "core.fsmonitor"):
        git(repository, "config", name, program)
    (repository / "docs" / "style.md").write_text("changed\n")
    assert load_config(str(repository)).tree["docs/style.md"].data == b"changed\n"
    product_git(repository, "diff", "--no-ext-diff", "--no-textconv", "HEAD")
    product_git(repository, "log", "--numstat", "HEAD")
    assert not (tmp_path / "ran").exists()


def test_a_relative_path_into_a_repository_is_read_from_outside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r" / "conf").mkdir(parents=True)
    (tmp_path / "r" / "conf" / "CLAUDE.md").write_text("rules\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run(["git", "-C", str(tmp_path / "r"), *words], check=True)
    (tmp_path / "r" / "conf" / "CLAUDE.md").write_text("other rules\n")
    monkeypatch.chdir(tmp_path)
    assert load_config("r/conf").tree["CLAUDE.md"].data == b"other rules\n"


def test_an_agent_of_opencode_needs_no_name(tmp_path: Path) -> None:
    path = tmp_path / ".opencode" / "agents" / "x.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\ndescription: d\n---\nDo it.\n")
    assert not [finding for finding in inspect_config(load_config(str(tmp_path))).findings if "name" in finding.message]
