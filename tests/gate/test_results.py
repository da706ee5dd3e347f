"""docs/scoring.md §3.4: plain results files, and the command that compares them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.artifact import json_text, validate
from steelyard.cli.main import main
from steelyard.errors import InputError
from steelyard.gate.model import Cost
from steelyard.gate.read.results_file import parse_results, read

GOOD = {
    "label": "baseline",
    "scores": [
        {
            "task": "t1",
            "passed": 3,
            "total": 4,
            "judge": 0.8,
            "cost": {"tokens": 1200, "tool_calls": 5, "steps": 4, "wall_clock_ms": 8000, "cost_usd": 0.02},
            "composite": None,
        }
    ],
}


def test_a_results_file_is_read_as_it_stands() -> None:
    arm = parse_results(GOOD, "r.json")
    assert arm.side.label == "baseline"
    assert arm.runs[0].cost == Cost(1200, 5, 4, 8000, 0.02)
    assert (arm.runs[0].passed, arm.runs[0].total, arm.runs[0].judge, arm.runs[0].composite) == (3, 4, 0.8, None)
    validate(GOOD, "results")


def test_two_scores_of_one_task_are_epochs_of_it() -> None:
    arm = parse_results({"scores": [{"task": "t", "passed": 1, "total": 1}] * 2}, "r.json")
    assert len(arm.runs) == 2 and arm.side.rounds == 2


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ({"task": "t", "passed": 5, "total": 4}, "passed 5 > total 4"),
        ({"task": "t", "passed": -1, "total": 4}, "`passed` is -1"),
        ({"task": "t", "passed": 1}, "`total` must be a number"),
        ({"task": "t", "passed": "1", "total": 1}, "`passed` must be a number"),
        ({"task": "t", "passed": True, "total": 1}, "`passed` must be a number"),
        ({"task": "", "passed": 1, "total": 1}, "`task` must be a name"),
        ({"task": "t", "passed": 1, "total": 1, "judge": 1.5}, "`judge` is 1.5"),
        ({"task": "t", "passed": 1, "total": 1, "composite": -0.1}, "`composite` is -0.1"),
        ({"task": "t", "passed": 1, "total": 1, "cost": {"tokens": -5}}, "`tokens` is -5"),
        ({"task": "t", "passed": 1, "total": 1, "cost": {"seconds": 5}}, "unknown key 'seconds'"),
        ({"task": "t", "passed": 1, "total": 1, "extra": 5}, "unknown key 'extra'"),
        (["t"], "expected an object"),
    ],
)
def test_bad_entries_are_named(entry: object, named: str) -> None:
    with pytest.raises(InputError, match=r"r\.json, score 2") as error:
        parse_results({"scores": [{"task": "ok", "passed": 1, "total": 1}, entry]}, "r.json")
    assert named in str(error.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"scores": 3}', '{"scores": [], "scores": []}', '{"scores": [], "x": 1}', '{"label": "b"}']
)
def test_what_is_no_results_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(InputError):
        read(path)


def run(tmp_path: Path, base: object, cand: object, *words: str) -> tuple[int, str]:
    for name, data in (("base", base), ("cand", cand)):
        text = data if isinstance(data, str) else json.dumps(data)
        (tmp_path / f"{name}.json").write_text(text)
    found = CliRunner().invoke(
        main, ["gate", "compare", str(tmp_path / "base.json"), str(tmp_path / "cand.json"), *words]
    )
    return found.exit_code, found.output


def scores(*entries: dict[str, object]) -> dict[str, object]:
    return {"scores": [{"task": "t", "passed": 1, "total": 2, **entry} for entry in entries]}


# The fail-closed table: what can never end in 0.
FAIL_CLOSED = [
    ("no tasks on either side", scores(), scores(), 2),
    ("no baseline", scores(), scores({}), 2),
    ("no candidate", scores({}), scores(), 2),
    ("no common task", scores({}), scores({"task": "other"}), 2),
    ("a task vanished", scores({}, {"task": "b"}), scores({}), 1),
    ("NaN composite", scores({}), '{"scores":[{"task":"t","passed":1,"total":2,"composite":NaN}]}', 1),
    ("NaN judge", scores({"judge": 0.5}), '{"scores":[{"task":"t","passed":2,"total":2,"judge":NaN}]}', 1),
    ("NaN telemetry", scores({}), '{"scores":[{"task":"t","passed":2,"total":2,"cost":{"tokens":NaN}}]}', 2),
    ("NaN baseline", '{"scores":[{"task":"t","passed":1,"total":2,"composite":NaN}]}', scores({"passed": 2}), 1),
    ("1e999", scores({}), '{"scores":[{"task":"t","passed":1,"total":2,"composite":1e999}]}', 1),
    ("a check lost", scores({}), scores({"passed": 0}), 1),
    ("checks shrunk", scores({"total": 4}), scores({"total": 1}), 1),
    ("not JSON", scores({}), "{", 2),
    ("an empty file", scores({}), "", 2),
]


@pytest.mark.parametrize(
    ("base", "cand", "code"), [row[1:] for row in FAIL_CLOSED], ids=[row[0] for row in FAIL_CLOSED]
)
def test_the_gate_fails_closed(tmp_path: Path, base: object, cand: object, code: int) -> None:
    assert run(tmp_path, base, cand)[0] == code


@pytest.mark.parametrize(
    "threshold",
    [
        "min_composite_gain=-1",
        "min_composite_gain=nan",
        "regression_composite_drop=1.5",
        "regression_composite_drop=inf",
        "objective_drop_is_regression=maybe",
        "unknown=1",
        "min_composite_gain",
    ],
)
def test_thresholds_out_of_range_end_in_2(tmp_path: Path, threshold: str) -> None:
    assert run(tmp_path, scores({}), scores({"passed": 2}), "--threshold", threshold)[0] == 2


def test_thresholds_come_from_a_settings_file_and_an_option_wins(tmp_path: Path) -> None:
    settings = tmp_path / "s.yaml"
    settings.write_text("gate:\n  thresholds: {min_composite_gain: 0.9}\n")
    same = ("--settings", str(settings))
    assert "neutral" in run(tmp_path, scores({}), scores({"passed": 2}), *same)[1]
    assert (
        "improved"
        in run(tmp_path, scores({}), scores({"passed": 2}), *same, "--threshold", "min_composite_gain=0.1")[1]
    )


def test_a_judge_on_one_side_is_an_ambiguity_and_never_a_promotion(tmp_path: Path) -> None:
    code, text = run(tmp_path, scores({}), scores({"passed": 2, "judge": 1.0}), "--json", "-")
    data = json.loads(text)
    assert code == 0 and data["verdict"] == "improved"
    assert data["ambiguities"] and data["should_promote"] is False


def test_require_judge_ends_in_2_without_one(tmp_path: Path) -> None:
    assert run(tmp_path, scores({}), scores({"passed": 2}), "--require-judge")[0] == 2
    assert run(tmp_path, scores({"judge": 1}), scores({"passed": 2, "judge": 1}), "--require-judge")[0] == 0


def test_json_carries_rounded_values_and_fits_its_schema(tmp_path: Path) -> None:
    # 1/3 → 2/3: the difference is 0.333333 when rounded to 6 decimals
    code, text = run(tmp_path, scores({"total": 3}), scores({"passed": 2, "total": 3}), "--json", "-")
    data = json.loads(text)
    validate(data, "gate")
    assert code == 0
    assert data["net_gain"] == data["tasks"][0]["delta"] == 0.333333
    assert data["tasks"][0]["baseline"]["composite"] == 0.333333


def test_every_format_is_written_and_names_of_tasks_cannot_break_it(tmp_path: Path) -> None:
    import xml.etree.ElementTree as xml

    name = 'a|b <script>"x"</script> @team \x07'
    base, cand = scores({"task": name}), scores({"task": name, "passed": 0})
    files = {kind: tmp_path / f"r.{kind}" for kind in ("markdown", "junit", "sarif", "html", "json")}
    words = [word for kind, path in files.items() for word in (f"--{kind}", str(path))]
    assert run(tmp_path, base, cand, *words)[0] == 1
    suite = xml.fromstring(files["junit"].read_text())
    assert suite.get("failures") == "2"
    assert "<script>" not in files["markdown"].read_text()
    assert '<script>"x' not in files["html"].read_text()
    assert json.loads(files["sarif"].read_text())["runs"][0]["results"][0]["level"] == "error"


def test_github_annotations_and_step_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    base, cand = scores({"task": "a:b\nc"}), scores({"task": "a:b\nc", "passed": 0})
    code, text = run(tmp_path, base, cand, "--github")
    assert code == 1
    assert "::error title=Gate%3A a%3Ab%0Ac::objective: checks passed 1 → 0" in text
    assert summary.read_text().startswith("# Gate: regressed")


def test_a_name_cannot_speak_to_github(tmp_path: Path) -> None:
    """Every line that begins like a workflow command and is not ours stands where commands are switched off."""
    name = "a\n::add-mask::regressed"
    lines = run(tmp_path, scores({"task": name}), scores({"task": name, "passed": 0}), "--github")[1].splitlines()
    first, mark = lines[0].rsplit("::", 1)
    assert first == "::stop-commands" and len(mark) == 32
    end = lines.index(f"::{mark}::")
    forged = [number for number, line in enumerate(lines) if line.strip().startswith("::add-mask")]
    assert forged and max(forged) < end
    assert lines[end + 1].startswith("::error title=Gate%3A regressed::")


def test_no_verdict_is_reported_in_every_form(tmp_path: Path) -> None:
    code, text = run(tmp_path, scores({}), scores({"task": "other"}), "--json", "-")
    data = json.loads(text)
    assert code == 2 and data["verdict"] is None and "no task in common" in data["no_verdict"]["reasons"][0]
    assert 'errors="1"' in run(tmp_path, scores({}), scores({"task": "other"}), "--junit", "-")[1]


def test_json_text_never_holds_a_number_that_is_not_one(tmp_path: Path) -> None:
    nan = '{"scores":[{"task":"t","passed":1,"total":2,"composite":NaN}]}'
    text = run(tmp_path, scores({}), nan, "--json", "-")[1]
    assert json_text(json.loads(text)) and "NaN" not in text
