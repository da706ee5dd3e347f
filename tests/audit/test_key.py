"""Answer keys: forgiving about form, strict about meaning, converted without loss (docs/scoring.md §2.4)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.audit.key import key_hash, key_text, parse_key
from steelyard.audit.model import SEVERITIES, BonusEntry, Criteria, Key, Problem
from steelyard.errors import InputError

from .material import KEY_MARKDOWN

PLAIN = parse_key(KEY_MARKDOWN, "key.md")


def test_reads_every_field() -> None:
    first = PLAIN.problems[0]
    assert (first.id, first.title, first.severity, first.category) == (
        "P01",
        "Stock is oversold",
        "Critical",
        "Concurrency",
    )
    assert first.location == "Section 2 `reserve`"
    assert first.description == "Two orders can take the last item."
    assert first.criteria == Criteria(
        "Says that two orders can reserve the same last item.", "Mentions concurrency in general.", "Nothing."
    )
    assert PLAIN.title == "Answer key"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        ("\n", "\r"),
        ("○", "◯"),
        ("○", "O"),
        ("○", "〇"),
        ("×", "x"),
        ("×", "✕"),
        ("△", "▲"),
        ("### P01:", "### Ｐ０１："),
        ("### P01:", "## P1 -"),
        ("### P01:", "### P-01."),
        ("### P01: Stock is oversold", "**P01: Stock is oversold**"),
        ("- **Category**:", "* Category:"),
        ("- **Category**:", "**Category:**"),
        ("- **Severity**: Critical", "- Severity： **CRITICAL**"),
        ("- **Severity**: Critical", "| Severity | Critical |"),
        ("  - ○ (Detected):", "  - **○ (Detected)**:"),
        ("  - ○ (Detected):", "- Detected:"),
        ("  - × (Not detected):", "    - × （Not detected）："),
        ("- **Detection Criteria**:", "**Detection criteria**"),
        ("  - ○ (Detected):", "  - ○"),
        ("  - ○ (Detected):", "  - ○ –"),
        ("- **Severity**: Critical", "- **Severity**: 🔴 Critical (blocks the release)"),
        ("### P01:", "### **P01**:"),
        ("### P01:", "#### P01 —"),
        ("- **Problem Description**:", "- **Description**:"),
        ("\n  - ", "\n      - "),
        ("\n  - ", "\n        - "),
        ("- **Category**:", "1. **Category**:"),
        ("### P01:", "### Problem 1:"),
        ("### P01:", "### Problem P01 -"),
        ("### P01: Stock is oversold", "### **P01: Stock is oversold**"),
        ("### P01: Stock is oversold", "### **P01:** Stock is oversold ##"),
        ("- **Category**:", "- **カテゴリ**："),
        ("- **Severity**: Critical", "- **重大度**: 致命的"),
        ("- **Severity**: Critical", "- **重大度**: 重大"),
        ("- **Severity**: Minor", "- 重大度：軽微"),
        ("- **Location**:", "- 場所："),
        ("- **Problem Description**:", "- **問題の説明**:"),
        ("- **Detection Criteria**:", "- **検出基準**："),
        ("(Detected)", "（検出）"),
        ("△ (Partial)", "△（部分検出）"),
        ("(Not detected)", "(未検出)"),
    ],
)
def test_form_does_not_matter(old: str, new: str) -> None:
    assert parse_key(KEY_MARKDOWN.replace(old, new), "key.md") == PLAIN


def test_what_hangs_under_a_deep_criterion_is_its_text() -> None:
    text = KEY_MARKDOWN.replace("\n  - ", "\n      - ").replace("general.", "general.\n          × no criterion")
    partial = parse_key(text, "key.md").problems[0].criteria.partial
    assert partial == "Mentions concurrency in general.\n    × no criterion"


@pytest.mark.parametrize(
    "title",
    ["Deadlock in C#", "__init__", "Unsafe glob *", "**Bold** words", "Ends with #", "a \\##", "_x_", ": colon", "＃"],
)
def test_a_title_keeps_its_marks(title: str) -> None:
    key = parse_key(KEY_MARKDOWN, "key.md")
    key = replace(key, title=title, problems=(replace(key.problems[0], title=title), *key.problems[1:]))
    assert parse_key(key_text(key, "md"), "key.md") == key


def test_a_title_as_people_write_it_keeps_its_marks() -> None:
    text = KEY_MARKDOWN.replace("Stock is oversold", "Deadlock of __init__ in C#")
    assert parse_key(text, "key.md").problems[0].title == "Deadlock of __init__ in C#"


def test_text_without_a_name_survives() -> None:
    text = KEY_MARKDOWN.replace("- **Category**: Concurrency", "Seen in May.\n\n- **Category**: Concurrency")
    key = parse_key(text, "key.md")
    assert key.problems[0].extra == (("", "Seen in May."),)
    assert parse_key(key_text(key, "md"), "key.md") == key


def test_criteria_on_one_line() -> None:
    start, end = KEY_MARKDOWN.index("- **Detection Criteria**"), KEY_MARKDOWN.index("### P02")
    line = (
        "- **Detection Criteria**: ○: Says that two orders can reserve the same last item. "
        "△: Mentions concurrency in general. ×: Nothing.\n\n"
    )
    assert parse_key(KEY_MARKDOWN[:start] + line + KEY_MARKDOWN[end:], "key.md") == PLAIN


def test_order_of_the_file_does_not_matter() -> None:
    head, one, two = KEY_MARKDOWN.partition("### P02")[0].partition("### P01")[0], "", ""
    one = KEY_MARKDOWN[KEY_MARKDOWN.index("### P01") : KEY_MARKDOWN.index("### P02")]
    two = KEY_MARKDOWN[KEY_MARKDOWN.index("### P02") :] + "\n"
    assert parse_key(head + two + one, "key.md") == PLAIN


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if part in line)


@pytest.mark.parametrize(
    ("old", "new", "says", "at"),
    [
        ("### P02", "### P01", "duplicate problem P01", "### P01: Prices"),
        ("### P02", "### P03", "P02 is missing", "### P03"),
        ("Severity**: Minor", "Severity**: Blocker", "unknown severity 'Blocker'", "Blocker"),
        ("Severity**: Minor", "Severity**: Medium or Minor", "unknown severity", "Medium or Minor"),
        ("Severity**: Minor", "Severity**: not Critical", "unknown severity 'not Critical'", "not Critical"),
        ("Severity**: Minor", "Severity**: Medium-High", "unknown severity 'Medium-High'", "Medium-High"),
        ("Severity**: Minor", "Severity**: Minor (or not) today", "unknown severity", "or not"),
        ("- **Severity**: Minor\n", "", "P02 has no severity", "### P02"),
        ("  - ○ (Detected): Says that rounding happens twice.\n", "", "criteria for ○", "### P02"),
        ("  - △ (Partial): Doubts the prices.\n", "", "criteria for △", "### P02"),
        ("P02: Prices are rounded twice", "P02:", "P02 has no title", "### P02:"),
        ("- **Severity**: Minor", "- **Severity**: Minor\n- **Severity**: Medium", "duplicate severity", "Severity"),
    ],
)
def test_wrong_meaning_is_an_error_with_its_line(old: str, new: str, says: str, at: str) -> None:
    text = KEY_MARKDOWN.replace(old, new)
    with pytest.raises(InputError, match=r"key\.md, line") as caught:
        parse_key(text, "key.md")
    assert says in str(caught.value)
    if "duplicate severity" not in says:
        assert f"line {line_of(text, at)}:" in str(caught.value)


@pytest.mark.parametrize("text", ["", "just prose", "# Title\n\n- a\n- b\n", "\x00\x00", "|||||"])
def test_no_problem_at_all(text: str) -> None:
    with pytest.raises(InputError, match="no problem found"):
        parse_key(text, "key.md")


def test_absent_fields_are_said() -> None:
    text = KEY_MARKDOWN.replace("- **Location**: line 7\n", "")
    assert parse_key(text, "key.md").warnings == ("P02 (line 13) has no location",)


def test_bonus_table() -> None:
    table = (
        "\n## Bonus\n\n| ID | Category | Content | Bonus Condition |\n|---|---|---|---|\n"
        "| B01 | Security | has `a|b` and \\| | names<br>it |\n| B02 | x | y | z |\n"
    )
    key = parse_key(KEY_MARKDOWN + table, "key.md")
    assert key.bonuses == (
        BonusEntry("B01", "Security", "has `a|b` and |", "names\nit"),
        BonusEntry("B02", "x", "y", "z"),
    )
    with pytest.raises(InputError, match="duplicate bonus B01"):
        parse_key(KEY_MARKDOWN + table.replace("B02", "B01"), "key.md")


@pytest.mark.parametrize(("identity", "title"), [("id", "title"), ("ID", "Title")])
@pytest.mark.parametrize("detected", ["○", "○ (Detected)", "O (detected)", "○（検出）"])
def test_yaml_with_the_names_of_the_markdown(identity: str, title: str, detected: str) -> None:
    text = f"""
problems:
  - {identity}: P01
    {title}: Stock is oversold
    Category: Concurrency
    severity: critical
    Problem Description: Two orders can take the last item.
    detection_criteria:
      {detected}: full
      partial: half
      not_detected: none
"""
    problem = parse_key(text, "key.yaml").problems[0]
    assert problem.criteria == Criteria("full", "half", "none")
    assert problem.severity == "Critical"
    assert problem.description == "Two orders can take the last item."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("problems: 3", "line 1: problems must be a list"),
        ("problems:\n  - title: x", "line 2: a problem needs an id"),
        ("problems:\n  - id: P01\n    title: a\n    colour: red", "line 4: unknown field 'colour'"),
        ("a: 1", "line 1: unknown field 'a'"),
        ("problems:\n  - id: P01\n    id: P02", "line 3: duplicate key 'id'"),
        ("problems: [\n", "not valid YAML"),
        ("x: &a [1]\ny: *a", "anchors and aliases"),
        ("", "is empty"),
        ("[" * 1500, "line 1: nested too deeply"),
    ],
)
def test_wrong_yaml(text: str, says: str) -> None:
    with pytest.raises(InputError, match=r"key\.yaml") as caught:
        parse_key(text, "key.yaml")
    assert says in str(caught.value)


letters = st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Zs"))
words = st.text(letters, min_size=1, max_size=12)
bars = ["|", "｜", "\\", "\\|", "|---|", "`", "``", "<br>", "\\<br/>"]
signs = ["#", "C#", "##", "*", "**", "__", "[", ":", "：", "1.", "```", "~~~"]
labels = ["**Severity**:", "○", "×", "(Detected):", "検出:", "P02:"]
shapes = st.sampled_from([*bars, *signs, *labels])
"""Words that mean something in one of the forms."""
phrases = st.lists(words | shapes, min_size=1, max_size=5).map(" ".join)
paragraphs = st.lists(phrases, min_size=1, max_size=3).map("\n".join)


@st.composite
def keys(draw: st.DrawFn) -> Key:
    found = tuple(
        Problem(
            f"P{number:02d}",
            draw(phrases),
            draw(st.sampled_from(SEVERITIES)),
            Criteria(draw(paragraphs), draw(paragraphs), draw(paragraphs)),
            draw(paragraphs),
            draw(paragraphs),
            draw(paragraphs),
        )
        for number in range(1, draw(st.integers(1, 3)) + 1)
    )
    entry = st.builds(BonusEntry, st.just(""), phrases, paragraphs, paragraphs)
    entries = draw(st.lists(entry, max_size=2))
    return Key(found, tuple(replace(each, id=f"B{place:02d}") for place, each in enumerate(entries, 1)))


@settings(max_examples=60, deadline=None)
@given(keys())
def test_both_forms_lose_nothing(key: Key) -> None:
    assert parse_key(key_text(key, "yaml"), "k.yaml") == key
    assert parse_key(key_text(key, "md"), "k.md") == key
    assert key_hash(parse_key(key_text(key, "md"), "k.md")) == key_hash(key)


def test_extra_fields_and_notes_survive() -> None:
    text = (
        KEY_MARKDOWN.replace("# Answer key\n", "# Answer key\n\nWho wrote it.\n")
        + "- **Owner**: me\n\n## Remarks\n\nlast words\n"
    )
    key = parse_key(text, "key.md")
    assert key.problems[1].extra == (("Owner", "me"),)
    assert key.notes == (("", "Who wrote it."), ("Remarks", "last words"))
    assert parse_key(key_text(key, "md"), "k.md") == key
    assert parse_key(key_text(parse_key(key_text(key, "yaml"), "k.yaml"), "md"), "k.md") == key


def test_sample_code_in_a_text_is_text() -> None:
    """A comment, a heading or a field inside a fenced block opens nothing; an unclosed fence swallows nothing."""
    code = "```python\n# the last item\n### P09: no problem\n- **Severity**: none\n```"
    old = "Two orders can take the last item."
    key = parse_key(KEY_MARKDOWN.replace(old, f"{old}\n\n{code}\n"), "key.md")
    assert key.problems[0].description == f"{old}\n\n{code}"
    assert [each.id for each in key.problems] == [each.id for each in PLAIN.problems]
    assert parse_key(key_text(key, "md"), "key.md") == key
    open_ended = parse_key(KEY_MARKDOWN.replace(old, f"{old}\n```"), "key.md")
    assert len(open_ended.problems) == len(PLAIN.problems)
    assert len(parse_key(f"```markdown\n{KEY_MARKDOWN}\n```\n", "key.md").problems) == len(PLAIN.problems)
