"""Existing scoring files: recomputed, and where their printed numbers do not follow (docs/scoring.md §2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.artifact import validate
from steelyard.audit.report.scoring_check import scoring_check_data
from steelyard.audit.scorings import read_scoring
from steelyard.cli.main import main
from steelyard.errors import InputError

# Run 1: 1 + 0.5 + 0.5 · 3 − 0.5 · 1 = 2.5; run 2: 1 + 0 + 0 = 1; mean 1.75; sample SD |2.5 − 1| / √2 = 1.06 (low).
SEED = """# Scoring: reviewer Round 2

## Per-Problem Detection

| Problem | Severity | Run1 | Run2 | Notes |
|---------|----------|------|------|-------|
| P01: Stock | Critical | ○ | ○ | Run1 F01 |
| P02: Prices | Minor | △ | × | |

## Summary
- Run 1: 2.50 (3B, 1P)
- Run 2: 1.00 (0B, 0P)
- **Mean: 1.75**
- **SD: 1.06**
- Stability: Low
"""

JAPANESE = """# 採点結果

## 検出マトリクス

| 問題ID | カテゴリ | Run1 | Run2 | 判定根拠 |
|--------|---------|------|------|---------|
| P01 | 在庫 | ○ | ○ | 指摘あり |
| P02 | 価格 | △ | × | 一般論のみ |

### Run1 総合スコア
- **総合スコア**: 1.5 + 1.5 - 0.5 = **2.5**

### Run2 総合スコア
- **総合スコア**: 1.0 + 0 - 0 = **1.0**

- **平均**: (2.5 + 1.0) / 2 = **1.75**
- **標準偏差**: 1.06
- **安定性**: 低
"""


@pytest.mark.parametrize("text", [SEED, JAPANESE], ids=["seed", "japanese"])
def test_a_right_file_has_no_faults(text: str) -> None:
    scoring = read_scoring(text, "s.md")
    assert scoring.faults == ()
    assert scoring.marks == {"P01": ("detected", "detected"), "P02": ("partial", "missed")}
    assert [run.score for run in scoring.runs] == [2.5, 1.0]
    assert [run.printed for run in scoring.runs] == [2.5, 1.0]
    assert (scoring.mean, round(scoring.sd or 0, 2), scoring.stability) == (1.75, 1.06, "low")


def test_without_what_a_run_is_made_of_there_is_no_mean() -> None:
    marks = "".join(line for line in SEED.splitlines(keepends=True) if line.startswith("|"))
    scoring = read_scoring(f"{marks}\nMean: 1.40\nSD: 0.35\n", "s.md")
    assert [run.detection for run in scoring.runs] == [1.5, 1.0]
    assert (scoring.mean, scoring.sd, scoring.stability) == (None, None, "unknown")
    validate(scoring_check_data(scoring), "audit-import")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        # |2.5 − 1| / 2 = 0.75 divides by n instead of n − 1.
        ("SD: 1.06", "SD: 0.75", "printed as 0.75 (it is the population SD), but the sample SD is 1.06"),
        ("SD: 1.06", "SD: 0.20", "printed as 0.20, but the sample SD is 1.06"),
        (
            "Run 1: 2.50",
            "Run 1: 3.00",
            "run 1 is printed as 3.00, but adds up to 2.50 (1.50 from marks, 3 bonus, 1 penalty)",
        ),
        ("Mean: 1.75", "Mean: 1.80", "the mean is printed as 1.80, but the runs give 1.75"),
        ("Stability: Low", "Stability: High", "stability is printed as high, but an sd of 1.06 is low"),
        ("| △ | × |", "| ○ | × |", "run 1 is printed as 2.50, but adds up to 3.00"),
        # Seven bonuses count as five: 1.5 + 2.5 − 0.5 = 3.5.
        ("2.50 (3B", "4.50 (7B", "run 1 is printed as 4.50, but adds up to 3.50"),
    ],
)
def test_what_does_not_follow_is_said(old: str, new: str, says: str) -> None:
    assert any(says in fault for fault in read_scoring(SEED.replace(old, new), "s.md").faults)


PER_RUN = """# Result

## Run 1 Detection Matrix

| ID | Severity | Mark | Points | Why |
|----|----------|------|--------|-----|
| P01 | Critical | ○ | 1.0 | names the race |
| P02 | Minor | △ | 0.5 | only the symptom |
| **Total** | | | **1.5** | |

**Detection Score: 1.5 / 2**

### Bonus

| ID | What | Mark |
|----|------|------|
| B01 | Backups | ○ |

**Bonus Total**: 3 items × 0.5 = +1.5 (at most 5 items)

### Penalties
**Penalty Total**: -0.5 (1 item)

### Run 1 Total
```
run1_score = 1.5 (detection) + 1.5 (bonus) - 0.5 (penalty) = 2.5
```

## Run 2 Detection Matrix

| ID | Severity | Mark | Points | Why |
|----|----------|------|--------|-----|
| P01 | Critical | ○ | 1.0 | the same |
| P02 | Minor | × | 0.0 | |

**Detection Score: 1.0 / 2**
**Bonus**: none
**Penalty**: 0
**Run2 Total Score: 1.0 + 0 - 0 = 1.0**

## Rationale

### P02: Prices (Run1: △, Run2: ×)
**Run1:**
- **Score: 0.5** (a symptom)

## Summary

| Metric | Run1 | Run2 | Mean | SD |
|--------|------|------|------|----|
| Detection | 1.5 | 1.0 | 1.25 | 0.35 |
| Bonus | +1.5 | 0 | 0.75 | 1.06 |
| Penalty | -0.5 | 0 | 0.25 | 0.35 |
| **Total** | **2.5** | **1.0** | **1.75** | **1.06** |

**SD = 1.06** → low stability (SD > 1.0)
"""

# The same scoring: rows per run, the pooled numbers in the table, marks below a heading per problem.
ROWS = """# 採点結果

Mean=1.75, SD=1.1
Run1=2.5(検出1.5+bonus3-penalty1), Run2=1.0(検出1.0+bonus0-penalty0)

| Run | P01 | P02 | Detection | Bonus | Penalty | Total |
|-----|-----|-----|-----------|-------|---------|-------|
| Run1 | ○ | △ | 1.5 | +1.5 (3件) | -0.5 (1件) | 2.5 |
| Run2 | ○ | × | 1.0 | 0 | 0 | 1.0 |
| **Mean** | - | - | - | - | - | **1.75** |
| **SD** | - | - | - | - | - | **1.1** |

- **安定性判定**: 低安定 (SD > 1.0)
"""

LINES = """# Scoring

## P01: Stock
**Run1: ○ (1.0)**
- named
**Run2判定**: ○ (1.0)

## P02: Prices
- Run1: △
- Run2: ×

## Totals

**Detection**: Run1 = 1.5, Run2 = 1.0

- Run1: 2.5 points (Detection: 1.5, Bonus: +1.5, Penalty: -0.5)
- Run2: 1.0 points (Detection: 1.0, Bonus: 0, Penalty: 0)
- Mean: (2.5 + 1.0) / 2 = 1.75
- SD: |2.5 - 1.0| / √2 = 1.06
- Stability: Low
"""


@pytest.mark.parametrize("text", [PER_RUN, ROWS, LINES], ids=["a table per run", "a row per run", "lines"])
def test_other_layouts(text: str) -> None:
    scoring = read_scoring(text, "s.md")
    assert scoring.faults == ()
    assert scoring.marks == {"P01": ("detected", "detected"), "P02": ("partial", "missed")}
    numbers = [(run.detection, run.bonus, run.penalty, run.score, run.printed) for run in scoring.runs]
    assert numbers == [(1.5, 3, 1, 2.5, 2.5), (1.0, 0, 0, 1.0, 1.0)]
    assert [run.printed_detection for run in scoring.runs] == [1.5, 1.0]
    assert (scoring.printed.mean, scoring.printed.stability) != (None, "")
    assert scoring.printed.mean is not None
    assert scoring.printed.mean.value == 1.75


@pytest.mark.parametrize(
    ("text", "old", "new", "says"),
    [
        (PER_RUN, "**SD = 1.06**", "**SD = 0.75**", "printed as 0.75 (it is the population SD)"),
        (PER_RUN, "| P01 | Critical | ○ | 1.0 | the same", "| P01 | Critical | △ | 1.0 | the same", "adds up to 0.50"),
        (PER_RUN, "(penalty) = 2.5", "(penalty) = 3.5", "run 1 is printed as 2.50 and 3.50 in different places"),
        (ROWS, "| -0.5 (1件) | 2.5 |", "| -0.5 (1件) | 3.5 |", "run 1 is printed as 3.50, but adds up to 2.50"),
        # Points of 3.0 are six bonuses, of which five count: 1.5 + 2.5 − 0.5 = 3.5.
        (
            ROWS,
            "+1.5 (3件) | -0.5 (1件) | 2.5",
            "+3.0 (6件) | -0.5 (1件) | 4.0",
            "adds up to 3.50 (1.50 from marks, 6 bonus, of which 5 count, 1 penalty)",
        ),
        (
            LINES,
            "Bonus: +1.5, Penalty: -0.5",
            "Bonus: +1.0, Penalty: -0.0",
            "",
        ),
        (
            LINES,
            "2.5 points (Detection: 1.5",
            "3.0 points (Detection: 2.0",
            "adds up to 2.50 (1.50 from marks where 2.00 is printed, 3 bonus, 1 penalty)",
        ),
    ],
)
def test_what_other_layouts_get_wrong(text: str, old: str, new: str, says: str) -> None:
    assert old in text
    faults = read_scoring(text.replace(old, new), "s.md").faults
    assert any(says in fault for fault in faults) if says else faults == ()


@pytest.mark.parametrize(
    ("printed", "follows"),
    # 1.0607 is 1.1 with one decimal, and 1.06 with two.
    [("1.06", True), ("1.1", True), ("1.061", True), ("1.0", False), ("1.07", False)],
)
def test_a_number_is_judged_as_precisely_as_it_is_printed(printed: str, follows: bool) -> None:
    faults = read_scoring(SEED.replace("SD: 1.06", f"SD: {printed}"), "s.md").faults
    assert (faults == ()) is follows


def test_sentences_and_thresholds_are_no_numbers() -> None:
    text = SEED + (
        "\n## Remarks\n- SD ≤ 0.5: high stability\n- Run1: 4 valid bonus entries were found\n- Detection rate: 75%\n"
        "- The mean of Run1: 9.0 was better last week\n| SD ≤ 0.5 | high |\n"
    )
    assert read_scoring(text, "s.md").faults == ()


def test_a_total_under_the_heading_of_another_run_is_not_judged() -> None:
    scoring = read_scoring(SEED + "\n### Run 2\n**Run1 Total**: 9.5\n", "s.md")
    assert [run.printed for run in scoring.runs] == [2.5, 1.0]


RUN_LINES = "| Problem | Run1 |\n|---|---|\n| P01 | ○ |\n| P02 | △ |\n\n## Run 1\n\n{0}\n"


@pytest.mark.parametrize("tally", ["Detection: 1/2", "Detection: 1/2 problems", "検出: 1/2問", "Total: 1/2"])
def test_a_tally_of_problems_is_no_score(tally: str) -> None:
    scoring = read_scoring(RUN_LINES.format(f"- {tally}"), "s.md")
    assert scoring.faults == () and (scoring.runs[0].printed, scoring.runs[0].printed_detection) == (None, None)


def test_a_complete_sum_is_the_total_of_its_run_whatever_it_is_called() -> None:
    scoring = read_scoring(RUN_LINES.format("- Summe: 1.5 + 0.5 - 0 = 2.0"), "s.md")
    assert (scoring.runs[0].score, scoring.runs[0].printed) == (2.0, 2.0)


def test_a_scoring_by_points_has_no_marks() -> None:
    text = "| Criterion | Run1 | Run2 |\n|---|---|---|\n| T01 | 10.0 | 9.0 |\n\nMean: 9.5\n"
    with pytest.raises(InputError, match="no marks ○ △ ×"):
        read_scoring(text, "s.md")


def test_ids_in_lists_of_penalties_are_not_problems() -> None:
    text = SEED.replace("## Summary", "## Penalties\n\n| Finding | Run1 |\n|--|--|\n| I-1: Style | × |\n\n## Summary")
    assert list(read_scoring(text, "s.md").marks) == ["P01", "P02"]


def test_a_long_scoring_file_is_read_in_linear_time() -> None:
    lines = "- Run1: 2.5 + " + "1.0 + " * 500 + "(" * 500 + "\n"
    rows = "| P01 | ○ | ○ | " + "`" * 500 + " |\n"
    assert read_scoring(SEED + lines * 100 + rows * 200, "s.md").marks["P01"] == ("detected", "detected")


def test_a_total_without_its_parts_is_not_judged() -> None:
    text = SEED.replace(" (3B, 1P)", "").replace("- Run 1: 2.50", "- Run 1: 9.00").replace("Mean: 1.75", "Mean: 5.00")
    scoring = read_scoring(text, "s.md")
    assert scoring.runs[0].score is None
    assert not any("run 1" in fault for fault in scoring.faults)


def test_a_table_per_run() -> None:
    table = "| ID | Mark | Why |\n|--|--|--|\n| P01 | {} | x |\n| P02 | × | y |\n\n"
    text = f"## Run 1 Detection Matrix\n\n{table.format('○')}## Run 2 Detection Matrix\n\n{table.format('△ (0.5)')}"
    assert read_scoring(text, "s.md").marks == {"P01": ("detected", "partial"), "P02": ("missed", "missed")}


def test_our_own_files_are_right(tmp_path: Path) -> None:
    target = tmp_path / "scoring.md"
    assert CliRunner().invoke(main, ["audit", "example", "-o", str(target)]).exit_code == 0
    assert api.audit_import(target).faults == ()
    assert CliRunner().invoke(main, ["audit", "check", str(target)]).exit_code == 0


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "s.md"
    path.write_text(SEED.replace("SD: 1.06", "SD: 0.75"))
    shown = CliRunner().invoke(main, ["audit", "check", str(path)])
    assert shown.exit_code == 1
    assert "population SD" in shown.stdout
    data = json.loads(CliRunner().invoke(main, ["audit", "check", str(path), "--json", "-"]).stdout)
    assert data["runs"][0] == {"detection": 1.5, "bonus": 3, "penalty": 1, "score": 2.5, "printed": 2.5}
    path.write_text("no marks here\n")
    assert CliRunner().invoke(main, ["audit", "check", str(path), "--as", "scoring"]).exit_code == 2
    with pytest.raises(InputError, match="P02 lack a mark"):
        read_scoring(SEED.replace("| △ | × |", "| △ | ? |"), "s.md")


def test_of_a_revised_matrix_the_last_counts_and_the_difference_is_said() -> None:
    table = "| Problem | Run1 | Run2 |\n|---|---|---|\n| P01 | {} | ○ |\n| P02 | × | × |\n"
    text = f"# Scoring\n\n{table.format('×')}\n## Revised matrix\n\n{table.format('△')}"
    scoring = read_scoring(text, "scoring.md")
    assert scoring.marks == {"P01": ("partial", "detected"), "P02": ("missed", "missed")}
    assert scoring.revised == ("P01 in run 1: × → △",)
    assert read_scoring(table.format("×"), "scoring.md").revised == ()


def test_marks_of_different_runs_are_not_put_side_by_side() -> None:
    head = "| Problem | Run1 | Run2 | Run3 |\n|---|---|---|---|\n"
    # Two marks each, but of P01 in runs 1 and 2, and of P02 in runs 1 and 3.
    with pytest.raises(InputError, match=r"P01, P02 lack a mark in one of 3 runs"):
        read_scoring(f"{head}| P01 | ○ | △ | |\n| P02 | ○ | | × |\n", "s.md")
