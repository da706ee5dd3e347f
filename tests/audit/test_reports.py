"""Reports as agents lay them out: one claim is one finding, and nothing vanishes (docs/scoring.md §2.1)."""

from __future__ import annotations

import pytest

from steelyard.audit.model import LeftOut, Output

from .material import run_of


def found(output: Output) -> list[str]:
    return [finding.title for finding in output.findings]


ENGLISH = """# Review of the parcel service

## Executive Summary

I read the whole document and list what I saw below.

## Critical Issues (must be fixed)

### C-1: Labels are printed before the payment is confirmed

**Severity**: Critical

**Where it happens**:
Section 3, step 4

**Missing Specifications**:
- what happens to a label whose payment fails
- who may cancel it

#### Consequences
| Who | Loses |
|-----|-------|
| Carrier | the freight |
| Shop | the stamp |

**Recommendations**:
1. Confirm first
2. Print afterwards

```sql
-- a comment that is no heading
# neither is this
SELECT 1;
```

Alternatively, void the label.

---

### C-2: The tracking number can be guessed

**Issue**: numbers are consecutive.

## Minor Issues

### M-1: Weights are rounded before they are added

**Impact**:
- two parcels of 0.4 kg weigh nothing

## Positive Aspects

- Addresses are checked before a label is made.

## Conclusion

The labels and the tracking number come first.
"""

JAPANESE = """# 設計レビュー結果

## 重大な問題（設計の修正が必須）

### 1-1. 支払い確定前にラベルが印刷される

**問題**: 手順4で印刷してから手順5で決済している。

**影響**:
- 未払いの荷物が発送される
- 運送会社への支払いだけが残る

**推奨対策**:
1. 決済を先に行う
   - 失敗時は印刷しない
2. 印刷済みラベルの取消手順を定める

**該当箇所**: 第3章

### 1-2. 追跡番号が連番で推測できる

**問題**: 番号が連続している。

## 改善提案

### 2-1. 重量が合算前に丸められている

**提案の説明**: 合算してから丸める。

## 評価（良い点）

### 評価1: 住所の検証
- 発行前に検証している
"""


@pytest.mark.parametrize(
    ("text", "titles", "last_line_of_first"),
    [
        (
            ENGLISH,
            [
                "C-1: Labels are printed before the payment is confirmed",
                "C-2: The tracking number can be guessed",
                "M-1: Weights are rounded before they are added",
            ],
            "Alternatively, void the label.",
        ),
        (
            JAPANESE,
            [
                "1-1. 支払い確定前にラベルが印刷される",
                "1-2. 追跡番号が連番で推測できる",
                "2-1. 重量が合算前に丸められている",
            ],
            "**該当箇所**: 第3章",
        ),
        (
            ENGLISH + "\n" + JAPANESE,
            [
                "C-1: Labels are printed before the payment is confirmed",
                "C-2: The tracking number can be guessed",
                "M-1: Weights are rounded before they are added",
                "1-1. 支払い確定前にラベルが印刷される",
                "1-2. 追跡番号が連番で推測できる",
                "2-1. 重量が合算前に丸められている",
            ],
            "Alternatively, void the label.",
        ),
    ],
    ids=["english", "japanese", "both"],
)
def test_a_numbered_heading_and_all_below_it_is_one_finding(
    text: str, titles: list[str], last_line_of_first: str
) -> None:
    output = run_of(text)
    assert found(output) == titles
    first = output.findings[0]
    lines = output.text.split("\n")
    assert lines[first.end - 1] == last_line_of_first.replace("（", "(").replace("）", ")")
    assert first.text.split("\n")[1:] == lines[first.line : first.end]


def test_what_is_left_out_is_listed_with_the_reason() -> None:
    output = run_of(ENGLISH)
    assert {part.reason for part in output.left_out} == {"frames the report", "praise", "states no fault"}
    lines = output.text.split("\n")
    kept = {number for finding in output.findings for number in range(finding.line, finding.end + 1)}
    listed = {number for part in output.left_out for number in range(part.line, part.end + 1)}
    assert not kept & listed
    unlisted = [line for number, line in enumerate(lines, 1) if line.strip() and number not in kept | listed]
    # Titles over findings and the rule between two of them are layout.
    assert unlisted == [
        "# Review of the parcel service",
        "## Critical Issues (must be fixed)",
        "---",
        "## Minor Issues",
    ]
    assert LeftOut(51, 53, "praise", "Positive Aspects") in output.left_out


@pytest.mark.parametrize(
    "numbers",
    [
        ("1.", "2."),
        ("1)", "2)"),
        ("(1)", "(2)"),
        ("1.1", "1.2"),
        ("1.2.3", "1.2.4"),
        ("3-1.", "3-2."),
        ("P01:", "P02:"),
        ("P01", "P02"),
        ("[SEC-01]", "[SEC-02]"),
        ("C1.", "H1."),
        ("CRITICAL-01:", "MINOR-01:"),
        ("Issue 1:", "Issue 2:"),
        ("Significant Issue 1 -", "Moderate Issue 1 -"),
        ("Finding #1 –", "Finding #2 –"),
        ("🔴 1.", "🟡 2."),
        ("**1.", "**2."),
        ("①", "②"),
        ("問題1:", "問題2:"),
        ("指摘１：", "指摘２："),
        ("課題 1.", "課題 2."),
        ("P01-A:", "P01-B:"),
        ("Issue C1:", "Issue C2:"),
        ("3a.", "3b."),
        ("Issue R-01 [CRITICAL]:", "Issue R-02 [LOW]:"),
        ("Cross-Cutting Issue C-01 [HIGH]:", "Cross-Cutting Issue C-02:"),
    ],
)
@pytest.mark.parametrize("mark", ["##", "###", "####"])
def test_numbers_as_people_write_them(mark: str, numbers: tuple[str, str]) -> None:
    body = "\n\n**Observed**:\n- stock is read first\n- stock is written later\n\n**Advice**:\n1. lock\n2. test\n\n"
    text = f"# Review\n\n{mark} {numbers[0]} Race in the stock\n{body}{mark} {numbers[1]} Rounding of prices\n{body}"
    first, second = run_of(text).findings
    assert (first.line, second.line) == (3, 14)
    assert (first.end, second.end) == (12, 23)


def test_chapters_and_steps_are_not_findings() -> None:
    text = (
        "## 1. Critical issues\n\n### 1.1 No lock\n\nTwo orders take one.\n\n#### 1. Add a lock\nIn the database.\n\n"
        "#### 2. Test it\nUnder load.\n\n## 2. Minor issues\n\n### 2.1 Rounding\n\nTwice.\n\n"
        "## Step 3: Closing\n\nThe end of it.\n"
    )
    output = run_of(text)
    assert found(output) == ["1.1 No lock", "2.1 Rounding"]
    assert [finding.group for finding in output.findings] == ["1. Critical issues", "2. Minor issues"]


def test_bold_lines_can_number_findings() -> None:
    text = (
        "### Critical\n\n**C1: No lock in the stock**\n\nTwo orders.\n\n**Impact:**\n- one item is sold twice\n\n"
        "**C2: Rounding of prices**\n\nTwice.\n\n**Impact:**\n- sums differ\n"
    )
    assert found(run_of(text)) == ["C1: No lock in the stock", "C2: Rounding of prices"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Issue R-01 [CRITICAL]", "Issue R-02 [LOW]"),
        ("Issue 1", "Issue 2"),
        ("Severe problem 4", "Cross-cutting concern 5"),
        ("重大な問題1", "軽微な問題2"),
    ],
)
def test_a_criterion_with_numbered_findings_in_bold_is_a_chapter(one: str, other: str) -> None:
    text = (
        f"### 1. Data integrity: 2/5\n\n**{one}: No lock in the stock**\n\nTwo orders take one.\n\n"
        f"**{other}: Rounding of prices**\n\nTwice.\n\n### 2. Recovery: 4/5\n\nBackups are never restored.\n"
    )
    titles = [f"{one}: No lock in the stock", f"{other}: Rounding of prices", "2. Recovery: 4/5"]
    assert found(run_of(text)) == titles


@pytest.mark.parametrize("part", ["Operation 3: Refund", "Scenario 1: Two orders", "C-3a: Orders", "Endpoint 2: /pay"])
def test_bold_lines_that_count_other_things_are_parts(part: str) -> None:
    text = f"### C-3: No lock in the stock\n\nTwo orders take one.\n\n**{part}**\n- sold twice\n\n**Advice**\n- lock\n"
    assert found(run_of(text)) == ["C-3: No lock in the stock"]
    assert found(run_of(text.replace("C-3: No", "3. No"))) == (
        ["3. No lock in the stock"] if "C-3a" not in part else ["C-3a: Orders"]
    )


SUGGESTION = "```markdown\n## Stock\n\n```yaml\nlock: {}\n```\n\nOrders wait.\n```\n\n"
UNCLOSED = "```markdown\n## Stock\n\n```yaml\nlock: {}\n```\n\nOrders wait.\n\n"


@pytest.mark.parametrize("advice", [(SUGGESTION, SUGGESTION), (UNCLOSED, SUGGESTION), (SUGGESTION, UNCLOSED)])
def test_fenced_code_inside_a_fenced_suggestion_hides_no_finding(advice: tuple[str, str]) -> None:
    first, second = (text.format(number) for number, text in enumerate(advice))
    text = (
        f"# Review\n\n### 1. No lock in the stock\n\n{first}### 2. Rounding of prices\n\nTwice.\n\n{second}"
        "## Minor issues\n\n### M1. Names\n\nToo short.\n\n```\nx = 1\n```\n\n### M2. Tests\n\nMissing.\n"
    )
    output = run_of(text)
    assert found(output) == ["1. No lock in the stock", "2. Rounding of prices", "M1. Names", "M2. Tests"]
    assert output.left_out == ()


@pytest.mark.parametrize("noun", ["Finding", "Issue", "Observations", "問題点", "指摘"])
def test_headings_without_numbers_and_labels_below_them_are_one_finding(noun: str) -> None:
    """Some labels occur once only (`Affected calls`); between labels that repeat they are labels too."""
    body = "**Severity**: {0}\n\n**{1}**:\n{2}\n\n{3}**Impact**:\n- slow\n- late\n\n**Recommendation**:\n1. lock\n"
    first = body.format("High", noun, ROUNDING, "**Affected calls**:\n- `price`\n- `total`\n\n")
    second = body.format("Low", noun, AUTH, "")
    text = f"# Review\n\n## Inconsistencies\n\n### CRITICAL: Money\n\n{first}\n---\n\n### Access\n\n{second}"
    output = run_of(text)
    assert found(output) == ["CRITICAL: Money", "Access"]
    assert output.left_out == ()


@pytest.mark.parametrize(
    ("good", "bad", "advice"), [("Strengths", "Weaknesses", "Improvements"), ("強み", "弱み", "改善提案")]
)
def test_what_is_good_labels_no_part_of_a_finding(good: str, bad: str, advice: str) -> None:
    """Criteria with what is good and bad about each hold several findings."""
    body = f"**{good}**:\n- Names are clear\n\n**{bad}**:\n- {{0}}\n- {{1}}\n\n**{advice}**:\n- Do better\n\n"
    stated = [ROUNDING, "Sums are not stored, so that they differ later.", AUTH, "Nobody can revoke a leaked key."]
    money, access = body.format(*stated[:2]), body.format(*stated[2:])
    output = run_of(f"# Review\n\n### Handling of money\n\n{money}### Control of access\n\n{access}")
    claims = [finding.text.partition("- ")[2] for finding in output.findings]
    assert [claim for claim in claims if claim != "Do better"] == stated


def test_bold_claims_with_one_label_among_them_stay_claims() -> None:
    text = (
        f"# Review\n\n## Payments\n\n**Prices are rounded twice**\n\n{ROUNDING}\n\n**The API is open**\n\n{AUTH}\n\n"
        "**Logs are never rotated**\n\nThe disk fills up without notice.\n\n**Recommendation**\n\nFix them.\n"
    )
    assert len(run_of(text).findings) == 3


def test_praise_is_also_named_in_parentheses() -> None:
    text = (
        f"## Findings\n\n### P1: Prices\n\n{ROUNDING}\n\n## Confirmed (good points)\n\n### C1: Names\n\nClear ones.\n"
    )
    assert found(run_of(text)) == ["P1: Prices"]
    assert found(run_of(text.replace("Confirmed (good points)", "確認（良い点）"))) == ["P1: Prices"]
    assert len(run_of(text.replace("(good points)", "(weak points)")).findings) == 2
    assert len(run_of(text.replace("Confirmed (good points)", "Minor (positive aspects too)")).findings) == 2


@pytest.mark.parametrize(
    "title", ["S3 bucket is public", "OAuth 2 flow is open", "404 pages leak names", "UTF-8 is assumed"]
)
def test_a_number_in_a_title_is_no_numbering(title: str) -> None:
    text = f"# Review\n\n## {title}\n\nAnybody can read it all.\n\n## Other matters\n\nThe cache is never emptied.\n"
    assert len(run_of(text).findings) == 2


AUTH = "The admin API has no authentication, so anybody can call it."
ROUNDING = "Prices are rounded twice, once per line and once in the total."
FRAMES = [
    *("Score", "Scope", "Recommendations", "Conclusion", "Summary", "Executive Summary", "Overview", "Introduction"),
    *("Background", "Context", "Method", "Verdict", "Next Steps", "Action Items", "Statistics", "Metrics", "Legend"),
    *(
        "Overall Assessment",
        "Priority Recommendations",
        "Limitations",
        "Disclaimer",
        "Confidence",
        "Score Summary Table",
    ),
    *("総評", "スコアサマリ", "まとめ", "推奨事項", "概要", "結論"),
]


@pytest.mark.parametrize("title", FRAMES)
@pytest.mark.parametrize("listed", ["## Findings\n\n- {}\n", "## 1. Prices\n\n{}\n", "## Prices of a basket\n\n{}\n"])
def test_a_claim_under_any_heading_is_read(title: str, listed: str) -> None:
    for claim in (f"- {AUTH}", AUTH, f"1. {AUTH}", f"| Point | Remark |\n|---|---|\n| API | {AUTH} |"):
        for text in (
            f"# Review\n\n## {title}\n\n{claim}\n\n{listed.format(ROUNDING)}",
            f"# Review\n\n{listed.format(ROUNDING)}\n## {title}\n\n{claim}\n",
        ):
            output = run_of(text)
            assert len(output.findings) == 2, text
            assert sum(AUTH.rstrip(".") in finding.text for finding in output.findings) == 1


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("- The total of prices is wrong, because it is rounded twice", "repeats the finding on line 5"),
        ("- Round once", "states no fault"),
        ("The admin API could call prices without authentication and rounded totals.", "sums up findings"),
        ("No other problems were found.", "says that nothing is wrong"),
    ],
)
def test_a_summary_does_not_count_twice(said: str, reason: str) -> None:
    listed = f"### 1. Prices are rounded twice\n\n{ROUNDING}\n\n### 2. Access\n\n{AUTH}\n"
    output = run_of(f"# Review\n\n## Findings\n\n{listed}\n## Summary\n\n{said}\n")
    assert len(output.findings) == 2
    assert output.left_out[-1].reason == reason


def test_a_short_claim_repeats_no_finding_with_words_of_its_family() -> None:
    listed = "### 1. Sockets\n\nWhat a socket sends is cached and not limited. A test is missing.\n"
    output = run_of(
        f"# Review\n\n## Findings\n\n{listed}\n## Overview\n\n- Missing: rate limits and caching of prices\n"
    )
    assert len(output.findings) == 2


def test_praise_that_takes_itself_back_is_read() -> None:
    text = (
        f"## Findings\n- {ROUNDING}\n\n## Strengths\n- Passwords are hashed, but without a salt of their own.\n- Test\n"
    )
    assert len(run_of(text).findings) == 2


@pytest.mark.parametrize(
    "claim",
    [
        "The audit log is world readable.",
        "The report endpoint returns every row of the table.",
        "These keys are stored in plain text.",
        "Here the key is hard coded.",
        "I noticed hard-coded keys in the loader.",
        "I reviewed the loader and noticed that its keys are hard coded.",
        "Overall, keys are hard coded.",
    ],
)
def test_a_claim_that_begins_like_a_remark_about_the_review_is_read(claim: str) -> None:
    assert [finding.text for finding in run_of(f"{claim}\n").findings] == [claim]


@pytest.mark.parametrize("title", ["Review", "Code Review Report", "Security review"])
def test_the_title_of_a_report_is_no_part_of_its_claims(title: str) -> None:
    output = run_of(f"## {title}\n\n- {ROUNDING}\n- {AUTH}\n")
    assert [finding.text for finding in output.findings] == [f"- {ROUNDING}", f"- {AUTH}"]


@pytest.mark.parametrize("title", ["How I reviewed", "What I read", "Files reviewed"])
def test_what_was_reviewed_is_no_finding(title: str) -> None:
    output = run_of(f"## {title}\n\nI read all of it.\n\n## Findings\n\n- {ROUNDING}\n- {AUTH}\n")
    assert len(output.findings) == 2 and output.left_out


def test_the_column_that_names_a_finding_is_the_title_of_its_row() -> None:
    table = (
        "| Severity | Issue | Evidence |\n|---|---|---|\n"
        "| High | Passwords are not hashed | select * from users where password equals the given one |\n"
    )
    assert found(run_of(table)) == ["Passwords are not hashed"]


def test_gaps_below_praise_are_findings() -> None:
    """The innermost heading that says which decides, also below a numbered one."""
    praise = "### 5. Releases: planned well\n\n**Strengths:**\n\n- Every release is tagged.\n\n"
    findings = f"## Findings\n\n### 1. Prices\n\n{ROUNDING}\n\n"
    text = f"{findings}## Positive aspects (score 4)\n\n{praise}**Minor gaps:**\n\n- {AUTH}\n- Nobody can roll back.\n"
    output = run_of(text)
    assert found(output)[0] == "1. Prices" and len(output.findings) == 3
    assert {part.reason for part in output.left_out} == {"praise"}


def test_labels_in_any_words_belong_to_their_heading() -> None:
    """Headings that occur below several findings label parts of them, whatever they say."""
    parts = "#### Symptom\n- slow\n- slower\n\n#### Wie man es behebt\n- Index anlegen\n- messen\n\n"
    text = f"# Review\n\n### Orders are scanned in full\n\n{parts}### Customers are loaded one by one\n\n{parts}"
    assert found(run_of(text)) == ["Orders are scanned in full", "Customers are loaded one by one"]


def test_a_label_with_a_word_for_faults_is_no_group() -> None:
    """`Inconsistency analysis` below each finding labels a part of it; `Inconsistencies` are several."""
    parts = "**Grade**: high\n\n**Inconsistency analysis**:\nTwo ways are used:\n- by name\n- by number\n\n"
    text = (
        f"## Inconsistencies\n\n### Orders are found in two ways\n\n{parts}### Shops are found in two ways\n\n{parts}"
    )
    assert found(run_of(text)) == ["Orders are found in two ways", "Shops are found in two ways"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("```python\nimport os\nos.system(command)\n```\n", 0),
        (f"| Issue | Where |\n|---|---|\n| {AUTH} | api.py |\n| {ROUNDING} | cart.py |\n", 2),
        (f"## Access | tokens\n\n{AUTH}\n\n## Money | sums\n\n{ROUNDING}\n", 2),
        ("\n".join(f"### {n}. Fault number {n}\n\n**Impact**:\n- it fails\n" for n in range(1, 601)), 600),
        ("\n".join(f"{n}. **Fault number {n}**: it fails here\n   - often\n" for n in range(1, 601)), 600),
        (f"### 1.2.3 Access\n\n{AUTH}\n\n### 1.2.4 Money\n\n{ROUNDING}\n", 2),
    ],
    ids=["code", "table", "bars", "headings", "items", "nested"],
)
def test_odd_runs(text: str, count: int) -> None:
    assert len(run_of(text).findings) == count


@pytest.mark.parametrize(
    "text",
    [
        "## " + "1." * 190 + " x\n" * 20_000,
        "\n".join(f"{'#' * (n % 6 + 1)} {n}. x" for n in range(20_000)),
        "\n".join(f"## {n}. Fault\n\n## Summary\n- fault {n} is not new\n" for n in range(3_000)),
        "### " + "A" * 399 + "\n" + "### A1 " * 20_000,
        "**1. x**\n\n" * 20_000,
        "## Summary\n" + "- the fault is not new, and not old\n" * 20_000 + "## 1. Fault\nthe fault\n",
        "日本語" * 200_000,
        "```a\n# 1. x\n" * 4_000 + "```\n" * 4_000,
    ],
)
@pytest.mark.no_cover  # the tracer would take most of the time
def test_long_reports_take_linear_time(text: str) -> None:
    assert len(run_of(text).findings) <= 20_001
