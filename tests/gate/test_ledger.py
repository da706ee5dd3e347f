"""docs/scoring.md §3.5: attempts are counted where others can see them, and a removed round is missed."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.ledger.book import Book, open_book
from steelyard.gate.ledger.place import Folder, place_of
from steelyard.gate.model import Comparison, Weighed
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec
from steelyard.logs.read import read_logs
from tests.gate.conftest import spec_in
from tests.gate.simulated import Rate, Suite, simulated

ROUNDS = 3
FIXED = Policy("evidence")


def better(arm: str, check: str) -> float:
    return 0.98 if arm == "candidate" else 0.3


def same(arm: str, check: str) -> float:
    return 0.6


def answer(weighed: Weighed) -> Comparison:
    assert isinstance(weighed.outcome, Comparison), weighed.outcome
    return weighed.outcome


def number(weighed: Weighed) -> int:
    assert weighed.attempts is not None
    return weighed.attempts.number


def rows_of(spec: RunSpec, round: int, unit: str | None = None) -> list[Path]:
    stamps = [(Path(row.path), row.stamp) for row in read_logs([spec.log_dir]).rows if row.stamp is not None]
    return [path for path, stamp in stamps if stamp.extra["round"] == round and unit in (None, stamp.unit)]


@pytest.fixture(scope="module")
def won(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A first attempt of three fixed rounds that improved, with its ledger; tests change copies."""
    folder = tmp_path_factory.mktemp("won")
    with pytest.MonkeyPatch.context() as patch:
        spec, _ = simulated(folder, patch, partial(spec_in, folder), better, tasks=6, policy=FIXED, epochs=ROUNDS)
        weighed = gate_run(spec)
    assert answer(weighed).verdict == "improved" and number(weighed) == 1
    return folder


@pytest.fixture
def attempt(won: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[RunSpec, Suite]]:
    """A copy of that attempt; the rates of what runs from here on may be others."""
    shutil.copytree(won, tmp_path, dirs_exist_ok=True)

    def make(rate: Rate = better, **options: Any) -> tuple[RunSpec, Suite]:
        fields = {"tasks": 6, "policy": FIXED, "epochs": ROUNDS, **options}
        return simulated(tmp_path, monkeypatch, partial(spec_in, tmp_path), rate, **fields)

    return make


def verify(spec: RunSpec, *words: str) -> tuple[int, dict[str, Any]]:
    path = str(spec.log_dir / "comparison.json")
    result = CliRunner().invoke(main, ["gate", "check", path, "--json", "-", *words])
    return result.exit_code, json.loads(result.output)


# Nine ways to try until it is green: each is refused, exploratory, or has to win twice.


def test_a_round_that_is_removed_and_run_again_is_seen(attempt: Any) -> None:
    spec, _ = attempt()
    for log in rows_of(spec, 2):
        log.unlink()
    weighed = gate_run(spec)
    exploratory = " ".join(answer(weighed).exploratory)
    assert "candidate: round 3" in exploratory
    assert "round 2 was run before" in exploratory and "its log is gone" in exploratory
    code, data = verify(spec)
    assert code == 1 and any("a log that is gone" in line for line in data["problems"])
    assert not json.loads((spec.log_dir / "comparison.json").read_text())["should_promote"]


def test_one_arm_of_a_round_run_again_is_seen(attempt: Any) -> None:
    spec, _ = attempt()
    for log in rows_of(spec, 1, "baseline"):
        log.unlink()
    gate_run(spec)
    assert verify(spec)[0] == 1


def test_the_last_round_removed_and_run_again_is_in_the_ledger(attempt: Any) -> None:
    spec, _ = attempt()
    for log in rows_of(spec, ROUNDS):
        log.unlink()
    weighed = gate_run(spec)
    assert any(f"round {ROUNDS} was run before" in line for line in answer(weighed).exploratory)
    assert verify(spec)[0] == 1


def test_a_round_that_was_stopped_and_whose_log_was_removed_is_in_the_ledger(attempt: Any, tmp_path: Path) -> None:
    spec, _ = attempt(same, log_dir=tmp_path / "again")

    def stopped(units: Any, evaluate: Any) -> Any:
        logs = evaluate(units)
        if units[0].round.number == 2:
            raise RuntimeError("stopped when its results were there to see")
        return logs

    with pytest.raises(RuntimeError, match="stopped"):
        gate_run(spec, execute=stopped)
    for log in rows_of(spec, 2):
        log.unlink()
    weighed = gate_run(spec)
    assert any("round 2 began before" in line and "left no log" in line for line in answer(weighed).exploratory)


def test_a_newline_is_another_attempt_and_an_improvement_has_to_be_shown_again(attempt: Any, tmp_path: Path) -> None:
    spec, suite = attempt(log_dir=tmp_path / "second")
    (tmp_path / "new" / "RULES").write_text("new\n\n")
    lines: list[str] = []
    weighed = gate_run(spec, lines.append)
    assert number(weighed) == 2 and answer(weighed).verdict == "improved"
    assert weighed.attempts is not None and weighed.attempts.confirmation == "made"
    assert any("attempt 2: improved" in line for line in lines)
    assert len(suite.started) == 2 * ROUNDS * 6 * 2
    assert all("confirmation" in source for source in weighed.candidate.sources)
    code, data = verify(spec)
    assert code == 0, data["problems"]


def test_a_fresh_runner_finds_the_ledger_with_the_logs(attempt: Any, tmp_path: Path, monkeypatch: Any) -> None:
    spec, suite = attempt(log_dir=tmp_path / "second")
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "another machine"))
    # What was luck the first time is not there the second time: from here on nothing is better.
    passed = Suite.task

    def lucky(self: Suite, arm: Any, round: Any, tasks: Any = None, ended: Any = lambda: None) -> Any:
        self.rate = same if (round.attempt or {}).get("confirms") else better
        return passed(self, arm, round, tasks, ended)

    monkeypatch.setattr("steelyard.gate.tasks.arm_task", partial(lucky, suite))
    weighed = gate_run(spec)
    assert number(weighed) == 2 and answer(weighed).verdict != "improved"
    assert weighed.attempts is not None and weighed.attempts.confirmation == "made"


def test_logs_that_were_thrown_away_are_an_attempt_all_the_same(attempt: Any) -> None:
    spec, _ = attempt()
    shutil.rmtree(spec.log_dir)
    assert number(gate_run(spec)) == 2


def test_other_settings_are_no_fresh_start(attempt: Any, tmp_path: Path) -> None:
    spec, _ = attempt(log_dir=tmp_path / "second", policy=dataclasses.replace(FIXED, margin=0.06), seed=7)
    assert number(gate_run(spec)) == 2
    with pytest.raises(InputError, match="rounds was 3 and is 4"):
        gate_run(dataclasses.replace(attempt()[0], epochs=4))


def test_a_confirmation_that_failed_cannot_be_drawn_again(attempt: Any, tmp_path: Path) -> None:
    spec, _ = attempt(log_dir=tmp_path / "second")
    gate_run(spec)
    shutil.rmtree(spec.log_dir / "confirmation")
    weighed = gate_run(spec)
    assert any("its log is gone" in line for line in answer(weighed).exploratory)


# What the ledger is.


def test_an_improvement_is_undecided_until_it_is_confirmed(attempt: Any, tmp_path: Path) -> None:
    spec, _ = attempt(log_dir=tmp_path / "second")
    gate_run(spec)
    shutil.rmtree(spec.log_dir / "confirmation")
    weighed = api.compare([spec.log_dir])
    assert answer(weighed).verdict == "undecided"
    assert weighed.attempts is not None and weighed.attempts.confirmation == "owed"
    text = api.gate_report(weighed, "markdown")
    assert "Attempt 2 against this baseline" in text and "fresh rounds of the same candidate" in text
    result = CliRunner().invoke(main, ["gate", "compare", str(spec.log_dir)])
    assert result.exit_code == 3


def test_another_branch_or_another_baseline_is_another_comparison(
    attempt: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    spec, _ = attempt(log_dir=tmp_path / "second")
    monkeypatch.setenv("GITHUB_HEAD_REF", "another-branch")
    assert number(gate_run(spec)) == 1
    monkeypatch.delenv("GITHUB_HEAD_REF")
    (tmp_path / "old" / "RULES").write_text("older\n")
    assert number(gate_run(dataclasses.replace(spec, log_dir=tmp_path / "third"))) == 1


def test_continuing_the_same_logs_is_the_same_attempt(attempt: Any) -> None:
    spec, suite = attempt()
    assert number(gate_run(spec)) == 1 and not suite.started


def test_a_start_that_failed_before_there_was_a_log_is_no_attempt(attempt: Any, tmp_path: Path) -> None:
    spec, _ = attempt(log_dir=tmp_path / "second", ledger=str(tmp_path / "elsewhere"))

    def broken(units: Any, evaluate: Any) -> Any:
        raise RuntimeError("no such provider")

    with pytest.raises(RuntimeError, match="no such provider"):
        gate_run(spec, execute=broken)
    weighed = gate_run(spec)
    assert number(weighed) == 1 and not answer(weighed).exploratory


def book_at(where: str, repo: Path | None = None) -> Book:
    return open_book(where, Path("logs"), "c" * 64, repo)


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("kind", ["folder", "bucket", "git"])
def test_writers_at_the_same_time_lose_nothing(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    where, repo = str(tmp_path / "ledger"), None
    if kind == "bucket":
        where = f"{request.getfixturevalue('bucket')}/ledger"
    if kind == "git":
        repo = tmp_path / "repo"
        git(tmp_path, "init", "-q", str(repo))
        where = "git:refs/steelyard/ledger"

    def enter(number: int) -> int:
        return book_at(where, repo).enter({"candidate": str(number)}).number

    with ThreadPoolExecutor(6) as pool:
        numbers = list(pool.map(enter, range(6)))
    book = book_at(where, repo)
    assert book.attempts == 6 and {entry.facts["candidate"] for entry in book.entries} == set(map(str, range(6)))
    # Nobody may believe to be the first who is not: at most one of them saw no other.
    assert numbers.count(1) <= 1 and max(numbers) == 6


def test_a_git_ref_is_shared_through_the_remote(tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    clones = [tmp_path / name for name in ("one", "two")]
    for clone in clones:
        git(tmp_path, "clone", "-q", str(remote), str(clone))
    where = "git:refs/steelyard/ledger"
    assert [book_at(where, clone).enter({}).number for clone in (*clones, *clones)] == [1, 2, 3, 4]
    # A branch name is enough, and nothing is checked out or changed in the work tree.
    assert book_at("git:ledger", clones[0]).enter({}).number == 1
    assert git(remote, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/ledger", "refs/steelyard/ledger"]
    assert git(clones[0], "status", "--porcelain") == ""


def test_a_ledger_that_cannot_be_pushed_says_so(tmp_path: Path) -> None:
    remote, clone = tmp_path / "remote.git", tmp_path / "clone"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(tmp_path, "clone", "-q", str(remote), str(clone))
    hook = remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'you may only read' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(Exception, match="cannot be pushed to origin") as caught:
        book_at("git:refs/steelyard/ledger", clone).enter({})
    assert "contents: write" in str(caught.value)


def test_an_entry_that_was_removed_is_still_counted_and_one_that_was_altered_is_refused(tmp_path: Path) -> None:
    where = tmp_path / "ledger"
    for _ in range(3):
        book_at(str(where)).enter({"candidate": "x"})
    first, *_, last = sorted(where.iterdir(), key=lambda path: len(path.read_text()))
    first.unlink()
    assert book_at(str(where)).attempts == 3
    last.write_text(last.read_text().replace('"x"', '"y"'))
    with pytest.raises(InputError, match="was altered"):
        book_at(str(where))
    last.write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        book_at(str(where))


def test_a_folder_that_is_not_there_is_an_empty_ledger(tmp_path: Path) -> None:
    place = place_of(str(tmp_path / "none"))
    assert isinstance(place, Folder) and place.names("") == []
    with pytest.raises(InputError, match="names no ref"):
        place_of("git:")


def test_the_ledger_of_the_command_line_is_where_it_says(attempt: Any, tmp_path: Path) -> None:
    spec, _ = attempt(log_dir=tmp_path / "second", ledger=str(tmp_path / "elsewhere"))
    assert number(gate_run(spec)) == 1
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()]
    code, data = verify(spec, "--ledger", str(tmp_path / "elsewhere"))
    assert code == 0 and data["notes"] == ["1 attempt in the ledger by now"] and data["looks"] == 1
    shutil.rmtree(tmp_path / "elsewhere")
    code, data = verify(spec)
    assert code == 0 and "is not here" in data["notes"][0]
