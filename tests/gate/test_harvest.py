"""Tasks from a repository's own history; the tests of its commits run in real sandboxes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.errors import InputError, ToolchainError
from steelyard.gate.harvest import CACHE, Harvest, HarvestSpec, harvest
from steelyard.gate.harvest.prompt import Issues, asked
from steelyard.gate.selftest import SelfTest
from steelyard.gate.task_folder import Task, load_suite
from steelyard.proof.candidates import Candidate, Dropped, Limits, sort_out, spread
from steelyard.proof.history import Changed, Commit
from tests.gate.conftest import FEW_DRAWS
from tests.repositories import commit, repository
from tests.toolchains import toolchain
from tests.wheels import PYTEST, repack, use_only, write_wheel

pytestmark = pytest.mark.xdist_group("harvest")  # one harvest serves all tests of this file

CALC = "def double(n):\n    return 2 * n\n"
TESTS = "from calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
TRIPLE = "import greeting\n\n\ndef triple(n):\n    return 3 * n\n"
TRIPLED = "from triples import triple\n\n\ndef test_triple():\n    assert triple(2) == 6\n    assert triple(-1) == -3\n"
NAMES = {"double": "4", "triple": "6"}
ODD = "import odd\n\n\ndef test_x():\n    assert odd.X\n"


def history(folder: Path) -> Path:
    """A repository with commits of every kind."""
    repo = repository(folder, {"src/calc.py": CALC, "tests/test_calc.py": TESTS, "README": "x\n"})
    commit(repo, {"README": "y\n"}, "Say more in the readme")
    commit(repo, {"src/calc.py": f"{CALC}# end\n", "tests/test_calc.py": f"{TESTS}\n"}, "Nothing but a comment")
    commit(repo, {"src/odd.py": "X = 1\n", "tests/test_odd.py": ODD}, "fix")
    needs = '[project]\nname = "calc"\nversion = "1"\ndependencies = ["greeting"]\n'
    commit(
        repo,
        {"pyproject.toml": needs, "src/triples.py": TRIPLE, "tests/test_triples.py": TRIPLED},
        "Numbers can be tripled with triple() (#7)\n\nSigned-off-by: A <a@example.org>\n",
    )
    return repo


@pytest.fixture(scope="module")
def harvested(tmp_path_factory: pytest.TempPathFactory) -> tuple[Harvest, HarvestSpec]:
    folder = tmp_path_factory.mktemp("harvest")
    wheels = folder / "wheels"
    wheels.mkdir()
    write_wheel(wheels, "greeting", "1.0", "HELLO = 'hello'\n")
    for name in PYTEST:
        repack(wheels, name)
    spec = HarvestSpec(history(folder / "repo"), folder / "tasks")
    with pytest.MonkeyPatch.context() as patch:
        use_only(wheels, folder / "cache", patch)
        patch.setattr(*FEW_DRAWS)
        return harvest(spec), spec


def test_commits_with_tests_that_turn_green_become_tasks(harvested: tuple[Harvest, HarvestSpec]) -> None:
    found, spec = harvested
    assert [task.subject for task in found.tasks] == ["Numbers can be tripled with triple() (#7)"], f"{found.dropped}"
    reasons = {drop.subject: drop.reason for drop in found.dropped}
    assert reasons["Say more in the readme"] == "changes no Python, JavaScript, Rust or Go source"
    assert reasons["Nothing but a comment"] == "changes only comments, docstrings or layout"
    assert reasons["fix"] == "its message asks for nothing in particular"
    assert (found.tried, found.usable) == (1, 1.0)
    (triple,) = load_suite(spec.out).tasks
    assert triple.id.endswith("numbers-can-be-tripled-with-triple-7")
    assert "src/triples.py" not in triple.visible and "tests/test_calc.py" in triple.visible
    assert "tests/test_triples.py" not in triple.visible and "tests/test_triples.py" in triple.protected
    assert triple.file.prompt.startswith("Numbers can be tripled with triple()\n")
    assert "Signed-off-by" not in triple.file.prompt
    assert "greeting==1.0" in triple.file.packages


def test_what_was_tried_is_not_tried_again(
    harvested: tuple[Harvest, HarvestSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, spec = harvested
    monkeypatch.setattr("steelyard.gate.harvest._tried", lambda *_: pytest.fail(f"again: {found.dropped}"))
    assert harvest(spec) == found


@pytest.mark.parametrize("entry", [5, None, {"turned": "many"}])
def test_what_cannot_be_read_of_an_earlier_harvest_is_tried_again(
    harvested: tuple[Harvest, HarvestSpec], monkeypatch: pytest.MonkeyPatch, entry: Any
) -> None:
    found, spec = harvested
    kept = spec.out / CACHE
    text = kept.read_text("utf-8")
    (task,) = found.tasks
    known = json.loads(text)
    damaged = {**known[task.commit], **entry} if isinstance(entry, dict) else entry
    kept.write_text(json.dumps({**known, task.commit: damaged}), "utf-8")
    monkeypatch.setattr("steelyard.gate.harvest._tried", lambda *_: task)
    assert harvest(spec) == found
    assert json.loads(kept.read_text("utf-8")) == json.loads(text)


def test_the_command_prints_tasks_and_reasons(harvested: tuple[Harvest, HarvestSpec]) -> None:
    _, spec = harvested
    done = CliRunner().invoke(main, ["gate", "harvest", str(spec.repo), "--out", str(spec.out), "--json", "-"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert (len(data["tasks"]), data["tried"]) == (1, 1)
    text = CliRunner().invoke(main, ["gate", "harvest", str(spec.repo), "--out", str(spec.out)]).stdout
    assert "1 task from 4 commits, 100% of 1" in text and "Say more in the readme" in text


def test_an_interruption_leaves_no_task_that_is_not_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(task: Task) -> SelfTest:
        raise KeyboardInterrupt

    double, triple = (NODE_TEST.replace("NAME", name).replace("VALUE", value) for name, value in NAMES.items())
    repo = repository(tmp_path / "repo", {"calc.js": DOUBLE_JS, "test/calc.test.js": double, "package.json": "{}"})
    commit(repo, {"calc.js": DOUBLE_JS + TRIPLE_JS, "test/triple.test.js": triple}, "Numbers can be tripled, too")
    monkeypatch.setattr("steelyard.gate.harvest.selftest", stopped)
    with pytest.raises(KeyboardInterrupt):
        pytest.fail(str(harvest(HarvestSpec(repo, tmp_path / "tasks")).dropped))
    with pytest.raises(InputError, match="no tasks in"):
        load_suite(tmp_path / "tasks")


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (None, "is not a git repository"),
        ({"a.py": "1\n"}, "no commits with a parent"),
    ],
)
def test_a_folder_without_a_history_is_refused(tmp_path: Path, files: dict[str, str] | None, why: str) -> None:
    repo = tmp_path / "repo"
    if files is None:
        repo.mkdir()
    else:
        repository(repo, files)
    done = CliRunner().invoke(main, ["gate", "harvest", str(repo), "--out", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert why in done.stderr and not (tmp_path / "out").exists()


def test_a_date_that_leaves_no_commit_is_named(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", {"a.py": "1\n"})
    commit(repo, {"a.py": "2\n"}, "Two")
    with pytest.raises(InputError, match="no commits with a parent to look at after 2099-01-01"):
        harvest(HarvestSpec(repo, tmp_path / "out", since="2099-01-01"))
    with pytest.raises(InputError, match="'whenever' is no earlier date that git can read"):
        harvest(HarvestSpec(repo, tmp_path / "out", since="whenever"))


DOUBLE_JS = "export const double = (n) => 2 * n\n"
TRIPLE_JS = "export const triple = (n) => 3 * n\n"
NODE_TEST = """
import test from 'node:test'
import assert from 'node:assert'
import * as calc from '../calc.js'

test('NAME', async (t) => {
  await t.test('of two', () => assert.strictEqual(calc.NAME(2), VALUE))
})
"""
MANIFEST = {"type": "module", "dependencies": {"here": "file:../here"}, "devDependencies": {"a-linter": "^9.0.0"}}


def test_commits_of_javascript_become_tasks_that_node_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FEW_DRAWS)
    double, triple = (NODE_TEST.replace("NAME", name).replace("VALUE", value) for name, value in NAMES.items())
    start = {"calc.js": DOUBLE_JS, "test/calc.test.js": double, "package.json": json.dumps(MANIFEST)}
    repo = repository(tmp_path / "repo", start)
    commit(repo, {"calc.js": DOUBLE_JS + TRIPLE_JS, "test/triple.test.js": triple}, "Numbers can be tripled, too")
    tape = {"calc.js": f"{TRIPLE_JS}{DOUBLE_JS}", "test/tape.test.js": "require('tape')('x', (t) => t.end())\n"}
    commit(repo, tape, "Tested by another runner now")
    found = harvest(HarvestSpec(repo, tmp_path / "tasks"))
    assert len(found.tasks) == 1, found.dropped
    (task,) = found.tasks
    assert (task.subject, task.turned, task.steady) == ("Numbers can be tripled, too", 2, 0), f"{found.dropped}"
    assert [(drop.subject, drop.reason) for drop in found.dropped] == [
        ("Tested by another runner now", "its tests are not for `node --test`")
    ]
    (written,) = load_suite(tmp_path / "tasks").tasks
    assert list(written.protected) == ["test/triple.test.js"] and "test/triple.test.js" not in written.visible
    assert "- `test/triple.test.js::triple::of two`" in (tmp_path / "tasks" / task.id / "card.md").read_text("utf-8")


CALC_RS = "pub fn double(n: i32) -> i32 {\n    2 * n\n}\n"
TRIPLE_RS = """
/// Three times as much: `assert_eq!(calc::triple(2), 6)`.
pub fn triple(n: i32) -> i32 {
    3 * n
}

#[cfg(test)]
mod tests {
    #[test]
    fn of_one() {
        assert_eq!(super::triple(1), 3);
    }
}
"""
RUST_TEST = "#[test]\nfn NAMEs() {\n    assert_eq!(calc::NAME(2), VALUE);\n}\n"
CARGO = '[package]\nname = "calc"\nversion = "1.0.0"\nedition = "2021"\n'
CALC_GO = "package calc\n\nfunc Double(n int) int { return 2 * n }\n"
TRIPLE_GO = "package calc\n\nfunc Triple(n int) int { return 3 * n }\n"
GO_TEST = """package calc

import "testing"

func TestNAME(t *testing.T) {
	if NAME(2) != VALUE {
		t.Fatal(NAME(2))
	}
}
"""
RUST = (
    {"Cargo.toml": CARGO, "src/lib.rs": CALC_RS, "tests/double.rs": ("double", "4")},
    {"src/lib.rs": CALC_RS + TRIPLE_RS, "tests/triple.rs": ("triple", "6")},
    {"src/lib.rs": TRIPLE_RS + CALC_RS},
    "changes no tests in files of their own (tests/*.rs)",
    "tests/triple.rs::triples",
)
GO = (
    {"go.mod": "module example.org/calc\n\ngo 1.19\n", "calc.go": CALC_GO, "calc_test.go": ("Double", "4")},
    {"triple.go": TRIPLE_GO, "triple_test.go": ("Triple", "6")},
    {"triple.go": f"{TRIPLE_GO}\n", "calc_test.go": ("Double", "4 + 0")},
    "its tests pass without it",
    "triple_test.go::TestTriple",
)
Files = dict[str, str | tuple[str, str]]


@pytest.mark.clients
@pytest.mark.parametrize(
    ("runner", "example", "test"),
    [("cargo", RUST, RUST_TEST), ("go", GO, GO_TEST)],
    ids=["cargo", "go"],
)
def test_commits_of_rust_and_go_become_tasks_that_their_own_runner_checks(
    runner: str,
    example: tuple[Files, Files, Files, str, str],
    test: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def written(files: Files) -> dict[str, str]:
        return {
            path: text if isinstance(text, str) else test.replace("NAME", text[0]).replace("VALUE", text[1])
            for path, text in files.items()
        }

    toolchain(runner)
    monkeypatch.setattr(*FEW_DRAWS)
    start, change, useless, why, turned = example
    repo = repository(tmp_path / "repo", written(start))
    commit(repo, written(change), "Numbers can be tripled, too")
    commit(repo, written(useless), "Tests nothing that was not there")
    found = harvest(HarvestSpec(repo, tmp_path / "tasks"))
    assert [(drop.subject, drop.reason) for drop in found.dropped] == [("Tests nothing that was not there", why)]
    (task,) = found.tasks
    assert (task.subject, task.turned, task.steady) == ("Numbers can be tripled, too", 1, 0)
    (loaded,) = load_suite(tmp_path / "tasks").tasks
    hidden = turned.partition("::")[0]
    assert list(loaded.protected) == [hidden] and hidden not in loaded.visible
    assert (loaded.file.tools, loaded.file.setup) == ((runner,), ())
    assert f"- `{turned}`" in (tmp_path / "tasks" / task.id / "card.md").read_text("utf-8")


def made(number: int, lines: int, *files: str, message: str = "Do the thing properly") -> Commit:
    changed = tuple(Changed(path, lines) for path in files)
    return Commit(f"{number:040x}", "p", "2024-01-01", message, "", changed)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (("README.md",), "changes no Python source"),
        (("a.py",), "changes no tests"),
        (("tests/test_a.py",), "changes no Python source"),
        (("a.py", "tests/data.json"), "changes no tests"),
        ((*(f"{n}.py" for n in range(9)), "tests/test_a.py"), "is too large"),
    ],
)
def test_commits_that_cannot_be_tasks_say_why(files: tuple[str, ...], reason: str) -> None:
    kept, dropped = sort_out([made(1, 5, *files)], Limits())
    assert kept == [] and dropped[0].reason == reason


def test_tests_are_known_by_folder_and_name() -> None:
    (kept,), _ = sort_out([made(1, 5, "a.py", "pkg/a_test.py", "tests/data.json", "tests/conftest.py")], Limits())
    assert kept.source == ("a.py",)
    assert kept.tests == ("pkg/a_test.py", "tests/conftest.py", "tests/data.json")
    assert kept.suites == ("pkg/a_test.py",)


def test_the_order_spreads_over_time_and_size() -> None:
    history = [made(number, number % 10 + 1, "a.py", "test_a.py") for number in range(80)]
    kept, _ = sort_out(history, Limits())
    first = [int(candidate.commit.sha, 16) for candidate in list(spread(kept))[:8]]
    assert sorted(number // 10 for number in first) == list(range(8))
    assert sorted(candidate.commit.sha for candidate in spread(kept)) == sorted(one.sha for one in history)


PATCH = "+++ b/a.py\n+    return sorted(values, key=len)\n+x = 1\n"


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (
            "Sort the values by length\n\nreturn sorted(values, key=len)\nis slow.",
            "Sort the values by length\n\nis slow.",
        ),
        ("Sort the values by length\n\n```python\nx = 1\n```\nThanks.", "Sort the values by length\n\nThanks."),
        ("Sort values by length (#12)\n\nCo-authored-by: B <b@example.org>", "Sort values by length"),
        ("Fix", ""),
    ],
)
def test_a_prompt_gives_nothing_away(message: str, text: str) -> None:
    subject, _, body = message.partition("\n\n")
    found = Commit("1" * 40, "p", "2024-01-01", subject, body, ())
    assert asked(found, Issues(), PATCH).text == text


def test_an_issue_that_a_commit_names_is_the_prompt(tmp_path: Path) -> None:
    path = tmp_path / "issues.json"
    path.write_text(json.dumps([{"number": 12, "title": "Values come unsorted", "body": "They should be sorted."}]))
    found = Commit("1" * 40, "p", "2024-01-01", "Fix #12", "", ())
    assert asked(found, Issues.read(path), "").text == "Values come unsorted\n\nThey should be sorted."


def test_what_our_machinery_broke_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[object] = []

    def fail(*given: object) -> None:
        tries.append(given)
        raise ToolchainError("no network")

    monkeypatch.setattr("steelyard.gate.harvest._proved", fail)
    repo = repository(tmp_path / "repo", {"calc.py": CALC, "test_calc.py": TESTS})
    commit(repo, {"calc.py": f"{CALC}X = 1\n", "test_calc.py": f"{TESTS}Y = 1\n"}, "Numbers can be doubled twice")
    for _ in range(2):
        found = harvest(HarvestSpec(repo, tmp_path / "tasks"))
        assert [drop.stage for drop in found.dropped] == ["ours"]
    assert len(tries) == 2


def test_a_year_whose_tests_cannot_run_here_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unable(spec: HarvestSpec, candidate: Candidate, *_: object) -> Dropped:
        return Dropped(candidate.commit.sha, candidate.commit.subject, "no such Python", "not run")

    monkeypatch.setattr("steelyard.gate.harvest._proved", unable)
    repo = repository(tmp_path / "repo", {"calc.py": CALC, "test_calc.py": TESTS})
    for number in range(5):
        changed = {"calc.py": f"{CALC}X = {number}\n", "test_calc.py": f"{TESTS}Y = {number}\n"}
        commit(repo, changed, f"Numbers can be doubled {number} times")
    found = harvest(HarvestSpec(repo, tmp_path / "tasks"))
    assert (found.tried, found.usable) == (3, 0.0)
    assert sum("not tried: other tests of" in drop.reason for drop in found.dropped) == 2
