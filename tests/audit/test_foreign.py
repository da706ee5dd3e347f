"""Ground truth of other programs as a key, and compiler lines and tables as runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.audit.files import read_run
from steelyard.cli.main import main
from steelyard.errors import InputError

from .material import run_of

SCANNERS = Path(__file__).parent / "scanners"
OWASP = """# test name, category, real vulnerability, cwe, Benchmark version: 1.2, 2016-06-1
BenchmarkTest00001,pathtraver,true,22
BenchmarkTest00002,crypto,false,327
BenchmarkTest00003,sqli,true,89
"""
GOLDEN = [
    {
        "pr_title": "Faster paging",
        "url": "https://x/pull/1",
        "comments": [{"comment": "It never ends", "severity": "Low"}],
    },
    {"pr_title": "Buffer spans", "url": "https://x/pull/2", "comments": [{"comment": "A lock is missing"}]},
]


def written(path: Path, data: Any) -> Path:
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return path


def test_a_scan_is_a_key_and_finds_itself(tmp_path: Path) -> None:
    key = api.audit_key(SCANNERS / "bandit.sarif")
    assert len(key.problems) == 16
    assert (key.problems[3].location, key.problems[3].severity) == ("app/shop.py:21", "Medium")
    assert key.problems[3].criteria.detected.startswith("Says: Possible SQL injection")
    assert any("criteria are made from the titles" in warning for warning in key.warnings)
    assert api.audit_score(key=SCANNERS / "bandit.sarif", runs=[SCANNERS / "bandit.json"], located=True).mean == 16


def test_owasp_expected_results_are_marked_by_file_and_weakness(tmp_path: Path) -> None:
    path = written(tmp_path / "expectedresults-1.2.csv", OWASP)
    key = api.audit_key(path)
    assert [(problem.id, problem.location, problem.title) for problem in key.problems] == [
        ("P01", "BenchmarkTest00001", "path traversal"),
        ("P02", "BenchmarkTest00003", "SQL injection"),
    ]
    assert any("1 rows state no problem" in warning for warning in key.warnings)
    run = written(tmp_path / "run.csv", "file,line,message,cwe\nsrc/BenchmarkTest00003.java,40,Query from text,89\n")
    result = api.audit_score(key=path, runs=[run], located=True)
    assert result.mean == 1
    assert any("marked by file" in warning for warning in result.warnings)


def test_golden_comments_hold_several_pull_requests_of_which_one_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "golden.json", GOLDEN)
    with pytest.raises(InputError, match="2 pull requests"):
        api.audit_key(path)
    for pick in ("2", "Buffer", "pull/2"):
        (problem,) = api.audit_key(f"{path}#{pick}").problems
        assert (problem.title, problem.severity) == ("A lock is missing", "Medium")
    with pytest.raises(InputError, match="0 pull requests match"):
        api.audit_key(f"{path}#nothing")
    with pytest.raises(InputError, match="0 pull requests match '²'"):
        api.audit_key(f"{path}#²")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bugs.json", json.dumps([{"file": "a.py", "line": 3, "title": "Off by one", "severity": "high"}])),
        (
            "bugs.json",
            json.dumps({"bugs": [{"path": "./a.py", "start_line": 3, "message": "Off by one", "level": "error"}]}),
        ),
        ("bugs.yaml", "- {filename: a.py, lineno: 3, issue: Off by one, severity: Critical}\n"),
        ("bugs.csv", "file,line,title,severity\na.py,3,Off by one,High\n"),
    ],
)
def test_any_list_with_file_line_and_title(tmp_path: Path, name: str, text: str) -> None:
    (problem,) = api.audit_key(written(tmp_path / name, text)).problems
    assert (problem.location, problem.title, problem.severity) == ("a.py:3", "Off by one", "Critical")


@pytest.mark.parametrize(
    ("row", "place"),
    [
        (f"a.py,{'9' * 5000},Off by one,", "a.py"),
        (f"a.py,3,Off by one,{'7' * 5000}", "a.py:3"),
        ("a.py,3,Off by one,CWE-²", "a.py:3"),
    ],
)
def test_a_number_that_is_none_is_left_out_of_keys_and_runs(tmp_path: Path, row: str, place: str) -> None:
    path = written(tmp_path / "bugs.csv", f"file,line,title,cwe\n{row}\n")
    (problem,) = api.audit_key(path).problems
    assert (problem.location, problem.title) == (place, "Off by one")
    (finding,) = read_run(path).findings
    assert finding.title == "Off by one"


def test_a_table_with_a_cell_that_nobody_reads_is_prose(tmp_path: Path) -> None:
    path = written(tmp_path / "bugs.csv", f"file,line,title\na.py,1,{'x' * 200_000}\n")
    assert read_run(path).findings == ()


def test_findings_of_a_table_name_their_line_whatever_rows_say_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "bugs.csv", "file,line,title\na.py,1,first thing\n,,\nb.py,,\na.py,3,second thing\n")
    assert [finding.line for finding in read_run(path).findings] == [2, 5]


def test_a_severity_that_is_missing_is_said(tmp_path: Path) -> None:
    key = api.audit_key(written(tmp_path / "k.json", [{"file": "a.py", "line": 3, "title": "Off by one"}]))
    assert key.problems[0].severity == "Medium"
    assert any("1 problems state no severity" in warning for warning in key.warnings)


@pytest.mark.parametrize("data", ["{", [], [{"x": 1}], {"version": "2.1.0", "runs": []}])
def test_a_key_without_problems_is_one_line_and_2(tmp_path: Path, data: Any) -> None:
    path = written(tmp_path / "k.json", data)
    shown = CliRunner().invoke(main, ["audit", "score", "--key", str(path), "--run", str(path), "--located"])
    assert (shown.exit_code, shown.stdout) == (2, "")


def test_a_huge_sarif_is_refused_as_a_key_and_empty_as_a_run(tmp_path: Path) -> None:
    """100 MB are never read whole: the size is looked at first."""
    path = tmp_path / "huge.sarif"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(InputError, match="larger than 8 MB"):
        api.audit_key(path)
    assert api.audit_score(key=SCANNERS / "key.md", runs=[path], located=True).mean == 0


COMPILER = """app.c: In function ‘main’:
app.c:5:12: warning: format ‘%d’ expects an int [-Wformat=]
    5 |   printf("%d", "text");
      |           ~^
app.c:3:7: warning: unused variable ‘count’ [-Wunused-variable]
app.c:3:7: note: declared here
"""


def test_compiler_lines_are_findings_and_notes_are_not() -> None:
    findings = run_of(COMPILER).findings
    assert [(str(finding.locations[0]), finding.group, finding.line) for finding in findings] == [
        ("app.c:5", "warning", 2),
        ("app.c:3", "warning", 5),
    ]


@pytest.mark.parametrize(
    "line",
    ["a/b.py:3: error: Missing return  [return]", "a/b.py:3:18: S105 Possible password", "a/b.py:3: unused import"],
)
def test_lines_of_linters(line: str) -> None:
    (finding,) = run_of(line + "\n").findings
    assert str(finding.locations[0]) == "a/b.py:3"


def test_a_review_that_quotes_one_compiler_line_stays_a_review() -> None:
    text = "# Review\n\nThe build says:\n\napp.c:3:7: warning: unused\n\n- Prices are rounded twice\n"
    assert [finding.title for finding in run_of(text).findings] == ["Prices are rounded twice"]


def test_a_line_beyond_the_end_is_no_place(tmp_path: Path) -> None:
    run = written(tmp_path / "r.txt", "shop.py:99999999: error: SQL injection\nshop.py:2100: error: SQL injection\n")
    assert api.audit_score(key=SCANNERS / "key.md", runs=[run], located=True).mean == 0
