from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from steelyard import artifact
from steelyard.errors import InputError
from steelyard.judge.attack.scripted import seen_in
from steelyard.judge.calibration.labels import Label, controls, folder, read_labels, single
from steelyard.judge.calibration.record import (
    calibration_status,
    labelled_totals,
    record,
    record_path,
    save,
)
from steelyard.judge.calibration.report import calibration_document
from steelyard.judge.calibration.run import calibrate
from steelyard.judge.case import case, case_rubric
from steelyard.judge.panel import Panel
from steelyard.judge.protocol import rubric_identity
from steelyard.stats.correction import ppi

from ..codes import grades

Make = Callable[[Any], str]
GRADES = [0.1, 0.4, 0.6, 0.8, 0.95]


def rows(n: int = 100) -> list[Label]:
    """Responses that carry their own grade, so that a stub judge can know it."""
    return [
        Label(
            id=f"r{place}",
            tier=["bad", "good"][place % 2],
            response=f"Queue {place} holds {GRADES[place % 5]} of all messages and keeps them in order.",
            labels=dict.fromkeys(("accuracy", "completeness", "quality"), GRADES[place % 5]),
            labelled_by="authors",
        )
        for place in range(n)
    ]


def fair(shift: float = 0.0) -> Callable[[list[Any]], str]:
    """A judge that reads the grade off the response."""

    def reply(messages: list[Any]) -> str:
        seen = seen_in(messages[0].text, messages[-1].text)
        found = re.search(r"holds ([\d.]+)", "\n".join(seen.sentences))
        score = min(1.0, max(0.0, (float(found[1]) if found else 0.1) + shift))
        return grades({seen.items[name]: score for name in seen.real})

    return reply


def run(judge: str, labels: list[Label], **settings: Any) -> Any:
    panel = Panel((judge,), **settings)
    rubrics = single(case_rubric())
    result = anyio.run(partial(calibrate, labels, rubrics, panel, lambda done, total: None))
    return panel, result, record(result, labels, rubrics, panel)


def test_a_judge_without_a_usable_reply_is_said_aloud(judge_named: Make) -> None:
    _, result, data = run(judge_named(lambda _: "in verse"), rows(5))
    # Five responses and seven control answers, one of them empty, about which nobody is asked.
    assert data["unusable"] == {"unusable": 11, "gradings": 12} and not result.passed
    assert "11 of 12 gradings had no usable reply" in str(calibration_document(result, data, False))
    artifact.validate(data, "calibration")


def test_a_fair_judge_earns_a_record_and_every_report_says_so(judge_named: Make) -> None:
    panel, result, data = run(judge_named(fair()), rows())
    assert result.passed
    assert calibration_status(panel.identity, case_rubric().sha) == "uncalibrated"
    path = save(data)
    assert path == record_path(panel.judges[0], case_rubric().sha)
    assert calibration_status(panel.identity, case_rubric().sha) == "calibrated (κ 1.00)"
    # Bound to judge and rubric.
    assert calibration_status("stub/other", case_rubric().sha) == "uncalibrated"
    assert calibration_status(panel.identity, "0123456789abcdef") == "uncalibrated"
    # How often it is asked, and whether from a cache, makes it no other judge.
    often = Panel(panel.judges, repeats=3, cache=False)
    assert calibration_status(often.identity, case_rubric().sha).startswith("calibrated")
    assert calibration_status(often.identity, case_rubric().sha) == "calibrated (κ 1.00)"


def test_the_quoting_protocol_is_held_against_the_single_call(judge_named: Make) -> None:
    _, result, data = run(judge_named(fair()), rows(10))
    assert result.quoted is not None and result.quoted.n == 10 * len(case_rubric().items)
    assert data["quoted"] == {"n": result.quoted.n, "same": result.quoted.same, "difference": result.quoted.difference}
    assert f"of {result.quoted.n} grades fall into the same band" in str(calibration_document(result, data, False))
    _, alone, _ = run("quoted:" + judge_named(fair()), rows(10))
    assert alone.quoted is None


def test_a_record_corrects_the_mean_of_its_judge_and_counts_tripped_decoys(judge_named: Make) -> None:
    panel, result, data = run(judge_named(fair(-0.1)), rows(20))
    assert result.tripped == (0, 20) and data["decoys"] == {"tripped": 0, "responses": 20}
    save(data)
    found = ppi([0.3, 0.5, 0.7], labelled_totals(panel.identity, case_rubric().sha))
    # The judge is 0.1 too low (at 0.1 it cannot be), so the corrected mean is higher.
    assert found is not None and found.raw == pytest.approx(0.5) and 0.5 < found.value < 0.65
    assert found.labels == 20
    assert labelled_totals("stub/other", case_rubric().sha) == ()


def test_a_record_is_found_by_the_rubrics_hash_and_by_that_of_rubric_and_prompt(judge_named: Make) -> None:
    panel, _, data = run(judge_named(fair()), rows())
    save(data)
    assert calibration_status(panel.identity, rubric_identity(case_rubric())).startswith("calibrated")


def test_a_folder_of_rubrics_grades_each_response_by_its_own(tmp_path: Path, judge_named: Make) -> None:
    text = "name: NAME\nabout: a\ndimensions:\n" + "".join(
        f"  - {{id: {name}, about: of NAME}}\n" for name in ("accuracy", "completeness", "quality")
    )
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(text.replace("NAME", name))
    rubrics = folder(tmp_path)
    seen: set[str] = set()

    def reply(messages: list[Any]) -> str:
        seen.update(re.findall(r"^- \w+: of (\w+)$", messages[-1].text, re.MULTILINE))
        return fair()(messages)

    labels = [row.model_copy(update={"rubric": ["one", "two"][place % 2]}) for place, row in enumerate(rows(50))]
    panel = Panel((judge_named(reply),))
    result = anyio.run(partial(calibrate, labels, rubrics, panel, lambda done, total: None))
    assert seen == {"one", "two"}
    save(record(result, labels, rubrics, panel))
    assert (
        calibration_status(panel.identity, rubrics.sha)
        != calibration_status(panel.identity, rubrics.rubrics["one"].sha)
        == "uncalibrated"
    )
    seen.clear()
    with pytest.raises(InputError, match="known rubrics: one, two"):
        anyio.run(partial(calibrate, [*labels, *rows(1)], rubrics, panel, lambda done, total: None))
    assert not seen  # nobody was asked in vain
    (tmp_path / "odd.yaml").write_text("name: odd\nabout: a\ncriteria:\n  - {id: c, question: q}\n")
    with pytest.raises(InputError, match="different items"):
        folder(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no rubric"):
        folder(tmp_path / "empty")


def test_a_judge_that_failed_stays_uncalibrated(judge_named: Make) -> None:
    panel, result, data = run(judge_named(fair(-0.35)), rows())
    assert not result.passed
    save(data)
    assert calibration_status(panel.identity, case_rubric().sha) == "uncalibrated"


@pytest.mark.parametrize("n", [2, 5, 10, 25])
def test_a_handful_of_labels_never_earns_calibrated(judge_named: Make, n: int) -> None:
    # Five bands in equal parts: 1 − p_e = 2·2/16 = .25; .05^(1/25) = .887, so low ≤ 1 − .113/.25 = .55.
    _, result, data = run(judge_named(fair()), rows(n))
    assert result.kappa is not None and result.kappa.value == 1.0
    assert result.kappa.low < 0.6 and not result.passed and data["passed"] is False


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"passed": true}', "stale"])
def test_a_damaged_or_stale_record_is_no_record(judge_named: Make, damage: str) -> None:
    panel, _, data = run(judge_named(fair()), rows())
    path = save(data)
    assert calibration_status(panel.identity, case_rubric().sha) == "calibrated (κ 1.00)"
    stale = json.dumps({**data, "prompts": "of another day"})
    path.write_text(stale if damage == "stale" else damage)
    assert calibration_status(panel.identity, case_rubric().sha) == "uncalibrated"


def test_control_answers_come_with_every_calibration_of_these_dimensions(judge_named: Make) -> None:
    _, result, data = run(judge_named(fair()), rows(10))
    assert [each.label.id for each in result.controls] == [each.id for each in controls(case_rubric())]
    assert len(data["canaries"]) == 7
    assert data["n"] == 10


def test_two_judges_are_two_judges(judge_named: Make) -> None:
    panel = Panel((judge_named(fair()), judge_named(fair(-0.3))))
    result = anyio.run(partial(calibrate, rows(5), single(case_rubric()), panel, lambda done, total: None))
    assert {call.judge for call in result.marked[0].reply.calls} == set(panel.judges)
    assert all(item.same_band is None for item in result.items)


def test_repeats_measure_consistency(judge_named: Make) -> None:
    _, result, _ = run(judge_named(fair()), rows(10), repeats=3)
    assert [item.same_band for item in result.items] == [1.0, 1.0, 1.0]


def test_a_silent_judge_is_measured_as_silent(judge_named: Make) -> None:
    def refuse(_: Any) -> str:
        raise ConnectionError("no line")

    _, result, data = run(judge_named(refuse), rows(10))
    assert (result.scored, result.passed, data["kappa"]) == (0, False, None)


def test_labels_must_fit_the_rubric(judge_named: Make, tmp_path: Path) -> None:
    good = json.loads(rows(1)[0].model_dump_json())
    bad = {**good, "id": "odd", "labels": {"style": 1.0}}
    path = tmp_path / "labels.jsonl"
    path.write_text(f"{json.dumps(good)}\n\n{json.dumps(bad)}\n")
    with pytest.raises(InputError, match=r"labels\.jsonl, line 3: odd labels style"):
        run(judge_named(fair()), list(read_labels(path)))
    odd = Label(id="odd", response="r", labels={"style": 1.0})
    with pytest.raises(InputError, match="odd labels style"):
        run(judge_named(fair()), [odd])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no labelled responses"),
        ("{", "line 1"),
        ('{"id": "a", "response": "r", "labels": {"x": 2}}', "line 1: labels.x"),
        ('{"id": "a", "response": "r", "labels": {"x": "0.5"}}', "line 1: labels.x"),
        ('{"id": "a", "response": "r", "labels": {"x": NaN}}', "line 1"),
        ('{"id": "a", "response": "r", "labels": {}}', "line 1: labels"),
        ('{"id": "a", "response": "r", "labels": {"x": 1}, "colour": 1}', "line 1: colour"),
        (
            '{"id": "a", "response": "r", "labels": {"x": 1}, "response": "s"}',
            "labels.jsonl, line 1 is not valid JSON: duplicate key 'response'",
        ),
        ('{"id": "a", "response": "r", "labels": {"x": 1, "x": 0}}', "duplicate key 'x'"),
        (
            '{"id": "a", "response": "r", "labels": {"x": 1}}\n\n{"id": "a", "response": "s", "labels": {"x": 1}}',
            "line 3: duplicate id 'a'",
        ),
    ],
)
def test_a_bad_label_file_is_one_clear_error(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(says)):
        read_labels(path)


def test_only_a_line_end_ends_a_label(tmp_path: Path) -> None:
    """U+2028 and U+0085 are text inside a JSON string; CRLF is a line end."""
    path = tmp_path / "labels.jsonl"
    row = '{"id": "%s", "response": "one\u2028two\u0085three", "labels": {"x": 1}}'
    path.write_bytes("\r\n".join((row % "a", row % "b", "")).encode())
    assert [each.response for each in read_labels(path)] == ["one\u2028two\u0085three"] * 2


def test_the_built_in_case_is_whole() -> None:
    assert len(case().good) > len(case().weak) > 100
