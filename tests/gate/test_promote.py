"""Promotion (docs/scoring.md §3.2) against a real bare remote, with a stand-in `gh` that keeps its requests."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import Refused
from steelyard.gate.config import load_config
from steelyard.gate.promote import Promotion, PromotionRequest, execute
from tests.gate.promotion import NEW, SHARED, World, git, lay

pytestmark = SHARED

Write = Callable[..., Path]

IDENTITY = ("-c", "user.name=T", "-c", "user.email=t@example.com")
GH = """#!/bin/sh
echo "$@" >> "$GH_CALLS"
if [ -n "$GH_FAILS" ]; then echo "gh: no" >&2; exit 1; fi
for word in "$@"; do case "$word" in --body-file=*) cp "${word#--body-file=}" "$GH_CALLS.body";; esac; done
case "$2" in
  list) cat "$GH_CALLS.list" 2>/dev/null || echo "[]";;
  create) echo '[{"url": "https://example.com/pr/1", "state": "OPEN"}]' > "$GH_CALLS.list"; echo "https://example.com/pr/1";;
esac
"""


@pytest.fixture
def world(compared: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> World:
    write("bin/gh", GH, 0o755)
    monkeypatch.setenv("PATH", f"{compared}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("GH_CALLS", str(compared / "gh-calls"))
    return World(compared)


def test_the_plan_is_shown_and_nothing_is_done(world: World) -> None:
    before = world.state()
    found = world.promote()
    assert found.exit_code == 0
    assert "git" in found.output and "worktree add" in found.output and "gh pr create" in found.output
    assert "write 'WORKTREE/agent/$(touch pwned)'" in found.output and "delete WORKTREE/agent/gone.md" in found.output
    assert world.state() == before and world.branches() == ["main"] and world.gh() == []


def test_an_earned_change_becomes_one_commit_and_one_request(world: World) -> None:
    before = world.state()
    hook = world.repo / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    found = world.promote("--open-pr", "--draft", "--reviewer", "ada")
    assert found.exit_code == 0, found.output
    assert "https://example.com/pr/1" in found.output
    (branch,) = [name for name in world.branches() if name != "main"]
    assert git(world.remote, "rev-list", "--count", f"main..{branch}").strip() == "1"
    listed = git(world.remote, "ls-tree", "-r", "-z", "--name-only", branch).split("\0")
    assert {name for name in listed if name.startswith("agent/")} == {f"agent/{name}" for name in NEW}
    assert "README.md" in listed  # the rest of the base branch stays
    for name, data in NEW.items():
        blob = subprocess.run(
            ["git", "-C", str(world.remote), "cat-file", "blob", f"{branch}:agent/{name}"],
            check=True,
            capture_output=True,
        ).stdout
        assert blob == data, name
    assert git(world.remote, "ls-tree", branch, "agent/.claude/hooks/run.sh").startswith("100755")
    call = world.gh()[-1]
    assert "--base=main" in call and f"--head={branch}" in call and "--draft" in call and "--reviewer=ada" in call
    assert Path(f"{world.calls}.body").read_text().startswith("# Gate: improved")
    hook.unlink()
    assert world.state() == before
    assert not (world.repo / "pwned").exists()


@pytest.mark.parametrize(
    "settings",
    ["[push]\n\tfollowTags = true\n", "[push]\n\trecurseSubmodules = only\n", "[core]\n\thooksPath = {hooks}\n"],
)
def test_settings_of_git_neither_add_to_a_promotion_nor_stop_it(world: World, write: Write, settings: str) -> None:
    git(world.repo, "tag", "-a", "v1", "-m", "not pushed yet", "main")
    for name in ("pre-commit", "post-commit", "pre-push", "post-checkout", "post-index-change"):
        write(f"hooks/{name}", f"#!/bin/sh\ntouch {world.tmp}/ran\nexit 1\n", 0o755)
    with (world.tmp / ".gitconfig").open("a") as file:
        file.write(settings.format(hooks=world.tmp / "hooks"))
    found = world.promote("--open-pr")
    assert found.exit_code == 0, found.output
    assert len(world.branches()) == 2 and git(world.remote, "tag") == ""
    assert not (world.tmp / "ran").exists()


def test_doing_it_twice_does_it_once(world: World) -> None:
    assert world.promote("--open-pr").exit_code == 0
    head = git(world.remote, "for-each-ref")
    again = world.promote("--open-pr")
    assert again.exit_code == 0 and "https://example.com/pr/1" in again.output
    assert git(world.remote, "for-each-ref") == head
    assert sum("create" in call for call in world.gh()) == 1


def test_what_the_base_already_holds_needs_no_request(world: World) -> None:
    assert world.promote("--open-pr").exit_code == 0
    (branch,) = [name for name in world.branches() if name != "main"]
    git(world.remote, "update-ref", "refs/heads/main", branch)
    git(world.remote, "update-ref", "-d", f"refs/heads/{branch}")
    found = world.promote("--open-pr")
    assert found.exit_code == 0 and "already has" in found.output
    assert world.branches() == ["main"]


@pytest.mark.parametrize("broken", ["gh", "push", "no gh"])
def test_whatever_fails_leaves_nothing_behind(world: World, broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = world.state()
    if broken == "gh":
        monkeypatch.setenv("GH_FAILS", "1")
    elif broken == "push":
        world.refuse_pushes()
    else:
        (world.tmp / "bin" / "gh").unlink()
    found = world.promote("--open-pr")
    assert found.exit_code == 2
    assert world.branches() == ["main"]
    assert world.state() == before
    assert git(world.repo, "branch", "-r").split() == ["origin/main"]


def edit(world: World, change: Callable[[dict[str, Any]], None]) -> None:
    path = world.log_dir / "comparison.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def refused(world: World, code: int = 1) -> str:
    before = world.state()
    found = world.promote("--open-pr")
    assert found.exit_code == code, found.output
    assert world.branches() == ["main"] and world.state() == before and world.gh() == []
    return found.output


def test_a_candidate_that_is_not_what_was_weighed_is_refused(world: World) -> None:
    (world.tmp / "new" / "AGENTS.md").write_bytes(b"new, and a little more")
    assert "is not what was compared" in refused(world)


def test_a_base_branch_that_moved_on_is_refused(world: World) -> None:
    world.move_base({"agent/AGENTS.md": b"somebody else's change"})
    assert "is not the baseline" in refused(world)


def test_artifacts_of_tasks_are_nothing_that_a_base_branch_gained(tmp_path: Path) -> None:
    task = "gate/tasks/one"
    files = {"AGENTS.md": b"rules", f"{task}/task.yaml": b"id: one", f"{task}/fixture/CLAUDE.md": b"of the task"}
    lay(tmp_path, {**files, ".claude/hooks/__pycache__/run.pyc": b"compiled"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-fA")
    git(tmp_path, *IDENTITY, "commit", "-qm", "base")
    config = load_config("git:HEAD", repo=tmp_path)
    request = PromotionRequest(tmp_path / "comparison.json", tmp_path)
    promotion = Promotion(request, config, "branch", (), config.artifacts, "title", "body")
    execute.refuse_drift(promotion, "HEAD")
    lay(tmp_path, {"web/CLAUDE.md": b"gained"})
    git(tmp_path, "add", "-A")
    git(tmp_path, *IDENTITY, "commit", "-qm", "gained")
    with pytest.raises(Refused, match=r"has gained web/CLAUDE\.md"):
        execute.refuse_drift(promotion, "HEAD")


def test_a_base_branch_that_lost_an_artifact_is_refused(world: World) -> None:
    git(world.repo, "stash", "-qu")
    git(world.repo, "checkout", "-q", "main")
    git(world.repo, "rm", "-q", "agent/same.md")
    git(world.repo, "commit", "-qm", "lost")
    git(world.repo, "push", "-q", "origin", "main")
    assert "no longer has same.md" in refused(world)


def test_a_base_branch_that_gained_an_artifact_is_refused(world: World) -> None:
    world.move_base({"agent/.claude/commands/deploy.md": b"a command the gate never saw"})
    assert "has gained .claude/commands/deploy.md" in refused(world)


def test_a_request_that_somebody_closed_is_not_opened_again(world: World) -> None:
    closed = '[{"url": "https://example.com/pr/1", "state": "CLOSED"}]'
    Path(f"{world.calls}.list").write_text(closed)
    result = world.promote("--open-pr")
    assert result.exit_code == 1 and "was closed" in result.output
    assert world.branches() == ["main"] and not any("create" in call for call in world.gh())


def test_a_verdict_that_was_not_earned_is_refused(world: World) -> None:
    edit(world, swap)  # the candidate is now worse
    assert "not a log of the baseline" in refused(world)


def swap(data: dict[str, Any]) -> None:
    before, after = (data[side]["sources"] for side in ("baseline", "candidate"))
    data["baseline"]["sources"], data["candidate"]["sources"] = after, before


def test_a_folder_that_was_moved_brings_its_logs_along(world: World) -> None:
    world.log_dir = world.log_dir.rename(world.tmp / "moved")
    assert "gh pr create" in world.promote().output


@pytest.mark.parametrize(
    "altered", [{"net_gain": 5.0}, {"verdict": "regressed"}, {"ambiguities": ["a doubt"]}, {"should_promote": False}]
)
def test_a_hand_made_comparison_is_refused(world: World, altered: dict[str, Any]) -> None:
    edit(world, lambda data: data.update(altered))
    assert "does not match its logs" in refused(world)


def test_a_comparison_of_results_files_is_refused(world: World) -> None:
    def forge(data: dict[str, Any]) -> None:
        for side in ("baseline", "candidate"):
            data[side]["kind"] = "results"

    edit(world, forge)
    assert "only gate runs can be promoted" in refused(world)


def test_missing_logs_or_a_file_that_is_none_of_ours_end_in_2(world: World) -> None:
    edit(world, lambda data: data["candidate"].update(sources=["nowhere.eval"]))
    assert "is missing" in refused(world, 2)
    (world.log_dir / "comparison.json").write_text('{"verdict": "improved"}')
    assert "not a comparison" in refused(world, 2)


def test_stricter_thresholds_here_win_over_those_of_the_comparison(world: World) -> None:
    found = world.promote("--open-pr", "--threshold", "min_composite_gain=1")
    assert found.exit_code == 1 and "not earned" in found.output


def test_the_thresholds_of_the_base_branch_count_and_not_those_of_the_change(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.move_base({"steelyard.yaml": b"gate:\n  thresholds: {min_composite_gain: 1.0}\n"})
    git(world.repo, "fetch", "-q", "origin")
    (world.repo / "steelyard.yaml").write_text("gate:\n  thresholds: {min_composite_gain: 0.01}\n")
    monkeypatch.chdir(world.repo)
    found = world.promote("--open-pr")
    assert found.exit_code == 1 and "not earned" in found.output
    assert "in origin/main: 1.0 counts" in found.output
    assert world.branches() == ["main"]


@pytest.mark.parametrize("path", ["../x", "/etc", ".git", "a/.git/hooks"])
def test_paths_that_lead_elsewhere_are_refused(world: World, path: str) -> None:
    assert world.promote("--open-pr", "--path", path).exit_code == 2
    assert world.branches() == ["main"]
