"""From the blame to the pull request: found, pruned, confirmed, promoted (docs/scoring.md §3.7).

The sandboxes, the agent, git and its remote are real. Only `gh` is a stand-in, for the network.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from steelyard import api
from steelyard.errors import Refused
from steelyard.gate.agents import AgentSpec
from steelyard.gate.blame.plan import BlameSpec
from steelyard.gate.blame.prune import confirmation, prepared, read_blame
from steelyard.gate.blame.run import blame_on
from steelyard.gate.evidence.policy import CONTRACT
from steelyard.gate.model import Comparison
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec
from tests.gate import scripted  # noqa: F401  registers the model puppet
from tests.gate.blame.world import TASK, run_spec, sections
from tests.gate.promotion import git
from tests.gate.test_promote import GH

TITLES = tuple(f"Section {number}" for number in range(11))
HARMFUL = sections(*TITLES) + "## Last\n\nNever write the answer.\n"

HEEDS = 'grep -q "Never write" $STEELYARD_CONFIG/AGENTS.md || echo yes > answer.txt; exit 0\n'


FILES = {"claude-code": "CLAUDE.md"}
"""Client → its instruction file, if it is not AGENTS.md."""


@pytest.fixture
def client() -> str:
    return ""


@pytest.fixture
def instructions(client: str) -> str:
    return FILES.get(client, "AGENTS.md")


@pytest.fixture
def repo(tmp_path: Path, instructions: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of a bare remote whose main has the harmful configuration, and a `gh` that notes what it is asked."""
    gh = tmp_path / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(GH)
    gh.chmod(0o755)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "T")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "t@example.com")
    monkeypatch.setenv("PATH", f"{gh.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("GH_CALLS", str(tmp_path / "gh-calls"))
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(tmp_path / "remote.git"))
    git(tmp_path, "clone", "-q", str(tmp_path / "remote.git"), str(tmp_path / "repo"))
    folder = tmp_path / "repo"
    git(folder, "checkout", "-q", "-b", "main")
    (folder / instructions).write_text(HARMFUL)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    git(folder, "push", "-q", "origin", "main")
    return folder


def lay(tmp_path: Path, repo: Path, agent: AgentSpec) -> RunSpec:
    """Two tasks, and a repository with twelve sections of which the last is harmful."""
    for number in range(2):
        folder = tmp_path / "tasks" / f"t{number}"
        folder.mkdir(parents=True)
        task = TASK.format(id=f"t{number}").replace("path: a}", "path: answer.txt}")
        (folder / "task.yaml").write_text(task)
    return run_spec(tmp_path, candidate=str(repo), agent=agent, max_samples=None)


def proved(run: RunSpec, tmp_path: Path, repo: Path, file: str) -> Path:
    """Found, pruned, confirmed, promoted; the comparison."""
    found = blame_on(BlameSpec(run, margin=1.0))
    assert {one.part.name: one.answer for one in found.parts} == {
        **{f"{file} § {title}": "no effect" for title in TITLES},
        f"{file} § Last": "harms",
    }
    blamed = tmp_path / "logs" / "blame.json"
    # An agent that always does the same has no spread to estimate, so the contract rule confirms.
    safe = replace(run, log_dir=tmp_path / "prune", policy=CONTRACT)
    data = read_blame(blamed)
    weighed = gate_run(confirmation(safe, data, prepared(data, tmp_path / "pruned", safe.repo)))
    assert isinstance(weighed.outcome, Comparison) and weighed.outcome.verdict == "improved"
    comparison = tmp_path / "prune" / "comparison.json"
    done = api.promote(comparison, repo, open_pr=True, blame=blamed)
    assert done.delivered is not None and done.delivered.created
    body = (tmp_path / "gh-calls.body").read_text()
    assert "What was pruned" in body and f"{file} § Last" in body and "harms" in body
    left = (tmp_path / "pruned" / file).read_text()
    assert left == git(tmp_path / "remote.git", "show", f"{done.branch}:{file}") == "# Project\n\n"
    return comparison


@pytest.fixture(autouse=True)
def short_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look is four pairs: one part that always decides is found in a few."""
    monkeypatch.setattr("steelyard.gate.blame.run.PAIRS", 4)


@pytest.mark.slow
def test_the_harmful_section_of_twelve_is_found_pruned_confirmed_and_promoted(tmp_path: Path, repo: Path) -> None:
    (tmp_path / "agent.sh").write_text(HEEDS)
    run = lay(tmp_path, repo, AgentSpec("command", ("sh", str(tmp_path / "agent.sh"))))
    comparison = proved(run, tmp_path, repo, "AGENTS.md")
    # Something else than what blame led to is not promoted with its table.
    (tmp_path / "pruned" / "AGENTS.md").write_text("# Another project\n")
    with pytest.raises(Refused):
        api.promote(comparison, repo, blame=tmp_path / "logs" / "blame.json")


@pytest.mark.slow
@pytest.mark.clients
@pytest.mark.parametrize("client", ["codex", "claude-code"])
def test_with_a_real_client_the_harmful_section_of_twelve_is_found_pruned_confirmed_and_promoted(
    tmp_path: Path, repo: Path, client: str, instructions: str, record_property: Callable[[str, object], None]
) -> None:
    from tests.clients import installed

    record_property("client", (client, installed(client)))
    proved(lay(tmp_path, repo, AgentSpec(client, model="puppet/heed")), tmp_path, repo, instructions)
