"""Promotion and comment with the real `gh` and the real git, against a GitHub on this machine."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from steelyard.cli.main import main
from tests.gate.promotion import SHARED, World, git
from tests.github import HOST, LOGIN, REPO, GitHub, installed

pytestmark = SHARED

FIRST = f"https://{HOST}/{REPO}/pull/1"
CREATE = "PullRequestCreate"


@pytest.fixture
def github(
    tmp_path: Path, record_property: Callable[[str, object], None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[GitHub]:
    record_property("client", ("gh", installed()))
    (tmp_path / "team").mkdir()
    server = GitHub(tmp_path)
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "GH_REPO", "GH_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    yield server
    server.close()
    assert server.unknown == []


@pytest.fixture
def world(compared: Path, github: GitHub) -> World:
    return World(compared, f"{REPO}.git", f"https://{HOST}/{REPO}.git")


def test_an_earned_change_becomes_one_request_and_promoting_twice_opens_no_second(world: World, github: GitHub) -> None:
    before = world.state()
    found = world.promote("--open-pr", "--draft", "--reviewer", LOGIN)
    assert found.exit_code == 0 and FIRST in found.output, found.output
    (request,) = github.requests
    (branch,) = {*world.branches()} - {"main"}
    assert (request["baseRefName"], request["headRefName"]) == ("main", branch)
    assert request["draft"] is True and request["reviewers"] == [f"U_{LOGIN}"]
    assert request["body"].startswith("# Gate: improved")
    assert world.state() == before
    head = git(world.remote, "for-each-ref")
    again = world.promote("--open-pr", "--draft", "--reviewer", LOGIN)
    assert again.exit_code == 0 and FIRST in again.output
    assert github.calls.count(CREATE) == 1 and git(world.remote, "for-each-ref") == head
    # The base branch moves on elsewhere: the request is still the one that is open.
    world.move_base({"elsewhere.txt": b"unrelated"})
    later = world.promote("--open-pr")
    assert later.exit_code == 0 and FIRST in later.output and len(github.requests) == 1


def test_a_base_branch_that_moved_elsewhere_is_the_parent_of_the_commit(world: World, github: GitHub) -> None:
    world.move_base({"elsewhere.txt": b"unrelated"})
    assert world.promote("--open-pr").exit_code == 0
    (branch,) = {*world.branches()} - {"main"}
    assert git(world.remote, "rev-parse", f"{branch}^") == git(world.remote, "rev-parse", "main")
    assert "elsewhere.txt" in git(world.remote, "ls-tree", "--name-only", branch).split()


def test_a_base_branch_whose_configuration_changed_is_refused(world: World, github: GitHub) -> None:
    world.move_base({"agent/AGENTS.md": b"somebody else's change"})
    found = world.promote("--open-pr")
    assert found.exit_code == 1 and "is not the baseline" in found.output
    assert world.branches() == ["main"] and CREATE not in github.calls


def test_a_push_that_is_refused_asks_for_nothing(world: World, github: GitHub) -> None:
    before = world.state()
    world.refuse_pushes()
    found = world.promote("--open-pr")
    assert found.exit_code == 2 and "protected" in found.output and "Traceback" not in found.output
    assert world.branches() == ["main"] and CREATE not in github.calls and world.state() == before


def test_a_gh_that_fails_after_the_push_leaves_nothing_and_the_next_attempt_succeeds(
    world: World, github: GitHub
) -> None:
    before = world.state()
    github.refuse = {CREATE: 502}
    found = world.promote("--open-pr")
    assert found.exit_code == 2 and "HTTP 502" in found.output and "Traceback" not in found.output
    assert world.branches() == ["main"] and github.requests == [] and world.state() == before
    github.refuse = {}
    assert FIRST in world.promote("--open-pr").output


def test_a_request_that_was_opened_stays_open_although_its_reviewer_could_not_be_asked(
    world: World, github: GitHub
) -> None:
    github.refuse = {"PullRequestCreateRequestReviews": 502}
    found = world.promote("--open-pr", "--reviewer", LOGIN)
    assert found.exit_code == 0 and FIRST in found.output and "HTTP 502" in found.output
    (request,) = github.requests
    assert request["state"] == "OPEN" and request["headRefName"] in world.branches()


def test_a_request_that_somebody_closed_is_not_opened_again(world: World, github: GitHub) -> None:
    assert world.promote("--open-pr").exit_code == 0
    github.requests[0]["state"] = "CLOSED"
    git(world.remote, "update-ref", "-d", f"refs/heads/{github.requests[0]['headRefName']}")
    found = world.promote("--open-pr")
    assert found.exit_code == 1 and "was closed" in found.output
    assert world.branches() == ["main"] and len(github.requests) == 1


def comment(report: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["gate", "promote", str(report), "--github", REPO, "--pr", "7", *words])


def test_jobs_of_a_matrix_have_a_comment_each(tmp_path: Path, github: GitHub) -> None:
    report = tmp_path / "report.md"
    for text, name in (("linux", "a"), ("mac", 'b --> {"x": 1}'), ("linux again", "a"), ("alone", "")):
        report.write_text(text)
        assert comment(report, "--name", name).exit_code == 0
    assert [str(one["body"]).split("\n", 1)[1] for one in github.comments] == ["linux again", "mac", "alone"]
    assert all(str(one["body"]).split("\n")[0].count("-->") == 1 for one in github.comments)


def test_one_comment_is_written_and_then_updated(tmp_path: Path, github: GitHub) -> None:
    github.comments.append({"id": 1, "user": {"login": "bob"}, "body": "<!-- steelyard gate -->\nsomebody else's"})
    report = tmp_path / "report.md"
    for text in ("first", "second"):
        report.write_text(text)
        found = comment(report)
        assert found.exit_code == 0 and f"{REPO}/pull/7#issuecomment-2" in found.output, found.output
    assert [one["body"] for one in github.comments] == [
        "<!-- steelyard gate -->\nsomebody else's",
        "<!-- steelyard gate -->\nsecond",
    ]


def test_the_token_of_a_workflow_cannot_ask_who_it_is_and_one_of_a_fork_cannot_write(
    tmp_path: Path, github: GitHub
) -> None:
    report = tmp_path / "report.md"
    report.write_text("text")
    github.comments.append({"id": 1, "user": {"login": "github-actions[bot]"}, "body": "<!-- steelyard gate -->\nold"})
    github.refuse = {"GET /api/v3/user": 403}
    assert comment(report).exit_code == 0
    assert github.comments[0]["body"] == "<!-- steelyard gate -->\ntext"
    # A proxy may answer in GitHub's place.
    github.refuse = {"GET /api/v3/user": 204}
    answered = comment(report)
    assert answered.exit_code == 2 and "gh api" in answered.stderr
    github.refuse = {"GET /api/v3/user": 403, "PATCH": 403}
    assert comment(report).exit_code == 2
    assert comment(report, "--if-allowed").exit_code == 0
