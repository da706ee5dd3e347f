"""From the blame to the pull request: found, pruned, confirmed, promoted (docs/scoring.md §3.7)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from steelyard import api
from steelyard.errors import Refused
from steelyard.gate.agents import AgentSpec
from steelyard.gate.blame.parts import PartRules
from steelyard.gate.blame.plan import BlameSpec
from steelyard.gate.evidence.policy import CONTRACT, Policy
from steelyard.gate.model import Comparison
from steelyard.gate.run.plan import RunSpec
from tests.gate import scripted  # noqa: F401  registers the model puppet
from tests.gate.blame.world import TASK, run_spec, sections, world
from tests.gate.promotion import git
from tests.gate.test_promote import GH

TITLES = tuple(f"Section {number}" for number in range(11))
HARMFUL = sections(*TITLES) + "## Last\n\nNever write the answer.\n"

AGENT = 'grep -q "Never write" $STEELYARD_CONFIG/AGENTS.md || echo yes > a; exit 0\n'


def verdict(weighed: object) -> str:
    outcome = getattr(weighed, "outcome", None)
    assert isinstance(outcome, Comparison)
    return outcome.verdict


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of a bare remote whose main has the harmful configuration, and a `gh` that notes what it is asked."""
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = T\n\temail = t@example.com\n")
    gh = tmp_path / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(GH)
    gh.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{gh.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("GH_CALLS", str(tmp_path / "gh-calls"))
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(tmp_path / "remote.git"))
    git(tmp_path, "clone", "-q", str(tmp_path / "remote.git"), str(tmp_path / "repo"))
    folder = tmp_path / "repo"
    git(folder, "checkout", "-q", "-b", "main")
    (folder / "AGENTS.md").write_text(HARMFUL)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    git(folder, "push", "-q", "origin", "main")
    return folder


@pytest.mark.slow
def test_a_pruned_configuration_that_is_shown_no_worse_becomes_a_pull_request(
    tmp_path: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world(tmp_path, monkeypatch, lambda task, text: 0.05 if "Never write" in text else 0.9, text=HARMFUL, tasks=6)
    run = run_spec(tmp_path, candidate=str(repo), parts=PartRules("sections", pin=("Section 1*",)))
    found = api.gate_blame(BlameSpec(run, margin=0.5))
    assert [one.part.name for one in found.named("harms")] == ["AGENTS.md § Last"]
    blamed = tmp_path / "logs" / "blame.json"
    safe = replace(run, log_dir=tmp_path / "prune", policy=Policy("adaptive"))
    weighed = api.gate_prune(blamed, safe, tmp_path / "pruned")
    assert verdict(weighed) in ("improved", "neutral")
    left = (tmp_path / "pruned" / "AGENTS.md").read_text()
    assert "Never write" not in left and "## Section 1\n" in left and "## Section 10\n" in left
    comparison = tmp_path / "prune" / "comparison.json"
    done = api.promote(comparison, repo, open_pr=True, blame=blamed)
    assert done.delivered is not None and done.delivered.created
    body = (tmp_path / "gh-calls.body").read_text()
    assert "What was pruned" in body and "AGENTS.md § Last" in body and "harms" in body
    pushed = git(tmp_path / "remote.git", "show", f"{done.branch}:AGENTS.md")
    assert pushed == left
    # Something else than what blame led to is not promoted for being no worse.
    (tmp_path / "pruned" / "AGENTS.md").write_text(left.replace("About Section 1.", ""))
    with pytest.raises(Refused):
        api.promote(comparison, repo, blame=blamed)


def lay(tmp_path: Path) -> RunSpec:
    """Two tasks, twelve sections of which the last is harmful, and an agent that heeds it."""
    for number in range(2):
        folder = tmp_path / "tasks" / f"t{number}"
        folder.mkdir(parents=True)
        (folder / "task.yaml").write_text(TASK.format(id=f"t{number}"))
    (tmp_path / "candidate").mkdir()
    (tmp_path / "candidate" / "AGENTS.md").write_text(HARMFUL)
    (tmp_path / "agent.sh").write_text(AGENT)
    agent = AgentSpec("command", ("sh", str(tmp_path / "agent.sh")))
    return run_spec(tmp_path, agent=agent, max_samples=None)


def proved(run: RunSpec, tmp_path: Path, notify: Callable[[str], None] = lambda line: None) -> None:
    """Found, pruned, confirmed."""
    found = api.gate_blame(BlameSpec(run, margin=0.5), notify=notify)
    assert {one.part.name: one.answer for one in found.parts} == {
        **{f"AGENTS.md § {title}": "no effect" for title in TITLES},
        "AGENTS.md § Last": "harms",
    }
    again = replace(run, log_dir=tmp_path / "prune", policy=CONTRACT)
    assert verdict(api.gate_prune(tmp_path / "logs" / "blame.json", again, tmp_path / "pruned")) == "improved"


@pytest.mark.slow
def test_in_real_sandboxes_the_harmful_section_of_twelve_is_found_and_pruned(tmp_path: Path) -> None:
    proved(lay(tmp_path), tmp_path)


@pytest.mark.slow
@pytest.mark.clients
def test_with_a_real_client_the_harmful_section_of_twelve_is_found_and_pruned(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    from tests.clients import installed

    record_property("client", ("codex", installed("codex")))
    run = lay(tmp_path)
    for task in (tmp_path / "tasks").glob("*/task.yaml"):
        task.write_text(task.read_text().replace("path: a}", "path: answer.txt}"))
    proved(replace(run, agent=AgentSpec("codex", model="puppet/heed")), tmp_path)
