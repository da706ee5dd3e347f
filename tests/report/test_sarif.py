"""SARIF 2.1.0 as code hosts read it."""

from __future__ import annotations

import json

from steelyard.report.sarif import Place, Rule, render


def test_shape() -> None:
    rules = [Rule("P01", "A title", "A text", "error"), Rule("P02", "Other", "", "note")]
    places = [Place("P02", "note", "said", "docs/a file.md", 3, 5, "Section 2", {"severity": "Minor"})]
    data = json.loads(render("tool", rules, places))
    assert data["version"] == "2.1.0"
    run = data["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["P01", "P02"]
    assert run["tool"]["driver"]["rules"][1]["fullDescription"]["text"] == "Other"
    result = run["results"][0]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "P02"
    place = result["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "docs/a%20file.md"
    assert place["physicalLocation"]["region"] == {"startLine": 3, "endLine": 5}
    assert place["logicalLocations"] == [{"fullyQualifiedName": "Section 2"}]


def test_nothing_to_report_is_a_valid_log() -> None:
    run = json.loads(render("tool", [], []))["runs"][0]
    assert run["results"] == []
