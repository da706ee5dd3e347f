"""Existing scoring files: recomputed, and where their printed numbers do not follow (docs/scoring.md §2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard import api
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
    assert CliRunner().invoke(main, ["audit", "import", str(target)]).exit_code == 0


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "s.md"
    path.write_text(SEED.replace("SD: 1.06", "SD: 0.75"))
    shown = CliRunner().invoke(main, ["audit", "import", str(path)])
    assert shown.exit_code == 1
    assert "population SD" in shown.stdout
    data = json.loads(CliRunner().invoke(main, ["audit", "import", str(path), "--json", "-"]).stdout)
    assert data["runs"][0] == {"detection": 1.5, "bonus": 3, "penalty": 1, "score": 2.5, "printed": 2.5}
    path.write_text("no marks here\n")
    assert CliRunner().invoke(main, ["audit", "import", str(path)]).exit_code == 2
    with pytest.raises(InputError, match="P02 lack a mark"):
        read_scoring(SEED.replace("| △ | × |", "| △ | ? |"), "s.md")
