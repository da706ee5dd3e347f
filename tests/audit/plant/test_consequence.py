"""Findings judged by what a scripted fixer makes of them; its runs are runs of the gate."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from inspect_ai.solver import TaskState

from steelyard.audit.consequence.marks import OTHERS, OWN_GREEN, OWN_RED, Repair, consequence_marks, finding_key
from steelyard.audit.consequence.price import RepairText, announcement
from steelyard.audit.consequence.tasks import groups
from steelyard.audit.findings import read_output
from steelyard.audit.model import Criteria, Key, Problem
from steelyard.audit.plant.record import Edit, PlantRecord, Proved
from steelyard.audit.plant.write import KeyEntry, UnitDraft, write_suite, write_unit
from steelyard.cli.main import main
from steelyard.gate.trial import attempt
from steelyard.tree import File
from tests.audit.plant.project import STOCK, TESTS, offline

pytestmark = pytest.mark.xdist_group("plant")

CHECK = "        if left < 0:\n            raise KeyError(name)\n"
FIXER = f"""\
import pathlib, sys
asked = sys.stdin.read()
source = pathlib.Path("src/stock.py")
text = source.read_text()
if "more than there is" in asked:
    text = text.replace("        self.things[name] = left", {CHECK!r} + "        self.things[name] = left")
if "everything is wrong" in asked:
    text = text.replace("        self.things[name] = left", {CHECK!r} + "        self.things[name] = left")
    text = text.replace("seconds // 60", "seconds")
if "negative limit" in asked:
    text = text.replace("self.limit = limit", "self.limit = max(0, limit)")
    pathlib.Path("test_finding.py").write_text(
        "from stock import Stock\\n\\ndef test_limit():\\n    assert Stock(-1).limit == 0\\n"
    )
source.write_text(text)
"""
RUN = """\
## Findings

1. `take` gives out more than there is: nothing refuses a negative rest (src/stock.py:20).
2. everything is wrong in this file.
3. A negative limit is accepted by the constructor.
4. Names could be longer.
"""


def key() -> Key:
    return Key((Problem("P01", "t", "Medium", Criteria("a", "b", "c")),))


def test_half_a_character_in_a_finding_ends_nothing() -> None:
    [finding] = read_output('{"findings": [{"title": "the \\ud800 lock is not held"}]}', "r").findings
    assert len(finding_key(finding)) == 12


def test_a_repair_counts_only_if_nothing_else_breaks() -> None:
    assert Repair({"P01": True, "P02": False, OTHERS: True}).repaired == ("P01",)
    assert Repair({"P01": True, OTHERS: False}).repaired == ()


def test_findings_with_the_same_words_share_one_repair() -> None:
    one = read_output("- The lock is  missing\n- Another thing\n", "a.md")
    other = read_output("- the lock is missing\n", "b.md")
    found = groups([one, other])
    assert [group.count for group in found] == [2, 1]


def test_marks_follow_from_repairs() -> None:
    output = read_output("- first finding\n- second finding\n- third finding\n- fourth finding\n", "a.md")
    made = (
        Repair({"P01": True, OTHERS: True}),
        Repair({"P01": True, OTHERS: False}),
        Repair({"P01": False, OTHERS: True, OWN_RED: True, OWN_GREEN: True}),
        Repair({"P01": False, OTHERS: True, OWN_RED: False, OWN_GREEN: True}),
    )
    repairs = {finding_key(finding): repair for finding, repair in zip(output.findings, made, strict=True)}
    marks = consequence_marks(key(), output, repairs)
    assert [(claim.problem, claim.finding, claim.mark) for claim in marks.claims] == [("P01", 1, "detected")]
    assert [(ruling.finding, ruling.verdict) for ruling in marks.rulings] == [
        (2, "neither"),
        (3, "bonus"),
        (4, "neither"),
    ]


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A planted document whose proof is known, and one recorded run."""
    offline(tmp_path, monkeypatch)
    out, test = tmp_path / "suite", "tests/test_stock.py::TestStock::test_takes_too_much"
    right = {"src/stock.py": File(STOCK.encode()), "tests/test_stock.py": File(TESTS.encode())}
    wrong = STOCK.replace(CHECK, "")
    hidden = TESTS.replace("    def test_takes_too_much", "    def unused")
    seen = {"src/stock.py": File(wrong.encode()), "tests/test_stock.py": File(hidden.encode())}
    start = STOCK.index(CHECK)
    edit = Edit(path="src/stock.py", start=start, end=start + len(CHECK), text="")
    steady = ("tests/test_stock.py::TestStock::test_takes", "tests/test_stock.py::test_minutes[60-1]")
    proved = {"P01": Proved(kind="removed check", tests=(test,), edit=edit)}
    record = PlantRecord(commit="0" * 40, date="2026-01-01", problems=proved, steady=steady)
    entry = KeyEntry("removed check", (("src/stock.py", 20, 20),), "Stock.take", "if left < 0", (test,))
    write_unit(out, UnitDraft("unit", "stock", seen, right, ("document.md", wrong), (entry,), record))
    write_suite(out, "stock", [("unit", "document.md", True)])
    (out / "run.md").write_text(RUN)
    with (out / "suite.yaml").open("a") as file:
        file.write("sets:\n  scripted:\n    runs: {unit: [run.md]}\n")
    (tmp_path / "fixer.py").write_text(FIXER)
    return out


def test_a_finding_is_detected_if_its_repair_turns_the_hidden_test_green(suite: Path, tmp_path: Path) -> None:
    fixer = f"python3 {tmp_path / 'fixer.py'}"
    words = ["--marker", "consequence", "--fixer-command", fixer, "--fixer-logs", str(tmp_path / "logs")]
    done = CliRunner().invoke(
        main, ["audit", "score", str(suite), *words, "--bonus-by-test", "--json", str(tmp_path / "result.json")]
    )
    assert done.exit_code == 0, done.stderr
    assert "4 repairs to try" in done.stderr
    text = (tmp_path / "result.json").read_text()
    # Detected once (1.0), one bonus (+0.5); what broke other tests and what changed nothing count for nothing.
    assert '"points": 1.5' in text
    assert len(list((tmp_path / "logs").rglob("*.eval"))) == 1
    # With its logs, a second start tries nothing again.
    again = CliRunner().invoke(main, ["audit", "score", str(suite), *words, "--bonus-by-test", "--json", "-"])
    assert again.exit_code == 0 and '"points": 1.5' in again.stdout
    assert "4 more are in the logs" in again.stderr
    assert len(list((tmp_path / "logs").rglob("*.eval"))) == 1
    # Their marks are not those of another fixer.
    other = ["--marker", "consequence", "--fixer", "model", "--fixer-model", "steelyard/floor", *words[4:]]
    mixed = CliRunner().invoke(main, ["audit", "score", str(suite), *other, "--bonus-by-test"])
    assert mixed.exit_code == 2 and "are by command (another folder for --fixer-logs)" in mixed.stderr
    (tmp_path / "fixer.py").write_text(f"{FIXER}\n# another\n")
    changed = CliRunner().invoke(main, ["audit", "score", str(suite), *words, "--bonus-by-test"])
    assert changed.exit_code == 2 and "are by another --fixer-command" in changed.stderr


def test_after_an_interrupt_the_same_command_tries_what_is_left(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    async def interrupted(state: TaskState, *rest: Any) -> None:
        tried.append(str(state.sample_id))
        if len(tried) == 3:
            signal.raise_signal(signal.SIGINT)  # as Ctrl-C does
            await anyio.sleep_forever()
        await attempt(state, *rest)

    # One repair at a time, so that two of four are done when the third is interrupted.
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr("steelyard.gate.tasks.attempt", interrupted)
    words = ["audit", "score", str(suite), "--marker", "consequence", "--bonus-by-test", "--json", "-"]
    words += ["--fixer-command", f"python3 {tmp_path / 'fixer.py'}", "--fixer-logs", str(tmp_path / "logs")]
    assert CliRunner().invoke(main, words).exit_code != 0
    assert len(tried) == 3
    (tmp_path / "fixer.py").write_text(f"{FIXER}\n# another\n")
    other = CliRunner().invoke(main, words)
    assert other.exit_code == 2 and "are by another --fixer-command" in other.stderr
    (tmp_path / "fixer.py").write_text(FIXER)
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0 and '"points": 1.5' in done.stdout, done.stderr
    assert "2 repairs to try for 4 findings, 2 more are in the logs" in done.stderr
    # The third once more, and the fourth.
    assert len(tried) == 5 and tried[3] == tried[2] and len(set(tried)) == 4
    assert '"points": 1.5' in CliRunner().invoke(main, words).stdout and len(tried) == 5


def test_nothing_is_repaired_for_a_set_that_cannot_be_scored(suite: Path, tmp_path: Path) -> None:
    with (suite / "suite.yaml").open("a") as file:
        file.write("  empty:\n    runs: {}\n")
    words = ["--marker", "consequence", "--fixer-command", "true", "--fixer-logs", str(tmp_path / "logs")]
    done = CliRunner().invoke(main, ["audit", "score", str(suite), "--set", "empty", *words])
    assert done.exit_code == 2 and "has no runs of this suite" in done.stderr
    assert "repairs to try" not in done.stderr and not (tmp_path / "logs").exists()


def test_a_fixer_without_its_marker_and_a_marker_without_a_fixer_are_refused(suite: Path) -> None:
    marker = ["--marker", "consequence"]
    for words in (["--fixer", "model"], marker, [*marker, "--fixer-command", ""]):
        done = CliRunner().invoke(main, ["audit", "score", str(suite), *words])
        assert done.exit_code == 2 and "consequence" in done.stderr


GATE_RUN = ("gate", "run", "--tasks", ".", "--baseline", ".", "--candidate", ".", "--agent-command")


@pytest.mark.parametrize(
    "words",
    [("audit", "score", "suite", "--marker", "consequence", "--fixer-command"), GATE_RUN],
)
def test_a_command_with_an_open_quotation_is_one_line(
    words: tuple[str, ...], suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suite.parent)
    done = CliRunner().invoke(main, [*words, "'fixer"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "steelyard: the command cannot be split into words: No closing quotation\n"


READINGS = [RepairText(3_000, 1_000), RepairText(3_000, 1_000)]


@pytest.mark.parametrize(
    ("done", "measured", "input_price", "said"),
    [
        (0, None, None, "2 repairs to try for 5 findings; their price is not known here"),
        # 2 · 4,000 characters are 2,000 tokens; a million of them cost 3 dollars.
        (0, None, 3.0, "2 repairs to try for 5 findings; at least $0.0060"),
        (0, 0.25, 3.0, "2 repairs to try for 5 findings; about $0.5000, at $0.2500 a repair as measured so far"),
        (3, None, None, "2 repairs to try for 5 findings, 3 more are in the logs; their price"),
    ],
)
def test_the_price_of_repairs_is_said_before_they_start(
    done: int, measured: float | None, input_price: float | None, said: str
) -> None:
    assert announcement(READINGS, 5, done, measured, input_price).startswith(said)
