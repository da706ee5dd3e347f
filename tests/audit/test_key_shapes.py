"""Answer keys in the shapes people give them: tables, other ids, other words for a severity (docs/scoring.md §2.4)."""

from __future__ import annotations

import pytest

from steelyard.audit.key import key_text, parse_key
from steelyard.errors import InputError

from .material import KEY_MARKDOWN

JAPANESE = """# 正解キー

### P01: 在庫が二重に引き当てられる
- **カテゴリ**: 並行性
- **深刻度**: 重大
- **該当箇所**: 第2章
- **問題の説明**: 最後の一個を二つの注文が確保できる。
- **検出判定基準**:
  - ○（検出）: 同じ在庫を二つの注文が取れると述べている
  - △（部分検出）: 並行性に一般的に触れている
  - ×（未検出）: 触れていない

## ボーナス問題リスト

| ID | カテゴリ | 内容 | ボーナス条件 |
|----|---------|------|------------|
| B01 | 監査 | 取消の記録がない | 記録の欠如を指摘 |
| B02 | 性能 | 一覧にページ送りがない | 件数の上限を指摘 |
"""


def test_a_japanese_key_is_read_whole() -> None:
    key = parse_key(JAPANESE, "key.md")
    assert key.warnings == ()
    assert key.problems[0].location == "第2章"
    assert key.problems[0].criteria.partial == "並行性に一般的に触れている"
    assert [entry.condition for entry in key.bonuses] == ["記録の欠如を指摘", "件数の上限を指摘"]


@pytest.mark.parametrize(
    ("detected", "partial", "missed"),
    [
        ("○ (Detected)", "△ (Partial Detection)", "× (No Detection)"),
        ("○ (Full Detection)", "△ (Partially Detected)", "× (Undetected)"),
        ("○ (full marks)", "△ (half of it)", "× (zero)"),
        ("**○ (Detected)**", "**△ (Partial Detection)**", "**× (Missed)**"),
    ],
)
def test_labels_of_criteria(detected: str, partial: str, missed: str) -> None:
    text = KEY_MARKDOWN.replace("○ (Detected)", detected).replace("△ (Partial)", partial)
    key = parse_key(text.replace("× (Not detected)", missed), "key.md")
    assert key.problems == parse_key(KEY_MARKDOWN, "key.md").problems


def test_other_severities_are_read_with_one_warning() -> None:
    text = KEY_MARKDOWN.replace("**Severity**: Critical", "**Severity**: High")
    key = parse_key(text.replace("**Severity**: Minor", "**Severity**: Low (cosmetic)"), "key.md")
    assert [problem.severity for problem in key.problems] == ["Critical", "Minor"]
    assert key.warnings == ("severities read: High as Critical (P01); Low (cosmetic) as Minor (P02)",)


@pytest.mark.parametrize(
    ("word", "severity"),
    [("Major", "Critical"), ("Significant", "Medium"), ("moderate", "Medium"), ("LOW", "Minor"), ("高", "Critical")],
)
def test_severity_table(word: str, severity: str) -> None:
    key = parse_key(KEY_MARKDOWN.replace("**Severity**: Minor", f"**Severity**: {word}"), "key.md")
    assert key.problems[1].severity == severity


def test_one_warning_per_kind() -> None:
    text = "\n".join(line for line in KEY_MARKDOWN.split("\n") if "**Location**" not in line)
    assert parse_key(text, "key.md").warnings == ("no location: P01 (line 3), P02 (line 12)",)
    twice = KEY_MARKDOWN.replace("- **Severity**: Minor", "- **Severity**: Minor\n- **Severity**: Minor")
    assert parse_key(twice, "key.md").warnings == ("stated twice: severity of P02 (line 16)",)


def test_every_bad_line_is_named_at_once() -> None:
    text = (
        KEY_MARKDOWN.replace("**Severity**: Critical", "**Severity**: dire")
        .replace("### P02", "### P04")
        .replace("  - △ (Partial): Doubts the prices.\n", "")
        + "\n## Bonus\n\n| ID | Colour |\n|---|---|\n| B01 | red |\n"
    )
    with pytest.raises(InputError) as caught:
        parse_key(text, "key.md")
    said = str(caught.value)
    assert "line 5: unknown severity 'dire'" in said
    assert "line 13: P04 follows a gap" in said
    assert "for △ (partial)" in said
    assert "line 24: this looks" in said
    assert said.startswith("key.md, line 5:")


@pytest.mark.parametrize(
    "head",
    [
        "| ID | Category | Description | Bonus Condition |",
        "| ID | Category | Issue | Condition |",
        "| No. | カテゴリ | 内容 | 加点条件 |",
        "| **ID** | Category | Problem | Detection condition |",
    ],
)
def test_bonus_columns_by_meaning(head: str) -> None:
    text = f"{KEY_MARKDOWN}\n## Bonus candidates\n\n{head}\n|---|---|---|---|\n| B01 | a | b | c |\n"
    (entry,) = parse_key(text, "key.md").bonuses
    assert (entry.id, entry.category, entry.content, entry.condition) == ("B01", "a", "b", "c")


def test_bonuses_as_a_list() -> None:
    text = f"{KEY_MARKDOWN}\n## Bonus issues\n\n- **B01** (Audit): No record of refunds\n- B02: No paging of lists\n"
    assert [(entry.id, entry.category, entry.content) for entry in parse_key(text, "key.md").bonuses] == [
        ("B01", "Audit", "No record of refunds"),
        ("B02", "", "No paging of lists"),
    ]


def test_other_ids_are_kept_and_sorted_by_number() -> None:
    text = KEY_MARKDOWN.replace("### P01:", "### SEC-10:").replace("### P02:", "### SEC-9:")
    key = parse_key(f"## Round 3: what this is\n\nText.\n\n{text}", "key.md")
    assert [problem.id for problem in key.problems] == ["SEC-9", "SEC-10"]
    for form in ("md", "yaml"):
        assert parse_key(key_text(key, form), f"key.{form}").problems == key.problems


@pytest.mark.parametrize(
    "table",
    [
        "| ID | Problem | Category | Severity | Location | ○ | △ | × |\n|--|--|--|--|--|--|--|--|\n"
        "| P01 | Stock is oversold | Stock | Critical | 2 | says so | doubts | nothing |\n"
        "| P02 | Prices are rounded | Money | Low | 3 | says so | doubts | nothing |\n",
        "| ID | Issue | Severity | Detection Criteria |\n|--|--|--|--|\n"
        "| P01 | Stock is oversold | Critical | ○ says so<br>△ doubts<br>× nothing |\n"
        "| P02 | Prices are rounded | Low | ○ (Detected): says so △ (Partial): doubts × (Missed): nothing |\n",
        "| 番号 | 問題 | 深刻度 | 検出 | 部分検出 | 未検出 |\n|--|--|--|--|--|--|\n"
        "| P01 | Stock is oversold | 重大 | says so | doubts | nothing |\n"
        "| P02 | Prices are rounded | 軽微 | says so | doubts | nothing |\n",
    ],
    ids=["columns", "one-column", "japanese"],
)
def test_a_table_can_be_a_key(table: str) -> None:
    key = parse_key(f"# Key\n\n## Problems\n\n{table}", "key.md")
    assert [(problem.id, problem.title, problem.severity) for problem in key.problems] == [
        ("P01", "Stock is oversold", "Critical"),
        ("P02", "Prices are rounded", "Minor"),
    ]
    assert {problem.criteria.partial for problem in key.problems} == {"doubts"}


def test_an_overview_beside_headings_is_no_second_key() -> None:
    table = "## Overview\n\n| ID | Problem | Severity |\n|--|--|--|\n| P01 | Stock | Minor |\n| P07 | Sum | Minor |\n\n"
    key = parse_key(table + KEY_MARKDOWN, "key.md")
    assert key.problems == parse_key(KEY_MARKDOWN, "key.md").problems


def test_a_title_may_hold_a_bar() -> None:
    key = parse_key(KEY_MARKDOWN.replace("Stock is oversold", "Stock | reserve"), "key.md")
    assert key.problems[0].title == "Stock | reserve"


def test_a_table_without_criteria_is_refused_line_by_line() -> None:
    text = "| ID | Problem | Where |\n|---|---|---|\n| P01 | A race | stock |\n| P02 | Rounding | cart |\n"
    with pytest.raises(InputError, match=r"line 3: P01 .*line 4: P02"):
        parse_key(text, "key.md")


def test_tables_in_notes_survive_conversion() -> None:
    """An overview of the problems, and any other table beside them."""
    overview = "| ID | Problem |\n|----|---------|\n| P01 | Stock |\n| P02 | Prices |"
    sources = "| Section | Version |\n|---------|---------|\n| 2 | 1.4 |"
    text = f"{KEY_MARKDOWN}\n## Overview\n\n{overview}\n\n## Sources\n\n{sources}\n"
    key = parse_key(text, "key.md")
    assert key.notes[-2:] == (("Overview", overview), ("Sources", sources))
    assert parse_key(key_text(key, "md"), "key.md").notes == key.notes
    assert [problem.id for problem in key.problems] == ["P01", "P02"]


PROBLEM = (
    "## P01: Race\n- **Category**: Concurrency\n- **Severity**: Critical\n- **Location**: stock\n"
    "- **Problem Description**: Two orders.\n"
)


@pytest.mark.parametrize(
    "criteria",
    [
        "- **Detection Criteria**:\n\n| Mark | Criterion |\n|---|---|\n| ○ | both |\n| △ | one |\n| × | none |\n",
        "- **Criteria**:\n\n| ○ Detected | △ Partial | × Not detected |\n|---|---|---|\n| both | one | none |\n",
        "\n| ○ | △ | × |\n|---|---|---|\n| both | one | none |\n",
        "- **Detection Criteria**: ○ both / △ one / × none\n",
        "- **Detection Criteria**:\n  1. ○ (Detected): both\n  2. △ (Partial): one\n  3. × (Missed): none\n",
        "\n### Detection Criteria\n- ○ Detected — both\n- △ Partial — one\n- × Missed — none\n",
        "- **Detection Criteria**:\n  - ✅ Detected: both\n  - ⚠️ Partial: one\n  - ❌ Missed: none\n",
    ],
)
def test_criteria_in_other_forms(criteria: str) -> None:
    (problem,) = parse_key(PROBLEM + criteria, "key.md").problems
    assert (problem.criteria.detected, problem.criteria.partial, problem.criteria.missed) == ("both", "one", "none")


def test_fields_as_headings() -> None:
    text = (
        "## P01: Race\n\n### Category\nConcurrency\n\n### Severity\nCritical\n\n### Location\nstock\n\n"
        "### Problem Description\nTwo orders.\n\n### Detection Criteria\n- ○: both\n- △: one\n- ×: none\n\n"
        "## Sources\n\nA book.\n"
    )
    key = parse_key(text, "key.md")
    (problem,) = key.problems
    assert (problem.category, problem.severity, problem.location) == ("Concurrency", "Critical", "stock")
    assert problem.description == "Two orders."
    assert key.notes == (("Sources", "A book."),)


BACKUPS, LOGS = "Backups are never made", "Nobody can see the logs"


@pytest.mark.parametrize(
    "bonuses",
    [
        f"- B01: {BACKUPS}\n- **B02**: {LOGS}\n",
        f"1. B01 (Ops): {BACKUPS}\n2. B02: {LOGS}\n",
        f"At most five count.\n- +0.5 each\n\n- {BACKUPS}\n- {LOGS}\n",
        f"### B01: {BACKUPS}\n- **Category**: Ops\n- **Bonus Condition**: says so\n\n### B02: {LOGS}\n",
        f"### B01\n- **Content**: {BACKUPS}\n\n### B02\n- **Description**: {LOGS}\n",
    ],
    ids=["ids", "numbered", "no ids", "headings", "headings with fields"],
)
def test_bonuses_outside_of_tables(bonuses: str) -> None:
    key = parse_key(f"{KEY_MARKDOWN}\n## Bonus problems\n\n{bonuses}", "key.md")
    entries = key.bonuses[-2:]
    assert [entry.content for entry in entries] == [BACKUPS, LOGS]
    assert key.problems == parse_key(KEY_MARKDOWN, "key.md").problems
    assert parse_key(key_text(key, "md"), "key.md").bonuses == key.bonuses


def test_remarks_beside_bonus_entries_are_no_entries() -> None:
    table = "| ID | Category | Content | Bonus Condition |\n|--|--|--|--|\n| B09 | Ops | Backups | says so |\n"
    remark = "- these were found by hand later"
    key = parse_key(f"{PROBLEM}- ○: a\n- △: b\n- ×: c\n\n## Bonus\n\n{table}\n{remark}\n", "key.md")
    assert [entry.id for entry in key.bonuses] == ["B09"]
    assert key.notes == (("Bonus", remark),)
