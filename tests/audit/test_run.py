"""An audit as an Inspect task: runs in the log, the key out of the subject's reach, scored, read back, marked again."""

from __future__ import annotations

import json
import shlex
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import eval as run_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from steelyard import api
from steelyard.audit.example import suite_folder
from steelyard.audit.marking import ByWords
from steelyard.audit.read import outputs, read_audit_log
from steelyard.audit.report.scoring_file import block
from steelyard.audit.rescore import log_brief, remarked, rescore_log
from steelyard.audit.results import result_of_log
from steelyard.audit.run import Plan, execute
from steelyard.audit.tasks import audit
from steelyard.cli.main import main
from steelyard.errors import InputError, JudgeError, LogError, ModelError
from steelyard.judge.panel import Panel
from steelyard.logs.identity import read_stamp

from .examiner import asked_findings, asked_problems, judge, matching, rulings
from .test_partial import suite as suite_of

SUITE = suite_folder("code-review")
DOCUMENT, KEY = SUITE / "lockers" / "document.md", SUITE / "lockers" / "key.md"
TASK = {
    "key": str(KEY),
    "document": str(DOCUMENT),
    "perspective": str(SUITE / "perspective.md"),
    "agent": str(SUITE / "agent.md"),
}
SEEN: list[str] = []


def answer(text: str) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def subject(texts: list[str]) -> object:
    return get_model("mockllm/model", custom_outputs=[answer(text) for text in texts], memoize=False)


def run(tmp_path: Path, texts: list[str], **task: object) -> EvalLog:
    made = audit(**{**TASK, "runs": len(texts), **task})  # type: ignore[arg-type]
    return run_eval(made, model=subject(texts), log_dir=str(tmp_path / "logs"), display="none")[0]  # type: ignore[arg-type]


GOOD = (SUITE / "runs" / "careful" / "lockers-1.md").read_text("utf-8")
WEAK = (SUITE / "runs" / "hasty" / "lockers-1.md").read_text("utf-8")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    return run(tmp_path_factory.mktemp("audit"), [GOOD, WEAK], marking="lexical", round=4)


def test_runs_are_epochs_and_scores_stand_in_the_log(log: EvalLog) -> None:
    assert log.status == "success"
    samples = log.samples or []
    assert [sample.epoch for sample in samples] == [1, 2]
    assert [sample.scores["audit_scorer"].value for sample in samples if sample.scores] == [8.5, 2.0]


def test_the_key_never_reaches_the_subject(log: EvalLog) -> None:
    key_words = ["Detection Criteria", "P01", "Two deposits can get the same locker", "double assignment"]
    for sample in log.samples or []:
        shown = json.dumps([message.model_dump(mode="json") for message in sample.messages[:-1]])
        state = json.dumps([sample.metadata, sample.store, sample.target, sample.input], default=str)
        for words in key_words:
            assert words not in shown
            assert words not in state
        assert "You review Python services" in sample.messages[0].text
        assert sample.messages[1].text == DOCUMENT.read_text("utf-8")


def test_the_stamp_says_what_was_run(log: EvalLog) -> None:
    stamp = read_stamp(log.eval.metadata)
    assert stamp is not None
    assert (stamp.wing, stamp.unit, stamp.label) == ("audit", "lockers", "code-reviewer")
    assert stamp.fingerprint.judge == "lexical"
    assert stamp.extra["round"] == 4


def test_read_back_and_marked_again(log: EvalLog) -> None:
    found = read_audit_log(log.location)
    result = result_of_log(found, "lockers")
    assert block(result).startswith("mean: 5.25\nsd: 4.60\nrun1: 8.50\nrun2: 2.00\n")
    assert (result.name, result.round) == ("code-reviewer", 4)
    with pytest.raises(InputError, match="do not change the marks"):
        api.audit_score(log.location, key=KEY)
    again = remarked(found, "lockers", ByWords(), None, None)
    assert block(again) == block(result)
    assert [each.name for each in outputs(found, "lockers")] == ["run1", "run2"]
    assert len(log_brief(found, "lockers").key.problems) == 10
    assert len(outputs(found, "lockers")) == 2


@pytest.mark.parametrize("damage", [{"score": float("nan")}, {"cells": [{}]}, {"findings": 3}, {"extras": [{"x": 1}]}])
def test_a_score_that_somebody_else_wrote_is_one_line(log: EvalLog, damage: dict[str, object]) -> None:
    found = read_audit_log(log.location)
    scores = found.samples["lockers"][0].scores or {}
    scores["audit_scorer"].metadata["audit"] |= damage  # type: ignore[index]
    with pytest.raises(LogError, match="the scores of lockers cannot be read"):
        result_of_log(found, "lockers")
    stamp = replace(found.stamp, extra={"round": "two", "units": [1]})
    with pytest.raises(LogError, match="round is 'two', not an integer"):
        _ = replace(found, stamp=stamp).round
    with pytest.raises(LogError, match=r"units is \[1\], not an object"):
        replace(found, stamp=stamp).paths("lockers")


def test_an_interrupted_run_is_an_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Inspect answers Ctrl-C with a cancelled log on disk and an empty list.
    monkeypatch.setattr("inspect_ai.eval", lambda *_, **__: [])
    with pytest.raises(KeyboardInterrupt):
        execute(Plan({**TASK, "marking": "lexical"}, "steelyard/floor", tmp_path))


def test_an_empty_answer_scores_zero_and_a_refusal_too(tmp_path: Path) -> None:
    made = run(tmp_path, ["", "I cannot help with that."], marking="lexical")
    assert [sample.scores["audit_scorer"].value for sample in made.samples or [] if sample.scores] == [0, 0]


def test_left_for_later_then_marked_by_a_judge(tmp_path: Path) -> None:
    made = run(tmp_path, [WEAK, GOOD], marking="later")
    with pytest.raises(JudgeError, match="unscored"):
        result_of_log(read_audit_log(made.location), "lockers")

    def broken(system: str, user: str) -> str:
        raise ConnectionError("no line")

    def honest(system: str, user: str) -> str:
        if problems := asked_problems(user):
            finding = "F01" if "concatenates user input" in user else "F02"
            quote = "concatenates user input" if finding == "F01" else "interpolated into the statement"
            return matching({"P02": (finding, "detected", quote)}, problems)
        return rulings({}, asked_findings(user))

    first = rescore_log(made.location, Panel((judge("broken", broken, KEY.read_text("utf-8")),)), everything=False)
    assert (first.graded, first.scored, first.open) == (2, 0, 2)
    second = rescore_log(made.location, Panel((judge("honest", honest, KEY.read_text("utf-8")),)), everything=False)
    assert (second.graded, second.scored, second.open) == (2, 2, 0)
    result = result_of_log(read_audit_log(made.location), "lockers")
    assert [run.score for run in result.runs] == [1.0, 1.0]
    assert str(result.marker) == "judge examiner/honest, uncalibrated"
    history = [
        sample.scores["audit_scorer"].history for sample in read_eval_log(made.location).samples or [] if sample.scores
    ]
    assert all(len(each) >= 2 for each in history)
    with pytest.raises(InputError, match="--all"):
        rescore_log(made.location, Panel((judge("other", honest, KEY.read_text("utf-8")),)), everything=False)
    third = rescore_log(made.location, Panel((judge("other", honest, KEY.read_text("utf-8")),)), everything=True)
    assert third.scored == 2


def test_a_folder_is_marked_log_by_log(tmp_path: Path) -> None:
    made = run(tmp_path, [GOOD, WEAK], marking="later").location
    logs = tmp_path / "all"
    logs.mkdir()
    for name in ("1", "4"):
        (logs / f"{name}.eval").write_bytes(Path(made).read_bytes())
    (logs / "2.eval").write_bytes(b"half a log")
    name = judge("thorough", lambda system, user: (
        matching({}, problems) if (problems := asked_problems(user)) else rulings({}, asked_findings(user))
    ), KEY.read_text("utf-8"))  # fmt: skip
    ask = ["rescore", "--judge", name, "--no-judge-cache"]
    found = CliRunner().invoke(main, [*ask, str(logs)])
    # The broken log is a failure; both others are marked.
    assert found.exit_code == 2, found.output
    told = found.stdout.splitlines()
    assert told == [f"{logs / each}.eval: 2 graded, 2 scored, 0 open" for each in ("1", "4")]
    assert f"! cannot read {logs / '2.eval'}" in found.stderr
    (logs / "2.eval").unlink()
    assert CliRunner().invoke(main, [*ask, str(logs)]).exit_code == 0


def test_a_judge_marks_while_it_runs_and_an_open_run_is_said(tmp_path: Path) -> None:
    def silent(system: str, user: str) -> str:
        raise ConnectionError("no line")

    name = judge("half", silent)
    made = run(tmp_path, [GOOD], marking="judge", judge=name)
    score = (made.samples or [])[0].scores
    assert score is not None
    assert score["audit_scorer"].reason == "judge"
    assert score["audit_scorer"].metadata is not None
    assert score["audit_scorer"].metadata["judge_calls"][0]["judge"] == name


def test_a_suite_runs_every_document(tmp_path: Path) -> None:
    made = run(tmp_path, ["LGTM"] * 2, key=None, document=None, suite=str(SUITE), marking="lexical", runs=1)
    found = read_audit_log(made.location)
    assert set(found.samples) == {"lockers", "tariff"}
    assert result_of_log(found, "tariff").mean == 0


@pytest.fixture(scope="module")
def suite_log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The unmarked log of a suite of two documents and a clean control, all with the same answer."""
    folder = tmp_path_factory.mktemp("several")
    suite = str(suite_of(folder / "suite", documents=3, runs=0))
    return run(folder, ["LGTM"] * 3, key=None, document=None, suite=suite, marking="later", runs=1).location


def test_a_log_of_several_documents_is_marked_by_hand(suite_log: str, tmp_path: Path) -> None:
    """The answers are equal, so the names in the sheet must tell its entries apart."""
    sheet = tmp_path / "sheet.yaml"
    with api.audit_mark(suite_log, sheet=sheet) as server:
        assert [open_run.document for open_run in server.session.runs] == ["d01", "d02"]
        assert shlex.split(server.score_command) == ["steelyard", "audit", "score", suite_log, "--marks", str(sheet)]
    text = sheet.read_text("utf-8")
    assert text == api.audit_sheet(suite_log)
    first, last = text.rsplit("  - run:", 1)
    marked = [first.replace('mark: "?"', "mark: ×"), last.replace('mark: "?"', "mark: △, quote: LGTM")]
    sheet.write_text("  - run:".join(marked), "utf-8")
    suite = api.audit_score(suite_log, marks=sheet, name="Ada")
    assert [(result.name, result.marker.kind) for result in suite.keyed] == [("Ada", "marks")] * 2
    assert suite.keyed[0].mean < suite.keyed[1].mean
    with pytest.raises(InputError, match="3 documents"):
        api.audit_mark(suite_log, key=KEY)


def test_a_way_to_mark_counts_for_the_log_of_a_suite_too(suite_log: str) -> None:
    with pytest.raises(JudgeError, match="unscored"):
        api.audit_score(suite_log)
    marked = api.audit_score(suite_log, lexical=True, round=7)
    assert {(result.marker.kind, result.round) for result in marked.keyed} == {("lexical", 7)} and marked.round == 7
    for chosen in ({"set_name": "hasty"}, {"partial": True}):
        with pytest.raises(InputError, match="no recorded sets"):
            api.audit_score(suite_log, **chosen)
    for one in ("key", "document", "verdict"):
        with pytest.raises(InputError, match=f"--{one} is for one document"):
            api.audit_score(suite_log, **{one: KEY})


def test_a_changed_key_is_refused(tmp_path: Path) -> None:
    key = tmp_path / "key.md"
    key.write_text(KEY.read_text("utf-8"), "utf-8")
    made = run(tmp_path, [WEAK], key=str(key), marking="later")
    key.write_text(key.read_text("utf-8").replace("Critical", "Minor"), "utf-8")
    with pytest.raises(InputError, match="changed since the run"):
        rescore_log(made.location, Panel((judge("x", lambda system, user: ""),)), everything=True)


def test_execute_names_an_unknown_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere/model"):
        execute(Plan({**TASK, "marking": "lexical"}, "nowhere/model", tmp_path))


def test_broken_and_foreign_logs(tmp_path: Path, log: EvalLog) -> None:
    broken = tmp_path / "broken.eval"
    broken.write_bytes(Path(log.location).read_bytes()[:2000])
    with pytest.raises(LogError):
        read_audit_log(broken)
    foreign = tmp_path / "foreign.eval"
    with zipfile.ZipFile(log.location) as source, zipfile.ZipFile(foreign, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, data.replace(b'"wing"', b'"wong"') if name == "header.json" else data)
    with pytest.raises(LogError, match="the stamp holds wong"):
        read_audit_log(foreign)


@pytest.mark.parametrize("variable", ["INSPECT_EVAL_SET_CAPTURE", "INSPECT_EVAL_SET_SELECTION"])
def test_a_runner_of_eval_sets_is_refused_before_a_model_is_asked(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "tasks.json"))
    with pytest.raises(InputError, match=f"unset {variable}"):
        execute(Plan(TASK | {"marking": "later"}, "steelyard/floor", tmp_path / "logs"))
    assert not (tmp_path / "logs").exists()
