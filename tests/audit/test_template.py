"""The block and the scoring file, line by line as agreed (docs/scoring.md §2.3)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from steelyard.audit.example import showcase
from steelyard.audit.key import parse_key
from steelyard.audit.model import Claim, Marker, Marks, Result, Ruling
from steelyard.audit.report.scoring_file import block, scoring_file
from steelyard.audit.weigh import Spec, weigh

from .material import KEY_MARKDOWN, findings, output, run_of

GOLDEN = Path(__file__).parent / "golden"

TEMPLATE = """# Scoring: {sub_agent_name} Round {round}

## Per-Problem Detection

| Problem | Severity | Run1 | Run2 | Notes |
|---------|----------|------|------|-------|
| P01: {title} | Critical | ○/△/× | ○/△/× | {brief note} |
...

## Bonus Findings
| Run | Finding | Valid | Score |
...

## Penalty Findings
| Run | Finding | Reason | Score |
...

## Summary
- Run 1: {score} ({bonus}B, {penalty}P)
- Run 2: {score} ({bonus}B, {penalty}P)
- **Mean: {mean}**
- **SD: {sd}**
- Stability: High/Medium/Low
"""
BLOCK = """mean: {mean}
sd: {sd}
run1: {run1_score}
run2: {run2_score}
stability: high/medium/low
detected: {count of ○}
partial: {count of △}
missed: {count of ×}
"""
SHAPES = {
    "{sub_agent_name}": r"\S+",
    "{round}": r"\d+",
    "{title}": ".+",
    "{brief note}": ".*",
    "{score}": r"-?\d+\.\d\d",
    "{bonus}": "[0-5]",
    "{penalty}": r"\d+",
    "{mean}": r"-?\d+\.\d\d",
    "{sd}": r"\d+\.\d\d",
    "{run1_score}": r"-?\d+\.\d\d",
    "{run2_score}": r"-?\d+\.\d\d",
    "○/△/×": "[○△×]",
    "High/Medium/Low": "(High|Medium|Low)",
    "high/medium/low": "(high|medium|low)",
    "{count of ○}": r"\d+",
    "{count of △}": r"\d+",
    "{count of ×}": r"\d+",
}


def pattern(template: str) -> str:
    """The template as a regular expression: placeholders by their shape, `...` as any further table rows."""
    text = re.escape(template)
    for slot, shape in SHAPES.items():
        text = text.replace(re.escape(slot), shape)
    return text.replace(re.escape("...") + "\\\n", r"(\|.*\|\n)*").replace("\\\n", "\n")


def two_runs() -> Result:
    return showcase()


def test_block_follows_the_template() -> None:
    assert re.fullmatch(pattern(BLOCK), block(two_runs()))


def test_file_follows_the_template() -> None:
    assert re.fullmatch(pattern(TEMPLATE), scoring_file(two_runs()))


def test_golden_block_and_file() -> None:
    assert block(two_runs()) == (GOLDEN / "hasty.block").read_text("utf-8")
    assert scoring_file(two_runs()) == (GOLDEN / "hasty.md").read_text("utf-8")


def result(marks: list[Marks], count: int = 2) -> Result:
    key = parse_key(KEY_MARKDOWN, "key.md")
    runs = [output(8, f"run{number}") for number in range(len(marks))]
    return weigh(Spec("agent", 3, key), runs, marks, Marker("marks", "me"))


def test_one_run_has_no_spread() -> None:
    one = result([Marks((Claim("P01", 1, "detected"),))])
    assert block(one) == ("mean: 1.00\nsd: n/a\nrun1: 1.00\nstability: unknown\ndetected: 1\npartial: 0\nmissed: 1\n")
    assert scoring_file(one).endswith(
        "## Summary\n- Run 1: 1.00 (0B, 0P)\n- **Mean: 1.00**\n- **SD: n/a**\n- Stability: Unknown\n"
    )
    assert "| Problem | Severity | Run1 | Notes |\n|---------|----------|------|-------|\n" in scoring_file(one)


def test_more_runs_add_columns_and_lines() -> None:
    # 1.0, 0.5, 0.0 and a penalty of −0.5: mean 0.25, deviations .75 .25 −.25 −.75 → sd = √(1.25 / 3) = 0.6455.
    four = result(
        [
            Marks((Claim("P01", 1, "detected"),)),
            Marks((Claim("P01", 1, "partial"),)),
            Marks(),
            Marks(rulings=(Ruling(2, "penalty", "wrong"),)),
        ]
    )
    assert block(four).split("\n")[:7] == [
        "mean: 0.25",
        "sd: 0.65",
        "run1: 1.00",
        "run2: 0.50",
        "run3: 0.00",
        "run4: -0.50",
        "stability: medium",
    ]
    text = scoring_file(four)
    assert "| Problem | Severity | Run1 | Run2 | Run3 | Run4 | Notes |" in text
    assert "| P01: Stock is oversold | Critical | ○ | △ | × | × | Run1 F01; Run2 F01 |" in text
    assert "- Run 4: -0.50 (0B, 1P)\n- **Mean: 0.25**" in text


def test_no_negative_zero() -> None:
    zero = result([Marks((Claim("P01", 1, "partial"),), (Ruling(2, "penalty"),))] * 2)
    assert block(zero).startswith("mean: 0.00\nsd: 0.00\nrun1: 0.00\n")


def test_bonuses_beyond_five_are_listed_and_not_counted() -> None:
    seven = result([Marks(rulings=tuple(Ruling(n, "bonus", "valid") for n in range(1, 8)))] * 2)
    text = scoring_file(seven)
    assert text.count("| +0.50 |") == 10
    assert text.count("only 5 are: valid | 0.00 |") == 4
    assert "- Run 1: 2.50 (5B, 0P)" in text


@pytest.mark.parametrize("hostile", ["a | b", "<script>x</script>", "line\nbreak", "\x1b[31mred", "# head", "`code`"])
def test_foreign_text_cannot_break_the_table(hostile: str) -> None:
    key = parse_key(KEY_MARKDOWN, "key.md")
    text = run_of("- x")
    run = type(text)("run", hostile, findings([hostile, "other"]))
    marks = Marks((Claim("P01", 2, "partial", note=hostile),), (Ruling(1, "penalty", hostile),))
    lines = scoring_file(weigh(Spec(hostile, 1, key), [run], [marks], Marker("marks", "me"))).split("\n")
    table = [line for line in lines if line.startswith("| 1 |")]
    assert len(table) == 1
    assert len(re.findall(r"(?<!\\)\|", table[0])) == 5
    assert not any("<script" in line for line in lines)
    assert "\x1b" not in "".join(lines)
