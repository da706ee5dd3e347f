"""A user's clone of a bare remote and an earned verdict, for the tests of promotion."""

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from steelyard.cli.main import main
from steelyard.gate.agents import AgentSpec
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec

SHARED = pytest.mark.xdist_group("promotion")
"""Tests of promotion share a worker process: they begin with the same run of the gate."""
OLD = {"AGENTS.md": b"old\r\nrules", "gone.md": b"to be deleted", "same.md": b"as it was"}
NEW = {
    "AGENTS.md": b"new\r\nrules, no line end",
    "same.md": b"as it was",
    "--force": b"an option?",
    "$(touch pwned)": b"a command?",
    ".claude/hooks/run.sh": b"#!/bin/sh\n",
    "bin.dat": b"\x00\xff\r\n",
}


def git(repo: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(repo), *words], check=True, capture_output=True, text=True).stdout


def lay(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o755 if name.endswith(".sh") else 0o644)


def lay_gate(root: Path) -> None:
    """Two configurations, a task, and an agent that solves it with the new one."""
    lay(root / "old", OLD)
    lay(root / "new", NEW)
    task = b"id: one\ntitle: T\nprompt: P\nchecks: [{kind: file_exists, path: answer.txt}]\n"
    agent = b"grep -q new $STEELYARD_CONFIG/AGENTS.md && echo > answer.txt; exit 0"
    lay(root, {"tasks/one/task.yaml": task, "agent": agent})


class World:
    """A user's clone of a bare remote, an earned verdict, and a `gh` that notes what it is asked."""

    def __init__(self, tmp_path: Path, remote: str = "remote.git", address: str = "../remote.git") -> None:
        self.tmp, self.log_dir = tmp_path, tmp_path / "logs"
        self.remote, self.repo = tmp_path / remote, tmp_path / "repo"
        self.calls = tmp_path / "gh-calls"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(self.remote)], check=True)
        subprocess.run(["git", "clone", "-q", str(self.remote), str(self.repo)], check=True, capture_output=True)
        git(self.repo, "remote", "set-url", "origin", address)
        git(self.repo, "checkout", "-q", "-b", "main")
        lay(self.repo / "agent", OLD)
        lay(self.repo, {"README.md": b"hello", ".gitattributes": b"* text=auto eol=crlf\n", ".gitignore": b"*.dat\n"})
        git(self.repo, "add", "-f", "-A")
        git(self.repo, "commit", "-qm", "base")
        git(self.repo, "push", "-q", "origin", "main")
        # The user is in the middle of something else.
        git(self.repo, "checkout", "-q", "-b", "wip")
        lay(self.repo, {"staged.txt": b"s", "README.md": b"half done", "untracked.txt": b"u"})
        git(self.repo, "add", "staged.txt")

    def promote(self, *words: str) -> Result:
        comparison = self.log_dir / "comparison.json"
        fixed = ["gate", "promote", str(comparison), "--repo", str(self.repo), "--path", "agent"]
        return CliRunner().invoke(main, [*fixed, "--candidate", str(self.tmp / "new"), *words])

    def state(self) -> tuple[str, ...]:
        """Everything of the user's that must not change."""
        asked = (
            ["status", "--porcelain=v2", "--branch"],
            ["branch"],
            ["diff"],
            ["diff", "--cached"],
            ["worktree", "list"],
        )
        return tuple(git(self.repo, *words) for words in asked)

    def move_base(self, files: dict[str, bytes]) -> None:
        """Somebody pushes a commit with these files to the base branch."""
        git(self.repo, "stash", "-qu")
        git(self.repo, "checkout", "-q", "main")
        lay(self.repo, files)
        git(self.repo, "add", "-A")
        git(self.repo, "commit", "-qm", "moved")
        git(self.repo, "push", "-q", "origin", "main")

    def refuse_pushes(self) -> None:
        """The remote takes no push from now on."""
        hook = self.remote / "hooks" / "pre-receive"
        hook.write_text("#!/bin/sh\necho 'protected' >&2\nexit 1\n")
        hook.chmod(0o755)

    def branches(self) -> list[str]:
        return [line.strip("* ") for line in git(self.remote, "branch").splitlines()]

    def gh(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []


@pytest.fixture(scope="session")
def earned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two configurations and the logs of a run in which the new one is better."""
    root = tmp_path_factory.mktemp("earned")
    lay_gate(root)
    agent = AgentSpec("command", ("sh", str(root / "agent")))
    gate_run(RunSpec(root / "tasks", str(root / "old"), str(root / "new"), agent, root / "logs", seed=1))
    return root


@pytest.fixture
def compared(tmp_path: Path, earned: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with those configurations and logs, and a name for the commits."""
    shutil.copytree(earned, tmp_path, dirs_exist_ok=True)
    comparison = tmp_path / "logs" / "comparison.json"
    comparison.write_text(comparison.read_text().replace(str(earned), str(tmp_path)))
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = T\n\temail = t@example.com\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path
