"""Scanners and code hosts: what their JSON says, and marks by file and line.

`scanners/` holds a small app of our own with eight planted problems (`shop.py.txt`, `key.md`) and what the real bandit
1.9.4 and semgrep 1.182 say about it. Bandit finds six of the eight: it knows nothing of cents and refunds.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.audit.model import Location
from steelyard.cli.main import main

from .material import run_of

SCANNERS = Path(__file__).parent / "scanners"
TRUTH = 6.0


@pytest.mark.parametrize("name", ["bandit.json", "bandit.sarif"])
def test_bandit_scores_what_it_found(name: str) -> None:
    result = api.audit_score(key=SCANNERS / "key.md", runs=[SCANNERS / name], located=True)
    assert abs(result.mean - TRUTH) <= 1
    assert {cell.problem for cell in result.runs[0].cells if cell.mark == "missed"} == {"P07", "P08"}
    assert str(result.marker) == "location: within 3 lines and of the problem's kind"


def test_the_command_scores_by_place(tmp_path: Path) -> None:
    words = ["--key", str(SCANNERS / "key.md"), "--run", str(SCANNERS / "bandit.json")]
    shown = CliRunner().invoke(main, ["audit", "score", *words, "--located", "--json", str(tmp_path / "r.json")])
    assert shown.exit_code == 0
    assert "mean: 6.00" in shown.stdout
    assert json.loads((tmp_path / "r.json").read_text())["marker"]["kind"] == "located"
    assert CliRunner().invoke(main, ["audit", "score", *words, "--located", "--lexical"]).exit_code == 2


def test_bandit() -> None:
    output = api.audit_findings(SCANNERS / "bandit.json")
    assert len(output.findings) == 16
    query = next(finding for finding in output.findings if "SQL" in finding.title)
    assert query.title == "Possible SQL injection vector through string-based query construction."
    assert query.locations == (Location("app/shop.py", 21, 21),)
    assert query.group == "medium"
    assert "col_offset" not in query.text
    assert "https://" not in query.text
    lines = (SCANNERS / "bandit.json").read_text().split("\n")
    assert "B608" in lines[query.line - 1]


def test_semgrep() -> None:
    first, second = api.audit_findings(SCANNERS / "semgrep.json").findings
    assert first.title == "String formatting builds an SQL query, which allows SQL injection."
    assert [str(finding.locations[0]) for finding in (first, second)] == ["app/shop.py:21", "app/shop.py:68"]
    assert "fingerprint" not in first.text


def sarif(result: dict[str, Any], **rule: Any) -> str:
    run = {
        "tool": {"driver": {"name": "any", "rules": [{"id": "R1", **rule}]}},
        "results": [{"ruleId": "R1", **result}],
    }
    return json.dumps({"version": "2.1.0", "runs": [run]})


def place(uri: str, **region: int) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


@pytest.mark.parametrize(
    ("text", "title", "where"),
    [
        (sarif({"message": {"text": "Bad"}, "locations": [place("a.c", startLine=3, endLine=5)]}), "Bad", "a.c:3-5"),
        (sarif({"message": {}}, shortDescription={"text": "From the rule"}), "From the rule", None),
        (sarif({"message": {"markdown": "*Bad*"}, "locations": [place("file:///x/a.c")]}), "Bad", "/x/a.c"),
        (
            json.dumps([{"body": "It **never** closes.\n\nSee above.", "path": "a/b.py", "line": 9, "start_line": 7}]),
            "It never closes.",
            "a/b.py:7-9",
        ),
        (
            json.dumps([{"body": "Remark", "path": "b.py", "line": None, "original_line": 4}]),
            "Remark",
            "b.py:4",
        ),
    ],
    ids=["sarif", "sarif-rule", "sarif-markdown", "comment", "outdated-comment"],
)
def test_other_tools(text: str, title: str, where: str | None) -> None:
    (finding,) = run_of(text).findings
    assert finding.title == title
    assert [str(named) for named in finding.locations] == ([where] if where else [])


def test_a_scan_in_a_fenced_block() -> None:
    text = sarif({"message": {"text": "Bad"}, "locations": [place("a.c", startLine=3)]})
    (finding,) = run_of(f"The scan says:\n\n```json\n{text}\n```\n").findings
    assert (finding.title, str(finding.locations[0]), finding.line) == ("Bad", "a.c:3", 4)


def test_a_large_file_is_read_whole() -> None:
    """Cut JSON is no JSON: a scan of a large repository must not end as one finding."""
    results = [
        {
            "message": {"text": f"Weak hash {n}"},
            "locations": [place("a.py", startLine=n)],
            "properties": {"x": "y" * 2_000},
        }
        for n in range(1, 1_201)
    ]
    text = json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "any"}}, "results": results}]})
    assert len(text) > 2_400_000
    assert len(run_of(text).findings) == 1_200


def test_thousands_of_rules_are_read_once() -> None:
    rules = [{"id": f"R{number}", "shortDescription": {"text": f"rule {number}"}} for number in range(3_000)]
    results = [{"ruleId": f"R{number}", "locations": []} for number in range(3_000)]
    run = {"tool": {"driver": {"rules": rules}}, "results": results}
    begun = time.process_time()
    found = run_of(json.dumps({"version": "2.1.0", "runs": [run]})).findings
    # Once for each result, it takes over 5 s.
    assert time.process_time() - begun < 3
    assert found[2_999].title == "rule 2999"


def test_replies_to_a_comment_are_no_findings() -> None:
    comments = [
        {"id": 1, "body": "The lock is missing here", "path": "a.py", "line": 3},
        {"id": 2, "in_reply_to_id": 1, "body": "Fixed, thank you", "path": "a.py", "line": 3},
    ]
    assert len(run_of(json.dumps(comments)).findings) == 1


@pytest.mark.parametrize("lines", [{"line": 3, "end_line": 5}, {"lines": "3-5"}])
def test_file_and_line_of_an_entry_are_one_place(lines: dict[str, Any]) -> None:
    """Read from the text of the entry, the line alone would be one of any file."""
    text = json.dumps({"findings": [{"title": "The lock is missing here", "file": "./a.py", **lines}]})
    (finding,) = run_of(text).findings
    assert finding.locations == (Location("a.py", 3, 5),)


def test_other_places_in_the_text_of_an_entry_are_kept() -> None:
    entry = {"title": "The lock is missing here", "file": "a.py", "line": 3, "why": "as in b.py:40, see a.py"}
    (finding,) = run_of(json.dumps({"findings": [entry]})).findings
    assert finding.locations == (Location("a.py", 3, 3), Location("b.py", 40, 40))


def test_an_entry_of_several_files_names_each() -> None:
    entry = {"title": "The lock is missing here", "file": ["a.py", "b.py"], "line": 3}
    (finding,) = run_of(json.dumps({"findings": [entry]})).findings
    assert {"a.py", "b.py"} < {place.path for place in finding.locations}


def test_a_finding_beside_groups_of_findings_is_read() -> None:
    group = {"file": "b.py", "issues": [{"title": "Nobody can revoke a leaked key"}]}
    found = run_of(json.dumps([{"title": "The lock is missing here"}, group])).findings
    assert [finding.title for finding in found] == ["The lock is missing here", "Nobody can revoke a leaked key"]


@pytest.mark.parametrize("index", [[1], {"a": 1}, "1", -1, 10**30])
def test_a_rule_that_is_at_no_place(index: object) -> None:
    (finding,) = run_of(sarif({"ruleId": "gone", "ruleIndex": index, "message": {"text": "No lock"}})).findings
    assert finding.text == "No lock\ngone"


def test_only_the_way_to_a_rule_is_cut() -> None:
    """Neither the name that a tool gives a rule nor a category in plain words is a way."""
    result = {"ruleId": "x.y", "message": {"text": "The lock is missing"}}
    assert "Node js eval" in run_of(sarif(result, id="x.y", name="Node.js eval")).findings[0].text
    table = "file,line,title,category\na.js,3,Eval is used here,Node.js\nb.js,4,Key is in the code,Secrets.\n"
    assert [finding.text.split("\n")[1] for finding in run_of(table).findings] == ["Node.js", "Secrets."]


def test_code_that_bandit_quotes_is_no_claim() -> None:
    result = {"issue_text": "Weak hash", "test_name": "blacklist", "filename": "a.py", "line_number": 3}
    (finding,) = run_of(json.dumps({"metrics": {}, "results": [{**result, "code": "3 md5(key)"}]})).findings
    assert finding.text == "Weak hash\na.py:3"


@pytest.mark.parametrize("data", [{"results": [], "metrics": {}}, {"version": "2.1.0", "runs": [{"tool": {}}]}, []])
def test_a_scanner_that_found_nothing(data: Any) -> None:
    assert run_of(json.dumps(data)).findings == ()


@pytest.mark.parametrize(
    ("location", "line", "marks"),
    [
        ("app.py:10", 13, "detected"),
        ("app.py:10", 14, "missed"),
        ("lines 10-20", 23, "detected"),
        ("src/app.py, line 10", 8, "detected"),
        ("other.py:10", 10, "missed"),
    ],
)
def test_three_lines_are_near(tmp_path: Path, location: str, line: int, marks: str) -> None:
    key, run = tmp_path / "key.md", tmp_path / "run.json"
    row = f"| P01 | Guessable tokens | Randomness | Minor | {location} | says so | doubts | nothing |"
    key.write_text(f"| ID | Problem | Category | Severity | Location | ○ | △ | × |\n|{'--|' * 8}\n{row}\n")
    run.write_text(json.dumps([{"body": "These tokens are guessable", "path": "app.py", "line": line}]))
    result = api.audit_score(key=key, runs=[run], located=True)
    assert [cell.mark for cell in result.runs[0].cells] == [marks]
    run.write_text(json.dumps([{"body": "Please rename this", "path": "app.py", "line": line}]))
    assert api.audit_score(key=key, runs=[run], located=True).mean == 0
