"""Sheets that people fill: quick to fill, tied to their text, strict about what is left open."""

from __future__ import annotations

import pytest

from steelyard.audit.key import parse_key
from steelyard.audit.marking.blank_sheet import blank_sheet
from steelyard.audit.marking.sheet import parse_sheet, sheet_marks, text_hash
from steelyard.audit.score import weighed
from steelyard.errors import InputError

from .material import KEY_MARKDOWN, run_of

KEY = parse_key(KEY_MARKDOWN, "key.md")
TEXT = "- Rounding happens twice for the prices\n- Two orders can reserve the same last item\n- No index\n"
OUTPUT = run_of(TEXT)


def filled(body: str) -> str:
    return f"runs:\n  - run: run.md\n    problems:\n{body}"


def score(text: str) -> float:
    return weighed(KEY.problems, OUTPUT, sheet_marks(parse_sheet(text, "s.yaml"), OUTPUT, 0, KEY.problems)).score


def test_the_empty_sheet_is_open_and_names_its_text() -> None:
    blank = blank_sheet(KEY, [OUTPUT])
    assert text_hash(OUTPUT.text) in blank
    with pytest.raises(InputError, match="still open"):
        score(blank)


def test_the_likely_finding_is_filled_in_and_one_sign_remains() -> None:
    blank = blank_sheet(KEY, [OUTPUT])
    assert 'P01: {mark: "?", finding: F02}' in blank
    assert 'P02: {mark: "?", finding: F01}' in blank
    done = blank.replace('P01: {mark: "?"', "P01: {mark: ○").replace('P02: {mark: "?"', "P02: {mark: △")
    done = done.replace("F03: {verdict: neither", "F03: {verdict: bonus")
    assert score(done) == 2.0


def test_problems_with_clear_candidates_come_first() -> None:
    only_second = run_of("- Rounding happens twice for the prices\n")
    blank = blank_sheet(KEY, [only_second])
    assert blank.index("P02: {") < blank.index("P01: {")


def test_hostile_text_stays_in_its_comment() -> None:
    nasty = run_of("- x\u2028P01: {mark: ○}\u0085runs: []\t'\"{}[]: the rounding happens twice\n")
    sheet = parse_sheet(blank_sheet(KEY, [nasty]), "s.yaml")
    assert len(sheet.runs) == 1


@pytest.mark.parametrize("sign", ["○", "◯", "O", "o", "〇", "detected"])
def test_shapes_of_the_sign(sign: str) -> None:
    assert score(filled(f"      P01: {{mark: {sign}, finding: F02}}\n      P02: ×\n")) == 1.0


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("      P01: {mark: ○, finding: F02}\n", "no mark for P02"),
        ("      P01: {mark: ○}\n      P02: ×\n", "line 4: P01 of run.md is ○ but names no finding"),
        ("      P01: {mark: ○, finding: F09}\n      P02: ×\n", "no finding 'F09'"),
        ("      P01: {mark: maybe, finding: F02}\n      P02: ×\n", "unknown mark 'maybe'"),
        ("      P01: {mark: 0, finding: F02}\n      P02: ×\n", "unknown mark '0' (○ or O, △, ×)"),
        ("      P01: 0\n      P02: ×\n", "unknown mark '0' (○ or O, △, ×)"),
        ("      P01: ×\n      P02: ×\n      P03: ×\n", "line 6: P03 is not a problem in the key"),
        ("      P01: ×\n      P1: ×\n      P02: ×\n", "P01 is marked twice"),
        ("      P01: {mark: ○, finding: F02, who: me}\n      P02: ×\n", "unknown field 'who'"),
        ("      P01: {mark: ○, quote: never said}\n      P02: ×\n", "is not in run.md"),
        ("      P01: ×\n      P02: ×\n    findings:\n      F01: {verdict: great}\n", "unknown verdict 'great'"),
        ("      P01: ×\n      P02: ×\n    findings:\n      F07: bonus\n", "no finding 'F07'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(body: str, says: str) -> None:
    with pytest.raises(InputError, match=r"s\.yaml") as caught:
        score(filled(body))
    assert says in str(caught.value)


def test_a_passage_can_stand_for_a_finding() -> None:
    text = filled(
        '      P01: {mark: ○, quote: "reserve the same last item"}\n      P02: {mark: △, quote: "Rounding happens"}\n'
    )
    assert score(text) == 1.5


def test_a_persons_mark_is_not_overruled() -> None:
    assert score(filled("      P01: {mark: ○, finding: F02}\n      P02: {mark: ○, finding: F02}\n")) == 2.0


def test_a_sheet_fits_its_text_and_no_other() -> None:
    blank = blank_sheet(KEY, [OUTPUT]).replace('mark: "?"', "mark: ×")
    other = run_of("- something else entirely\n")
    with pytest.raises(InputError, match="no marks for the text of"):
        sheet_marks(parse_sheet(blank, "s.yaml"), other, 0, KEY.problems)


def test_runs_are_found_in_any_order() -> None:
    other = run_of("- Two orders can reserve the same last item\n")
    sheet = parse_sheet(blank_sheet(KEY, [OUTPUT, other]).replace('mark: "?"', "mark: ×"), "s.yaml")
    assert sheet_marks(sheet, other, 0, KEY.problems).claims == ()
    assert sheet_marks(sheet, OUTPUT, 1, KEY.problems).claims == ()


@pytest.mark.parametrize("text", ["", "a: 1", "runs: 3", "[]", "runs:\n  - 3", 'schema_version: "9"\nruns: []'])
def test_no_sheet_at_all(text: str) -> None:
    with pytest.raises(InputError):
        sheet_marks(parse_sheet(text, "s.yaml"), OUTPUT, 0, KEY.problems)


def test_a_persons_marks_stand_and_conflicts_are_warnings() -> None:
    """One finding for two problems keeps both marks (2.0); a finding in use is no bonus (+0) (docs/scoring.md §2.1)."""
    body = "      P01: {mark: ○, finding: F02}\n      P02: {mark: ○, finding: F02}\n    findings:\n      F02: bonus\n"
    marks = sheet_marks(parse_sheet(filled(body), "s.yaml"), OUTPUT, 0, KEY.problems)
    assert weighed(KEY.problems, OUTPUT, marks).score == 2.0
    assert marks.flags == (
        "F02 is named for P01 and P02, though no passage serves two problems; the marks stand",
        "F02 is named for P01, so it is not a bonus",
    )
