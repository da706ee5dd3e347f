"""Marks by place: noise does not pay, the kind decides, and a key without lines is marked by file (§2.1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.audit.model import Result
from steelyard.audit.score import rates
from steelyard.cli.main import main
from steelyard.errors import InputError

KINDS = (
    ("SQL injection", "Order numbers go into the query as text"),
    ("Path traversal", "The file name of an upload is used as it comes"),
    ("Race condition", "Two deposits can take the same locker"),
    ("Resource leak", "The connection is never closed"),
    ("Wrong unit", "The timeout is given in milliseconds"),
    ("Off by one", "The last page is skipped"),
)
FILES, PER_FILE, APART = 6, 10, 40


def problem(number: int) -> dict[str, str]:
    """Sixty problems in six files, 40 lines apart."""
    category, title = KINDS[number % len(KINDS)]
    file, place = divmod(number, PER_FILE)
    criteria = {"detected": "says so", "partial": "doubts it", "missed": "nothing"}
    return {
        "id": f"P{number + 1:02d}",
        "title": title,
        "category": category,
        "severity": "Medium",
        "location": f"app/name_{file}.py:{place * APART + 20}",
        "criteria": criteria,  # type: ignore[dict-item]
    }


SIXTY = [problem(number) for number in range(FILES * PER_FILE)]


def finding(path: str, first: int, text: str, last: int | None = None) -> dict[str, Any]:
    region = {"startLine": first, "endLine": last or first}
    return {
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": path}, "region": region}}],
    }


def scored(folder: Path, problems: list[dict[str, str]], results: list[dict[str, Any]]) -> Result:
    (folder / "key.yaml").write_text(json.dumps({"problems": problems}), "utf-8")
    sarif = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "any"}}, "results": results}]}
    (folder / "run.sarif").write_text(json.dumps(sarif), "utf-8")
    return api.audit_score(key=folder / "key.yaml", runs=[folder / "run.sarif"], located=True)


def where(entry: dict[str, str]) -> tuple[str, int]:
    path, _, line = entry["location"].partition(":")
    return path, int(line)


def every_kind() -> str:
    return ". ".join(f"{category}: {title}" for category, title in KINDS)


def test_an_honest_report_earns_everything(tmp_path: Path) -> None:
    found = [finding(*where(entry), entry["category"]) for entry in SIXTY]
    assert scored(tmp_path, SIXTY, found).mean == 60


@pytest.mark.parametrize(
    "results",
    [
        [finding(f"app/name_{file}.py", 1, every_kind(), 999) for file in range(FILES)],
        [finding(*where(entry), "Variable name is too short") for entry in SIXTY],
        [finding(*where(entry), f"app/name_{where(entry)[0]} is not good code") for entry in SIXTY],
        [finding(f"app/name_{file}.py", line, every_kind()) for file in range(FILES) for line in range(1, 400)],
        [
            finding(f"app/name_{file}.py", line, category)
            for file in range(FILES)
            for line in range(1, 400, 7)
            for category, _ in KINDS
        ],
        [
            finding(f"app/name_{file}.py", line, category, line + 19)
            for file in range(FILES)
            for line in [*range(1, 400, 20), 1_000_000]
            for category, _ in KINDS
        ],
        [
            finding(f"app/name_{number % FILES}.py", number * 7 % 400 + 1, KINDS[number * 5 // 7 % len(KINDS)][0])
            for number in range(500)
        ],
    ],
    ids=[
        *("whole-files", "short-names", "the-path", "every-line", "every-seventh-line", "twenty-line-regions"),
        "one-kind-at-each-of-500-places",
    ],
)
def test_noise_earns_at_most_a_twentieth(tmp_path: Path, results: list[dict[str, Any]]) -> None:
    assert scored(tmp_path, SIXTY, results).mean <= 0.05 * 60


def test_a_report_that_says_a_thing_everywhere_is_flagged(tmp_path: Path) -> None:
    everywhere = [finding("app/name_0.py", line, "SQL injection") for line in range(1, 400, 5)]
    result = scored(tmp_path, SIXTY[:PER_FILE], everywhere)
    assert result.mean == 0
    assert any("nearly everywhere" in warning for warning in result.warnings)


def test_a_region_of_more_than_twenty_lines_is_no_place(tmp_path: Path) -> None:
    assert scored(tmp_path, SIXTY[:1], [finding("app/name_0.py", 10, "SQL injection", 29)]).mean == 1
    result = scored(tmp_path, SIXTY[:1], [finding("app/name_0.py", 10, "SQL injection", 30)])
    assert result.mean == 0
    assert any("no place" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("text", "mean"),
    [
        ("CWE-89", 1),
        ("SQL injection through a string", 1),
        ("Order numbers are formatted into the query", 1),
        ("The query is slow", 0),
        ("Command injection", 0),
    ],
)
def test_the_kind_decides_at_the_right_place(tmp_path: Path, text: str, mean: float) -> None:
    keyed = [{**SIXTY[0], "description": "CWE-89"}, *SIXTY[1:6]]
    assert scored(tmp_path, keyed, [finding("app/name_0.py", 20, text)]).mean == mean


def test_a_category_that_most_problems_share_is_no_kind(tmp_path: Path) -> None:
    keyed = [{**entry, "category": "Security"} for entry in SIXTY[:6]]
    assert scored(tmp_path, keyed, [finding("app/name_0.py", 20, "A security issue")]).mean == 0


def test_three_findings_on_one_problem_are_not_false(tmp_path: Path) -> None:
    """Precision 1: the second and third say again what the first says."""
    said = ["SQL injection", "SQL injection by formatting", "CWE-89 SQL injection"]
    result = scored(tmp_path, SIXTY[:1], [finding("app/name_0.py", 20, text) for text in said])
    assert result.mean == 1
    assert result.runs[0].extras == ()
    assert rates(result.problems, result.runs).precision == 1.0


def test_a_key_with_files_and_no_lines_is_marked_by_file_and_says_so(tmp_path: Path) -> None:
    keyed = [{**entry, "location": where(entry)[0]} for entry in SIXTY[:3]]
    result = scored(tmp_path, keyed, [finding("src/app/name_0.py", 3, "SQL injection")])
    assert result.mean == 1
    assert any("marked by file" in warning for warning in result.warnings)


def test_a_key_without_any_place_ends_in_2(tmp_path: Path) -> None:
    keyed = [{**SIXTY[0], "location": "Section 2"}]
    with pytest.raises(InputError, match="names a file or a line"):
        scored(tmp_path, keyed, [finding("app/name_0.py", 20, "SQL injection")])
    words = ["--key", str(tmp_path / "key.yaml"), "--run", str(tmp_path / "run.sarif"), "--located"]
    assert CliRunner().invoke(main, ["audit", "score", *words]).exit_code == 2
