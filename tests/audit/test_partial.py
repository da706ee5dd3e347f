"""Suites that lack runs, comparisons on common documents, and large suites on a terminal (docs/scoring.md §2.4)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.cli.main import main
from steelyard.errors import InputError

from .material import KEY_MARKDOWN

RUN = "## Findings\n\n### 1. Stock is oversold\n\nTwo orders can reserve the same last item.\n"


def suite(folder: Path, documents: int, runs: int, name: str = "s") -> Path:
    """A suite of so many documents, the last one a clean control; the first `runs` have a run."""
    folder.mkdir()
    (folder / "key.md").write_text(KEY_MARKDOWN)
    (folder / "run.md").write_text(RUN)
    (folder / "none.md").write_text("No problems found.\n")
    ids = [f"d{number:02d}" for number in range(1, documents + 1)]
    lines = [f"  - {{id: {each}, document: run.md, key: key.md}}" for each in ids[:-1]]
    lines.append(f"  - {{id: {ids[-1]}, document: run.md}}")
    with_runs = ", ".join(f"{each}: [{'none' if each == ids[-1] else 'run'}.md]" for each in ids[:runs])
    text = "\n".join([f"name: {name}", "documents:", *lines, "sets:", f"  one: {{runs: {{{with_runs}}}}}"])
    (folder / "suite.yaml").write_text(text + "\n")
    return folder


def test_a_set_without_runs_of_a_document_has_no_pooled_score(tmp_path: Path) -> None:
    """The clean control counts as a document: a set without it would hide its false alarms."""
    folder = suite(tmp_path / "s", documents=3, runs=2)
    with pytest.raises(InputError, match="has no runs of d03") as caught:
        api.audit_score(folder, lexical=True)
    assert "--partial" in str(caught.value)
    result = api.audit_score(folder, lexical=True, partial=True)
    assert result.absent == ("d03",)
    assert len(result.results) == 2


def test_the_command_ends_in_two_and_partial_names_what_is_absent(tmp_path: Path) -> None:
    folder = suite(tmp_path / "s", documents=3, runs=2)
    refused = CliRunner().invoke(main, ["audit", "score", str(folder), "--lexical"])
    assert refused.exit_code == 2
    shown = CliRunner().invoke(main, ["audit", "score", str(folder), "--lexical", "--partial"])
    assert shown.exit_code == 0
    assert "2 of 3 documents" in " ".join(shown.stdout.split())
    data = CliRunner().invoke(main, ["audit", "score", str(folder), "--lexical", "--partial", "--json", "-"])
    assert json.loads(data.stdout)["absent"] == ["d03"]


def test_compare_on_common_documents(tmp_path: Path) -> None:
    for name, runs in (("a", 4), ("b", 3)):
        folder = suite(tmp_path / name, documents=4, runs=runs)
        arguments = ["audit", "score", str(folder), "--lexical", "--partial", "--json", str(tmp_path / f"{name}.json")]
        assert CliRunner().invoke(main, arguments).exit_code == 0
    paths = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    refused = CliRunner().invoke(main, ["audit", "compare", *paths])
    assert refused.exit_code == 2
    assert "--common" in refused.stderr
    compared = api.audit_compare(*paths, common=True)
    assert [name for name, *_ in compared.documents] == ["d01", "d02", "d03"]
    assert compared.warnings[0] == "not compared, only one side has them: d04"
    assert CliRunner().invoke(main, ["audit", "compare", *paths, "--common"]).exit_code in (0, 3)


def test_fifty_documents_fit_a_screen(tmp_path: Path) -> None:
    folder = suite(tmp_path / "s", documents=50, runs=50)
    page, result = tmp_path / "page.html", tmp_path / "r.json"
    files = ["--html", str(page), "--json", str(result)]
    shown = CliRunner().invoke(main, ["audit", "score", str(folder), "--lexical", *files])
    assert shown.exit_code == 0
    assert len(shown.stdout.splitlines()) <= 40
    assert "more documents" in shown.stdout
    assert "d49" in page.read_text()
    compared = CliRunner().invoke(main, ["audit", "compare", str(result), str(result), "--html", str(page)])
    assert len(compared.stdout.splitlines()) <= 40
    assert "38 more documents" in compared.stdout
    assert "d49" not in compared.stdout
    assert "d49" in page.read_text()


def test_a_perspective_beside_the_one_of_the_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"name it in suite\.yaml"):
        api.audit_score(suite(tmp_path / "s", 3, 3), lexical=True, perspective=tmp_path / "scope.md")
