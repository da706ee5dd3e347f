"""Pages, JSON and places of a result."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from typing import get_args

import pytest

from steelyard import artifact
from steelyard.audit.compare import compare
from steelyard.audit.example import SUITES, showcase, suite_folder, suite_result
from steelyard.audit.history import DatedResult, history
from steelyard.audit.key import parse_key
from steelyard.audit.marking import ByWords
from steelyard.audit.model import Claim, Marker, Marks, Output, Ruling
from steelyard.audit.report import FORMATS, Report
from steelyard.audit.report.data import comparison_data, history_data, result_data, suite_data
from steelyard.audit.report.document import result_document, suite_document
from steelyard.audit.report.key import key_document
from steelyard.audit.report.page import output_page, result_page, suite_page
from steelyard.audit.report.passages import highlights, segments
from steelyard.audit.report.sarif import line_range, to_sarif
from steelyard.audit.report.scoring_file import block, scoring_file
from steelyard.audit.results import result_from
from steelyard.audit.suite import read_suite
from steelyard.audit.text import place_of
from steelyard.audit.weigh import Spec, weigh
from steelyard.errors import ArtifactError, InputError
from steelyard.report import html, markdown, terminal

from .material import KEY_MARKDOWN, findings, run_of


def test_json_fits_its_schema_and_comes_back() -> None:
    result = showcase()
    data = json.loads(artifact.json_text(result_data(result, generated_at="2026-01-01T00:00:00+00:00"), schema="audit"))
    back = result_from(data, "r.json")
    assert block(back) == block(result)
    assert scoring_file(back) == scoring_file(result)
    assert data["marker"] == {"kind": "marks", "who": "the authors", "standing": "", "advisory": False}
    assert data["rates"]["recall"] == pytest.approx(0.325)
    broken = {**data, "mean": "high"}
    with pytest.raises(ArtifactError):
        artifact.validate(broken, "audit")
    for wrong in ([], {"kind": "other"}, {"kind": "audit"}):
        with pytest.raises(InputError, match=r"r\.json is not an audit result"):
            result_from(wrong, "r.json")


@pytest.mark.parametrize("name", SUITES)
def test_suites_comparisons_and_histories_fit_their_schemas(name: str) -> None:
    suite = read_suite(suite_folder(name))
    before, after = (suite_result(suite, suite.sets[each], ByWords()) for each in ("hasty", "careful"))
    artifact.validate(suite_data(before), "audit-suite")
    found = compare(before.results, after.results)
    artifact.validate(comparison_data(found), "audit-comparison")
    assert found.band == "significant"
    entries = [DatedResult(result, "", "x") for result in before.keyed]
    artifact.validate(history_data(history(entries)), "audit-history")
    assert name in terminal.render(suite_document(before), width=100)


def test_every_kind_of_report_has_every_general_format() -> None:
    kinds = set(get_args(Report))
    assert [set(FORMATS[name].reports) for name in ("json", "markdown", "html")] == [kinds] * 3


def test_the_page_shows_grid_evidence_and_text() -> None:
    text = result_page(showcase())
    assert text.count("<mark") == 8 + 6  # cells with a finding, bonus and penalties
    assert 'class="problem"' in text
    assert 'data-hint="F03: brute force, but not that the count is rolled back"' in text
    assert all(sign in text for sign in "○△×")
    assert "http" not in re.sub(r'xmlns="[^"]+"', "", text).replace("http-equiv", "").replace("HTTP", "")


def test_the_page_shows_criteria_findings_and_what_was_left_out() -> None:
    result = replace(showcase(), warnings=("careful now", "twice"))
    text = result_page(result)
    problem = result.problems[0]
    assert html.escape(problem.criteria.partial) in text and html.escape(problem.location.replace("`", "")) in text
    assert text.count('<section class="finding') == sum(len(run.output.findings) for run in result.runs)
    assert "line 1-4" in text
    assert '<details class="warnings"><summary>! 2 warnings</summary><ul><li>careful now</li>' in text
    # One cell per problem and run in the grid; the page says nothing of estimates, because a person marked.
    assert len(re.findall(r'<td class="center"><(?:a|span) class="mark (?:detected|partial|missed)"', text)) == 20
    assert "estimate" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)


def test_marks_by_words_are_called_estimates_cell_by_cell() -> None:
    suite = read_suite(suite_folder("code-review"))
    whole = suite_result(suite, suite.sets["hasty"], ByWords())
    for text in (result_page(whole.keyed[0]), suite_page(whole)):
        assert text.count(", an estimate</span>") >= 20 and "a chance of 90%" in text
        assert "Estimated score" in text
    assert "A clean control" in suite_page(whole)


def test_every_link_of_a_page_leads_somewhere() -> None:
    suite = read_suite(suite_folder("security-review"))
    whole = suite_result(suite, suite.sets["careful"], ByWords())
    for text in (result_page(whole.keyed[0]), suite_page(whole)):
        ids = re.findall(r' id="?([^"\s>]+)', text)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)


def test_a_run_is_shown_whole_in_the_order_of_its_text() -> None:
    """Every line with letters is in exactly one part; findings on one line are shown by their own words."""
    output = run_of("Intro.\n\n## Critical\n\n- The lock is missing\n  in deposit\n- No index\n\n## Summary\n\nFine.\n")
    shown = "\n".join(part.text for part in segments(output))
    assert [line for line in output.text.split("\n") if line.strip()] == [
        line for line in shown.split("\n") if line.strip()
    ]
    data = run_of('[{"title": "No lock", "line": 3}, {"title": "No index at all", "line": 9}]')
    assert [part.text for part in segments(data)] == [finding.text for finding in data.findings]


def test_the_page_of_what_was_read_shows_the_run_with_its_findings_outlined() -> None:
    output = run_of("Intro.\n\n## Findings\n\n- The **lock** is missing\n- No index <script>\n")
    shown = output_page(output)
    assert shown.count('<section class="finding neither"') == 2 and "<strong>lock</strong>" in shown
    assert "line 1-4" in shown and "<script>\n" not in shown


def test_hostile_text_stays_text() -> None:
    nasty = '<script>alert(1)</script> & "quotes" \' <img src=x onerror=y>'
    key = parse_key(KEY_MARKDOWN, "key.md")
    run = Output(nasty, f"first\n{nasty}\nlast", findings([nasty, "other words"]))
    marks = Marks((Claim("P01", 1, "detected", nasty, nasty),), (Ruling(2, "bonus", nasty),))
    result = weigh(Spec(nasty, 1, key, nasty), [run], [marks], Marker("marks", nasty))
    shown = result_page(result)
    assert "<script>alert" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;" in shown


def test_quotes_are_found_across_line_ends_and_emphasis() -> None:
    text = "a **lock is\nmissing** here; the lock is missing there"
    assert place_of(text, "lock is missing") == (4, 19)
    assert place_of(text, "lock is missing", 20) == (32, 47)
    assert place_of(text, "") is None
    assert place_of(text, "not there") is None
    assert place_of("a (b) [c", "(b) [c") == (2, 8)


def test_spans_never_overlap() -> None:
    for run in showcase().runs:
        for segment in segments(run.output):
            assert all(one.end <= other.start for one, other in pairwise(highlights(run, segment)))


def test_reports_render() -> None:
    result = showcase()
    for text in (
        terminal.render(result_document(result), width=80),
        markdown.render(result_document(result)),
        html.render(result_document(result)),
    ):
        assert "person (the authors)" in text
        assert "P05" in text
    key = parse_key(KEY_MARKDOWN, "key.md")
    assert "2 problems (1 critical, 0 medium, 1 minor)" in terminal.render(key_document(key, "key.md"), width=100)


DOCUMENT = (
    "# Title\n\n## 1. First\n\ntext `alpha`\n\n"
    "## 2. Second\n\n```python\ndef alpha():\n    pass\n```\n\n## 3. Third\nend\n"
)


@pytest.mark.parametrize(
    ("location", "lines"),
    [
        ("line 5", (5, 5)),
        ("lines 3–7", (3, 7)),
        ("service.py:9", (9, 9)),
        ("lines 900-999", (16, 16)),
        ("Section 2 `alpha`", (10, 10)),
        ("`alpha`", (5, 5)),
        ("Section 3", (14, 14)),
        ("Section 2, Section 3", (7, 7)),
        ("Third", (14, 14)),
        ("nowhere at all", (1, 1)),
        ("", (1, 1)),
    ],
)
def test_locations(location: str, lines: tuple[int, int]) -> None:
    assert line_range(location, DOCUMENT) == lines


def test_missed_problems_as_sarif() -> None:
    suite = read_suite(suite_folder("code-review"))
    path = suite.unit("lockers").document
    assert path is not None
    text = path.read_text("utf-8")
    data = json.loads(to_sarif(showcase()))
    results = data["runs"][0]["results"]
    # P02 is found in both runs; everything else is missed at least once.
    assert [each["ruleId"] for each in results] == ["P01", "P03", "P04", "P05", "P06", "P07", "P08", "P09", "P10"]
    fees = next(each for each in results if each["ruleId"] == "P04")
    line = fees["locations"][0]["physicalLocation"]["region"]["startLine"]
    assert "def fee_cents" in text.split("\n")[line - 1]
    assert fees["properties"]["missed_runs"] == [1]
    assert {each["ruleId"]: each["level"] for each in results}["P01"] == "error"
