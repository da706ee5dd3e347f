"""Suites, and the three that are shipped."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from steelyard.audit.embedded import guess, reference
from steelyard.audit.example import PLANTED, SUITES, copy_suite, example_result, sheet_of, suite_folder, suite_result
from steelyard.audit.files import agent_prompt, read_key, read_run, read_text
from steelyard.audit.marking import ByWords
from steelyard.audit.marking.lexical import lexical_marks
from steelyard.audit.model import SuiteResult
from steelyard.audit.score import weighed
from steelyard.audit.suite import read_suite
from steelyard.errors import InputError

from .material import run_of


@pytest.mark.parametrize("name", SUITES)
def test_shipped_suites_are_complete(name: str) -> None:
    suite = read_suite(suite_folder(name))
    keyed = [unit for unit in suite.units if unit.key is not None]
    assert len(suite.units) > len(keyed) > 0
    for unit in keyed:
        assert unit.key is not None
        assert unit.document is not None
        key = read_key(unit.key)
        severities = [problem.severity for problem in key.problems]
        assert (severities.count("Critical"), severities.count("Medium"), severities.count("Minor")) == (3, 4, 3)
        assert key.warnings == ()
        assert sum("Section" in problem.location.replace("Section", "", 1) for problem in key.problems) >= 3
    for runs in suite.sets.values():
        assert runs.marks is not None
        assert all(len(runs.runs[unit.id]) >= 2 for unit in keyed)
    careful, hasty = (suite_result(suite, runs, sheet_of(runs)) for runs in suite.sets.values())
    assert careful.points > hasty.points + 3
    assert careful.false_alarms == 0 < hasty.false_alarms


@pytest.mark.parametrize("name", SUITES)
def test_the_ceiling_finds_everything_and_the_floor_nothing(name: str) -> None:
    suite = read_suite(suite_folder(name))
    for unit in suite.units:
        assert unit.document is not None
        prompt = read_text(unit.document, "document")
        best, worst = reference(prompt), guess(prompt, random.Random(1))
        assert best is not None
        assert worst is not None
        if unit.key is None:
            assert run_of(best).findings == ()
            continue
        key = read_key(unit.key)
        high = weighed(key.problems, run_of(best), lexical_marks(key, run_of(best)))
        low = weighed(key.problems, run_of(worst), lexical_marks(key, run_of(worst)))
        assert high.score >= 8.5
        assert all(cell.mark != "missed" for cell in high.cells)
        assert low.score <= 1.0
    assert reference("what is two plus two") is None
    assert guess("what is two plus two", random.Random(1)) is None


def test_copy_and_score_an_own_suite(tmp_path: Path) -> None:
    copy_suite("agent-review", tmp_path / "mine")
    suite = read_suite(tmp_path / "mine")
    assert suite_result(suite, suite.sets["hasty"], ByWords()).suite == "agent-review"
    with pytest.raises(InputError, match="already exists"):
        copy_suite("agent-review", tmp_path / "mine")
    with pytest.raises(InputError, match="not a shipped suite"):
        copy_suite("../agent-review", tmp_path / "other")


def test_the_controls_of_a_copied_planted_suite_are_the_code_of_their_documents(tmp_path: Path) -> None:
    copy_suite(PLANTED, tmp_path / "mine")
    for control in ("courier-clean", "rooms-clean"):
        module = next((tmp_path / "mine" / control / "repository" / "src").iterdir())
        numbered = (f"{number:>5}  {line}" for number, line in enumerate(module.read_text().splitlines(), start=1))
        assert "\n".join(numbered) in (tmp_path / "mine" / control / "document.md").read_text()
        assert list((tmp_path / "mine" / control / "repository" / "tests").iterdir())


@pytest.mark.parametrize("scanner", ["bandit", "ruff"])
def test_scanners_find_none_of_the_problems_that_were_planted(scanner: str) -> None:
    """What the documentation says of them: no bug of logic has a rule, and the controls are not free of findings."""
    found = example_result(PLANTED, scanner)
    assert isinstance(found, SuiteResult)
    assert sum(len(result.problems) for result in found.keyed) == 15
    assert found.points == -1.0 and found.false_alarms == 2
    assert all(cell.mark == "missed" for result in found.keyed for run in result.runs for cell in run.cells)


BASE = "name: s\ndocuments:\n  - {id: a, document: a.md}\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name: s\n", "'documents' is missing"),
        ("name: s\ndocuments: []\n", "at least one document"),
        (BASE + "  - {id: a, document: a.md}\n", "duplicate document 'a'"),
        (BASE.replace("a.md", "b.md"), "line 3: b.md does not exist"),
        (BASE.replace("document: a.md", "document: ../out.md"), "is outside the suite"),
        (BASE.replace("document: a.md", "document: /etc/passwd"), "is outside the suite"),
        (BASE + "sets:\n  x: {runs: {b: [a.md]}}\n", "'b' is not a document"),
        (BASE + "colour: red\n", "line 4: unknown field 'colour'"),
        (BASE + "sets:\n  x: {marks: a.md}\n", "'runs' is missing"),
    ],
)
def test_wrong_suites(tmp_path: Path, text: str, says: str) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "a.md").write_text("x")
    (tmp_path / "out.md").write_text("x")
    (folder / "suite.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_suite(folder)
    assert says in str(caught.value)


def test_no_suite_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no suite\.yaml"):
        read_suite(tmp_path)


def test_agent_headers() -> None:
    assert agent_prompt("---\nname: x\ntools: y\n---\nBe strict.\n") == ("x", "Be strict.")
    assert agent_prompt("Just a prompt\n---\nmore") == ("", "Just a prompt\n---\nmore")
    assert agent_prompt("---\nnever closed") == ("", "---\nnever closed")


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the answer key"):
        read_key(tmp_path / "none.md")
    with pytest.raises(InputError, match="is a directory"):
        read_key(tmp_path)
    (tmp_path / "binary.md").write_bytes(bytes(range(256)) * 10)
    with pytest.raises(InputError, match="is not text"):
        read_key(tmp_path / "binary.md")
    binary = read_run(tmp_path / "binary.md")
    assert binary.findings == ()
    assert "is not text" in binary.flags[0]
    (tmp_path / "bytes.md").write_bytes(b"- the caf\xe9 is not closed here, which is a problem\n")
    assert len(read_run(tmp_path / "bytes.md").findings) == 1
    with pytest.raises(InputError):
        read_key(tmp_path / "bytes.md")
