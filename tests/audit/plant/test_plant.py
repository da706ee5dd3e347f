"""Planted suites, proved by tests in real sandboxes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.audit.files import read_key
from steelyard.audit.plant import plant
from steelyard.audit.plant.planting import Planting, PlantSpec
from steelyard.audit.plant.record import PlantedUnit
from steelyard.audit.plant.write import as_diff, as_document
from steelyard.audit.suite import read_suite
from steelyard.cli.main import main
from steelyard.git import git
from steelyard.tree import File
from tests.audit.plant.project import STOCK, TESTS, offline, stock
from tests.repositories import commit, repository

pytestmark = pytest.mark.xdist_group("plant")  # one environment and one suite serve all tests of this file


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("plant")
    with pytest.MonkeyPatch.context() as patch:
        offline(folder, patch)
        yield folder


@pytest.fixture(scope="module")
def repo(place: Path) -> Path:
    return stock(place / "repo")


@pytest.fixture(scope="module")
def planted(place: Path, repo: Path) -> tuple[Planting, Path]:
    return plant(PlantSpec(repo, place / "suite", most=2)), place / "suite"


def test_a_suite_has_documents_with_keys_and_a_clean_control(planted: tuple[Planting, Path]) -> None:
    found, out = planted
    suite = read_suite(out)
    assert [bool(unit.key) for unit in suite.units] == [*([True] * len(found.documents)), False]
    assert found.problems == 2 and found.control
    assert len(found.kinds) == 2  # spread over kinds


def test_the_key_names_file_line_kind_and_failing_test(planted: tuple[Planting, Path]) -> None:
    _, out = planted
    problem = read_key(out / "repository-01" / "key.md").problems[0]
    assert problem.location.startswith("src/stock.py:")
    extra = dict(problem.extra)
    assert extra["Kind"] in problem.title
    assert "tests/test_stock.py::" in extra["Proof"]


def test_the_agent_gets_the_planted_code_without_the_telling_tests(planted: tuple[Planting, Path]) -> None:
    _, out = planted
    unit = PlantedUnit(out / "repository-01")
    seen = unit.repository["src/stock.py"].data.decode()
    assert seen != STOCK and unit.right["src/stock.py"].data.decode() == STOCK
    tests = unit.repository["tests/test_stock.py"].data.decode()
    for proved in unit.record.problems.values():
        for name in proved.tests:
            assert f"def {name.split('::')[-1].split('[')[0]}(" not in tests
    assert "def test_" in tests
    assert all(line.strip() in (out / "repository-01" / "document.md").read_text() for line in seen.splitlines())


def test_a_second_start_tries_nothing_again(planted: tuple[Planting, Path], repo: Path) -> None:
    found, out = planted
    before = (out / ".plant.json").read_bytes()
    again = plant(PlantSpec(repo, out, most=2))
    assert (again.documents, again.states) == (found.documents, found.states)
    assert (out / ".plant.json").read_bytes() == before


def test_proofs_hold_again_and_a_broken_one_is_named(planted: tuple[Planting, Path], tmp_path: Path) -> None:
    import shutil

    _, out = planted
    key = out / "repository-01" / "key.md"
    done = CliRunner().invoke(main, ["audit", "check", "--prove", str(key)])
    assert done.exit_code == 0 and "proved, 3 of 3" in done.stdout
    shutil.copytree(out, tmp_path / "suite")
    source = tmp_path / "suite" / "repository-01" / "repository" / "src" / "stock.py"
    source.write_text(STOCK)  # nothing is planted any more
    found = api.audit_prove(tmp_path / "suite")
    assert all("passed with all problems" in one.fault for one in found if one.document == "repository-01")


def test_a_change_is_planted_into_the_lines_of_a_commit(place: Path, repo: Path) -> None:
    found = plant(PlantSpec(repo, place / "changes", most=1, form="diff"))
    assert found.problems == 1
    (unit,) = [unit for unit in read_suite(place / "changes").units if unit.key]
    assert unit.document is not None
    text = unit.document.read_text()
    assert text.startswith("diff --git a/src/stock.py b/src/stock.py\n--- a/src/stock.py\n+++ b/src/stock.py\n")
    assert "test_stock" not in text and "CHANGES" not in text


def test_a_bug_of_the_history_is_a_document_without_its_change_log(place: Path, repo: Path) -> None:
    found = api.audit_plant(repo, place / "bugs", from_history=True)
    assert found.kinds == {"real bug": 1}
    (document,) = found.documents
    unit = PlantedUnit(place / "bugs" / document.id)
    assert "raise KeyError" not in unit.repository["src/stock.py"].data.decode()
    assert unit.repository["CHANGES.md"].data == b"Nothing yet\n"
    assert unit.right["CHANGES.md"].data == b"Nothing yet\n"
    (problem,) = read_key(place / "bugs" / document.id / "key.md").problems
    assert problem.description == "Taking more than there is must fail"
    assert [one.fault for one in api.audit_prove(place / "bugs")] == [""]


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"src/stock.py": STOCK}, "it has no tests"),
        ({"src/stock.py": STOCK, "tests/test_stock.py": "def test_x():\n    assert 0\n"}, "no test passes every time"),
        ({"src/stock.py": STOCK, "tests/test_stock.py": "import nowhere\n"}, "cannot be collected"),
        ({"src/a.py": "A = 1\n", "tests/test_a.py": "def test_a():\n    assert 1\n"}, "no test runs a line"),
    ],
)
def test_what_proves_nothing_ends_in_one_line(
    place: Path, tmp_path: Path, files: dict[str, str], complaint: str
) -> None:
    repo = repository(tmp_path / "repo", files)
    done = CliRunner().invoke(main, ["audit", "plant", str(repo), "--out", str(tmp_path / "suite")])
    assert done.exit_code == 2
    assert complaint in done.stderr.splitlines()[-1]
    assert not (tmp_path / "suite" / "suite.yaml").exists()


def test_what_is_not_a_repository_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["audit", "plant", str(tmp_path), "--out", str(tmp_path / "suite")])
    assert done.exit_code == 2 and "is not a git repository" in done.stderr


def test_a_folder_with_something_else_is_not_written_to(place: Path, repo: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    done = CliRunner().invoke(main, ["audit", "plant", str(repo), "--out", str(tmp_path)])
    assert done.exit_code == 2 and "is not empty" in done.stderr


def test_code_that_needs_a_submodule_cannot_be_planted_into(repo: Path, place: Path, tmp_path: Path) -> None:
    other = repository(tmp_path / "other", {"a.py": "A = 1\n", "tests/test_a.py": TESTS})
    git(other, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo), "sub")
    git(other, "commit", "-q", "-m", "Add a submodule")
    done = CliRunner().invoke(main, ["audit", "plant", str(other), "--out", str(tmp_path / "suite")])
    assert done.exit_code == 2 and "cannot be collected: ModuleNotFoundError" in done.stderr


def test_flaky_red_and_generated_parts_are_set_aside_by_name(place: Path, tmp_path: Path) -> None:
    odd = (
        "import os, socket\n\n"
        "def test_flaky():\n    assert os.urandom(1)[0] % 2 and os.urandom(1)[0] % 2 and os.urandom(1)[0] % 2\n\n"
        "def test_network():\n    socket.create_connection(('example.org', 80), 1)\n"
    )
    repo = stock(tmp_path / "repo")
    made = "# Code generated by a tool. DO NOT EDIT.\ndef twice(n):\n    return n * 2\n"
    uses = "from made import twice\n\ndef test_twice():\n    assert twice(2) == 4\n"
    commit(repo, {"src/made.py": made, "tests/test_made.py": uses, "tests/test_odd.py": odd}, "Add odd things")
    (repo / "out").symlink_to("/etc")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "A link that leads outside")
    target = tmp_path / "suite"
    done = CliRunner().invoke(main, ["audit", "plant", str(repo), "--out", str(target), "--most", "1", "--json", "-"])
    assert done.exit_code == 0, done.stderr
    aside = json.loads(done.stdout)["set_aside"]
    assert "tests/test_odd.py::test_network: fails without a change" in aside
    assert "src/made.py: generated" in aside
    assert not (target / "repository-01" / "repository" / "out").exists()


def test_a_document_counts_lines_as_places_in_keys_do() -> None:
    # A form feed ends no line of Python, although `str.splitlines` ends one there.
    tree = {"a.py": File(b"x = 1\n\x0c\ny = 2\r\n")}
    text = as_document("A", tree, [])[1]
    assert "\n    1  x = 1\n    2  \x0c\n    3  y = 2\n```" in text
    assert as_diff({}, tree, ["a.py"])[1].endswith("@@ -0,0 +1,3 @@\n+x = 1\n+\x0c\n+y = 2\r\n")
