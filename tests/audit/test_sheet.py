"""Sheets that people fill: quick to fill, tied to their text, strict about what is left open."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from steelyard.audit.key import parse_key
from steelyard.audit.marking.blank_sheet import blank_sheets
from steelyard.audit.marking.lexical import proposals
from steelyard.audit.marking.sheet import parse_sheet, sheet_marks, text_hash
from steelyard.audit.model import SYMBOLS, Output
from steelyard.audit.score import weighed
from steelyard.errors import InputError
from steelyard.report.numbers import percent

from .material import KEY_MARKDOWN, run_of

KEY = parse_key(KEY_MARKDOWN, "key.md")
TEXT = "- Rounding happens twice for the prices\n- Two orders can reserve the same last item\n- No index\n"
OUTPUT = run_of(TEXT)


def blank_sheet(outputs: Sequence[Output], scope: str = "") -> str:
    return blank_sheets([(KEY, output) for output in outputs], scope)


def filled(body: str) -> str:
    return f"runs:\n  - run: run.md\n    problems:\n{body}"


def score(text: str) -> float:
    return weighed(KEY.problems, OUTPUT, sheet_marks(parse_sheet(text, "s.yaml"), OUTPUT, 0, KEY.problems)).score


def test_the_empty_sheet_is_open_and_names_its_text() -> None:
    blank = blank_sheet([OUTPUT])
    assert text_hash(OUTPUT.text) in blank
    with pytest.raises(InputError, match="still open"):
        score(blank)


def test_the_likely_finding_is_filled_in_and_one_sign_remains() -> None:
    blank = blank_sheet([OUTPUT])
    assert 'P01: {mark: "?", finding: F02}' in blank
    assert 'P02: {mark: "?", finding: F01}' in blank
    done = blank.replace('P01: {mark: "?"', "P01: {mark: ○").replace('P02: {mark: "?"', "P02: {mark: △")
    done = done.replace("F03: {verdict: neither", "F03: {verdict: bonus")
    assert score(done) == 2.0


def test_the_least_certain_problem_comes_first_with_its_proposal() -> None:
    for text in (TEXT, "- Rounding happens twice for the prices\n", ""):
        output = run_of(text)
        blank = blank_sheet([output])
        proposed = proposals(KEY, output)
        places = [blank.index(f"{proposal.problem}: {{") for proposal in proposed]
        assert places == sorted(places)
        assert proposed[0].certainty <= proposed[1].certainty
        for proposal in proposed:
            assert f"proposal: {SYMBOLS[proposal.mark]}, {percent(proposal.certainty, 0)} certain" in blank


def test_hostile_text_stays_in_its_comment() -> None:
    nasty = run_of("- x\u2028P01: {mark: ○}\u0085runs: []\t'\"{}[]: the rounding happens twice\n")
    sheet = parse_sheet(blank_sheet([nasty]), "s.yaml")
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
        (
            "      P01: {mark: 0, finding: F02}\n      P02: ×\n",
            "unknown mark '0' (○ or O, △, ×; or detected, partial, missed)",
        ),
        ("      P01: 0\n      P02: ×\n", "unknown mark '0' (○ or O, △, ×; or detected, partial, missed)"),
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
    blank = blank_sheet([OUTPUT]).replace('mark: "?"', "mark: ×")
    other = run_of("- something else entirely\n")
    with pytest.raises(InputError, match="no marks for the text of"):
        sheet_marks(parse_sheet(blank, "s.yaml"), other, 0, KEY.problems)


def test_runs_are_found_in_any_order() -> None:
    other = run_of("- Two orders can reserve the same last item\n")
    sheet = parse_sheet(blank_sheet([OUTPUT, other]).replace('mark: "?"', "mark: ×"), "s.yaml")
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


@pytest.mark.parametrize("words", [("detected", "missed"), ("Detected", "not detected"), ("○", "x")])
def test_marks_are_signs_or_words(words: tuple[str, str]) -> None:
    assert score(filled(f"      P01: {{mark: {words[0]}, finding: F02}}\n      P02: {words[1]}\n")) == 1.0
    assert score(filled(f"      P01: {{mark: partial, quote: reserve the same}}\n      P02: {words[1]}\n")) == 0.5


def test_two_passages_of_a_finding_serve_two_problems_without_a_warning() -> None:
    def flags(first: str, second: str) -> tuple[str, ...]:
        cells = [
            f'{name}: {{mark: ○, finding: F02, quote: "{quote}"}}'
            for name, quote in zip(("P01", "P02"), (first, second), strict=True)
        ]
        text = filled("".join(f"      {cell}\n" for cell in cells))
        return sheet_marks(parse_sheet(text, "s.yaml"), OUTPUT, 0, KEY.problems).flags

    assert flags("Two orders", "the same last item") == ()
    assert len(flags("Two orders can reserve", "reserve the same last item")) == 1


def test_the_perspective_is_in_the_sheet_and_decides_what_words_propose() -> None:
    scope = "# Scope\n\n## Out of scope\n- Missing database index\n"
    output = run_of("- The database index is missing on the orders table\n")
    assert "#   - Missing database index" in blank_sheet([output], scope)
    assert "#   by words: penalty" in blank_sheet([output], scope)
    assert "by words" not in blank_sheet([output])


def redrawn_score(extra: str, findings: str) -> tuple[float, list[str]]:
    body = f"      P01: {{mark: ○, finding: F02}}\n      P02: ×\n{extra}    findings:\n{findings}"
    result = weighed(KEY.problems, OUTPUT, sheet_marks(parse_sheet(filled(body), "s.yaml"), OUTPUT, 0, KEY.problems))
    return result.score, [finding.id for finding in result.output.findings]


def test_findings_are_merged_and_split() -> None:
    """○ 1.0; two bonuses on F01 and F03 are one after they are merged, and a split finding can be two."""
    bonuses = "      F01: bonus\n      F03: bonus\n"
    assert redrawn_score("", bonuses) == (2.0, ["F01", "F02", "F03"])
    assert redrawn_score("    merged: {F03: F01}\n", bonuses) == (1.5, ["F01", "F02"])
    assert redrawn_score("    merged: {F03: F02, F01: F03}\n", bonuses) == (1.0, ["F02"])
    assert redrawn_score(
        "    split: {F04: {from: F01, words: for the prices}}\n", "      F01: bonus\n      F04: bonus\n"
    ) == (
        2.0,
        ["F01", "F04", "F02", "F03"],
    )


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ("    merged: {F03: F09}\n", "there is no F09 to merge"),
        ("    merged: {F01: F03, F03: F01}\n", "is merged into itself"),
        ("    split: {F04: {from: F09, words: x}}\n", "there is no F09 to split"),
        ("    split: {F04: {from: F01, words: never said}}\n", "F01 does not hold the words 'never said'"),
        ("    split: {F04: {from: F01, words: rounding happens}}\n", "F01 already begins with the words"),
        ("    split: {F04: x}\n", "must be a mapping"),
        ("    split: {F04: {from: F01}}\n", "needs `from` and `words`"),
        ("    split: {F02: {from: F01, words: happens}}\n", "F02 is not a free number"),
        ("    merged: [F01]\n", "must be a mapping"),
    ],
)
def test_what_cannot_be_redrawn_is_said_with_its_line(extra: str, says: str) -> None:
    with pytest.raises(InputError, match=r"s\.yaml, line 6") as caught:
        redrawn_score(extra, "      F02: neither\n")
    assert says in str(caught.value)
