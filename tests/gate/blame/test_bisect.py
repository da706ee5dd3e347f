"""`gate bisect`: halving over commits that change the configuration; undecided steps widen the answer (§3.7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.blame.bisect import Bisected, Commits, Verdict, bisect, bisected, changing, headline
from steelyard.gate.model import NoVerdict, Side, Weighed
from steelyard.gate.run import gate_run
from tests.gate.blame.world import run_spec, world
from tests.gate.promotion import git

NAMES = tuple("abcdefgh")


def asked(first_bad: str, undecided: str = "") -> tuple[list[str], object]:
    steps: list[str] = []

    def ask(commit: str) -> Verdict:
        steps.append(commit)
        return "undecided" if commit in undecided else "worse" if commit >= first_bad else "no worse"

    return steps, ask


@pytest.mark.parametrize("first_bad", NAMES)
def test_the_first_bad_commit_is_found_in_a_few_steps(first_bad: str) -> None:
    steps, ask = asked(first_bad)
    found = bisected(Commits(NAMES, {name: f"change {name}" for name in NAMES}), ask)  # type: ignore[arg-type]
    assert found.culprits == (first_bad,)
    assert len(steps) <= 4  # the last one, then log2(8)


def test_undecided_steps_widen_the_answer_instead_of_guessing() -> None:
    _, ask = asked("d", undecided="cde")
    found = bisected(Commits(NAMES, dict.fromkeys(NAMES, "x")), ask)  # type: ignore[arg-type]
    assert found.culprits == ("c", "d", "e", "f")
    assert "one of c, d, e, f" in headline(found)


def test_a_bad_commit_that_is_not_worse_ends_it() -> None:
    steps, ask = asked("z")
    found = bisected(Commits(NAMES, dict.fromkeys(NAMES, "x")), ask)  # type: ignore[arg-type]
    assert found.culprits == () and steps == ["h"] and "not shown to be worse" in headline(found)


@pytest.mark.parametrize(("verdict", "code"), [("no worse", 0), ("undecided", 3), ("no verdict", 2)])
def test_only_a_bad_commit_that_is_no_worse_ends_in_0(
    verdict: Verdict, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """§3.3: what was not answered is never 0, whether runs do not decide (3) or have no score (2)."""
    found = Bisected((), (("a" * 40, verdict),), {"a" * 40: "commit 1"})
    monkeypatch.setattr("steelyard.api.gate_bisect", lambda spec: found)
    result = CliRunner().invoke(main, ["gate", "bisect", "--good", "HEAD~1", "--bad", "HEAD", "--tasks", "tasks"])
    assert (result.exit_code, verdict in result.output) == (code, True)


def test_runs_without_a_score_are_no_verdict(tmp_path: Path, repo: Path) -> None:
    side = Side("x", "gate", ())
    unscored = Weighed(NoVerdict(("t1 (round 1) is unscored because of the provider: down",)), side, side)
    found = bisect(run_spec(tmp_path, parts=None, repo=repo), "HEAD~6", "HEAD", "", lambda run: unscored, print)
    assert [verdict for _, verdict in found.steps] == ["no verdict"] and not found.culprits


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Seven commits: the configuration changes in five of them and does not load in one; the fourth is the bad one."""
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = T\n\temail = t@example.com\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    texts = ["start", "one", "one", "one two", "broken", "one two About Bad", "one two About Bad four"]
    for number, text in enumerate(texts):
        (folder / "AGENTS.md").write_text(text)
        (folder / "other.txt").write_text(str(number))
        (folder / ".mcp.json").write_text("{" if text == "broken" else "{}")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", f"commit {number}")
    return folder


def test_commits_that_leave_the_configuration_alone_are_no_steps(repo: Path) -> None:
    commits = changing(repo, "HEAD~6", "HEAD", "")
    assert [commits.subjects[name] for name in commits.names] == [f"commit {number}" for number in (1, 3, 4, 5, 6)]
    assert [commits.subjects[name] for name in commits.broken] == ["commit 4"]
    with pytest.raises(InputError, match="changes the configuration"):
        changing(repo, "HEAD~5", "HEAD~4", "")
    with pytest.raises(InputError, match="does not load"):
        changing(repo, "HEAD~6", "HEAD~2", "")


def test_the_commit_is_found_with_real_gate_runs_on_stored_arms(
    tmp_path: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = world(tmp_path, monkeypatch, lambda task, text: 0.05 if "About Bad" in text else 0.95, text="x", tasks=8)
    found = bisect(run_spec(tmp_path, parts=None, repo=repo), "HEAD~6", "HEAD", "", gate_run, print)
    # The commit before the bad one does not load, so it may be the first bad one as well. Against stored runs, with
    # their allowance for drift, a no-op may stay undecided: then it is named, too.
    named, verdicts = [found.subjects[name] for name in found.culprits], dict(found.steps)
    assert named[-2:] == ["commit 4", "commit 5"] and verdicts[found.culprits[-2]] == "does not load"
    assert {verdicts[name] for name in found.culprits[:-2]} <= {"undecided"}
    # The good commit runs in the first step only; later steps read it from the store.
    assert sum(arm == "baseline" for _, arm, _ in made.started) < sum(arm == "candidate" for _, arm, _ in made.started)
