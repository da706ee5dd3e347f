"""Two people mark the same runs: κ, and where they differ (docs/scoring.md §2.2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from steelyard.audit.agreement.people import opinion_of_sheet, two_opinions
from steelyard.audit.marking.sheet import parse_sheet
from steelyard.cli.main import main
from steelyard.errors import IncomparableError, InputError

ANNA = """
marked_by: anna
runs:
  - run: a/r1.md
    text: abc
    problems: {P01: {mark: ○, finding: F01}, P02: {mark: missed}, P03: partial, P04: "?"}
    findings: {F07: {verdict: bonus}, F08: neither}
  - run: r2.md
    problems: {P1: ×, P02: ○}
"""
BEN = """
marked_by: ben
runs:
  - run: r2.md
    problems: {P01: ×, P02: ○, P03: ○}
  - run: renamed.md
    text: abc
    problems: {P01: ○, P02: △, P03: △, P04: ×}
    findings: {F07: {verdict: penalty}}
"""


def compared(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["audit", "compare", *arguments])


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


def test_kappa_by_hand_and_every_difference() -> None:
    anna, ben = (opinion_of_sheet(parse_sheet(text, "s")) for text in (ANNA, BEN))
    found = two_opinions(anna, ben)
    # Five cells in common; × against △ in P02 of the first run. p_o = 4/5; anna has ○ 2, △ 1, × 2, ben ○ 2, △ 2, × 1:
    # p_e = (4 + 2 + 2)/25 = 0.32; κ = (0.8 − 0.32)/0.68.
    assert (found.cells, found.alike, found.alone) == (5, 4, (0, 2))
    assert found.counts == ((2, 0, 0), (0, 1, 0), (0, 1, 1))
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx(0.48 / 0.68)
    assert found.weighted is not None
    assert found.weighted.value > found.kappa.value
    assert found.differences == (("r1.md", "P02", "×", "△"),)
    assert found.rulings == (("r1.md", "F07", "bonus", "penalty"),)


def test_one_and_the_same_mark_throughout_has_no_kappa() -> None:
    sheet = parse_sheet("runs: [{run: r, problems: {P01: ○, P02: ○}}]", "s")
    assert two_opinions(opinion_of_sheet(sheet), opinion_of_sheet(sheet)).kappa is None


def test_nothing_in_common_is_incomparable() -> None:
    one, other = (parse_sheet(f"runs: [{{run: {name}, problems: {{P01: ○}}}}]", name) for name in ("a", "b"))
    with pytest.raises(IncomparableError, match="no cell is marked in both"):
        two_opinions(opinion_of_sheet(one), opinion_of_sheet(other))


@pytest.mark.parametrize(
    "text",
    ["runs: [{run: r, problems: {P01: perhaps}}]", "runs: [{run: r}, {run: r}]", "runs: [{run: r, problems: 3}]"],
)
def test_a_sheet_that_cannot_be_read_names_its_line(text: str) -> None:
    with pytest.raises(InputError, match="line 1"):
        opinion_of_sheet(parse_sheet(text, "sheet.yaml"))


def test_the_command_prints_the_table_and_writes_json(tmp_path: Path) -> None:
    sheets = written(tmp_path, "anna.yaml", ANNA), written(tmp_path, "ben.yaml", BEN)
    done = compared(*sheets, "--json", str(tmp_path / "out.json"))
    assert done.exit_code == 0, done.output
    assert "4 of 5 cells are marked alike (80%). κ 0.71" in done.output
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert data["kind"] == "audit-agreement"
    assert data["differences"] == [{"run": "r1.md", "what": "P02", "one": "×", "other": "△"}]


def test_runs_with_the_same_text_are_told_apart_by_their_names() -> None:
    one, other = ANNA.replace("  - run: r2.md", "  - run: r2.md\n    text: abc"), ANNA.replace("F07", "f7")
    other = other.replace("  - run: r2.md", "  - run: r2.md\n    text: abc").replace("P02: ○", "P02: △")
    found = two_opinions(*(opinion_of_sheet(parse_sheet(text, "s")) for text in (one, other)))
    assert found.cells == 5
    assert found.differences == (("r2.md", "P02", "○", "△"),)
    # `f7` and `F07` are one finding.
    assert found.rulings == ()


def test_two_sheets_of_one_person_are_told_apart_by_their_files(tmp_path: Path) -> None:
    again = written(tmp_path, "again.yaml", ANNA.replace("○", "×"))
    done = compared(written(tmp_path, "anna.yaml", ANNA), again, "--json", "-")
    data = json.loads(done.stdout)
    assert (Path(data["one"]).name, Path(data["other"]).name) == ("anna.yaml", "again.yaml")


def test_scoring_files_are_compared_by_run_number(tmp_path: Path) -> None:
    head = "| Problem | Run1 | Run2 |\n|---|---|---|\n"
    one = written(tmp_path, "one.md", f"{head}| P01 | ○ | ○ |\n| P02 | △ | × |\n")
    other = written(tmp_path, "other.md", f"{head}| P01 | ○ | × |\n| P02 | △ | × |\n")
    done = compared(one, other)
    assert done.exit_code == 0, done.output
    assert "3 of 4 cells" in done.output
    assert compared(one, written(tmp_path, "none.md", "no marks")).exit_code == 2
    assert compared(one, written(tmp_path, "anna.yaml", ANNA)).exit_code == 2
