"""Answer keys: forgiving about form, strict about meaning, converted without loss (docs/scoring.md §2.4)."""

from __future__ import annotations

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
    ],
)
def test_form_does_not_matter(old: str, new: str) -> None:
    assert parse_key(KEY_MARKDOWN.replace(old, new), "key.md") == PLAIN


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
        ("### P02", "### P01", "P01 stands twice", "### P01: Prices"),
        ("### P02", "### P03", "P02 is missing", "### P03"),
        ("Severity**: Minor", "Severity**: Blocker", "unknown severity 'Blocker'", "Blocker"),
        ("Severity**: Minor", "Severity**: Medium or Minor", "unknown severity", "Medium or Minor"),
        ("- **Severity**: Minor\n", "", "P02 has no severity", "### P02"),
        ("  - ○ (Detected): Says that rounding happens twice.\n", "", "criteria for ○", "### P02"),
        ("  - △ (Partial): Doubts the prices.\n", "", "criteria for △", "### P02"),
        ("P02: Prices are rounded twice", "P02:", "P02 has no title", "### P02:"),
        ("- **Severity**: Minor", "- **Severity**: Minor\n- **Severity**: Minor", "given twice", "Severity"),
    ],
)
def test_wrong_meaning_is_an_error_with_its_line(old: str, new: str, says: str, at: str) -> None:
    text = KEY_MARKDOWN.replace(old, new)
    with pytest.raises(InputError, match=r"key\.md, line") as caught:
        parse_key(text, "key.md")
    assert says in str(caught.value)
    if "given twice" not in says:
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
    with pytest.raises(InputError, match="bonus B01 stands twice"):
        parse_key(KEY_MARKDOWN + table.replace("B02", "B01"), "key.md")


def test_yaml_with_the_names_of_the_markdown() -> None:
    text = """
problems:
  - id: P01
    title: Stock is oversold
    Category: Concurrency
    severity: critical
    Problem Description: Two orders can take the last item.
    detection_criteria:
      ○: full
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
        ("problems:\n  - id: P01\n    id: P02", "line 3: 'id' stands twice"),
        ("problems: [\n", "not valid YAML"),
        ("x: &a [1]\ny: *a", "anchors and aliases"),
        ("", "is empty"),
        ("[" * 1500, "not valid YAML"),
    ],
)
def test_wrong_yaml(text: str, says: str) -> None:
    with pytest.raises(InputError, match=r"key\.yaml") as caught:
        parse_key(text, "key.yaml")
    assert says in str(caught.value)


words = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Zs")), min_size=1, max_size=12
)
phrases = st.lists(words, min_size=1, max_size=5).map(" ".join).filter(lambda text: text.strip("*_#: \u3000") == text)
paragraphs = st.lists(phrases, min_size=1, max_size=3).map("\n".join)


def plain_title(text: str) -> bool:
    return not any(mark in text for mark in "*_#[]:.)-–—：．）－＊＿＃") and bool(text.strip())


@st.composite
def keys(draw: st.DrawFn) -> Key:
    found = tuple(
        Problem(
            f"P{number:02d}",
            draw(phrases.filter(plain_title)),
            draw(st.sampled_from(SEVERITIES)),
            Criteria(draw(paragraphs), draw(paragraphs), draw(paragraphs)),
            draw(paragraphs),
            draw(paragraphs),
            draw(paragraphs),
        )
        for number in range(1, draw(st.integers(1, 3)) + 1)
    )
    entry = st.builds(BonusEntry, st.just(""), phrases, phrases, phrases)
    entries = draw(st.lists(entry, max_size=2))
    bonuses = [
        BonusEntry(
            f"B{place:02d}",
            *(getattr(each, name).replace("\\", "").replace("`", "") for name in ("category", "content", "condition")),
        )
        for place, each in enumerate(entries, 1)
    ]
    return Key(found, tuple(each for each in bonuses if "" not in (each.category, each.content, each.condition)))


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
